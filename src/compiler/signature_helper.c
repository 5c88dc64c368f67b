/* DEVICE T name(parameters) { … }, or its declaration. */
#include "signature_read.h"

#include "check_words.h"

#include <string.h>

/* A name in front of a parenthesis that is part of the result's type or an attribute. */
static int is_part_of_type(const quern_signature_reader *reader, size_t at)
{
    static const char *const words[] = {"GLOBAL_POINTER", "LOCAL_POINTER", "CONSTANT_POINTER", "PACK",
                                        "__attribute__",  "__attribute",   "_Alignas",         "__typeof__"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (quern_signature_is(reader, at, words[i]))
            return 1;
    return 0;
}

/* The index of the helper's name; count when what follows DEVICE is no function (a variable, or the end). */
static size_t find_name(const quern_signature_reader *reader, size_t at)
{
    for (size_t i = at + 1; i + 1 < reader->count; ++i) {
        if (quern_signature_is(reader, i, ";") || quern_signature_is(reader, i, "{") ||
            quern_signature_is(reader, i, "="))
            break;
        if (!quern_signature_is(reader, i + 1, "("))
            continue;
        if (quern_signature_is_name(reader, i) && !is_part_of_type(reader, i))
            return i;
        i = quern_tokens_closing(&reader->signature->tokens, i + 1);
    }
    return reader->count;
}

static void check_helper_name(quern_signature_reader *reader, const quern_signature_helper *helper)
{
    const quern_signature *signature = reader->signature;
    if (!quern_signature_check_name(reader, helper->where, "a helper function's name"))
        return;
    if (quern_word_math(helper->name) != QUERN_MATH_NONE)
        quern_error_at(reader->diagnostics, helper->where,
                       "a helper function's name cannot be '%s': that is a function of the dialect", helper->name);
    for (size_t i = 0; i < signature->kernel_count; ++i)
        if (strcmp(signature->kernels[i].name, helper->name) == 0)
            quern_error_at(reader->diagnostics, helper->where,
                           "helper function '%s' has the name of the kernel at %s:%d", helper->name,
                           signature->kernels[i].where->file, signature->kernels[i].where->line);
}

static void append(quern_signature_reader *reader, quern_signature_helper helper)
{
    quern_signature *signature = reader->signature;
    quern_signature_helper *helpers =
        quern_signature_append(reader, signature->helpers, &signature->helper_count, sizeof *helpers);
    if (!helpers)
        return;
    signature->helpers = helpers;
    helpers[signature->helper_count - 1] = helper;
}

size_t quern_signature_read_helper(quern_signature_reader *reader, size_t at)
{
    size_t name = find_name(reader, at);
    if (name >= reader->count)
        return at + 1;
    quern_signature_helper helper = {
        .where = &reader->tokens[name], .name = reader->tokens[name].text, .begin = at, .parameters_begin = name + 1};
    helper.parameters_end = quern_tokens_closing(&reader->signature->tokens, name + 1);
    if (helper.parameters_end >= reader->count) {
        quern_error_at(reader->diagnostics, helper.where, "the '(' of helper function '%s' is not closed", helper.name);
        return reader->count;
    }
    size_t next = helper.parameters_end + 1;
    if (quern_signature_is(reader, next, "{")) {
        helper.body_begin = next;
        helper.body_end = quern_tokens_closing(&reader->signature->tokens, next);
        if (helper.body_end >= reader->count) {
            quern_error_at(reader->diagnostics, helper.where, "the body of helper function '%s' is not closed",
                           helper.name);
            return reader->count;
        }
        next = helper.body_end + 1;
    }
    check_helper_name(reader, &helper);
    append(reader, helper);
    return next;
}
