/*
 * Conformance, subject "index", kernels without groups: every item writes down what it is told about itself.
 *
 * `visits` counts how often each item of the range has run, `stray` the items that lie outside of it; x0, y0, z0 and
 * origin are the range's offsets, nx … and extent its extents, as the host knows them.
 */
#include <quern/kernel.h>

/* In the control the last item writes in the place of the first, so that one has run twice and one not at all. */
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
            found[WORDS_1 * k + 0] = slip ? k + x0 : x;                                                                \
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

/* `continue` ends an item and no other, in whatever it stands; a `continue` of a loop inside is the loop's. */
KERNEL(index_continue_1, inout(int32_t, visits))
{
    EACH (i) {
        int32_t turns = 0;
        if (i % 3 == 1)
            continue;
        for (int32_t k = 0; k < 5; ++k) {
            if (k == 2)
                continue;
            turns += 1;
        }
        switch (i % 3) {
        case 2:
            continue;
        default:
            break;
        }
        ATOMIC_ADD(&visits[i], turns);
    }
}

KERNEL(index_continue_2, inout_nd(int32_t, 2, visits))
{
    EACH2 (y, x) {
        if ((y + 2 * x) % 3 == 1)
            continue;
        ATOMIC_ADD(&AT(visits, y, x), 1);
    }
}

KERNEL(index_continue_3, inout_nd(int32_t, 3, visits))
{
    EACH3 (z, y, x) {
        if ((z + y + 2 * x) % 3 == 1)
            continue;
        ATOMIC_ADD(&AT(visits, z, y, x), 1);
    }
}

KERNEL(index_continue_any, inout_nd(int32_t, 4, visits))
{
    EACH_INDEX (idx) {
        if ((idx[0] + idx[1] + idx[2] + 2 * idx[3]) % 3 == 1)
            continue;
        ATOMIC_ADD(&AT_INDEX(visits, idx), 1);
    }
}

/* A return before EACH, the same for all items; two EACH, each over the whole range. */
KERNEL(index_return, inout(int32_t, first), inout(int32_t, second), value(int32_t, leave))
{
    EACH (i)
        ATOMIC_ADD(&first[i], 1);
    if (leave)
        return;
    EACH (i)
        ATOMIC_ADD(&second[i], 1);
}
