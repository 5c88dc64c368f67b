/* A text that grows. */
#include "text.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for more bytes and the NUL; 0 when memory is exhausted. */
static int reserve(quern_text *text, size_t more)
{
    size_t needed;
    if (text->failed)
        return 0;
    if (quern_add_overflows(text->length, more, &needed) || needed > PTRDIFF_MAX - 1) {
        text->failed = 1;
        return 0;
    }
    if (needed < text->capacity)
        return 1;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity <= needed)
        capacity = capacity > PTRDIFF_MAX / 2 ? (size_t)PTRDIFF_MAX : capacity * 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void quern_text_add_bytes(quern_text *text, const void *bytes, size_t size)
{
    if (!reserve(text, size))
        return;
    if (size)
        memcpy(text->data + text->length, bytes, size);
    text->length += size;
    text->data[text->length] = '\0';
}

void quern_text_add_list(quern_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        text->failed = 1;
        return;
    }
    if (!reserve(text, (size_t)length))
        return;
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void quern_text_add(quern_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    quern_text_add_list(text, format, arguments);
    va_end(arguments);
}

void quern_text_add_literal(quern_text *text, const char *string)
{
    quern_text_add_literal_bytes(text, string, strlen(string));
}

void quern_text_add_literal_bytes(quern_text *text, const char *string, size_t size)
{
    quern_text_add_bytes(text, "\"", 1);
    for (const char *end = string + size; string < end; ++string) {
        unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\')
            quern_text_add(text, "\\%c", c);
        else if (c < 0x20 || c == 0x7f || c == '?') /* a question mark may begin a trigraph */
            quern_text_add(text, "\\%03o", c);
        else
            quern_text_add_bytes(text, string, 1);
    }
    quern_text_add_bytes(text, "\"", 1);
}

void quern_text_free(quern_text *text)
{
    free(text->data);
    *text = (quern_text){0};
}

const char *quern_text_string(const quern_text *text)
{
    return text->data ? text->data : "";
}
