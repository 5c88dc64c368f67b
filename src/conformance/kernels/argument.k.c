/*
 * Conformance, subject "argument": how the host's arguments arrive: views of every form at odd places, values and
 * structs of every size, none and as many as there may be.
 */
#include <quern/kernel.h>

/* No parameter at all. */
KERNEL(argument_none)
{
    EACH (i) {
        if (i < 0)
            continue;
    }
}

GROUP_KERNEL(argument_none_group, 3)
{
    LOCAL(int32_t, tile, GROUP_SIZE);
    ALL_ITEMS (i)
        tile[i] = (int32_t)i;
    ALL_ITEMS (i)
        tile[i] -= 1;
}

/*
 * Values of every integer type and float, so ordered that each but the first needs padding before it. In the control
 * two of one type are taken one for the other.
 */
#define VALUES(name, c, e)                                                                                             \
    KERNEL(name, value(int8_t, a), value(int64_t, b), value(uint8_t, c), value(int16_t, d), value(uint8_t, e),         \
           value(int32_t, f), value(int8_t, g), value(uint64_t, h), value(uint16_t, k), value(float, m),               \
           value(int8_t, n), value(uint32_t, o), out(int64_t, y))                                                      \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            y[12 * i + 0] = a + i;                                                                                     \
            y[12 * i + 1] = b + i;                                                                                     \
            y[12 * i + 2] = third + i;                                                                                 \
            y[12 * i + 3] = d + i;                                                                                     \
            y[12 * i + 4] = fifth + i;                                                                                 \
            y[12 * i + 5] = f + i;                                                                                     \
            y[12 * i + 6] = g + i;                                                                                     \
            y[12 * i + 7] = (int64_t)h + i;                                                                            \
            y[12 * i + 8] = k + i;                                                                                     \
            y[12 * i + 9] = (int64_t)(m * 1024.0f) + i;                                                                \
            y[12 * i + 10] = n + i;                                                                                    \
            y[12 * i + 11] = (int64_t)o + i;                                                                           \
        }                                                                                                              \
    }
VALUES(argument_values, third, fifth)
VALUES(argument_control, fifth, third)

/* Structs by value: with padding inside and at the end, nested, with arrays, of one byte and of many. */
STRUCT(argument_byte, field(uint8_t, only))
STRUCT(argument_padded, field(int8_t, small), field(int32_t, number), field(int16_t, middle))
STRUCT(argument_nested, field(int16_t, head), field(argument_padded, two, 2), field(int64_t, wide),
       field(uint8_t, tail))
STRUCT(argument_wide, field(uint8_t, flags, 3), field(int32_t, table, 24), field(argument_nested, inner))

KERNEL(argument_structs, value(argument_byte, a), value(argument_padded, b), value(argument_nested, c),
       value(int8_t, between), value(argument_wide, d), out(int64_t, y), out(argument_nested, back))
{
    EACH (i) {
        argument_nested copy = d.inner;
        y[16 * i + 0] = a.only;
        y[16 * i + 1] = b.small;
        y[16 * i + 2] = b.number;
        y[16 * i + 3] = b.middle;
        y[16 * i + 4] = c.head;
        y[16 * i + 5] = c.two[0].small + 1000 * (int64_t)c.two[0].number;
        y[16 * i + 6] = c.two[1].middle + 1000 * (int64_t)c.two[1].number;
        y[16 * i + 7] = c.wide;
        y[16 * i + 8] = c.tail;
        y[16 * i + 9] = between;
        y[16 * i + 10] = d.flags[0] + 256 * d.flags[2];
        y[16 * i + 11] = d.table[i % 24];
        y[16 * i + 12] = d.inner.two[1].number;
        y[16 * i + 13] = d.inner.wide;
        y[16 * i + 14] = (int64_t)sizeof(argument_wide);
        y[16 * i + 15] = (int64_t)sizeof(argument_nested);
        copy.head = (int16_t)i;
        back[i] = copy;
    }
}

/* Views of every form and size of element. */
KERNEL(argument_views, in(int8_t, a), in(int16_t, b), inout(int32_t, c), in(int64_t, d), in_nd(uint8_t, 1, e),
       in_nd(int16_t, 2, f), inout_nd(uint32_t, 3, g), out(uint8_t, h), out_nd(int64_t, 2, k), in_nd(float, 4, m),
       in_nd(int32_t, 5, n), in_nd(uint16_t, 6, o))
{
    EACH (i) {
        int64_t sum =
            a[i] + 3 * b[i] + 5 * (int64_t)c[i] + d[i] + 7 * AT(e, i) + 11 * AT(f, i % EXTENT(f, 0), i % EXTENT(f, 1));
        sum += 13 * (int64_t)AT(m, 1, 0, 1, i % EXTENT(m, 3)) + 17 * (int64_t)AT(n, 0, 1, 0, 1, i % EXTENT(n, 4)) +
               19 * AT(o, 1, 0, 1, 0, 1, i % EXTENT(o, 5));
        h[i] = (uint8_t)(sum & 255);
        AT(k, 1, i) = sum;
        AT(g, 1, 2, i) += (uint32_t)i;
        c[i] += 1;
    }
}

/* One array in several arguments. */
KERNEL(argument_parts, in(int32_t, a), in(int32_t, b), inout(int32_t, c), out(int32_t, d), in_nd(int32_t, 2, left),
       out_nd(int32_t, 2, right))
{
    EACH (i) {
        d[i] = a[i] + 10 * b[i] + 100 * c[i];
        c[i] = -c[i];
        AT(right, i % EXTENT(right, 0), i / EXTENT(right, 0)) =
            1000 + AT(left, i % EXTENT(left, 0), i / EXTENT(left, 0));
    }
}

/* What the host is refused, each in its turn. */
STRUCT(argument_pair, field(int32_t, first), field(int32_t, second))
GROUP_KERNEL(argument_refusals, ANY, in(int32_t, a), inout(float, b), out_nd(int16_t, 2, c), value(int32_t, d),
             value(argument_pair, e), local(int32_t, f))
{
    ITEMS (i)
        f[i] = a[GLOBAL(i)] + d;
    ITEMS (i) {
        b[GLOBAL(i)] += (float)f[i];
        AT(c, 0, GLOBAL(i)) = (int16_t)(e.first - e.second);
    }
}
