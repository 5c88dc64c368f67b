/*
 * Statements of a body: where they end, and what stands between the phases of a group kernel.
 *
 * The body has passed the checker, so it is well formed. What is found here by tokens alone errs to the safe side.
 */
#include "emit_device.h"

#include "check_words.h"

#include <stdlib.h>

/* ---- where a statement ends ---- */

static size_t behind_bracket(const quern_token_list *tokens, size_t open, size_t end)
{
    size_t closing = quern_tokens_closing(tokens, open);
    return closing < end ? closing + 1 : end;
}

/* Behind the semicolon that ends what begins here. */
static size_t behind_semicolon(const quern_token_list *tokens, size_t at, size_t end)
{
    for (; at < end && !quern_token_is(&tokens->tokens[at], ";"); ++at) {
        size_t closing = quern_tokens_closing(tokens, at);
        at = closing < end ? closing : at;
    }
    return at < end ? at + 1 : end;
}

/* Behind the colon of `case 1:` or `name:`. */
static size_t behind_colon(const quern_token_list *tokens, size_t at, size_t end)
{
    size_t choices = 0;
    for (; at < end; ++at) {
        choices += (size_t)quern_token_is(&tokens->tokens[at], "?");
        if (quern_token_is(&tokens->tokens[at], ":") && choices-- == 0)
            return at + 1;
    }
    return end;
}

static int is_one_of(const quern_token_list *tokens, size_t at, const char *const *words)
{
    for (; *words; ++words)
        if (quern_token_is(&tokens->tokens[at], *words))
            return 1;
    return 0;
}

size_t quern_device_prefix_end(const quern_token_list *tokens, size_t at, size_t end)
{
    static const char *const with_brackets[] = {"for", "while", "switch", NULL}, *const labels[] = {"case", NULL};
    const quern_token *token = &tokens->tokens[at];
    const quern_word *word = token->kind == QUERN_TOKEN_NAME ? quern_word_find(token->text) : NULL;
    if (quern_token_is(token, "ONCE"))
        return at + 1;
    if (is_one_of(tokens, at, with_brackets) ||
        (word && (word->kind == QUERN_WORD_PHASE || word->kind == QUERN_WORD_EACH)))
        return behind_bracket(tokens, at + 1, end);
    if (is_one_of(tokens, at, labels) || (token->kind == QUERN_TOKEN_NAME && quern_token_is(token + 1, ":")))
        return behind_colon(tokens, at + 1, end);
    return 0;
}

size_t quern_device_statement_end(const quern_token_list *tokens, size_t at, size_t end)
{
    while (at < end && tokens->tokens[at].kind == QUERN_TOKEN_PRAGMA)
        ++at;
    for (size_t behind; at < end && (behind = quern_device_prefix_end(tokens, at, end)) != 0;)
        at = behind;
    if (at >= end)
        return end;
    if (quern_token_is(&tokens->tokens[at], "{"))
        return behind_bracket(tokens, at, end);
    if (quern_token_is(&tokens->tokens[at], "do")) /* its own semicolon is the one behind its condition */
        return behind_semicolon(tokens, quern_device_statement_end(tokens, at + 1, end), end);
    if (!quern_token_is(&tokens->tokens[at], "if"))
        return behind_semicolon(tokens, at, end);
    while (at < end && quern_token_is(&tokens->tokens[at], "if")) {
        at = quern_device_statement_end(tokens, behind_bracket(tokens, at + 1, end), end);
        if (at >= end || !quern_token_is(&tokens->tokens[at], "else"))
            return at;
        ++at;
    }
    return quern_device_statement_end(tokens, at, end);
}

/* ---- between phases ---- */

static int is_written(const quern_signature_parameter *parameter)
{
    return parameter->form != QUERN_PARAMETER_IN && parameter->form != QUERN_PARAMETER_IN_ND &&
           parameter->form != QUERN_PARAMETER_VALUE;
}

/* What phases may write: parameters, and the arrays of LOCAL(T, name, n). 0 when memory is exhausted. */
static int find_memory(const quern_token_list *tokens, const quern_signature_kernel *kernel, quern_name_set *memory)
{
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        if (is_written(&kernel->parameters[i]) && !quern_name_add(memory, kernel->parameters[i].name, 0))
            return 0;
    for (size_t i = kernel->body_begin; i + 2 < kernel->body_end; ++i) {
        if (!quern_token_is(&tokens->tokens[i], "LOCAL") || !quern_token_is(&tokens->tokens[i + 1], "("))
            continue;
        while (i < kernel->body_end && !quern_token_is(&tokens->tokens[i], ","))
            ++i;
        if (!quern_name_add(memory, tokens->tokens[i + 1].text, 0))
            return 0;
    }
    return 1;
}

/* Behind what reads nothing, or has barriers of its own: phases, LOCAL, READ_UNIFORM, EXTENT; 0 for anything else. */
static size_t behind_harmless(const quern_token_list *tokens, size_t at, size_t end)
{
    static const char *const words[] = {"LOCAL", "PRIVATE", "READ_UNIFORM", "EXTENT", NULL};
    const quern_word *word =
        tokens->tokens[at].kind == QUERN_TOKEN_NAME ? quern_word_find(tokens->tokens[at].text) : NULL;
    if (!word)
        return 0;
    if (word->kind == QUERN_WORD_PHASE)
        return quern_device_statement_end(tokens, at, end);
    return is_one_of(tokens, at, words) && quern_token_is(&tokens->tokens[at + 1], "(")
               ? behind_bracket(tokens, at + 1, end)
               : 0;
}

static int uses_between_phases(const quern_token_list *tokens, const quern_signature_kernel *kernel,
                               const quern_name_set *memory)
{
    for (size_t at = kernel->body_begin + 1; at < kernel->body_end;) {
        size_t behind = behind_harmless(tokens, at, kernel->body_end);
        if (!behind && tokens->tokens[at].kind == QUERN_TOKEN_NAME && quern_name_find(memory, tokens->tokens[at].text))
            return 1;
        at = behind ? behind : at + 1;
    }
    return 0;
}

int quern_device_reads_between_phases(const quern_signature *signature, const quern_signature_kernel *kernel)
{
    quern_name_set memory = {0};
    int reads = kernel->is_group && (!find_memory(&signature->tokens, kernel, &memory) ||
                                     uses_between_phases(&signature->tokens, kernel, &memory));
    free(memory.slots);
    return reads;
}
