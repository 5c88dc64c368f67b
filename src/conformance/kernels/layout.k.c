/*
 * Conformance, subject "layout": ranges of every rank over pitched arrays; each item counts its visits and leaves a
 * mark that tells it from all others. y0, x0, … and origin are the range's offsets: the arrays hold the range alone.
 */
#include <quern/kernel.h>

/* The mark of an item: its place in the range, mixed. */
DEVICE uint32_t layout_mark(uint32_t mark, int64_t index)
{
    return (mark + (uint32_t)index) * 2654435761u + 97u;
}

/* In the control the last item writes a second element, one beyond the range. */
#define EACH_1(name, slip)                                                                                             \
    KERNEL(name, inout_nd(int32_t, 1, visits), out_nd(uint32_t, 1, marks), value(int64_t, x0))                         \
    {                                                                                                                  \
        EACH (x) {                                                                                                     \
            const int64_t i = x - x0;                                                                                  \
            ATOMIC_ADD(&AT(visits, i), 1);                                                                             \
            AT(marks, i) = layout_mark(0u, i);                                                                         \
            if (slip && i == RANGE - 1)                                                                                \
                AT(marks, i + 1) = 0u;                                                                                 \
        }                                                                                                              \
    }
EACH_1(layout_each_1, 0)
EACH_1(layout_control, 1)

KERNEL(layout_each_2, inout_nd(int32_t, 2, visits), out_nd(uint32_t, 2, marks), value(int64_t, y0), value(int64_t, x0))
{
    EACH2 (y, x) {
        const int64_t j = y - y0, i = x - x0;
        ATOMIC_ADD(&AT(visits, j, i), 1);
        AT(marks, j, i) = layout_mark(layout_mark(0u, j), i);
    }
}

KERNEL(layout_each_3, inout_nd(int32_t, 3, visits), out_nd(uint32_t, 3, marks), value(int64_t, z0), value(int64_t, y0),
       value(int64_t, x0))
{
    EACH3 (z, y, x) {
        const int64_t h = z - z0, j = y - y0, i = x - x0;
        ATOMIC_ADD(&AT(visits, h, j, i), 1);
        AT(marks, h, j, i) = layout_mark(layout_mark(layout_mark(0u, h), j), i);
    }
}

/* EACH_INDEX over an array of each rank; a range of rank 0 has one item. */
KERNEL(layout_index_0, inout(int32_t, visits), out(uint32_t, marks), in(int64_t, origin))
{
    EACH_INDEX (idx) {
        ATOMIC_ADD(&visits[idx[0] - origin[0]], 1);
        marks[0] = 0u;
    }
}

#define INDEX_KERNEL(rank)                                                                                             \
    KERNEL(layout_index_##rank, inout_nd(int32_t, rank, visits), out_nd(uint32_t, rank, marks), in(int64_t, origin))   \
    {                                                                                                                  \
        EACH_INDEX (idx) {                                                                                             \
            quern_index place[6] = {0};                                                                                \
            uint32_t mark = 0u;                                                                                        \
            for (int32_t d = 0; d < rank; ++d) {                                                                       \
                place[d] = (quern_index)(idx[d] - origin[d]);                                                          \
                mark = layout_mark(mark, place[d]);                                                                    \
            }                                                                                                          \
            ATOMIC_ADD(&AT_INDEX(visits, place), 1);                                                                   \
            AT_INDEX(marks, place) = mark;                                                                             \
        }                                                                                                              \
    }
INDEX_KERNEL(1)
INDEX_KERNEL(2)
INDEX_KERNEL(3)
INDEX_KERNEL(4)
INDEX_KERNEL(5)
INDEX_KERNEL(6)

/* Groups of any size. */
GROUP_KERNEL(layout_group_1, ANY, inout_nd(int32_t, 1, visits), out_nd(uint32_t, 1, marks))
{
    ITEMS (i) {
        ATOMIC_ADD(&AT(visits, GLOBAL(i)), 1);
        AT(marks, GLOBAL(i)) = layout_mark(0u, GLOBAL(i));
    }
}

GROUP_KERNEL(layout_group_2, (ANY, ANY), inout_nd(int32_t, 2, visits), out_nd(uint32_t, 2, marks))
{
    ITEMS2 (j, i) {
        ATOMIC_ADD(&AT(visits, GLOBAL_Y(j), GLOBAL(i)), 1);
        AT(marks, GLOBAL_Y(j), GLOBAL(i)) = layout_mark(layout_mark(0u, GLOBAL_Y(j)), GLOBAL(i));
    }
}

GROUP_KERNEL(layout_group_3, (ANY, ANY, ANY), inout_nd(int32_t, 3, visits), out_nd(uint32_t, 3, marks))
{
    ITEMS3 (h, j, i) {
        ATOMIC_ADD(&AT(visits, GLOBAL_Z(h), GLOBAL_Y(j), GLOBAL(i)), 1);
        AT(marks, GLOBAL_Z(h), GLOBAL_Y(j), GLOBAL(i)) =
            layout_mark(layout_mark(layout_mark(0u, GLOBAL_Z(h)), GLOBAL_Y(j)), GLOBAL(i));
    }
}

/* What AT, AT_INDEX and EXTENT make of a pitched view: y = x with every index reversed; sizes holds the extents. */
KERNEL(layout_reverse_1, in_nd(int16_t, 1, x), out_nd(int16_t, 1, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0]);
        sizes[0] = EXTENT(y, 0);
    }
}

KERNEL(layout_reverse_2, in_nd(int16_t, 2, x), out_nd(int16_t, 2, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1]);
        sizes[0] = EXTENT(y, 0);
        sizes[1] = EXTENT(y, 1);
    }
}

KERNEL(layout_reverse_3, in_nd(int16_t, 3, x), out_nd(int16_t, 3, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2]);
        sizes[0] = EXTENT(y, 0);
        sizes[1] = EXTENT(y, 1);
        sizes[2] = EXTENT(y, 2);
    }
}

KERNEL(layout_reverse_6, in_nd(int16_t, 6, x), out_nd(int16_t, 6, y), out(int64_t, sizes))
{
    EACH_INDEX (k) {
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2],
                            EXTENT(x, 3) - 1 - k[3], EXTENT(x, 4) - 1 - k[4], EXTENT(x, 5) - 1 - k[5]);
        sizes[0] = EXTENT(y, 0);
        sizes[1] = EXTENT(y, 1);
        sizes[2] = EXTENT(y, 2);
        sizes[3] = EXTENT(y, 3);
        sizes[4] = EXTENT(y, 4);
        sizes[5] = EXTENT(y, 5);
    }
}

/* Signed indices: a stencil on the interior of a halo, through a sub-view and through the whole view with offsets. */
KERNEL(layout_stencil, in_nd(int32_t, 2, u), out_nd(int32_t, 2, v))
{
    EACH2 (y, x)
        AT(v, y, x) = 1000 * AT(u, y - 1, x) + 100 * AT(u, y + 1, x) + 10 * AT(u, y, x - 1) + AT(u, y, x + 1);
}
