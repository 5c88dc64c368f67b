/*
 * Conformance, subject "atomic": the kernels of one type, for atomic.k.c and its kin.
 *
 * Each item does every operation once, on a target of its slot for each, and keeps the old values. What each target
 * sees, and what it begins with, is the host's part (kernels_atomic.c), which counts the operations in this order.
 */
#ifndef QUERN_CONFORMANCE_ATOMIC_KERNELS_H
#define QUERN_CONFORMANCE_ATOMIC_KERNELS_H

#define OPERATIONS 10

/* t and o: the slot's targets and the item's old values. step: 1, and in the control 2 for one item. */
#define ATOMIC_COMMON(T, t, o, i, v, step)                                                                             \
    do {                                                                                                               \
        o[0] = ATOMIC_ADD(&t[0], (T)(step));                                                                           \
        o[1] = ATOMIC_SUB(&t[1], (T)1);                                                                                \
        o[2] = ATOMIC_MIN(&t[2], v);                                                                                   \
        o[3] = ATOMIC_MAX(&t[3], v);                                                                                   \
        o[4] = ATOMIC_EXCHANGE(&t[4], (T)((i) + 1));                                                                   \
        o[5] = ATOMIC_COMPARE_EXCHANGE(&t[5], (T)0, (T)((i) + 1));                                                     \
        T seen = ATOMIC_ADD(&t[6], (T)0), before;                                                                      \
        do {                                                                                                           \
            before = seen;                                                                                             \
            seen = ATOMIC_COMPARE_EXCHANGE(&t[6], before, (T)(before + (T)3));                                         \
        } while (seen != before);                                                                                      \
        o[6] = seen;                                                                                                   \
    } while (0)

#define ATOMIC_BITS(T, t, o, i)                                                                                        \
    do {                                                                                                               \
        const T bit = (T)((T)1 << (i) % 31);                                                                           \
        o[7] = ATOMIC_AND(&t[7], (T)~bit);                                                                             \
        o[8] = ATOMIC_OR(&t[8], bit);                                                                                  \
        o[9] = ATOMIC_XOR(&t[9], bit);                                                                                 \
    } while (0)
#define ATOMIC_NO_BITS(T, t, o, i)                                                                                     \
    do {                                                                                                               \
        o[7] = o[8] = o[9] = (T)0;                                                                                     \
    } while (0)

/* Global memory: OPERATIONS targets for each slot, OPERATIONS old values for each item. */
#define ATOMIC_GLOBAL(name, T, BITS, slip)                                                                             \
    KERNEL(name, inout(T, target), in(T, value), out(T, old), value(int32_t, slots))                                   \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            GLOBAL_POINTER(T) t = &target[OPERATIONS * (i % slots)];                                                   \
            GLOBAL_POINTER(T) o = &old[OPERATIONS * i];                                                                \
            ATOMIC_COMMON(T, t, o, i, value[i], (slip && i == 0) ? 2 : 1);                                             \
            BITS(T, t, o, i);                                                                                          \
        }                                                                                                              \
    }

/* Local memory: one slot for each group, which begins as `start` says and ends in `target`. */
#define ATOMIC_LOCAL(name, T, BITS)                                                                                    \
    GROUP_KERNEL(name, 61, in(T, start), in(T, value), out(T, old), out(T, target))                                    \
    {                                                                                                                  \
        LOCAL(T, t, OPERATIONS);                                                                                       \
        TEAM_EACH (j, OPERATIONS)                                                                                      \
            t[j] = start[j];                                                                                           \
        ITEMS (i) {                                                                                                    \
            const quern_index k = GLOBAL(i);                                                                           \
            GLOBAL_POINTER(T) o = &old[OPERATIONS * k];                                                                \
            ATOMIC_COMMON(T, t, o, k, value[k], 1);                                                                    \
            BITS(T, t, o, k);                                                                                          \
        }                                                                                                              \
        TEAM_EACH (j, OPERATIONS)                                                                                      \
            target[OPERATIONS * GROUP_ID + j] = t[j];                                                                  \
    }

#define ATOMIC_KERNELS(suffix, T, BITS)                                                                                \
    ATOMIC_GLOBAL(atomic_global_##suffix, T, BITS, 0)                                                                  \
    ATOMIC_LOCAL(atomic_local_##suffix, T, BITS)

#endif
