/*
 * PRINT: its format and the arguments that go with it.
 *
 * Allowed is what the printf of C, of OpenCL C 1.2 and of CUDA have in common, so that a conversion takes the same
 * number of bits in all three. With anything else one of them prints something else, or fails when the kernel is
 * launched, and no compiler says so.
 */
#include "check_call.h"
#include "check_format.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PRINTED = 32, WORD_SIZE = 96, WANTED_SIZE = 160 }; /* CUDA takes so many arguments behind the format */

static const char integer_letters[] = "diouxXc", float_letters[] = "feEgGaA";

static int is_among(const char *letters, char letter)
{
    return letter && strchr(letters, letter);
}

/* --- what an argument is --- */

/* The literals among the tokens, without brackets around them; 0 when anything else is there. */
static int find_text(const quern_checker *checker, const size_t range[2], size_t text[2])
{
    text[0] = range[0];
    text[1] = range[1];
    while (text[0] < text[1] && quern_check_is(checker, text[0], "(") && checker->closing[text[0]] + 1 == text[1]) {
        text[0]++;
        text[1]--;
    }
    for (size_t i = text[0]; i < text[1]; i++)
        if (checker->tokens[i].kind != QUERN_TOKEN_STRING)
            return 0;
    return text[0] < text[1];
}

typedef enum argument_kind {
    ARGUMENT_UNKNOWN = 0,
    ARGUMENT_INTEGER, /* of up to 32 bits */
    ARGUMENT_WIDE,    /* of 64 bits */
    ARGUMENT_VARYING, /* of a width that the device decides */
    ARGUMENT_FLOAT,   /* a float or a double */
    ARGUMENT_STRING,  /* a literal */
    ARGUMENT_OTHER    /* nothing that a conversion prints */
} argument_kind;

static argument_kind kind_of(const quern_checker *checker, const size_t range[2], const quern_check_value *value)
{
    const quern_check_type *type = &value->type;
    size_t text[2];
    if (find_text(checker, range, text))
        return ARGUMENT_STRING;
    if (value->address || type->pointers || type->arrays || type->base == QUERN_BASE_STRUCT)
        return ARGUMENT_OTHER;
    if (type->base == QUERN_BASE_FLOAT || type->base == QUERN_BASE_DOUBLE)
        return ARGUMENT_FLOAT;
    if (type->base != QUERN_BASE_INTEGER)
        return ARGUMENT_UNKNOWN;
    unsigned bits = quern_check_integer_bits(type);
    if (bits)
        return bits == 64 ? ARGUMENT_WIDE : ARGUMENT_INTEGER;
    return quern_check_varying_type(type) ? ARGUMENT_VARYING : ARGUMENT_UNKNOWN;
}

/* "a float" */
static const char *describe(argument_kind kind, const quern_check_value *value, char *word)
{
    const quern_check_type *type = &value->type;
    switch (kind) {
    case ARGUMENT_INTEGER:
    case ARGUMENT_WIDE:
        snprintf(word, WORD_SIZE, "an integer of %u bits", quern_check_integer_bits(type));
        return word;
    case ARGUMENT_VARYING:
        snprintf(word, WORD_SIZE, "a %s, whose width differs between devices", quern_check_varying_type(type));
        return word;
    case ARGUMENT_FLOAT:
        return type->base == QUERN_BASE_FLOAT ? "a float" : "a double";
    case ARGUMENT_STRING:
        return "a string";
    case ARGUMENT_OTHER:
        return type->arrays && !value->address ? "an array" : type->pointers ? "an address" : "a struct";
    default:
        return "of another type";
    }
}

/* --- what prints it --- */

static const char *find_wanted(argument_kind kind, char letter, char *wanted)
{
    char integer = is_among("diouxX", letter) ? letter : 'd';
    char floating = is_among(float_letters, letter) ? letter : letter == 'F' ? 'f' : 'g';
    const char *sign = is_among("di", integer) ? "" : "u";
    switch (kind) {
    case ARGUMENT_INTEGER:
        snprintf(wanted, WANTED_SIZE, "%%%c", integer);
        break;
    case ARGUMENT_WIDE:
        snprintf(wanted, WANTED_SIZE, "%%l%c", integer);
        break;
    case ARGUMENT_VARYING:
        snprintf(wanted, WANTED_SIZE, "a cast to %sint64_t and %%l%c, or to %sint32_t and %%%c", sign, integer, sign,
                 integer);
        break;
    case ARGUMENT_FLOAT:
        snprintf(wanted, WANTED_SIZE, "%%%c", floating);
        break;
    case ARGUMENT_STRING:
        return "%s";
    case ARGUMENT_OTHER:
        return "a number";
    default:
        if (is_among("fFeEgGaA", letter))
            snprintf(wanted, WANTED_SIZE, "%%%c, for floats and doubles", floating);
        else
            snprintf(wanted, WANTED_SIZE, "%%%c for up to 32 bits, %%l%c for 64", integer, integer);
    }
    return wanted;
}

static int takes(const quern_check_conversion *conversion, argument_kind kind)
{
    if (conversion->letter == 's')
        return kind == ARGUMENT_STRING;
    if (kind == ARGUMENT_UNKNOWN)
        return 1;
    if (is_among(float_letters, conversion->letter))
        return kind == ARGUMENT_FLOAT;
    return kind == (conversion->length[0] ? ARGUMENT_WIDE : ARGUMENT_INTEGER);
}

static const char *taken(const quern_check_conversion *conversion)
{
    if (conversion->letter == 's')
        return "a string literal";
    if (is_among(float_letters, conversion->letter))
        return "a float or a double";
    return conversion->length[0] ? "an integer of 64 bits" : "an integer of up to 32 bits";
}

/* --- one conversion --- */

/* Why it is none of the dialect; NULL when it is one. */
static const char *find_fault(const quern_check_conversion *conversion)
{
    char letter = conversion->letter;
    int is_integer = is_among(integer_letters, letter);
    if (letter == 'n')
        return "writes to memory, which not every language can";
    if (letter == 'p')
        return "prints an address, which differs between devices and from run to run";
    if (!is_integer && !is_among(float_letters, letter) && letter != 's')
        return "is no conversion that every language has";
    if (conversion->has_local_flag)
        return "has a flag that not every language has";
    if (!conversion->length[0] || (strcmp(conversion->length, "l") == 0 && is_integer && letter != 'c'))
        return NULL;
    return "has a length that not every language has";
}

/* The argument with this number, from 0, goes with the conversion. */
static void check_argument(quern_checker *checker, const quern_check_made *made, size_t number,
                           const quern_check_conversion *conversion, const quern_check_value *value)
{
    char word[WORD_SIZE], wanted[WANTED_SIZE];
    argument_kind kind = kind_of(checker, made->ranges[number], value);
    const char *fault = find_fault(conversion);
    if (fault)
        quern_check_report(checker, conversion->token, "%s in PRINT %s%s%s; wanted %s", conversion->text, fault,
                           kind ? ", and its argument is " : "", kind ? describe(kind, value, word) : "",
                           find_wanted(kind, conversion->letter, wanted));
    else if (!takes(conversion, kind))
        quern_check_report(checker, made->ranges[number][0], "argument %zu of PRINT is %s, but %s takes %s; wanted %s",
                           number + 1, describe(kind, value, word), conversion->text, taken(conversion),
                           kind ? find_wanted(kind, conversion->letter, wanted) : "a literal");
}

/* The conversions that none of the arguments can go with; 1 when the others pair with them in order. */
static int check_conversions(quern_checker *checker, const quern_check_conversion *conversions, size_t count)
{
    int are_in_order = 1;
    for (size_t i = 0; i < count; i++) {
        const quern_check_conversion *at = &conversions[i];
        if (at->has_star)
            quern_check_report(checker, at->token,
                               "%s in PRINT takes a width or a precision from an argument, which not every language "
                               "can; wanted a number",
                               at->text);
        else if (at->largest > QUERN_LARGEST_WIDTH)
            quern_check_report(checker, at->token,
                               "%s in PRINT has a width or a precision that not every language can; wanted at most %d",
                               at->text, QUERN_LARGEST_WIDTH);
        else if (!at->letter)
            quern_check_report(checker, at->token,
                               "%s in PRINT is no conversion; wanted %%%% where a %% is to be printed", at->text);
        are_in_order &= at->letter && !at->has_star;
    }
    return are_in_order;
}

/* --- the call --- */

static void check_count(quern_checker *checker, const quern_check_made *made, const quern_check_conversion *conversions,
                        size_t count)
{
    size_t given = made->count - 1;
    if (given < count)
        quern_check_report(checker, conversions[given].token,
                           "%s in PRINT has no argument; wanted %zu behind the format", conversions[given].text, count);
    else if (given > count)
        quern_check_report(checker, made->ranges[count + 1][0],
                           "argument %zu of PRINT has no conversion in the format; wanted one for each", count + 2);
}

/* The format's conversions; 0 when they cannot be told, or do not go with the arguments in order. */
static int read_format(quern_checker *checker, const quern_check_made *made, quern_check_conversion *conversions,
                       size_t *count)
{
    size_t text[2];
    *count = 0;
    if (!made->count) {
        quern_check_report(checker, made->name, "PRINT has no format; wanted PRINT(\"…\", …)");
        return 0;
    }
    if (!find_text(checker, made->ranges[0], text)) {
        quern_check_report(checker, made->ranges[0][0],
                           "the format of PRINT is no string literal; wanted one, with the conversions in it");
        return 0;
    }
    *count = quern_check_format(checker, text, conversions, MOST_PRINTED);
    if (*count > MOST_PRINTED || made->count > MOST_PRINTED + 1) {
        quern_check_report(checker, made->name,
                           "PRINT has more than %d arguments behind its format; wanted several PRINT",
                           (int)MOST_PRINTED);
        return 0;
    }
    return check_conversions(checker, conversions, *count);
}

quern_check_value quern_check_print(quern_checker *checker, const quern_check_made *made)
{
    quern_check_conversion conversions[MOST_PRINTED];
    size_t count;
    int is_known = read_format(checker, made, conversions, &count);
    quern_check_value result = quern_check_no_value();
    for (size_t i = 0; i < made->count; i++) { /* all are read, for what they do */
        quern_check_value value = quern_check_argument(checker, made, i);
        quern_check_combine_cause(&result, &value);
        if (is_known && i > 0 && i <= count)
            check_argument(checker, made, i, &conversions[i - 1], &value);
    }
    if (is_known)
        check_count(checker, made, conversions, count);
    return result;
}
