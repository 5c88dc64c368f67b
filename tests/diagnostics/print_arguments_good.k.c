/* What PRINT prints of integers. */
#include <quern/kernel.h>

CONSTANT int32_t table[3] = {1, 2, 3};
enum mode { QUIET, LOUD };
typedef uint64_t mask;
#define SHOW(format, ...) PRINT("show: " format "\n", __VA_ARGS__)

DEVICE int64_t twice(int32_t x)
{
    PRINT("%d\n", x);
    return 2 * (int64_t)x;
}

KERNEL(integers, in(int8_t, b), in(uint16_t, h), in(int32_t, n), in(uint32_t, v), in(int64_t, w), in(mask, m),
       value(char, c), value(uint64_t, a))
{
    EACH (i) {
        long l = 3;
        unsigned long ul = 4;
        short s = 5;
        PRINT("%d %i %u %o %x %X %c\n", b[i], h[i], n[i], v[i], c, s, 'x');
        PRINT("%ld %li %lu %lo %lx %lX\n", w[i], m[i], a, l, ul, 1 + w[i]);
        PRINT("%5d|%-5d|%05d|%+d|% d|%#x|%.3d|%12ld|%-12lu\n", 1, 2, 3, 4, 5, 6, 7, w[0], m[0]);
        PRINT("%ld %d %ld\n", (int64_t)i, (int32_t)i, (int64_t)RANGE * 3);
        PRINT("%lu %u\n", (uint64_t)sizeof(float), (uint32_t)sizeof n[0]);
        PRINT("%ld %ld %ld\n", 5000000000, 3L, i * w[i]);
        PRINT("%d %d %d %d\n", w[i] == 3, !w[i], i<3, i> 2 && w[i]);
        PRINT("%d %d %d\n", popcount(m[i]), clz(w[i]), LOUD + n[i]);
        PRINT("%d %ld %d\n", MAX(n[i], 3), MIN(w[i], 3), ABS(b[i]));
        PRINT("%d %ld\n", n[i] ? n[i] : 3, n[i] ? n[i] : w[i]);
        PRINT("%ld %d\n", twice(n[i]), table[n[i] % 3]);
        PRINT("%u %lu\n", v[i] << 3, (uint64_t)1 << n[i]);
        PRINT("%ld %d\n", INT64_C(3), INT32_MAX);
        SHOW("%d %ld", n[i], w[i]);
    }
}
