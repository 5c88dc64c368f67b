/* Setting a kernel's arguments and enqueuing it. */
#include "opencl_launch.h"

#include "backend/device/words.h"
#include "base/error.h"

#include "opencl_backend.h"
#include "opencl_error.h"
#include "opencl_memory.h"
#include "opencl_queue.h"

#include <stdatomic.h>
#include <string.h>

/*
 * What is kept of a launch that comes again. Setting an argument is a call of the driver, which mostly makes a copy:
 * while nobody else has set the kernel's, and the values are those of the last time, they all are as they should be.
 */
enum { KEPT_VALUE_BYTES = 128 };
struct kept_launch {
    uint64_t serial; /* 0 until it is made; no two are the same */
    int variant;
    struct quern_opencl_grid grid;
    char values[KEPT_VALUE_BYTES]; /* that were set last, one after the other */
};

static struct kept_launch *kept_of(const quern_backend_launch *launch)
{
    size_t bytes = 0;
    if (launch->kept_bytes < sizeof(struct kept_launch))
        return NULL;
    for (size_t i = 0; i < launch->argument_count; ++i)
        bytes += launch->arguments[i].form == QUERN_PARAMETER_VALUE ? launch->arguments[i].size : 0;
    return bytes <= KEPT_VALUE_BYTES ? launch->kept : NULL;
}

/* Takes the values over; 1 when they were the same before. */
static int renew_values(struct kept_launch *kept, const quern_backend_launch *launch)
{
    char *at = kept->values;
    int same = 1;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &launch->arguments[i];
        if (argument->form != QUERN_PARAMETER_VALUE)
            continue;
        same = same && memcmp(at, argument->address, argument->size) == 0;
        memcpy(at, argument->address, argument->size);
        at += argument->size;
    }
    return same;
}

/* ---- arguments ---- */

static cl_int set_view(cl_kernel kernel, cl_uint index, const quern_backend_argument *argument)
{
    const struct quern_opencl_memory *record = argument->memory ? quern_opencl_memory_of(argument->memory) : NULL;
    if (record && record->kind == QUERN_MEMORY_UNIFIED)
        return quern_cl.SetKernelArgSVMPointer(kernel, index, argument->memory);
    return quern_cl.SetKernelArg(kernel, index, sizeof(cl_mem), record ? &record->buffer : NULL);
}

static cl_int set_arguments(cl_kernel kernel, const quern_backend_launch *launch,
                            const struct quern_device_words *words)
{
    cl_int error = quern_cl.SetKernelArg(kernel, 0, words->bytes, &words->w);
    for (size_t i = 0; !error && i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &launch->arguments[i];
        cl_uint index = (cl_uint)(i + 1);
        if (argument->form == QUERN_PARAMETER_VALUE)
            error = quern_cl.SetKernelArg(kernel, index, argument->size, argument->address);
        else if (argument->form == QUERN_PARAMETER_LOCAL)
            error =
                quern_cl.SetKernelArg(kernel, index, (argument->length ? argument->length : 1) * argument->size, NULL);
        else
            error = set_view(kernel, index, argument);
    }
    return error;
}

/* All bytes that are passed, against what the device takes. */
static quern_status check_bytes(const struct quern_opencl_device *device, const quern_backend_launch *launch,
                                const struct quern_device_words *words)
{
    size_t bytes = words->bytes;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &launch->arguments[i];
        bytes += argument->form == QUERN_PARAMETER_VALUE ? argument->size : device->pointer_bytes;
    }
    if (bytes <= device->parameter_bytes)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_LIMIT_EXCEEDED,
                      "the arguments of kernel '%s' take %zu bytes with their layouts, wanted at most %zu on %s",
                      launch->kernel->name, bytes, device->parameter_bytes, device->info.name);
}

/* All arguments anew, with the words of the launch's layout on the grid. */
static quern_status set_all(const struct quern_opencl_device *device, struct quern_opencl_kernel_variant *v,
                            const quern_backend_launch *launch, const quern_launch_layout *layout,
                            const struct quern_opencl_grid *grid)
{
    struct quern_device_words words;
    quern_device_words_set(&words, launch, layout, grid->piece, grid->rank, NULL);
    quern_status status = check_bytes(device, launch, &words);
    if (status != QUERN_SUCCESS)
        return status;
    v->set_by = 0;
    cl_int error = set_arguments(v->handle, launch, &words);
    if (error)
        return quern_opencl_fail(error, "setting the arguments of kernel '%s'", launch->kernel->name);
    return QUERN_SUCCESS;
}

/* ---- launching ---- */

static quern_status enqueue(struct quern_opencl_command *command, cl_kernel kernel,
                            const struct quern_opencl_grid *grid)
{
    cl_event event = NULL;
    cl_int error = quern_cl.EnqueueNDRangeKernel(command->queue->handle, kernel, grid->rank, NULL, grid->global,
                                                 grid->local, 0, NULL, &event);
    return quern_opencl_command_push(command, error, event, NULL);
}

/* The variant is locked. */
static quern_status enqueue_anew(struct quern_opencl_command *command, struct quern_opencl_kernel *kernel, int variant,
                                 const quern_backend_launch *launch, const quern_launch_layout *layout)
{
    static _Atomic uint64_t last_serial;
    struct quern_opencl_kernel_variant *v = &kernel->variants[variant];
    struct kept_launch *kept = kept_of(launch);
    struct quern_opencl_grid grid;
    quern_opencl_grid_set(&grid, command->queue->device, v, launch, layout);
    quern_status status = set_all(command->queue->device, v, launch, layout, &grid);
    if (status != QUERN_SUCCESS)
        return status;
    if (kept) {
        kept->grid = grid;
        kept->variant = variant;
        (void)renew_values(kept, launch);
        if (!kept->serial)
            kept->serial = atomic_fetch_add(&last_serial, 1) + 1;
        v->set_by = kept->serial;
    }
    return enqueue(command, v->handle, &grid);
}

/* 1 when the launch is the one kept and the kernel still has its arguments; *status is what became of it. */
static int enqueue_again(struct quern_opencl_command *command, struct quern_opencl_kernel *kernel,
                         const quern_backend_launch *launch, quern_status *status)
{
    struct kept_launch *kept = launch->kept;
    if (!kept || !kept->serial)
        return 0;
    struct quern_opencl_kernel_variant *v = &kernel->variants[kept->variant];
    pthread_mutex_lock(&v->lock);
    int again = v->set_by == kept->serial && renew_values(kept, launch);
    if (again)
        *status = enqueue(command, v->handle, &kept->grid);
    pthread_mutex_unlock(&v->lock);
    return again;
}

static quern_status launch_on(struct quern_opencl_command *command, const quern_backend_launch *launch)
{
    static const quern_grid_limits no_limits = {{0, 0, 0}};
    struct quern_opencl_kernel *kernel = launch->compiled;
    quern_launch_layout layout;
    quern_status status;
    quern_opencl_command_room(command);
    if (enqueue_again(command, kernel, launch, &status))
        return status;
    quern_opencl_host->layout(launch, &no_limits, &layout);
    int variant = quern_opencl_variant(layout.index_bits, layout.linear);
    pthread_mutex_lock(&kernel->variants[variant].lock);
    status = quern_opencl_kernel_prepare(kernel, variant);
    if (status == QUERN_SUCCESS)
        status = enqueue_anew(command, kernel, variant, launch, &layout);
    pthread_mutex_unlock(&kernel->variants[variant].lock);
    return status;
}

quern_status quern_opencl_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    struct quern_opencl_command command;
    quern_status status = QUERN_SUCCESS;
    if (quern_opencl_command_begin(&command, queue, number, "a launch", launch->kernel->name))
        status = launch_on(&command, launch);
    return quern_opencl_command_end(&command, status);
}
