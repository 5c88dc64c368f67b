/* Names that an author gives to kernels, parameters, structs and fields. */
#include "signature_read.h"

#include "check_words.h"

#include <string.h>

int quern_signature_check_name(quern_signature_reader *reader, const quern_token *name, const char *what)
{
    if (name->kind != QUERN_TOKEN_NAME) {
        quern_error_at(reader->diagnostics, name, "%s must be a name, but is '%s'", what, name->text);
        return 0;
    }
    const char *owner = quern_word_reserved(name->text);
    if (!owner && quern_word_is_type(name->text))
        owner = "the name of a type";
    if (!owner && strncmp(name->text, "__", 2) == 0)
        owner = "reserved for the compilers, as are all names that begin with two underscores";
    if (owner)
        quern_error_at(reader->diagnostics, name, "%s cannot be '%s': that is %s", what, name->text, owner);
    return !owner;
}
