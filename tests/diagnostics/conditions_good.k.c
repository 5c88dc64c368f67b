/* Conditions that are the same for every item of the group. */
#include <quern/kernel.h>

DEVICE int32_t doubled(int32_t n)
{
    return 2 * n;
}

GROUP_KERNEL(uniform, 64, in(int32_t, count), inout(float, y), value(int32_t, n))
{
    LOCAL(int32_t, next, GROUP_SIZE);
    PRIVATE(float, own);
    int k = 0, limit = doubled(n);
    ALL_ITEMS (i) {
        next[i] = (int32_t)i + 1;
        MINE(own, i) = 0.0f;
    }
    if (GROUP_ID == 3 && GROUP_ID * GROUP_SIZE < RANGE)
        ITEMS (i)
            MINE(own, i) = y[GLOBAL(i)];
    while (k < limit) {
        ITEMS (i)
            if (MINE(own, i) > 3.0f && i % 2 == 0)
                y[GLOBAL(i)] += 1.0f;
        k += count[GROUP_ID] > 0 ? 1 : 2;
    }
    for (;;) {
        READ_UNIFORM(int32_t, first, next[0]);
        if (first >= GROUP_SIZE)
            break;
        ITEMS (i)
            if (next[i] < GROUP_SIZE)
                next[i] = next[next[i]];
    }
    if (GLOBAL(0) < RANGE)
        ONCE y[GROUP_ID] = (float)ITEM_LINEAR(0);
}

/* One name for two variables: the inner one depends on the item, the outer one does not. */
GROUP_KERNEL(shadowed, 64, inout(float, y))
{
    int lane = 3;
    ITEMS (i) {
        int lane = (int)i;
        y[GLOBAL(i)] += (float)lane;
    }
    if (lane == 3)
        ITEMS (i)
            y[GLOBAL(i)] += 1.0f;
}
