/* Comparing what two devices computed. */
#ifndef QUERN_CLI_COMPARE_H
#define QUERN_CLI_COMPARE_H

#include "array.h"

/* The first element (in row-major order) in which two arrays differ. */
typedef struct quern_cli_difference {
    size_t element;             /* its row-major number */
    char field[128];            /* of a struct: ".velocity[2]"; "" otherwise */
    char first[64], second[64]; /* both values as text */
    int has_ulps;               /* 1: both are finite numbers of a floating type, and ulps is known */
    uint64_t ulps;              /* the floating numbers from one to the other */
} quern_cli_difference;

/*
 * 1 when the arrays, of one type and one shape, are equal: to the bit, or for floating elements with no more than ulps
 * floating numbers from one to the other. A NaN equals only the same bits, an infinity only itself. 0 fills in the
 * difference. fields are those of a struct, whose padding has been cleared; NULL when they are not known.
 */
int quern_cli_array_equal(const quern_cli_array *first, const quern_cli_array *second, const quern_field *fields,
                          uint64_t ulps, quern_cli_difference *difference);

/* 1 when this build can make checksums: xxhash was there. */
int quern_cli_has_checksum(void);

/* The XXH3-64 of the bytes of several arrays one after another; those without data are left out. 0 in a build that
 * makes none. OUT_OF_MEMORY. */
quern_status quern_cli_checksum(const quern_cli_array *arrays, size_t count, uint64_t *checksum);

#endif
