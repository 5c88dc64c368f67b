/*
 * The tokens of preprocessed C, with the author's file and line.
 *
 * The compiler reads the output of the C preprocessor; line markers (`# 12 "file"`) are not tokens,
 * they set the position of those that follow.
 */
#ifndef QUERN_COMPILER_TOKEN_H
#define QUERN_COMPILER_TOKEN_H

#include <quern/status.h>

typedef enum quern_token_kind {
    QUERN_TOKEN_NAME,   /* identifiers and keywords */
    QUERN_TOKEN_NUMBER, /* a preprocessing number */
    QUERN_TOKEN_STRING,
    QUERN_TOKEN_CHARACTER,
    QUERN_TOKEN_PUNCTUATOR, /* the longest match: "<<=", "->", … */
    QUERN_TOKEN_PRAGMA,     /* a whole `#pragma …` line */
    QUERN_TOKEN_END         /* after the last one; text is "" */
} quern_token_kind;

typedef struct quern_token {
    quern_token_kind kind;
    const char *text; /* NUL-ended, owned by the list */
    const char *file; /* owned by the list */
    int line;
    int from_system; /* 1: from a header that the compiler marks as a system header */
} quern_token;

typedef struct quern_token_list {
    quern_token *tokens; /* ends with a QUERN_TOKEN_END */
    size_t count;        /* without it */
    void *storage;       /* private */
} quern_token_list;

/* Splits text (size bytes) into tokens. file names the text until the first line marker. COMPILE_FAILED with file:line
 * for an unterminated comment, string or character; OUT_OF_MEMORY. */
quern_status quern_tokens_read(const char *file, const char *text, size_t size, quern_token_list *list);
void quern_tokens_free(quern_token_list *list);

/* 1 when the token is the punctuator or name text. */
int quern_token_is(const quern_token *token, const char *text);

/* The index of the bracket that closes the one at open ("(", "[" or "{"); list->count when there is none. */
size_t quern_tokens_closing(const quern_token_list *list, size_t open);

#endif
