/*
 * Conformance, subject "index", group kernels: every id and size that an item or its group can ask for.
 *
 * Each item of the range writes WORDS numbers behind its row-major number; `visits` counts the items that run in ITEMS,
 * `all` those that run in ALL_ITEMS, the padding too, by group and number in the group. `stray` counts those whose
 * number is none of the `items` and `padded` that there are.
 */
#include <quern/kernel.h>

#define WORDS 24

#define RECORD(number, h, j, i, item)                                                                                  \
    do {                                                                                                               \
        const int64_t told[WORDS] = {                                                                                  \
            GROUP_SIZE,   GROUP_SIZE_Y, GROUP_SIZE_Z, GROUP_ID, GROUP_ID_Y, GROUP_ID_Z,  GROUPS,      GROUPS_Y,        \
            GROUPS_Z,     RANGE,        RANGE_Y,      RANGE_Z,  GLOBAL(i),  GLOBAL_Y(j), GLOBAL_Z(h), GROUP_ITEMS,     \
            GROUP_LINEAR, item,         number,       i,        j,          h,           between,     0};              \
        if ((number) < 0 || (number) >= items) {                                                                       \
            ATOMIC_ADD(&stray[0], 1);                                                                                  \
        } else {                                                                                                       \
            ATOMIC_ADD(&visits[number], 1);                                                                            \
            for (int32_t word = 0; word < WORDS; ++word)                                                               \
                words[WORDS * (number) + word] = told[word];                                                           \
        }                                                                                                              \
    } while (0)

#define COUNT(place)                                                                                                   \
    do {                                                                                                               \
        if ((place) < 0 || (place) >= padded)                                                                          \
            ATOMIC_ADD(&stray[0], 1);                                                                                  \
        else                                                                                                           \
            ATOMIC_ADD(&all[place], 1);                                                                                \
    } while (0)

#define PARAMETERS                                                                                                     \
    inout(int32_t, visits), out(int64_t, words), inout(int32_t, all), inout(int32_t, stray), value(int64_t, items),    \
        value(int64_t, padded)

/* What is asked for between phases, where the code belongs to no item. */
#define BETWEEN                                                                                                        \
    ((((int64_t)GROUP_LINEAR * 1009 + GROUP_ITEMS) * 1009 + RANGE * RANGE_Y * RANGE_Z) * 1009 +                        \
     GROUPS * GROUPS_Y * GROUPS_Z)

#define IDS_1(name, size)                                                                                              \
    GROUP_KERNEL(name, size, PARAMETERS)                                                                               \
    {                                                                                                                  \
        const int64_t between = BETWEEN;                                                                               \
        ITEMS (i)                                                                                                      \
            RECORD(GLOBAL_LINEAR(i), 0, 0, i, ITEM_LINEAR(i));                                                         \
        ALL_ITEMS (i)                                                                                                  \
            COUNT((GROUP_LINEAR * GROUP_ITEMS + ITEM_LINEAR(i)));                                                      \
    }
#define IDS_2(name, size)                                                                                              \
    GROUP_KERNEL(name, size, PARAMETERS)                                                                               \
    {                                                                                                                  \
        const int64_t between = BETWEEN;                                                                               \
        ITEMS2 (j, i)                                                                                                  \
            RECORD(GLOBAL_LINEAR(j, i), 0, j, i, ITEM_LINEAR(j, i));                                                   \
        ALL_ITEMS2 (j, i)                                                                                              \
            COUNT((GROUP_LINEAR * GROUP_ITEMS + ITEM_LINEAR(j, i)));                                                   \
    }
#define IDS_3(name, size)                                                                                              \
    GROUP_KERNEL(name, size, PARAMETERS)                                                                               \
    {                                                                                                                  \
        const int64_t between = BETWEEN;                                                                               \
        ITEMS3 (h, j, i)                                                                                               \
            RECORD(GLOBAL_LINEAR(h, j, i), h, j, i, ITEM_LINEAR(h, j, i));                                             \
        ALL_ITEMS3 (h, j, i)                                                                                           \
            COUNT((GROUP_LINEAR * GROUP_ITEMS + ITEM_LINEAR(h, j, i)));                                                \
    }
IDS_1(index_group_1, 7)
IDS_1(index_group_1_any, ANY)
IDS_2(index_group_2, (3, 5))
IDS_2(index_group_2_any, (ANY, ANY))
IDS_3(index_group_3, (2, 3, 5))
IDS_3(index_group_3_any, (ANY, ANY, ANY))

/* `continue` in each kind of phase. */
GROUP_KERNEL(index_group_continue, 7, inout(int32_t, items), inout(int32_t, team), inout(int32_t, once),
             value(int32_t, count))
{
    ITEMS (i) {
        if (i % 3 == 1)
            continue;
        ATOMIC_ADD(&items[GLOBAL(i)], 1);
    }
    TEAM_EACH (j, count) {
        if (j % 3 == 1)
            continue;
        ATOMIC_ADD(&team[GROUP_ID * count + j], 1);
    }
    ONCE
    {
        if (GROUP_ID % 3 == 1)
            continue;
        ATOMIC_ADD(&once[GROUP_ID], 1);
    }
}

/* A return at the very begin ends that group and no other. */
GROUP_KERNEL(index_group_return, (2, 3), in(int32_t, leave), inout_nd(int32_t, 2, visits))
{
    if (leave[GROUP_LINEAR])
        return;
    ITEMS2 (y, x)
        ATOMIC_ADD(&AT(visits, GLOBAL_Y(y), GLOBAL(x)), 1);
}
