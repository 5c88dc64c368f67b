/*
 * Conformance, subject "argument": kernels of many parameters, up to 64, of sizes in turn.
 *
 * Every kernel gives the sum of its values, each times its place (from 1), and is so told from any that has lost one.
 */
#include <quern/kernel.h>

/* Eight parameters of mixed sizes, and the sum of them times their places behind `first`. */
#define EIGHT(n)                                                                                                       \
    value(int8_t, n##0), value(int32_t, n##1), value(uint8_t, n##2), value(int64_t, n##3), value(int16_t, n##4),       \
        value(float, n##5), value(uint16_t, n##6), value(uint32_t, n##7)
#define SUM_8(first, n)                                                                                                \
    ((first + 1) * (int64_t)n##0 + (first + 2) * (int64_t)n##1 + (first + 3) * (int64_t)n##2 +                         \
     (first + 4) * (int64_t)n##3 + (first + 5) * (int64_t)n##4 + (first + 6) * (int64_t)n##5 +                         \
     (first + 7) * (int64_t)n##6 + (first + 8) * (int64_t)n##7)

KERNEL(argument_1, out(int64_t, y))
{
    EACH (i)
        y[i] = i;
}

KERNEL(argument_2, value(int8_t, a0), out(int64_t, y))
{
    EACH (i)
        y[i] = a0 + i;
}

KERNEL(argument_9, EIGHT(a), out(int64_t, y))
{
    EACH (i)
        y[i] = SUM_8(0, a) + i;
}

KERNEL(argument_17, EIGHT(a), EIGHT(b), out(int64_t, y))
{
    EACH (i)
        y[i] = SUM_8(0, a) + SUM_8(8, b) + i;
}

KERNEL(argument_33, EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), out(int64_t, y))
{
    EACH (i)
        y[i] = SUM_8(0, a) + SUM_8(8, b) + SUM_8(16, c) + SUM_8(24, d) + i;
}

KERNEL(argument_57, EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f), EIGHT(g), out(int64_t, y))
{
    EACH (i)
        y[i] = SUM_8(0, a) + SUM_8(8, b) + SUM_8(16, c) + SUM_8(24, d) + SUM_8(32, e) + SUM_8(40, f) + SUM_8(48, g) + i;
}

/* 64, of every form. */
GROUP_KERNEL(argument_64, 5, EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f), EIGHT(g), out(int64_t, y),
             in(int32_t, in1), inout(int16_t, in2), in_nd(int32_t, 2, in3), out_nd(int64_t, 3, out4),
             inout_nd(uint8_t, 1, in5), local(int64_t, tile), value(int8_t, h7))
{
    ITEMS (i)
        tile[i] = SUM_8(0, a) + SUM_8(8, b) + SUM_8(16, c) + SUM_8(24, d) + SUM_8(32, e) + SUM_8(40, f) + SUM_8(48, g);
    ITEMS (i) {
        const quern_index k = GLOBAL(i);
        y[k] = tile[i] + in1[k] + 3 * in2[k] + 5 * AT(in3, 1, k) + 7 * AT(in5, k) + 64 * h7;
        in2[k] += 1;
        AT(out4, 0, 1, k) = y[k];
        AT(in5, k) = (uint8_t)(AT(in5, k) + 1);
    }
}

/* 64 arrays. */
#define EIGHT_ARRAYS(n)                                                                                                \
    in(int8_t, n##0), in(int32_t, n##1), in(uint8_t, n##2), in(int64_t, n##3), in(int16_t, n##4), in(float, n##5),     \
        in(uint16_t, n##6), in(uint32_t, n##7)
#define SUM_ARRAYS(first, n, i)                                                                                        \
    ((first + 1) * (int64_t)n##0 [i] + (first + 2) * (int64_t)n##1 [i] + (first + 3) * (int64_t)n##2 [i] +             \
     (first + 4) * (int64_t)n##3 [i] + (first + 5) * (int64_t)n##4 [i] + (first + 6) * (int64_t)n##5 [i] +             \
     (first + 7) * (int64_t)n##6 [i] + (first + 8) * (int64_t)n##7 [i])
KERNEL(argument_64_arrays, EIGHT_ARRAYS(a), EIGHT_ARRAYS(b), EIGHT_ARRAYS(c), EIGHT_ARRAYS(d), EIGHT_ARRAYS(e),
       EIGHT_ARRAYS(f), EIGHT_ARRAYS(g), in(int8_t, h0), in(int32_t, h1), in(uint8_t, h2), in(int64_t, h3),
       in(int16_t, h4), in(float, h5), in(uint16_t, h6), out(int64_t, y))
{
    EACH (i) {
        int64_t sum = SUM_ARRAYS(0, a, i) + SUM_ARRAYS(8, b, i) + SUM_ARRAYS(16, c, i) + SUM_ARRAYS(24, d, i) +
                      SUM_ARRAYS(32, e, i) + SUM_ARRAYS(40, f, i) + SUM_ARRAYS(48, g, i);
        sum += 57 * (int64_t)h0[i] + 58 * (int64_t)h1[i] + 59 * (int64_t)h2[i] + 60 * h3[i] + 61 * (int64_t)h4[i] +
               62 * (int64_t)h5[i] + 63 * (int64_t)h6[i];
        y[i] = sum;
    }
}
