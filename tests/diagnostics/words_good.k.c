/* Words of the dialect with arguments that they take. */
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int16_t, small))

typedef uint64_t mask;

KERNEL(no_side_effects, in(int32_t, x), inout(int32_t, y), inout_nd(int32_t, 2, u))
{
    EACH (i) {
        int k = 0;
        y[i] = MIN(k == 3, 3) + MAX(k <= 2, x[i] >= 1) + ABS(-k);
        y[i] += MAX(k, MIN(k + 1, -(-3)));
        k = MIN(k, 3);
        ATOMIC_ADD(&y[ABS(x[i])], k != 1);
        AT(u, i, MIN(k, 3)) += x[i];
        y[ATOMIC_ADD(&y[0], 1)] = k++;
    }
}

GROUP_KERNEL(atomics, 64, inout(int8_t, b), inout(uint16_t, h), inout(float, f), inout(double, d), inout(mask, m),
             inout(uint32_t, n), inout_nd(float, 2, u))
{
    LOCAL(int32_t, counts, 64);
    LOCAL(float, sums, 2);
    ITEMS (i) {
        ATOMIC_ADD(&f[0], 1.0f);
        ATOMIC_MIN(d, 1.0);
        ATOMIC_OR(&m[0], (mask)1 << (i & 63));
        ATOMIC_XOR(n + 3, 1u);
        ATOMIC_EXCHANGE(&sums[0], 1.0f);
        ATOMIC_COMPARE_EXCHANGE(&counts[i], 0, 3);
        ATOMIC_SUB(&AT(u, 0, i), 2.0f);
        n[0] = (uint32_t)(popcount(m[i]) + clz((uint32_t)h[i]) + ffs(b[i] + 1) + popcount(n[0] & 3u) + clz(1));
        n[1] = (uint32_t)(popcount(-b[i]) + popcount(h[i] << 3) + clz(i) + popcount(MIN(b[i], b[0])));
        f[i] = sqrt((float)n[i]) + pow(f[i], 2) + ldexp(f[i], 3) + fabs(f[i] * 2);
        d[i] = sqrt((double)i) + exp(2.0) + (double)isnan(f[i]);
    }
}
