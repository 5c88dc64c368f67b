/* Integers of 64 bits by all their names. */
#include <quern/kernel.h>

CONSTANT int64_t table[3] = {1L << 40, INT64_C(5), -3LL};

KERNEL(wide, inout(int64_t, y), inout(uint64_t, z), in(int32_t, x))
{
    EACH (i) {
        long a = 1;
        unsigned long b = 1ul << 40;
        long int c = LONG_MAX;
        ptrdiff_t d = &y[i] - &y[0];
        size_t n = sizeof(long);
        intptr_t e = d;
        uintptr_t f = n;
        quern_index g = i;
        a <<= 40;
        y[i] += a + (long)b + (c >> 3) + d + (long)n + e + (long)f + g + table[x[i] & 1];
        y[i] = MAX(y[i], 1l << 35) + ABS(a) + MIN(d, a) + (y[i] == LONG_MIN) + (0x7fffffffL + 1);
        z[i] = ATOMIC_ADD(&z[i], 1ul) + (uint64_t)clz(z[i]) + (uint64_t)popcount(a) + UINT64_C(7) * ULONG_MAX;
        ATOMIC_MAX(&y[0], a);
        PRINT("%ld %lu\n", y[i], z[i]);
        switch (x[i]) {
        case 1L:
            y[i] = 1;
        }
    }
}
