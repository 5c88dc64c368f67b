/*
 * The parts of the subject "math" among themselves: functions with their bounds, arguments that look for trouble, and
 * the comparison of a result with what it should be.
 *
 * A number of either type is held in a double; kind says which type it is.
 */
#ifndef QUERN_CONFORMANCE_KERNELS_MATH_H
#define QUERN_CONFORMANCE_KERNELS_MATH_H

#include "kernels_support.h"

/* ---- functions: kernels_math_table.c ---- */

typedef enum quern_math_rule {
    QUERN_MATH_BITS = 1,    /* the same bits; any NaN for a NaN */
    QUERN_MATH_EITHER_ZERO, /* the same, but +0 and -0 are one */
    QUERN_MATH_BOUND,       /* bound units in the last place of the true value at most */
    QUERN_MATH_ABSOLUTE     /* the same, of the true value or of 1, whichever is larger */
} quern_math_rule;

/* A function of one or two arguments. Of exact ones single_… and double_… give the very result; of the others wide_…
 * gives the true value as well as a long double holds it. */
typedef struct quern_math_function {
    const char *name;
    quern_math_rule rule;
    double bound;
    float (*single_1)(float x);
    double (*double_1)(double x);
    float (*single_2)(float x, float y);
    double (*double_2)(double x, double y);
    long double (*wide_1)(long double x);
    long double (*wide_2)(long double x, long double y);
} quern_math_function;

enum { QUERN_MATH_ROW = 8, QUERN_MATH_ROWS = 4, QUERN_MATH_BINARY = 12 };

/* In the order of kernels/math_kernels.h. */
extern const quern_math_function quern_math_unary[QUERN_MATH_ROWS][QUERN_MATH_ROW];
extern const quern_math_function quern_math_binary[QUERN_MATH_BINARY];

/* ---- arguments: kernels_math_inputs.c ---- */

/* Fill in count numbers of the kind: special ones first, then random ones of all sizes; and pairs, in which every
 * special number meets every other, given QUERN_MATH_PAIRS of them. */
enum { QUERN_MATH_NUMBERS = 5003, QUERN_MATH_PAIRS = 26003 };
void quern_math_numbers(quern_type_kind kind, size_t count, double *x);
void quern_math_pairs(quern_type_kind kind, size_t count, double *x, double *y);

/* The number, rounded to the kind. */
double quern_math_round(quern_type_kind kind, double x);

/* Numbers as an array of the kind holds them. */
void quern_math_store(quern_type_kind kind, const double *x, size_t count, void *bytes);
double quern_math_load(quern_type_kind kind, const void *bytes, size_t index);

/* An uploaded array of such numbers; bytes is for a result of quern_guarded_read. */
quern_verdict quern_math_array(quern_trial *trial, const char *name, quern_type_kind kind, const double *x,
                               size_t count, quern_guarded *array);

/* ---- comparing: kernels_math_check.c ---- */

/* Is result what the function gives of x (and y)? */
quern_verdict quern_math_check(quern_trial *trial, quern_type_kind kind, const quern_math_function *function, double x,
                               double y, double result);

/* Is it exactly that, a NaN for a NaN? */
int quern_math_same(double result, double wanted, int zeros_differ);

/* ---- tests ---- */

/* kernels_math_exact.c */
quern_verdict quern_math_arithmetic(quern_trial *trial, quern_type_kind kind);
quern_verdict quern_math_scale(quern_trial *trial, quern_type_kind kind);
quern_verdict quern_math_to_integers(quern_trial *trial, quern_type_kind kind);
quern_verdict quern_math_from_integers(quern_trial *trial, quern_type_kind kind);
quern_verdict quern_math_between_types(quern_trial *trial);
quern_verdict quern_math_control_fused(quern_trial *trial);

/* kernels_math_integers.c */
quern_verdict quern_math_bits(quern_trial *trial);
quern_verdict quern_math_integers(quern_trial *trial);
quern_verdict quern_math_types(quern_trial *trial);
quern_verdict quern_math_constants(quern_trial *trial);

#endif
