/* Conformance: what needs fp64 in the subjects memory, argument and launch. */
#include <quern/kernel.h>

/* memory: LOCAL and local doubles among others, and a table. */
CONSTANT double double_table[3] = {0.1, -1e300, 3.0};

GROUP_KERNEL(double_memory, 7, in(double, x), out(double, y), local(int8_t, a), local(double, b))
{
    LOCAL(int16_t, c, 3);
    LOCAL(double, d, GROUP_SIZE);
    PRIVATE(double, mine);
    ALL_ITEMS (i) {
        const double v = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0.0;
        a[i] = (int8_t)i;
        b[i] = v + 1.0;
        d[i] = v * 2.0;
        MINE(mine, i) = v / 3.0;
    }
    TEAM_EACH (j, 3)
        c[j] = (int16_t)(100 * j);
    ITEMS (i) {
        const quern_index k = (i + 1) % GROUP_SIZE;
        y[GLOBAL(i)] = b[k] - d[k] * MINE(mine, i) + a[k] + c[k % 3] + double_table[k % 3];
    }
}

/* argument: values and structs. */
STRUCT(double_pair, field(int8_t, tag), field(double, wide), field(float, narrow))

KERNEL(double_values, value(int8_t, a), value(double, b), value(float, c), value(double_pair, d), in(double, x),
       out_nd(double, 2, y))
{
    EACH (i) {
        AT(y, 0, i) = b * x[i] + a;
        AT(y, 1, i) = d.wide - x[i] * d.tag;
        AT(y, 2, i) = (double)c + d.narrow;
    }
}
