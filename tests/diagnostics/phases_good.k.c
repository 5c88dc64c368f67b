/* Phases where they belong. */
#include <quern/kernel.h>

GROUP_KERNEL(one, 64, out(float, y))
{
    LOCAL(float, tile, GROUP_SIZE + 1);
    PRIVATE(float, own);
    ALL_ITEMS (i) {
        tile[i] = 0.0f;
        MINE(own, i) = 1.0f;
    }
    {
        ITEMS (i)
            y[GLOBAL(i)] = MINE(own, i) + tile[i];
    }
    TEAM_EACH (j, 3 * GROUP_SIZE)
        if (j < 9)
            tile[j] = 1.0f;
    ONCE
    {
        tile[0] = 3.0f;
    }
    READ_UNIFORM(float, first, tile[0]);
    if (first > 2.0f)
        ITEMS (i)
            y[GLOBAL(i)] += first;
    else
        ONCE y[0] = 1.0f;
}

GROUP_KERNEL(two, (4, 16), out(float, y))
{
    ITEMS2 (j, i)
        y[GLOBAL_LINEAR(j, i)] = 0.0f;
    ALL_ITEMS2 (j, i) {
        if (ITEM_LINEAR(j, i) == 0)
            y[0] = 0.0f;
    }
    TEAM_EACH (k, 5)
        y[k] = 0.0f;
    ONCE y[0] = 0.0f;
}

GROUP_KERNEL(three, (ANY, ANY, ANY), out(float, y), local(float, tile))
{
    ITEMS3 (k, j, i)
        tile[ITEM_LINEAR(k, j, i)] = 0.0f;
    ALL_ITEMS3 (k, j, i)
        if (k + j + i == 0)
            y[GROUP_LINEAR] = tile[0];
}

KERNEL(each, out(float, y), value(int, n))
{
    if (n > 0)
        EACH (i)
            y[i] = 0.0f;
    else
        EACH (i)
            y[i] = (float)RANGE;
    for (int k = 0; k < n; k++)
        EACH (i)
            y[i] += (float)k;
}

KERNEL(each_index, in_nd(float, 3, x), out_nd(float, 3, y))
{
    EACH_INDEX (at)
        AT_INDEX(y, at) = AT_INDEX(x, at) + (float)at[2];
}
