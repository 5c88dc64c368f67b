/* Kernels for the unit tests of backends whose kernels are compiled from text. */
#include <quern/kernel.h>

KERNEL(axpy, in(float, x), inout(float, y), value(float, a))
{
    EACH (i)
        y[i] += a * x[i];
}

/* Where an item lies, with the offsets. */
KERNEL(mark, out_nd(int32_t, 2, out))
{
    EACH2 (y, x)
        AT(out, y, x) = (int32_t)(1000 * y + x);
}

KERNEL(mark_any, out_nd(int32_t, 4, out))
{
    EACH_INDEX (i)
        AT(out, i[0], i[1], i[2], i[3]) = (int32_t)(((i[0] * 100 + i[1]) * 100 + i[2]) * 100 + i[3]);
}

/* The sum of each group's elements. */
GROUP_KERNEL(sums, ANY, in(int32_t, input), out(int32_t, output), local(int32_t, tile), local(int8_t, odd),
             local(double, wide))
{
    ITEMS (i)
        odd[i] = (int8_t)i;
    ALL_ITEMS (i) {
        tile[i] = GLOBAL(i) < RANGE ? input[GLOBAL(i)] : 0;
        wide[i] = tile[i];
    }
    ONCE
    {
        int32_t sum = 0;
        for (int32_t k = 0; k < GROUP_SIZE; ++k)
            sum += tile[k] + (int32_t)wide[k] - tile[k];
        output[GROUP_ID] = sum;
    }
}

GROUP_KERNEL(fixed, 64, in(int32_t, input), out(int32_t, output))
{
    LOCAL(int32_t, tile, GROUP_SIZE);
    ALL_ITEMS (i)
        tile[i] = GLOBAL(i) < RANGE ? input[GLOBAL(i)] : 0;
    ONCE
    {
        int32_t sum = 0;
        for (int32_t k = 0; k < GROUP_SIZE; ++k)
            sum += tile[k];
        output[GROUP_ID] = sum;
    }
}

/* The groups of a grid of rank 2. */
GROUP_KERNEL(places, (4, 8), out_nd(int32_t, 2, out))
{
    ITEMS2 (y, x)
        AT(out, GLOBAL_Y(y), GLOBAL(x)) = (int32_t)(GROUP_ID_Y * 100 + GROUP_ID);
}
