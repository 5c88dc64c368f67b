/* Integer constants: what keeps an expression from being one, and its value. */
#include "check.h"

#include "base/error.h"
#include "signature_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t quern_check_find_variable(const quern_checker *checker, size_t begin, size_t end)
{
    static const char *const never[] = {
        "GROUP_ID", "GROUP_ID_Y", "GROUP_ID_Z", "GROUPS",   "GROUPS_Y", "GROUPS_Z",     "RANGE",       "RANGE_Y",
        "RANGE_Z",  "GLOBAL",     "GLOBAL_Y",   "GLOBAL_Z", "EXTENT",   "GROUP_LINEAR", "ITEM_LINEAR", "GLOBAL_LINEAR"};
    const quern_signature_kernel *kernel = checker->kernel;
    for (size_t i = begin; i < end; i++) {
        if (quern_check_is(checker, i, "sizeof")) { /* its operand is not evaluated */
            if (quern_check_is(checker, i + 1, "(") && checker->closing[i + 1] < end)
                i = checker->closing[i + 1];
            else
                i++;
            continue;
        }
        if (!quern_check_is_name(checker, i) || quern_check_is(checker, i - 1, ".") ||
            quern_check_is(checker, i - 1, "->"))
            continue;
        const char *name = checker->tokens[i].text;
        size_t symbol = quern_check_find(checker, name);
        if (symbol != QUERN_NOWHERE) {
            quern_check_symbol_kind kind = checker->symbols[symbol].kind;
            if (kind != QUERN_SYMBOL_ENUMERATOR && kind != QUERN_SYMBOL_TYPE)
                return i;
            continue;
        }
        for (size_t k = 0; k < sizeof never / sizeof never[0]; k++)
            if (strcmp(name, never[k]) == 0)
                return i;
        if (!kernel || !kernel->is_group || kernel->group_rank < 1 || kernel->group_rank > 3)
            continue;
        unsigned rank = kernel->group_rank;
        int any_size = 0;
        for (unsigned d = 0; d < rank; d++)
            any_size |= kernel->group[d] == 0;
        if ((strcmp(name, "GROUP_SIZE") == 0 && kernel->group[rank - 1] == 0) ||
            (strcmp(name, "GROUP_SIZE_Y") == 0 && rank >= 2 && kernel->group[rank - 2] == 0) ||
            (strcmp(name, "GROUP_SIZE_Z") == 0 && rank >= 3 && kernel->group[0] == 0) ||
            (strcmp(name, "GROUP_ITEMS") == 0 && any_size))
            return i;
    }
    return QUERN_NOWHERE;
}

/* --- values --- */

enum { MOST_TOKENS = 64, NUMBER_SIZE = 24 };

/* The tokens of an expression, its names replaced by numbers. */
typedef struct numbers {
    quern_token tokens[MOST_TOKENS + 1];
    char texts[MOST_TOKENS][NUMBER_SIZE];
    size_t count;
} numbers;

int64_t quern_check_type_size(const quern_check_type *type)
{
    if (type->pointers || type->arrays)
        return 0;
    switch (type->base) {
    case QUERN_BASE_INTEGER:
        return type->bits / 8;
    case QUERN_BASE_FLOAT:
        return 4;
    case QUERN_BASE_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

/* What GROUP_SIZE and its kin are in a group of constant size; 0 for any other name, and for ANY. */
static int64_t group_number(const quern_signature_kernel *kernel, const char *name)
{
    if (!kernel || !kernel->is_group || kernel->group_rank < 1 || kernel->group_rank > 3)
        return 0;
    int64_t items = 1;
    for (unsigned d = 0; d < kernel->group_rank; d++)
        if (quern_multiply_overflows(items, (int64_t)kernel->group[d], &items))
            return 0;
    static const char *const sizes[] = {"GROUP_SIZE", "GROUP_SIZE_Y", "GROUP_SIZE_Z"};
    for (unsigned d = 0; d < 3; d++)
        if (strcmp(name, sizes[d]) == 0)
            return d < kernel->group_rank ? (int64_t)kernel->group[kernel->group_rank - 1 - d] : 1;
    return strcmp(name, "GROUP_ITEMS") == 0 ? items : 0;
}

/* 1 when the name has a value; it is then in *value. */
static int name_number(const quern_checker *checker, const char *name, int64_t *value)
{
    size_t symbol = quern_check_find(checker, name);
    if (symbol != QUERN_NOWHERE) {
        *value = checker->symbols[symbol].number;
        return checker->symbols[symbol].kind == QUERN_SYMBOL_ENUMERATOR && checker->symbols[symbol].has_number;
    }
    *value = group_number(checker->kernel, name);
    return *value > 0;
}

/* At "sizeof": of a number's type in brackets. Gives the token behind it, or QUERN_NOWHERE. */
static size_t read_sizeof(const quern_checker *checker, size_t at, size_t end, int64_t *value)
{
    size_t close = quern_check_is(checker, at + 1, "(") ? checker->closing[at + 1] : end;
    if (close >= end || !quern_check_starts_type(checker, at + 2))
        return QUERN_NOWHERE;
    char text[256] = "";
    for (size_t i = at + 2; i < close; i++) {
        size_t length = strlen(text);
        if (!quern_check_is_name(checker, i) || snprintf(text + length, sizeof text - length, "%s%s", length ? " " : "",
                                                         checker->tokens[i].text) >= (int)(sizeof text - length))
            return QUERN_NOWHERE;
    }
    quern_check_type type = quern_check_type_of_text(checker, text);
    *value = quern_check_type_size(&type);
    return *value ? close + 1 : QUERN_NOWHERE;
}

static int replace_names(const quern_checker *checker, size_t begin, size_t end, numbers *into)
{
    into->count = 0;
    for (size_t i = begin; i < end;) {
        if (into->count == MOST_TOKENS)
            return 0;
        quern_token *token = &into->tokens[into->count];
        int64_t value;
        size_t next = i + 1;
        *token = checker->tokens[i];
        if (quern_check_is(checker, i, "sizeof")) {
            next = read_sizeof(checker, i, end, &value);
            if (next == QUERN_NOWHERE)
                return 0;
        } else if (token->kind != QUERN_TOKEN_NAME) {
            into->count++;
            i = next;
            continue;
        } else if (!name_number(checker, token->text, &value)) {
            return 0;
        }
        /* A negative enumerator is no token by itself; lengths have no need of it. */
        if (value < 0)
            return 0;
        snprintf(into->texts[into->count], NUMBER_SIZE, "%" PRId64, value);
        token->kind = QUERN_TOKEN_NUMBER;
        token->text = into->texts[into->count++];
        i = next;
    }
    into->tokens[into->count] = (quern_token){QUERN_TOKEN_END, "", "", 0, 0};
    return into->count > 0;
}

int quern_check_constant(const quern_checker *checker, const size_t range[2], int64_t *value)
{
    numbers found;
    if (!replace_names(checker, range[0], range[1], &found))
        return 0;
    quern_signature_reader reader = {.tokens = found.tokens, .count = found.count};
    return quern_signature_constant(&reader, (quern_token_range){0, found.count}, value);
}
