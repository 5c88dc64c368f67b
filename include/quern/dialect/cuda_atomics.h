/*
 * Quern: atomics in CUDA C++, on global and local memory alike. They return the old value, are indivisible, and order
 * nothing but themselves. What CUDA has no function for is a loop over a compare and exchange, which compares bits.
 */
#ifndef QUERN_DIALECT_CUDA_ATOMICS_H
#define QUERN_DIALECT_CUDA_ATOMICS_H

/* S and U: CUDA's names of the integers of T's size, with T's sign and without; name: a function on U */
#define QUERN_DEFINE_ATOMIC(word, name, T, U)                                                                          \
    QUERN_INLINE T quern_atomic_##word(T *p, T v)                                                                      \
    {                                                                                                                  \
        return (T)name((U *)p, (U)v);                                                                                  \
    }
#define QUERN_DEFINE_INTEGER(T, S, U)                                                                                  \
    QUERN_DEFINE_ATOMIC(add, atomicAdd, T, U)                                                                          \
    QUERN_DEFINE_ATOMIC(min, atomicMin, T, S)                                                                          \
    QUERN_DEFINE_ATOMIC(max, atomicMax, T, S)                                                                          \
    QUERN_DEFINE_ATOMIC(and, atomicAnd, T, U)                                                                          \
    QUERN_DEFINE_ATOMIC(or, atomicOr, T, U)                                                                            \
    QUERN_DEFINE_ATOMIC(xor, atomicXor, T, U)                                                                          \
    QUERN_DEFINE_ATOMIC(exchange, atomicExch, T, U)                                                                    \
    QUERN_INLINE T quern_atomic_sub(T *p, T v)                                                                         \
    {                                                                                                                  \
        return (T)atomicAdd((U *)p, 0 - (U)v);                                                                         \
    }                                                                                                                  \
    QUERN_INLINE T quern_atomic_compare_exchange(T *p, T expected, T desired)                                          \
    {                                                                                                                  \
        return (T)atomicCAS((U *)p, (U)expected, (U)desired);                                                          \
    }

/* U: the unsigned integer of T's size; of and to: from its bits to T, and back */
#define QUERN_DEFINE_UPDATE(word, T, U, of, to, wanted)                                                                \
    QUERN_INLINE T quern_atomic_##word(T *p, T v)                                                                      \
    {                                                                                                                  \
        U *const bits = (U *)p;                                                                                        \
        U seen = *(volatile U *)bits, before;                                                                          \
        do {                                                                                                           \
            const T old = of(seen);                                                                                    \
            before = seen;                                                                                             \
            seen = atomicCAS(bits, before, (U)to(wanted));                                                             \
        } while (seen != before);                                                                                      \
        return of(before);                                                                                             \
    }
#define QUERN_DEFINE_FLOATING(T, U, of, to)                                                                            \
    QUERN_DEFINE_UPDATE(min, T, U, of, to, v < old ? v : old)                                                          \
    QUERN_DEFINE_UPDATE(max, T, U, of, to, v > old ? v : old)                                                          \
    QUERN_INLINE T quern_atomic_exchange(T *p, T v)                                                                    \
    {                                                                                                                  \
        return of(atomicExch((U *)p, (U)to(v)));                                                                       \
    }                                                                                                                  \
    QUERN_INLINE T quern_atomic_compare_exchange(T *p, T expected, T desired)                                          \
    {                                                                                                                  \
        return of(atomicCAS((U *)p, (U)to(expected), (U)to(desired)));                                                 \
    }

QUERN_DEFINE_INTEGER(int, int, unsigned)
QUERN_DEFINE_INTEGER(unsigned, unsigned, unsigned)
QUERN_DEFINE_INTEGER(long, quern_wide, quern_unsigned_wide)
QUERN_DEFINE_INTEGER(unsigned long, quern_unsigned_wide, quern_unsigned_wide)
QUERN_DEFINE_FLOATING(float, unsigned, __uint_as_float, __float_as_uint)
QUERN_DEFINE_FLOATING(double, quern_unsigned_wide, __longlong_as_double, __double_as_longlong)

/* A device's own sum of floats takes subnormals in global memory for 0. */
#ifdef QUERN_FAST
QUERN_INLINE float quern_atomic_add(float *p, float v)
{
    return atomicAdd(p, v);
}
QUERN_INLINE float quern_atomic_sub(float *p, float v)
{
    return atomicAdd(p, -v);
}
#else
QUERN_DEFINE_UPDATE(add, float, unsigned, __uint_as_float, __float_as_uint, old + v)
QUERN_DEFINE_UPDATE(sub, float, unsigned, __uint_as_float, __float_as_uint, old - v)
#endif
QUERN_INLINE double quern_atomic_add(double *p, double v)
{
    return atomicAdd(p, v);
}
QUERN_INLINE double quern_atomic_sub(double *p, double v)
{
    return atomicAdd(p, -v);
}

#define ATOMIC_ADD(p, v) quern_atomic_add(p, v)
#define ATOMIC_SUB(p, v) quern_atomic_sub(p, v)
#define ATOMIC_MIN(p, v) quern_atomic_min(p, v)
#define ATOMIC_MAX(p, v) quern_atomic_max(p, v)
#define ATOMIC_AND(p, v) quern_atomic_and(p, v)
#define ATOMIC_OR(p, v) quern_atomic_or(p, v)
#define ATOMIC_XOR(p, v) quern_atomic_xor(p, v)
#define ATOMIC_EXCHANGE(p, v) quern_atomic_exchange(p, v)
#define ATOMIC_COMPARE_EXCHANGE(p, expected, desired) quern_atomic_compare_exchange(p, expected, desired)

#endif
