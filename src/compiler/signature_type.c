/*
 * Element and parameter types: which the subset allows, and how host code can spell them.
 *
 * A type may be a macro (the preprocessor has resolved it) or a typedef of the file (resolved here).
 */
#include "signature_read.h"

#include "check_words.h"

#include <string.h>

enum { DEEPEST_TYPEDEF = 16 };

const quern_signature_struct *quern_signature_find_struct(const quern_signature_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->signature->struct_count; ++i)
        if (strcmp(reader->signature->structs[i]->name, name) == 0)
            return reader->signature->structs[i];
    return NULL;
}

static const quern_signature_typedef *find_typedef(const quern_signature_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->typedef_count; ++i)
        if (strcmp(reader->typedefs[i].name, name) == 0)
            return &reader->typedefs[i];
    return NULL;
}

static int has_tag(const quern_signature_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->tag_count; ++i)
        if (strcmp(reader->tags[i].name, name) == 0)
            return 1;
    return 0;
}

static int is_scalar_name(const char *name)
{
    static const char *const names[] = {"int8_t",   "int16_t",  "int32_t",  "int64_t", "uint8_t", "uint16_t",
                                        "uint32_t", "uint64_t", "float",    "double",  "char",    "short",
                                        "int",      "signed",   "unsigned", NULL};
    for (size_t i = 0; names[i]; ++i)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

/* The words of char, short and int with signed and unsigned, in any order C allows. */
static int is_integer_words(const quern_signature_reader *reader, quern_token_range range)
{
    static const char *const words[] = {"char", "short", "int", "signed", "unsigned"};
    int seen[5] = {0};
    for (size_t i = range.begin; i < range.end; ++i) {
        int w = 0;
        while (w < 5 && !quern_signature_is(reader, i, words[w]))
            ++w;
        if (w == 5 || seen[w]++)
            return 0;
    }
    return !(seen[3] && seen[4]) && !(seen[0] && (seen[1] || seen[2]));
}

/* What a word anywhere in a type says against it; NULL for nothing. */
static const char *fault_of_word(const quern_token *token)
{
    static const char *const faults[][2] = {
        {"*", "is a pointer"},
        {"[", "is an array"},
        {"(", "is no plain type"},
        {"const", "is const, which the parameter's form says already"},
        {"volatile", "is volatile"},
        {"restrict", "is restrict"},
        {"_Atomic", "is _Atomic"},
        {"long", "has not the same size everywhere (use int32_t or int64_t)"},
        {"_Bool", "is no type that all backends pass (use uint8_t)"},
        {"bool", "is no type that all backends pass (use uint8_t)"},
        {"void", "is no type of an element"},
        {"union", "is a union"},
        {"enum", "is an enumeration (use int)"},
        {"_Complex", "is complex"},
        {"quern_index", "has not the same size on every backend (use int32_t or int64_t)"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i)
        if (quern_token_is(token, faults[i][0]))
            return faults[i][1];
    return NULL;
}

static const char *resolve(quern_signature_reader *reader, quern_token_range range, quern_signature_type *type,
                           int depth);

static const char *resolve_name(quern_signature_reader *reader, size_t at, quern_signature_type *type, int depth)
{
    const char *name = reader->tokens[at].text;
    if (is_scalar_name(name))
        return NULL;
    if (quern_word_is_type(name))
        return "has not the same size everywhere, or not on every backend (use int32_t or int64_t)";
    if ((type->structure = quern_signature_find_struct(reader, name)) != NULL) {
        type->host_type = type->structure->name;
        return NULL;
    }
    const quern_signature_typedef *found = find_typedef(reader, name);
    if (!found || depth >= DEEPEST_TYPEDEF)
        return "is not declared before";
    if (found->fault)
        return found->fault;
    const char *fault = resolve(reader, found->type, type, depth + 1);
    /* A struct without a tag has no other name than this one, and that only where it is defined. */
    if (!fault && !type->host_type) {
        type->host_type = name;
        type->host_header = found->where->file;
    }
    return fault;
}

static const char *resolve_struct(quern_signature_reader *reader, quern_token_range range, quern_signature_type *type)
{
    size_t at = range.begin + 1;
    if (quern_signature_is(reader, at, "{")) {
        type->host_type = NULL;
        return NULL;
    }
    if (!quern_signature_is_name(reader, at) || (range.end > at + 1 && !quern_signature_is(reader, at + 1, "{")))
        return "is no plain type";
    type->structure = quern_signature_find_struct(reader, reader->tokens[at].text);
    type->host_type = type->structure ? type->structure->name
                                      : quern_signature_join(reader, (quern_token_range){range.begin, at + 1});
    return type->structure || has_tag(reader, reader->tokens[at].text) ? NULL
                                                                       : "is a struct that is not defined before";
}

static const char *resolve(quern_signature_reader *reader, quern_token_range range, quern_signature_type *type,
                           int depth)
{
    if (range.begin >= range.end)
        return "is empty";
    if (quern_signature_is(reader, range.begin, "struct"))
        return resolve_struct(reader, range, type);
    for (size_t i = range.begin; i < range.end; ++i) {
        const char *fault = fault_of_word(&reader->tokens[i]);
        if (fault)
            return fault;
    }
    type->host_type = quern_signature_join(reader, range);
    if (range.end - range.begin == 1 && quern_signature_is_name(reader, range.begin))
        return resolve_name(reader, range.begin, type, depth);
    return is_integer_words(reader, range) ? NULL : "is no type of the dialect";
}

const char *quern_signature_resolve(quern_signature_reader *reader, quern_token_range range, quern_signature_type *type)
{
    *type = (quern_signature_type){0};
    return resolve(reader, range, type, 0);
}

/* ---- what the file itself declares --------------------------------------------------------------------------------
 */

/* The index of the `;` that ends the declaration at `at`; count when there is none. */
static size_t find_semicolon(const quern_signature_reader *reader, size_t at)
{
    for (; at < reader->count && !quern_signature_is(reader, at, ";"); ++at)
        if (quern_signature_is(reader, at, "(") || quern_signature_is(reader, at, "[") ||
            quern_signature_is(reader, at, "{"))
            at = quern_tokens_closing(&reader->signature->tokens, at);
    return at < reader->count ? at : reader->count;
}

/* The name that a typedef gives: the last one before `;` that is in no bracket. */
void quern_signature_read_typedef(quern_signature_reader *reader, size_t at)
{
    size_t end = find_semicolon(reader, at), name = end;
    const char *fault = NULL;
    for (size_t i = at + 1; i < end; ++i) {
        if (quern_signature_is_name(reader, i) && !quern_signature_is(reader, i, "__attribute__"))
            name = i;
        else if (quern_signature_is(reader, i, "*"))
            fault = "is a pointer";
        else if (quern_signature_is(reader, i, "["))
            fault = "is an array";
        else if (quern_signature_is(reader, i, "(") && i > at + 1 &&
                 !quern_signature_is(reader, i - 1, "__attribute__"))
            fault = "is no plain type";
        if (quern_signature_is(reader, i, "(") || quern_signature_is(reader, i, "[") ||
            quern_signature_is(reader, i, "{"))
            i = quern_tokens_closing(&reader->signature->tokens, i);
    }
    if (name >= end || name <= at + 1)
        return;
    quern_signature_typedef *typedefs =
        quern_signature_append(reader, reader->typedefs, &reader->typedef_count, sizeof *typedefs);
    if (!typedefs)
        return;
    reader->typedefs = typedefs;
    typedefs[reader->typedef_count - 1] =
        (quern_signature_typedef){reader->tokens[name].text, &reader->tokens[name], {at + 1, name}, fault};
}

/* at: the word `struct` */
void quern_signature_read_tag(quern_signature_reader *reader, size_t at)
{
    if (!quern_signature_is_name(reader, at + 1) || !quern_signature_is(reader, at + 2, "{"))
        return;
    quern_signature_tag *tags = quern_signature_append(reader, reader->tags, &reader->tag_count, sizeof *tags);
    if (!tags)
        return;
    reader->tags = tags;
    tags[reader->tag_count - 1].name = reader->tokens[at + 1].text;
}

static void add_enumerator(quern_signature_reader *reader, const char *name, int64_t value)
{
    quern_signature_enumerator *enumerators =
        quern_signature_append(reader, reader->enumerators, &reader->enumerator_count, sizeof *enumerators);
    if (!enumerators)
        return;
    reader->enumerators = enumerators;
    enumerators[reader->enumerator_count - 1] = (quern_signature_enumerator){name, value};
}

/* at: the word `enum`. An enumerator whose value is too hard to work out ends the reading: those after it count on from
 * it. */
void quern_signature_read_enum(quern_signature_reader *reader, size_t at)
{
    at += quern_signature_is_name(reader, at + 1) ? 2 : 1;
    if (!quern_signature_is(reader, at, "{"))
        return;
    quern_token_range body = {at + 1, quern_tokens_closing(&reader->signature->tokens, at)}, argument;
    int64_t value = 0;
    int more = 1;
    while (quern_signature_next_argument(reader, &body, &more, &argument)) {
        if (argument.begin >= argument.end || !quern_signature_is_name(reader, argument.begin))
            return;
        quern_token_range given = {argument.begin + 2, argument.end};
        if (given.begin <= given.end &&
            (!quern_signature_is(reader, argument.begin + 1, "=") || !quern_signature_constant(reader, given, &value)))
            return;
        add_enumerator(reader, reader->tokens[argument.begin].text, value);
        if (value == INT64_MAX)
            return;
        ++value;
    }
}
