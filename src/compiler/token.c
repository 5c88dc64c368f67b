/*
 * Splitting preprocessed C into tokens.
 *
 * All text of the list lies in one block. A token of n bytes needs n + 1 there and a file name never more than
 * its line marker, so twice the size of what is read is enough, and nothing has to grow but the array of tokens.
 */
#include "token.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *at, *end;
    char *block;      /* where the next text goes */
    const char *file; /* of the token at hand */
    int line;
    int from_system;
    int line_begins; /* only blanks since the last newline */
    quern_token_list *list;
    size_t capacity;
} reader;

/* ---- bytes ---- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 sequences and $ may stand in names, as gcc and clang have it. */
static int begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}

static int continues_name(char c)
{
    return begins_name(c) || is_digit(c);
}

/* The byte `ahead` places on; '\0' beyond the end. */
static char peek(const reader *r, size_t ahead)
{
    return (size_t)(r->end - r->at) > ahead ? r->at[ahead] : '\0';
}

/* ---- adding ---- */

static char *keep(reader *r, const char *text, size_t length)
{
    char *kept = r->block;
    memcpy(kept, text, length);
    kept[length] = '\0';
    r->block += length + 1;
    return kept;
}

static quern_status add_token(reader *r, quern_token_kind kind, const char *text, int line)
{
    quern_token_list *list = r->list;
    if (list->count + 1 >= r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : 256, bytes;
        quern_token *tokens = NULL;
        if (!quern_multiply_overflows(capacity, sizeof *tokens, &bytes))
            tokens = realloc(list->tokens, bytes);
        if (!tokens)
            return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while %s is read", r->file);
        list->tokens = tokens;
        r->capacity = capacity;
    }
    list->tokens[list->count] = (quern_token){kind, text, r->file, line, r->from_system};
    list->count += kind != QUERN_TOKEN_END;
    return QUERN_SUCCESS;
}

static quern_status add_piece(reader *r, quern_token_kind kind, const char *begin)
{
    return add_token(r, kind, keep(r, begin, (size_t)(r->at - begin)), r->line);
}

/* ---- line markers and pragmas ---- */

static void skip_blanks(reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        ++r->at;
}

static void skip_line(reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        ++r->at;
}

/* A decimal number, at most INT_MAX. */
static int read_number(reader *r)
{
    long long number = 0;
    for (; r->at < r->end && is_digit(*r->at); ++r->at)
        number = number > INT_MAX ? INT_MAX : number * 10 + (*r->at - '0');
    return number > INT_MAX ? INT_MAX : (int)number;
}

/* One byte of the quoted file name of a line marker, in which \" \\ \n and \ooo are escaped. */
static char read_name_byte(reader *r)
{
    char c = *r->at++;
    if (c != '\\' || r->at >= r->end)
        return c;
    c = *r->at++;
    if (c < '0' || c > '7')
        return c == 'n' ? '\n' : c;
    int value = c - '0';
    for (int i = 0; i < 2 && r->at < r->end && *r->at >= '0' && *r->at <= '7'; ++i)
        value = value * 8 + (*r->at++ - '0');
    return (char)(unsigned char)value;
}

/* The rest of `# 12 "file" 1 3` from the number on. */
static void read_line_marker(reader *r)
{
    int line = read_number(r);
    skip_blanks(r);
    if (r->at < r->end && *r->at == '"') {
        char *name = r->block, *end = name;
        ++r->at;
        while (r->at < r->end && *r->at != '"' && *r->at != '\n')
            *end++ = read_name_byte(r);
        if (r->at < r->end && *r->at == '"')
            ++r->at;
        *end = '\0';
        /* The text mostly goes on in the file it was in: its name is then kept once. */
        if (strcmp(name, r->file) != 0) {
            r->file = name;
            r->block = end + 1;
        }
        r->from_system = 0;
        for (skip_blanks(r); r->at < r->end && is_digit(*r->at); skip_blanks(r))
            r->from_system |= read_number(r) == 3;
    }
    skip_line(r);
    r->line = line - 1; /* the newline that ends the marker counts */
}

/* A `#` that begins a line: a marker, a pragma, or something that does not matter (#ident). */
static quern_status read_directive(reader *r)
{
    const char *begin = r->at++;
    skip_blanks(r);
    if (r->end - r->at > 4 && memcmp(r->at, "line", 4) == 0 && is_blank(r->at[4])) {
        r->at += 4;
        skip_blanks(r);
    }
    if (r->at < r->end && is_digit(*r->at)) {
        read_line_marker(r);
        return QUERN_SUCCESS;
    }
    int pragma = r->end - r->at >= 6 && memcmp(r->at, "pragma", 6) == 0;
    skip_line(r);
    return pragma ? add_piece(r, QUERN_TOKEN_PRAGMA, begin) : QUERN_SUCCESS;
}

/* ---- tokens ---- */

static quern_status skip_comment(reader *r)
{
    int line = r->line;
    for (r->at += 2; r->at < r->end; ++r->at) {
        r->line += *r->at == '\n';
        if (*r->at == '*' && peek(r, 1) == '/') {
            r->at += 2;
            return QUERN_SUCCESS;
        }
    }
    return quern_fail(QUERN_COMPILE_FAILED, "%s:%d: error: a comment that begins here is not ended", r->file, line);
}

/* A string or character from begin, whose opening quote is at r->at. */
static quern_status read_quoted(reader *r, const char *begin)
{
    char quote = *r->at++;
    int newlines = 0;
    while (r->at < r->end && *r->at != quote && *r->at != '\n') {
        if (*r->at == '\\' && r->end - r->at > 1) {
            ++r->at;
            newlines += *r->at == '\n';
        }
        ++r->at;
    }
    if (r->at >= r->end || *r->at != quote)
        return quern_fail(QUERN_COMPILE_FAILED, "%s:%d: error: a %s that begins here is not ended", r->file, r->line,
                          quote == '"' ? "string" : "character");
    ++r->at;
    quern_status status = add_piece(r, quote == '"' ? QUERN_TOKEN_STRING : QUERN_TOKEN_CHARACTER, begin);
    r->line += newlines;
    return status;
}

static quern_status read_name(reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && continues_name(*r->at))
        ++r->at;
    size_t length = (size_t)(r->at - begin);
    int prefix = (length == 1 && strchr("LuU", *begin)) || (length == 2 && begin[0] == 'u' && begin[1] == '8');
    if (prefix && (peek(r, 0) == '"' || peek(r, 0) == '\''))
        return read_quoted(r, begin);
    return add_piece(r, QUERN_TOKEN_NAME, begin);
}

/* A preprocessing number: 12, 0x1fULL, 1.5e-3, 0x1p+4. */
static quern_status read_pp_number(reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && (continues_name(*r->at) || *r->at == '.')) {
        int exponent = strchr("eEpP", *r->at) != NULL;
        ++r->at;
        if (exponent && (peek(r, 0) == '+' || peek(r, 0) == '-'))
            ++r->at;
    }
    return add_piece(r, QUERN_TOKEN_NUMBER, begin);
}

static quern_status read_punctuator(reader *r)
{
    static const char *const longer[] = {
        "%:%:", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "*=",   "/=",  "%=",  "+=",  "-=", "&=", "^=", "|=", "##", "<:", ":>", "<%", "%>", "%:"};
    static const char *const digraphs[][2] = {{"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}};
    const char *begin = r->at++;
    for (size_t i = 0; i < sizeof longer / sizeof longer[0]; ++i) {
        size_t length = strlen(longer[i]);
        if ((size_t)(r->end - begin) >= length && memcmp(begin, longer[i], length) == 0) {
            r->at = begin + length;
            break;
        }
    }
    for (size_t i = 0; i < sizeof digraphs / sizeof digraphs[0]; ++i)
        if (r->at - begin == 2 && memcmp(begin, digraphs[i][0], 2) == 0)
            return add_token(r, QUERN_TOKEN_PUNCTUATOR, digraphs[i][1], r->line);
    return add_piece(r, QUERN_TOKEN_PUNCTUATOR, begin);
}

/* Takes blanks, newlines, spliced lines and comments; *taken says whether there was something of the kind. */
static quern_status skip_space(reader *r, int *taken)
{
    char c = *r->at;
    *taken = 1;
    if (c == '\n') {
        ++r->at;
        ++r->line;
        r->line_begins = 1;
    } else if (is_blank(c)) {
        ++r->at;
    } else if (c == '\\' && peek(r, 1) == '\n') {
        r->at += 2;
        ++r->line;
    } else if (c == '/' && peek(r, 1) == '*') {
        return skip_comment(r);
    } else if (c == '/' && peek(r, 1) == '/') {
        skip_line(r);
    } else {
        *taken = 0;
    }
    return QUERN_SUCCESS;
}

static quern_status read_token(reader *r)
{
    char c = *r->at;
    int line_begins = r->line_begins;
    r->line_begins = 0;
    if (c == '#' && line_begins)
        return read_directive(r);
    if (begins_name(c))
        return read_name(r);
    if (is_digit(c) || (c == '.' && is_digit(peek(r, 1))))
        return read_pp_number(r);
    if (c == '"' || c == '\'')
        return read_quoted(r, r->at);
    return read_punctuator(r);
}

static quern_status read_all(reader *r)
{
    while (r->at < r->end) {
        int taken;
        quern_status status = skip_space(r, &taken);
        if (status == QUERN_SUCCESS && !taken)
            status = read_token(r);
        if (status != QUERN_SUCCESS)
            return status;
    }
    return add_token(r, QUERN_TOKEN_END, "", r->line);
}

/* ---- the interface ---- */

quern_status quern_tokens_read(const char *file, const char *text, size_t size, quern_token_list *list)
{
    size_t block;
    *list = (quern_token_list){0};
    if (quern_multiply_overflows(size, (size_t)2, &block) || quern_add_overflows(block, strlen(file) + 2, &block) ||
        !(list->storage = malloc(block)))
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while %s is read", file);
    reader r = {text, text + size, list->storage, NULL, 1, 0, 1, list, 0};
    r.file = keep(&r, file, strlen(file));
    quern_status status = read_all(&r);
    if (status != QUERN_SUCCESS)
        quern_tokens_free(list);
    return status;
}

void quern_tokens_free(quern_token_list *list)
{
    free(list->tokens);
    free(list->storage);
    *list = (quern_token_list){0};
}

int quern_token_is(const quern_token *token, const char *text)
{
    return (token->kind == QUERN_TOKEN_NAME || token->kind == QUERN_TOKEN_PUNCTUATOR) && strcmp(token->text, text) == 0;
}

/* +1, +2, +3 for the three opening brackets, the same negative for the closing ones, else 0. */
static int bracket(const quern_token *token)
{
    static const char brackets[] = "([{)]}";
    if (token->kind != QUERN_TOKEN_PUNCTUATOR || token->text[0] == '\0' || token->text[1] != '\0')
        return 0;
    const char *found = strchr(brackets, token->text[0]);
    if (!found)
        return 0;
    int place = (int)(found - brackets);
    return place < 3 ? place + 1 : 2 - place;
}

size_t quern_tokens_closing(const quern_token_list *list, size_t open)
{
    size_t depth = 0;
    if (open >= list->count || bracket(&list->tokens[open]) <= 0)
        return list->count;
    for (size_t i = open; i < list->count; ++i) {
        int b = bracket(&list->tokens[i]);
        depth += b > 0;
        depth -= b < 0;
        if (depth == 0)
            return b == -bracket(&list->tokens[open]) ? i : list->count;
    }
    return list->count;
}
