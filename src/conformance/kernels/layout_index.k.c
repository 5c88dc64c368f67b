/* Conformance, subject "layout": EACH_INDEX over ranges of rank 0 to 3, as layout.k.c. */
#include <quern/kernel.h>

#include "layout_index.h"

/* A range of rank 0 has one item. */
KERNEL(layout_index_0, inout(int32_t, visits), out(uint32_t, marks), in(int64_t, origin))
{
    EACH_INDEX (idx) {
        ATOMIC_ADD(&visits[idx[0] - origin[0]], 1);
        marks[0] = 0u;
    }
}

INDEX_KERNEL(1)
INDEX_KERNEL(2)
INDEX_KERNEL(3)
