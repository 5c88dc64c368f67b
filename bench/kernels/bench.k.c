/*
 * The kernels that `quern bench` measures, but for examples/pointer_jumping.k.c. Each has its counterpart among the
 * loops of bench/loops.c and the OpenCL kernels of bench/opencl.c.
 */
#include <quern/kernel.h>

/* ---- data that vary: the value of an element follows from its index ---- */

KERNEL(bench_init, out(double, x), value(double, base))
{
    EACH (i)
        x[i] = base + (double)(i & 1023) * 0.0009765625;
}

KERNEL(bench_init_float, out(float, x), value(float, base))
{
    EACH (i)
        x[i] = base + (float)(i & 1023) * 0.0009765625f;
}

KERNEL(bench_init_2d, out_nd(float, 2, u))
{
    EACH2 (y, x)
        AT(u, y, x) = (float)((7 * y + 3 * x) & 255);
}

/* ---- the five stream kernels ---- */

KERNEL(bench_copy, in(double, a), out(double, c))
{
    EACH (i)
        c[i] = a[i];
}

KERNEL(bench_mul, in(double, c), out(double, b), value(double, s))
{
    EACH (i)
        b[i] = s * c[i];
}

KERNEL(bench_add, in(double, a), in(double, b), out(double, c))
{
    EACH (i)
        c[i] = a[i] + b[i];
}

KERNEL(bench_triad, in(double, b), in(double, c), out(double, a), value(double, s))
{
    EACH (i)
        a[i] = b[i] + s * c[i];
}

#define DOT_BLOCK 4096

/* A group takes a block of consecutive elements, each item every GROUP_SIZE-th of it; the order in which a block is
 * added up is fixed, so that the same data give the same bits whatever runs it. */
GROUP_KERNEL(bench_dot, 64, in(double, a), in(double, b), out(double, partial), value(int64_t, n))
{
    LOCAL(double, lane, GROUP_SIZE);
    PRIVATE(double, sum);
    quern_index first = GROUP_ID * DOT_BLOCK;
    quern_index count = n - first < DOT_BLOCK ? (quern_index)(n - first) : DOT_BLOCK;
    quern_index whole = count / GROUP_SIZE * GROUP_SIZE;

    ALL_ITEMS (i)
        MINE(sum, i) = 0.0;
    for (quern_index k = first; k < first + whole; k += GROUP_SIZE)
        ALL_ITEMS (i)
            MINE(sum, i) += a[k + i] * b[k + i];
    ALL_ITEMS (i)
        lane[i] = MINE(sum, i) + (whole + i < count ? a[first + whole + i] * b[first + whole + i] : 0.0);
    for (int alive = GROUP_SIZE / 2; alive > 0; alive /= 2)
        TEAM_EACH (i, alive)
            lane[i] += lane[i + alive];
    ONCE partial[GROUP_ID] = lane[0];
}

#define LANES 64

/* The same bits with an item for each block: for device compilers that keep what survives a barrier in memory, item by
 * item (PoCL), where a group per block takes twice as long. */
KERNEL(bench_dot_blocks, in(double, a), in(double, b), out(double, partial), value(int64_t, n))
{
    EACH (block) {
        double lane[LANES];
        quern_index first = block * DOT_BLOCK;
        quern_index count = n - first < DOT_BLOCK ? (quern_index)(n - first) : DOT_BLOCK;
        quern_index steps = count / LANES, whole = steps * LANES;

        for (int i = 0; i < LANES; ++i)
            lane[i] = 0.0;
        for (quern_index step = 0; step < steps; ++step)
            for (int i = 0; i < LANES; ++i)
                lane[i] += a[first + step * LANES + i] * b[first + step * LANES + i];
        for (int i = 0; i < count - whole; ++i)
            lane[i] += a[first + whole + i] * b[first + whole + i];
        for (int alive = LANES / 2; alive > 0; alive /= 2)
            for (int i = 0; i < alive; ++i)
                lane[i] += lane[i + alive];
        partial[block] = lane[0];
    }
}

/* The triad over three dimensions, the same elements in the same order. */
KERNEL(bench_triad_3d, in_nd(double, 3, b), in_nd(double, 3, c), out_nd(double, 3, a), value(double, s))
{
    EACH3 (z, y, x)
        AT(a, z, y, x) = AT(b, z, y, x) + s * AT(c, z, y, x);
}

KERNEL(bench_triad_float, in(float, b), in(float, c), out(float, a), value(float, s))
{
    EACH (i)
        a[i] = b[i] + s * c[i];
}

/* ---- a 5-point stencil; the range is the interior ---- */

KERNEL(bench_stencil, in_nd(float, 2, u), out_nd(float, 2, v), value(float, c))
{
    EACH2 (y, x)
        AT(v, y + 1, x + 1) = AT(u, y + 1, x + 1) + c * (AT(u, y, x + 1) + AT(u, y + 2, x + 1) + AT(u, y + 1, x) +
                                                         AT(u, y + 1, x + 2) - 4.0f * AT(u, y + 1, x + 1));
}

/* ---- what a launch costs ---- */

KERNEL(bench_empty, value(int32_t, nothing))
{
    EACH (i) {
    }
}

/* ---- a group with one barrier; the range is a multiple of its size ---- */

GROUP_KERNEL(bench_group_barrier, 256, in(float, x), out(float, y))
{
    LOCAL(float, tile, GROUP_SIZE);
    ALL_ITEMS (i)
        tile[i] = x[GLOBAL(i)] * x[GLOBAL(i)];
    ALL_ITEMS (i)
        y[GLOBAL(i)] = tile[i] + tile[GROUP_SIZE - 1 - i];
}

/* Takes as long as it is told to, on one thread: every step waits for the one before. */
KERNEL(bench_spin, in(float, x), out(float, y), value(int32_t, rounds))
{
    EACH (i) {
        float v = x[i];
        for (int32_t k = 0; k < rounds; ++k)
            v = v * 0.5f + 1;
        y[i] = v;
    }
}
