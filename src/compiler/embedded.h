/* The public headers as text, so that kernel files compile wherever the library is, without an include path. Generated
 * at build time by cmake/EmbedHeaders.cmake. */
#ifndef QUERN_COMPILER_EMBEDDED_H
#define QUERN_COMPILER_EMBEDDED_H

#include <stddef.h>

typedef struct quern_embedded_header {
    const char *name;          /* "quern/dialect/cpu.h" */
    const unsigned char *text; /* size bytes and a NUL */
    size_t size;
} quern_embedded_header;

/* Sorted by name, ended by a NULL name. */
extern const quern_embedded_header quern_embedded_headers[];

#endif
