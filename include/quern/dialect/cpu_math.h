/*
 * Quern: functions that are generic in the type, on the CPU: MIN, MAX, ABS, and C's mathematical
 * functions by their names: sqrt of a float is a float, as in OpenCL and CUDA.
 *
 * <math.h> is not included: it would bring names such as y1 and gamma, which a kernel file may use.
 */
#ifndef QUERN_DIALECT_CPU_MATH_H
#define QUERN_DIALECT_CPU_MATH_H

/* ---- MIN, MAX, ABS ---- */

/* For both, where a and b do not compare (one is a NaN), the result is b. */
#define QUERN_DEFINE_ORDER(type, T)                                                                                    \
    QUERN_INLINE T quern_min_##type(T a, T b)                                                                          \
    {                                                                                                                  \
        return a < b ? a : b;                                                                                          \
    }                                                                                                                  \
    QUERN_INLINE T quern_max_##type(T a, T b)                                                                          \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }
QUERN_DEFINE_ORDER(int, int)
QUERN_DEFINE_ORDER(unsigned, unsigned)
QUERN_DEFINE_ORDER(long, long)
QUERN_DEFINE_ORDER(unsigned_long, unsigned long)
QUERN_DEFINE_ORDER(long_long, long long)
QUERN_DEFINE_ORDER(unsigned_long_long, unsigned long long)
QUERN_DEFINE_ORDER(float, float)
QUERN_DEFINE_ORDER(double, double)
#undef QUERN_DEFINE_ORDER

/* clang-format off */
#define QUERN_BY_TYPE(function, x) _Generic((x), \
    int: function##_int, unsigned: function##_unsigned, \
    long: function##_long, unsigned long: function##_unsigned_long, \
    long long: function##_long_long, unsigned long long: function##_unsigned_long_long, \
    float: function##_float, double: function##_double)
/* clang-format on */

#undef MIN
#undef MAX
#undef ABS
#define MIN(a, b) QUERN_BY_TYPE(quern_min, (a) + (b))(a, b)
#define MAX(a, b) QUERN_BY_TYPE(quern_max, (a) + (b))(a, b)
#define ABS(a) QUERN_BY_TYPE(quern_abs, +(a))(a)

QUERN_INLINE int quern_abs_int(int a)
{
    return a < 0 ? -a : a;
}
QUERN_INLINE unsigned quern_abs_unsigned(unsigned a)
{
    return a;
}
QUERN_INLINE long quern_abs_long(long a)
{
    return a < 0 ? -a : a;
}
QUERN_INLINE unsigned long quern_abs_unsigned_long(unsigned long a)
{
    return a;
}
QUERN_INLINE long long quern_abs_long_long(long long a)
{
    return a < 0 ? -a : a;
}
QUERN_INLINE unsigned long long quern_abs_unsigned_long_long(unsigned long long a)
{
    return a;
}
QUERN_INLINE float quern_abs_float(float a)
{
    return __builtin_fabsf(a);
}
QUERN_INLINE double quern_abs_double(double a)
{
    return __builtin_fabs(a);
}

/* ---- bits of 32- and 64-bit integers ---- */

QUERN_INLINE int quern_popcount_32(uint32_t x)
{
    return __builtin_popcount(x);
}
QUERN_INLINE int quern_popcount_64(uint64_t x)
{
    return __builtin_popcountll(x);
}
QUERN_INLINE int quern_clz_32(uint32_t x)
{
    return x ? __builtin_clz(x) : 32;
}
QUERN_INLINE int quern_clz_64(uint64_t x)
{
    return x ? __builtin_clzll(x) : 64;
}
QUERN_INLINE int quern_ffs_32(uint32_t x)
{
    return __builtin_ffs((int)x);
}
QUERN_INLINE int quern_ffs_64(uint64_t x)
{
    return __builtin_ffsll((long long)x);
}

/* clang-format off */
#define QUERN_BY_BITS(function, x) _Generic((x), \
    int32_t: function##_32, uint32_t: function##_32, int64_t: function##_64, uint64_t: function##_64)
/* clang-format on */

/* The number of ones, the number of zeros above the highest one (32 or 64 of 0), the place of the lowest one from 1
 * (0 of 0). */
#define popcount(x) QUERN_BY_BITS(quern_popcount, x)(x)
#define clz(x) QUERN_BY_BITS(quern_clz, x)(x)
#define ffs(x) QUERN_BY_BITS(quern_ffs, x)(x)

/* ---- C's mathematical functions ---- */

#define QUERN_DEFINE_1(name)                                                                                           \
    QUERN_INLINE float quern_##name##_float(float x)                                                                   \
    {                                                                                                                  \
        return __builtin_##name##f(x);                                                                                 \
    }                                                                                                                  \
    QUERN_INLINE double quern_##name##_double(double x)                                                                \
    {                                                                                                                  \
        return __builtin_##name(x);                                                                                    \
    }
#define QUERN_DEFINE_2(name)                                                                                           \
    QUERN_INLINE float quern_##name##_float(float x, float y)                                                          \
    {                                                                                                                  \
        return __builtin_##name##f(x, y);                                                                              \
    }                                                                                                                  \
    QUERN_INLINE double quern_##name##_double(double x, double y)                                                      \
    {                                                                                                                  \
        return __builtin_##name(x, y);                                                                                 \
    }

/* float when the argument's type is float, double otherwise. */
#define QUERN_MATH_1(f, x) _Generic((x), float : quern_##f##_float, default : quern_##f##_double)(x)
#define QUERN_MATH_2(f, x, y) _Generic((x) + (y), float : quern_##f##_float, default : quern_##f##_double)(x, y)

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
QUERN_DEFINE_1(tgamma)
QUERN_DEFINE_1(trunc)

/* C's lgamma writes a global variable, the sign, and items run on several threads. The names are not those of <math.h>,
 * which only declares these functions when it is asked to. */
float quern_c_lgammaf_r(float x, int *sign) __asm__("lgammaf_r");
double quern_c_lgamma_r(double x, int *sign) __asm__("lgamma_r");
QUERN_INLINE float quern_lgamma_float(float x)
{
    int sign;
    return quern_c_lgammaf_r(x, &sign);
}
QUERN_INLINE double quern_lgamma_double(double x)
{
    int sign;
    return quern_c_lgamma_r(x, &sign);
}

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

QUERN_INLINE float quern_fma_float(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
QUERN_INLINE double quern_fma_double(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
QUERN_INLINE float quern_ldexp_float(float x, int exponent)
{
    return __builtin_ldexpf(x, exponent);
}
QUERN_INLINE double quern_ldexp_double(double x, int exponent)
{
    return __builtin_ldexp(x, exponent);
}

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
#define acos(x) QUERN_MATH_1(acos, x)
#define acosh(x) QUERN_MATH_1(acosh, x)
#define asin(x) QUERN_MATH_1(asin, x)
#define asinh(x) QUERN_MATH_1(asinh, x)
#define atan(x) QUERN_MATH_1(atan, x)
#define atanh(x) QUERN_MATH_1(atanh, x)
#define cbrt(x) QUERN_MATH_1(cbrt, x)
#define ceil(x) QUERN_MATH_1(ceil, x)
#define cos(x) QUERN_MATH_1(cos, x)
#define cosh(x) QUERN_MATH_1(cosh, x)
#define erf(x) QUERN_MATH_1(erf, x)
#define erfc(x) QUERN_MATH_1(erfc, x)
#define exp(x) QUERN_MATH_1(exp, x)
#define exp2(x) QUERN_MATH_1(exp2, x)
#define expm1(x) QUERN_MATH_1(expm1, x)
#define fabs(x) QUERN_MATH_1(fabs, x)
#define floor(x) QUERN_MATH_1(floor, x)
#define lgamma(x) QUERN_MATH_1(lgamma, x)
#define log(x) QUERN_MATH_1(log, x)
#define log10(x) QUERN_MATH_1(log10, x)
#define log1p(x) QUERN_MATH_1(log1p, x)
#define log2(x) QUERN_MATH_1(log2, x)
#define logb(x) QUERN_MATH_1(logb, x)
#define rint(x) QUERN_MATH_1(rint, x)
#define round(x) QUERN_MATH_1(round, x)
#define sin(x) QUERN_MATH_1(sin, x)
#define sinh(x) QUERN_MATH_1(sinh, x)
#define sqrt(x) QUERN_MATH_1(sqrt, x)
#define tan(x) QUERN_MATH_1(tan, x)
#define tanh(x) QUERN_MATH_1(tanh, x)
#define tgamma(x) QUERN_MATH_1(tgamma, x)
#define trunc(x) QUERN_MATH_1(trunc, x)
#define atan2(x, y) QUERN_MATH_2(atan2, x, y)
#define copysign(x, y) QUERN_MATH_2(copysign, x, y)
#define fdim(x, y) QUERN_MATH_2(fdim, x, y)
#define fmax(x, y) QUERN_MATH_2(fmax, x, y)
#define fmin(x, y) QUERN_MATH_2(fmin, x, y)
#define fmod(x, y) QUERN_MATH_2(fmod, x, y)
#define hypot(x, y) QUERN_MATH_2(hypot, x, y)
#define nextafter(x, y) QUERN_MATH_2(nextafter, x, y)
#define pow(x, y) QUERN_MATH_2(pow, x, y)
#define remainder(x, y) QUERN_MATH_2(remainder, x, y)
#define fma(x, y, z) _Generic((x) + (y) + (z), float : quern_fma_float, default : quern_fma_double)(x, y, z)
#define ldexp(x, exponent) _Generic((x), float : quern_ldexp_float, default : quern_ldexp_double)(x, exponent)

/* 1 or 0, for float and double. */
#define isnan(x) __builtin_isnan(x)
#define isinf(x) (__builtin_isinf(x) != 0)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) (__builtin_signbit(x) != 0)

/* ---- constants ---- */

#undef INFINITY
#undef NAN
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#include <quern/dialect/constants.h>

#endif
