/*
 * The words of a body that are more than a macro can do for every language: phases, whose statement is closed in so
 * that `continue` ends the item and the barrier comes behind it; words with a varying number of arguments, which get
 * that number behind their names; and what depends on the kernel's parameters.
 */
#include "emit_device.h"

#include "check_words.h"

#include <stdlib.h>
#include <string.h>

static const quern_token *token_at(const quern_device_writer *writer, size_t token)
{
    return &writer->signature->tokens.tokens[token];
}

static int is_one_of(const quern_token_list *tokens, size_t at, const char *const *words)
{
    for (; *words; ++words)
        if (quern_token_is(&tokens->tokens[at], *words))
            return 1;
    return 0;
}

/* ---- phases ---- */

/* 1 when the statement stands among others of a block, and is not the branch or the body of one. */
static int is_in_block(const quern_device_writer *writer, size_t at)
{
    static const char *const before[] = {"{", "}", ";", NULL};
    return is_one_of(&writer->signature->tokens, at - 1, before);
}

/*
 * A barrier in front of a phase, when an item may still read between phases what another writes in this one: so a read
 * means the same as where that code runs once for the group. Not where one phase follows another directly.
 */
static void write_barrier_before(quern_device_writer *writer, size_t at, size_t behind)
{
    if (writer->reads_between_phases && at != writer->after_phase)
        quern_device_insert(writer, "QUERN_BARRIER; ");
    writer->after_phase = is_in_block(writer, at) ? behind : 0;
}

/* ITEMS (i) statement. TEAM_EACH is a loop, in which `continue` means what it should. Gives the index behind it. */
static size_t write_phase(quern_device_writer *writer, size_t at, size_t end)
{
    const quern_token_list *tokens = &writer->signature->tokens;
    int is_loop = quern_token_is(token_at(writer, at), "TEAM_EACH");
    size_t head_end = quern_device_prefix_end(tokens, at, end);
    size_t statement_end = quern_device_statement_end(tokens, head_end, end);
    quern_device_begin(writer, at);
    quern_device_insert(writer, "{ ");
    write_barrier_before(writer, at, statement_end);
    quern_device_insert(writer, "QUERN_%s", token_at(writer, at)->text);
    quern_device_tokens(writer, at + 1, head_end);
    if (!is_loop)
        quern_device_insert(writer, " do");
    quern_device_tokens(writer, head_end, statement_end);
    quern_device_insert(writer, is_loop ? " QUERN_BARRIER; }" : " while (0); QUERN_BARRIER; }");
    return statement_end;
}

/* ---- words with arguments ---- */

/* Where the first argument behind "(" ends, and how many there are; commas in brackets do not count. */
static size_t count_arguments(const quern_token_list *tokens, size_t open, size_t *first_end)
{
    size_t closing = quern_tokens_closing(tokens, open), count = 1;
    *first_end = closing;
    for (size_t i = open + 1; i < closing; ++i) {
        if (quern_token_is(&tokens->tokens[i], "(")) {
            i = quern_tokens_closing(tokens, i);
        } else if (quern_token_is(&tokens->tokens[i], ",")) {
            *first_end = count++ == 1 ? i : *first_end;
        }
    }
    return count;
}

static const quern_signature_parameter *find_parameter(const quern_device_writer *writer, const char *name,
                                                       size_t *number)
{
    for (size_t i = 0; writer->kernel && i < writer->kernel->parameter_count; ++i)
        if (strcmp(writer->kernel->parameters[i].name, name) == 0) {
            *number = i;
            return &writer->kernel->parameters[i];
        }
    return NULL;
}

/* EXTENT(x, d): a variable of its own for a plain number, else a word of the launch. 0 when it is neither. */
static size_t write_extent(quern_device_writer *writer, size_t at)
{
    const quern_token_list *tokens = &writer->signature->tokens;
    size_t first_end, number = 0, closing = quern_tokens_closing(tokens, at + 1);
    const char *name = token_at(writer, at + 2)->text;
    const quern_signature_parameter *parameter = find_parameter(writer, name, &number);
    if (!parameter || count_arguments(tokens, at + 1, &first_end) != 2)
        return 0;
    const quern_token *dimension = token_at(writer, first_end + 1);
    quern_device_begin(writer, at);
    if (first_end + 2 == closing && dimension->kind == QUERN_TOKEN_NUMBER && strlen(dimension->text) == 1 &&
        (uint32_t)(dimension->text[0] - '0') < parameter->rank) {
        quern_device_insert(writer, "quern_extent_of_%s%s_%s", quern_device_prefix(writer, name), name,
                            dimension->text);
    } else {
        quern_device_insert(writer, "quern_words.w[%zu + (",
                            quern_device_word(writer->language, writer->kernel, number) + 1);
        quern_device_tokens(writer, first_end + 1, closing);
        quern_device_insert(writer, ")]");
    }
    writer->last = token_at(writer, closing);
    return closing + 1;
}

/* AT_INDEX(x, idx) as QUERN_AT_INDEX_2(x, idx), by the parameter's rank; others by their number of indices. */
static size_t write_counted(quern_device_writer *writer, size_t at)
{
    const char *word = token_at(writer, at)->text;
    size_t first_end, number, count = count_arguments(&writer->signature->tokens, at + 1, &first_end);
    if (strcmp(word, "AT_INDEX") == 0) {
        const quern_signature_parameter *parameter = find_parameter(writer, token_at(writer, at + 2)->text, &number);
        count = parameter ? parameter->rank : 0;
    } else if (strcmp(word, "AT") == 0 || strcmp(word, "MINE") == 0) {
        --count;
    }
    quern_device_begin(writer, at);
    quern_device_insert(writer, "QUERN_%s_%zu", word, count);
    return at + 1;
}

/* MAKE(T, …) */
static size_t write_literal(quern_device_writer *writer, size_t at)
{
    const char *const *parts = writer->language->literal;
    size_t first_end, closing = quern_tokens_closing(&writer->signature->tokens, at + 1);
    count_arguments(&writer->signature->tokens, at + 1, &first_end);
    quern_device_begin(writer, at);
    quern_device_insert(writer, "%s", parts[0]);
    ++writer->parentheses;
    quern_device_tokens(writer, at + 2, first_end);
    quern_device_insert(writer, "%s", parts[1]);
    quern_device_tokens(writer, first_end < closing ? first_end + 1 : closing, closing);
    quern_device_insert(writer, "%s", parts[2]);
    --writer->parentheses;
    writer->last = token_at(writer, closing);
    return closing + 1;
}

/* ---- all of them ---- */

/* The index behind what was written; 0 when the token is to be written as it stands. */
static size_t write_word(quern_device_writer *writer, size_t at, size_t end)
{
    static const char *const counted[] = {"AT", "AT_INDEX", "MINE", "ITEM_LINEAR", "GLOBAL_LINEAR", NULL};
    const quern_token_list *tokens = &writer->signature->tokens;
    const quern_token *token = token_at(writer, at);
    const quern_word *word = token->kind == QUERN_TOKEN_NAME ? quern_word_find(token->text) : NULL;
    if (!word)
        return 0;
    if (word->kind == QUERN_WORD_PHASE)
        return write_phase(writer, at, end);
    if (!quern_token_is(token + 1, "(") || quern_tokens_closing(tokens, at + 1) >= end)
        return 0;
    if (is_one_of(tokens, at, counted))
        return write_counted(writer, at);
    if (strcmp(word->name, "EXTENT") == 0)
        return write_extent(writer, at);
    return strcmp(word->name, "MAKE") == 0 ? write_literal(writer, at) : 0;
}

void quern_device_tokens(quern_device_writer *writer, size_t begin, size_t end)
{
    for (size_t at = begin; at < end;) {
        size_t behind = write_word(writer, at, end);
        if (behind == 0 && writer->language->write_word)
            behind = writer->language->write_word(writer, at, end);
        if (behind == 0)
            quern_device_token(writer, at++);
        else
            at = behind;
    }
}
