/* The reading position, nesting, and the names that are declared where it stands. */
#include "check.h"

#include <string.h>

/* Deeper than any kernel, and shallow enough for a small stack. */
enum { DEEPEST = 200 };

int quern_check_is(const quern_checker *checker, size_t token, const char *text)
{
    return token < checker->count && quern_token_is(&checker->tokens[token], text);
}

int quern_check_is_name(const quern_checker *checker, size_t token)
{
    return token < checker->count && checker->tokens[token].kind == QUERN_TOKEN_NAME;
}

const quern_token *quern_check_peek(const quern_checker *checker, size_t ahead)
{
    size_t left = checker->at < checker->end ? checker->end - checker->at : 0;
    return &checker->tokens[ahead < left ? checker->at + ahead : checker->count];
}

int quern_check_next_is(const quern_checker *checker, const char *text)
{
    return checker->at < checker->end && quern_check_is(checker, checker->at, text);
}

int quern_check_accept(quern_checker *checker, const char *text)
{
    if (!quern_check_next_is(checker, text))
        return 0;
    checker->at++;
    return 1;
}

size_t quern_check_arguments(const quern_checker *checker, size_t open, size_t (*arguments)[2], size_t limit)
{
    size_t close = checker->closing[open], count = 0;
    if (close <= open + 1)
        return 0;
    size_t begin = open + 1;
    for (size_t i = begin; i <= close; i++) {
        if (i == close || quern_check_is(checker, i, ",")) {
            if (count < limit) {
                arguments[count][0] = begin;
                arguments[count][1] = i;
            }
            count++;
            begin = i + 1;
        } else if (checker->closing[i] < close && checker->closing[i] > i) {
            i = checker->closing[i];
        }
    }
    return count;
}

int quern_check_enter(quern_checker *checker)
{
    if (checker->depth >= DEEPEST)
        return 0;
    checker->depth++;
    return 1;
}

void quern_check_leave(quern_checker *checker)
{
    checker->depth--;
}

size_t quern_check_find(const quern_checker *checker, const char *name)
{
    for (size_t i = checker->symbol_count; i > 0; i--)
        if (checker->symbols[i - 1].name[0] == name[0] && strcmp(checker->symbols[i - 1].name, name) == 0)
            return i - 1;
    return QUERN_NOWHERE;
}

quern_check_symbol *quern_check_declare(quern_checker *checker, const char *name, quern_check_symbol_kind kind,
                                        size_t where, quern_check_type type)
{
    void *symbols = checker->symbols;
    if (!quern_check_grow(checker, &symbols, checker->symbol_count, &checker->symbol_capacity,
                          sizeof *checker->symbols))
        return NULL;
    checker->symbols = symbols;
    quern_check_symbol *symbol = &checker->symbols[checker->symbol_count++];
    memset(symbol, 0, sizeof *symbol);
    symbol->name = name;
    symbol->kind = kind;
    symbol->where = where;
    symbol->type = type;
    symbol->region = checker->region;
    symbol->helper = QUERN_NOWHERE;
    return symbol;
}

void quern_check_declared_name(quern_checker *checker, size_t token, const char *what)
{
    if (!quern_check_is_name(checker, token))
        return;
    const char *name = checker->tokens[token].text;
    const char *taken = quern_word_reserved(name);
    if (!taken && quern_word_is_type(name))
        taken = "the name of a type";
    if (!taken && strncmp(name, "__", 2) == 0)
        taken = "reserved for the compilers, as are all names that begin with two underscores";
    if (taken)
        quern_check_report(checker, token, "%s cannot be '%s': that is %s", what, name, taken);
}
