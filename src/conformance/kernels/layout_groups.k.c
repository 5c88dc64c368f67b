/*
 * Conformance, subject "layout": group kernels. As layout.k.c.
 */
#include <quern/kernel.h>

#include "layout_mark.h"

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
