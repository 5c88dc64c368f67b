/*
 * quern bench: what the bare CUDA driver does in each row, beside Quern on the same device.
 *
 * Beside the stream kernels it copies as many bytes as they read and write. Beside launches it is given the very
 * function that Quern launches, on the same grid and, where there is any, in the same memory: what Quern takes longer
 * is what the host does above the driver's call.
 */
#include "bench.h"
#include "bench.k.h"

#include "backend/device/grid.h"
#include "backend/device/words.h"

#include <stdint.h>
#include <string.h>

enum { A, B, C, MOST_ARGUMENTS = 4 };

quern_status quern_bench_driver_start(quern_bench *bench)
{
    void *device;
    if (strcmp(bench->info.backend, "cuda") != 0)
        return QUERN_SUCCESS;
    quern_status status = quern_device_get_native(bench->device, QUERN_NATIVE_CUDA_DEVICE, &device);
    return status ? status : quern_bare_open((int)(intptr_t)device, &bench->driver);
}

/* ---- the stream rows ---- */

typedef quern_status move(quern_bare *driver, size_t bytes);

static quern_status move_as_much(const quern_bench *bench, const quern_bench_work *work, move *move)
{
    quern_status status = quern_bare_enter(bench->driver);
    if (status)
        return status;
    status = move(bench->driver, (size_t)work->bytes / 2);
    quern_bare_leave(bench->driver);
    return status;
}

quern_status quern_bench_driver_move(const quern_bench *bench, quern_bench_work *work)
{
    return move_as_much(bench, work, quern_bare_move);
}

quern_status quern_bench_driver_check_move(const quern_bench *bench, quern_bench_work *work)
{
    return move_as_much(bench, work, quern_bare_check_move);
}

/* ---- launches ---- */

/* A launch with what it points to. */
typedef struct prepared {
    quern_bare *driver;
    quern_bare_launch launch;
    struct quern_device_words words;
    void *pointers[MOST_ARGUMENTS]; /* device memory */
    void *arguments[1 + MOST_ARGUMENTS];
} prepared;

static const quern_launch_layout grid_of_32_bits = {.linear = 0, .index_bits = 32};

/* The kernel's own function, the grid that Quern chooses for so many items, and their words. */
static quern_status prepare(const quern_bench *bench, quern_kernel *kernel, size_t items,
                            const quern_backend_argument *arguments, size_t count, prepared *prepared)
{
    const struct quern_device_group_rules rules = {.most_items = QUERN_DEVICE_ENOUGH_ITEMS,
                                                   .multiple = bench->info.subgroup_width};
    const quern_backend_launch launch = {.kernel = kernel,
                                         .rank = 1,
                                         .extents = {items},
                                         .items = items,
                                         .argument_count = count,
                                         .arguments = arguments};
    struct quern_device_grid grid;
    quern_status status =
        quern_kernel_get_native(kernel, bench->device, QUERN_NATIVE_CUDA_FUNCTION, &prepared->launch.function);

    quern_device_grid_set_strided(&grid, &bench->info, &rules, &launch, &grid_of_32_bits);
    for (uint32_t d = 0; d < 3; ++d) {
        prepared->launch.groups[d] = d < grid.rank ? (unsigned)grid.groups[d] : 1;
        prepared->launch.group[d] = d < grid.rank ? (unsigned)grid.group[d] : 1;
    }
    quern_device_words_set(&prepared->words, &launch, &grid_of_32_bits, grid.piece, grid.rank, NULL);
    prepared->driver = bench->driver;
    prepared->launch.arguments = prepared->arguments;
    prepared->arguments[0] = &prepared->words.w;
    return status;
}

static quern_status prepare_empty(const quern_bench *bench, const quern_bench_work *work, prepared *prepared)
{
    static int32_t nothing;
    const quern_backend_argument argument = {.form = QUERN_PARAMETER_VALUE, .address = &nothing};
    prepared->arguments[1] = &nothing;
    return prepare(bench, &bench_empty_kernel, work->range.extents.n[0], &argument, 1, prepared);
}

static quern_status prepare_triad(const quern_bench *bench, const quern_bench_work *work, prepared *prepared)
{
    static const int arrays[] = {B, C, A}; /* in the kernel's order */
    static float scalar = (float)QUERN_BENCH_SCALAR;
    quern_backend_argument arguments[MOST_ARGUMENTS] = {[3] = {.form = QUERN_PARAMETER_VALUE, .address = &scalar}};
    quern_status status = QUERN_SUCCESS;

    for (int k = 0; !status && k < 3; ++k) {
        status = quern_view_get_native(bench->blocking, work->view[arrays[k]], QUERN_NATIVE_CUDA_POINTER,
                                       &prepared->pointers[k], NULL);
        arguments[k].form = QUERN_PARAMETER_IN; /* the memory begins where the view does */
        prepared->arguments[1 + k] = &prepared->pointers[k];
    }
    prepared->arguments[4] = &scalar;
    return status ? status : prepare(bench, &bench_triad_float_kernel, work->n, arguments, MOST_ARGUMENTS, prepared);
}

static quern_status launch_it(void *context)
{
    const prepared *prepared = context;
    return quern_bare_launch_kernel(prepared->driver, &prepared->launch);
}

static quern_status finish_it(void *context)
{
    const prepared *prepared = context;
    return quern_bare_finish(prepared->driver);
}

static quern_status launch_and_finish(void *context)
{
    quern_status status = launch_it(context);
    return status ? status : finish_it(context);
}

/* As quern_bench_launch_many, between enter and leave. */
static quern_status launch_many(prepared *prepared, size_t count, quern_bench_call *launch, double *accepted,
                                double *finished)
{
    quern_status status = quern_bare_enter(prepared->driver);
    if (status)
        return status;
    status = quern_bench_launch_many(count, launch, finish_it, prepared, accepted, finished);
    quern_bare_leave(prepared->driver);
    return status;
}

quern_status quern_bench_driver_latency(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    prepared prepared;
    double finished;
    quern_status status = prepare_empty(bench, work, &prepared);
    return status ? status : launch_many(&prepared, work->batch, launch_and_finish, seconds, &finished);
}

quern_status quern_bench_driver_dispatch(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    prepared prepared;
    double finished;
    quern_status status = prepare_empty(bench, work, &prepared);
    return status ? status : launch_many(&prepared, work->batch, launch_it, seconds, &finished);
}

quern_status quern_bench_driver_throughput(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    prepared prepared;
    double accepted;
    quern_status status = prepare_empty(bench, work, &prepared);
    return status ? status : launch_many(&prepared, work->batch, launch_it, &accepted, seconds);
}

static quern_status triad_many(const quern_bench *bench, quern_bench_work *work, size_t count, double *seconds)
{
    prepared prepared;
    double finished;
    quern_status status = prepare_triad(bench, work, &prepared);
    if (!status)
        status = launch_many(&prepared, count, launch_and_finish, seconds, &finished);
    if (!status) /* the memory is no longer the driver's */
        status = quern_queue_synchronize(bench->blocking);
    return status;
}

quern_status quern_bench_driver_triad_float(const quern_bench *bench, quern_bench_work *work)
{
    double seconds;
    return triad_many(bench, work, 1, &seconds);
}

quern_status quern_bench_driver_triad_floats(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    return triad_many(bench, work, work->batch, seconds);
}
