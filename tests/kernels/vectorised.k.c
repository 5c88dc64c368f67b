/*
 * Kernels whose loops must be vectorised, for vectorised.sh, which looks at the machine code; the last one cannot be,
 * and shows that it looks.
 */
#include <quern/kernel.h>

KERNEL(saxpy, in(float, x), inout(float, y), value(float, a))
{
    EACH (i)
        y[i] += a * x[i];
}

KERNEL(triad, in(double, b), in(double, c), out(double, a), value(double, s))
{
    EACH (i)
        a[i] = b[i] + s * c[i];
}

KERNEL(stencil, in_nd(float, 2, u), out_nd(float, 2, v), value(float, c))
{
    EACH2 (y, x)
        AT(v, y, x) =
            AT(u, y, x) + c * (AT(u, y - 1, x) + AT(u, y + 1, x) + AT(u, y, x - 1) + AT(u, y, x + 1) - 4 * AT(u, y, x));
}

KERNEL(stencil_3, in_nd(double, 3, u), inout_nd(double, 3, v), value(double, c))
{
    EACH3 (z, y, x)
        AT(v, z, y, x) += c * (AT(u, z - 1, y, x) + AT(u, z + 1, y, x) - 2 * AT(u, z, y, x));
}

KERNEL(roots, in(float, x), out(float, y))
{
    EACH (i)
        y[i] = sqrt(MAX(x[i], 0.0f)) * 0.5f;
}

DEVICE float square(float x)
{
    return x * x;
}

KERNEL(helper, in(float, x), out(float, y))
{
    EACH (i)
        y[i] = square(x[i]) + 1.0f;
}

GROUP_KERNEL(phases, 256, in(double, x), out(double, y))
{
    LOCAL(double, slice, GROUP_SIZE);
    ALL_ITEMS (i)
        slice[i] = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0.0;
    ITEMS (i)
        y[GLOBAL(i)] = slice[GROUP_SIZE - 1 - i] * 2.0 + 1.0;
}

GROUP_KERNEL(phases_any, ANY, in(float, x), out(float, y), local(float, slice))
{
    PRIVATE(float, kept);
    ITEMS (i) {
        slice[i] = x[GLOBAL(i)];
        MINE(kept, i) = x[GLOBAL(i)] * 3.0f;
    }
    ITEMS (i)
        y[GLOBAL(i)] = slice[i] * 2.0f + MINE(kept, i);
}

GROUP_KERNEL(phases_private, 256, in(float, x), out(float, y))
{
    PRIVATE(float, kept);
    ITEMS (i)
        MINE(kept, i) = x[GLOBAL(i)] * 3.0f;
    ITEMS (i)
        y[GLOBAL(i)] = MINE(kept, i) + 1.0f;
}

GROUP_KERNEL(phases_2, (8, 64), in_nd(float, 2, x), out_nd(float, 2, y))
{
    LOCAL(float, tile, GROUP_ITEMS);
    ITEMS2 (j, i)
        tile[ITEM_LINEAR(j, i)] = AT(x, GLOBAL_Y(j), GLOBAL(i)) * 0.25f;
    ITEMS2 (j, i)
        AT(y, GLOBAL_Y(j), GLOBAL(i)) = tile[ITEM_LINEAR(7 - j, i)] + 1.0f;
}

KERNEL(not_vectorised, in(float, x), out(float, y))
{
    EACH (i) {
        float z = x[i];
        for (int n = 0; n < 100 && z < 1000.0f; ++n)
            z = z * z + 1.0f;
        y[i] = z;
    }
}
