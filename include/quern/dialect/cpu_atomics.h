/*
 * Quern: atomics on the CPU.
 *
 * ATOMIC_ADD(pointer, value) and so on return the old value. They are indivisible, and order nothing but
 * themselves. Additions, minima and maxima of floating numbers are loops over a compare and exchange,
 * which compares bits.
 */
#ifndef QUERN_DIALECT_CPU_ATOMICS_H
#define QUERN_DIALECT_CPU_ATOMICS_H

/* One loop for what the processor has no instruction for: *p becomes wanted, a function of old and v. */
#define QUERN_DEFINE_UPDATE(operation, type, T, wanted)                                                                \
    QUERN_INLINE T quern_atomic_##operation##_##type(T *p, T v)                                                        \
    {                                                                                                                  \
        T old, new;                                                                                                    \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                                                                      \
        do                                                                                                             \
            new = wanted;                                                                                              \
        while (!__atomic_compare_exchange(p, &old, &new, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));                      \
        return old;                                                                                                    \
    }

#define QUERN_DEFINE_FETCH(operation, type, T)                                                                         \
    QUERN_INLINE T quern_atomic_##operation##_##type(T *p, T v)                                                        \
    {                                                                                                                  \
        return __atomic_fetch_##operation(p, v, __ATOMIC_RELAXED);                                                     \
    }

#define QUERN_DEFINE_ANY_TYPE(type, T)                                                                                 \
    QUERN_DEFINE_UPDATE(min, type, T, v < old ? v : old)                                                               \
    QUERN_DEFINE_UPDATE(max, type, T, v > old ? v : old)                                                               \
    QUERN_INLINE T quern_atomic_exchange_##type(T *p, T v)                                                             \
    {                                                                                                                  \
        T old;                                                                                                         \
        __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED);                                                              \
        return old;                                                                                                    \
    }                                                                                                                  \
    QUERN_INLINE T quern_atomic_compare_exchange_##type(T *p, T expected, T desired)                                   \
    {                                                                                                                  \
        __atomic_compare_exchange(p, &expected, &desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                      \
        return expected;                                                                                               \
    }

#define QUERN_DEFINE_INTEGER(type, T)                                                                                  \
    QUERN_DEFINE_FETCH(add, type, T)                                                                                   \
    QUERN_DEFINE_FETCH(sub, type, T)                                                                                   \
    QUERN_DEFINE_FETCH(and, type, T)                                                                                   \
    QUERN_DEFINE_FETCH(or, type, T)                                                                                    \
    QUERN_DEFINE_FETCH(xor, type, T)                                                                                   \
    QUERN_DEFINE_ANY_TYPE(type, T)

#define QUERN_DEFINE_FLOATING(type, T)                                                                                 \
    QUERN_DEFINE_UPDATE(add, type, T, old + v)                                                                         \
    QUERN_DEFINE_UPDATE(sub, type, T, old - v)                                                                         \
    QUERN_DEFINE_ANY_TYPE(type, T)

QUERN_DEFINE_INTEGER(int32, int32_t)
QUERN_DEFINE_INTEGER(uint32, uint32_t)
QUERN_DEFINE_INTEGER(int64, int64_t)
QUERN_DEFINE_INTEGER(uint64, uint64_t)
QUERN_DEFINE_FLOATING(float, float)
QUERN_DEFINE_FLOATING(double, double)

#undef QUERN_DEFINE_UPDATE
#undef QUERN_DEFINE_FETCH
#undef QUERN_DEFINE_ANY_TYPE
#undef QUERN_DEFINE_INTEGER
#undef QUERN_DEFINE_FLOATING

/* clang-format off */
#define QUERN_ATOMIC_INTEGERS(operation) \
    int32_t: quern_atomic_##operation##_int32, uint32_t: quern_atomic_##operation##_uint32, \
    int64_t: quern_atomic_##operation##_int64, uint64_t: quern_atomic_##operation##_uint64
#define QUERN_ATOMIC_ALL(operation) \
    QUERN_ATOMIC_INTEGERS(operation), \
    float: quern_atomic_##operation##_float, double: quern_atomic_##operation##_double

#define ATOMIC_ADD(p, v) _Generic(*(p), QUERN_ATOMIC_ALL(add))(p, v)
#define ATOMIC_SUB(p, v) _Generic(*(p), QUERN_ATOMIC_ALL(sub))(p, v)
#define ATOMIC_MIN(p, v) _Generic(*(p), QUERN_ATOMIC_ALL(min))(p, v)
#define ATOMIC_MAX(p, v) _Generic(*(p), QUERN_ATOMIC_ALL(max))(p, v)
#define ATOMIC_AND(p, v) _Generic(*(p), QUERN_ATOMIC_INTEGERS(and))(p, v)
#define ATOMIC_OR(p, v) _Generic(*(p), QUERN_ATOMIC_INTEGERS(or))(p, v)
#define ATOMIC_XOR(p, v) _Generic(*(p), QUERN_ATOMIC_INTEGERS(xor))(p, v)
#define ATOMIC_EXCHANGE(p, v) _Generic(*(p), QUERN_ATOMIC_ALL(exchange))(p, v)
#define ATOMIC_COMPARE_EXCHANGE(p, expected, desired) \
    _Generic(*(p), QUERN_ATOMIC_ALL(compare_exchange))(p, expected, desired)
/* clang-format on */

#endif
