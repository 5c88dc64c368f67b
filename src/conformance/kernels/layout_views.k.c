/* Conformance, subject "layout": what AT, AT_INDEX and EXTENT make of views. */
#include <quern/kernel.h>

/* What AT, AT_INDEX and EXTENT make of a pitched view: y = x with every index reversed; sizes holds the extents. */
KERNEL(layout_reverse_1, in_nd(int16_t, 1, x), out_nd(int16_t, 1, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0]);
        if (k[0] == 0) {
            sizes[0] = EXTENT(y, 0);
        }
    }
}

KERNEL(layout_reverse_2, in_nd(int16_t, 2, x), out_nd(int16_t, 2, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1]);
        if (k[0] == 0 && k[1] == 0) {
            sizes[0] = EXTENT(y, 0);
            sizes[1] = EXTENT(y, 1);
        }
    }
}

KERNEL(layout_reverse_3, in_nd(int16_t, 3, x), out_nd(int16_t, 3, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2]);
        if (k[0] == 0 && k[1] == 0 && k[2] == 0) {
            sizes[0] = EXTENT(y, 0);
            sizes[1] = EXTENT(y, 1);
            sizes[2] = EXTENT(y, 2);
        }
    }
}

KERNEL(layout_reverse_6, in_nd(int16_t, 6, x), out_nd(int16_t, 6, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2],
                            EXTENT(x, 3) - 1 - k[3], EXTENT(x, 4) - 1 - k[4], EXTENT(x, 5) - 1 - k[5]);
        if (k[0] == 0 && k[1] == 0 && k[2] == 0 && k[3] == 0 && k[4] == 0 && k[5] == 0) {
            sizes[0] = EXTENT(y, 0);
            sizes[1] = EXTENT(y, 1);
            sizes[2] = EXTENT(y, 2);
            sizes[3] = EXTENT(y, 3);
            sizes[4] = EXTENT(y, 4);
            sizes[5] = EXTENT(y, 5);
        }
    }
}

/* Signed indices: a stencil on the interior of a halo, through a sub-view and through the whole view with offsets. */
KERNEL(layout_stencil, in_nd(int32_t, 2, u), out_nd(int32_t, 2, v))
{
    EACH2 (y, x)
        AT(v, y, x) = 1000 * AT(u, y - 1, x) + 100 * AT(u, y + 1, x) + 10 * AT(u, y, x - 1) + AT(u, y, x + 1);
}
