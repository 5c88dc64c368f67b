/* What the emitters share: forms, argument types, names, the bytes of a kernel's own memory. */
#include "emit.h"

#include <string.h>

const char *quern_emit_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *quern_emit_form_word(quern_parameter_form form)
{
    static const char *const words[] = {"", "in", "out", "inout", "in_nd", "out_nd", "inout_nd", "value", "local"};
    return words[form];
}

const char *quern_emit_argument_type(const quern_signature_parameter *parameter)
{
    switch (parameter->form) {
    case QUERN_PARAMETER_IN:
    case QUERN_PARAMETER_IN_ND:
        return "quern_const_view";
    case QUERN_PARAMETER_VALUE:
        return parameter->host_type;
    case QUERN_PARAMETER_LOCAL:
        return "size_t";
    default:
        return "quern_view";
    }
}

void quern_emit_level_suffix(quern_text *text, const char *level, const char *prefix)
{
    quern_text_add(text, "_");
    for (; *level; ++level)
        quern_text_add(text, "%c", *level == '-' ? '_' : *level);
    if (*prefix)
        quern_text_add(text, "_%s", prefix);
}

/* ---- LOCAL and PRIVATE ---- */

/* The group's size along a dimension, counted from the fastest; 1 beyond its rank. */
static size_t group_size(const quern_signature_kernel *kernel, uint32_t from_fastest)
{
    return from_fastest < kernel->group_rank ? kernel->group[kernel->group_rank - 1 - from_fastest] : 1;
}

/* One token of an array's length; 0 when it is not plain: what it means depends on more than the kernel's own text. */
static int add_length_token(quern_text *text, const quern_signature_kernel *kernel, const quern_token *token)
{
    static const char *const sizes[] = {"GROUP_SIZE", "GROUP_SIZE_Y", "GROUP_SIZE_Z"};
    size_t x = group_size(kernel, 0), y = group_size(kernel, 1), z = group_size(kernel, 2);
    if (token->kind == QUERN_TOKEN_NUMBER ||
        (token->kind == QUERN_TOKEN_PUNCTUATOR && strlen(token->text) <= 2 && strspn(token->text, "+-*/%()<>") > 0)) {
        quern_text_add(text, "%s ", token->text);
        return 1;
    }
    if (quern_token_is(token, "GROUP_ITEMS")) {
        quern_text_add(text, "(%zu * %zu * %zu) ", z, y, x);
        return x > 0;
    }
    for (uint32_t d = 0; d < 3; ++d)
        if (quern_token_is(token, sizes[d])) {
            quern_text_add(text, "%zu ", group_size(kernel, d));
            return group_size(kernel, d) > 0;
        }
    return 0;
}

/* The index of the comma at this level, or end. */
static size_t find_comma(const quern_token_list *tokens, size_t at, size_t end)
{
    for (; at < end && !quern_token_is(&tokens->tokens[at], ","); ++at) {
        size_t closing = quern_tokens_closing(tokens, at);
        at = closing < end ? closing : at;
    }
    return at;
}

/* at: the word LOCAL or PRIVATE in front of its parenthesis */
static void add_array(quern_text *text, const quern_token_list *tokens, const quern_signature_kernel *kernel, size_t at)
{
    size_t end = quern_tokens_closing(tokens, at + 1);
    if (end >= kernel->body_end)
        return;
    size_t type_end = find_comma(tokens, at + 2, end), name_end = find_comma(tokens, type_end + 1, end);
    quern_text length = {0};
    int plain = 1;
    for (size_t i = name_end + 1; i < end && plain; ++i)
        plain = add_length_token(&length, kernel, &tokens->tokens[i]);
    if (plain && type_end < end) {
        quern_text_add(text, " + sizeof(");
        for (size_t i = at + 2; i < type_end; ++i)
            quern_text_add(text, "%s ", tokens->tokens[i].text);
        quern_text_add(text, ")");
        if (length.length)
            quern_text_add(text, " * (uint64_t)(%s)", quern_text_string(&length));
    }
    text->failed |= length.failed;
    quern_text_free(&length);
}

void quern_emit_memory(quern_text *text, const quern_signature *signature, const quern_signature_kernel *kernel,
                       const char *word)
{
    const quern_token_list *tokens = &signature->tokens;
    quern_text_add(text, "(uint64_t)0");
    for (size_t i = kernel->body_begin; i + 1 < kernel->body_end; ++i)
        if (quern_token_is(&tokens->tokens[i], word) && quern_token_is(&tokens->tokens[i + 1], "("))
            add_array(text, tokens, kernel, i);
}
