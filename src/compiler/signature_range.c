/* Pieces of the token list: arguments between commas, and their text. */
#include "signature_read.h"

#include <string.h>

int quern_signature_is(const quern_signature_reader *reader, size_t i, const char *text)
{
    return i < reader->count && quern_token_is(&reader->tokens[i], text);
}

int quern_signature_is_name(const quern_signature_reader *reader, size_t i)
{
    return i < reader->count && reader->tokens[i].kind == QUERN_TOKEN_NAME;
}

int quern_signature_next_argument(const quern_signature_reader *reader, quern_token_range *range, int *more,
                                  quern_token_range *argument)
{
    if (!*more)
        return 0;
    *argument = *range;
    for (size_t i = range->begin; i < range->end; ++i) {
        if (quern_signature_is(reader, i, ",")) {
            argument->end = i;
            range->begin = i + 1;
            return 1;
        }
        if (quern_signature_is(reader, i, "(") || quern_signature_is(reader, i, "[") ||
            quern_signature_is(reader, i, "{")) {
            size_t closing = quern_tokens_closing(&reader->signature->tokens, i);
            i = closing < range->end ? closing : i;
        }
    }
    *more = 0;
    return 1;
}

const char *quern_signature_join(quern_signature_reader *reader, quern_token_range range)
{
    size_t length = 1;
    for (size_t i = range.begin; i < range.end; ++i)
        length += strlen(reader->tokens[i].text) + 1;
    char *joined = quern_arena_take(reader->arena, length), *end = joined;
    if (!joined) {
        reader->out_of_memory = 1;
        return "";
    }
    for (size_t i = range.begin; i < range.end; ++i) {
        size_t size = strlen(reader->tokens[i].text);
        if (i > range.begin)
            *end++ = ' ';
        memcpy(end, reader->tokens[i].text, size);
        end += size;
    }
    *end = '\0';
    return joined;
}

void *quern_signature_append(quern_signature_reader *reader, void *array, size_t *count, size_t size)
{
    char *grown = quern_arena_grow(reader->arena, array, *count, size);
    if (!grown) {
        reader->out_of_memory = 1;
        return NULL;
    }
    memset(grown + *count * size, 0, size);
    ++*count;
    return grown;
}
