/* LOCAL, PRIVATE and READ_UNIFORM: where they may stand, what they declare, how large it is. */
#include "check.h"

#include "base/error.h"

#include <string.h>

static size_t first_name(const quern_checker *checker, const size_t range[2])
{
    for (size_t i = range[0]; i < range[1]; i++)
        if (quern_check_is_name(checker, i))
            return i;
    return QUERN_NOWHERE;
}

/* The place where the word may stand; its name is declared in any case, so that nothing follows from a fault. */
static void check_position(quern_checker *checker, size_t token, const char *word, const char *name)
{
    if (checker->helper != QUERN_NOWHERE)
        quern_check_report(checker, token, "%s '%s' stands in helper '%s'; wanted it in a GROUP_KERNEL", word, name,
                           checker->signature->helpers[checker->helper].name);
    else if (checker->kernel && !checker->kernel->is_group)
        quern_check_report(checker, token,
                           "%s '%s' stands in '%s', which is a KERNEL and has no groups; wanted a GROUP_KERNEL", word,
                           name, checker->kernel->name);
    else if (checker->region != QUERN_NOWHERE)
        quern_check_report(checker, token, "%s '%s' stands inside %s; wanted it %s", word, name,
                           checker->tokens[checker->region].text,
                           word[0] == 'R' ? "between two phases" : "at the kernel's outermost level");
    else if (word[0] != 'R' && (checker->block_depth != 1 || checker->frame))
        quern_check_report(checker, token,
                           "%s '%s' stands in an inner block; wanted it at the kernel's outermost level", word, name);
    else if (word[0] == 'R')
        quern_check_barrier_position(checker, token);
}

static void check_element_type(quern_checker *checker, size_t name, const quern_check_type *type)
{
    const char *barred = quern_check_barred_type(type);
    if (barred)
        quern_check_report(
            checker, name,
            "LOCAL '%s' has elements with %s%s, whose size is not the same on every device; wanted fixed-width "
            "integers, char, short, int, float, double, and structs and arrays of these",
            checker->tokens[name].text, type->pointers ? "" : "type ", barred);
}

/* --- how large LOCAL arrays are --- */

enum { LARGEST = 262144 }; /* bytes, of one array and of all of a kernel */

static void check_size(quern_checker *checker, size_t name, const size_t length[2], const quern_check_type *type)
{
    int64_t count, bytes, size = quern_check_type_size(type), before = checker->local_bytes;
    const char *text = checker->tokens[name].text;
    if (!quern_check_constant(checker, length, &count))
        return;
    if (count <= 0) {
        quern_check_report(checker, length[0], "LOCAL '%s' has %lld elements; wanted 1 or more", text,
                           (long long)count);
        return;
    }
    if (!size)
        size = 1; /* of a type that is not known, at least that */
    if (quern_multiply_overflows(count, size, &bytes) || bytes > LARGEST) {
        quern_check_report(checker, length[0],
                           "LOCAL '%s' has %lld elements of %s%lld byte%s; wanted no more than %d bytes in an array",
                           text, (long long)count, quern_check_type_size(type) ? "" : "at least ", (long long)size,
                           size == 1 ? "" : "s", (int)LARGEST);
        return;
    }
    checker->local_bytes += bytes;
    if (before <= LARGEST && checker->local_bytes > LARGEST && checker->kernel)
        quern_check_report(checker, name,
                           "the LOCAL arrays of '%s' take %lld bytes with '%s'; wanted no more than %d in all",
                           checker->kernel->name, (long long)checker->local_bytes, text, (int)LARGEST);
}

static void check_local(quern_checker *checker, size_t name, const size_t length[2], const quern_check_type *type)
{
    size_t variable = quern_check_find_variable(checker, length[0], length[1]);
    if (variable != QUERN_NOWHERE)
        quern_check_report(checker, variable,
                           "the length of LOCAL '%s' depends on '%s', which is no constant; wanted a constant, or a "
                           "local parameter, whose length the launch gives",
                           checker->tokens[name].text, checker->tokens[variable].text);
    else
        check_size(checker, name, length, type);
}

/* --- the words --- */

static const struct {
    const char *word;
    size_t arguments;
    const char *form;
} forms[] = {{"LOCAL", 3, "LOCAL(T, name, n)"},
             {"PRIVATE", 2, "PRIVATE(T, name)"},
             {"READ_UNIFORM", 3, "READ_UNIFORM(T, v, expression)"}};

static void check_form(quern_checker *checker, size_t token, size_t count)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (quern_check_is(checker, token, forms[i].word) && count != forms[i].arguments)
            quern_check_report(checker, token, "%s has %zu argument%s; wanted %s", forms[i].word, count,
                               count == 1 ? "" : "s", forms[i].form);
}

void quern_check_memory(quern_checker *checker)
{
    size_t token = checker->at;
    const char *word = checker->tokens[token].text;
    size_t arguments[4][2] = {{0}};
    checker->at++;
    if (!quern_check_next_is(checker, "(")) {
        check_form(checker, token, 0);
        return;
    }
    size_t count = quern_check_arguments(checker, checker->at, arguments, 4), close = checker->closing[checker->at];
    checker->at = close < checker->end ? close + 1 : checker->end;
    check_form(checker, token, count);
    size_t name = count >= 2 ? first_name(checker, arguments[1]) : QUERN_NOWHERE;
    if (name == QUERN_NOWHERE)
        return;
    size_t after = checker->at, outer_end = checker->end;
    checker->at = arguments[0][0];
    checker->end = arguments[0][1];
    quern_check_type type = {0};
    if (quern_check_read_type(checker, &type))
        while (quern_check_accept(checker, "*"))
            type.pointers++;
    checker->at = after;
    checker->end = outer_end;
    quern_check_declared_name(checker, name, "a variable");
    check_position(checker, token, word, checker->tokens[name].text);
    quern_check_symbol_kind kind = QUERN_SYMBOL_VARIABLE;
    if (strcmp(word, "LOCAL") != 0)
        quern_check_variable_type(checker, name, &type);
    if (strcmp(word, "LOCAL") == 0) {
        kind = QUERN_SYMBOL_LOCAL;
        check_element_type(checker, name, &type);
        if (count == 3)
            check_local(checker, name, arguments[2], &type);
        type.arrays++;
    } else if (strcmp(word, "PRIVATE") == 0) {
        kind = QUERN_SYMBOL_PRIVATE;
        type.arrays += quern_check_is(checker, name + 1, "[") ? 1 : 0;
    } else if (count >= 3) {
        quern_check_value value = quern_check_range_expression(
            checker, (size_t[2]){arguments[2][0], arguments[count < 4 ? count - 1 : 3][1]});
        quern_check_mark_cause(checker, name, value.cause);
    }
    quern_check_declare(checker, checker->tokens[name].text, kind, name, type);
}
