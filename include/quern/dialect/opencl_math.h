/*
 * Quern: functions that are generic in the type, in OpenCL C: MIN, MAX, ABS, and C's mathematical functions by their
 * names. The words are macros, so that an author's variable may be called as a function is.
 */
#ifndef QUERN_DIALECT_OPENCL_MATH_H
#define QUERN_DIALECT_OPENCL_MATH_H

/* The type that C's usual conversions give a and b, and the value of a. */
#define QUERN_COMMON(a, b) (1 ? (a) : (b))
#define QUERN_COMMON_3(a, b, c) (1 ? (a) : 1 ? (b) : (c))

/* ---- MIN, MAX, ABS ---- */

/* For both, where a and b do not compare (one is a NaN), the result is b. */
#define QUERN_DEFINE_ORDER(T)                                                                                          \
    QUERN_OVERLOAD T quern_min(T a, T b)                                                                               \
    {                                                                                                                  \
        return a < b ? a : b;                                                                                          \
    }                                                                                                                  \
    QUERN_OVERLOAD T quern_max(T a, T b)                                                                               \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }
#define QUERN_DEFINE_INTEGER_FUNCTIONS(T, U, bits)                                                                     \
    QUERN_DEFINE_ORDER(T)                                                                                              \
    QUERN_OVERLOAD T quern_abs(T a)                                                                                    \
    {                                                                                                                  \
        return a < 0 ? -a : a;                                                                                         \
    }                                                                                                                  \
    QUERN_OVERLOAD int quern_popcount(T a)                                                                             \
    {                                                                                                                  \
        return (int)popcount((U)a);                                                                                    \
    }                                                                                                                  \
    QUERN_OVERLOAD int quern_clz(T a)                                                                                  \
    {                                                                                                                  \
        return (int)clz((U)a);                                                                                         \
    }                                                                                                                  \
    QUERN_OVERLOAD int quern_ffs(T a)                                                                                  \
    {                                                                                                                  \
        return bits - (int)clz((U)a & (0 - (U)a));                                                                     \
    }

QUERN_DEFINE_INTEGER_FUNCTIONS(int, uint, 32)
QUERN_DEFINE_INTEGER_FUNCTIONS(uint, uint, 32)
QUERN_DEFINE_INTEGER_FUNCTIONS(long, ulong, 64)
QUERN_DEFINE_INTEGER_FUNCTIONS(ulong, ulong, 64)
QUERN_DEFINE_ORDER(float)
QUERN_DOUBLE(QUERN_DEFINE_ORDER(double))

#define MIN(a, b) quern_min(QUERN_COMMON(a, b), QUERN_COMMON(b, a))
#define MAX(a, b) quern_max(QUERN_COMMON(a, b), QUERN_COMMON(b, a))
#define ABS(a) quern_abs(+(a))

/* The number of ones, the number of zeros above the highest one (32 or 64 of 0), the place of the lowest one from 1
 * (0 of 0). */
#undef popcount
#undef clz
#undef ffs
#define popcount(x) quern_popcount(x)
#define clz(x) quern_clz(x)
#define ffs(x) quern_ffs(x)

/* ---- C's mathematical functions ---- */

#define QUERN_DEFINE_1(f)                                                                                              \
    QUERN_OVERLOAD float quern_##f(float x)                                                                            \
    {                                                                                                                  \
        return f(x);                                                                                                   \
    }                                                                                                                  \
    QUERN_DOUBLE(QUERN_OVERLOAD double quern_##f(double x) { return f(x); })
#define QUERN_DEFINE_2(f)                                                                                              \
    QUERN_OVERLOAD float quern_##f(float x, float y)                                                                   \
    {                                                                                                                  \
        return f(x, y);                                                                                                \
    }                                                                                                                  \
    QUERN_DOUBLE(QUERN_OVERLOAD double quern_##f(double x, double y) { return f(x, y); })
#define QUERN_DEFINE_TEST(f)                                                                                           \
    QUERN_OVERLOAD int quern_##f(float x)                                                                              \
    {                                                                                                                  \
        return f(x) != 0;                                                                                              \
    }                                                                                                                  \
    QUERN_DOUBLE(QUERN_OVERLOAD int quern_##f(double x) { return f(x) != 0; })

QUERN_OVERLOAD float quern_abs(float a)
{
    return fabs(a);
}
QUERN_DOUBLE(QUERN_OVERLOAD double quern_abs(double a) { return fabs(a); })
QUERN_DEFINE_1(acos)
QUERN_DEFINE_1(acosh)
QUERN_DEFINE_1(asin)
QUERN_DEFINE_1(asinh)
QUERN_DEFINE_1(atan)
QUERN_DEFINE_1(atanh)
QUERN_DEFINE_1(cbrt)
QUERN_DEFINE_1(ceil)
QUERN_DEFINE_1(cos)
QUERN_DEFINE_1(cosh)
QUERN_DEFINE_1(erf)
QUERN_DEFINE_1(erfc)
QUERN_DEFINE_1(exp)
QUERN_DEFINE_1(exp2)
QUERN_DEFINE_1(expm1)
QUERN_DEFINE_1(fabs)
QUERN_DEFINE_1(floor)
QUERN_DEFINE_1(lgamma)
QUERN_DEFINE_1(log)
QUERN_DEFINE_1(log10)
QUERN_DEFINE_1(log1p)
QUERN_DEFINE_1(log2)
QUERN_DEFINE_1(logb)
QUERN_DEFINE_1(rint)
QUERN_DEFINE_1(round)
QUERN_DEFINE_1(sin)
QUERN_DEFINE_1(sinh)
QUERN_DEFINE_1(sqrt)
QUERN_DEFINE_1(tan)
QUERN_DEFINE_1(tanh)
QUERN_DEFINE_1(trunc)
QUERN_DEFINE_2(atan2)
QUERN_DEFINE_2(copysign)
QUERN_DEFINE_2(fdim)
QUERN_DEFINE_2(fmax)
QUERN_DEFINE_2(fmin)
QUERN_DEFINE_2(fmod)
QUERN_DEFINE_2(hypot)
QUERN_DEFINE_2(nextafter)
QUERN_DEFINE_2(pow)
QUERN_DEFINE_2(remainder)
QUERN_DEFINE_TEST(isnan)
QUERN_DEFINE_TEST(isinf)
QUERN_DEFINE_TEST(isfinite)
QUERN_DEFINE_TEST(signbit)

/* A device may lose the sign of a result that is too small: it is that of (-1) to the power of floor(x). */
#define QUERN_DEFINE_GAMMA(T)                                                                                          \
    QUERN_OVERLOAD T quern_tgamma(T x)                                                                                 \
    {                                                                                                                  \
        const T y = tgamma(x);                                                                                         \
        return y == 0 && x < 0 && fmod(floor(x), (T)2) != 0 ? -fabs(y) : y;                                            \
    }
QUERN_DEFINE_GAMMA(float)
QUERN_DOUBLE(QUERN_DEFINE_GAMMA(double))

QUERN_OVERLOAD float quern_fma(float x, float y, float z)
{
    return fma(x, y, z);
}
QUERN_DOUBLE(QUERN_OVERLOAD double quern_fma(double x, double y, double z) { return fma(x, y, z); })

QUERN_OVERLOAD float quern_ldexp(float x, int exponent)
{
    return ldexp(x, exponent);
}
QUERN_DOUBLE(QUERN_OVERLOAD double quern_ldexp(double x, int exponent) { return ldexp(x, exponent); })

#undef acos
#undef acosh
#undef asin
#undef asinh
#undef atan
#undef atanh
#undef cbrt
#undef ceil
#undef cos
#undef cosh
#undef erf
#undef erfc
#undef exp
#undef exp2
#undef expm1
#undef fabs
#undef floor
#undef lgamma
#undef log
#undef log10
#undef log1p
#undef log2
#undef logb
#undef rint
#undef round
#undef sin
#undef sinh
#undef sqrt
#undef tan
#undef tanh
#undef tgamma
#undef trunc
#undef atan2
#undef copysign
#undef fdim
#undef fmax
#undef fmin
#undef fmod
#undef hypot
#undef nextafter
#undef pow
#undef remainder
#undef fma
#undef ldexp
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
#define acos(x) quern_acos(x)
#define acosh(x) quern_acosh(x)
#define asin(x) quern_asin(x)
#define asinh(x) quern_asinh(x)
#define atan(x) quern_atan(x)
#define atanh(x) quern_atanh(x)
#define cbrt(x) quern_cbrt(x)
#define ceil(x) quern_ceil(x)
#define cos(x) quern_cos(x)
#define cosh(x) quern_cosh(x)
#define erf(x) quern_erf(x)
#define erfc(x) quern_erfc(x)
#define exp(x) quern_exp(x)
#define exp2(x) quern_exp2(x)
#define expm1(x) quern_expm1(x)
#define fabs(x) quern_fabs(x)
#define floor(x) quern_floor(x)
#define lgamma(x) quern_lgamma(x)
#define log(x) quern_log(x)
#define log10(x) quern_log10(x)
#define log1p(x) quern_log1p(x)
#define log2(x) quern_log2(x)
#define logb(x) quern_logb(x)
#define rint(x) quern_rint(x)
#define round(x) quern_round(x)
#define sin(x) quern_sin(x)
#define sinh(x) quern_sinh(x)
#define sqrt(x) quern_sqrt(x)
#define tan(x) quern_tan(x)
#define tanh(x) quern_tanh(x)
#define tgamma(x) quern_tgamma(x)
#define trunc(x) quern_trunc(x)
#define atan2(x, y) quern_atan2(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define copysign(x, y) quern_copysign(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define fdim(x, y) quern_fdim(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define fmax(x, y) quern_fmax(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define fmin(x, y) quern_fmin(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define fmod(x, y) quern_fmod(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define hypot(x, y) quern_hypot(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define nextafter(x, y) quern_nextafter(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define pow(x, y) quern_pow(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define remainder(x, y) quern_remainder(QUERN_COMMON(x, y), QUERN_COMMON(y, x))
#define fma(x, y, z) quern_fma(QUERN_COMMON_3(x, y, z), QUERN_COMMON_3(y, z, x), QUERN_COMMON_3(z, x, y))
#define ldexp(x, exponent) quern_ldexp(x, exponent)
#define isnan(x) quern_isnan(x)
#define isinf(x) quern_isinf(x)
#define isfinite(x) quern_isfinite(x)
#define signbit(x) quern_signbit(x)

#endif
