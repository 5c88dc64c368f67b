/* Declarations in bodies and of helpers' parameters: declarators, initialisers, types. */
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
            if (declarator->bounds == QUERN_NOWHERE) {
                declarator->bounds = checker->at;
                declarator->type.is_open = quern_check_is(checker, checker->at + 1, "]");
            }
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

static void check_bounds(quern_checker *checker, const quern_check_declarator *declarator)
{
    for (size_t open = declarator->bounds; open != QUERN_NOWHERE && quern_check_is(checker, open, "[");
         open = checker->closing[open] + 1) {
        size_t variable = quern_check_find_variable(checker, open + 1, checker->closing[open]);
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

/* The type of the next thing in braces: a field, an element; NULL when it is not known. */
static const quern_check_type *type_within(const quern_check_type *type, size_t number, quern_check_type *element)
{
    if (type && type->arrays) {
        *element = *type;
        element->arrays--;
        return element;
    }
    return type && !type->pointers && type->structure && number < type->structure->field_count
               ? &type->structure->fields[number].type
               : NULL;
}

/* One thing in braces. 0 when the braces of an array or a struct in it were left out: what comes then cannot be told.
 */
static int read_item(quern_checker *checker, const quern_check_type *type, quern_check_value *item)
{
    size_t token = checker->at;
    int is_braced = quern_check_next_is(checker, "{");
    quern_check_initialiser(checker, type, item);
    if (type && type->pointers && !type->arrays)
        quern_check_pointer_value(checker, token, NULL, type, *item);
    else if (item->address && item->place == QUERN_PLACE_VARIABLE) /* whatever gets it there, it is a pointer */
        quern_check_pointer_value(checker, token, NULL, &item->type, *item);
    return is_braced || !type || !(type->arrays || type->base == QUERN_BASE_STRUCT);
}

void quern_check_initialiser(quern_checker *checker, const quern_check_type *type, quern_check_value *value)
{
    if (!quern_check_next_is(checker, "{")) {
        size_t begin = checker->at;
        *value = quern_check_assignment_expression(checker);
        quern_check_fits(checker, begin, checker->at, type);
        return;
    }
    *value = quern_check_no_value();
    size_t close = checker->closing[checker->at], outer_end = checker->end;
    checker->at++;
    if (quern_check_enter(checker)) {
        checker->end = close < outer_end ? close : outer_end;
        for (size_t number = 0; checker->at < checker->end; number++) {
            size_t before = checker->at;
            quern_check_value item;
            quern_check_type element;
            if (!read_item(checker, type_within(type, number, &element), &item))
                type = NULL;
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

/* Types whose width differs (size_t, long, quern_index) are not among them, and serve as variables. */
const char *quern_check_lacking_type(const quern_check_type *type)
{
    static const char *const lacking[] = {"long long", "long double", "intmax_t", "uintmax_t", "wchar_t",
                                          "ssize_t",   "half",        "ulong",    "_Float16",  "__fp16"};
    for (size_t i = 0; type->barred && i < sizeof lacking / sizeof lacking[0]; i++)
        if (strcmp(type->barred, lacking[i]) == 0)
            return lacking[i];
    return NULL;
}

void quern_check_variable_type(quern_checker *checker, size_t name, const quern_check_type *type)
{
    const char *lacking = quern_check_lacking_type(type);
    if (lacking)
        quern_check_report(checker, name,
                           "variable '%s' has type %s, which not every language has; wanted an element type, "
                           "quern_index, size_t or long",
                           checker->tokens[name].text, lacking);
}

static void declare_variable(quern_checker *checker, const quern_check_declarator *declarator)
{
    quern_check_declared_name(checker, declarator->name, "a variable");
    quern_check_variable_type(checker, declarator->name, &declarator->type);
    check_bounds(checker, declarator);
    quern_check_lengths(checker, declarator->name, declarator->bounds, 0);
    quern_check_item_count(checker, declarator->name, declarator->bounds);
    quern_check_has_items(checker, declarator->name, &declarator->type);
    quern_check_has_value(checker, declarator->name, &declarator->type);
    const char *name = checker->tokens[declarator->name].text;
    quern_check_symbol *symbol =
        quern_check_declare(checker, name, QUERN_SYMBOL_VARIABLE, declarator->name, declarator->type);
    if (symbol)
        symbol->is_initialised = quern_check_next_is(checker, "=");
    size_t cause = quern_check_control_cause(checker, declarator->name);
    if (cause != QUERN_NOWHERE && checker->region == QUERN_NOWHERE && quern_check_next_is(checker, "="))
        quern_check_mark_cause(checker, declarator->name, cause);
    if (quern_check_accept(checker, "=")) {
        quern_check_value value;
        quern_check_initialiser(checker, &declarator->type, &value);
        if (value.cause != QUERN_NOWHERE)
            quern_check_mark_cause(checker, declarator->name, value.cause);
        if (!declarator->type.arrays)
            quern_check_pointer_value(checker, declarator->name, name, &declarator->type, value);
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
            if (!is_typedef)
                quern_check_has_type(checker, begin, declarator.name);
            if (is_typedef) {
                quern_check_declared_name(checker, declarator.name, "a type");
                quern_check_declare(checker, checker->tokens[declarator.name].text, QUERN_SYMBOL_TYPE, declarator.name,
                                    declarator.type);
            } else if (!declarator.is_function) {
                declare_variable(checker, &declarator);
            } else if (quern_check_next_is(checker, "{")) {
                quern_check_report(checker, declarator.name,
                                   "function '%s' is defined inside another; wanted a DEVICE helper at file scope",
                                   checker->tokens[declarator.name].text);
                skip_to(checker, checker->closing[checker->at]);
                return;
            } else {
                quern_check_report(checker, declarator.name,
                                   "function '%s' is declared inside another; wanted a DEVICE helper at file scope",
                                   checker->tokens[declarator.name].text);
            }
        }
        if (!quern_check_accept(checker, ",") && checker->at == before)
            return;
        if (!quern_check_next_is(checker, ";") && checker->at > 0 && !quern_check_is(checker, checker->at - 1, ","))
            return; /* not understood; the caller skips */
    }
    quern_check_accept(checker, ";");
}

/* --- the parameters of helpers --- */

/* The declarator of one; 0 when the tokens are none with a name. An array is a pointer here. */
static int read_helper_parameter(quern_checker *checker, const size_t range[2], quern_check_declarator *declarator)
{
    quern_check_type type;
    checker->at = range[0];
    checker->end = range[1];
    if (!quern_check_read_type(checker, &type))
        return 0;
    quern_check_read_declarator(checker, type, declarator);
    if (declarator->type.arrays) {
        declarator->type.arrays--;
        declarator->type.pointers++;
    }
    return 1;
}

int quern_check_helper_parameter(quern_checker *checker, const quern_signature_helper *helper, size_t parameter,
                                 quern_check_type *type)
{
    size_t parameters[64][2];
    if (!quern_check_is(checker, helper->parameters_begin, "("))
        return 0;
    size_t count = quern_check_arguments(checker, helper->parameters_begin, parameters, 64);
    if (parameter >= count || parameter >= 64)
        return 0;
    size_t at = checker->at, end = checker->end, symbols = checker->symbol_count;
    quern_check_declarator declarator;
    checker->quiet++; /* its faults are reported where it is declared */
    int is_known = read_helper_parameter(checker, parameters[parameter], &declarator);
    checker->quiet--;
    checker->symbol_count = symbols;
    checker->at = at;
    checker->end = end;
    if (is_known)
        *type = declarator.type;
    return is_known;
}

void quern_check_helper_parameters(quern_checker *checker, const quern_signature_helper *helper)
{
    size_t parameters[128][2];
    if (!quern_check_is(checker, helper->parameters_begin, "("))
        return;
    size_t count = quern_check_arguments(checker, helper->parameters_begin, parameters, 128);
    for (size_t i = 0; i < count && i < 128; i++) {
        quern_check_declarator declarator;
        check_storage(checker, parameters[i][0], parameters[i][1]);
        if (quern_check_is(checker, parameters[i][0], "..."))
            quern_check_report(
                checker, parameters[i][0],
                "helper '%s' takes a varying number of arguments, which OpenCL C does not have; wanted a "
                "parameter for each",
                helper->name);
        if (!read_helper_parameter(checker, parameters[i], &declarator) || declarator.name == QUERN_NOWHERE)
            continue;
        quern_check_declared_name(checker, declarator.name, "a parameter");
        check_bounds(checker, &declarator);
        quern_check_declare(checker, checker->tokens[declarator.name].text, QUERN_SYMBOL_VARIABLE, declarator.name,
                            declarator.type);
    }
}
