/*
 * Conformance, subject "layout": ranges of rank 1 to 3 over pitched arrays; each item counts its visits and leaves a
 * mark. y0, x0, … are the range's offsets: the arrays hold the range alone. A file of kernels is compiled whole and for
 * each width of an index, so there are several small ones.
 */
#include <quern/kernel.h>

#include "layout_mark.h"

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
