/* EACH, EACH2, EACH3 and EACH_INDEX: which indices are visited, with what values, and how elements are reached. */
#include <quern/kernel.h>

/* Every visit adds the index and 1, so that a missing or a second visit shows. */
KERNEL(each_1, inout(int64_t, seen))
{
    EACH (i)
        seen[i] += i + 1;
}

KERNEL(each_2, inout_nd(int64_t, 2, seen))
{
    EACH2 (y, x)
        AT(seen, y, x) += 1000 * y + x + 1;
}

KERNEL(each_3, inout_nd(int64_t, 3, seen))
{
    EACH3 (z, y, x)
        AT(seen, z, y, x) += 1000 * (1000 * z + y) + x + 1;
}

/* The same through EACH_INDEX, for each rank; CHECKSUM is what one visit adds. */
#define CHECKSUM(idx) (((((idx[0] * 100 + idx[1]) * 100 + idx[2]) * 100 + idx[3]) * 100 + idx[4]) * 100 + idx[5] + 1)

KERNEL(each_index_0, inout(int64_t, seen))
{
    EACH_INDEX (idx)
        seen[0] += CHECKSUM(idx);
}

#define EACH_INDEX_KERNEL(rank)                                                                                        \
    KERNEL(each_index_##rank, inout_nd(int64_t, rank, seen))                                                           \
    {                                                                                                                  \
        EACH_INDEX (idx)                                                                                               \
            AT_INDEX(seen, idx) += CHECKSUM(idx);                                                                      \
    }
EACH_INDEX_KERNEL(1)
EACH_INDEX_KERNEL(2)
EACH_INDEX_KERNEL(3)
EACH_INDEX_KERNEL(4)
EACH_INDEX_KERNEL(5)
EACH_INDEX_KERNEL(6)

/* AT with as many indices as the rank, and EXTENT; a copy with each coordinate reversed. */
KERNEL(reverse_1, in_nd(int32_t, 1, x), out_nd(int32_t, 1, y))
{
    EACH_INDEX (k)
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0]);
}

KERNEL(reverse_2, in_nd(int32_t, 2, x), out_nd(int32_t, 2, y))
{
    EACH_INDEX (k)
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1]);
}

KERNEL(reverse_3, in_nd(int32_t, 3, x), out_nd(int32_t, 3, y))
{
    EACH_INDEX (k)
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2]);
}

KERNEL(reverse_4, in_nd(int32_t, 4, x), out_nd(int32_t, 4, y))
{
    EACH_INDEX (k)
        AT_INDEX(y, k) =
            AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2], EXTENT(x, 3) - 1 - k[3]);
}

KERNEL(reverse_5, in_nd(int32_t, 5, x), out_nd(int32_t, 5, y))
{
    EACH_INDEX (k)
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2],
                            EXTENT(x, 3) - 1 - k[3], EXTENT(x, 4) - 1 - k[4]);
}

KERNEL(reverse_6, in_nd(int32_t, 6, x), out_nd(int32_t, 6, y))
{
    EACH_INDEX (k)
        AT_INDEX(y, k) = AT(x, EXTENT(x, 0) - 1 - k[0], EXTENT(x, 1) - 1 - k[1], EXTENT(x, 2) - 1 - k[2],
                            EXTENT(x, 3) - 1 - k[3], EXTENT(x, 4) - 1 - k[4], EXTENT(x, 5) - 1 - k[5]);
}

/* continue ends an item, whatever it is nested in. */
KERNEL(continue_1, inout(int64_t, seen))
{
    EACH (i) {
        if (i % 3 == 1)
            continue;
        seen[i] += i + 1;
    }
}

KERNEL(continue_2, inout_nd(int64_t, 2, seen))
{
    EACH2 (y, x) {
        if ((y + x) % 3 == 1)
            continue;
        AT(seen, y, x) += 1000 * y + x + 1;
    }
}

KERNEL(continue_index, inout_nd(int64_t, 3, seen))
{
    EACH_INDEX (idx) {
        if ((idx[0] + idx[1] + idx[2]) % 3 == 1)
            continue;
        AT_INDEX(seen, idx) += CHECKSUM(idx);
    }
}

/* Floating arithmetic, whose bits must not depend on the cuts. */
KERNEL(axpy, in(float, x), inout(float, y), value(float, a))
{
    EACH (i)
        y[i] = a * x[i] / (y[i] + 3.0f) + sqrt(x[i]);
}

KERNEL(five_point, in_nd(float, 2, u), out_nd(float, 2, v), value(float, c))
{
    EACH2 (y, x)
        AT(v, y, x) =
            AT(u, y, x) + c * (AT(u, y - 1, x) + AT(u, y + 1, x) + AT(u, y, x - 1) + AT(u, y, x + 1) - 4 * AT(u, y, x));
}

/* Two loops over the same range, and the range's extents. */
KERNEL(two_loops, out(int64_t, a), out(int64_t, b))
{
    EACH (i)
        a[i] = RANGE;
    EACH (i)
        b[i] = RANGE_Y * 10 + RANGE_Z;
}

/* No parameter at all. */
KERNEL(nothing)
{
    EACH (i) {
        if (i < 0)
            continue;
    }
}

/* An array that an item declares for itself belongs to it alone, however the loop is compiled. */
KERNEL(own_array_scatter, in(float, x), in(int32_t, k), out(float, y))
{
    EACH (i) {
        float t[8];
        t[k[i] & 7] = x[i];
        t[(k[i] + 1) & 7] = x[i] * 2;
        y[i] = t[k[i] & 7] + t[(k[i] + 1) & 7];
    }
}

KERNEL(own_array_gather, in(float, x), in(int32_t, k), out(float, y))
{
    EACH (i) {
        float t[4];
        t[0] = x[i];
        t[1] = 2 * x[i];
        t[2] = 3 * x[i];
        t[3] = 4 * x[i];
        y[i] = t[k[i] & 3];
    }
}
