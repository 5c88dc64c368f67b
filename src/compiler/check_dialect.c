/* The words of the dialect in expressions: ids, accesses, atomics, MIN and its kin. */
#include "check_call.h"

#include <string.h>

/* --- words of the dialect --- */

/* 0 when the word's place is wrong, which is then reported. */
static int check_id_place(quern_checker *checker, size_t token)
{
    const char *word = checker->tokens[token].text;
    if (checker->helper != QUERN_NOWHERE) {
        quern_check_report(checker, token, "%s stands in helper '%s', which does not know it; wanted it as a parameter",
                           word, checker->signature->helpers[checker->helper].name);
        return 0;
    }
    if (checker->kernel && !checker->kernel->is_group && strncmp(word, "RANGE", 5) != 0) {
        quern_check_report(checker, token,
                           "%s stands in '%s', which is a KERNEL and has no groups; wanted a GROUP_KERNEL", word,
                           checker->kernel->name);
        return 0;
    }
    return 1;
}

static quern_check_value read_id(quern_checker *checker, const quern_check_made *made)
{
    check_id_place(checker, made->name);
    if (strcmp(made->text, "MINE") != 0) {
        quern_check_value result = quern_check_read_arguments(checker, made, 0);
        result.type = quern_check_index_type();
        return result;
    }
    quern_check_value result = quern_check_read_arguments(checker, made, 1);
    quern_check_mine(checker, made);
    size_t symbol = made->count && quern_check_is_name(checker, made->ranges[0][0])
                        ? quern_check_find(checker, checker->tokens[made->ranges[0][0]].text)
                        : QUERN_NOWHERE;
    if (symbol != QUERN_NOWHERE && checker->symbols[symbol].kind == QUERN_SYMBOL_PRIVATE)
        result.type = checker->symbols[symbol].type;
    else if (symbol != QUERN_NOWHERE)
        quern_check_report(checker, made->ranges[0][0], "'%s' in MINE is no PRIVATE variable; wanted the name of one",
                           checker->symbols[symbol].name);
    result.place = QUERN_PLACE_MINE;
    result.cause = made->name;
    return result;
}

/* The number of indices must be the rank: what the compilers say about it names nothing that the author wrote. */
static void check_index_count(quern_checker *checker, const quern_check_made *made, const quern_check_symbol *symbol)
{
    size_t given = made->count - 1;
    if (strcmp(made->text, "AT") == 0 && given && given != symbol->rank)
        quern_check_report(checker, made->name,
                           "AT(%s, …) has %zu ind%s, but '%s' has rank %u; wanted one for each dimension", symbol->name,
                           given, given == 1 ? "ex" : "ices", symbol->name, symbol->rank);
}

/* AT, EXTENT and their kin know the layout of an _nd parameter, by its name; 1 when it is one, or may be. */
static int check_access_name(quern_checker *checker, const quern_check_made *made)
{
    size_t name = made->count ? made->ranges[0][0] : QUERN_NOWHERE;
    if (!made->count || made->ranges[0][1] != name + 1 || !quern_check_is_name(checker, name))
        return 1;
    size_t index = quern_check_find(checker, checker->tokens[name].text);
    if (index == QUERN_NOWHERE)
        return 1;
    const quern_check_symbol *symbol = &checker->symbols[index];
    if (symbol->kind == QUERN_SYMBOL_PARAMETER && symbol->rank) {
        check_index_count(checker, made, symbol);
        return 1;
    }
    int is_flat = symbol->kind == QUERN_SYMBOL_PARAMETER && symbol->form != QUERN_PARAMETER_VALUE &&
                  symbol->form != QUERN_PARAMETER_LOCAL;
    if (is_flat && strcmp(made->text, "EXTENT") != 0)
        quern_check_report(checker, made->name, "'%s' in %s is no _nd parameter; wanted %s[…], or %s_nd in its place",
                           symbol->name, made->text, symbol->name,
                           symbol->form == QUERN_PARAMETER_IN    ? "in"
                           : symbol->form == QUERN_PARAMETER_OUT ? "out"
                                                                 : "inout");
    else
        quern_check_report(checker, made->name, "'%s' in %s is no _nd parameter; wanted the name of one", symbol->name,
                           made->text);
    return 0;
}

static quern_check_value read_access(quern_checker *checker, const quern_check_made *made)
{
    if (checker->helper != QUERN_NOWHERE)
        quern_check_report(checker, made->name,
                           "%s stands in helper '%s', which has no kernel parameters; wanted it in a kernel",
                           made->text, checker->signature->helpers[checker->helper].name);
    else
        check_access_name(checker, made);
    quern_check_value array = quern_check_argument(checker, made, 0);
    quern_check_value others = quern_check_read_arguments(checker, made, 1);
    if (strcmp(made->text, "EXTENT") == 0) {
        others.type = quern_check_index_type();
        return others;
    }
    quern_check_value element = quern_check_dereference(checker, array);
    quern_check_combine_cause(&element, &others);
    if (strncmp(made->text, "STORE", 5) == 0) {
        quern_check_write(checker, &element, made->name, &others);
        quern_check_out_element(checker, &element, made->name, 0);
        return quern_check_no_value();
    }
    if (strncmp(made->text, "LOAD", 4) == 0)
        element.place = QUERN_PLACE_NONE;
    return element;
}

/* --- atomics --- */

static const struct {
    const char *word;
    size_t arguments;
    int integers_only, reads_old;
} atomics[] = {
    {"ATOMIC_ADD", 2, 0, 1}, {"ATOMIC_SUB", 2, 0, 1},      {"ATOMIC_MIN", 2, 0, 1},
    {"ATOMIC_MAX", 2, 0, 1}, {"ATOMIC_AND", 2, 1, 1},      {"ATOMIC_OR", 2, 1, 1},
    {"ATOMIC_XOR", 2, 1, 1}, {"ATOMIC_EXCHANGE", 2, 0, 0}, {"ATOMIC_COMPARE_EXCHANGE", 3, 0, 1},
};
enum { ATOMICS = sizeof atomics / sizeof atomics[0] };

static size_t find_atomic(const char *word)
{
    size_t i = 0;
    while (i < ATOMICS && strcmp(atomics[i].word, word) != 0)
        i++;
    return i;
}

static void check_atomic_type(quern_checker *checker, const quern_check_made *made, quern_check_type type,
                              int integers_only)
{
    static const char *const names[] = {"", "", "", "float", "double", "struct"};
    const char *wanted = integers_only ? "a 32- or 64-bit integer" : "a 32- or 64-bit integer, a float or a double";
    if (type.pointers || type.arrays || type.base == QUERN_BASE_UNKNOWN || type.base == QUERN_BASE_VOID)
        return;
    if (type.base == QUERN_BASE_INTEGER && (type.bits == 8 || type.bits == 16))
        quern_check_report(checker, made->name, "%s on an integer of %u bits; wanted %s", made->text, type.bits,
                           wanted);
    else if (type.base == QUERN_BASE_STRUCT || (integers_only && type.base != QUERN_BASE_INTEGER))
        quern_check_report(checker, made->name, "%s on a %s; wanted %s", made->text, names[type.base], wanted);
}

/* An atomic on memory that no other item sees; what is assigned wrongly there is reported with that. */
static void check_atomic_place(quern_checker *checker, const quern_check_made *made, const quern_check_value *address)
{
    if (!address->address && (quern_check_is_scalar(address->type) || address->type.base == QUERN_BASE_STRUCT))
        quern_check_report(checker, made->name, "argument 1 of %s is no address; wanted & in front of it", made->text);
    else if (address->address && address->place == QUERN_PLACE_POINTED && address->type.space == QUERN_SPACE_ANY)
        quern_check_report(checker, made->name,
                           "%s on what a plain pointer leads to, a variable; wanted a GLOBAL_POINTER or LOCAL_POINTER",
                           made->text);
    else if (address->address &&
             (address->place == QUERN_PLACE_MINE || (address->place == QUERN_PLACE_VARIABLE && checker->kernel)))
        quern_check_report(checker, made->name, "%s on %s; wanted the address of an element in global or local memory",
                           made->text, address->place == QUERN_PLACE_MINE ? "MINE" : "a variable");
}

/* On 64 bits, which not every device has. */
static void note_wide_atomic(quern_checker *checker, quern_check_type type)
{
    int is_wide = type.base == QUERN_BASE_DOUBLE || (type.base == QUERN_BASE_INTEGER && type.bits == 64);
    if (type.pointers || type.arrays || !is_wide)
        return;
    if (checker->helper != QUERN_NOWHERE)
        checker->signature->helpers[checker->helper].has_wide_atomics = 1;
    else if (checker->kernel)
        checker->signature->kernels[checker->kernel - checker->signature->kernels].has_wide_atomics = 1;
}

static quern_check_value read_atomic(quern_checker *checker, const quern_check_made *made)
{
    size_t known = find_atomic(made->text);
    if (known < ATOMICS && made->count != atomics[known].arguments)
        quern_check_report(checker, made->name, "%s has %zu argument%s; wanted %zu", made->text, made->count,
                           made->count == 1 ? "" : "s", atomics[known].arguments);
    quern_check_value address = quern_check_argument(checker, made, 0);
    quern_check_read_arguments(checker, made, 1);
    quern_check_rows(checker, &address, made->name);
    address = quern_check_decay(checker, address);
    if (known < ATOMICS)
        check_atomic_place(checker, made, &address);
    quern_check_value element = quern_check_dereference(checker, address);
    if (known < ATOMICS)
        check_atomic_type(checker, made, element.type, atomics[known].integers_only);
    note_wide_atomic(checker, element.type);
    if (element.place != QUERN_PLACE_VARIABLE)
        quern_check_write(checker, &element, made->name, NULL);
    quern_check_out_element(checker, &element, made->name, known < ATOMICS && atomics[known].reads_old);
    quern_check_value result = quern_check_no_value();
    result.type = element.type;
    result.cause = made->name;
    return result;
}

/* --- the others --- */

static int is_uniform_subgroup_word(const char *name)
{
    return strcmp(name, "SUBGROUP_SIZE") == 0 || strcmp(name, "SUBGROUP_COUNT") == 0 ||
           strcmp(name, "SUBGROUP_MAX_SIZE") == 0;
}

static quern_check_value read_subgroup(quern_checker *checker, const quern_check_made *made)
{
    quern_check_value result = quern_check_read_arguments(checker, made, 0);
    if (!is_uniform_subgroup_word(made->text))
        result.cause = made->name;
    return result;
}

static quern_check_value read_make(quern_checker *checker, const quern_check_made *made)
{
    quern_check_value result = quern_check_read_arguments(checker, made, 1);
    if (!made->count)
        return result;
    size_t at = checker->at, end = checker->end;
    checker->at = made->ranges[0][0];
    checker->end = made->ranges[0][1];
    if (!quern_check_read_type(checker, &result.type))
        result.type = (quern_check_type){0};
    checker->at = at;
    checker->end = end;
    return result;
}

/* --- side effects --- */

/* Words whose arguments may be evaluated twice, or by more items than it seems. */
static int repeats_arguments(const quern_word *word)
{
    return word->kind == QUERN_WORD_GENERIC || word->kind == QUERN_WORD_ATOMIC || word->kind == QUERN_WORD_ACCESS ||
           word->kind == QUERN_WORD_ID;
}

static int is_side_effect(const quern_checker *checker, size_t token)
{
    static const char *const operators[] = {
        "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="};
    const char *text = checker->tokens[token].text;
    if (quern_check_is_name(checker, token))
        return strncmp(text, "ATOMIC_", 7) == 0;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (quern_check_is(checker, token, operators[i]))
            return 1;
    return 0;
}

static void check_side_effects(quern_checker *checker, const quern_check_made *made)
{
    for (size_t i = 0; i < made->count; i++)
        for (size_t token = made->ranges[i][0]; token < made->ranges[i][1]; token++) {
            if (!is_side_effect(checker, token)) {
                const quern_word *word =
                    quern_check_is_name(checker, token) ? quern_word_find(checker->tokens[token].text) : NULL;
                /* A word in there speaks for itself. */
                if (word && repeats_arguments(word) && quern_check_is(checker, token + 1, "(") &&
                    checker->closing[token + 1] < made->ranges[i][1])
                    token = checker->closing[token + 1];
                continue;
            }
            quern_check_report(checker, made->name,
                               "an argument of %s has a side effect, %s; wanted that in a statement of its own",
                               made->text, checker->tokens[token].text);
            return;
        }
}

quern_check_value quern_check_word_call(quern_checker *checker, const quern_word *word, const quern_check_made *made)
{
    if (repeats_arguments(word))
        check_side_effects(checker, made);
    switch (word->kind) {
    case QUERN_WORD_ID:
        return read_id(checker, made);
    case QUERN_WORD_ACCESS:
        return read_access(checker, made);
    case QUERN_WORD_ATOMIC:
        return read_atomic(checker, made);
    case QUERN_WORD_SUBGROUP:
        return read_subgroup(checker, made);
    case QUERN_WORD_GENERIC:
        return quern_check_generic(checker, made);
    case QUERN_WORD_OTHER:
        if (strcmp(word->name, "PRINT") == 0)
            return quern_check_print(checker, made);
        return strcmp(word->name, "MAKE") == 0 ? read_make(checker, made)
                                               : quern_check_read_arguments(checker, made, 0);
    default: /* words that are no expressions */
        return quern_check_no_value();
    }
}

quern_check_value quern_check_word_expression(quern_checker *checker)
{
    size_t token = checker->at++;
    const quern_word *word = quern_word_find(checker->tokens[token].text);
    quern_check_value value = quern_check_no_value();
    if (word->kind == QUERN_WORD_ID) {
        check_id_place(checker, token);
        value.type = quern_check_index_type();
    } else if (word->kind == QUERN_WORD_SUBGROUP && !is_uniform_subgroup_word(checker->tokens[token].text)) {
        value.cause = token;
    }
    return value;
}
