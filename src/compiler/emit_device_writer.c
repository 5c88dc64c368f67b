/*
 * Tokens into lines: every token of the author's stands, as the device's compiler counts, at its own file and line.
 *
 * Lines that follow closely are reached by newlines, others by #line. No directive stands inside parentheses, which may
 * be a macro's arguments: a token there that comes from elsewhere stays in the line that is being written.
 */
#include "emit_device.h"

#include "check_words.h"

#include <stdlib.h>
#include <string.h>

enum { CLOSE_BY = 8, INDENT = 4 };

/* What stands before the names of the file scope, of which a device's language may have some as functions (dot, step).
 */
static const char prefix[] = "quern_u_";

/* ---- names ---- */

/* What an author may declare and a device's language has taken: functions that the macros of the dialect headers call
 * where his variable could hide them, and macros. */
static int is_taken(const char *name)
{
    static const char *const taken[] = {"barrier",        "printf",        "get_local_id",    "get_group_id",
                                        "get_local_size", "get_global_id", "get_global_size", "MAXFLOAT",
                                        "HUGE_VAL",       "HUGE_VALF",     "assert"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i)
        if (strcmp(taken[i], name) == 0)
            return 1;
    size_t length = strlen(name);
    return strncmp(name, "cl_", 3) == 0 || strncmp(name, "CLK_", 4) == 0 || strncmp(name, "FP_", 3) == 0 ||
           (strncmp(name, "M_", 2) == 0 && strcmp(name + length - 2, "_F") == 0);
}

const char *quern_device_prefix(const quern_device_writer *writer, const char *name)
{
    return quern_name_find(&writer->pieces->names, name) || is_taken(name) ? prefix : "";
}

/* A table may be called as a mathematical function is; its call is the function's. */
static const char *prefix_of_token(const quern_device_writer *writer, size_t token)
{
    const quern_token *at = &writer->signature->tokens.tokens[token];
    return quern_word_math(at->text) != QUERN_MATH_NONE && quern_token_is(at + 1, "(")
               ? writer->language->math
               : quern_device_prefix(writer, at->text);
}

char *quern_device_type(quern_device_writer *writer, const char *type_name)
{
    quern_text type = {0};
    while (*type_name) {
        size_t length = strcspn(type_name, " ");
        char *word = strndup(type_name, length);
        if (!word)
            type.failed = 1;
        else
            quern_text_add(&type, "%s%s%s", type.length ? " " : "", quern_device_prefix(writer, word), word);
        free(word);
        type_name += length + (type_name[length] == ' ');
    }
    if (!type.failed)
        return type.data;
    quern_text_free(&type);
    writer->text->failed = 1;
    return NULL;
}

/* ---- lines ---- */

static void end_line(quern_device_writer *writer)
{
    if (writer->last || (writer->text->length && writer->text->data[writer->text->length - 1] != '\n'))
        quern_text_add(writer->text, "\n");
    writer->last = NULL;
}

void quern_device_line(quern_device_writer *writer, const char *format, ...)
{
    va_list arguments;
    end_line(writer);
    va_start(arguments, format);
    quern_text_add_list(writer->text, format, arguments);
    va_end(arguments);
    quern_text_add(writer->text, "\n");
    writer->file = NULL;
}

void quern_device_insert(quern_device_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    quern_text_add_list(writer->text, format, arguments);
    va_end(arguments);
}

void quern_device_place(quern_device_writer *writer, const quern_token *token)
{
    int known = writer->file && strcmp(writer->file, token->file) == 0;
    int ahead = known ? token->line - writer->line : -1;
    if (ahead == 0)
        return;
    if (ahead < 0 || ahead > CLOSE_BY) {
        if (writer->parentheses > 0 && writer->file)
            return;
        end_line(writer);
        quern_text_add(writer->text, "#line %d ", token->line);
        quern_text_add_literal(writer->text, token->file);
        quern_text_add(writer->text, "\n");
    }
    for (; ahead > 0 && ahead <= CLOSE_BY; --ahead)
        quern_text_add(writer->text, "\n");
    writer->last = NULL;
    writer->file = token->file;
    writer->line = token->line;
}

/* ---- tokens ---- */

static int is_among(const quern_token *token, const char *const *texts)
{
    for (; *texts; ++texts)
        if (quern_token_is(token, *texts))
            return 1;
    return 0;
}

/* An operator that belongs to what follows it. */
static int is_unary(const quern_token *before, const quern_token *token)
{
    static const char *const operators[] = {"-", "+", "&", "*", "++", "--", NULL};
    static const char *const ends[] = {")", "]", NULL}, *const words[] = {"return", "case", "else", NULL};
    if (!is_among(token, operators))
        return 0;
    return !before || is_among(before, words) || (before->kind == QUERN_TOKEN_PUNCTUATOR && !is_among(before, ends));
}

/* A blank between the two, without which they could become one token, or which reads better. */
static int is_apart(const quern_token *last, int is_last_unary, const quern_token *token)
{
    static const char *const joins_left[] = {")", "]", ",", ";", ".", "->", "[", NULL};
    static const char *const joins_right[] = {"(", "[", ".", "->", "!", "~", NULL};
    static const char *const before_bracket[] = {"if", "for", "while", "switch", "return", NULL};
    static const char *const steps[] = {"++", "--", NULL};
    if (last->kind == QUERN_TOKEN_NUMBER && quern_token_is(token, "."))
        return 1;
    if (is_among(token, joins_left) || is_among(last, joins_right))
        return 0;
    if (is_last_unary)
        return token->kind == QUERN_TOKEN_PUNCTUATOR && !quern_token_is(token, "(");
    if (quern_token_is(token, "("))
        return last->kind != QUERN_TOKEN_NAME || is_among(last, before_bracket);
    return !(last->kind == QUERN_TOKEN_NAME && is_among(token, steps));
}

/* What was inserted may end with a bracket or a blank. */
static int ends_open(const quern_text *text)
{
    return text->length && strchr("([ ", text->data[text->length - 1]);
}

static void count_brackets(quern_device_writer *writer, const quern_token *token)
{
    writer->depth += quern_token_is(token, "{") - quern_token_is(token, "}");
    writer->parentheses += quern_token_is(token, "(") - quern_token_is(token, ")");
}

/* A number without the second l: what is 64 bits wide is a long on a device. */
static void add_number(quern_text *text, const char *number)
{
    for (int longs = 0; *number; ++number) {
        int is_long = *number == 'l' || *number == 'L';
        longs += is_long;
        if (!is_long || longs == 1)
            quern_text_add_bytes(text, number, 1);
    }
}

void quern_device_begin(quern_device_writer *writer, size_t index)
{
    const quern_token *token = &writer->signature->tokens.tokens[index];
    quern_device_place(writer, token);
    if (!writer->last)
        for (int i = quern_token_is(token, "}") ? 1 : 0; i < writer->depth; ++i)
            quern_text_add(writer->text, "%*s", INDENT, "");
    else if (!ends_open(writer->text) && is_apart(writer->last, writer->is_last_unary, token))
        quern_text_add(writer->text, " ");
    writer->is_last_unary = is_unary(writer->last, token);
    writer->last = token;
}

void quern_device_token(quern_device_writer *writer, size_t index)
{
    const quern_token *token = &writer->signature->tokens.tokens[index];
    if (token->kind == QUERN_TOKEN_PRAGMA)
        return;
    quern_device_begin(writer, index);
    if (token->kind == QUERN_TOKEN_NUMBER)
        add_number(writer->text, token->text);
    else
        quern_text_add(writer->text, "%s%s", token->kind == QUERN_TOKEN_NAME ? prefix_of_token(writer, index) : "",
                       token->text);
    count_brackets(writer, token);
}
