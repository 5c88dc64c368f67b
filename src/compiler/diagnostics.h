/* The messages of `quern compile`: `file:line: error: …`, collected, so that an author sees all of them at once. */
#ifndef QUERN_COMPILER_DIAGNOSTICS_H
#define QUERN_COMPILER_DIAGNOSTICS_H

#include "token.h"

typedef struct quern_diagnostics {
    char *text; /* lines, each ended by \n; NULL while there are none */
    size_t length, capacity;
    int errors; /* their number; messages past the 50th are counted, not kept */
    int out_of_memory;
} quern_diagnostics;

void quern_diagnostics_init(quern_diagnostics *diagnostics);
void quern_diagnostics_free(quern_diagnostics *diagnostics);

/* Adds `file:line: error: …` at the token's place. */
void quern_error_at(quern_diagnostics *diagnostics, const quern_token *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void quern_error_at_line(quern_diagnostics *diagnostics, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
