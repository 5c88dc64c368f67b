/* Declarations in bodies: declarators, initialisers, and the dialect's LOCAL, PRIVATE and READ_UNIFORM. */
#include "check.h"

#include <string.h>

/* --- declarators --- */

static void skip_to(quern_checker *checker, size_t close)
{
    checker->at = close < checker->end ? close + 1 : checker->end;
}

/* `(*name)(…)`: what it declares is beyond the rules, but for the name, and that it points to a function. */
static void read_nested_declarator(quern_checker *checker, quern_check_declarator *declarator)
{
    size_t open = checker->at, close = checker->closing[open];
    for (size_t i = open + 1; i < close && i < checker->end; i++)
        if (quern_check_is_name(checker, i) && !quern_word_is_qualifier(checker->tokens[i].text)) {
            declarator->name = i;
            break;
        }
    declarator->type = (quern_check_type){0};
    skip_to(checker, close);
    if (quern_check_next_is(checker, "("))
        quern_check_report(checker, declarator->name == QUERN_NOWHERE ? open : declarator->name,
                           "'%s' is a pointer to a function, which a kernel file cannot have; wanted a call of a "
                           "DEVICE helper by name",
                           declarator->name == QUERN_NOWHERE ? "*" : checker->tokens[declarator->name].text);
}

void quern_check_read_declarator(quern_checker *checker, quern_check_type base, quern_check_declarator *declarator)
{
    declarator->name = declarator->bounds = QUERN_NOWHERE;
    declarator->type = base;
    declarator->is_function = 0;
    int is_nested = 0;
    while (checker->at < checker->end) {
        if (quern_check_accept(checker, "*")) {
            declarator->type.pointers++;
            if (base.arrays) /* a pointer to an array type */
                declarator->type = (quern_check_type){0};
        } else if (quern_check_is_name(checker, checker->at) &&
                   quern_word_is_qualifier(checker->tokens[checker->at].text)) {
            checker->at++;
        } else {
            break;
        }
    }
    if (quern_check_next_is(checker, "(") &&
        (quern_check_is(checker, checker->at + 1, "*") || quern_check_is_name(checker, checker->at + 1))) {
        read_nested_declarator(checker, declarator);
        is_nested = 1;
    } else if (checker->at < checker->end && quern_check_is_name(checker, checker->at)) {
        declarator->name = checker->at++;
    }
    while (quern_check_next_is(checker, "[") || quern_check_next_is(checker, "(")) {
        if (quern_check_next_is(checker, "(")) {
            declarator->is_function = 1;
        } else if (!is_nested) {
            if (declarator->bounds == QUERN_NOWHERE)
                declarator->bounds = checker->at;
            declarator->type.arrays++;
        }
        skip_to(checker, checker->closing[checker->at]);
    }
    while (quern_check_next_is(checker, "__attribute__") && quern_check_is(checker, checker->at + 1, "(")) {
        checker->at++;
        skip_to(checker, checker->closing[checker->at]);
    }
}

/* --- lengths that must be constants --- */

/* The name in begin … end that keeps it from being a constant in every dialect; QUERN_NOWHERE when none is certain to.
 */
static size_t find_variable(const quern_checker *checker, size_t begin, size_t end)
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

static void check_bounds(quern_checker *checker, const quern_check_declarator *declarator)
{
    for (size_t open = declarator->bounds; open != QUERN_NOWHERE && quern_check_is(checker, open, "[");
         open = checker->closing[open] + 1) {
        size_t variable = find_variable(checker, open + 1, checker->closing[open]);
        if (variable != QUERN_NOWHERE)
            quern_check_report(checker, variable,
                               "the length of array '%s' depends on '%s', which is no constant; wanted a constant "
                               "(in a kernel, a local parameter can have a length from the launch)",
                               checker->tokens[declarator->name].text, checker->tokens[variable].text);
        if (checker->closing[open] >= checker->count)
            return;
    }
}

/* --- initialisers --- */

void quern_check_initialiser(quern_checker *checker, quern_check_value *value)
{
    if (!quern_check_next_is(checker, "{")) {
        *value = quern_check_assignment_expression(checker);
        return;
    }
    *value = quern_check_no_value();
    size_t close = checker->closing[checker->at], outer_end = checker->end;
    checker->at++;
    if (quern_check_enter(checker)) {
        checker->end = close < outer_end ? close : outer_end;
        while (checker->at < checker->end) {
            size_t before = checker->at;
            quern_check_value item;
            quern_check_initialiser(checker, &item);
            quern_check_combine_cause(value, &item);
            while (checker->at < checker->end && !quern_check_accept(checker, ",")) /* what was not understood */
                checker->at++;
            if (checker->at == before)
                checker->at++;
        }
        quern_check_leave(checker);
    }
    checker->end = outer_end;
    skip_to(checker, close);
}

/* --- declarations --- */

int quern_check_starts_declaration(const quern_checker *checker)
{
    const quern_token *first = quern_check_peek(checker, 0), *second = quern_check_peek(checker, 1);
    if (first->kind != QUERN_TOKEN_NAME)
        return 0;
    if (quern_check_is(checker, checker->at, "typedef"))
        return 1;
    if (quern_check_starts_type(checker, checker->at))
        return 1;
    if (quern_check_find(checker, first->text) != QUERN_NOWHERE || quern_word_find(first->text))
        return 0;
    if (second->kind == QUERN_TOKEN_NAME) /* `thing x`, but not `goto x` and the like */
        return strcmp(quern_word_reserved(first->text) ? quern_word_reserved(first->text) : "", "a keyword of C") != 0;
    const quern_token *third = quern_check_peek(checker, 2), *fourth = quern_check_peek(checker, 3);
    return quern_token_is(second, "*") && third->kind == QUERN_TOKEN_NAME &&
           (quern_token_is(fourth, "=") || quern_token_is(fourth, ";") || quern_token_is(fourth, "[")) &&
           quern_check_find(checker, third->text) == QUERN_NOWHERE;
}

static void check_storage(quern_checker *checker, size_t begin, size_t end)
{
    static const char *const classes[] = {"static",        "extern",       "register", "auto",
                                          "_Thread_local", "thread_local", "__thread"};
    for (size_t i = begin; i < end && i < checker->count; i++)
        for (size_t k = 0; k < sizeof classes / sizeof classes[0]; k++)
            if (quern_check_is(checker, i, classes[k]))
                quern_check_report(checker, i,
                                   "a variable of a kernel or helper is declared '%s', which OpenCL C does not have; "
                                   "wanted none, or a CONSTANT table at file scope",
                                   classes[k]);
}

static void declare_variable(quern_checker *checker, const quern_check_declarator *declarator)
{
    quern_check_declared_name(checker, declarator->name, "a variable");
    check_bounds(checker, declarator);
    const char *name = checker->tokens[declarator->name].text;
    quern_check_declare(checker, name, QUERN_SYMBOL_VARIABLE, declarator->name, declarator->type);
    size_t cause = quern_check_control_cause(checker, declarator->name);
    if (cause != QUERN_NOWHERE && checker->region == QUERN_NOWHERE && quern_check_next_is(checker, "="))
        quern_check_mark_cause(checker, declarator->name, cause);
    if (quern_check_accept(checker, "=")) {
        quern_check_value value;
        quern_check_initialiser(checker, &value);
        if (value.cause != QUERN_NOWHERE)
            quern_check_mark_cause(checker, declarator->name, value.cause);
    }
}

void quern_check_declaration(quern_checker *checker)
{
    size_t begin = checker->at;
    int is_typedef = quern_check_accept(checker, "typedef");
    quern_check_type base = {0};
    if (!quern_check_read_type(checker, &base) && checker->at < checker->end)
        checker->at++; /* a type that is not known here */
    if (!is_typedef)
        check_storage(checker, begin, checker->at);
    while (checker->at < checker->end && !quern_check_next_is(checker, ";") && !quern_check_next_is(checker, "}")) {
        size_t before = checker->at;
        quern_check_declarator declarator;
        quern_check_read_declarator(checker, base, &declarator);
        if (declarator.name != QUERN_NOWHERE) {
            if (is_typedef) {
                quern_check_declared_name(checker, declarator.name, "a type");
                quern_check_declare(checker, checker->tokens[declarator.name].text, QUERN_SYMBOL_TYPE, declarator.name,
                                    declarator.type);
            } else if (!declarator.is_function) {
                declare_variable(checker, &declarator);
            }
        }
        if (!quern_check_accept(checker, ",") && checker->at == before)
            return;
        if (!quern_check_next_is(checker, ";") && checker->at > 0 && !quern_check_is(checker, checker->at - 1, ","))
            return; /* not understood; the caller skips */
    }
    quern_check_accept(checker, ";");
}

/* --- LOCAL(T, name, n), PRIVATE(T, name), READ_UNIFORM(T, name, expression) --- */

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

void quern_check_dialect_declaration(quern_checker *checker)
{
    size_t token = checker->at;
    const char *word = checker->tokens[token].text;
    size_t arguments[4][2] = {{0}};
    checker->at++;
    if (!quern_check_next_is(checker, "("))
        return;
    size_t count = quern_check_arguments(checker, checker->at, arguments, 4), close = checker->closing[checker->at];
    skip_to(checker, close);
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
    if (strcmp(word, "LOCAL") == 0) {
        kind = QUERN_SYMBOL_LOCAL;
        check_element_type(checker, name, &type);
        type.arrays++;
        size_t variable = count >= 3 ? find_variable(checker, arguments[2][0], arguments[count < 4 ? count - 1 : 3][1])
                                     : QUERN_NOWHERE;
        if (variable != QUERN_NOWHERE)
            quern_check_report(
                checker, variable,
                "the length of LOCAL '%s' depends on '%s', which is no constant; wanted a constant, or a "
                "local parameter, whose length the launch gives",
                checker->tokens[name].text, checker->tokens[variable].text);
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

void quern_check_helper_parameters(quern_checker *checker, const quern_signature_helper *helper)
{
    size_t parameters[128][2];
    if (!quern_check_is(checker, helper->parameters_begin, "("))
        return;
    size_t count = quern_check_arguments(checker, helper->parameters_begin, parameters, 128);
    for (size_t i = 0; i < count && i < 128; i++) {
        checker->at = parameters[i][0];
        checker->end = parameters[i][1];
        quern_check_type type;
        if (!quern_check_read_type(checker, &type))
            continue;
        quern_check_declarator declarator;
        quern_check_read_declarator(checker, type, &declarator);
        if (declarator.name == QUERN_NOWHERE)
            continue;
        quern_check_declared_name(checker, declarator.name, "a parameter");
        if (declarator.bounds != QUERN_NOWHERE && declarator.type.arrays) { /* an array parameter is a pointer */
            declarator.type.arrays--;
            declarator.type.pointers++;
        }
        quern_check_declare(checker, checker->tokens[declarator.name].text, QUERN_SYMBOL_VARIABLE, declarator.name,
                            declarator.type);
    }
}
