/* Reads types: builtin ones, typedefs, structs with their fields, enumerations, the dialect's pointers. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* --- builtin types, word by word --- */

typedef struct builtin {
    int longs, is_float, is_double, is_void, integers;
    unsigned bits;            /* that a word of its own gives */
    int is_plain;             /* `int`, `unsigned` */
    const char *named_barred; /* size_t, bool, … */
} builtin;

static void add_word(builtin *type, const char *word)
{
    static const struct {
        const char *word;
        unsigned bits;
    } widths[] = {{"char", 8},      {"int8_t", 8},   {"uint8_t", 8},   {"short", 16},   {"int16_t", 16},
                  {"uint16_t", 16}, {"int32_t", 32}, {"uint32_t", 32}, {"int64_t", 64}, {"uint64_t", 64}};
    static const char *const barred[] = {"_Bool",    "bool",      "size_t",  "ptrdiff_t", "intptr_t",    "uintptr_t",
                                         "intmax_t", "uintmax_t", "wchar_t", "half",      "quern_index", "ulong",
                                         "__int128", "_Float16",  "__fp16",  "ssize_t",   "_Complex"};
    if (strcmp(word, "long") == 0)
        type->longs++;
    else if (strcmp(word, "float") == 0)
        type->is_float = 1;
    else if (strcmp(word, "double") == 0)
        type->is_double = 1;
    else if (strcmp(word, "void") == 0)
        type->is_void = 1;
    else
        type->integers++;
    for (size_t i = 0; i < sizeof barred / sizeof barred[0]; i++)
        if (strcmp(word, barred[i]) == 0)
            type->named_barred = barred[i];
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (strcmp(word, widths[i].word) == 0)
            type->bits = widths[i].bits;
    if (!type->bits && (strcmp(word, "signed") == 0 || strcmp(word, "unsigned") == 0 || strcmp(word, "int") == 0))
        type->is_plain = 1;
}

static quern_check_type builtin_type(const builtin *words)
{
    quern_check_type type = {0};
    type.barred = words->named_barred;
    if (words->longs)
        type.barred = words->is_double ? "long double" : words->longs > 1 ? "long long" : "long";
    if (words->is_void)
        type.barred = "void";
    if (words->named_barred && !strchr("bqsuiw", words->named_barred[0]) && strcmp(words->named_barred, "ptrdiff_t") &&
        strcmp(words->named_barred, "_Bool"))
        type.base = QUERN_BASE_UNKNOWN; /* half, complex: floating types that are nowhere the same */
    else if (words->is_void)
        type.base = QUERN_BASE_VOID;
    else if (words->is_double)
        type.base = words->longs ? QUERN_BASE_UNKNOWN : QUERN_BASE_DOUBLE;
    else
        type.base = words->is_float ? QUERN_BASE_FLOAT : QUERN_BASE_INTEGER;
    if (type.base == QUERN_BASE_INTEGER && !type.barred)
        type.bits = words->bits ? words->bits : words->is_plain ? 32 : 0;
    return type;
}

/* --- structs --- */

quern_check_struct *quern_check_find_struct(const quern_checker *checker, const char *tag)
{
    for (quern_check_struct *structure = checker->structs; structure; structure = structure->next)
        if (structure->tag && strcmp(structure->tag, tag) == 0)
            return structure;
    return NULL;
}

quern_check_struct *quern_check_add_struct(quern_checker *checker, const char *tag)
{
    quern_check_struct *structure = calloc(1, sizeof *structure);
    if (!structure) {
        checker->out_of_memory = 1;
        return NULL;
    }
    structure->tag = tag;
    structure->next = checker->structs;
    checker->structs = structure;
    return structure;
}

void quern_check_add_field(quern_checker *checker, quern_check_struct *structure, const char *name,
                           quern_check_type type)
{
    void *fields = structure->fields;
    if (!quern_check_grow(checker, &fields, structure->field_count, &structure->field_capacity,
                          sizeof *structure->fields))
        return;
    structure->fields = fields;
    structure->fields[structure->field_count++] = (quern_check_field){name, type};
}

static void read_fields(quern_checker *checker, quern_check_struct *structure)
{
    while (checker->at < checker->end && !quern_check_next_is(checker, "}")) {
        size_t before = checker->at;
        quern_check_type base;
        if (quern_check_read_type(checker, &base))
            do {
                quern_check_declarator field;
                quern_check_read_declarator(checker, base, &field);
                if (quern_check_next_is(checker, ":")) {
                    quern_check_report(
                        checker, checker->at,
                        "a field has a width in bits, which OpenCL C does not have; wanted a whole integer");
                    while (checker->at < checker->end && !quern_check_next_is(checker, ",") &&
                           !quern_check_next_is(checker, ";") && !quern_check_next_is(checker, "}"))
                        checker->at++;
                }
                if (field.name == QUERN_NOWHERE)
                    break;
                quern_check_declared_name(checker, field.name, "a field");
                quern_check_lengths(checker, field.name, field.bounds, 1);
                if (structure)
                    quern_check_add_field(checker, structure, checker->tokens[field.name].text, field.type);
            } while (quern_check_accept(checker, ","));
        quern_check_accept(checker, ";");
        if (checker->at == before)
            checker->at++;
    }
}

/* At `struct` or `union`. */
static quern_check_type read_struct(quern_checker *checker)
{
    quern_check_type type = {.base = QUERN_BASE_STRUCT};
    int is_union = quern_check_next_is(checker, "union");
    checker->at++;
    const char *tag = NULL;
    if (checker->at < checker->end && quern_check_is_name(checker, checker->at)) {
        tag = checker->tokens[checker->at].text;
        if (quern_check_is(checker, checker->at + 1, "{"))
            quern_check_declared_name(checker, checker->at, is_union ? "a union" : "a struct");
        checker->at++;
    }
    if (!quern_check_next_is(checker, "{")) {
        type.structure = tag ? quern_check_find_struct(checker, tag) : NULL;
        return type;
    }
    quern_check_struct *structure = quern_check_add_struct(checker, tag);
    type.structure = structure;
    size_t close = checker->closing[checker->at], outer_end = checker->end;
    checker->at++;
    if (quern_check_enter(checker)) {
        checker->end = close < outer_end ? close : outer_end;
        read_fields(checker, structure);
        quern_check_leave(checker);
    }
    checker->end = outer_end;
    checker->at = close < outer_end ? close + 1 : outer_end;
    return type;
}

/* One enumerator, `name` or `name = value`; *next is the value that it has by itself. */
static void read_enumerator(quern_checker *checker, const size_t range[2], quern_check_type type, int *is_known,
                            int64_t *next)
{
    quern_check_declared_name(checker, range[0], "an enumerator");
    if (quern_check_is(checker, range[0] + 1, "="))
        *is_known = quern_check_constant(checker, (size_t[2]){range[0] + 2, range[1]}, next);
    quern_check_symbol *symbol =
        quern_check_declare(checker, checker->tokens[range[0]].text, QUERN_SYMBOL_ENUMERATOR, range[0], type);
    if (symbol) {
        symbol->has_number = *is_known;
        symbol->number = *next;
    }
    if (*next == INT64_MAX)
        *is_known = 0;
    else
        ++*next;
}

static quern_check_type read_enum(quern_checker *checker)
{
    quern_check_type type = {.base = QUERN_BASE_INTEGER, .bits = 32};
    int is_known = 1;
    int64_t next = 0;
    checker->at++;
    if (checker->at < checker->end && quern_check_is_name(checker, checker->at)) {
        if (quern_check_is(checker, checker->at + 1, "{"))
            quern_check_declared_name(checker, checker->at, "an enum");
        checker->at++;
    }
    if (!quern_check_next_is(checker, "{"))
        return type;
    size_t items[256][2];
    size_t count = quern_check_arguments(checker, checker->at, items, 256);
    for (size_t i = 0; i < count && i < 256; i++)
        if (quern_check_is_name(checker, items[i][0]))
            read_enumerator(checker, items[i], type, &is_known, &next);
    size_t close = checker->closing[checker->at];
    checker->at = close < checker->end ? close + 1 : checker->end;
    return type;
}

/* --- the dialect's types --- */

static void skip_brackets(quern_checker *checker)
{
    size_t close = checker->closing[checker->at];
    checker->at = close < checker->end ? close + 1 : checker->end;
}

/* At GLOBAL_POINTER(T) and the like. */
static quern_check_type read_pointer_word(quern_checker *checker)
{
    const char *word = checker->tokens[checker->at].text;
    size_t close = checker->closing[checker->at + 1], outer_end = checker->end;
    quern_check_type type = {0};
    checker->at += 2;
    if (quern_check_enter(checker)) {
        checker->end = close < outer_end ? close : outer_end;
        if (quern_check_read_type(checker, &type))
            while (quern_check_accept(checker, "*"))
                type.pointers++;
        quern_check_leave(checker);
    }
    checker->end = outer_end;
    checker->at = close < outer_end ? close + 1 : outer_end;
    type.pointers++;
    type.space = word[0] == 'G' ? QUERN_SPACE_GLOBAL : word[0] == 'L' ? QUERN_SPACE_LOCAL : QUERN_SPACE_CONSTANT;
    type.is_const |= type.space == QUERN_SPACE_CONSTANT;
    return type;
}

static int is_pointer_word(const quern_checker *checker, size_t at)
{
    const quern_word *word = quern_check_is_name(checker, at) ? quern_word_find(checker->tokens[at].text) : NULL;
    return word && word->kind == QUERN_WORD_POINTER && quern_check_is(checker, at + 1, "(");
}

static int is_opaque_word(const quern_checker *checker, size_t at)
{
    static const char *const words[] = {"PACK",          "typeof",   "__typeof__", "__typeof",
                                        "__attribute__", "_Alignas", "_Atomic"};
    if (!quern_check_is(checker, at + 1, "("))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (quern_check_is(checker, at, words[i]))
            return 1;
    return 0;
}

int quern_check_starts_type(const quern_checker *checker, size_t at)
{
    if (at >= checker->end || !quern_check_is_name(checker, at))
        return 0;
    const char *name = checker->tokens[at].text;
    size_t symbol = quern_check_find(checker, name);
    if (symbol != QUERN_NOWHERE)
        return checker->symbols[symbol].kind == QUERN_SYMBOL_TYPE;
    return quern_word_is_type(name) || quern_word_is_qualifier(name) || is_pointer_word(checker, at) ||
           is_opaque_word(checker, at);
}

int quern_check_read_type(quern_checker *checker, quern_check_type *type)
{
    builtin words = {0};
    int has_builtin = 0, has_other = 0, has_qualifier = 0, is_const = 0;
    memset(type, 0, sizeof *type);
    while (quern_check_starts_type(checker, checker->at)) {
        const char *name = checker->tokens[checker->at].text;
        size_t symbol = quern_check_find(checker, name);
        if (symbol != QUERN_NOWHERE) {
            if (has_builtin || has_other)
                break; /* a declaration of that name again */
            *type = checker->symbols[symbol].type;
            has_other = 1;
            checker->at++;
        } else if (is_opaque_word(checker, checker->at)) {
            has_other |= name[0] == 'P' || strstr(name, "typeof") != NULL;
            has_qualifier = 1;
            checker->at++;
            skip_brackets(checker);
        } else if (quern_word_is_qualifier(name)) {
            has_qualifier = 1;
            is_const |= strcmp(name, "const") == 0 || strcmp(name, "__const") == 0;
            checker->at++;
        } else if (is_pointer_word(checker, checker->at)) {
            *type = read_pointer_word(checker);
            has_other = 1;
        } else if (strcmp(name, "struct") == 0 || strcmp(name, "union") == 0) {
            *type = read_struct(checker);
            has_other = 1;
        } else if (strcmp(name, "enum") == 0) {
            *type = read_enum(checker);
            has_other = 1;
        } else {
            if ((has_builtin || has_other) && !quern_word_is_type_keyword(name))
                break; /* `int half`: a name that is a type in another language */
            add_word(&words, name);
            has_builtin = 1;
            checker->at++;
        }
    }
    if (has_builtin && !has_other)
        *type = builtin_type(&words);
    type->is_const |= is_const;
    /* `const thing x`: thing is a type that is not known here. */
    if (!has_builtin && !has_other && quern_check_peek(checker, 0)->kind == QUERN_TOKEN_NAME &&
        (quern_check_peek(checker, 1)->kind == QUERN_TOKEN_NAME ||
         (has_qualifier && quern_check_is(checker, checker->at + 1, "*")))) {
        checker->at++;
        return 1;
    }
    return has_builtin || has_other || has_qualifier;
}

quern_check_type quern_check_type_of_text(const quern_checker *checker, const char *text)
{
    builtin words = {0};
    quern_check_type type = {0};
    unsigned pointers = 0;
    int has_builtin = 0;
    char word[128];
    while (*text) {
        size_t length = strcspn(text, " ");
        if (length >= sizeof word)
            return (quern_check_type){0};
        memcpy(word, text, length);
        word[length] = '\0';
        text += length + (text[length] == ' ');
        size_t symbol = quern_check_find(checker, word);
        if (strcmp(word, "*") == 0) {
            pointers++;
        } else if (symbol != QUERN_NOWHERE && checker->symbols[symbol].kind == QUERN_SYMBOL_TYPE) {
            type = checker->symbols[symbol].type;
        } else if (strcmp(word, "struct") == 0) {
            type.base = QUERN_BASE_STRUCT;
        } else if (type.base == QUERN_BASE_STRUCT && !type.structure) {
            type.structure = quern_check_find_struct(checker, word);
        } else if (quern_word_is_type(word)) {
            add_word(&words, word);
            has_builtin = 1;
        }
    }
    if (has_builtin)
        type = builtin_type(&words);
    type.pointers += pointers;
    return type;
}

/* A struct cannot hold itself but through a pointer, which ends the search; the limit is for texts that are no C. */
static const char *barred_within(const quern_check_type *type, int depth)
{
    if (type->pointers)
        return "a pointer";
    if (type->barred || !type->structure || depth > 16)
        return type->barred;
    for (size_t i = 0; i < type->structure->field_count; i++) {
        const char *barred = barred_within(&type->structure->fields[i].type, depth + 1);
        if (barred)
            return barred;
    }
    return NULL;
}

const char *quern_check_barred_type(const quern_check_type *type)
{
    return barred_within(type, 0);
}
