/* quern bench: what the hand-written OpenCL program does in each row, beside Quern on the same device. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

quern_status quern_bench_opencl_start(quern_bench *bench)
{
    static const char prefix[] = "opencl:";
    if (strncmp(bench->info.name, prefix, sizeof prefix - 1) != 0)
        return QUERN_SUCCESS;
    size_t index = strtoul(bench->info.name + sizeof prefix - 1, NULL, 10);
    quern_status status = quern_handwritten_open(index, bench->info.description, &bench->opencl);
    return status ? status : quern_handwritten_build(bench->opencl);
}

/* ---- the stream rows ---- */

enum { A, B, C }; /* the arrays, as in bench_rows_stream.c */

quern_status quern_bench_opencl_copy(const quern_bench *bench, quern_bench_work *work)
{
    return quern_handwritten_copy(bench->opencl, work->n, work->opencl[A], work->opencl[C]);
}

quern_status quern_bench_opencl_mul(const quern_bench *bench, quern_bench_work *work)
{
    return quern_handwritten_mul(bench->opencl, work->n, work->opencl[C], work->opencl[B], QUERN_BENCH_SCALAR);
}

quern_status quern_bench_opencl_add(const quern_bench *bench, quern_bench_work *work)
{
    return quern_handwritten_add(bench->opencl, work->n, work->opencl[A], work->opencl[B], work->opencl[C]);
}

quern_status quern_bench_opencl_triad(const quern_bench *bench, quern_bench_work *work)
{
    return quern_handwritten_triad(bench->opencl, work->n, work->opencl[B], work->opencl[C], work->opencl[A],
                                   QUERN_BENCH_SCALAR);
}

quern_status quern_bench_opencl_triad_float(const quern_bench *bench, quern_bench_work *work)
{
    return quern_handwritten_triad_float(bench->opencl, work->n, work->opencl[B], work->opencl[C], work->opencl[A],
                                         (float)QUERN_BENCH_SCALAR);
}

quern_status quern_bench_opencl_dot(const quern_bench *bench, quern_bench_work *work)
{
    size_t blocks = (work->n + QUERN_HANDWRITTEN_DOT_BLOCK - 1) / QUERN_HANDWRITTEN_DOT_BLOCK;
    double *partial = work->host[C];
    quern_status status =
        quern_handwritten_dot(bench->opencl, work->n, work->opencl[A], work->opencl[B], work->opencl[C]);
    if (!status)
        status = quern_handwritten_array_read(bench->opencl, work->opencl[C], partial, blocks * sizeof(double));
    work->result = 0;
    for (size_t k = 0; !status && k < blocks; ++k)
        work->result += partial[k];
    return status;
}

quern_status quern_bench_opencl_stencil(const quern_bench *bench, quern_bench_work *work)
{
    return quern_handwritten_stencil(bench->opencl, work->n, work->n, (size_t)work->view[A].span.layout.pitches[0],
                                     work->opencl[A], work->opencl[B], QUERN_BENCH_STENCIL_FACTOR);
}

/* ---- launches ---- */

static size_t items_of(const quern_bench_work *work)
{
    return work->range.extents.n[0];
}

quern_status quern_bench_opencl_latency(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = quern_handwritten_empty(bench->opencl, items_of(work));
    return status ? status : quern_handwritten_finish(bench->opencl);
}

typedef struct launches {
    quern_handwritten *program;
    size_t items;
} launches;

static quern_status launch_one(void *context)
{
    const launches *launches = context;
    return quern_handwritten_empty(launches->program, launches->items);
}

static quern_status finish(void *context)
{
    const launches *launches = context;
    return quern_handwritten_finish(launches->program);
}

static quern_status launch_many(const quern_bench *bench, quern_bench_work *work, double *accepted, double *finished)
{
    launches launches = {.program = bench->opencl, .items = items_of(work)};
    return quern_bench_launch_many(work->batch, launch_one, finish, &launches, accepted, finished);
}

quern_status quern_bench_opencl_dispatch(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    double finished;
    return launch_many(bench, work, seconds, &finished);
}

quern_status quern_bench_opencl_throughput(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    double accepted;
    return launch_many(bench, work, &accepted, seconds);
}
