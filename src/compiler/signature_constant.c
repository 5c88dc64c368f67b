/*
 * Integer constant expressions in group sizes, ranks and array lengths.
 *
 * Numbers are signed 64-bit ones, whatever their suffix: no sensible size depends on more. What overflows is no
 * constant.
 */
#include "signature_read.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct expression {
    const quern_signature_reader *reader;
    size_t at, end;
    int depth;
    int bad;
} expression;

enum { DEEPEST = 200 };

static int64_t read_choice(expression *e);

static int accept(expression *e, const char *text)
{
    if (e->at < e->end && quern_signature_is(e->reader, e->at, text)) {
        ++e->at;
        return 1;
    }
    return 0;
}

static int64_t fail(expression *e)
{
    e->bad = 1;
    return 0;
}

static int64_t read_number(expression *e, const char *text)
{
    char *end;
    int binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    errno = 0;
    long long value = strtoll(binary ? text + 2 : text, &end, binary ? 2 : 0);
    if (errno || end == text || strspn(end, "uUlL") != strlen(end))
        return fail(e);
    return value;
}

static int64_t read_primary(expression *e)
{
    if (e->at >= e->end)
        return fail(e);
    if (accept(e, "(")) {
        int64_t value = read_choice(e);
        return accept(e, ")") ? value : fail(e);
    }
    const quern_token *token = &e->reader->tokens[e->at++];
    if (token->kind == QUERN_TOKEN_NUMBER)
        return read_number(e, token->text);
    if (token->kind == QUERN_TOKEN_NAME)
        for (size_t i = 0; i < e->reader->enumerator_count; ++i)
            if (strcmp(e->reader->enumerators[i].name, token->text) == 0)
                return e->reader->enumerators[i].value;
    return fail(e);
}

static int64_t read_unary(expression *e)
{
    int64_t value;
    if (++e->depth > DEEPEST)
        return fail(e);
    if (accept(e, "-")) {
        if (__builtin_sub_overflow((int64_t)0, read_unary(e), &value))
            value = fail(e);
    } else if (accept(e, "+")) {
        value = read_unary(e);
    } else if (accept(e, "~")) {
        value = ~read_unary(e);
    } else if (accept(e, "!")) {
        value = !read_unary(e);
    } else {
        value = read_primary(e);
    }
    --e->depth;
    return value;
}

static int64_t shift_left(expression *e, int64_t a, int64_t b)
{
    int64_t value;
    if (a < 0 || b < 0 || b > 62 || quern_multiply_overflows(a, (int64_t)1 << b, &value))
        return fail(e);
    return value;
}

static int64_t apply(expression *e, const char *operator, int64_t a, int64_t b)
{
    int64_t value = 0;
    switch (operator[0]) {
    case '*':
        return quern_multiply_overflows(a, b, &value) ? fail(e) : value;
    case '/':
        return b == 0 || (a == INT64_MIN && b == -1) ? fail(e) : a / b;
    case '%':
        return b == 0 || (a == INT64_MIN && b == -1) ? fail(e) : a % b;
    case '+':
        return quern_add_overflows(a, b, &value) ? fail(e) : value;
    case '-':
        return __builtin_sub_overflow(a, b, &value) ? fail(e) : value;
    case '<':
        if (operator[1] == '<')
            return shift_left(e, a, b);
        return operator[1] == '=' ? a <= b : a<b;
    case '>':
        if (operator[1] == '>')
            return a < 0 || b < 0 || b > 62 ? fail(e) : a >> b;
        return operator[1] == '=' ? a >= b : a> b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '&':
        return operator[1] ? a && b : (a &b);
    case '^':
        return a ^ b;
    default:
        return operator[1] ? a || b : (a | b);
    }
}

static int64_t read_binary(expression *e, int level)
{
    /* By how tightly they bind, loosest first; each row ends with NULL. */
    static const char *const levels[][5] = {
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == (int)(sizeof levels / sizeof levels[0]))
        return read_unary(e);
    int64_t value = read_binary(e, level + 1);
    for (int i = 0; !e->bad && levels[level][i];)
        if (accept(e, levels[level][i])) {
            value = apply(e, levels[level][i], value, read_binary(e, level + 1));
            i = 0;
        } else {
            ++i;
        }
    return value;
}

/* a ? b : c */
static int64_t read_choice(expression *e)
{
    int64_t value = 0;
    if (++e->depth > DEEPEST)
        return fail(e);
    value = read_binary(e, 0);
    if (accept(e, "?")) {
        int64_t yes = read_choice(e);
        int64_t no = accept(e, ":") ? read_choice(e) : fail(e);
        value = value ? yes : no;
    }
    --e->depth;
    return value;
}

int quern_signature_constant(const quern_signature_reader *reader, quern_token_range range, int64_t *value)
{
    expression e = {reader, range.begin, range.end, 0, 0};
    *value = read_choice(&e);
    return !e.bad && e.at == e.end;
}
