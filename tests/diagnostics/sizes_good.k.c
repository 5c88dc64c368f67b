/* LOCAL arrays of sizes that a group can have. */
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int16_t, small))

enum { ONE = 1, TWO, WIDTH = 16 * TWO, LESS = -3 };

GROUP_KERNEL(local_sizes, (4, 16), out(float, y))
{
    LOCAL(float, a, 4 + LESS);
    LOCAL(double, b, 16384);
    LOCAL(char, c, GROUP_SIZE_Z);
    LOCAL(pair, d, WIDTH);
    LOCAL(float, e, GROUP_SIZE == 16 ? 1024 : -1);
    LOCAL(pair, f, sizeof(float) * GROUP_ITEMS);
    ITEMS2 (j, i)
        y[j] = a[0] + (float)b[i] + (float)c[0] + d[0].first + e[0] + f[0].first;
    ONCE(y[0]) = 3.0f;
}
