/*
 * Types that are defined where C++ lets none be defined: inside brackets, as sizeof, casts and parameters have them; as
 * the result of a helper; within another struct, when they are used outside of it.
 */
#include "check.h"

/* The "{" of a struct, union or enum that is defined at the token; QUERN_NOWHERE when none is. */
static size_t definition_at(const quern_checker *checker, size_t token)
{
    if (!quern_check_is(checker, token, "struct") && !quern_check_is(checker, token, "union") &&
        !quern_check_is(checker, token, "enum"))
        return QUERN_NOWHERE;
    size_t open = token + (quern_check_is_name(checker, token + 1) ? 2 : 1);
    return quern_check_is(checker, open, "{") ? open : QUERN_NOWHERE;
}

/* The token behind this one and, when it opens a bracket, behind the other end. */
static size_t behind(const quern_checker *checker, size_t token)
{
    int opens = quern_check_is(checker, token, "(") || quern_check_is(checker, token, "[") ||
                quern_check_is(checker, token, "{");
    return (opens && checker->closing[token] < checker->count ? checker->closing[token] : token) + 1;
}

static void report(quern_checker *checker, size_t token, const char *place)
{
    const char *name = quern_check_is_name(checker, token + 1) ? checker->tokens[token + 1].text : NULL;
    quern_check_report(checker, token, "%s%s%s%s%s is defined %s, where C++ lets none be; wanted it at file scope",
                       name                                     ? ""
                       : quern_check_is(checker, token, "enum") ? "an "
                                                                : "a ",
                       checker->tokens[token].text, name ? " '" : "", name ? name : "", name ? "'" : "", place);
}

static void check_brackets(quern_checker *checker, size_t open)
{
    for (size_t i = open + 1; i < checker->closing[open]; i = behind(checker, i))
        if (definition_at(checker, i) != QUERN_NOWHERE)
            report(checker, i, "inside brackets");
}

/* Uses of a tag that is defined at the token, behind the type that it is defined in. */
static void check_uses(quern_checker *checker, size_t token, size_t end)
{
    const char *word = checker->tokens[token].text, *tag = checker->tokens[token + 1].text;
    for (size_t i = end; i < checker->count; i++)
        if (quern_check_is(checker, i, word) && quern_check_is(checker, i + 1, tag) &&
            definition_at(checker, i) == QUERN_NOWHERE)
            quern_check_report(checker, i,
                               "%s '%s' is defined within another type, outside of which C++ has none of that name; "
                               "wanted it at file scope",
                               word, tag);
}

/* At the "{" of a struct or union. */
static void check_fields(quern_checker *checker, size_t open)
{
    for (size_t i = open + 1; i < checker->closing[open]; i = behind(checker, i))
        if (definition_at(checker, i) != QUERN_NOWHERE && quern_check_is_name(checker, i + 1))
            check_uses(checker, i, checker->closing[open]);
}

/* At DEVICE. */
static void check_result(quern_checker *checker, size_t token)
{
    for (size_t i = token + 1; i < checker->count; i = behind(checker, i)) {
        if (quern_check_is(checker, i, "(") || quern_check_is(checker, i, ";"))
            return;
        if (definition_at(checker, i) != QUERN_NOWHERE)
            report(checker, i, "as the result of a helper");
    }
}

void quern_check_definitions(quern_checker *checker)
{
    for (size_t i = 0; i < checker->count; i++) {
        if (quern_check_is_foreign(checker, i))
            continue;
        size_t fields = definition_at(checker, i);
        if (quern_check_is(checker, i, "(") && checker->closing[i] < checker->count)
            check_brackets(checker, i);
        else if (fields != QUERN_NOWHERE && checker->closing[fields] < checker->count &&
                 !quern_check_is(checker, i, "enum"))
            check_fields(checker, fields);
        else if (quern_check_is(checker, i, "DEVICE"))
            check_result(checker, i);
    }
}
