/* Conformance, subject "math": a result against what it should be. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "kernels_math.h"

int quern_math_same(double result, double wanted, int zeros_differ)
{
    if (isnan(wanted))
        return isnan(result);
    return result == wanted && (!zeros_differ || !signbit(result) == !signbit(wanted));
}

/* One unit in the last place of a finite number, of the kind. */
static long double unit_of(quern_type_kind kind, long double x)
{
    const int bits = kind == QUERN_KIND_FLOAT32 ? FLT_MANT_DIG : DBL_MANT_DIG;
    const int least = kind == QUERN_KIND_FLOAT32 ? FLT_MIN_EXP - 1 : DBL_MIN_EXP - 1;
    int exponent = x == 0 ? least : ilogbl(x);
    if (exponent < least)
        exponent = least;
    return ldexpl(1.0L, exponent - bits + 1);
}

static long double largest_of(quern_type_kind kind)
{
    return kind == QUERN_KIND_FLOAT32 ? (long double)FLT_MAX : (long double)DBL_MAX;
}

/* How many units the result is off the true value; INFINITY when it is of another nature. */
static double error_of(quern_type_kind kind, const quern_math_function *function, double result, long double wanted)
{
    if (isnan(wanted))
        return isnan(result) ? 0 : (double)INFINITY;
    if (isnan(result))
        return (double)INFINITY;
    const long double largest = largest_of(kind);
    /* Whatever rounds to infinity is as good as it; and from below, what is near enough to the end. */
    if (isinf(result)) {
        if (!signbit(result) != !signbit(wanted))
            return (double)INFINITY;
        const long double beyond = largest - fabsl(wanted);
        return beyond <= 0 ? 0 : (double)(beyond / unit_of(kind, largest));
    }
    if (isinf(wanted) || fabsl(wanted) > 2 * largest)
        return (double)INFINITY;
    if (wanted == 0)
        return quern_math_same(result, (double)wanted, 1) ? 0 : (double)INFINITY;
    long double scale = wanted;
    if (function->rule == QUERN_MATH_ABSOLUTE && fabsl(scale) < 1)
        scale = 1;
    return (double)(fabsl((long double)result - wanted) / unit_of(kind, scale));
}

static double exact_of(quern_type_kind kind, const quern_math_function *function, double x, double y)
{
    if (kind == QUERN_KIND_FLOAT32)
        return function->single_1 ? (double)function->single_1((float)x)
                                  : (double)function->single_2((float)x, (float)y);
    return function->double_1 ? function->double_1(x) : function->double_2(x, y);
}

static void write_call(quern_type_kind kind, const quern_math_function *function, double x, double y, char *text,
                       size_t size)
{
    const char *type = kind == QUERN_KIND_FLOAT32 ? "float" : "double";
    if (function->single_2 || function->wide_2)
        snprintf(text, size, "%s(%.17g, %.17g) of %ss, (%a, %a),", function->name, x, y, type, x, y);
    else
        snprintf(text, size, "%s(%.17g) of a %s, %a,", function->name, x, type, x);
}

quern_verdict quern_math_check(quern_trial *trial, quern_type_kind kind, const quern_math_function *function, double x,
                               double y, double result)
{
    char call[160];
    if (function->rule == QUERN_MATH_BITS || function->rule == QUERN_MATH_EITHER_ZERO) {
        const double wanted = exact_of(kind, function, x, y);
        if (quern_math_same(result, wanted, function->rule == QUERN_MATH_BITS))
            return QUERN_PASSED;
        write_call(kind, function, x, y, call, sizeof call);
        return quern_trial_fail(trial, __FILE__, __LINE__, "%s is %.17g (%a), wanted %.17g (%a); %s is exact", call,
                                result, result, wanted, wanted, function->name);
    }
    const long double wanted = function->wide_1 ? function->wide_1(x) : function->wide_2(x, y);
    const double error = error_of(kind, function, result, wanted);
    /* Where a long double is no better than a double, the true value is known to a unit only. */
    const double doubt = LDBL_MANT_DIG - 8 < (kind == QUERN_KIND_FLOAT32 ? FLT_MANT_DIG : DBL_MANT_DIG) ? 1 : 0;
    if (error <= function->bound + doubt)
        return QUERN_PASSED;
    write_call(kind, function, x, y, call, sizeof call);
    return quern_trial_fail(trial, __FILE__, __LINE__,
                            "%s is %.17g (%a), wanted %.17Lg: %.4g units in the last place off, and the bound of %s is "
                            "%g%s",
                            call, result, result, wanted, error, function->name, function->bound,
                            function->rule == QUERN_MATH_ABSOLUTE ? " of 1 or more" : "");
}
