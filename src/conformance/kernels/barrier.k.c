/*
 * Conformance, subject "barrier": what one phase writes, to local and to global memory, the next one reads; and every
 * item reaches every barrier, wherever it stands.
 *
 * Where a value must depend on the order, it is a map x -> scale * x + shift modulo 2^32, which do not commute.
 */
#include <quern/kernel.h>

/* (a, then b): b after a. */
#define COMPOSE(scale_a, shift_a, scale_b, shift_b)                                                                    \
    do {                                                                                                               \
        shift_a = (scale_b) * (shift_a) + (shift_b);                                                                   \
        scale_a = (scale_b) * (scale_a);                                                                               \
    } while (0)

/* A tree with uniform trips: a group's maps are composed into one. The padding holds the map that changes nothing. */
#define TREE                                                                                                           \
    ALL_ITEMS (i) {                                                                                                    \
        scale[i] = GLOBAL(i) < RANGE ? scales[GLOBAL(i)] : 1u;                                                         \
        shift[i] = GLOBAL(i) < RANGE ? shifts[GLOBAL(i)] : 0u;                                                         \
    }                                                                                                                  \
    for (int32_t step = 1; step < GROUP_SIZE; step *= 2)                                                               \
        ALL_ITEMS (i)                                                                                                  \
            if (i % (2 * step) == 0 && i + step < GROUP_SIZE)                                                          \
                COMPOSE(scale[i], shift[i], scale[i + step], shift[i + step]);                                         \
    ONCE                                                                                                               \
    {                                                                                                                  \
        partial[2 * GROUP_ID] = scale[0];                                                                              \
        partial[2 * GROUP_ID + 1] = shift[0];                                                                          \
    }

GROUP_KERNEL(barrier_tree, ANY, in(uint32_t, scales), in(uint32_t, shifts), out(uint32_t, partial),
             local(uint32_t, scale), local(uint32_t, shift)){TREE}

#define TREE_KERNEL(size)                                                                                              \
    GROUP_KERNEL(barrier_tree_##size, size, in(uint32_t, scales), in(uint32_t, shifts), out(uint32_t, partial))        \
    {                                                                                                                  \
        LOCAL(uint32_t, scale, GROUP_SIZE);                                                                            \
        LOCAL(uint32_t, shift, GROUP_SIZE);                                                                            \
        TREE                                                                                                           \
    }
TREE_KERNEL(1) TREE_KERNEL(2) TREE_KERNEL(3) TREE_KERNEL(255)

    /*
     * Pointer jumping: next[i] is the next map that is not yet in item i's own. The loop ends when item 0 has reached
     * the end, which every item reads from local memory that item 0 writes in the phase before. With PRIVATE, an item
     * keeps whether it still takes part.
     */
    GROUP_KERNEL(barrier_jump_private, ANY, in(uint32_t, scales), in(uint32_t, shifts), out(uint32_t, partial),
                 local(uint32_t, scale), local(uint32_t, shift), local(int32_t, next))
{
    PRIVATE(int32_t, activity);
    ALL_ITEMS (i) {
        MINE(activity, i) = (int32_t)i;
        next[i] = (int32_t)(GLOBAL(i) + 1 < RANGE ? i + 1 : GROUP_SIZE);
        if (GLOBAL(i) < RANGE) {
            scale[i] = scales[GLOBAL(i)];
            shift[i] = shifts[GLOBAL(i)];
        }
    }
    for (;;) {
        READ_UNIFORM(int32_t, first, next[0]);
        if (first >= GROUP_SIZE)
            break;
        ALL_ITEMS (i) {
            if (MINE(activity, i) % 2 == 0 && next[i] < GROUP_SIZE) {
                COMPOSE(scale[i], shift[i], scale[next[i]], shift[next[i]]);
                next[i] = next[next[i]];
                MINE(activity, i) /= 2;
            }
        }
    }
    ONCE
    {
        partial[2 * GROUP_ID] = scale[0];
        partial[2 * GROUP_ID + 1] = shift[0];
    }
}

/* The same without PRIVATE: how often an item has jumped lies in local memory. */
GROUP_KERNEL(barrier_jump_local, ANY, in(uint32_t, scales), in(uint32_t, shifts), out(uint32_t, partial),
             local(uint32_t, scale), local(uint32_t, shift), local(int32_t, next), local(int32_t, activity))
{
    ALL_ITEMS (i) {
        activity[i] = (int32_t)i;
        next[i] = (int32_t)(GLOBAL(i) + 1 < RANGE ? i + 1 : GROUP_SIZE);
        if (GLOBAL(i) < RANGE) {
            scale[i] = scales[GLOBAL(i)];
            shift[i] = shifts[GLOBAL(i)];
        }
    }
    READ_UNIFORM(int32_t, first, next[0]);
    int32_t last = first;
    while (last < GROUP_SIZE) {
        ALL_ITEMS (i) {
            if (activity[i] % 2 == 0 && next[i] < GROUP_SIZE) {
                COMPOSE(scale[i], shift[i], scale[next[i]], shift[next[i]]);
                next[i] = next[next[i]];
                activity[i] /= 2;
            }
        }
        READ_UNIFORM(int32_t, again, next[0]);
        last = again;
    }
    ONCE
    {
        partial[2 * GROUP_ID] = scale[0];
        partial[2 * GROUP_ID + 1] = shift[0];
    }
}

/*
 * A loop that goes on while any item of the group has something to do (Collatz' steps), the flag in local memory.
 * steps[g] is how often the loop ran, x holds every item's own number of steps.
 */
GROUP_KERNEL(barrier_until, ANY, inout(uint32_t, x), out(int32_t, steps))
{
    LOCAL(int32_t, busy, 1);
    PRIVATE(uint32_t, value);
    PRIVATE(uint32_t, count);
    int32_t n = 0;
    ALL_ITEMS (i) {
        MINE(value, i) = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 1u;
        MINE(count, i) = 0u;
    }
    for (;;) {
        ONCE busy[0] = 0;
        ALL_ITEMS (i) {
            const uint32_t v = MINE(value, i);
            if (v > 1u) {
                MINE(value, i) = v % 2u ? 3u * v + 1u : v / 2u;
                MINE(count, i) += 1u;
                ATOMIC_MAX(&busy[0], 1);
            }
        }
        READ_UNIFORM(int32_t, again, busy[0]);
        if (!again)
            break;
        n += 1;
    }
    ITEMS (i)
        x[GLOBAL(i)] = MINE(count, i);
    ONCE steps[GROUP_ID] = n;
}

/*
 * A loop over phases whose number of turns lies in local memory from before it: every item moves on by one place in
 * each turn, and adds what it meets. Without PRIVATE in local memory, with it in values of its own.
 */
GROUP_KERNEL(barrier_bound_local, ANY, in(int32_t, turns), inout(uint32_t, x), local(uint32_t, sums))
{
    LOCAL(int32_t, bound, 1);
    const quern_index inside = MIN(GROUP_SIZE, RANGE - GLOBAL(0));
    ONCE bound[0] = turns[GROUP_ID];
    ITEMS (i)
        sums[i] = x[GLOBAL(i)];
    READ_UNIFORM(int32_t, end, bound[0]);
    for (int32_t k = 0; k < end; ++k) {
        ITEMS (i)
            x[GLOBAL(i)] = 3u * sums[(i + 1) % inside] + (uint32_t)k;
        ITEMS (i)
            sums[i] += x[GLOBAL(i)];
    }
    ITEMS (i)
        x[GLOBAL(i)] = sums[i];
}

GROUP_KERNEL(barrier_bound_private, ANY, in(int32_t, turns), inout(uint32_t, x), local(uint32_t, sums))
{
    LOCAL(int32_t, bound, 1);
    PRIVATE(uint32_t, sum);
    const quern_index inside = MIN(GROUP_SIZE, RANGE - GLOBAL(0));
    ONCE bound[0] = turns[GROUP_ID];
    ALL_ITEMS (i)
        MINE(sum, i) = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0u;
    READ_UNIFORM(int32_t, end, bound[0]);
    for (int32_t k = 0; k < end; ++k) {
        ALL_ITEMS (i)
            sums[i] = MINE(sum, i);
        ITEMS (i)
            MINE(sum, i) += 3u * sums[(i + 1) % inside] + (uint32_t)k;
    }
    ITEMS (i)
        x[GLOBAL(i)] = MINE(sum, i);
}
