/* KERNEL(name, parameters…) { … } and GROUP_KERNEL(name, group size, parameters…) { … } */
#include "signature_read.h"

#include "check_words.h"

#include "base/error.h"

#include <string.h>

/* ---- the group size ------------------------------------------------------------------------------------------------
 */

/* (4, 64): the tokens inside the parentheses, if they enclose all of it. */
static quern_token_range strip_parentheses(const quern_signature_reader *reader, quern_token_range range)
{
    if (quern_signature_is(reader, range.begin, "(") &&
        quern_tokens_closing(&reader->signature->tokens, range.begin) + 1 == range.end)
        return (quern_token_range){range.begin + 1, range.end - 1};
    return range;
}

static int read_one_size(quern_signature_reader *reader, const quern_signature_kernel *kernel, quern_token_range range,
                         size_t *size)
{
    int64_t value;
    *size = 0;
    if (range.end - range.begin == 1 && quern_signature_is(reader, range.begin, "ANY"))
        return 1;
    if (quern_signature_constant(reader, range, &value) && value > 0 && value <= INT32_MAX) {
        *size = (size_t)value;
        return 1;
    }
    quern_error_at(reader->diagnostics, kernel->where,
                   "kernel '%s': the group size must be positive integer constants or ANY, but is '%s'", kernel->name,
                   quern_signature_join(reader, range));
    return 0;
}

static void check_group_size(quern_signature_reader *reader, const quern_signature_kernel *kernel)
{
    size_t items = 1, given = 0;
    for (uint32_t d = 0; d < kernel->group_rank; ++d) {
        given += kernel->group[d] > 0;
        if (kernel->group[d] && (quern_multiply_overflows(items, kernel->group[d], &items) || items > INT32_MAX)) {
            quern_error_at(reader->diagnostics, kernel->where, "kernel '%s': a group has more than %d items",
                           kernel->name, INT32_MAX);
            return;
        }
    }
    if (given != 0 && given != kernel->group_rank)
        quern_error_at(reader->diagnostics, kernel->where,
                       "kernel '%s': ANY stands for all sizes of a group or for none", kernel->name);
}

static void read_group(quern_signature_reader *reader, quern_signature_kernel *kernel, quern_token_range range)
{
    quern_token_range sizes = strip_parentheses(reader, range), size;
    int more = 1;
    kernel->rank = (int32_t)(kernel->group_rank = 0);
    while (quern_signature_next_argument(reader, &sizes, &more, &size)) {
        if (kernel->group_rank == 3) {
            quern_error_at(reader->diagnostics, kernel->where,
                           "kernel '%s': a group has at most 3 dimensions, but its size is '%s'", kernel->name,
                           quern_signature_join(reader, range));
            return;
        }
        if (!read_one_size(reader, kernel, size, &kernel->group[kernel->group_rank++]))
            return;
    }
    kernel->rank = (int32_t)kernel->group_rank;
    check_group_size(reader, kernel);
}

/* ---- the rank of a kernel without groups ----------------------------------------------------------------------------
 */

static int32_t rank_of_each(const quern_token *token)
{
    if (quern_token_is(token, "EACH"))
        return 1;
    if (quern_token_is(token, "EACH2"))
        return 2;
    if (quern_token_is(token, "EACH3"))
        return 3;
    return quern_token_is(token, "EACH_INDEX") ? -1 : 0;
}

/* A phase in it, or an EACH_… that is none: the checker says what is wrong with those. */
static int has_other_regions(const quern_signature_reader *reader, const quern_signature_kernel *kernel)
{
    for (size_t i = kernel->body_begin; i < kernel->body_end; ++i) {
        const quern_word *word =
            reader->tokens[i].kind == QUERN_TOKEN_NAME ? quern_word_find(reader->tokens[i].text) : NULL;
        if (word && (word->kind == QUERN_WORD_PHASE || word->kind == QUERN_WORD_EACH))
            return 1;
    }
    return 0;
}

static void find_rank(quern_signature_reader *reader, quern_signature_kernel *kernel)
{
    const quern_token *first = NULL;
    for (size_t i = kernel->body_begin; i < kernel->body_end; ++i) {
        const quern_token *token = &reader->tokens[i];
        int32_t rank = rank_of_each(token);
        if (rank == 0 || !quern_signature_is(reader, i + 1, "("))
            continue;
        if (first && rank != kernel->rank)
            quern_error_at(reader->diagnostics, token, "kernel '%s': %s and %s in one kernel have different ranks",
                           kernel->name, first->text, token->text);
        else
            kernel->rank = rank;
        first = first ? first : token;
    }
    if (!first && !has_other_regions(reader, kernel))
        quern_error_at(reader->diagnostics, kernel->where, "kernel '%s' has no EACH, so it would do nothing",
                       kernel->name);
}

/* ---- the record ---- */

static quern_signature_kernel *append(quern_signature_reader *reader)
{
    quern_signature *signature = reader->signature;
    quern_signature_kernel *kernels =
        quern_signature_append(reader, signature->kernels, &signature->kernel_count, sizeof *kernels);
    if (!kernels)
        return NULL;
    signature->kernels = kernels;
    return &kernels[signature->kernel_count - 1];
}

static void check_kernel_name(quern_signature_reader *reader, const quern_signature_kernel *kernel)
{
    const quern_signature *signature = reader->signature;
    if (!quern_signature_check_name(reader, kernel->where, "a kernel's name"))
        return;
    for (size_t i = 0; i + 1 < signature->kernel_count; ++i)
        if (strcmp(signature->kernels[i].name, kernel->name) == 0)
            quern_error_at(reader->diagnostics, kernel->where, "there are two kernels named '%s', the first at %s:%d",
                           kernel->name, signature->kernels[i].where->file, signature->kernels[i].where->line);
    for (size_t i = 0; i < signature->helper_count; ++i)
        if (strcmp(signature->helpers[i].name, kernel->name) == 0)
            quern_error_at(reader->diagnostics, kernel->where,
                           "kernel '%s' has the name of the helper function at %s:%d", kernel->name,
                           signature->helpers[i].where->file, signature->helpers[i].where->line);
    if (quern_signature_find_struct(reader, kernel->name))
        quern_error_at(reader->diagnostics, kernel->where, "kernel '%s' has the name of a STRUCT", kernel->name);
}

/* The parameters, of which only so many are kept that further ones are still noticed. */
static void read_parameters(quern_signature_reader *reader, quern_signature_kernel *kernel, quern_token_range range,
                            int more)
{
    quern_token_range argument;
    size_t count = 0;
    while (quern_signature_next_argument(reader, &range, &more, &argument))
        if (++count <= QUERN_MAX_PARAMETERS)
            quern_signature_read_parameter(reader, kernel, argument);
    if (count > QUERN_MAX_PARAMETERS)
        quern_error_at(reader->diagnostics, kernel->where, "kernel '%s' has %zu parameters; %d are the most",
                       kernel->name, count, QUERN_MAX_PARAMETERS);
}

static size_t read_body(quern_signature_reader *reader, quern_signature_kernel *kernel, size_t at)
{
    if (!quern_signature_is(reader, at, "{")) {
        quern_error_at(reader->diagnostics, kernel->where, "kernel '%s' has no body", kernel->name);
        return at;
    }
    kernel->body_begin = at;
    kernel->body_end = quern_tokens_closing(&reader->signature->tokens, at);
    if (kernel->body_end >= reader->count) {
        quern_error_at(reader->diagnostics, &reader->tokens[at], "the body of kernel '%s' is not closed", kernel->name);
        kernel->body_begin = kernel->body_end = 0;
        return reader->count;
    }
    if (!kernel->is_group)
        find_rank(reader, kernel);
    return kernel->body_end + 1;
}

size_t quern_signature_read_kernel(quern_signature_reader *reader, size_t at)
{
    int is_group = quern_token_is(&reader->tokens[at], "GROUP_KERNEL"), more = 1;
    size_t closing = quern_tokens_closing(&reader->signature->tokens, at + 1);
    if (closing >= reader->count) {
        quern_error_at(reader->diagnostics, &reader->tokens[at], "the '(' of this %s is not closed",
                       reader->tokens[at].text);
        return reader->count;
    }
    quern_token_range range = {at + 2, closing}, argument;
    quern_signature_next_argument(reader, &range, &more, &argument);
    if (argument.end != argument.begin + 1) {
        quern_error_at(reader->diagnostics, &reader->tokens[at], "%s needs a name first, but has '%s'",
                       reader->tokens[at].text, quern_signature_join(reader, argument));
        return closing + 1;
    }
    quern_signature_kernel *kernel = append(reader);
    if (!kernel)
        return closing + 1;
    kernel->where = &reader->tokens[argument.begin];
    kernel->name = kernel->where->text;
    kernel->is_group = is_group;
    check_kernel_name(reader, kernel);
    if (is_group) {
        if (quern_signature_next_argument(reader, &range, &more, &argument))
            read_group(reader, kernel, argument);
        else
            quern_error_at(reader->diagnostics, kernel->where, "kernel '%s': GROUP_KERNEL needs a group size",
                           kernel->name);
    }
    read_parameters(reader, kernel, range, more);
    return read_body(reader, kernel, closing + 1);
}
