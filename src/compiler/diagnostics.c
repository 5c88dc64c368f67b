/* Collecting the messages of `quern compile`. */
#include "diagnostics.h"

#include "text.h"

#include <stdlib.h>

enum { MESSAGES_KEPT = 50 };

void quern_diagnostics_init(quern_diagnostics *diagnostics)
{
    *diagnostics = (quern_diagnostics){0};
}

void quern_diagnostics_free(quern_diagnostics *diagnostics)
{
    free(diagnostics->text);
    *diagnostics = (quern_diagnostics){0};
}

static void add(quern_diagnostics *diagnostics, const char *file, int line, const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

static void add(quern_diagnostics *diagnostics, const char *file, int line, const char *format, va_list arguments)
{
    if (diagnostics->errors++ >= MESSAGES_KEPT)
        return;
    quern_text text = {diagnostics->text, diagnostics->length, diagnostics->capacity, 0};
    quern_text_add(&text, "%s:%d: error: ", file, line);
    quern_text_add_list(&text, format, arguments);
    quern_text_add(&text, "\n");
    if (text.failed)
        diagnostics->out_of_memory = 1;
    diagnostics->text = text.data;
    diagnostics->length = text.length;
    diagnostics->capacity = text.capacity;
}

void quern_error_at(quern_diagnostics *diagnostics, const quern_token *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(diagnostics, where->file, where->line, format, arguments);
    va_end(arguments);
}

void quern_error_at_line(quern_diagnostics *diagnostics, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(diagnostics, file, line, format, arguments);
    va_end(arguments);
}
