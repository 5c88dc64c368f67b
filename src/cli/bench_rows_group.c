/* quern bench, rows: group kernels: what a barrier costs, and the pointer-jumping tree. */
#include "base/error.h"
#include "bench.h"
#include "bench.k.h"
#include "pointer_jumping.k.h"

#include <float.h>
#include <math.h>

enum { X, Y }; /* the arrays */

#define GROUP 256
#define BASE 0.1

/* ---- a group of 256 items with one barrier, beside two loops over 256 elements ---- */

static quern_status prepare_barrier(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = QUERN_SUCCESS;
    size_t items;

    /* So many groups that the launch does not count, on data that stay in the caches. */
    work->n = 256;
    work->batch = bench->quick ? 2 : 20;
    items = work->n * GROUP;
    work->range = QUERN_RANGE(items);
    work->parts = work->n;
    for (int k = X; !status && k <= Y; ++k)
        status = quern_bench_array(bench, work, k, QUERN_TYPE(float), QUERN_EXTENTS(items), 0);
    if (!status)
        status = bench_init_float(bench->blocking, work->range, work->view[X], (float)BASE);
    if (!status)
        status = quern_bench_share(bench, work, X);
    return status;
}

static quern_status ours_barrier(const quern_bench *bench, quern_bench_work *work)
{
    return bench_group_barrier(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[X]), work->view[Y]);
}

static quern_status plain_barrier(const quern_bench *bench, quern_bench_work *work)
{
    bench->plain->two_loops(work->n, work->host[X], work->host[Y]);
    return QUERN_SUCCESS;
}

static quern_status openmp_barrier(const quern_bench *bench, quern_bench_work *work)
{
    bench->openmp->two_loops(work->n, work->host[X], work->host[Y]);
    return QUERN_SUCCESS;
}

static quern_status spoil_barrier(const quern_bench *bench, quern_bench_work *work)
{
    return quern_bench_spoil_array(bench, work, Y);
}

static float square(size_t i)
{
    float x = (float)BASE + (float)(i & 1023) * 0.0009765625f;
    return x * x;
}

static quern_status check_barrier(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_bench_fetch(bench, work, Y);
    const float *values = work->host[Y];
    for (size_t i = 0; !status && i < work->n * GROUP; ++i) {
        size_t opposite = i / GROUP * GROUP + (GROUP - 1 - i % GROUP);
        if (values[i] != square(i) + square(opposite))
            status = quern_fail(QUERN_INTERNAL, "element %zu is %.9g", i, (double)values[i]);
    }
    return status;
}

/* ---- the pointer-jumping sum of groups of 256, beside a loop that adds everything up ---- */

static quern_status prepare_jumping(const quern_bench *bench, quern_bench_work *work)
{
    size_t group = pointer_jumping_sum_kernel.group[0];
    quern_status status;

    work->n = bench->quick ? 100003 : (size_t)1 << 24;
    work->bytes = (double)work->n * sizeof(double);
    work->range = QUERN_RANGE(work->n);
    status = quern_bench_array(bench, work, X, QUERN_TYPE(double), QUERN_EXTENTS(work->n), 0);
    if (!status)
        status = quern_bench_array(bench, work, Y, QUERN_TYPE(double), QUERN_EXTENTS((work->n + group - 1) / group), 0);
    if (!status)
        status = bench_init(bench->blocking, work->range, work->view[X], BASE);
    if (!status)
        status = quern_bench_share(bench, work, X);
    return status;
}

static quern_status ours_jumping(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status =
        pointer_jumping_sum(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[X]), work->view[Y]);
    if (!status)
        status = quern_bench_fetch(bench, work, Y);
    if (!status)
        work->result = bench->plain->sum(work->view[Y].span.layout.extents[0], work->host[Y]);
    return status;
}

static quern_status plain_jumping(const quern_bench *bench, quern_bench_work *work)
{
    work->result = bench->plain->sum(work->n, work->host[X]);
    return QUERN_SUCCESS;
}

static quern_status openmp_jumping(const quern_bench *bench, quern_bench_work *work)
{
    work->result = bench->openmp->sum(work->n, work->host[X]);
    return QUERN_SUCCESS;
}

static quern_status spoil_jumping(const quern_bench *bench, quern_bench_work *work)
{
    work->result = NAN;
    return quern_bench_spoil_array(bench, work, Y);
}

static quern_status check_jumping(const quern_bench *bench, quern_bench_work *work)
{
    (void)bench;
    long double sum = 0;
    for (size_t i = 0; i < work->n; ++i)
        sum += (long double)(BASE + (double)(i & 1023) * 0.0009765625);
    if (!(fabs(work->result - (double)sum) <= (double)work->n * DBL_EPSILON * (double)sum))
        return quern_fail(QUERN_INTERNAL, "the sum is %.17g", work->result);
    return QUERN_SUCCESS;
}

/* clang-format off */
const quern_bench_row quern_bench_group_rows[] = {
    {.name = "group_barrier", .what = "a group of 256 items with one barrier, on one thread, per group; plain: two loops",
     .unit = QUERN_BENCH_MICROSECONDS, .where = QUERN_BENCH_ON_CPU, .one_thread = 1, .rounds = 20, .runs = 10,
     .prepare = prepare_barrier, .once = {ours_barrier, plain_barrier, openmp_barrier}, .spoil = spoil_barrier, .check = check_barrier},
    {.name = "pointer_jumping", .what = "tree sums in groups of 256 items, 2^24 doubles; plain: a loop",
     .unit = QUERN_BENCH_GB_PER_S, .rounds = 12, .runs = 2,
     .prepare = prepare_jumping, .once = {ours_jumping, plain_jumping, openmp_jumping}, .spoil = spoil_jumping, .check = check_jumping},
};
/* clang-format on */
const size_t quern_bench_group_row_count = sizeof quern_bench_group_rows / sizeof quern_bench_group_rows[0];
