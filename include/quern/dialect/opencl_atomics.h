/*
 * Quern: atomics in OpenCL C, on global and local memory. They return the old value, are indivisible, and order nothing
 * but themselves. Floating numbers are added and compared in a loop over a compare and exchange, which compares bits.
 */
#ifndef QUERN_DIALECT_OPENCL_ATOMICS_H
#define QUERN_DIALECT_OPENCL_ATOMICS_H

#define QUERN_DEFINE_ATOMIC(word, name, space, T)                                                                      \
    QUERN_OVERLOAD T quern_atomic_##word(volatile space T *p, T v)                                                     \
    {                                                                                                                  \
        return name(p, v);                                                                                             \
    }

/* prefix: atomic_ for 32 bits, atom_ for 64 */
#define QUERN_DEFINE_INTEGER(prefix, space, T)                                                                         \
    QUERN_DEFINE_ATOMIC(add, prefix##add, space, T)                                                                    \
    QUERN_DEFINE_ATOMIC(sub, prefix##sub, space, T)                                                                    \
    QUERN_DEFINE_ATOMIC(min, prefix##min, space, T)                                                                    \
    QUERN_DEFINE_ATOMIC(max, prefix##max, space, T)                                                                    \
    QUERN_DEFINE_ATOMIC(and, prefix##and, space, T)                                                                    \
    QUERN_DEFINE_ATOMIC(or, prefix## or, space, T)                                                                     \
    QUERN_DEFINE_ATOMIC(xor, prefix## xor, space, T)                                                                   \
    QUERN_DEFINE_ATOMIC(exchange, prefix##xchg, space, T)                                                              \
    QUERN_OVERLOAD T quern_atomic_compare_exchange(volatile space T *p, T expected, T desired)                         \
    {                                                                                                                  \
        return prefix##cmpxchg(p, expected, desired);                                                                  \
    }

/* U: the unsigned integer of T's size */
#define QUERN_DEFINE_UPDATE(word, cmpxchg, space, T, U, wanted)                                                        \
    QUERN_OVERLOAD T quern_atomic_##word(volatile space T *p, T v)                                                     \
    {                                                                                                                  \
        volatile space U *bits = (volatile space U *)p;                                                                \
        U seen = *bits, before;                                                                                        \
        do {                                                                                                           \
            const T old = as_##T(seen);                                                                                \
            before = seen;                                                                                             \
            seen = cmpxchg(bits, before, as_##U(wanted));                                                              \
        } while (seen != before);                                                                                      \
        return as_##T(before);                                                                                         \
    }
#define QUERN_DEFINE_FLOATING(prefix, space, T, U)                                                                     \
    QUERN_DEFINE_UPDATE(add, prefix##cmpxchg, space, T, U, old + v)                                                    \
    QUERN_DEFINE_UPDATE(sub, prefix##cmpxchg, space, T, U, old - v)                                                    \
    QUERN_DEFINE_UPDATE(min, prefix##cmpxchg, space, T, U, v < old ? v : old)                                          \
    QUERN_DEFINE_UPDATE(max, prefix##cmpxchg, space, T, U, v > old ? v : old)                                          \
    QUERN_OVERLOAD T quern_atomic_exchange(volatile space T *p, T v)                                                   \
    {                                                                                                                  \
        return as_##T(prefix##xchg((volatile space U *)p, as_##U(v)));                                                 \
    }                                                                                                                  \
    QUERN_OVERLOAD T quern_atomic_compare_exchange(volatile space T *p, T expected, T desired)                         \
    {                                                                                                                  \
        return as_##T(prefix##cmpxchg((volatile space U *)p, as_##U(expected), as_##U(desired)));                      \
    }

QUERN_DEFINE_INTEGER(atomic_, __global, int)
QUERN_DEFINE_INTEGER(atomic_, __global, uint)
QUERN_DEFINE_INTEGER(atomic_, __local, int)
QUERN_DEFINE_INTEGER(atomic_, __local, uint)
QUERN_DEFINE_FLOATING(atomic_, __global, float, uint)
QUERN_DEFINE_FLOATING(atomic_, __local, float, uint)
#ifdef QUERN_ATOMICS64
QUERN_DEFINE_INTEGER(atom_, __global, long)
QUERN_DEFINE_INTEGER(atom_, __global, ulong)
QUERN_DEFINE_INTEGER(atom_, __local, long)
QUERN_DEFINE_INTEGER(atom_, __local, ulong)
#ifdef QUERN_FP64
QUERN_DEFINE_FLOATING(atom_, __global, double, ulong)
QUERN_DEFINE_FLOATING(atom_, __local, double, ulong)
#endif
#endif

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
