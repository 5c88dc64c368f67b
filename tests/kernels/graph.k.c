/* Kernels for the tests of graphs: results that show what was there before, and in which order several ran. */
#include <quern/kernel.h>

KERNEL(graph_mix, in(uint64_t, x), inout(uint64_t, y), value(uint64_t, a))
{
    EACH (i)
        y[i] = 3 * y[i] + x[i] + a;
}

GROUP_KERNEL(graph_turn, ANY, inout(uint64_t, x), local(uint64_t, tile))
{
    ALL_ITEMS (i)
        tile[i] = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0;
    ITEMS (i)
        if (GLOBAL(i) < RANGE)
            x[GLOBAL(i)] = tile[GROUP_SIZE - 1 - i] + 1;
}
