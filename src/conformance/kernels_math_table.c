/*
 * Conformance, subject "math": the functions and what is asked of them.
 *
 * The bounds are those of the full profile of OpenCL 1.2 (section 7.4), for float and double alike, which every backend
 * is to keep; functions that are exact there are so here, sqrt too, since strict mode promises it. Two are Quern's own:
 * cbrt's is 4 instead of 2, since the C library of the CPU backend (glibc) promises no more; for lgamma OpenCL names
 * none.
 */
#include <math.h>

#include "kernels_math.h"

static float minimum_single(float a, float b)
{
    return a < b ? a : b;
}
static double minimum_double(double a, double b)
{
    return a < b ? a : b;
}
static float maximum_single(float a, float b)
{
    return a > b ? a : b;
}
static double maximum_double(double a, double b)
{
    return a > b ? a : b;
}

#define BOUND_1(of, most)                                                                                              \
    {                                                                                                                  \
        .name = #of, .rule = QUERN_MATH_BOUND, .bound = most, .wide_1 = of##l                                          \
    }
#define BOUND_2(of, most)                                                                                              \
    {                                                                                                                  \
        .name = #of, .rule = QUERN_MATH_BOUND, .bound = most, .wide_2 = of##l                                          \
    }
#define EXACT_1(of)                                                                                                    \
    {                                                                                                                  \
        .name = #of, .rule = QUERN_MATH_BITS, .single_1 = of##f, .double_1 = of                                        \
    }
#define EXACT_2(of, how)                                                                                               \
    {                                                                                                                  \
        .name = #of, .rule = how, .single_2 = of##f, .double_2 = of                                                    \
    }

const quern_math_function quern_math_unary[QUERN_MATH_ROWS][QUERN_MATH_ROW] = {
    {BOUND_1(acos, 4), BOUND_1(acosh, 4), BOUND_1(asin, 4), BOUND_1(asinh, 4), BOUND_1(atan, 5), BOUND_1(atanh, 5),
     BOUND_1(cbrt, 4), BOUND_1(cos, 4)},
    {BOUND_1(cosh, 4), BOUND_1(erf, 16), BOUND_1(erfc, 16), BOUND_1(exp, 3), BOUND_1(exp2, 3), BOUND_1(expm1, 3),
     BOUND_1(sin, 4), BOUND_1(sinh, 4)},
    {{.name = "lgamma", .rule = QUERN_MATH_ABSOLUTE, .bound = 16, .wide_1 = lgammal},
     BOUND_1(log, 3),
     BOUND_1(log10, 3),
     BOUND_1(log1p, 2),
     BOUND_1(log2, 3),
     BOUND_1(tan, 5),
     BOUND_1(tanh, 5),
     BOUND_1(tgamma, 16)},
    {EXACT_1(ceil), EXACT_1(fabs), EXACT_1(floor), EXACT_1(logb), EXACT_1(rint), EXACT_1(round), EXACT_1(sqrt),
     EXACT_1(trunc)}};

const quern_math_function quern_math_binary[QUERN_MATH_BINARY] = {
    BOUND_2(atan2, 6),
    BOUND_2(hypot, 4),
    BOUND_2(pow, 16),
    EXACT_2(copysign, QUERN_MATH_BITS),
    EXACT_2(fdim, QUERN_MATH_BITS),
    EXACT_2(fmax, QUERN_MATH_EITHER_ZERO),
    EXACT_2(fmin, QUERN_MATH_EITHER_ZERO),
    EXACT_2(fmod, QUERN_MATH_BITS),
    EXACT_2(nextafter, QUERN_MATH_BITS),
    EXACT_2(remainder, QUERN_MATH_BITS),
    {.name = "MIN", .rule = QUERN_MATH_EITHER_ZERO, .single_2 = minimum_single, .double_2 = minimum_double},
    {.name = "MAX", .rule = QUERN_MATH_EITHER_ZERO, .single_2 = maximum_single, .double_2 = maximum_double}};
