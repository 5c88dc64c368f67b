/* Conformance, subject "index": EACH_INDEX, as index.k.c; extent and origin are the range's extents and offsets. */
#include <quern/kernel.h>

/* Any rank. What idx holds beyond the rank is written down with the rest. */
#define WORDS_ANY 9
KERNEL(index_each_any, inout(int32_t, visits), out(int64_t, found), inout(int32_t, stray), value(int32_t, rank),
       in(int64_t, extent), in(int64_t, origin))
{
    EACH_INDEX (idx) {
        int64_t k = 0;
        int32_t inside = 1;
        for (int32_t d = 0; d < rank; ++d) {
            const int64_t i = idx[d] - origin[d];
            if (i < 0 || i >= extent[d])
                inside = 0;
            k = k * extent[d] + i;
        }
        if (!inside) {
            ATOMIC_ADD(&stray[0], 1);
            continue;
        }
        ATOMIC_ADD(&visits[k], 1);
        for (int32_t d = 0; d < 6; ++d)
            found[WORDS_ANY * k + d] = idx[d];
        found[WORDS_ANY * k + 6] = RANGE;
        found[WORDS_ANY * k + 7] = RANGE_Y;
        found[WORDS_ANY * k + 8] = RANGE_Z;
    }
}
