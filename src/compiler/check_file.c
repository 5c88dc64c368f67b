/* The file scope: which things may stand there, and the names that bodies find there. */
#include "check.h"

#include <string.h>

static void skip_brackets(quern_checker *checker)
{
    size_t close = checker->closing[checker->at];
    checker->at = close < checker->count ? close + 1 : checker->count;
}

static void skip_to_semicolon(quern_checker *checker)
{
    while (checker->at < checker->end && !quern_check_accept(checker, ";")) {
        size_t close = checker->closing[checker->at];
        checker->at = close > checker->at && close < checker->end ? close + 1 : checker->at + 1;
    }
}

/* `WORD(…)`, and the braces or the semicolon behind it. */
static void skip_record(quern_checker *checker)
{
    checker->at++;
    if (quern_check_next_is(checker, "("))
        skip_brackets(checker);
    if (quern_check_next_is(checker, "{"))
        skip_brackets(checker);
    else
        quern_check_accept(checker, ";");
}

/* --- STRUCT(name, field(T, f), field(T, f, n)) --- */

static void read_struct_field(quern_checker *checker, quern_check_struct *structure, const size_t range[2])
{
    size_t parts[3][2];
    if (!quern_check_is(checker, range[0], "field") || !quern_check_is(checker, range[0] + 1, "("))
        return;
    size_t count = quern_check_arguments(checker, range[0] + 1, parts, 3);
    if (count < 2 || !quern_check_is_name(checker, parts[1][0]))
        return;
    size_t at = checker->at, end = checker->end;
    quern_check_type type = {0};
    checker->at = parts[0][0];
    checker->end = parts[0][1];
    quern_check_read_type(checker, &type);
    checker->at = at;
    checker->end = end;
    type.arrays += count > 2;
    quern_check_add_field(checker, structure, checker->tokens[parts[1][0]].text, type);
}

static void read_struct_record(quern_checker *checker)
{
    size_t open = checker->at + 1, arguments[256][2];
    size_t count = quern_check_is(checker, open, "(") ? quern_check_arguments(checker, open, arguments, 256) : 0;
    if (count && quern_check_is_name(checker, arguments[0][0])) {
        const char *name = checker->tokens[arguments[0][0]].text;
        quern_check_struct *structure = quern_check_add_struct(checker, name);
        for (size_t i = 1; structure && i < count && i < 256; i++)
            read_struct_field(checker, structure, arguments[i]);
        quern_check_type type = {.base = QUERN_BASE_STRUCT, .structure = structure};
        quern_check_declare(checker, name, QUERN_SYMBOL_TYPE, arguments[0][0], type);
    }
    skip_record(checker);
}

/* --- helpers --- */

static size_t find_record(const quern_checker *checker, const char *name)
{
    for (size_t i = 0; i < checker->signature->helper_count; i++)
        if (strcmp(checker->signature->helpers[i].name, name) == 0)
            return i;
    return QUERN_NOWHERE;
}

/* What an item gets from an atomic or a sub-group is its own, through a helper too. */
static int uses_item_words(const quern_checker *checker, size_t begin, size_t end)
{
    for (size_t i = begin; i < end && i < checker->count; i++) {
        const quern_word *word = quern_check_is_name(checker, i) ? quern_word_find(checker->tokens[i].text) : NULL;
        if (word && (word->kind == QUERN_WORD_ATOMIC || word->kind == QUERN_WORD_SUBGROUP))
            return 1;
    }
    return 0;
}

/* DEVICE and CONSTANT say it all, and bring a class of their own in some languages. */
static void check_storage(quern_checker *checker, size_t begin, size_t end)
{
    static const char *const classes[] = {"static", "extern", "register", "auto"};
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < sizeof classes / sizeof classes[0]; k++)
            if (quern_check_is(checker, i, classes[k]))
                quern_check_report(checker, i,
                                   "'%s' stands beside DEVICE or CONSTANT, which has a class of its own; "
                                   "wanted it left out",
                                   classes[k]);
}

/* At DEVICE. */
static void read_helper(quern_checker *checker)
{
    size_t begin = checker->at++;
    quern_check_type type = {0};
    quern_check_read_type(checker, &type);
    while (quern_check_accept(checker, "*"))
        type.pointers++;
    size_t name = checker->at;
    check_storage(checker, begin, name);
    if (quern_check_is(checker, name + 1, "("))
        quern_check_has_type(checker, begin + 1, name);
    if (!quern_check_is_name(checker, name) || !quern_check_is(checker, name + 1, "(")) {
        if (quern_check_is_name(checker, name) &&
            (quern_check_is(checker, name + 1, "[") || quern_check_is(checker, name + 1, "=")))
            quern_check_report(checker, name,
                               "'%s' is a variable, but is marked DEVICE, as functions are; wanted "
                               "CONSTANT, for a table",
                               checker->tokens[name].text);
        skip_to_semicolon(checker);
        return;
    }
    const char *text = checker->tokens[name].text;
    size_t record = find_record(checker, text);
    if (quern_check_find(checker, text) == QUERN_NOWHERE) {
        quern_check_symbol *symbol = quern_check_declare(checker, text, QUERN_SYMBOL_HELPER, name, type);
        if (symbol)
            symbol->helper = record;
    }
    checker->at++;
    skip_brackets(checker);
    if (!quern_check_next_is(checker, "{")) {
        quern_check_helper_form(checker, name);
        skip_to_semicolon(checker);
        return;
    }
    if (record != QUERN_NOWHERE && uses_item_words(checker, checker->at, checker->closing[checker->at]))
        checker->item_helpers[record] = 1;
    skip_brackets(checker);
}

/* --- variables and functions --- */

static void report_function(quern_checker *checker, size_t name)
{
    quern_check_report(checker, name, "function '%s' is not marked DEVICE; wanted DEVICE in front of its type",
                       checker->tokens[name].text);
    quern_check_declare(checker, checker->tokens[name].text, QUERN_SYMBOL_FUNCTION, name, (quern_check_type){0});
}

static void read_initialiser(quern_checker *checker, const quern_check_type *type)
{
    quern_check_value value;
    if (quern_check_accept(checker, "="))
        quern_check_initialiser(checker, type, &value);
}

/* The pointers in a table would have to lead to constant memory, and there is no way to say so in every language. */
static void check_table_type(quern_checker *checker, size_t name, const quern_check_type *type)
{
    const char *barred = quern_check_barred_type(type);
    if (barred && strcmp(barred, "a pointer") == 0)
        quern_check_report(checker, name,
                           "table '%s' holds pointers, which a device cannot have at file scope; wanted numbers, and "
                           "structs and arrays of these",
                           checker->tokens[name].text);
}

static void check_table(quern_checker *checker, const quern_check_declarator *declarator)
{
    check_table_type(checker, declarator->name, &declarator->type);
    quern_check_table_value(checker, declarator->name);
    quern_check_lengths(checker, declarator->name, declarator->bounds, 0);
    quern_check_item_count(checker, declarator->name, declarator->bounds);
    quern_check_has_items(checker, declarator->name, &declarator->type);
}

static void read_variables(quern_checker *checker, quern_check_type base, int is_constant)
{
    while (checker->at < checker->end && !quern_check_next_is(checker, ";")) {
        size_t before = checker->at;
        quern_check_declarator declarator;
        quern_check_read_declarator(checker, base, &declarator);
        if (declarator.name == QUERN_NOWHERE)
            return;
        if (declarator.is_function && !is_constant) {
            report_function(checker, declarator.name);
            if (quern_check_next_is(checker, "{")) {
                skip_brackets(checker);
                return;
            }
        } else {
            quern_check_declared_name(checker, declarator.name, is_constant ? "a table" : "a variable");
            if (is_constant)
                check_table(checker, &declarator);
            else
                quern_check_report(
                    checker, declarator.name,
                    "'%s' is a variable at file scope; wanted a CONSTANT table, or a variable of a kernel",
                    checker->tokens[declarator.name].text);
            quern_check_declare(checker, checker->tokens[declarator.name].text, QUERN_SYMBOL_CONSTANT, declarator.name,
                                declarator.type);
            read_initialiser(checker, declarator.type.pointers ? NULL : &declarator.type);
        }
        if (!quern_check_accept(checker, ",") || checker->at == before)
            break;
    }
    skip_to_semicolon(checker);
}

static void read_constant(quern_checker *checker)
{
    quern_check_type base = {0};
    size_t begin = checker->at++;
    quern_check_read_type(checker, &base);
    check_storage(checker, begin, checker->at);
    read_variables(checker, base, 1);
}

/* What begins with a type, or may: `thing x;`, `thing f(…)`. */
static void read_declaration(quern_checker *checker)
{
    quern_check_type base = {0};
    if (!quern_check_read_type(checker, &base)) {
        checker->at++;
        return;
    }
    if (!quern_check_accept(checker, ";"))
        read_variables(checker, base, 0);
}

static void read_one(quern_checker *checker)
{
    size_t begin = checker->at;
    while (checker->at < checker->end && quern_check_is_name(checker, checker->at) &&
           quern_word_is_qualifier(checker->tokens[checker->at].text))
        checker->at++;
    const quern_token *token = quern_check_peek(checker, 0);
    if (quern_token_is(token, "DEVICE") || quern_token_is(token, "CONSTANT")) {
        check_storage(checker, begin, checker->at);
    } else {
        checker->at = begin;
        token = quern_check_peek(checker, 0);
    }
    if (token->kind != QUERN_TOKEN_NAME) {
        if (quern_check_next_is(checker, "{") || quern_check_next_is(checker, "("))
            skip_brackets(checker);
        else
            checker->at++;
        return;
    }
    if (quern_token_is(token, "STRUCT"))
        read_struct_record(checker);
    else if (quern_token_is(token, "DEVICE"))
        read_helper(checker);
    else if (quern_token_is(token, "CONSTANT"))
        read_constant(checker);
    else if (quern_token_is(token, "typedef"))
        quern_check_declaration(checker);
    else if (quern_token_is(token, "_Static_assert") || quern_token_is(token, "static_assert") ||
             quern_token_is(token, "asm") || quern_token_is(token, "__asm__"))
        skip_to_semicolon(checker);
    else if (quern_word_is_upper(token->text) && quern_check_is(checker, checker->at + 1, "(") &&
             !quern_check_starts_type(checker, checker->at))
        skip_record(checker);
    else
        read_declaration(checker);
}

void quern_check_file_scope(quern_checker *checker)
{
    checker->at = 0;
    checker->end = checker->count;
    checker->helper = checker->region = QUERN_NOWHERE;
    while (checker->at < checker->end) {
        size_t before = checker->at;
        checker->depth = 0;
        if (quern_check_is_foreign(checker, checker->at))
            checker->at++;
        else
            read_one(checker);
        if (checker->at == before)
            checker->at++;
    }
}
