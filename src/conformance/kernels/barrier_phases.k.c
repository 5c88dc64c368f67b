/*
 * Conformance, subject "barrier": the kinds of phases, who runs in them, and phases under uniform loops, conditions and
 * returns.
 */
#include <quern/kernel.h>

/*
 * Who runs: `items` counts by number in the padded range, as `all` does; `team` counts j of each group, `once` each
 * group. Each phase reads what the one before has left in local memory, so that a phase that an item skips shows. In
 * the control the local memory is set up by the items of the range alone, so that the padding keeps what was there.
 */
#define WHO(name, set_up)                                                                                              \
    GROUP_KERNEL(name, ANY, inout(int32_t, items), inout(int32_t, all), inout(int32_t, team), inout(int32_t, once),    \
                 value(int32_t, count), local(int32_t, reached))                                                       \
    {                                                                                                                  \
        LOCAL(int32_t, inside, 1);                                                                                     \
        ALL_ITEMS (i)                                                                                                  \
            reached[i] = 1;                                                                                            \
        set_up(i) reached[i] = 0;                                                                                      \
        ONCE inside[0] = 0;                                                                                            \
        ITEMS (i) {                                                                                                    \
            ATOMIC_ADD(&items[GLOBAL(i)], 1);                                                                          \
            ATOMIC_ADD(&inside[0], 1);                                                                                 \
            reached[i] += 1;                                                                                           \
        }                                                                                                              \
        ALL_ITEMS (i) {                                                                                                \
            ATOMIC_ADD(&all[GLOBAL(i)], 1 + reached[(i + 1) % GROUP_SIZE]);                                            \
            if (i == 0)                                                                                                \
                ATOMIC_ADD(&once[GROUP_ID], 1000 * inside[0]);                                                         \
        }                                                                                                              \
        TEAM_EACH (j, count)                                                                                           \
            ATOMIC_ADD(&team[GROUP_ID * count + j], 1);                                                                \
        ONCE ATOMIC_ADD(&once[GROUP_ID], 1);                                                                           \
    }
WHO(barrier_who, ALL_ITEMS)
WHO(barrier_control, ITEMS)

/* Exchange through global memory only: a group turns its part of the range round and round. */
GROUP_KERNEL(barrier_exchange, ANY, inout(int32_t, a), inout(int32_t, b), value(int32_t, rounds))
{
    const quern_index begin = GLOBAL(0), inside = MIN(GROUP_SIZE, RANGE - begin);
    for (int32_t k = 0; k < rounds; ++k) {
        ITEMS (i)
            b[begin + i] = a[begin + (i + 1) % inside] + k;
        ITEMS (i)
            a[begin + i] = b[begin + (i + 2) % inside] * 3;
    }
}

/* Nested uniform loops with phases in them: odd-even transposition sorts each group's part. */
GROUP_KERNEL(barrier_sort, ANY, inout(uint32_t, x), local(uint32_t, slice))
{
    const quern_index inside = MIN(GROUP_SIZE, RANGE - GLOBAL(0));
    ITEMS (i)
        slice[i] = x[GLOBAL(i)];
    for (quern_index pair = 0; pair < (inside + 1) / 2; ++pair)
        for (int32_t odd = 0; odd < 2; ++odd)
            ITEMS (i) {
                if (i % 2 != odd || i + 1 >= inside || slice[i] <= slice[i + 1])
                    continue;
                const uint32_t larger = slice[i];
                slice[i] = slice[i + 1];
                slice[i + 1] = larger;
            }
    ITEMS (i)
        x[GLOBAL(i)] = slice[i];
}

/* Phases under a uniform condition, in loops of two depths, one of whose ends is read from local memory. */
GROUP_KERNEL(barrier_nested, 5, in(int32_t, turns), inout(int32_t, x), value(int32_t, outer))
{
    LOCAL(int32_t, tile, GROUP_SIZE);
    LOCAL(int32_t, bound, 1);
    for (int32_t k = 0; k < outer; ++k) {
        ONCE bound[0] = (turns[GROUP_ID] + k) % 4;
        READ_UNIFORM(int32_t, inner, bound[0]);
        for (int32_t m = 0; m < inner; ++m) {
            ALL_ITEMS (i)
                tile[i] = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0;
            if ((k + m) % 2)
                ITEMS (i)
                    x[GLOBAL(i)] = tile[i] + 2 * tile[(i + 1) % GROUP_SIZE] % 1000;
            else
                ITEMS (i)
                    x[GLOBAL(i)] = tile[i] - tile[(i + 4) % GROUP_SIZE] % 1000 + k;
        }
    }
}

/* A uniform return between phases ends its group: leave[g] of the three parts run. */
GROUP_KERNEL(barrier_return, 6, in(int32_t, parts), inout(int32_t, x))
{
    LOCAL(int32_t, tile, GROUP_SIZE);
    ALL_ITEMS (i)
        tile[i] = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0;
    if (parts[GROUP_ID] == 0)
        return;
    ITEMS (i)
        x[GLOBAL(i)] = 10 * tile[(i + 1) % GROUP_SIZE] + 1;
    for (int32_t k = 1; k < 3; ++k) {
        if (parts[GROUP_ID] == k)
            return;
        ALL_ITEMS (i)
            tile[i] = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0;
        ITEMS (i)
            x[GLOBAL(i)] = 10 * tile[(i + 1) % GROUP_SIZE] + 1 + k;
    }
}

/*
 * Groups of two and three dimensions: a sum over the group, turned into every item of the next phase; and who runs in
 * TEAM_EACH and ONCE, each group's `count` numbers and one more for ONCE.
 */
#define RUNS                                                                                                           \
    TEAM_EACH (k, count)                                                                                               \
        ATOMIC_ADD(&runs[GROUP_LINEAR * (count + 1) + k], 1);                                                          \
    ONCE ATOMIC_ADD(&runs[GROUP_LINEAR * (count + 1) + count], 1);

GROUP_KERNEL(barrier_plane, (ANY, ANY), inout_nd(int32_t, 2, x), inout(int32_t, runs), value(int32_t, count),
             local(int32_t, tile))
{
    RUNS ALL_ITEMS2 (j, i) tile[ITEM_LINEAR(j, i)] =
        GLOBAL_Y(j) < RANGE_Y && GLOBAL(i) < RANGE ? AT(x, GLOBAL_Y(j), GLOBAL(i)) : 0;
    ITEMS2 (j, i) {
        int32_t sum = 0;
        for (quern_index k = 0; k < GROUP_ITEMS; ++k)
            sum += tile[k];
        AT(x, GLOBAL_Y(j), GLOBAL(i)) = sum * 7 + tile[GROUP_ITEMS - 1 - ITEM_LINEAR(j, i)];
    }
}

GROUP_KERNEL(barrier_volume, (2, 3, 4), inout_nd(int32_t, 3, x), inout(int32_t, runs), value(int32_t, count))
{
    LOCAL(int32_t, tile, GROUP_ITEMS);
    RUNS ALL_ITEMS3 (h, j, i) tile[ITEM_LINEAR(h, j, i)] =
        GLOBAL_Z(h) < RANGE_Z && GLOBAL_Y(j) < RANGE_Y && GLOBAL(i) < RANGE ? AT(x, GLOBAL_Z(h), GLOBAL_Y(j), GLOBAL(i))
                                                                            : 0;
    ITEMS3 (h, j, i) {
        int32_t sum = 0;
        for (quern_index k = 0; k < GROUP_ITEMS; ++k)
            sum += tile[k];
        AT(x, GLOBAL_Z(h), GLOBAL_Y(j), GLOBAL(i)) = sum * 7 + tile[GROUP_ITEMS - 1 - ITEM_LINEAR(h, j, i)];
    }
}

/*
 * What an item keeps to itself, through phases in a loop or under a condition, in groups that stick out of the range
 * along any dimension. Plain as they are: with more in the phases PoCL 3.1 does right what it does wrong here, when a
 * phase has a branch for each dimension.
 */
GROUP_KERNEL(barrier_kept_loop, (4, 4), out_nd(int32_t, 2, x), value(int32_t, rounds))
{
    PRIVATE(int32_t, kept);
    ITEMS2 (j, i)
        MINE(kept, j, i) = 0;
    for (int32_t k = 0; k < rounds; ++k)
        ITEMS2 (j, i)
            MINE(kept, j, i) += rounds;
    ITEMS2 (j, i)
        AT(x, GLOBAL_Y(j), GLOBAL(i)) = MINE(kept, j, i);
}

GROUP_KERNEL(barrier_kept_if, (8, 8), out_nd(int32_t, 2, x), value(int32_t, rounds))
{
    PRIVATE(int32_t, kept);
    ITEMS2 (j, i)
        MINE(kept, j, i) = 0;
    if (rounds > 2) {
        ITEMS2 (j, i)
            MINE(kept, j, i) += rounds * rounds;
    }
    ITEMS2 (j, i)
        AT(x, GLOBAL_Y(j), GLOBAL(i)) = MINE(kept, j, i);
}

GROUP_KERNEL(barrier_kept_volume, (2, 4, 8), out_nd(int32_t, 3, x), value(int32_t, rounds))
{
    PRIVATE(int32_t, kept);
    ITEMS3 (h, j, i)
        MINE(kept, h, j, i) = 0;
    for (int32_t k = 0; k < rounds; ++k)
        ITEMS3 (h, j, i)
            MINE(kept, h, j, i) += rounds;
    ITEMS3 (h, j, i)
        AT(x, GLOBAL_Z(h), GLOBAL_Y(j), GLOBAL(i)) = MINE(kept, h, j, i);
}
