/*
 * quern bench, rows: what a launch of an empty kernel costs.
 *
 *     latency      launch and synchronise on a blocking queue, one after another
 *     dispatch     the launch call alone on a non-blocking queue, many in a row
 *     throughput   many launches and one synchronise, per launch
 *
 * each with a range that engages all threads and, as NAME_1, with a single item. The hand-written OpenCL program and
 * the bare CUDA driver do the same; OpenMP has one thing to compare all of them with: an empty parallel region.
 */
#include "bench.h"
#include "bench.k.h"

#include <string.h>

/* Items of a range that no device gives to one thread alone. The kernel's loop over them is empty. */
#define MANY ((size_t)1 << 24)

static quern_status prepare_launches(const quern_bench *bench, quern_bench_work *work, size_t items)
{
    work->batch = quern_bench_launches(bench);
    work->range = QUERN_RANGE(items);
    return QUERN_SUCCESS;
}

static quern_status prepare_many(const quern_bench *bench, quern_bench_work *work)
{
    return prepare_launches(bench, work, MANY);
}

static quern_status prepare_one(const quern_bench *bench, quern_bench_work *work)
{
    return prepare_launches(bench, work, 1);
}

static quern_status ours_latency(const quern_bench *bench, quern_bench_work *work)
{
    quern_status status = bench_empty(bench->blocking, work->range, 0);
    return status ? status : quern_queue_synchronize(bench->blocking);
}

/* What the launches of a run need. */
typedef struct launches {
    quern_queue *queue;
    quern_range range;
} launches;

static quern_status launch_one(void *context)
{
    const launches *launches = context;
    return bench_empty(launches->queue, launches->range, 0);
}

static quern_status finish(void *context)
{
    const launches *launches = context;
    return quern_queue_synchronize(launches->queue);
}

static quern_status launch_many(const quern_bench *bench, quern_bench_work *work, double *accepted, double *finished)
{
    launches launches = {.queue = bench->queue, .range = work->range};
    return quern_bench_launch_many(work->batch, launch_one, finish, &launches, accepted, finished);
}

static quern_status timed_dispatch(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    double finished;
    return launch_many(bench, work, seconds, &finished);
}

static quern_status timed_throughput(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    double accepted;
    return launch_many(bench, work, &accepted, seconds);
}

static quern_status openmp_region(const quern_bench *bench, quern_bench_work *work)
{
    (void)work;
    bench->openmp->empty_region();
    return QUERN_SUCCESS;
}

/* clang-format off */
#define ROW(row_name, row_what, row_prepare, ours, opencl, driver)                                                     \
    {.name = row_name, .what = row_what, .unit = QUERN_BENCH_MICROSECONDS, .loops = QUERN_BENCH_ON_CPU,                  \
     .rounds = 20, .runs = 10,                                                                                         \
     .prepare = row_prepare, .once = {ours_latency, NULL, openmp_region, quern_bench_opencl_latency},                  \
     .timed = {ours, NULL, NULL, opencl, driver}}

const quern_bench_row quern_bench_launch_rows[] = {
    ROW("latency", "empty kernel on all threads: launch and synchronise, blocking queue", prepare_many, NULL, NULL,
        quern_bench_driver_latency),
    ROW("latency_1", "the same with one item", prepare_one, NULL, NULL, quern_bench_driver_latency),
    ROW("dispatch", "empty kernel on all threads: the launch call alone, non-blocking queue", prepare_many,
        timed_dispatch, quern_bench_opencl_dispatch, quern_bench_driver_dispatch),
    ROW("dispatch_1", "the same with one item", prepare_one, timed_dispatch, quern_bench_opencl_dispatch, quern_bench_driver_dispatch),
    ROW("throughput", "empty kernel on all threads: many launches and one synchronise, per launch", prepare_many,
        timed_throughput, quern_bench_opencl_throughput, quern_bench_driver_throughput),
    ROW("throughput_1", "the same with one item", prepare_one, timed_throughput, quern_bench_opencl_throughput, quern_bench_driver_throughput),
};
/* clang-format on */
const size_t quern_bench_launch_row_count = sizeof quern_bench_launch_rows / sizeof quern_bench_launch_rows[0];
