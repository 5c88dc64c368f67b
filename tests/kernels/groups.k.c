/* Group kernels: phases, ids, local and private memory, in groups of rank 1 to 3, of fixed and of any size. */
#include <quern/kernel.h>

/*
 * Every word, per item. words holds WORDS numbers for each item that lies in the range, visits counts the visits of
 * every item, padding too, behind them.
 */
#define WORDS 24

#define RECORD(global, k, j, i, item, linear)                                                                          \
    do {                                                                                                               \
        const int64_t all[WORDS] = {                                                                                   \
            GROUP_SIZE,   GROUP_SIZE_Y, GROUP_SIZE_Z, GROUP_ID, GROUP_ID_Y, GROUP_ID_Z,  GROUPS,      GROUPS_Y,        \
            GROUPS_Z,     RANGE,        RANGE_Y,      RANGE_Z,  GLOBAL(i),  GLOBAL_Y(j), GLOBAL_Z(k), GROUP_ITEMS,     \
            GROUP_LINEAR, item,         linear,       i,        j,          k,           1,           0};              \
        for (int word = 0; word < WORDS; ++word)                                                                       \
            words[(global)*WORDS + word] += all[word];                                                                 \
    } while (0)

#define IDS_1(name, size)                                                                                              \
    GROUP_KERNEL(name, size, inout(int64_t, words), inout(int32_t, visits))                                            \
    {                                                                                                                  \
        ITEMS (i)                                                                                                      \
            RECORD(GLOBAL(i), 0, 0, i, ITEM_LINEAR(i), GLOBAL_LINEAR(i));                                              \
        ALL_ITEMS (i)                                                                                                  \
            visits[GROUP_LINEAR * GROUP_ITEMS + ITEM_LINEAR(i)] += 1;                                                  \
    }
#define IDS_2(name, size)                                                                                              \
    GROUP_KERNEL(name, size, inout(int64_t, words), inout(int32_t, visits))                                            \
    {                                                                                                                  \
        ITEMS2 (j, i)                                                                                                  \
            RECORD(GLOBAL_LINEAR(j, i), 0, j, i, ITEM_LINEAR(j, i), GLOBAL_LINEAR(j, i));                              \
        ALL_ITEMS2 (j, i)                                                                                              \
            visits[GROUP_LINEAR * GROUP_ITEMS + ITEM_LINEAR(j, i)] += 1;                                               \
    }
#define IDS_3(name, size)                                                                                              \
    GROUP_KERNEL(name, size, inout(int64_t, words), inout(int32_t, visits))                                            \
    {                                                                                                                  \
        ITEMS3 (k, j, i)                                                                                               \
            RECORD(GLOBAL_LINEAR(k, j, i), k, j, i, ITEM_LINEAR(k, j, i), GLOBAL_LINEAR(k, j, i));                     \
        ALL_ITEMS3 (k, j, i)                                                                                           \
            visits[GROUP_LINEAR * GROUP_ITEMS + ITEM_LINEAR(k, j, i)] += 1;                                            \
    }
IDS_1(ids_1, 8)
IDS_1(ids_1_tuple, (8))
IDS_1(ids_1_any, ANY)
IDS_2(ids_2, (3, 5))
IDS_2(ids_2_any, (ANY, ANY))
IDS_3(ids_3, (2, 3, 4))
IDS_3(ids_3_any, (ANY, ANY, ANY))

/* continue ends an item of a phase; TEAM_EACH and ONCE are phases, too. */
GROUP_KERNEL(phases, 8, inout(int32_t, items), inout(int32_t, team), inout(int32_t, once), value(int32_t, count))
{
    ITEMS (i) {
        if (i % 3 == 1)
            continue;
        items[GLOBAL(i)] += 1;
    }
    TEAM_EACH (j, count) {
        if (j % 3 == 1)
            continue;
        team[GROUP_ID * count + j] += 1 + (int32_t)j;
    }
    ONCE
    {
        if (GROUP_ID % 3 == 1)
            continue;
        once[GROUP_ID] += 1;
    }
}

/* A return between phases ends the group, and no other. */
GROUP_KERNEL(returns, 4, in(int32_t, leave), inout(int32_t, before), inout(int32_t, after))
{
    ITEMS (i)
        before[GLOBAL(i)] += 1;
    if (leave[GROUP_ID])
        return;
    ITEMS (i)
        after[GLOBAL(i)] += 1;
}

/*
 * A value per item survives barriers while its neighbours' change: each item keeps its own number, shifts the numbers
 * of the group around once, and adds both. SMALL lies on the stack, BIG and ANY in scratch.
 */
STRUCT(wide, field(int32_t, value), field(int32_t, rest, 63))

#define PRIVATE_1(name, size, T, MEMBER)                                                                               \
    GROUP_KERNEL(name, size, out(int32_t, y), local(int32_t, shared))                                                  \
    {                                                                                                                  \
        PRIVATE(T, kept);                                                                                              \
        PRIVATE(T, other);                                                                                             \
        ALL_ITEMS (i) {                                                                                                \
            MINE(kept, i) MEMBER = (int32_t)(1000 * GROUP_ID + i);                                                     \
            shared[i] = (int32_t)i;                                                                                    \
        }                                                                                                              \
        ALL_ITEMS (i)                                                                                                  \
            MINE(other, i) MEMBER = shared[(i + 1) % GROUP_SIZE];                                                      \
        ALL_ITEMS (i)                                                                                                  \
            shared[i] = -1;                                                                                            \
        ITEMS (i)                                                                                                      \
            y[GLOBAL(i)] = MINE(kept, i) MEMBER + 7 * MINE(other, i) MEMBER;                                           \
    }
PRIVATE_1(private_small, 13, int32_t, )
PRIVATE_1(private_big, 67, wide, .value)
PRIVATE_1(private_any, ANY, int32_t, )

GROUP_KERNEL(private_2, (3, 5), out_nd(int32_t, 2, y))
{
    PRIVATE(int32_t, kept);
    LOCAL(int32_t, shared, GROUP_ITEMS);
    ALL_ITEMS2 (j, i) {
        MINE(kept, j, i) = (int32_t)(10 * j + i);
        shared[ITEM_LINEAR(j, i)] = (int32_t)(10 * j + i);
    }
    ITEMS2 (j, i)
        AT(y, GLOBAL_Y(j), GLOBAL(i)) = MINE(kept, j, i) * 1000 + shared[GROUP_ITEMS - 1 - ITEM_LINEAR(j, i)];
}

GROUP_KERNEL(private_3, (ANY, ANY, ANY), out_nd(int32_t, 3, y))
{
    PRIVATE(int32_t, kept);
    ALL_ITEMS3 (k, j, i)
        MINE(kept, k, j, i) = (int32_t)(100 * k + 10 * j + i);
    ITEMS3 (k, j, i)
        AT(y, GLOBAL_Z(k), GLOBAL_Y(j), GLOBAL(i)) = MINE(kept, k, j, i);
}

/* Every array is its own: two LOCAL, two local parameters; none overlaps another. */
GROUP_KERNEL(separate, 7, local(int8_t, a), local(double, b), out(int32_t, y))
{
    LOCAL(int8_t, c, GROUP_SIZE);
    LOCAL(double, d, GROUP_SIZE);
    ALL_ITEMS (i) {
        a[i] = 1;
        b[i] = 2;
        c[i] = 3;
        d[i] = 4;
    }
    ITEMS (i)
        y[GLOBAL(i)] = (int32_t)(a[i] + 10 * b[i] + 100 * c[i] + 1000 * d[i]);
}

/* Local memory of no elements. */
GROUP_KERNEL(no_local, ANY, local(double, nothing), out(int32_t, y))
{
    ITEMS (i)
        y[GLOBAL(i)] = 1;
}

/* Nothing but a local parameter. */
GROUP_KERNEL(only_local, ANY, out(int32_t, y), local(int32_t, t))
{
    ALL_ITEMS (i)
        t[i] = 1;
    ITEMS (i)
        y[GLOBAL(i)] = t[i];
}

/* The addresses of local memory, for the test to look at: 64 bytes are promised. */
GROUP_KERNEL(aligned, 3, local(int8_t, a), local(int8_t, b), out(uint64_t, y))
{
    LOCAL(int8_t, c, 5);
    LOCAL(int8_t, d, 5);
    ONCE
    {
        y[0] = (uint64_t)(uintptr_t)a;
        y[1] = (uint64_t)(uintptr_t)b;
        y[2] = (uint64_t)(uintptr_t)c;
        y[3] = (uint64_t)(uintptr_t)d;
    }
}

/* A tile with a border, as a stencil loads it: 2-d groups, TEAM_EACH over more elements than items. */
GROUP_KERNEL(tile, (4, 6), in_nd(float, 2, u), out_nd(float, 2, v))
{
    LOCAL(float, t, (4 + 2) * (6 + 2));
    TEAM_EACH (j, (4 + 2) * (6 + 2)) {
        quern_index y = GLOBAL_Y(j / 8) - 1, x = GLOBAL(j % 8) - 1;
        t[j] = y >= 0 && y < RANGE_Y && x >= 0 && x < RANGE ? AT(u, y, x) : 0.0f;
    }
    ITEMS2 (y, x)
        AT(v, GLOBAL_Y(y), GLOBAL(x)) = t[y * 8 + x + 1] + t[(y + 2) * 8 + x + 1] + t[(y + 1) * 8 + x] +
                                        t[(y + 1) * 8 + x + 2] - 4 * t[(y + 1) * 8 + x + 1];
}

/* Pointer jumping as design documents write it, for groups of any size: uniform trips, padding of zeros. */
GROUP_KERNEL(jump_uniform, ANY, in(double, input), out(double, partial), local(double, slice))
{
    ALL_ITEMS (i)
        slice[i] = GLOBAL(i) < RANGE ? input[GLOBAL(i)] : 0.0;
    for (int step = 1; step < GROUP_SIZE; step *= 2)
        ALL_ITEMS (i)
            if (i % (2 * step) == 0 && i + step < GROUP_SIZE)
                slice[i] += slice[i + step];
    ONCE partial[GROUP_ID] = slice[0];
}
