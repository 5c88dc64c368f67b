/*
 * What C takes and C++ refuses, which is what CUDA's compiler compiles: constants without a value, values that a table
 * cannot have, old ways to declare functions.
 */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- values of tables --- */

/* Behind the initialiser whose first token is begin. */
static size_t initialiser_end(const quern_checker *checker, size_t begin)
{
    size_t end = begin;
    while (end < checker->end && !quern_check_is(checker, end, ",") && !quern_check_is(checker, end, ";")) {
        int opens =
            quern_check_is(checker, end, "(") || quern_check_is(checker, end, "[") || quern_check_is(checker, end, "{");
        end = opens && checker->closing[end] < checker->end ? checker->closing[end] + 1 : end + 1;
    }
    return end;
}

void quern_check_table_value(quern_checker *checker, size_t name)
{
    const char *text = checker->tokens[name].text;
    if (!quern_check_next_is(checker, "=")) {
        quern_check_report(checker, name, "table '%s' has no value, and can get none later; wanted '= …' behind it",
                           text);
        return;
    }
    size_t begin = checker->at + 1;
    size_t variable = quern_check_find_variable(checker, begin, initialiser_end(checker, begin));
    if (variable != QUERN_NOWHERE)
        quern_check_report(checker, variable,
                           "the value of table '%s' depends on '%s', which is no constant in every language; wanted "
                           "numbers, enumerators and macros",
                           text, checker->tokens[variable].text);
}

/* A floating number that stands alone, with its sign; NULL when it is something else. */
static const char *lone_number(const quern_checker *checker, size_t begin, size_t end, double *value)
{
    double sign = 1;
    if (begin < end && (quern_check_is(checker, begin, "-") || quern_check_is(checker, begin, "+")))
        sign = quern_check_is(checker, begin++, "-") ? -1 : 1;
    if (begin + 1 != end || checker->tokens[begin].kind != QUERN_TOKEN_NUMBER)
        return NULL;
    const char *text = checker->tokens[begin].text;
    int is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *rest;
    if (!strpbrk(text, is_hexadecimal ? "pP" : ".eE"))
        return NULL;
    *value = sign * strtod(text, &rest);
    return *rest ? NULL : text; /* 1e-60f is a float, and 0 */
}

void quern_check_fits(quern_checker *checker, size_t begin, size_t end, const quern_check_type *type)
{
    double value;
    if (checker->kernel || checker->helper != QUERN_NOWHERE || !type || type->pointers || type->arrays)
        return;
    const char *text = lone_number(checker, begin, end, &value);
    if (!text)
        return;
    if (type->base == QUERN_BASE_FLOAT && value != 0 && (fabs(value) > FLT_MAX || (float)value == 0))
        quern_check_report(checker, begin,
                           "%s is too %s for a float, and CUDA has no such constant; wanted one that fits", text,
                           fabs(value) > 1 ? "large" : "small");
    if (type->base == QUERN_BASE_INTEGER && type->bits &&
        (value <= -ldexp(1, (int)type->bits - 1) - 1 || value >= ldexp(1, (int)type->bits)))
        quern_check_report(checker, begin,
                           "%s is too large for an integer of %u bits, and CUDA has no such constant; wanted one that "
                           "fits",
                           text, type->bits);
}

/* --- constants without a value --- */

static const char *const_field(const quern_check_type *type)
{
    const quern_check_struct *structure = type->pointers ? NULL : type->structure;
    for (size_t i = 0; structure && i < structure->field_count; i++)
        if (structure->fields[i].type.is_const && !structure->fields[i].type.pointers)
            return structure->fields[i].name;
    return NULL;
}

void quern_check_has_value(quern_checker *checker, size_t name, const quern_check_type *type)
{
    const char *text = checker->tokens[name].text, *field = const_field(type);
    if (quern_check_next_is(checker, "="))
        return;
    if (type->is_const && !type->pointers)
        quern_check_report(checker, name, "variable '%s' is const and has no value; wanted '= …' behind it", text);
    else if (field)
        quern_check_report(checker, name, "variable '%s' has a field that is const, '%s', and no value; wanted '= …'",
                           text, field);
}

/* --- lengths --- */

void quern_check_lengths(quern_checker *checker, size_t name, size_t bounds, int is_field)
{
    for (size_t open = bounds; open != QUERN_NOWHERE && quern_check_is(checker, open, "[");
         open = checker->closing[open] + 1) {
        int64_t length;
        size_t close = checker->closing[open];
        if (close >= checker->count)
            return;
        if (is_field && close == open + 1)
            quern_check_report(checker, name, "field '%s' is an array without a length; wanted one",
                               checker->tokens[name].text);
        else if (quern_check_constant(checker, (size_t[2]){open + 1, close}, &length) && length <= 0)
            quern_check_report(checker, name, "array '%s' has %lld elements; wanted 1 or more",
                               checker->tokens[name].text, (long long)length);
    }
}

/* `T name[n] = {…}` with one length, at "=". */
void quern_check_item_count(quern_checker *checker, size_t name, size_t bounds)
{
    size_t braces = checker->at + 1, items[1][2], close = bounds == QUERN_NOWHERE ? 0 : checker->closing[bounds];
    int64_t length;
    if (!close || close + 1 != checker->at || !quern_check_next_is(checker, "=") ||
        !quern_check_is(checker, braces, "{") || checker->closing[braces] >= checker->count ||
        !quern_check_constant(checker, (size_t[2]){bounds + 1, close}, &length))
        return;
    size_t count = quern_check_arguments(checker, braces, items, 1);
    if (count > 0 && quern_check_is(checker, checker->closing[braces] - 1, ","))
        count--;
    if (length > 0 && count > (size_t)length)
        quern_check_report(checker, name, "array '%s' has %lld element%s and gets %zu values; wanted no more than fit",
                           checker->tokens[name].text, (long long)length, length == 1 ? "" : "s", count);
}

/* `T name[] = {}`, at "=". */
void quern_check_has_items(quern_checker *checker, size_t name, const quern_check_type *type)
{
    size_t braces = checker->at + 1;
    if (type->is_open && type->arrays && !type->pointers && quern_check_next_is(checker, "=") &&
        quern_check_is(checker, braces, "{") && quern_check_is(checker, braces + 1, "}"))
        quern_check_report(checker, name,
                           "array '%s' has neither a length nor values; wanted a length, or values in the braces",
                           checker->tokens[name].text);
}

/* --- functions and types --- */

void quern_check_has_type(quern_checker *checker, size_t begin, size_t name)
{
    size_t token = begin;
    while (token < name && quern_word_is_qualifier(checker->tokens[token].text))
        token++;
    if (token == name && quern_check_is_name(checker, name))
        quern_check_report(checker, name, "'%s' has no type; wanted one in front of it, such as int",
                           checker->tokens[name].text);
}

void quern_check_helper_form(quern_checker *checker, size_t name)
{
    if (!quern_check_next_is(checker, ";") && quern_check_starts_type(checker, checker->at))
        quern_check_report(checker, name,
                           "the types of the parameters of helper '%s' stand behind the brackets; wanted them inside",
                           checker->tokens[name].text);
}

void quern_check_argument_count(quern_checker *checker, const quern_signature_helper *helper, size_t token,
                                size_t count)
{
    if (count > 0 && helper->parameters_end == helper->parameters_begin + 1)
        quern_check_report(checker, token, "helper '%s' takes no argument, and gets %zu", helper->name, count);
}

void quern_check_returned(quern_checker *checker, size_t token)
{
    size_t helper = checker->helper;
    if (helper == QUERN_NOWHERE || quern_check_is(checker, token + 1, ";"))
        return;
    size_t symbol = quern_check_find(checker, checker->signature->helpers[helper].name);
    const quern_check_type *type = symbol == QUERN_NOWHERE ? NULL : &checker->symbols[symbol].type;
    if (type && checker->symbols[symbol].kind == QUERN_SYMBOL_HELPER && type->base == QUERN_BASE_VOID &&
        !type->pointers && !quern_check_is(checker, token + 1, "("))
        quern_check_report(checker, token, "helper '%s' gives no result, and returns one; wanted return alone",
                           checker->signature->helpers[helper].name);
}
