/* Kernels in which users of systems like this one met faults; tests/unit/test_traps.c launches them through the
 * runtime. */
#include <quern/kernel.h>

/* Counts the visits of every item of a 1-, 2- and 3-d range, by groups of any size. */
GROUP_KERNEL(count_1, ANY, inout(int32_t, visits))
{
    ITEMS (i)
        visits[GLOBAL(i)] += 1;
}

GROUP_KERNEL(count_2, (ANY, ANY), inout_nd(int32_t, 2, visits))
{
    ITEMS2 (y, x)
        AT(visits, GLOBAL_Y(y), GLOBAL(x)) += 1;
}

GROUP_KERNEL(count_3, (ANY, ANY, ANY), inout_nd(int32_t, 3, visits))
{
    ITEMS3 (z, y, x)
        AT(visits, GLOBAL_Z(z), GLOBAL_Y(y), GLOBAL(x)) += 1;
}

/* The same without groups, any rank: visits is contiguous and addressed by the row-major number. */
KERNEL(count_each, inout(int32_t, visits), value(int32_t, rank), value(int64_t, n1), value(int64_t, n2),
       value(int64_t, n3), value(int64_t, n4), value(int64_t, n5))
{
    EACH_INDEX (idx) {
        int64_t number = 0;
        if (rank > 0)
            number = idx[0];
        if (rank > 1)
            number = number * n1 + idx[1];
        if (rank > 2)
            number = number * n2 + idx[2];
        if (rank > 3)
            number = number * n3 + idx[3];
        if (rank > 4)
            number = number * n4 + idx[4];
        if (rank > 5)
            number = number * n5 + idx[5];
        visits[number] += 1;
    }
}

/* Reads one element to each side of a sub-view, where the halo of the whole lies. */
KERNEL(neighbours, in_nd(int32_t, 2, u), out_nd(int32_t, 2, v))
{
    EACH2 (y, x)
        AT(v, y, x) = AT(u, y - 1, x) + AT(u, y + 1, x) + AT(u, y, x - 1) + AT(u, y, x + 1);
}

/* What the last group of a huge range calls itself. */
GROUP_KERNEL(last_group, ANY, out(int64_t, found), value(int64_t, last))
{
    ONCE
    {
        if (GROUP_ID == last) {
            found[0] = GLOBAL(0);
            found[1] = RANGE;
            found[2] = GROUPS;
            found[3] = MIN(GROUP_SIZE, RANGE - GLOBAL(0));
        }
    }
}

KERNEL(far_indices, out(int64_t, found), value(int64_t, offset))
{
    EACH (i)
        found[i - offset] = i;
}

/* A barrier under a uniform condition and in a uniform loop; a value per item that outlives barriers. */
GROUP_KERNEL(rotate_n, 32, in(int32_t, x), out(int32_t, y), value(int32_t, times))
{
    LOCAL(int32_t, tile, GROUP_SIZE);
    PRIVATE(int32_t, mine);
    ALL_ITEMS (i)
        MINE(mine, i) = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0;
    if (times > 0)
        for (int32_t k = 0; k < times; ++k) {
            ALL_ITEMS (i)
                tile[i] = MINE(mine, i);
            ALL_ITEMS (i)
                MINE(mine, i) = tile[(i + 1) % GROUP_SIZE];
        }
    ITEMS (i)
        y[GLOBAL(i)] = MINE(mine, i);
}

/* Exchange through global memory: every phase orders that as well. */
GROUP_KERNEL(exchange, 64, inout(int32_t, x), out(int32_t, y))
{
    ITEMS (i)
        x[GLOBAL(i)] = x[GLOBAL(i)] + 1;
    ITEMS (i)
        y[GLOBAL(i)] = x[GROUP_ID * GROUP_SIZE + (i + 1) % MIN(GROUP_SIZE, RANGE - GLOBAL(0))];
}

/* Keeps a launch busy for a while, for a release while it runs. */
KERNEL(busy, inout(double, x), value(int32_t, rounds))
{
    EACH (i) {
        double v = x[i];
        for (int32_t k = 0; k < rounds; ++k)
            v = v * 0.5 + 1.0;
        x[i] = v;
    }
}
