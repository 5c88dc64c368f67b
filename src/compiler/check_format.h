/* The conversions of a PRINT's format; read by check_format.c for check_print.c. */
#ifndef QUERN_COMPILER_CHECK_FORMAT_H
#define QUERN_COMPILER_CHECK_FORMAT_H

#include "check.h"

enum { QUERN_LONGEST_CONVERSION = 32 };

/* Of a width and a precision: beyond it printfs differ, or print nothing at all. */
enum { QUERN_LARGEST_WIDTH = 999 };

/* One conversion: "%-5ld". */
typedef struct quern_check_conversion {
    size_t token;                        /* the literal in which it ends */
    char text[QUERN_LONGEST_CONVERSION]; /* up to the letter */
    char length[4];                      /* "l", "ll", "z", … */
    char letter;                         /* 'd'; '\0' when what follows is no letter: "%\n" */
    int has_star;                        /* a width or a precision that is an argument */
    int largest;                         /* of the width and the precision, at most a little over the limit */
    int has_local_flag;                  /* a flag that only some C libraries have */
} quern_check_conversion;

/* Reads the string literals in range, one behind another, and stores up to limit conversions that take an argument, or
 * should. Gives their number. "%%" is none. */
size_t quern_check_format(const quern_checker *checker, const size_t range[2], quern_check_conversion *conversions,
                          size_t limit);

#endif
