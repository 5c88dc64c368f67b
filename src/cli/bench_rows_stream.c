/* quern bench, rows: work that the memory limits: the five stream kernels, and the 5-point stencil; and the triad on
 * arrays so small that the launch counts. */
#include "base/error.h"
#include "bench.h"
#include "bench.k.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { A, B, C }; /* the arrays */

#define SCALAR 0.4
#define A_BASE 0.1
#define B_BASE 0.2
#define C_BASE 0.3
#define SMALL 4096
#define SMALL_BATCH 1000
#define DOT_BLOCK 4096
#define DOT_GROUP 64
#define STENCIL_FACTOR 0.125f

/* The element that bench_init and bench_init_float write. */
static double element(double base, size_t i)
{
    return base + (double)(i & 1023) * 0.0009765625;
}

static float element_float(float base, size_t i)
{
    return base + (float)(i & 1023) * 0.0009765625f;
}

/* ---- the stream kernels ---- */

static quern_status prepare_stream(const quern_bench *bench, quern_bench_work *work, int arrays)
{
    static const double bases[] = {A_BASE, B_BASE, C_BASE};
    quern_status status = QUERN_SUCCESS;

    work->n = bench->quick ? (size_t)1 << 20 : (size_t)1 << 25;
    work->bytes = (double)arrays * (double)work->n * sizeof(double);
    work->range = QUERN_RANGE(work->n);
    for (int k = 0; !status && k < QUERN_BENCH_ARRAYS; ++k) {
        status = quern_bench_array(bench, work, k, QUERN_TYPE(double), QUERN_EXTENTS(work->n), 0);
        if (!status)
            status = bench_init(bench->blocking, work->range, work->view[k], bases[k]);
        if (!status)
            status = quern_bench_to_host(bench, work, k);
    }
    return status;
}

static quern_status prepare_two(const quern_bench *bench, quern_bench_work *work)
{
    return prepare_stream(bench, work, 2);
}

static quern_status prepare_three(const quern_bench *bench, quern_bench_work *work)
{
    return prepare_stream(bench, work, 3);
}

static quern_status ours_copy(const quern_bench *bench, quern_bench_work *work)
{
    return bench_copy(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[A]), work->view[C]);
}

static quern_status ours_mul(const quern_bench *bench, quern_bench_work *work)
{
    return bench_mul(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[C]), work->view[B], SCALAR);
}

static quern_status ours_add(const quern_bench *bench, quern_bench_work *work)
{
    return bench_add(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[A]), QUERN_CONST_VIEW(work->view[B]),
                     work->view[C]);
}

static quern_status ours_triad(const quern_bench *bench, quern_bench_work *work)
{
    return bench_triad(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[B]), QUERN_CONST_VIEW(work->view[C]),
                       work->view[A], SCALAR);
}

#define BASELINES_OF(name, ...)                                                                                        \
    static quern_status plain_##name(const quern_bench *bench, quern_bench_work *work)                                 \
    {                                                                                                                  \
        bench->plain->name(__VA_ARGS__);                                                                               \
        return QUERN_SUCCESS;                                                                                          \
    }                                                                                                                  \
    static quern_status openmp_##name(const quern_bench *bench, quern_bench_work *work)                                \
    {                                                                                                                  \
        bench->openmp->name(__VA_ARGS__);                                                                              \
        return QUERN_SUCCESS;                                                                                          \
    }

BASELINES_OF(copy, work->n, work->host[A], work->host[C])
BASELINES_OF(mul, work->n, work->host[C], work->host[B], SCALAR)
BASELINES_OF(add, work->n, work->host[A], work->host[B], work->host[C])
BASELINES_OF(triad, work->n, work->host[B], work->host[C], work->host[A], SCALAR)

static quern_status spoil_a(const quern_bench *bench, quern_bench_work *work)
{
    return quern_bench_spoil_array(bench, work, A);
}

static quern_status spoil_b(const quern_bench *bench, quern_bench_work *work)
{
    return quern_bench_spoil_array(bench, work, B);
}

static quern_status spoil_c(const quern_bench *bench, quern_bench_work *work)
{
    return quern_bench_spoil_array(bench, work, C);
}

/* A check of every element of an array against an expression in i. */
#define CHECK_OF(name, index, expected)                                                                                \
    static quern_status check_##name(const quern_bench *bench, quern_bench_work *work)                                 \
    {                                                                                                                  \
        quern_status status = quern_bench_to_host(bench, work, index);                                                 \
        const double *values = work->host[index];                                                                      \
        for (size_t i = 0; !status && i < work->n; ++i)                                                                \
            if (values[i] != (expected))                                                                               \
                status = quern_fail(QUERN_INTERNAL, "element %zu is %.17g", i, values[i]);                             \
        return status;                                                                                                 \
    }

CHECK_OF(copy, C, element(A_BASE, i))
CHECK_OF(mul, B, SCALAR *element(C_BASE, i))
CHECK_OF(add, C, element(A_BASE, i) + element(B_BASE, i))
CHECK_OF(triad, A, element(B_BASE, i) + SCALAR * element(C_BASE, i))

/* ---- dot: partial sums of blocks, finished on the host ---- */

static quern_status prepare_dot(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = prepare_stream(bench, work, 2);
    size_t groups = (work->n + DOT_BLOCK - 1) / DOT_BLOCK;
    if (status)
        return status;
    work->range = QUERN_RANGE(groups * DOT_GROUP);

    /* The third array is not needed as such: the partial sums take its place. */
    size_t origin = 0;
    return quern_view_sub(work->view[C], &origin, QUERN_EXTENTS(groups), &work->view[C]);
}

/* The sum of a power of two of values, pair by pair: the order is fixed, and the error small. */
static double sum_pairwise(const double *values, size_t count)
{
    if (count <= 8) {
        double sum = 0;
        for (size_t i = 0; i < count; ++i)
            sum += values[i];
        return sum;
    }
    return sum_pairwise(values, count / 2) + sum_pairwise(values + count / 2, count - count / 2);
}

static quern_status ours_dot(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = bench_dot(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[A]),
                                    QUERN_CONST_VIEW(work->view[B]), work->view[C], (int64_t)work->n);
    if (!status)
        status = quern_bench_to_host(bench, work, C);
    if (!status)
        work->result = sum_pairwise(work->host[C], work->view[C].span.layout.extents[0]);
    return status;
}

static quern_status plain_dot(const quern_bench *bench, quern_bench_work *work)
{
    work->result = bench->plain->dot(work->n, work->host[A], work->host[B]);
    return QUERN_SUCCESS;
}

static quern_status openmp_dot(const quern_bench *bench, quern_bench_work *work)
{
    work->result = bench->openmp->dot(work->n, work->host[A], work->host[B]);
    return QUERN_SUCCESS;
}

static quern_status spoil_dot(const quern_bench *bench, quern_bench_work *work)
{
    work->result = NAN;
    return quern_bench_spoil_array(bench, work, C);
}

static quern_status check_dot(const quern_bench *bench, quern_bench_work *work)
{
    (void)bench;
    long double sum = 0;
    for (size_t i = 0; i < work->n; ++i)
        sum += (long double)element(A_BASE, i) * (long double)element(B_BASE, i);
    /* All products are positive: n·eps of their sum bounds any order of additions. */
    double bound = (double)work->n * DBL_EPSILON * (double)sum;
    if (!(fabs(work->result - (double)sum) <= bound))
        return quern_fail(QUERN_INTERNAL, "the dot product is %.17g", work->result);
    return QUERN_SUCCESS;
}

/* ---- triad on 4096 floats ---- */

static quern_status prepare_small(const quern_bench *bench, quern_bench_work *work)
{
    static const float bases[] = {0.1f, 0.2f, 0.3f};
    quern_status status = QUERN_SUCCESS;

    work->n = SMALL;
    work->batch = bench->quick ? 10 : SMALL_BATCH;
    work->range = QUERN_RANGE(work->n);
    for (int k = 0; !status && k < QUERN_BENCH_ARRAYS; ++k) {
        status = quern_bench_array(bench, work, k, QUERN_TYPE(float), QUERN_EXTENTS(work->n), 0);
        if (!status)
            status = bench_init_float(bench->blocking, work->range, work->view[k], bases[k]);
        if (!status)
            status = quern_bench_to_host(bench, work, k);
    }
    return status;
}

static quern_status ours_small(const quern_bench *bench, quern_bench_work *work)
{
    return bench_triad_float(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[B]),
                             QUERN_CONST_VIEW(work->view[C]), work->view[A], (float)SCALAR);
}

BASELINES_OF(triad_float, work->n, work->host[B], work->host[C], work->host[A], (float)SCALAR)

static quern_status check_small(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_bench_to_host(bench, work, A);
    const float *values = work->host[A];
    for (size_t i = 0; !status && i < work->n; ++i)
        if (values[i] != element_float(0.2f, i) + (float)SCALAR * element_float(0.3f, i))
            status = quern_fail(QUERN_INTERNAL, "element %zu is %.9g", i, (double)values[i]);
    return status;
}

/* ---- the stencil, on views whose rows are longer than what is used of them ---- */

static quern_status prepare_stencil(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = QUERN_SUCCESS;

    work->n = bench->quick ? 509 : 4096;
    work->bytes = 2.0 * (double)work->n * (double)work->n * sizeof(float);
    for (int k = A; !status && k <= B; ++k)
        status = quern_bench_array(bench, work, k, QUERN_TYPE(float), QUERN_EXTENTS(work->n, work->n), 32);
    if (!status)
        status = bench_init_2d(bench->blocking, QUERN_RANGE(work->n, work->n), work->view[A]);
    if (!status)
        status = quern_bench_to_host(bench, work, A);
    work->range = QUERN_RANGE(work->n - 2, work->n - 2);
    return status;
}

static quern_status ours_stencil(const quern_bench *bench, quern_bench_work *work)
{
    return bench_stencil(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[A]), work->view[B], STENCIL_FACTOR);
}

BASELINES_OF(stencil, work->n, work->n, (size_t)work->view[A].span.layout.pitches[0], work->host[A], work->host[B],
             STENCIL_FACTOR)

static float element_2d(size_t y, size_t x)
{
    return (float)((7 * y + 3 * x) & 255);
}

static float stencil_at(size_t y, size_t x)
{
    float here = element_2d(y, x);
    return here + STENCIL_FACTOR * (element_2d(y - 1, x) + element_2d(y + 1, x) + element_2d(y, x - 1) +
                                    element_2d(y, x + 1) - 4.0f * here);
}

static quern_status check_stencil(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_bench_to_host(bench, work, B);
    size_t pitch = (size_t)work->view[B].span.layout.pitches[0];
    for (size_t y = 1; !status && y < work->n - 1; ++y) {
        const float *row = (const float *)((const char *)work->host[B] + y * pitch);
        for (size_t x = 1; !status && x < work->n - 1; ++x)
            if (row[x] != stencil_at(y, x))
                status = quern_fail(QUERN_INTERNAL, "element %zu, %zu is %.9g", y, x, (double)row[x]);
    }
    return status;
}

/* ---- the table ---- */

/* clang-format off */
const quern_bench_row quern_bench_stream_rows[] = {
    {.name = "copy", .what = "c = a, 2^25 doubles", .unit = QUERN_BENCH_GB_PER_S, .rounds = 12, .runs = 2,
     .prepare = prepare_two, .once = {ours_copy, plain_copy, openmp_copy}, .spoil = spoil_c, .check = check_copy},
    {.name = "mul", .what = "b = s c, 2^25 doubles", .unit = QUERN_BENCH_GB_PER_S, .rounds = 12, .runs = 2,
     .prepare = prepare_two, .once = {ours_mul, plain_mul, openmp_mul}, .spoil = spoil_b, .check = check_mul},
    {.name = "add", .what = "c = a + b, 2^25 doubles", .unit = QUERN_BENCH_GB_PER_S, .rounds = 12, .runs = 2,
     .prepare = prepare_three, .once = {ours_add, plain_add, openmp_add}, .spoil = spoil_c, .check = check_add},
    {.name = "triad", .what = "a = b + s c, 2^25 doubles", .unit = QUERN_BENCH_GB_PER_S, .rounds = 12, .runs = 2,
     .prepare = prepare_three, .once = {ours_triad, plain_triad, openmp_triad}, .spoil = spoil_a, .check = check_triad},
    {.name = "dot", .what = "sum of a b, 2^25 doubles, the same bits in every run", .unit = QUERN_BENCH_GB_PER_S,
     .rounds = 12, .runs = 2,
     .prepare = prepare_dot, .once = {ours_dot, plain_dot, openmp_dot}, .spoil = spoil_dot, .check = check_dot},
    {.name = "stencil", .what = "5 points, 4096 x 4096 floats, rows with a pitch", .unit = QUERN_BENCH_GB_PER_S,
     .rounds = 15, .runs = 3,
     .prepare = prepare_stencil, .once = {ours_stencil, plain_stencil, openmp_stencil}, .spoil = spoil_b, .check = check_stencil},
    {.name = "triad_4096", .what = "the triad on 4096 floats, a launch that returns when done", .unit = QUERN_BENCH_MICROSECONDS,
     .rounds = 20, .runs = 10,
     .prepare = prepare_small, .once = {ours_small, plain_triad_float, openmp_triad_float}, .spoil = spoil_a, .check = check_small},
};
/* clang-format on */
const size_t quern_bench_stream_row_count = sizeof quern_bench_stream_rows / sizeof quern_bench_stream_rows[0];
