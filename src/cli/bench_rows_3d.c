/*
 * quern bench, rows: a launch over three dimensions beside the linear one over the same elements.
 *
 * The triad on rows of 256 elements: what a row costs shows, once where the memory is the limit and once where the
 * caches hold everything.
 */
#include <stdlib.h>

#include "base/error.h"
#include "bench.h"
#include "bench.k.h"

enum { A, B, C }; /* the arrays */

#define ROW_LENGTH 256

static double element(double base, size_t i)
{
    return base + (double)(i & 1023) * 0.0009765625;
}

/* The same elements in three dimensions; made beforehand, as what is measured is the launch. */
typedef struct boxes {
    quern_range range;
    quern_view view[QUERN_BENCH_ARRAYS];
} boxes;

static quern_extents shape(const quern_bench_work *work)
{
    size_t planes = work->n >= (size_t)1 << 20 ? 512 : 8;
    return QUERN_EXTENTS(planes, work->n / planes / ROW_LENGTH, ROW_LENGTH);
}

static quern_status make_boxes(quern_bench_work *work)
{
    boxes *made = malloc(sizeof *made);
    quern_status status = QUERN_SUCCESS;
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for three views");
    work->own = made;
    made->range = quern_range_make(shape(work));
    for (int k = 0; !status && k < QUERN_BENCH_ARRAYS; ++k) {
        made->view[k] = work->view[k];
        status = quern_layout_packed(QUERN_TYPE(double), shape(work), &made->view[k].span.layout);
    }
    return status;
}

static void release(quern_bench_work *work)
{
    free(work->own);
}

static quern_status prepare(const quern_bench *bench, quern_bench_work *work, size_t n)
{
    static const double bases[] = {0.1, 0.2, 0.3};
    quern_status status = QUERN_SUCCESS;

    work->n = n;
    work->bytes = 3.0 * (double)n * sizeof(double);
    work->range = QUERN_RANGE(n);
    for (int k = 0; !status && k < QUERN_BENCH_ARRAYS; ++k) {
        status = quern_bench_array(bench, work, k, QUERN_TYPE(double), QUERN_EXTENTS(n), 0);
        if (!status)
            status = bench_init(bench->blocking, work->range, work->view[k], bases[k]);
    }
    return status ? status : make_boxes(work);
}

static quern_status prepare_large(const quern_bench *bench, quern_bench_work *work)
{
    return prepare(bench, work, bench->quick ? (size_t)1 << 20 : (size_t)1 << 25);
}

static quern_status prepare_cached(const quern_bench *bench, quern_bench_work *work)
{
    work->batch = bench->quick ? 2 : 50;
    return prepare(bench, work, (size_t)1 << 16);
}

static quern_status in_3d(const quern_bench *bench, quern_bench_work *work)
{
    const boxes *box = work->own;
    return bench_triad_3d(bench->blocking, box->range, QUERN_CONST_VIEW(box->view[B]), QUERN_CONST_VIEW(box->view[C]),
                          box->view[A], QUERN_BENCH_SCALAR);
}

static quern_status linear(const quern_bench *bench, quern_bench_work *work)
{
    return bench_triad(bench->blocking, work->range, QUERN_CONST_VIEW(work->view[B]), QUERN_CONST_VIEW(work->view[C]),
                       work->view[A], QUERN_BENCH_SCALAR);
}

static quern_status spoil(const quern_bench *bench, quern_bench_work *work)
{
    return quern_bench_spoil_array(bench, work, A);
}

static quern_status check(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_bench_fetch(bench, work, A);
    const double *values = work->host[A];
    for (size_t i = 0; !status && i < work->n; ++i)
        if (values[i] != element(0.2, i) + QUERN_BENCH_SCALAR * element(0.3, i))
            status = quern_fail(QUERN_INTERNAL, "element %zu is %.17g", i, values[i]);
    return status;
}

/* clang-format off */
#define ROW(row_name, row_what, row_prepare)                                                                           \
    {.name = row_name, .what = row_what, .unit = QUERN_BENCH_GB_PER_S, .rounds = 12, .runs = 3,                        \
     .prepare = row_prepare, .release = release, .spoil = spoil, .check = check, .other = "linear",                                        \
     .once = {[QUERN_BENCH_OURS] = in_3d, [QUERN_BENCH_OTHER] = linear}}

const quern_bench_row quern_bench_3d_rows[] = {
    ROW("rows3d", "the triad as a 3-d launch, rows of 256, 2^25 doubles; linear: as a 1-d launch", prepare_large),
    ROW("rows3d_cached", "the same on 8 x 32 x 256 doubles", prepare_cached),
};
/* clang-format on */
const size_t quern_bench_3d_row_count = sizeof quern_bench_3d_rows / sizeof quern_bench_3d_rows[0];
