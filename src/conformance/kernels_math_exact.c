/* Conformance, subject "math": what has the same bits on every device: arithmetic, fma, ldexp, conversions. */
#include <math.h>
#include <string.h>

#include "kernels_math.h"

#include "math_double.k.h"
#include "math_float.k.h"

static const char *kind_name(quern_type_kind kind)
{
    return quern_type_name(quern_type_scalar(kind));
}

/* ---- arithmetic ---- */

enum { COLUMNS = 8, TRIPLES = QUERN_MATH_PAIRS };

static const char *const column_names[COLUMNS] = {"a + b",        "a - b",      "a * b",     "a / b",
                                                  "fma(a, b, c)", "ABS(a) - c", "a * b + c", "a * b - c * b"};
enum { SUM = 6 }; /* a * b + c */

/* Every intermediate result lies in memory, so that no compiler fuses what strict mode does not. */
static void wanted_single(float a, float b, float c, double *wanted)
{
    const volatile float product = a * b, other = c * b;
    wanted[0] = (double)(a + b);
    wanted[1] = (double)(a - b);
    wanted[2] = (double)product;
    wanted[3] = (double)(a / b);
    wanted[4] = (double)fmaf(a, b, c);
    wanted[5] = (double)(fabsf(a) - c);
    wanted[SUM] = (double)(product + c);
    wanted[7] = (double)(product - other);
}

static void wanted_double(double a, double b, double c, double *wanted)
{
    const volatile double product = a * b, other = c * b;
    wanted[0] = a + b;
    wanted[1] = a - b;
    wanted[2] = product;
    wanted[3] = a / b;
    wanted[4] = fma(a, b, c);
    wanted[5] = fabs(a) - c;
    wanted[SUM] = product + c;
    wanted[7] = product - other;
}

/* Pairs and a third number: often minus their product, so that what a fused operation keeps is all that is left. */
static void set_triples(quern_type_kind kind, double *a, double *b, double *c)
{
    uint64_t state = 77;
    quern_math_pairs(kind, TRIPLES, a, b);
    for (size_t i = 0; i < TRIPLES; ++i) {
        const double product = quern_math_round(kind, a[i] * b[i]);
        const size_t other = (size_t)(quern_conformance_random(&state) % TRIPLES);
        c[i] = i % 3 == 0 ? a[other] : i % 3 == 1 ? -product : quern_math_round(kind, product * 0x1p-20);
    }
}

static quern_verdict make_triples(quern_trial *trial, quern_type_kind kind, double *const *values,
                                  quern_guarded *arrays)
{
    static const char *const names[] = {"a", "b", "c"};
    for (int k = 0; k < 3; ++k)
        QUERN_CHECK(quern_math_array(trial, names[k], kind, values[k], TRIPLES, &arrays[k]));
    return QUERN_PASSED;
}

static quern_verdict check_triple(quern_trial *trial, quern_type_kind kind, const double *abc, size_t column,
                                  double result)
{
    double wanted[COLUMNS];
    if (kind == QUERN_KIND_FLOAT32)
        wanted_single((float)abc[0], (float)abc[1], (float)abc[2], wanted);
    else
        wanted_double(abc[0], abc[1], abc[2], wanted);
    QUERN_WANT(trial, quern_math_same(result, wanted[column], 1),
               "%s of %s with a = %a, b = %a, c = %a is %a (%.17g), wanted %a (%.17g)", column_names[column],
               kind_name(kind), abc[0], abc[1], abc[2], result, result, wanted[column], wanted[column]);
    return QUERN_PASSED;
}

typedef quern_status launch_triples(quern_queue *queue, quern_range range, quern_const_view x, quern_const_view y,
                                    quern_const_view z, quern_view r);

quern_verdict quern_math_arithmetic(quern_trial *trial, quern_type_kind kind)
{
    const int single = kind == QUERN_KIND_FLOAT32;
    static double a[TRIPLES], b[TRIPLES], c[TRIPLES];
    double *const values[3] = {a, b, c};
    void *results;
    quern_guarded arrays[3], out;
    QUERN_MEMORY(trial, results, COLUMNS * TRIPLES * sizeof(double));
    set_triples(kind, a, b, c);
    QUERN_CHECK(make_triples(trial, kind, values, arrays));
    QUERN_CHECK(quern_conformance_array(trial, "r", quern_type_scalar(kind), COLUMNS * (size_t)TRIPLES, NULL, &out));
    launch_triples *const launches[] = {single ? math_exact_float : math_exact_double,
                                        single ? math_sums_float : math_sums_double};
    for (size_t k = 0; k < QUERN_LENGTH(launches); ++k)
        QUERN_TRY(trial,
                  launches[k](trial->queue, QUERN_RANGE(TRIPLES), quern_view_as_const(arrays[0].view),
                              quern_view_as_const(arrays[1].view), quern_view_as_const(arrays[2].view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, results));
    for (size_t column = 0; column < COLUMNS; ++column)
        for (size_t i = 0; i < TRIPLES; ++i) {
            const double abc[3] = {a[i], b[i], c[i]};
            QUERN_CHECK(check_triple(trial, kind, abc, column, quern_math_load(kind, results, COLUMNS * i + column)));
        }
    return QUERN_PASSED;
}

/* What a fused a * b + c gives is told from what it should be. */
quern_verdict quern_math_control_fused(quern_trial *trial)
{
    static double a[TRIPLES], b[TRIPLES], c[TRIPLES];
    double *const values[3] = {a, b, c};
    void *results;
    quern_guarded arrays[3], out;
    QUERN_MEMORY(trial, results, TRIPLES * sizeof(float));
    set_triples(QUERN_KIND_FLOAT32, a, b, c);
    QUERN_CHECK(make_triples(trial, QUERN_KIND_FLOAT32, values, arrays));
    QUERN_CHECK(quern_conformance_array(trial, "r", QUERN_TYPE(float), TRIPLES, NULL, &out));
    QUERN_TRY(trial,
              math_control_fused(trial->queue, QUERN_RANGE(TRIPLES), quern_view_as_const(arrays[0].view),
                                 quern_view_as_const(arrays[1].view), quern_view_as_const(arrays[2].view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, results));
    for (size_t i = 0; i < TRIPLES; ++i) {
        const double abc[3] = {a[i], b[i], c[i]};
        QUERN_CHECK(check_triple(trial, QUERN_KIND_FLOAT32, abc, SUM, quern_math_load(QUERN_KIND_FLOAT32, results, i)));
    }
    return QUERN_PASSED;
}

/* ---- ldexp, and what kind of number it is ---- */

quern_verdict quern_math_scale(quern_trial *trial, quern_type_kind kind)
{
    enum { N = 20011 };
    static double x[N];
    static int32_t exponents[N], kinds[N];
    void *results;
    quern_guarded in, exponent, out, told;
    uint64_t state = 12;
    QUERN_MEMORY(trial, results, N * sizeof(double));
    quern_math_numbers(kind, N, x);
    for (size_t i = 0; i < N; ++i) {
        static const int32_t ends[] = {0, 1, -1, INT32_MAX, INT32_MIN, 149, -149, 1074, -1074, 2200, -2200};
        const size_t k = (size_t)(quern_conformance_random(&state) % 700);
        exponents[i] = k < QUERN_LENGTH(ends) ? ends[k] : (int32_t)k - 350;
        kinds[i] = isnan(x[i]) ? 1 : isinf(x[i]) ? 2 : 4;
        kinds[i] += signbit(x[i]) ? 8 : 0;
    }
    QUERN_CHECK(quern_math_array(trial, "x", kind, x, N, &in));
    QUERN_CHECK(quern_conformance_array(trial, "e", QUERN_TYPE(int32_t), N, exponents, &exponent));
    QUERN_CHECK(quern_conformance_array(trial, "y", quern_type_scalar(kind), N, NULL, &out));
    QUERN_CHECK(quern_conformance_array(trial, "kinds", QUERN_TYPE(int32_t), N, NULL, &told));
    QUERN_TRY(trial, (kind == QUERN_KIND_FLOAT32 ? math_scale_float : math_scale_double)(
                         trial->queue, QUERN_RANGE(N), quern_view_as_const(in.view), quern_view_as_const(exponent.view),
                         out.view, told.view));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &told, kinds));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, results));
    for (size_t i = 0; i < N; ++i) {
        const double result = quern_math_load(kind, results, i),
                     wanted = kind == QUERN_KIND_FLOAT32 ? (double)ldexpf((float)x[i], exponents[i])
                                                         : ldexp(x[i], exponents[i]);
        QUERN_WANT(trial, quern_math_same(result, wanted, 1),
                   "ldexp(%a, %d) of %s is %a, wanted %a; ldexp is correctly rounded", x[i], exponents[i],
                   kind_name(kind), result, wanted);
    }
    return QUERN_PASSED;
}

/* ---- conversions ---- */

static const char *const integer_names[COLUMNS] = {"int64", "uint64", "int32", "uint32",
                                                   "int16", "uint16", "int8",  "uint8"};

static void wanted_integers(double x, double wide, int is_single, int64_t *wanted)
{
    /* Powers of two divide exactly, but for subnormal results. */
    const double w = is_single ? (double)((float)x / 65536) : x / 65536, q = w / 256;
    wanted[0] = (int64_t)wide;
    wanted[1] = (int64_t)(uint64_t)fabs(wide);
    wanted[2] = (int32_t)x;
    wanted[3] = (uint32_t)fabs(x);
    wanted[4] = (int16_t)w;
    wanted[5] = (uint16_t)fabs(w);
    wanted[6] = (int8_t)q;
    wanted[7] = (uint8_t)fabs(q);
}

quern_verdict quern_math_to_integers(quern_trial *trial, quern_type_kind kind)
{
    enum { N = 8009 };
    static double x[N], wide[N];
    static int64_t wanted[COLUMNS * N], present[COLUMNS * N];
    quern_guarded narrow_in, wide_in, out;
    quern_math_numbers(kind, N, x);
    memcpy(wide, x, sizeof wide);
    for (size_t i = 0; i < N; ++i) {
        x[i] = isnan(x[i]) ? 1.5 : quern_math_round(kind, fmod(isinf(x[i]) ? 7e7 : x[i], 0x1p31));
        wide[i] = isnan(wide[i]) || isinf(wide[i]) ? 1.5 : fmod(wide[i] * (i % 5 ? 1 : 0x1p40), 0x1p63);
        wide[i] = isnan(wide[i]) ? 1.5 : quern_math_round(kind, wide[i]);
        if (fabs(x[i]) >= 0x1p31) /* rounded up to it */
            x[i] = 0x1p30;
        if (fabs(wide[i]) >= 0x1p63)
            wide[i] = 0x1p62;
        wanted_integers(x[i], wide[i], kind == QUERN_KIND_FLOAT32, wanted + COLUMNS * i);
    }
    QUERN_CHECK(quern_math_array(trial, "x", kind, x, N, &narrow_in));
    QUERN_CHECK(quern_math_array(trial, "wide", kind, wide, N, &wide_in));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), QUERN_LENGTH(wanted), NULL, &out));
    QUERN_TRY(trial, (kind == QUERN_KIND_FLOAT32 ? math_to_integers_float : math_to_integers_double)(
                         trial->queue, QUERN_RANGE(N), quern_view_as_const(narrow_in.view),
                         quern_view_as_const(wide_in.view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, present));
    for (size_t i = 0; i < QUERN_LENGTH(wanted); ++i)
        QUERN_WANT(trial, present[i] == wanted[i], "%s from %s, %a (the 64-bit ones from %a), is %lld, wanted %lld",
                   integer_names[i % COLUMNS], kind_name(kind), x[i / COLUMNS], wide[i / COLUMNS],
                   (long long)present[i], (long long)wanted[i]);
    return QUERN_PASSED;
}

#define FROM_INTEGERS(T, v, wanted)                                                                                    \
    do {                                                                                                               \
        wanted[0] = (double)(T)(v);                                                                                    \
        wanted[1] = (double)(T)(uint64_t)(v);                                                                          \
        wanted[2] = (double)(T)(int32_t)((v) >> 32);                                                                   \
        wanted[3] = (double)(T)(uint32_t)((v) >> 32);                                                                  \
        wanted[4] = (double)(T)(int16_t)((v) >> 48);                                                                   \
        wanted[5] = (double)(T)(uint16_t)((v) >> 48);                                                                  \
        wanted[6] = (double)(T)(int8_t)((v) >> 56);                                                                    \
        wanted[7] = (double)(T)(uint8_t)((v) >> 56);                                                                   \
    } while (0)

quern_verdict quern_math_from_integers(quern_trial *trial, quern_type_kind kind)
{
    enum { N = 9001 };
    static int64_t x[N];
    void *results;
    quern_guarded in, out;
    uint64_t state = 14;
    QUERN_MEMORY(trial, results, COLUMNS * N * sizeof(double));
    for (size_t i = 0; i < N; ++i) {
        const uint64_t random = quern_conformance_random(&state);
        /* All lengths; and ties, just below and just above them. */
        uint64_t v = random >> (i % 64);
        if (i % 3 == 0)
            v = (v & ~(uint64_t)0x3ff) | (uint64_t)((0x200 - 1 + i % 5) & 0x3ff);
        x[i] = (int64_t)(i % 2 ? v : 0 - v);
    }
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(int64_t), N, x, &in));
    QUERN_CHECK(quern_conformance_array(trial, "y", quern_type_scalar(kind), COLUMNS * (size_t)N, NULL, &out));
    QUERN_TRY(trial, (kind == QUERN_KIND_FLOAT32 ? math_from_integers_float : math_from_integers_double)(
                         trial->queue, QUERN_RANGE(N), quern_view_as_const(in.view), out.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &out, results));
    for (size_t i = 0; i < N; ++i) {
        double wanted[COLUMNS];
        if (kind == QUERN_KIND_FLOAT32)
            FROM_INTEGERS(float, x[i], wanted);
        else
            FROM_INTEGERS(double, x[i], wanted);
        for (size_t k = 0; k < COLUMNS; ++k) {
            const double result = quern_math_load(kind, results, COLUMNS * i + k);
            QUERN_WANT(trial, quern_math_same(result, wanted[k], 1), "%s from %s, of 0x%llx, is %a, wanted %a",
                       kind_name(kind), integer_names[k], (unsigned long long)x[i], result, wanted[k]);
        }
    }
    return QUERN_PASSED;
}

quern_verdict quern_math_between_types(quern_trial *trial)
{
    enum { N = 9001 };
    static double x[N], y[N];
    void *narrow_results, *wide_results;
    quern_guarded in, single_in, narrow, wide;
    QUERN_NEED_FP64(trial);
    QUERN_MEMORY(trial, narrow_results, N * sizeof(float));
    QUERN_MEMORY(trial, wide_results, N * sizeof(double));
    quern_math_numbers(QUERN_KIND_FLOAT64, N, x);
    quern_math_numbers(QUERN_KIND_FLOAT32, N, y);
    for (size_t i = 0; i < N; i += 2) /* near what a float holds: ties, subnormal and too large ones */
        x[i] = y[i] * (1 + (i % 4 ? 0x1p-24 : 0x1p-25)) + (i % 6 ? 0 : 0x1p-150);
    QUERN_CHECK(quern_math_array(trial, "x", QUERN_KIND_FLOAT64, x, N, &in));
    QUERN_CHECK(quern_math_array(trial, "y", QUERN_KIND_FLOAT32, y, N, &single_in));
    QUERN_CHECK(quern_conformance_array(trial, "narrow", QUERN_TYPE(float), N, NULL, &narrow));
    QUERN_CHECK(quern_conformance_array(trial, "wide", QUERN_TYPE(double), N, NULL, &wide));
    QUERN_TRY(trial, math_between_types(trial->queue, QUERN_RANGE(N), quern_view_as_const(in.view),
                                        quern_view_as_const(single_in.view), narrow.view, wide.view));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &narrow, narrow_results));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &wide, wide_results));
    for (size_t i = 0; i < N; ++i) {
        const double single = quern_math_load(QUERN_KIND_FLOAT32, narrow_results, i),
                     full = quern_math_load(QUERN_KIND_FLOAT64, wide_results, i);
        QUERN_WANT(trial, quern_math_same(single, (double)(float)x[i], 1), "the float of %a is %a, wanted %a", x[i],
                   single, (double)(float)x[i]);
        QUERN_WANT(trial, quern_math_same(full, y[i], 1), "the double of the float %a is %a", y[i], full);
    }
    return QUERN_PASSED;
}
