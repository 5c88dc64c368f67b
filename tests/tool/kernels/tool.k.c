/* Kernels that the tool's tests run: one of each kind of parameter, rank and group. */
#include <quern/kernel.h>

STRUCT(pair, field(int8_t, first), field(double, second))
STRUCT(nested, field(float, scale), field(pair, pairs, 2), field(int16_t, offsets, 3))

/* y = a·x + y. */
KERNEL(saxpy, in(float, x), inout(float, y), value(float, a))
{
    EACH (i)
        y[i] += a * x[i];
}

/* What an int8 value and an uint64 value arrive as. */
KERNEL(values, out(int64_t, y), value(int8_t, small), value(uint64_t, large))
{
    EACH (i)
        y[i] = i == 0 ? (int64_t)small : (int64_t)(large - 1);
}

/* Every field of a nested struct, in declaration order. */
KERNEL(fields, out(double, y), value(nested, n))
{
    EACH (i) {
        y[0] = n.scale;
        y[1] = n.pairs[0].first;
        y[2] = n.pairs[0].second;
        y[3] = n.pairs[1].first;
        y[4] = n.pairs[1].second;
        y[5] = n.offsets[0];
        y[6] = n.offsets[1];
        y[7] = n.offsets[2];
    }
}

/* An array of structs. */
KERNEL(structs, inout(pair, p), out(double, sum))
{
    EACH (i) {
        p[i].first = (int8_t)i;
        p[i].second = 0.5 * i;
        sum[i] = p[i].first + p[i].second;
    }
}

/* Rows with a pitch. */
KERNEL(transpose, in_nd(int32_t, 2, x), out_nd(int32_t, 2, y))
{
    EACH2 (r, c)
        AT(y, r, c) = AT(x, c, r);
}

KERNEL(add_one_3d, inout_nd(uint8_t, 3, x))
{
    EACH3 (k, j, i)
        AT(x, k, j, i) = (uint8_t)(AT(x, k, j, i) + 1);
}

/* Any rank. */
KERNEL(count_visits, inout_nd(int32_t, 2, x))
{
    EACH_INDEX (k)
        AT_INDEX(x, k) += 1;
}

/* The size of the group that ran. */
GROUP_KERNEL(group_of, ANY, out(int32_t, y))
{
    ITEMS (i)
        y[GLOBAL(i)] = (int32_t)GROUP_SIZE;
}

/* A few floats above 1, as many as the group has items: devices that choose other groups disagree by some ulps. */
GROUP_KERNEL(ulps_of, ANY, out_nd(float, 2, unused), out(float, y))
{
    ITEMS (i)
        y[GLOBAL(i)] = 1.0f + (float)GROUP_SIZE / 8388608.0f;
    ONCE AT(unused, 0, 0) = 7.0f;
}

/* A fixed group, reversed by way of local memory of a length given at the launch. */
GROUP_KERNEL(reverse_groups, 8, in(int32_t, x), out(int32_t, y), local(int32_t, tile))
{
    ITEMS (i)
        tile[i] = x[GLOBAL(i)];
    ITEMS (i)
        y[GLOBAL(i)] = tile[GROUP_SIZE - 1 - i];
}

/* Groups of rank 2. */
GROUP_KERNEL(tiles, (ANY, ANY), out_nd(int32_t, 2, y))
{
    ITEMS2 (r, c)
        AT(y, GLOBAL_Y(r), GLOBAL(c)) = (int32_t)(100 * GROUP_SIZE_Y + GROUP_SIZE);
}

/* Nothing is written: the range has to be given. */
KERNEL(reads_only, in(float, x))
{
    EACH (i) {
        if (x[i] < 0)
            continue;
    }
}

/* Far outside of y. */
KERNEL(far, inout(int32_t, y))
{
    EACH (i)
        y[((int64_t)i + 1) << 40] = 1;
}

KERNEL(divide, inout(int32_t, y), value(int32_t, by))
{
    EACH (i)
        y[i] = (y[i] + (int32_t)i) / by;
}

/* Local memory with an element for each item. */
GROUP_KERNEL(sum_of_group, ANY, inout(int32_t, y), local(int32_t, tile))
{
    ITEMS (i)
        tile[i] = y[GLOBAL(i)];
    ITEMS (i) {
        int32_t sum = 0;
        for (int k = 0; k < (int)MIN(GROUP_SIZE, RANGE - GLOBAL(0)); ++k)
            sum += tile[k];
        y[GLOBAL(i)] = sum;
    }
}
