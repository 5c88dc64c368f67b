/* MINE with the index of the item that stands there. */
#include <quern/kernel.h>

#define OWN(i) MINE(own, (i))

GROUP_KERNEL(line, ANY, inout(float, y))
{
    PRIVATE(float, own);
    ITEMS (i)
        OWN(i) = y[GLOBAL(i)];
    ALL_ITEMS (k) {
        MINE(own, k) += 1.0f;
        y[0] = MINE(own, k);
    }
    ONCE
        y[1] = MINE(own, 0);
}

GROUP_KERNEL(square, (4, 16), inout_nd(float, 2, y))
{
    PRIVATE(float, own);
    ITEMS2 (j, i)
        MINE(own, j, i) = AT(y, GLOBAL_Y(j), GLOBAL(i));
    ALL_ITEMS2 (b, a)
        MINE(own, b, a) *= 2.0f;
    ONCE
        AT(y, 0, 0) = MINE(own, 0, 0);
}
