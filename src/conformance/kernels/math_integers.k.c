/* Conformance, subject "math": integers. */
#include <quern/kernel.h>

/* MIN, MAX, ABS and the bits of 32- and 64-bit integers, signed and not. */
KERNEL(math_bits, in(int64_t, x), in(int64_t, y), out(int64_t, z))
{
    EACH (i) {
        const int64_t a = x[i], b = y[i];
        const int32_t c = (int32_t)a, d = (int32_t)b;
        const uint64_t e = (uint64_t)a, f = (uint64_t)b;
        const uint32_t g = (uint32_t)e, h = (uint32_t)f;
        z[20 * i + 0] = MIN(a, b);
        z[20 * i + 1] = MAX(a, b);
        z[20 * i + 2] = MIN(c, d);
        z[20 * i + 3] = MAX(c, d);
        z[20 * i + 4] = (int64_t)MIN(e, f);
        z[20 * i + 5] = (int64_t)MAX(e, f);
        z[20 * i + 6] = MIN(g, h);
        z[20 * i + 7] = MAX(g, h);
        z[20 * i + 8] = ABS(a);
        z[20 * i + 9] = ABS(c);
        z[20 * i + 10] = MIN((int8_t)c, (int16_t)d);
        z[20 * i + 11] = popcount(c);
        z[20 * i + 12] = popcount(e);
        z[20 * i + 13] = clz(g);
        z[20 * i + 14] = clz(a);
        z[20 * i + 15] = ffs(c);
        z[20 * i + 16] = ffs(e);
        z[20 * i + 17] = MIN(MAX(c, -1000), MIN(d, 1000));
        z[20 * i + 18] = popcount(a) + clz(c);
        z[20 * i + 19] = clz(e) + ffs(a) * 1000;
    }
}

/* What C says of integers of mixed widths: promotions, wrapping, division towards 0, shifts. */
KERNEL(math_integers, in(int64_t, x), in(int64_t, y), out(int64_t, z))
{
    EACH (i) {
        const int64_t a = x[i], b = y[i] | 1;
        const uint64_t e = (uint64_t)a, f = (uint64_t)b;
        const int8_t p = (int8_t)a;
        const uint8_t q = (uint8_t)b;
        const int16_t r = (int16_t)a;
        const uint16_t s = (uint16_t)b;
        z[16 * i + 0] = (int64_t)(e + f);
        z[16 * i + 1] = (int64_t)(e * f);
        z[16 * i + 2] = (int64_t)(e / f);
        z[16 * i + 3] = (int64_t)(e % f);
        z[16 * i + 4] = (a >> 1) / b;
        z[16 * i + 5] = (a >> 1) % b;
        z[16 * i + 6] = (int64_t)(e >> (int)(f % 64));
        z[16 * i + 7] = (int64_t)(e << (int)(f % 64));
        z[16 * i + 8] = a >> (int)(f % 64);
        z[16 * i + 9] = p * q + r;
        z[16 * i + 10] = (int8_t)(p + q);
        z[16 * i + 11] = (uint8_t)(p - q);
        z[16 * i + 12] = (uint16_t)(r * 3) + (int16_t)(s * 3u);
        z[16 * i + 13] = p < q ? r : s;
        z[16 * i + 14] = (uint32_t)e * (uint32_t)f;
        z[16 * i + 15] = (int64_t)((e ^ f) & ~(e | 255u));
    }
}
