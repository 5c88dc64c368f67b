/* A text that grows: what the compiler writes headers, units, keys and messages into. */
#ifndef QUERN_COMPILER_TEXT_H
#define QUERN_COMPILER_TEXT_H

#include <quern/status.h>
#include <stdarg.h>

/* Starts as {0}. Once memory is exhausted, failed is set and every further addition does nothing. */
typedef struct quern_text {
    char *data; /* NUL-ended; NULL while nothing was added */
    size_t length, capacity;
    int failed;
} quern_text;

void quern_text_add(quern_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void quern_text_add_list(quern_text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
void quern_text_add_bytes(quern_text *text, const void *bytes, size_t size);

/* The text between double quotes as a C string literal. */
void quern_text_add_literal(quern_text *text, const char *string);
void quern_text_add_literal_bytes(quern_text *text, const char *string, size_t size);

/* Empties the text and frees its memory. */
void quern_text_free(quern_text *text);

/* The data, never NULL. */
const char *quern_text_string(const quern_text *text);

#endif
