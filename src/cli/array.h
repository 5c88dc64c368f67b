/* An array on the host: what a .npy file holds, what a generator makes, what a device gives back. */
#ifndef QUERN_CLI_ARRAY_H
#define QUERN_CLI_ARRAY_H

#include <quern/layout.h>
#include <quern/program.h>

typedef struct quern_cli_array {
    quern_type type;
    quern_extents extents; /* rank 0: one element */
    void *data;            /* packed, row-major, malloc'ed; NULL only in an array that holds nothing yet */
} quern_cli_array;

/* How a generator fills an array. */
typedef enum quern_cli_pattern {
    QUERN_CLI_ZEROS,
    QUERN_CLI_ONES,
    QUERN_CLI_LINEAR, /* 0, 1, 2, …: wrapping in an integer type, rounded to the nearest in a floating one */
    QUERN_CLI_RANDOM  /* uniform in [0, 1), integers in 0 … 99: quern_random(seed) by linear index */
} quern_cli_pattern;

/* The number of elements and the bytes of an array that exists (so they fit). */
size_t quern_cli_array_count(const quern_cli_array *array);
size_t quern_cli_array_bytes(const quern_cli_array *array);

/* Memory for the elements, undefined. OVERFLOW, INVALID_SHAPE, OUT_OF_MEMORY; *array is empty then. */
quern_status quern_cli_array_allocate(quern_type type, quern_extents extents, quern_cli_array *array);

/* A new array filled by the pattern. fields: of structs, or NULL, when they can only be zeros (INVALID_TYPE). The
 * numbers of a struct are those of its fields, in order: linear gives them the element's index, random each its own. */
quern_status quern_cli_array_generate(quern_type type, const quern_field *fields, quern_extents extents,
                                      quern_cli_pattern pattern, uint64_t seed, quern_cli_array *array);

/* Sets the bytes between and after a struct's fields to 0, so that equal structs have equal bytes. fields may be NULL:
 * then nothing is known, and nothing changes. */
void quern_cli_array_clear_padding(quern_cli_array *array, const quern_field *fields);

/* Frees the elements; the array is empty then. An empty one is fine. */
void quern_cli_array_free(quern_cli_array *array);

#endif
