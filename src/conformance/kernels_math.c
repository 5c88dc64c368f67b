/*
 * Conformance, subject "math": every function against a reference of higher precision, within the bound that is stated
 * for it (kernels_math_table.c); and what has to be right to the bit (kernels_math_exact.c, kernels_math_integers.c).
 */
#include <math.h>
#include <stdlib.h>

#include "kernels_math.h"

#include "math_double.k.h"
#include "math_float.k.h"

/* ---- functions of one argument ---- */

typedef quern_status launch_unary(quern_queue *queue, quern_range range, quern_const_view x, quern_view y);

/* Eight results for each number, in the row's order. */
static quern_verdict check_row(quern_trial *trial, quern_type_kind kind, launch_unary *launch,
                               const quern_math_function *row)
{
    enum { N = QUERN_MATH_NUMBERS };
    static double x[N];
    void *results;
    quern_guarded in, out;
    QUERN_MEMORY(trial, results, QUERN_MATH_ROW * N * sizeof(double));
    quern_math_numbers(kind, N, x);
    QUERN_CHECK(quern_math_array(trial, "x", kind, x, N, &in));
    QUERN_CHECK(quern_conformance_array(trial, "y", quern_type_scalar(kind), QUERN_MATH_ROW * (size_t)N, NULL, &out));
    QUERN_TRY(trial, launch(trial->queue, QUERN_RANGE(N), quern_view_as_const(in.view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, results));
    for (size_t f = 0; f < QUERN_MATH_ROW; ++f)
        for (size_t i = 0; i < N; ++i)
            QUERN_CHECK(quern_math_check(trial, kind, &row[f], x[i], 0,
                                         quern_math_load(kind, results, QUERN_MATH_ROW * i + f)));
    return quern_guarded_check(trial, trial->queue, &in);
}

static launch_unary *const single_rows[QUERN_MATH_ROWS] = {math_unary_0_float, math_unary_1_float, math_unary_2_float,
                                                           math_unary_3_float};
static launch_unary *const double_rows[QUERN_MATH_ROWS] = {math_unary_0_double, math_unary_1_double,
                                                           math_unary_2_double, math_unary_3_double};

static quern_verdict check_unary(quern_trial *trial, quern_type_kind kind, size_t row)
{
    launch_unary *const launch = kind == QUERN_KIND_FLOAT32 ? single_rows[row] : double_rows[row];
    return check_row(trial, kind, launch, quern_math_unary[row]);
}

/* ---- functions of two ---- */

static quern_verdict check_binary(quern_trial *trial, quern_type_kind kind, size_t first, size_t count)
{
    enum { N = QUERN_MATH_PAIRS };
    static double x[N], y[N];
    void *results;
    quern_guarded a, b, out;
    QUERN_MEMORY(trial, results, QUERN_MATH_BINARY * N * sizeof(double));
    quern_math_pairs(kind, N, x, y);
    QUERN_CHECK(quern_math_array(trial, "x", kind, x, N, &a));
    QUERN_CHECK(quern_math_array(trial, "y", kind, y, N, &b));
    QUERN_CHECK(
        quern_conformance_array(trial, "z", quern_type_scalar(kind), QUERN_MATH_BINARY * (size_t)N, NULL, &out));
    QUERN_TRY(trial,
              (kind == QUERN_KIND_FLOAT32 ? math_binary_float : math_binary_double)(
                  trial->queue, QUERN_RANGE(N), quern_view_as_const(a.view), quern_view_as_const(b.view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, results));
    for (size_t f = first; f < first + count; ++f)
        for (size_t i = 0; i < N; ++i)
            QUERN_CHECK(quern_math_check(trial, kind, &quern_math_binary[f], x[i], y[i],
                                         quern_math_load(kind, results, QUERN_MATH_BINARY * i + f)));
    return QUERN_PASSED;
}

/* ---- the tests, for both types ---- */

enum { BOUNDED = 3 }; /* of the functions of two arguments */

#define KIND_TESTS(name, kind, need)                                                                                   \
    static quern_verdict name##_unary_0(quern_trial *trial)                                                            \
    {                                                                                                                  \
        need;                                                                                                          \
        return check_unary(trial, kind, 0);                                                                            \
    }                                                                                                                  \
    static quern_verdict name##_unary_1(quern_trial *trial)                                                            \
    {                                                                                                                  \
        need;                                                                                                          \
        return check_unary(trial, kind, 1);                                                                            \
    }                                                                                                                  \
    static quern_verdict name##_unary_2(quern_trial *trial)                                                            \
    {                                                                                                                  \
        need;                                                                                                          \
        return check_unary(trial, kind, 2);                                                                            \
    }                                                                                                                  \
    static quern_verdict name##_unary_3(quern_trial *trial)                                                            \
    {                                                                                                                  \
        need;                                                                                                          \
        return check_unary(trial, kind, 3);                                                                            \
    }                                                                                                                  \
    static quern_verdict name##_binary(quern_trial *trial)                                                             \
    {                                                                                                                  \
        need;                                                                                                          \
        return check_binary(trial, kind, 0, BOUNDED);                                                                  \
    }                                                                                                                  \
    static quern_verdict name##_binary_exact(quern_trial *trial)                                                       \
    {                                                                                                                  \
        need;                                                                                                          \
        return check_binary(trial, kind, BOUNDED, QUERN_MATH_BINARY - BOUNDED);                                        \
    }                                                                                                                  \
    static quern_verdict name##_arithmetic(quern_trial *trial)                                                         \
    {                                                                                                                  \
        need;                                                                                                          \
        return quern_math_arithmetic(trial, kind);                                                                     \
    }                                                                                                                  \
    static quern_verdict name##_scale(quern_trial *trial)                                                              \
    {                                                                                                                  \
        need;                                                                                                          \
        return quern_math_scale(trial, kind);                                                                          \
    }                                                                                                                  \
    static quern_verdict name##_to_integers(quern_trial *trial)                                                        \
    {                                                                                                                  \
        need;                                                                                                          \
        return quern_math_to_integers(trial, kind);                                                                    \
    }                                                                                                                  \
    static quern_verdict name##_from_integers(quern_trial *trial)                                                      \
    {                                                                                                                  \
        need;                                                                                                          \
        return quern_math_from_integers(trial, kind);                                                                  \
    }
KIND_TESTS(float, QUERN_KIND_FLOAT32, (void)0)
KIND_TESTS(double, QUERN_KIND_FLOAT64, QUERN_NEED_FP64(trial))

static quern_verdict control_sine(quern_trial *trial)
{
    enum { N = QUERN_MATH_NUMBERS };
    static double x[N];
    void *results;
    quern_guarded in, out;
    const quern_math_function *sine = &quern_math_unary[1][6];
    QUERN_MEMORY(trial, results, N * sizeof(double));
    quern_math_numbers(QUERN_KIND_FLOAT32, N, x);
    QUERN_CHECK(quern_math_array(trial, "x", QUERN_KIND_FLOAT32, x, N, &in));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(float), N, NULL, &out));
    QUERN_TRY(trial, math_control_sine(trial->queue, QUERN_RANGE(N), quern_view_as_const(in.view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, results));
    for (size_t i = 0; i < N; ++i)
        QUERN_CHECK(quern_math_check(trial, QUERN_KIND_FLOAT32, sine, x[i], 0,
                                     quern_math_load(QUERN_KIND_FLOAT32, results, i)));
    return QUERN_PASSED;
}

#define LIST(name)                                                                                                     \
    {"math." #name "_inverse", "acos, acosh, asin, asinh, atan, atanh, cbrt, cos of " #name "s", name##_unary_0, 0},   \
        {"math." #name "_exp", "cosh, erf, erfc, exp, exp2, expm1, sin, sinh of " #name "s", name##_unary_1, 0},       \
        {"math." #name "_log", "lgamma, log, log10, log1p, log2, tan, tanh, tgamma of " #name "s", name##_unary_2, 0}, \
        {"math." #name "_rounding", "ceil, fabs, floor, logb, rint, round, sqrt, trunc of " #name "s: exact",          \
         name##_unary_3, 0},                                                                                           \
        {"math." #name "_pow", "atan2, hypot, pow of " #name "s", name##_binary, 0},                                   \
        {"math." #name "_remainder",                                                                                   \
         "copysign, fdim, fmax, fmin, fmod, nextafter, remainder, MIN, MAX of " #name "s: exact", name##_binary_exact, \
         0},                                                                                                           \
        {"math." #name "_arithmetic", "+ - * / fma of " #name "s to the bit; a * b + c is two roundings",              \
         name##_arithmetic, 0},                                                                                        \
        {"math." #name "_scale", "ldexp, isnan, isinf, isfinite, signbit of " #name "s", name##_scale, 0},             \
        {"math." #name "_to_integers", "integers of 8 to 64 bits from " #name "s", name##_to_integers, 0},             \
    {                                                                                                                  \
        "math." #name "_from_integers", #name "s from integers, correctly rounded", name##_from_integers, 0            \
    }

const quern_conformance_test quern_math_tests[] = {
    LIST(float),
    LIST(double),
    {"math.between_types", "floats from doubles, correctly rounded, and doubles from floats", quern_math_between_types,
     0},
    {"math.bits", "MIN, MAX, ABS, popcount, clz, ffs of integers", quern_math_bits, 0},
    {"math.integers", "arithmetic of integers of mixed widths", quern_math_integers, 0},
    {"math.types", "functions of floats are floats; limits of floats and integers", quern_math_types, 0},
    {"math.constants", "M_PI and its kin, limits of doubles", quern_math_constants, 0},
    {"math.control_bound", "a sine that is 8 units off is found", control_sine, 1},
    {"math.control_fused", "a product that is fused with a sum is found", quern_math_control_fused, 1},
    {NULL, NULL, NULL, 0}};
