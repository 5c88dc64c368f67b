/* Kernels that test_fake_cuda_kernel.c launches by hand, with words that it writes itself. */
#include <quern/kernel.h>

KERNEL(scale, in(float, x), out(float, y), value(double, a))
{
    EACH (i)
        y[i] = (float)(a * x[i]);
}

KERNEL(number, out_nd(int, 2, x), value(int, first))
{
    EACH2 (y, i)
        AT(x, y, i) = first + (int)(y * EXTENT(x, 1) + i);
}

GROUP_KERNEL(turn, ANY, inout(int, x), local(int, tile), local(int, second))
{
    ITEMS (i) {
        tile[i] = x[GLOBAL(i)];
        second[i] = 1000;
    }
    ITEMS (i)
        x[GLOBAL(i)] = tile[GROUP_SIZE - 1 - i] + second[i];
}

GROUP_KERNEL(eights, 8, out(int, x))
{
    ITEMS (i)
        x[GLOBAL(i)] = (int)GROUP_ID;
}
