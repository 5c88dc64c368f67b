/*
 * Reading what a kernel file declares: one walk over the file scope.
 *
 * The walk goes from record to record and passes over the bodies of whatever else stands at file scope. A fault is
 * reported and the walk goes on behind it, so that an author sees all of them at once.
 */
#include "signature_read.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Kernels are found at file scope only: one inside braces would silently be none. */
static void report_hidden_kernels(quern_signature_reader *reader, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        if ((quern_signature_is(reader, i, "KERNEL") || quern_signature_is(reader, i, "GROUP_KERNEL")) &&
            quern_signature_is(reader, i + 1, "("))
            quern_error_at(reader->diagnostics, &reader->tokens[i],
                           "%s stands inside braces; it belongs to the file scope", reader->tokens[i].text);
}

/* Over a bracket at file scope. */
static size_t skip_brackets(quern_signature_reader *reader, size_t at)
{
    size_t closing = quern_tokens_closing(&reader->signature->tokens, at);
    if (closing >= reader->count) {
        quern_error_at(reader->diagnostics, &reader->tokens[at], "'%s' is not closed", reader->tokens[at].text);
        return reader->count;
    }
    report_hidden_kernels(reader, at, closing);
    return closing + 1;
}

static size_t read_one(quern_signature_reader *reader, size_t at)
{
    int called = quern_signature_is(reader, at + 1, "(");
    if (called && (quern_signature_is(reader, at, "KERNEL") || quern_signature_is(reader, at, "GROUP_KERNEL")))
        return quern_signature_read_kernel(reader, at);
    if (called && quern_signature_is(reader, at, "STRUCT"))
        return quern_signature_read_struct(reader, at);
    if (quern_signature_is(reader, at, "DEVICE"))
        return quern_signature_read_helper(reader, at);
    if (quern_signature_is(reader, at, "typedef"))
        quern_signature_read_typedef(reader, at);
    else if (quern_signature_is(reader, at, "struct"))
        quern_signature_read_tag(reader, at);
    else if (quern_signature_is(reader, at, "enum"))
        quern_signature_read_enum(reader, at);
    else if (quern_signature_is(reader, at, "{") || quern_signature_is(reader, at, "(") ||
             quern_signature_is(reader, at, "["))
        return skip_brackets(reader, at);
    return at + 1;
}

/* gcc writes such characters as \U000000f6, clang as they are. */
static int has_foreign_character(const quern_token *token)
{
    if (quern_token_is(token, "\\"))
        return token[1].kind == QUERN_TOKEN_NAME && (token[1].text[0] == 'U' || token[1].text[0] == 'u');
    for (const char *c = token->kind == QUERN_TOKEN_NAME ? token->text : ""; *c; ++c)
        if (*c & 0x80 || *c == '$')
            return 1;
    return 0;
}

/* Once a line, as a name may have several; 1 when there was one, which leaves nothing else to read. */
static int report_foreign_characters(const quern_token_list *tokens, quern_diagnostics *diagnostics)
{
    const quern_token *last = NULL;
    for (size_t i = 0; i < tokens->count; ++i) {
        const quern_token *token = &tokens->tokens[i];
        if (token->from_system || !has_foreign_character(token) ||
            (last && last->line == token->line && strcmp(last->file, token->file) == 0))
            continue;
        quern_error_at(diagnostics, token,
                       "a name has a character that is none of a to z, A to Z, 0 to 9 and _, which not every language "
                       "takes; wanted only these");
        last = token;
    }
    return last != NULL;
}

quern_status quern_signature_read(quern_token_list tokens, quern_signature *signature, quern_diagnostics *diagnostics)
{
    *signature = (quern_signature){0};
    signature->tokens = tokens;
    quern_arena *arena = calloc(1, sizeof *arena);
    if (!arena) {
        quern_tokens_free(&signature->tokens);
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the kernels' signatures are read");
    }
    signature->storage = arena;
    quern_signature_reader reader = {.signature = signature,
                                     .tokens = tokens.tokens,
                                     .count = tokens.count,
                                     .diagnostics = diagnostics,
                                     .arena = arena};
    int is_readable = !report_foreign_characters(&signature->tokens, diagnostics);
    for (size_t at = 0; is_readable && at < reader.count && !reader.out_of_memory;)
        at = read_one(&reader, at);
    if (reader.out_of_memory || diagnostics->out_of_memory) {
        quern_signature_free(signature);
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the kernels' signatures are read");
    }
    return QUERN_SUCCESS;
}

void quern_signature_free(quern_signature *signature)
{
    if (signature->storage)
        quern_arena_free(signature->storage);
    free(signature->storage);
    quern_tokens_free(&signature->tokens);
    *signature = (quern_signature){0};
}
