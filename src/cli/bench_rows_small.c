/* quern bench, rows: the triad on arrays so small that the launch counts. */
#include "base/error.h"
#include "bench.h"
#include "bench.k.h"

enum { A, B, C }; /* the arrays */

#define SMALL 4096
#define B_BASE 0.2f
#define C_BASE 0.3f
#define SCALAR ((float)QUERN_BENCH_SCALAR)

/* The element that bench_init_float writes. */
static float element(float base, size_t i)
{
    return base + (float)(i & 1023) * 0.0009765625f;
}

static quern_status prepare(const quern_bench *bench, quern_bench_work *work)
{
    static const float bases[] = {0.1f, B_BASE, C_BASE};
    quern_status status = QUERN_SUCCESS;

    work->n = SMALL;
    work->batch = quern_bench_launches(bench);
    work->range = QUERN_RANGE(work->n);
    for (int k = 0; !status && k < QUERN_BENCH_ARRAYS; ++k) {
        status = quern_bench_array(bench, work, k, QUERN_TYPE(float), QUERN_EXTENTS(work->n), 0);
        if (!status)
            status = bench_init_float(bench->blocking, work->range, work->view[k], bases[k]);
        if (!status)
            status = quern_bench_share(bench, work, k);
    }
    return status;
}

static quern_status ours(const quern_bench *bench, quern_bench_work *work)
{
    return bench_triad_float(bench->blocking, work->range, work->const_view[B], work->const_view[C], work->view[A],
                             SCALAR);
}

static quern_status plain(const quern_bench *bench, quern_bench_work *work)
{
    bench->plain->triad_float(work->n, work->host[B], work->host[C], work->host[A], SCALAR);
    return QUERN_SUCCESS;
}

static quern_status openmp(const quern_bench *bench, quern_bench_work *work)
{
    bench->openmp->triad_float(work->n, work->host[B], work->host[C], work->host[A], SCALAR);
    return QUERN_SUCCESS;
}

static quern_status spoil(const quern_bench *bench, quern_bench_work *work)
{
    return quern_bench_spoil_array(bench, work, A);
}

static quern_status check(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_bench_fetch(bench, work, A);
    const float *values = work->host[A];
    for (size_t i = 0; !status && i < work->n; ++i)
        if (values[i] != element(B_BASE, i) + SCALAR * element(C_BASE, i))
            status = quern_fail(QUERN_INTERNAL, "element %zu is %.9g", i, (double)values[i]);
    return status;
}

/* clang-format off */
const quern_bench_row quern_bench_small_rows[] = {
    {.name = "triad_4096", .what = "the triad on 4096 floats, a launch that returns when done", .unit = QUERN_BENCH_MICROSECONDS,
     .loops = QUERN_BENCH_ON_CPU, .rounds = 20, .runs = 10, .prepare = prepare, .spoil = spoil, .check = check,
     .once = {ours, plain, openmp, quern_bench_opencl_triad_float, quern_bench_driver_triad_float},
     .timed = {[QUERN_BENCH_DRIVER] = quern_bench_driver_triad_floats}},
};
/* clang-format on */
const size_t quern_bench_small_row_count = sizeof quern_bench_small_rows / sizeof quern_bench_small_rows[0];
