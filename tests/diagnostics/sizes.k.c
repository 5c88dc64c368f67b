/* LOCAL arrays of no size, or larger than a group can have. */
// clang-format off
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int16_t, small))

enum { ONE = 1, TWO, MANY = 300000 };

GROUP_KERNEL(local_sizes, (4, 16), out(float, y))
{
    LOCAL(float, a, -1); // ERROR: LOCAL 'a' has -1 elements; wanted 1 or more
    LOCAL(float, b, GROUP_SIZE - 16); // ERROR: LOCAL 'b' has 0 elements; wanted 1 or more
    LOCAL(double, c, 32769); // ERROR: LOCAL 'c' has 32769 elements of 8 bytes; wanted no more than 262144 bytes in an array
    LOCAL(char, d, MANY); // ERROR: LOCAL 'd' has 300000 elements of 1 byte; wanted no more than 262144 bytes in an array
    LOCAL(pair, e, TWO * MANY); // ERROR: LOCAL 'e' has 600000 elements of at least 1 byte; wanted no more than 262144 bytes in an array
    LOCAL(float, f, GROUP_ITEMS * 1025); // ERROR: LOCAL 'f' has 65600 elements of 4 bytes; wanted no more than 262144 bytes in an array
    LOCAL(float, g, sizeof(double) * 1000000000000); // ERROR: LOCAL 'g' has 8000000000000 elements of 4 bytes; wanted no more than 262144 bytes in an array
    LOCAL(float, h, 0 * GROUP_SIZE_Z); // ERROR: LOCAL 'h' has 0 elements; wanted 1 or more
    LOCAL(float, k); // ERROR: LOCAL has 2 arguments; wanted LOCAL(T, name, n)
    PRIVATE(float); // ERROR: PRIVATE has 1 argument; wanted PRIVATE(T, name)
    READ_UNIFORM(float, v); // ERROR: READ_UNIFORM has 2 arguments; wanted READ_UNIFORM(T, v, expression)
    ITEMS2 (j, i)
        y[i] = a[j] + b[0] + (float)c[0] + (float)d[0] + e[0].first + f[0] + g[0] + h[0] + k[0] + v;
}

GROUP_KERNEL(local_sum, 64, out(float, y))
{
    LOCAL(float, a, 32768);
    LOCAL(double, b, 16383);
    LOCAL(int8_t, c, 8);
    LOCAL(int8_t, d, ONE); // ERROR: the LOCAL arrays of 'local_sum' take 262145 bytes with 'd'; wanted no more than 262144 in all
    LOCAL(int32_t, e, 3);
    ITEMS (i)
        y[i] = a[0] + (float)b[0] + (float)(c[0] + d[0] + e[0]);
}
