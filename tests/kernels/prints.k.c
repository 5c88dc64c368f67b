/* PRINT with every conversion that docs/dialect.md has; one item prints, so the order is known. */
#include <quern/kernel.h>

KERNEL(prints, in(int64_t, w), in(int32_t, n), in(float, x), in(double, d), in(uint8_t, b))
{
    EACH (i) {
        PRINT("print: %d %i %u %o %x %X %c\n", n[i], -n[i], b[i], b[i], b[i], 250 + n[i], 'q');
        PRINT("print: %ld %li %lu %lo %lx %lX\n", w[i] - 5000000000, -w[i], (uint64_t)w[i] << 40, w[i], w[i] << 36,
              w[i] * 0xabcdefabcd);
        PRINT("print: %f %e %E %g %G %a %A\n", x[i], x[i], d[i], d[i] * 1e-9, d[i] * 1e20, 0.5f, 1.0);
        PRINT("print: %5d|%-5d|%05d|%+d|% d|%#x|%.3d|%12ld|%-12lx|\n", 1, 2, 3, 4, 5, 6, 7, w[i], w[i]);
        PRINT("print: %8.3f|%-10.2e|%+g|%s %s|100%%\n", x[i], d[i], d[i], "text", "more");
        PRINT("print: %ld %d %lu %ld %d\n", (int64_t)i, (int)i, (uint64_t)sizeof(float), 3L, popcount(w[i]));
    }
}
