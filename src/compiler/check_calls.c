/* Calls of helpers and math functions, and the types of their arguments. */
#include "check_call.h"

#include <string.h>

static void begin_call(quern_checker *checker, quern_check_made *made)
{
    made->name = checker->at;
    made->text = checker->tokens[checker->at].text;
    made->count = quern_check_arguments(checker, checker->at + 1, made->ranges, QUERN_MOST_ARGUMENTS);
    if (made->count > QUERN_MOST_ARGUMENTS)
        made->count = QUERN_MOST_ARGUMENTS;
    size_t close = checker->closing[checker->at + 1];
    made->after = close < checker->end ? close + 1 : checker->end;
    for (size_t i = 0; i < made->count; i++)
        if (made->ranges[i][1] > checker->end)
            made->ranges[i][1] = checker->end;
}

quern_check_value quern_check_argument(quern_checker *checker, const quern_check_made *made, size_t i)
{
    return i < made->count ? quern_check_range_expression(checker, made->ranges[i]) : quern_check_no_value();
}

quern_check_value quern_check_read_arguments(quern_checker *checker, const quern_check_made *made, size_t first)
{
    quern_check_value result = quern_check_no_value();
    for (size_t i = first; i < made->count; i++) {
        quern_check_value value = quern_check_argument(checker, made, i);
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
static void report_two_types(quern_checker *checker, const quern_check_made *made, size_t a, size_t b,
                             quern_check_base base_of_b)
{
    quern_check_base base_of_a = base_of_b == QUERN_BASE_FLOAT ? QUERN_BASE_DOUBLE : QUERN_BASE_FLOAT;
    quern_check_report(
        checker, made->name,
        "the floating arguments of %s have two types: argument %zu is a %s%s, argument %zu is a %s%s; wanted one "
        "type",
        made->text, a + 1, type_word(base_of_a), literal_hint(checker, made->ranges[a], base_of_a), b + 1,
        type_word(base_of_b), literal_hint(checker, made->ranges[b], base_of_b));
}

quern_check_value quern_check_generic(quern_checker *checker, const quern_check_made *made)
{
    quern_check_value result = quern_check_no_value();
    size_t first = QUERN_NOWHERE; /* the first floating argument */
    quern_check_base base = QUERN_BASE_UNKNOWN;
    int is_reported = 0;
    for (size_t i = 0; i < made->count; i++) {
        quern_check_value value = quern_check_argument(checker, made, i);
        quern_check_combine_cause(&result, &value);
        result.type =
            i == 0 ? quern_check_promoted_type(value.type) : quern_check_arithmetic_type(result.type, value.type);
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
    return result;
}

/* popcount, clz and ffs are there for integers of 32 and 64 bits. */
static int takes_bits(const char *name)
{
    return strcmp(name, "popcount") == 0 || strcmp(name, "clz") == 0 || strcmp(name, "ffs") == 0;
}

static void check_bits_argument(quern_checker *checker, const quern_check_made *made, quern_check_type type)
{
    if (is_floating(type))
        quern_check_report(checker, made->name, "%s of a %s; wanted a 32- or 64-bit integer", made->text,
                           type_word(type.base));
    else if (quern_check_is_scalar(type) && (type.bits == 8 || type.bits == 16))
        quern_check_report(checker, made->name,
                           "%s of an integer of %u bits; wanted one of 32 or 64 bits, as a cast to uint32_t makes it",
                           made->text, type.bits);
}

static quern_check_value read_bits(quern_checker *checker, const quern_check_made *made)
{
    quern_check_value result = quern_check_read_arguments(checker, made, 1);
    quern_check_value value = quern_check_argument(checker, made, 0);
    check_bits_argument(checker, made, value.type);
    quern_check_combine_cause(&value, &result);
    value = (quern_check_value){.root = QUERN_NOWHERE, .cause = value.cause};
    value.type = (quern_check_type){.base = QUERN_BASE_INTEGER, .bits = 32};
    return value;
}

static quern_check_value read_math(quern_checker *checker, const quern_check_made *made, quern_math_result kind)
{
    if (takes_bits(made->text))
        return read_bits(checker, made);
    quern_check_value result = quern_check_generic(checker, made);
    if (result.type.base == QUERN_BASE_INTEGER)
        quern_check_report(checker, made->name,
                           "%s of %s, which has no result of its own on every device; wanted a cast to float or double",
                           made->text, made->count == 1 ? "an integer" : "integers");
    if (kind == QUERN_MATH_INTEGER)
        result.type = (quern_check_type){.base = QUERN_BASE_INTEGER, .bits = 32};
    else if (!is_floating(result.type))
        result.type = (quern_check_type){0};
    return result;
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

/* What the helper may write of the kernel's own variables: as many as a helper gives back. */
enum { MOST_WRITTEN = 8 };

static quern_check_value read_helper_arguments(quern_checker *checker, const quern_signature_helper *helper,
                                               const quern_check_made *made)
{
    quern_check_value result = quern_check_no_value(), written[MOST_WRITTEN];
    size_t count = 0;
    for (size_t i = 0; i < made->count; i++) {
        quern_check_type parameter;
        quern_check_value value = quern_check_argument(checker, made, i);
        quern_check_combine_cause(&result, &value);
        if (!quern_check_helper_parameter(checker, helper, i, &parameter))
            continue;
        if (quern_check_pointer_argument(checker, made->name, made->text, i + 1, &parameter, value) &&
            count < MOST_WRITTEN)
            written[count++] = value;
    }
    for (size_t i = 0; i < count; i++) {
        written[i].place = QUERN_PLACE_VARIABLE;
        written[i].address = 0;
        quern_check_write(checker, &written[i], made->name, &result);
    }
    return result;
}

static quern_check_value read_helper_call(quern_checker *checker, size_t index, const quern_check_made *made)
{
    quern_check_symbol symbol = checker->symbols[index];
    quern_check_value result = symbol.helper != QUERN_NOWHERE
                                   ? read_helper_arguments(checker, &checker->signature->helpers[symbol.helper], made)
                                   : quern_check_read_arguments(checker, made, 0);
    result.type = symbol.type;
    if (symbol.helper != QUERN_NOWHERE) {
        note_call(checker, symbol.helper, made->name);
        quern_check_argument_count(checker, &checker->signature->helpers[symbol.helper], made->name, made->count);
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
                                           {"clamp", "MIN and MAX"},
                                           {"rsqrt", "1 / sqrt(x)"},
                                           {"__builtin_popcount", "popcount"},
                                           {"memcpy", "an assignment or a loop"},
                                           {"memset", "a loop"},
                                           {"malloc", "an array of constant length, or a parameter"},
                                           {"get_global_id", "the index of EACH, or GLOBAL(i)"},
                                           {"get_local_id", "the index of ITEMS"},
                                           {"get_group_id", "GROUP_ID"},
                                           {"omp_get_thread_num", "the index of EACH"},
                                           {"barrier", "the end of a phase"},
                                           {"__syncthreads", "the end of a phase"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i][0]) == 0)
            return words[i][1];
    return NULL;
}

void quern_check_foreign_name(quern_checker *checker, size_t token)
{
    static const char *const words[][2] = {{"threadIdx", "the index of EACH or ITEMS"},
                                           {"blockIdx", "GROUP_ID in a GROUP_KERNEL, or just the index of EACH"},
                                           {"blockDim", "GROUP_SIZE in a GROUP_KERNEL, or just the index of EACH"},
                                           {"gridDim", "GROUPS in a GROUP_KERNEL"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (quern_check_is(checker, token, words[i][0]))
            quern_check_report(checker, token, "'%s' is CUDA's and no word of the dialect; wanted %s", words[i][0],
                               words[i][1]);
}

static void check_unknown(quern_checker *checker, const quern_check_made *made)
{
    const char *name = made->text, *generic = quern_word_math_without_suffix(name);
    /* Capitals may be a word that is younger than this table; keywords and types come from texts that are no C. */
    if (quern_check_is_foreign(checker, made->name) || quern_word_is_upper(name) || quern_word_reserved(name) ||
        quern_word_is_type(name) || quern_word_is_qualifier(name))
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

static quern_check_value read_call(quern_checker *checker, const quern_check_made *made)
{
    size_t symbol = quern_check_find(checker, made->text);
    if (symbol != QUERN_NOWHERE)
        return checker->symbols[symbol].kind == QUERN_SYMBOL_HELPER ? read_helper_call(checker, symbol, made)
                                                                    : quern_check_read_arguments(checker, made, 0);
    const quern_word *word = quern_word_find(made->text);
    if (word)
        return quern_check_word_call(checker, word, made);
    quern_math_result math = quern_word_math(made->text);
    if (math != QUERN_MATH_NONE)
        return read_math(checker, made, math);
    check_unknown(checker, made);
    return quern_check_read_arguments(checker, made, 0);
}

quern_check_value quern_check_call_expression(quern_checker *checker)
{
    quern_check_made made;
    begin_call(checker, &made);
    quern_check_value value = read_call(checker, &made);
    checker->at = made.after;
    return value;
}
