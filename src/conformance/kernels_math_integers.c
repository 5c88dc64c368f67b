/* Conformance, subject "math": integers, types and constants. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernels_math.h"

#include "math_double.k.h"
#include "math_float.k.h"
#include "math_integers.k.h"

enum { N = 4001 };

/* Pairs of all lengths and signs. */
static void set_pairs(int64_t *x, int64_t *y)
{
    uint64_t state = 21;
    for (size_t i = 0; i < N; ++i) {
        const uint64_t a = quern_conformance_random(&state) >> (i % 63),
                       b = quern_conformance_random(&state) >> (i * 7 % 63);
        x[i] = (int64_t)(i % 3 ? a : 0 - a);
        y[i] = (int64_t)(i % 4 ? b : 0 - b);
        if (i % 50 == 0)
            x[i] = i % 100 ? 0 : (int64_t)1 << (i / 100 % 63);
        /* ABS of the least number is undefined, as in C. */
        if (x[i] == INT64_MIN || (int32_t)x[i] == INT32_MIN)
            x[i] = 5;
    }
}

typedef quern_status launch_pairs(quern_queue *queue, quern_range range, quern_const_view x, quern_const_view y,
                                  quern_view z);

static quern_verdict check_pairs(quern_trial *trial, launch_pairs *launch, size_t columns,
                                 void (*set_wanted)(int64_t a, int64_t b, int64_t *wanted), const char *what)
{
    static int64_t x[N], y[N];
    int64_t *present, wanted[32];
    quern_guarded in_x, in_y, out;
    QUERN_MEMORY(trial, present, columns * N * sizeof *present);
    set_pairs(x, y);
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(int64_t), N, x, &in_x));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, y, &in_y));
    QUERN_CHECK(quern_conformance_array(trial, "z", QUERN_TYPE(int64_t), columns * N, NULL, &out));
    QUERN_TRY(trial, launch(trial->queue, QUERN_RANGE(N), quern_view_as_const(in_x.view),
                            quern_view_as_const(in_y.view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, present));
    for (size_t i = 0; i < N; ++i) {
        set_wanted(x[i], y[i], wanted);
        for (size_t k = 0; k < columns; ++k)
            QUERN_WANT(trial, present[columns * i + k] == wanted[k],
                       "column %zu of %s of 0x%llx and 0x%llx is %lld, wanted %lld", k, what, (unsigned long long)x[i],
                       (unsigned long long)y[i], (long long)present[columns * i + k], (long long)wanted[k]);
    }
    return QUERN_PASSED;
}

/* ---- MIN, MAX, ABS, bits ---- */

#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))

static int ones(uint64_t x)
{
    int n = 0;
    for (; x; x &= x - 1)
        ++n;
    return n;
}

static int zeros_above(uint64_t x, int width)
{
    int n = 0;
    while (n < width && !(x >> (width - 1 - n) & 1))
        ++n;
    return n;
}

static int lowest(uint64_t x)
{
    int n = 1;
    for (; x; x >>= 1, ++n)
        if (x & 1)
            return n;
    return 0;
}

static void set_bits(int64_t a, int64_t b, int64_t *wanted)
{
    const int32_t c = (int32_t)a, d = (int32_t)b;
    const uint64_t e = (uint64_t)a, f = (uint64_t)b;
    const uint32_t g = (uint32_t)e, h = (uint32_t)f;
    const int32_t least = GREATER(c, -1000), most = LESSER(d, 1000);
    const int64_t all[] = {LESSER(a, b),
                           GREATER(a, b),
                           LESSER(c, d),
                           GREATER(c, d),
                           (int64_t)LESSER(e, f),
                           (int64_t)GREATER(e, f),
                           LESSER(g, h),
                           GREATER(g, h),
                           a < 0 ? -a : a,
                           c < 0 ? -c : c,
                           LESSER((int)(int8_t)c, (int)(int16_t)d),
                           ones(g),
                           ones(e),
                           zeros_above(g, 32),
                           zeros_above(e, 64),
                           lowest(g),
                           lowest(e),
                           LESSER(least, most),
                           ones(e) + zeros_above(g, 32),
                           zeros_above(e, 64) + lowest(e) * 1000};
    memcpy(wanted, all, sizeof all);
}

quern_verdict quern_math_bits(quern_trial *trial)
{
    return check_pairs(trial, math_bits, 20, set_bits, "math_bits");
}

/* ---- arithmetic ---- */

static void set_integers(int64_t a, int64_t y, int64_t *wanted)
{
    const int64_t b = y | 1;
    const uint64_t e = (uint64_t)a, f = (uint64_t)b;
    const int8_t p = (int8_t)a;
    const uint8_t q = (uint8_t)b;
    const int16_t r = (int16_t)a;
    const uint16_t s = (uint16_t)b;
    const int64_t all[] = {(int64_t)(e + f),
                           (int64_t)(e * f),
                           (int64_t)(e / f),
                           (int64_t)(e % f),
                           (a >> 1) / b,
                           (a >> 1) % b,
                           (int64_t)(e >> (f % 64)),
                           (int64_t)(e << (f % 64)),
                           a >> (f % 64),
                           p * q + r,
                           (int8_t)(p + q),
                           (uint8_t)(p - q),
                           (uint16_t)(r * 3) + (int16_t)(s * 3u),
                           p < q ? r : s,
                           (int64_t)((uint32_t)e * (uint32_t)f),
                           (int64_t)((e ^ f) & ~(e | 255u))};
    memcpy(wanted, all, sizeof all);
}

quern_verdict quern_math_integers(quern_trial *trial)
{
    return check_pairs(trial, math_integers, 16, set_integers, "math_integers");
}

/* ---- types and constants ---- */

quern_verdict quern_math_types(quern_trial *trial)
{
    enum { SIZES = 7, CONSTANTS = 8 };
    const float zero = 0;
    int32_t wanted_sizes[SIZES];
    float present[CONSTANTS];
    const double wanted[CONSTANTS] = {(double)FLT_MAX,          (double)FLT_MIN,         (double)FLT_EPSILON,
                                      (double)INFINITY,         -(double)INFINITY,       (double)NAN,
                                      (double)(float)INT32_MAX, (double)(float)INT64_MIN};
    quern_guarded x, sizes, constants;
    for (size_t i = 0; i < SIZES; ++i)
        wanted_sizes[i] = sizeof(float);
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(float), 1, &zero, &x));
    QUERN_CHECK(quern_conformance_array(trial, "sizes", QUERN_TYPE(int32_t), SIZES, NULL, &sizes));
    QUERN_CHECK(quern_conformance_array(trial, "constants", QUERN_TYPE(float), CONSTANTS, NULL, &constants));
    QUERN_TRY(trial, math_types(trial->queue, QUERN_RANGE(1), quern_view_as_const(x.view), sizes.view, constants.view));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &sizes, wanted_sizes));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &constants, present));
    for (size_t i = 0; i < CONSTANTS; ++i)
        QUERN_WANT(trial, quern_math_same((double)present[i], wanted[i], 1), "constant %zu is %a, wanted %a", i,
                   (double)present[i], wanted[i]);
    return QUERN_PASSED;
}

quern_verdict quern_math_constants(quern_trial *trial)
{
    static const double wanted[] = {M_E,    M_LOG2E, M_LOG10E,   M_LN2,   M_LN10,    M_PI,    M_PI_2,  M_PI_4,
                                    M_1_PI, M_2_PI,  M_2_SQRTPI, M_SQRT2, M_SQRT1_2, DBL_MAX, DBL_MIN, DBL_EPSILON};
    quern_guarded y;
    QUERN_NEED_FP64(trial);
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(double), QUERN_LENGTH(wanted), NULL, &y));
    QUERN_TRY(trial, math_constants(trial->queue, QUERN_RANGE(1), y.view));
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}
