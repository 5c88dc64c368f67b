/*
 * CUDA C++: what begins a text, the head of a kernel, the enumerations of C, and its numbers of 64 bits.
 *
 * CUDA has one kind of pointers for all memory. A `local` parameter is a place in the group's dynamic memory
 * (dialect/device_abi.h).
 */
#include "emit_device.h"

#include <string.h>

/* ---- the begin of a text and of a kernel ---- */

/* The most items that a group has on any device; NVRTC takes no larger bound. */
enum { MOST_ITEMS = 1024 };

static void begin(quern_device_writer *writer, quern_fp_mode fp)
{
    if (fp == QUERN_FP_FAST)
        quern_device_line(writer, "#define QUERN_FAST 1");
}

/* 0 when there is no group, the launch gives its size, or no device has it. */
static size_t group_items(const quern_signature_kernel *kernel)
{
    size_t items = kernel->is_group ? 1 : 0;
    for (uint32_t d = 0; d < kernel->group_rank; ++d)
        items = kernel->group[d] > MOST_ITEMS ? 0 : items * kernel->group[d];
    return items > MOST_ITEMS ? 0 : items;
}

static void add_head(quern_text *head, const quern_signature_kernel *kernel)
{
    size_t items = group_items(kernel);
    quern_text_add(head, "extern \"C\" __global__ void ");
    if (items)
        quern_text_add(head, "__launch_bounds__(%zu) ", items);
    quern_text_add(head, "quern_k_%s", kernel->name);
}

/* ---- enumerations ---- */

/*
 * In C an enum's variable is an integer, which takes any integer; in C++ only what is of that enum. So the enum keeps
 * its constants and loses its tag, and what is declared by it gets the integer type that C gives it:
 *
 *     enum mode { PLAIN, TWICE } m = 1;
 *     enum { PLAIN, TWICE }; typedef quern_enum<PLAIN < 0 || TWICE < 0>::type quern_enum_of_mode; quern_enum_of_mode m
 *     = 1;
 */
static const quern_token *token_at(const quern_device_writer *writer, size_t token)
{
    return &writer->signature->tokens.tokens[token];
}

/* The name of that type; one without a tag gets a number. */
static void insert_type(quern_device_writer *writer, size_t at)
{
    const quern_token *tag = token_at(writer, at + 1);
    if (tag->kind == QUERN_TOKEN_NAME)
        quern_device_insert(writer, "quern_enum_of_%s", tag->text);
    else
        quern_device_insert(writer, "quern_enum_of_%zu", at);
}

/* A < 0 || B < 0 */
static void insert_is_negative(quern_device_writer *writer, size_t open, size_t closing)
{
    const quern_token_list *tokens = &writer->signature->tokens;
    const char *between = "";
    for (size_t i = open + 1; i < closing; ++i) {
        if (quern_token_is(token_at(writer, i), "(")) {
            i = quern_tokens_closing(tokens, i);
        } else if (quern_token_is(token_at(writer, i - 1), i == open + 1 ? "{" : ",") &&
                   token_at(writer, i)->kind == QUERN_TOKEN_NAME) {
            const char *name = token_at(writer, i)->text;
            quern_device_insert(writer, "%s%s%s < 0", between, quern_device_prefix(writer, name), name);
            between = " || ";
        }
    }
}

/* enum tag { … }, of which `open` is the brace: the constants, then the type of what is declared by it. */
static size_t write_enumerators(quern_device_writer *writer, size_t at, size_t open, const char *before_type)
{
    size_t closing = quern_tokens_closing(&writer->signature->tokens, open);
    int has_tag = open == at + 2, declares = !quern_token_is(token_at(writer, closing + 1), ";");
    quern_device_begin(writer, at);
    quern_device_insert(writer, "enum ");
    quern_device_tokens(writer, open, closing + 1);
    if (has_tag || declares) {
        quern_device_insert(writer, "; typedef quern_enum<(");
        insert_is_negative(writer, open, closing);
        quern_device_insert(writer, ")>::type ");
        insert_type(writer, at);
    }
    if (declares) {
        quern_device_insert(writer, "; %s", before_type);
        insert_type(writer, at);
    }
    return closing + 1;
}

/* Where the list of an enum's constants begins; 0 when it has none. */
static size_t find_enumerators(const quern_device_writer *writer, size_t at)
{
    size_t open = at + (token_at(writer, at + 1)->kind == QUERN_TOKEN_NAME ? 2 : 1);
    return quern_token_is(token_at(writer, open), "{") ? open : 0;
}

static size_t write_enum(quern_device_writer *writer, size_t at, size_t end)
{
    size_t is_typedef = quern_token_is(token_at(writer, at), "typedef") ? 1 : 0;
    if (at + is_typedef + 2 >= end || !quern_token_is(token_at(writer, at + is_typedef), "enum"))
        return 0;
    size_t open = find_enumerators(writer, at + is_typedef);
    if (open)
        return write_enumerators(writer, at + is_typedef, open, is_typedef ? "typedef " : "");
    if (is_typedef)
        return 0;
    quern_device_begin(writer, at);
    insert_type(writer, at);
    return at + 2;
}

/* ---- numbers ---- */

/* 1ul as QUERN_LONG(1u): which letters make a number of 64 bits depends on the NVRTC. */
static size_t write_long(quern_device_writer *writer, size_t at)
{
    const char *text = token_at(writer, at)->text;
    size_t digits = strcspn(text, "lL"); /* in no hexadecimal digit */
    if (!text[digits])
        return 0;
    size_t behind = digits + strspn(text + digits, "lL");
    quern_device_begin(writer, at);
    quern_device_insert(writer, "QUERN_LONG(%.*s%s)", (int)digits, text, text + behind);
    return at + 1;
}

static size_t write_word(quern_device_writer *writer, size_t at, size_t end)
{
    return token_at(writer, at)->kind == QUERN_TOKEN_NUMBER ? write_long(writer, at) : write_enum(writer, at, end);
}

/* ---- the language ---- */

static const char *const headers[] = {"quern/dialect/cuda.h",
                                      "quern/dialect/cuda_items.h",
                                      "quern/dialect/constants.h",
                                      "quern/dialect/device_memory.h",
                                      "quern/dialect/cuda_math.h",
                                      "quern/dialect/cuda_atomics.h",
                                      NULL};

const quern_device_language quern_language_cuda = {
    .backend = "cuda",
    .name = "cuda-c++",
    .headers = headers,
    .literal = {"(quern_type<", ">::type{", "})"},
    .math = "quern_",
    .global = "",
    .local = NULL,
    .restricted = "__restrict__",
    .begin = begin,
    .add_head = add_head,
    .write_word = write_word,
};
