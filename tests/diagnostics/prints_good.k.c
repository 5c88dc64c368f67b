/* What PRINT prints. */
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int64_t, second), field(uint8_t, bytes, 3))

KERNEL(floats, in(float, x), in(double, d), in(pair, p), in_nd(float, 2, u), inout(int32_t, count))
{
    EACH (i) {
        float rows[2][2] = {{1.0f, 2.0f}, {3.0f, 4.0f}};
        PRINT("%f %e %E %g %G %a %A\n", x[i], d[i], x[i] * d[i], sqrt(x[i]), fma(d[i], d[i], 2.0), -x[i], 0.5f);
        PRINT("%10.3f|%-10.2e|%+.0g|%#g|% f\n", x[i], d[i], M_PI, (float)i, INFINITY);
        PRINT("%g %ld %d %g\n", p[i].first, p[i].second, p[i].bytes[1], rows[1][0]);
        PRINT("%g %d %d %d\n", AT(u, 0, i), isnan(x[i]), x[i] > 1.0f, ATOMIC_ADD(&count[0], 1));
        PRINT("%s: %s %%d %c %%\n", "name",
              ("text"
               " in two"),
              65);
        PRINT(("in brackets %d\n"), (int)x[i]);
        PRINT("no argument\n");
        PRINT("%g %d\n", x[i] > 0.0f ? x[i] : 1, (int)d[i]);
        PRINT("100%% of \"%d\"\\ \t\x41\101 %%%d\n", 3, 4);
    }
}

GROUP_KERNEL(groups, 64, inout(int64_t, w), in(float, x), local(uint64_t, tile))
{
    LOCAL(int16_t, counts, 3);
    PRIVATE(double, own);
    ITEMS (i) {
        MINE(own, i) = x[GLOBAL(i)];
        tile[i] = (uint64_t)i;
        counts[i % 3] = 3;
        PRINT("%ld %g %lu %d\n", (int64_t)GLOBAL(i), MINE(own, i), tile[i], counts[0]);
    }
    READ_UNIFORM(int64_t, first, w[0]);
    PRINT("%ld %d\n", first, (int)GROUP_ID);
    ONCE PRINT("%d %d\n", (int)GROUP_SIZE, (int)GROUPS);
}
