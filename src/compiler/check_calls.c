/* Calls: of helpers, math functions and the dialect's words; the types of their arguments; recursion. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64 };

typedef struct call {
    size_t name;      /* the token of what is called */
    const char *text; /* its text */
    size_t ranges[MOST_ARGUMENTS][2];
    size_t count; /* of the arguments that are kept */
    size_t after; /* the token behind the ")" */
} call;

static void begin_call(quern_checker *checker, call *made)
{
    made->name = checker->at;
    made->text = checker->tokens[checker->at].text;
    made->count = quern_check_arguments(checker, checker->at + 1, made->ranges, MOST_ARGUMENTS);
    if (made->count > MOST_ARGUMENTS)
        made->count = MOST_ARGUMENTS;
    size_t close = checker->closing[checker->at + 1];
    made->after = close < checker->end ? close + 1 : checker->end;
    for (size_t i = 0; i < made->count; i++)
        if (made->ranges[i][1] > checker->end)
            made->ranges[i][1] = checker->end;
}

static quern_check_value argument(quern_checker *checker, const call *made, size_t i)
{
    return i < made->count ? quern_check_range_expression(checker, made->ranges[i]) : quern_check_no_value();
}

/* Reads the arguments from first on; the result has no type, and depends on the item when one of them does. */
static quern_check_value read_arguments(quern_checker *checker, const call *made, size_t first)
{
    quern_check_value result = quern_check_no_value();
    for (size_t i = first; i < made->count; i++) {
        quern_check_value value = argument(checker, made, i);
        quern_check_combine_cause(&result, &value);
    }
    return result;
}

/* --- the floating arguments of one call have one type --- */

static int is_floating(quern_check_type type)
{
    return !type.pointers && !type.arrays && (type.base == QUERN_BASE_FLOAT || type.base == QUERN_BASE_DOUBLE);
}

static const char *type_word(quern_check_base base)
{
    return base == QUERN_BASE_FLOAT ? "float" : "double";
}

static const char *literal_hint(const quern_checker *checker, const size_t range[2], quern_check_base base)
{
    int is_literal = range[1] == range[0] + 1 && checker->tokens[range[0]].kind == QUERN_TOKEN_NUMBER;
    return is_literal && base == QUERN_BASE_DOUBLE ? ", as a literal without f is" : "";
}

/* Argument b has another floating type than argument a before it. */
static void report_two_types(quern_checker *checker, const call *made, size_t a, size_t b, quern_check_base base_of_b)
{
    quern_check_base base_of_a = base_of_b == QUERN_BASE_FLOAT ? QUERN_BASE_DOUBLE : QUERN_BASE_FLOAT;
    quern_check_report(
        checker, made->name,
        "the floating arguments of %s have two types: argument %zu is a %s%s, argument %zu is a %s%s; wanted one "
        "type",
        made->text, a + 1, type_word(base_of_a), literal_hint(checker, made->ranges[a], base_of_a), b + 1,
        type_word(base_of_b), literal_hint(checker, made->ranges[b], base_of_b));
}

static quern_check_value read_generic(quern_checker *checker, const call *made)
{
    quern_check_value result = quern_check_no_value();
    size_t first = QUERN_NOWHERE; /* the first floating argument */
    quern_check_base base = QUERN_BASE_UNKNOWN;
    int is_reported = 0;
    for (size_t i = 0; i < made->count; i++) {
        quern_check_value value = argument(checker, made, i);
        quern_check_combine_cause(&result, &value);
        result.type = i == 0 ? value.type : quern_check_arithmetic_type(result.type, value.type);
        if (!is_floating(value.type))
            continue;
        if (first == QUERN_NOWHERE) {
            first = i;
            base = value.type.base;
        } else if (value.type.base != base && !is_reported) {
            report_two_types(checker, made, first, i, value.type.base);
            is_reported = 1;
        }
    }
    result.type.barred = NULL;
    if (result.type.pointers || result.type.arrays)
        result.type = (quern_check_type){0};
    return result;
}

static quern_check_value read_math(quern_checker *checker, const call *made, quern_math_result kind)
{
    quern_check_value result = read_generic(checker, made);
    if (kind == QUERN_MATH_INTEGER)
        result.type = (quern_check_type){.base = QUERN_BASE_INTEGER};
    else if (!is_floating(result.type))
        result.type = (quern_check_type){0};
    return result;
}

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

static quern_check_value read_id(quern_checker *checker, const call *made)
{
    check_id_place(checker, made->name);
    if (strcmp(made->text, "MINE") != 0) {
        quern_check_value result = read_arguments(checker, made, 0);
        result.type.base = QUERN_BASE_INTEGER;
        return result;
    }
    quern_check_value result = read_arguments(checker, made, 1);
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
static void check_index_count(quern_checker *checker, const call *made, const quern_check_symbol *symbol)
{
    size_t given = made->count - 1;
    if (symbol->kind == QUERN_SYMBOL_PARAMETER && symbol->rank && given && given != symbol->rank)
        quern_check_report(checker, made->name,
                           "AT(%s, …) has %zu ind%s, but '%s' has rank %u; wanted one for each dimension", symbol->name,
                           given, given == 1 ? "ex" : "ices", symbol->name, symbol->rank);
}

static quern_check_value read_access(quern_checker *checker, const call *made)
{
    if (checker->helper != QUERN_NOWHERE)
        quern_check_report(checker, made->name,
                           "%s stands in helper '%s', which has no kernel parameters; wanted it in a kernel",
                           made->text, checker->signature->helpers[checker->helper].name);
    quern_check_value array = argument(checker, made, 0), others = read_arguments(checker, made, 1);
    const quern_check_symbol *symbol = array.root != QUERN_NOWHERE ? &checker->symbols[array.root] : NULL;
    if (strcmp(made->text, "EXTENT") == 0) {
        others.type.base = QUERN_BASE_INTEGER;
        return others;
    }
    if (strcmp(made->text, "AT") == 0 && symbol)
        check_index_count(checker, made, symbol);
    quern_check_value element = quern_check_dereference(checker, array);
    quern_check_combine_cause(&element, &others);
    if (strncmp(made->text, "STORE", 5) == 0) {
        quern_check_write(checker, &element, made->name, &others);
        return quern_check_no_value();
    }
    if (strncmp(made->text, "LOAD", 4) == 0)
        element.place = QUERN_PLACE_NONE;
    return element;
}

static quern_check_value read_atomic(quern_checker *checker, const call *made)
{
    quern_check_value address = argument(checker, made, 0);
    read_arguments(checker, made, 1);
    quern_check_value element = quern_check_dereference(checker, address);
    quern_check_write(checker, &element, made->name, NULL);
    quern_check_value result = quern_check_no_value();
    result.type = element.type;
    result.cause = made->name;
    return result;
}

static int is_uniform_subgroup_word(const char *name)
{
    return strcmp(name, "SUBGROUP_SIZE") == 0 || strcmp(name, "SUBGROUP_COUNT") == 0 ||
           strcmp(name, "SUBGROUP_MAX_SIZE") == 0;
}

static quern_check_value read_subgroup(quern_checker *checker, const call *made)
{
    quern_check_value result = read_arguments(checker, made, 0);
    if (!is_uniform_subgroup_word(made->text))
        result.cause = made->name;
    return result;
}

static quern_check_value read_make(quern_checker *checker, const call *made)
{
    quern_check_value result = read_arguments(checker, made, 1);
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

static quern_check_value read_word(quern_checker *checker, const quern_word *word, const call *made)
{
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
        return read_generic(checker, made);
    case QUERN_WORD_OTHER:
        return strcmp(word->name, "MAKE") == 0 ? read_make(checker, made) : read_arguments(checker, made, 0);
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
        value.type.base = QUERN_BASE_INTEGER;
    } else if (word->kind == QUERN_WORD_SUBGROUP && !is_uniform_subgroup_word(checker->tokens[token].text)) {
        value.cause = token;
    }
    return value;
}

/* --- functions --- */

static void note_call(quern_checker *checker, size_t callee, size_t where)
{
    void *calls = checker->calls;
    if (checker->helper == QUERN_NOWHERE || checker->quiet ||
        !quern_check_grow(checker, &calls, checker->call_count, &checker->call_capacity, sizeof *checker->calls))
        return;
    checker->calls = calls;
    /* A helper that is declared before it is defined has two records; the first stands for both. */
    const char *name = checker->signature->helpers[checker->helper].name;
    size_t symbol = quern_check_find(checker, name), caller = checker->helper;
    if (symbol != QUERN_NOWHERE && checker->symbols[symbol].kind == QUERN_SYMBOL_HELPER)
        caller = checker->symbols[symbol].helper;
    checker->calls[checker->call_count++] = (quern_check_call){caller, callee, where};
}

static quern_check_value read_helper_call(quern_checker *checker, size_t index, const call *made)
{
    quern_check_symbol symbol = checker->symbols[index];
    quern_check_value result = read_arguments(checker, made, 0);
    result.type = symbol.type;
    if (symbol.helper != QUERN_NOWHERE) {
        note_call(checker, symbol.helper, made->name);
        if (checker->item_helpers[symbol.helper])
            result.cause = made->name;
    }
    return result;
}

static int is_kernel(const quern_checker *checker, const char *name)
{
    for (size_t i = 0; i < checker->signature->kernel_count; i++)
        if (strcmp(checker->signature->kernels[i].name, name) == 0)
            return 1;
    return 0;
}

/* What the dialect has instead; NULL when there is nothing. */
static const char *substitute(const char *name)
{
    static const char *const words[][2] = {{"printf", "PRINT"},
                                           {"abs", "ABS"},
                                           {"labs", "ABS"},
                                           {"min", "MIN"},
                                           {"max", "MAX"},
                                           {"atomicAdd", "ATOMIC_ADD"},
                                           {"atomic_add", "ATOMIC_ADD"},
                                           {"barrier", "the end of a phase"},
                                           {"__syncthreads", "the end of a phase"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i][0]) == 0)
            return words[i][1];
    return NULL;
}

static void check_unknown(quern_checker *checker, const call *made)
{
    const char *name = made->text, *generic = quern_word_math_without_suffix(name);
    /* Capitals may be a word that is younger than this table; keywords and types come from texts that are no C. */
    if (quern_word_is_upper(name) || quern_word_reserved(name) || quern_word_is_type(name) ||
        quern_word_is_qualifier(name))
        return;
    if (is_kernel(checker, name))
        quern_check_report(checker, made->name,
                           "'%s' is a kernel, which only a launch can start; wanted a DEVICE helper", name);
    else if (generic)
        quern_check_report(checker, made->name, "unknown function '%s'; wanted %s, which takes floats and doubles",
                           name, generic);
    else if (substitute(name))
        quern_check_report(checker, made->name, "unknown function '%s'; wanted %s", name, substitute(name));
    else
        quern_check_report(
            checker, made->name,
            "unknown function '%s'; wanted a DEVICE helper of this file, a math function or a word of the dialect",
            name);
}

static quern_check_value read_call(quern_checker *checker, const call *made)
{
    size_t symbol = quern_check_find(checker, made->text);
    if (symbol != QUERN_NOWHERE)
        return checker->symbols[symbol].kind == QUERN_SYMBOL_HELPER ? read_helper_call(checker, symbol, made)
                                                                    : read_arguments(checker, made, 0);
    const quern_word *word = quern_word_find(made->text);
    if (word)
        return read_word(checker, word, made);
    quern_math_result math = quern_word_math(made->text);
    if (math != QUERN_MATH_NONE)
        return read_math(checker, made, math);
    check_unknown(checker, made);
    return read_arguments(checker, made, 0);
}

quern_check_value quern_check_call_expression(quern_checker *checker)
{
    call made;
    begin_call(checker, &made);
    quern_check_value value = read_call(checker, &made);
    checker->at = made.after;
    return value;
}

/* --- recursion: a cycle among the helpers' calls --- */

/* The calls of each helper as a list: first[helper], then next[call]. */
typedef struct call_graph {
    size_t *first, *next, *open;
    unsigned char *seen;
} call_graph;

static int build_graph(const quern_checker *checker, call_graph *graph)
{
    size_t helpers = checker->signature->helper_count;
    graph->first = malloc(helpers * sizeof *graph->first);
    graph->next = malloc(checker->call_count * sizeof *graph->next);
    graph->open = malloc(helpers * sizeof *graph->open);
    graph->seen = malloc(helpers);
    if (!graph->first || !graph->next || !graph->open || !graph->seen)
        return 0;
    for (size_t i = 0; i < helpers; i++)
        graph->first[i] = QUERN_NOWHERE;
    for (size_t i = checker->call_count; i > 0; i--) {
        graph->next[i - 1] = graph->first[checker->calls[i - 1].caller];
        graph->first[checker->calls[i - 1].caller] = i - 1;
    }
    return 1;
}

/* Marks what helper calls, and what that calls, and so on. Each helper is put on the list once. */
static void reach(const quern_checker *checker, call_graph *graph, size_t helper)
{
    size_t count = 0;
    memset(graph->seen, 0, checker->signature->helper_count);
    graph->seen[helper] = 1;
    graph->open[count++] = helper;
    while (count > 0)
        for (size_t i = graph->first[graph->open[--count]]; i != QUERN_NOWHERE; i = graph->next[i]) {
            size_t callee = checker->calls[i].callee;
            if (!graph->seen[callee]) {
                graph->seen[callee] = 1;
                graph->open[count++] = callee;
            }
        }
}

static void report_cycles(quern_checker *checker, call_graph *graph)
{
    for (size_t i = 0; i < checker->call_count; i++) {
        const quern_check_call *made = &checker->calls[i];
        const char *caller = checker->signature->helpers[made->caller].name;
        const char *callee = checker->signature->helpers[made->callee].name;
        if (made->caller == made->callee) {
            quern_check_report(checker, made->where,
                               "helper '%s' calls itself; wanted a loop, OpenCL C has no recursion", caller);
            continue;
        }
        reach(checker, graph, made->callee);
        if (graph->seen[made->caller])
            quern_check_report(
                checker, made->where,
                "helper '%s' calls '%s', which calls '%s' again; wanted a loop, OpenCL C has no recursion", caller,
                callee, caller);
    }
}

void quern_check_recursion(quern_checker *checker)
{
    if (!checker->call_count)
        return;
    call_graph graph = {NULL, NULL, NULL, NULL};
    if (build_graph(checker, &graph))
        report_cycles(checker, &graph);
    else
        checker->out_of_memory = 1;
    free(graph.first);
    free(graph.next);
    free(graph.open);
    free(graph.seen);
}
