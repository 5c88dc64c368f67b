/* quern bench, rows: work that the memory limits: the five stream kernels, and the 5-point stencil. */
#include "base/error.h"
#include "bench.h"
#include "bench.k.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C }; /* the arrays */

#define A_BASE 0.1
#define B_BASE 0.2
#define C_BASE 0.3
#define DOT_BLOCK 4096
#define DOT_GROUP 64

/* The element that bench_init writes. */
static double element(double base, size_t i)
{
    return base + (double)(i & 1023) * 0.0009765625;
}

/* ---- the stream kernels ---- */

size_t quern_bench_stream_elements(const quern_bench *bench)
{
    size_t n = (size_t)1 << 25;
    if (bench->quick)
        return (size_t)1 << 20;
    /* A GPU is done with that before its memory shows: so as much as it has room for, within reason. */
    if (!quern_bench_misfit(QUERN_BENCH_ON_PROCESSOR, &bench->info))
        return n;
    for (n *= 2; n > (size_t)1 << 20 && QUERN_BENCH_ARRAYS * n * sizeof(double) > bench->info.memory_bytes / 8;)
        n /= 2;
    return n;
}

static quern_status prepare_stream(const quern_bench *bench, quern_bench_work *work, int arrays)
{
    static const double bases[] = {A_BASE, B_BASE, C_BASE};
    quern_status status = QUERN_SUCCESS;

    work->n = quern_bench_stream_elements(bench);
    work->bytes = (double)arrays * (double)work->n * sizeof(double);
    work->range = QUERN_RANGE(work->n);
    for (int k = 0; !status && k < QUERN_BENCH_ARRAYS; ++k) {
        status = quern_bench_array(bench, work, k, QUERN_TYPE(double), QUERN_EXTENTS(work->n), 0);
        if (!status)
            status = bench_init(bench->blocking, work->range, work->view[k], bases[k]);
        if (!status)
            status = quern_bench_share(bench, work, k);
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
    return bench_mul(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[C]), work->view[B], QUERN_BENCH_SCALAR);
}

static quern_status ours_add(const quern_bench *bench, quern_bench_work *work)
{
    return bench_add(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[A]), QUERN_CONST_VIEW(work->view[B]),
                     work->view[C]);
}

static quern_status ours_triad(const quern_bench *bench, quern_bench_work *work)
{
    return bench_triad(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[B]), QUERN_CONST_VIEW(work->view[C]),
                       work->view[A], QUERN_BENCH_SCALAR);
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
BASELINES_OF(mul, work->n, work->host[C], work->host[B], QUERN_BENCH_SCALAR)
BASELINES_OF(add, work->n, work->host[A], work->host[B], work->host[C])
BASELINES_OF(triad, work->n, work->host[B], work->host[C], work->host[A], QUERN_BENCH_SCALAR)

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
        quern_status status = quern_bench_fetch(bench, work, index);                                                   \
        const double *values = work->host[index];                                                                      \
        for (size_t i = 0; !status && i < work->n; ++i)                                                                \
            if (values[i] != (expected))                                                                               \
                status = quern_fail(QUERN_INTERNAL, "element %zu is %.17g", i, values[i]);                             \
        return status;                                                                                                 \
    }

CHECK_OF(copy, C, element(A_BASE, i))
CHECK_OF(mul, B, QUERN_BENCH_SCALAR *element(C_BASE, i))
CHECK_OF(add, C, element(A_BASE, i) + element(B_BASE, i))
CHECK_OF(triad, A, element(B_BASE, i) + QUERN_BENCH_SCALAR * element(C_BASE, i))

/* ---- dot: partial sums of blocks, finished on the host ---- */

/* An item for each block, where the compiler of a processor is not Quern's own; else a group. */
static int is_by_blocks(const quern_bench *bench)
{
    return strcmp(bench->info.backend, "cpu") != 0 && bench->info.simd_bytes != 0;
}

static quern_status prepare_dot(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = prepare_stream(bench, work, 2);
    size_t groups = (work->n + DOT_BLOCK - 1) / DOT_BLOCK;
    if (status)
        return status;
    work->range = QUERN_RANGE(is_by_blocks(bench) ? groups : groups * DOT_GROUP);

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
    quern_status status = (is_by_blocks(bench) ? bench_dot_blocks : bench_dot)(
        bench->blocking, work->range, QUERN_CONST_VIEW(work->view[A]), QUERN_CONST_VIEW(work->view[B]), work->view[C],
        (int64_t)work->n);
    if (!status)
        status = quern_bench_fetch(bench, work, C);
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
        status = quern_bench_share(bench, work, A);
    work->range = QUERN_RANGE(work->n - 2, work->n - 2);
    return status;
}

static quern_status ours_stencil(const quern_bench *bench, quern_bench_work *work)
{
    return bench_stencil(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[A]), work->view[B],
                         QUERN_BENCH_STENCIL_FACTOR);
}

BASELINES_OF(stencil, work->n, work->n, (size_t)work->view[A].span.layout.pitches[0], work->host[A], work->host[B],
             QUERN_BENCH_STENCIL_FACTOR)

static float element_2d(size_t y, size_t x)
{
    return (float)((7 * y + 3 * x) & 255);
}

static float stencil_at(size_t y, size_t x)
{
    float here = element_2d(y, x);
    return here + QUERN_BENCH_STENCIL_FACTOR * (element_2d(y - 1, x) + element_2d(y + 1, x) + element_2d(y, x - 1) +
                                                element_2d(y, x + 1) - 4.0f * here);
}

static quern_status check_stencil(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_bench_fetch(bench, work, B);
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
#define ROW(row_name, row_what, row_prepare, row_spoil, driver, driver_check)                                          \
    {.name = #row_name, .what = row_what, .unit = QUERN_BENCH_GB_PER_S, .loops = QUERN_BENCH_ON_PROCESSOR,             \
     .rounds = 12, .runs = 2,                                                                                          \
     .prepare = row_prepare, .spoil = row_spoil, .check = check_##row_name, .check_driver = driver_check,              \
     .once = {ours_##row_name, plain_##row_name, openmp_##row_name, quern_bench_opencl_##row_name, driver}}
#define STREAM(row_name, row_what, row_prepare, row_spoil)                                                             \
    ROW(row_name, row_what, row_prepare, row_spoil, quern_bench_driver_move, quern_bench_driver_check_move)

const quern_bench_row quern_bench_stream_rows[] = {
    STREAM(copy, "c = a, 2^25 doubles, on a GPU up to 2^26; driver: its own copy of as many bytes", prepare_two, spoil_c),
    STREAM(mul, "b = s c, 2^25 doubles", prepare_two, spoil_b),
    STREAM(add, "c = a + b, 2^25 doubles", prepare_three, spoil_c),
    STREAM(triad, "a = b + s c, 2^25 doubles", prepare_three, spoil_a),
    ROW(dot, "sum of a b, 2^25 doubles, the same bits in every run", prepare_dot, spoil_dot, NULL, NULL),
    ROW(stencil, "5 points, 4096 x 4096 floats, rows with a pitch", prepare_stencil, spoil_b, NULL, NULL),
};
/* clang-format on */
const size_t quern_bench_stream_row_count = sizeof quern_bench_stream_rows / sizeof quern_bench_stream_rows[0];
