/*
 * Conformance, subject "barrier": groups of a fixed size that few devices have, by themselves: a device may refuse to
 * compile such a kernel, and with it all of its file.
 */
#include <quern/kernel.h>

GROUP_KERNEL(barrier_huge, (64, 2048), inout_nd(int32_t, 2, x))
{
    ITEMS2 (y, i)
        AT(x, GLOBAL_Y(y), GLOBAL(i)) += (int32_t)GROUP_ITEMS;
}
