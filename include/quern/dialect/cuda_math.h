/*
 * Quern: functions that are generic in the type, in CUDA C++: MIN, MAX, ABS, and C's mathematical functions, whose
 * calls `quern compile` writes with quern_ before the name, so that an author's variable may be called as one is.
 */
#ifndef QUERN_DIALECT_CUDA_MATH_H
#define QUERN_DIALECT_CUDA_MATH_H

/* ---- MIN, MAX, ABS ---- */

/* The value of a, in the type that C's usual conversions give a and b. */
#define QUERN_COMMON(a, b) (+(1 ? (a) : (b)))
#define MIN(a, b) quern_min(QUERN_COMMON(a, b), QUERN_COMMON(b, a))
#define MAX(a, b) quern_max(QUERN_COMMON(a, b), QUERN_COMMON(b, a))
#define ABS(a) quern_abs(+(a))

/* For both, where a and b do not compare (one is a NaN), the result is b. */
template <typename T> QUERN_INLINE T quern_min(T a, T b)
{
    return a < b ? a : b;
}
template <typename T> QUERN_INLINE T quern_max(T a, T b)
{
    return a > b ? a : b;
}
template <typename T> QUERN_INLINE T quern_abs(T a)
{
    return a < 0 ? -a : a;
}
QUERN_INLINE float quern_abs(float a)
{
    return fabsf(a);
}
QUERN_INLINE double quern_abs(double a)
{
    return fabs(a);
}

/* The number of ones, the number of zeros above the highest one (32 or 64 of 0), the place of the lowest one from 1
 * (0 of 0); end: of the names of CUDA's functions for T. */
#define QUERN_DEFINE_BITS(T, end)                                                                                      \
    QUERN_INLINE int quern_popcount(T a)                                                                               \
    {                                                                                                                  \
        return __popc##end(a);                                                                                         \
    }                                                                                                                  \
    QUERN_INLINE int quern_clz(T a)                                                                                    \
    {                                                                                                                  \
        return __clz##end(a);                                                                                          \
    }                                                                                                                  \
    QUERN_INLINE int quern_ffs(T a)                                                                                    \
    {                                                                                                                  \
        return __ffs##end(a);                                                                                          \
    }
QUERN_DEFINE_BITS(int, )
QUERN_DEFINE_BITS(unsigned, )
QUERN_DEFINE_BITS(long, ll)
QUERN_DEFINE_BITS(unsigned long, ll)

/* ---- C's mathematical functions ---- */

#define QUERN_DEFINE_1(name)                                                                                           \
    QUERN_INLINE float quern_##name(float x)                                                                           \
    {                                                                                                                  \
        return name##f(x);                                                                                             \
    }                                                                                                                  \
    QUERN_INLINE double quern_##name(double x)                                                                         \
    {                                                                                                                  \
        return name(x);                                                                                                \
    }
#define QUERN_DEFINE_2(name)                                                                                           \
    QUERN_INLINE float quern_##name(float x, float y)                                                                  \
    {                                                                                                                  \
        return name##f(x, y);                                                                                          \
    }                                                                                                                  \
    QUERN_INLINE double quern_##name(double x, double y)                                                               \
    {                                                                                                                  \
        return name(x, y);                                                                                             \
    }

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

/* end: of the names of CUDA's functions for T. A device may lose the sign of a gamma that is too small: it is that of
 * (-1) to the power of floor(x). */
#define QUERN_DEFINE_OTHERS(T, end, bits)                                                                              \
    QUERN_INLINE T quern_fma(T x, T y, T z)                                                                            \
    {                                                                                                                  \
        return fma##end(x, y, z);                                                                                      \
    }                                                                                                                  \
    QUERN_INLINE T quern_ldexp(T x, int exponent)                                                                      \
    {                                                                                                                  \
        return ldexp##end(x, exponent);                                                                                \
    }                                                                                                                  \
    QUERN_INLINE T quern_tgamma(T x)                                                                                   \
    {                                                                                                                  \
        const T y = tgamma##end(x);                                                                                    \
        return y == 0 && x < 0 && fmod##end(floor##end(x), 2) != 0 ? -fabs##end(y) : y;                                \
    }                                                                                                                  \
    QUERN_INLINE int quern_isnan(T x)                                                                                  \
    {                                                                                                                  \
        return x != x;                                                                                                 \
    }                                                                                                                  \
    QUERN_INLINE int quern_isinf(T x)                                                                                  \
    {                                                                                                                  \
        return fabs##end(x) == INFINITY;                                                                               \
    }                                                                                                                  \
    QUERN_INLINE int quern_isfinite(T x)                                                                               \
    {                                                                                                                  \
        return fabs##end(x) < INFINITY;                                                                                \
    }                                                                                                                  \
    QUERN_INLINE int quern_signbit(T x)                                                                                \
    {                                                                                                                  \
        return bits(x) < 0;                                                                                            \
    }
QUERN_DEFINE_OTHERS(float, f, __float_as_int)
QUERN_DEFINE_OTHERS(double, , __double_as_longlong)

#endif
