/* The kernels that the fault scenarios launch. */
#include <quern/kernel.h>

KERNEL(fault_saxpy, in(float, x), inout(float, y), value(float, a))
{
    EACH (i)
        y[i] += a * x[i];
}

KERNEL(fault_rows, in_nd(int32_t, 2, x), out_nd(int32_t, 2, y))
{
    EACH2 (j, i)
        AT(y, j, i) = AT(x, j, i) + 1;
}

GROUP_KERNEL(fault_reverse, ANY, inout(double, x), local(double, tile))
{
    PRIVATE(double, mine);
    ALL_ITEMS (i) {
        MINE(mine, i) = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0.0;
        tile[i] = MINE(mine, i);
    }
    ITEMS (i)
        x[GLOBAL(i)] = tile[GROUP_SIZE - 1 - i];
}
