/* Sums of products in every shape that a compiler would like to fuse, and no fma: in strict mode PTX has none either.
 */
#include <quern/kernel.h>

STRUCT(point, field(float, x), field(float, y), field(float, z))

DEVICE float dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

DEVICE double horner(double x)
{
    return ((0.5 * x - 1.5) * x + 2.5) * x - 3.5;
}

KERNEL(sums, in(float, a), in(float, b), inout(float, c), value(float, s), value(point, p))
{
    EACH (i) {
        const point q = MAKE(point, a[i], b[i], c[i]);
        float sum = a[i] * b[i] + c[i];
        sum += s * a[i];
        sum -= s * b[i];
        sum = sum * sum - a[i];
        sum = a[i] - b[i] * sum;
        sum = sum + 2.0f * sum;
        c[i] = sum + dot(p, q) / s;
    }
}

KERNEL(sums_double, in(double, a), in(float, b), inout(double, c), value(double, s))
{
    EACH (i) {
        double sum = a[i] * s + c[i];
        sum -= (double)b[i] * b[i];
        sum = sqrt(sum * sum + s * s);
        c[i] = horner(sum) + (sum > s ? sum * a[i] : a[i] / sum);
    }
}

KERNEL(sums_nd, in_nd(float, 2, a), in_nd(float, 2, b), out_nd(float, 2, c))
{
    EACH2 (y, x) {
        float sum = 0.0f;
        for (quern_index k = 0; k < EXTENT(a, 1); ++k)
            sum += AT(a, y, k) * AT(b, k, x);
        AT(c, y, x) = sum;
    }
}

GROUP_KERNEL(sums_group, 64, in(float, a), inout(float, c))
{
    LOCAL(float, tile, 64);
    PRIVATE(float, mine);
    ALL_ITEMS (i) {
        tile[i] = GLOBAL(i) < RANGE ? a[GLOBAL(i)] : 0.0f;
        MINE(mine, i) = tile[i] * 3.0f - 1.0f;
    }
    ITEMS (i)
        c[GLOBAL(i)] += MINE(mine, i) * tile[63 - i];
}
