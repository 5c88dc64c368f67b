/*
 * quern bench, rows: ten small launches as one replay of a graph, against ten calls. The calls alone count, on a
 * non-blocking queue, many in a row.
 */
#include "base/error.h"
#include "bench.h"
#include "bench.k.h"

enum { A, B, C }; /* the arrays */
enum { LAUNCHES = 10, SMALL = 4096 };

#define B_BASE 0.2f
#define C_BASE 0.3f
#define SCALAR ((float)QUERN_BENCH_SCALAR)

static quern_status launch_ten(quern_queue *queue, const quern_bench_work *work)
{
    quern_status status = QUERN_SUCCESS;
    for (int k = 0; !status && k < LAUNCHES; ++k)
        status = bench_triad_float(queue, work->range, work->const_view[B], work->const_view[C], work->view[A], SCALAR);
    return status;
}

static quern_status capture(const quern_bench *bench, quern_bench_work *work)
{
    quern_graph *graph;
    quern_status status = quern_graph_begin(&bench->queue, 1);
    if (status)
        return status;
    status = launch_ten(bench->queue, work);
    if (!status)
        status = quern_graph_end(bench->queue, &graph);
    if (status)
        (void)quern_graph_abandon(bench->queue);
    else
        work->own = graph;
    return status;
}

static quern_status prepare(const quern_bench *bench, quern_bench_work *work)
{
    static const float bases[] = {0.1f, B_BASE, C_BASE};
    quern_status status = QUERN_SUCCESS;

    work->n = SMALL;
    work->batch = (quern_bench_launches(bench) + LAUNCHES - 1) / LAUNCHES;
    work->range = QUERN_RANGE(work->n);
    for (int k = 0; !status && k < QUERN_BENCH_ARRAYS; ++k) {
        status = quern_bench_array(bench, work, k, QUERN_TYPE(float), QUERN_EXTENTS(work->n), 0);
        if (!status)
            status = bench_init_float(bench->blocking, work->range, work->view[k], bases[k]);
        if (!status)
            status = quern_bench_share(bench, work, k);
    }
    return status ? status : capture(bench, work);
}

static void release(quern_bench_work *work)
{
    (void)quern_graph_release(work->own);
}

/* What the calls of a run need. */
typedef struct calls {
    quern_queue *queue;
    const quern_bench_work *work;
} calls;

static quern_status replay(void *context)
{
    return quern_graph_launch(((const calls *)context)->work->own);
}

static quern_status launch(void *context)
{
    const calls *calls = context;
    return launch_ten(calls->queue, calls->work);
}

static quern_status finish(void *context)
{
    return quern_queue_synchronize(((const calls *)context)->queue);
}

static quern_status timed_replays(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    double finished;
    calls calls = {bench->queue, work};
    return quern_bench_launch_many(work->batch, replay, finish, &calls, seconds, &finished);
}

static quern_status timed_launches(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    double finished;
    calls calls = {bench->queue, work};
    return quern_bench_launch_many(work->batch, launch, finish, &calls, seconds, &finished);
}

/* What is checked. */
static quern_status one_replay(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_graph_launch(work->own);
    return status ? status : quern_queue_synchronize(bench->queue);
}

static quern_status ten_launches(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = launch_ten(bench->queue, work);
    return status ? status : quern_queue_synchronize(bench->queue);
}

static quern_status spoil(const quern_bench *bench, quern_bench_work *work)
{
    return quern_bench_spoil_array(bench, work, A);
}

static quern_status check(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_bench_fetch(bench, work, A);
    const float *values = work->host[A];
    for (size_t i = 0; !status && i < work->n; ++i) {
        const float step = (float)(i & 1023) * 0.0009765625f; /* as bench_init_float writes them */
        if (values[i] != (B_BASE + step) + SCALAR * (C_BASE + step))
            status = quern_fail(QUERN_INTERNAL, "element %zu is %.9g", i, (double)values[i]);
    }
    return status;
}

/* clang-format off */
const quern_bench_row quern_bench_graph_rows[] = {
    {.name = "graph_replay", .what = "ten triads on 4096 floats by one replay of a graph, or by ten launches: the calls alone",
     .unit = QUERN_BENCH_MICROSECONDS, .rounds = 20, .runs = 10, .prepare = prepare, .release = release,
     .once = {[QUERN_BENCH_OURS] = one_replay, [QUERN_BENCH_OTHER] = ten_launches},
     .timed = {[QUERN_BENCH_OURS] = timed_replays, [QUERN_BENCH_OTHER] = timed_launches},
     .other = "launches", .spoil = spoil, .check = check},
};
/* clang-format on */
const size_t quern_bench_graph_row_count = sizeof quern_bench_graph_rows / sizeof quern_bench_graph_rows[0];
