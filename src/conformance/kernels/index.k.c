/*
 * Conformance, subject "index", kernels without groups: every item writes down what it is told about itself.
 *
 * `visits` counts how often each item of the range has run, `stray` the items that lie outside of it; x0, y0, z0 and
 * origin are the range's offsets, nx … and extent its extents, as the host knows them.
 */
#include <quern/kernel.h>

/* In the control the last item counts for the first, so that one has run twice and one not at all. */
#define WORDS_1 4
#define EACH_1(name, slip)                                                                                             \
    KERNEL(name, inout(int32_t, visits), out(int64_t, found), inout(int32_t, stray), value(int64_t, nx),               \
           value(int64_t, x0))                                                                                         \
    {                                                                                                                  \
        EACH (x) {                                                                                                     \
            const int64_t i = x - x0, k = slip && i == nx - 1 ? 0 : i;                                                 \
            if (k < 0 || k >= nx) {                                                                                    \
                ATOMIC_ADD(&stray[0], 1);                                                                              \
                continue;                                                                                              \
            }                                                                                                          \
            ATOMIC_ADD(&visits[k], 1);                                                                                 \
            if (k != i)                                                                                                \
                continue;                                                                                              \
            found[WORDS_1 * k + 0] = x;                                                                                \
            found[WORDS_1 * k + 1] = RANGE;                                                                            \
            found[WORDS_1 * k + 2] = RANGE_Y;                                                                          \
            found[WORDS_1 * k + 3] = RANGE_Z;                                                                          \
        }                                                                                                              \
    }
EACH_1(index_each_1, 0)
EACH_1(index_control, 1)

#define WORDS_2 5
KERNEL(index_each_2, inout(int32_t, visits), out(int64_t, found), inout(int32_t, stray), value(int64_t, ny),
       value(int64_t, nx), value(int64_t, y0), value(int64_t, x0))
{
    EACH2 (y, x) {
        const int64_t j = y - y0, i = x - x0, k = j * nx + i;
        if (j < 0 || j >= ny || i < 0 || i >= nx) {
            ATOMIC_ADD(&stray[0], 1);
            continue;
        }
        ATOMIC_ADD(&visits[k], 1);
        found[WORDS_2 * k + 0] = y;
        found[WORDS_2 * k + 1] = x;
        found[WORDS_2 * k + 2] = RANGE;
        found[WORDS_2 * k + 3] = RANGE_Y;
        found[WORDS_2 * k + 4] = RANGE_Z;
    }
}

#define WORDS_3 6
KERNEL(index_each_3, inout(int32_t, visits), out(int64_t, found), inout(int32_t, stray), value(int64_t, nz),
       value(int64_t, ny), value(int64_t, nx), value(int64_t, z0), value(int64_t, y0), value(int64_t, x0))
{
    EACH3 (z, y, x) {
        const int64_t h = z - z0, j = y - y0, i = x - x0, k = (h * ny + j) * nx + i;
        if (h < 0 || h >= nz || j < 0 || j >= ny || i < 0 || i >= nx) {
            ATOMIC_ADD(&stray[0], 1);
            continue;
        }
        ATOMIC_ADD(&visits[k], 1);
        found[WORDS_3 * k + 0] = z;
        found[WORDS_3 * k + 1] = y;
        found[WORDS_3 * k + 2] = x;
        found[WORDS_3 * k + 3] = RANGE;
        found[WORDS_3 * k + 4] = RANGE_Y;
        found[WORDS_3 * k + 5] = RANGE_Z;
    }
}
