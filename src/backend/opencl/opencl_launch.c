/* Setting a kernel's arguments and enqueuing it. */
#include "opencl_launch.h"

#include "backend/device/words.h"
#include "base/error.h"

#include "opencl_backend.h"
#include "opencl_error.h"
#include "opencl_memory.h"
#include "opencl_queue.h"

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

/* ---- launching ---- */

static quern_status enqueue(struct quern_opencl_command *command, struct quern_opencl_kernel *kernel, int variant,
                            const quern_backend_launch *launch, const quern_launch_layout *layout)
{
    struct quern_opencl_queue *queue = command->queue;
    struct quern_opencl_kernel_variant *v = &kernel->variants[variant];
    struct quern_opencl_grid grid;
    struct quern_device_words words;
    cl_event event = NULL;
    quern_opencl_grid_set(&grid, queue->device, v, launch, layout);
    quern_device_words_set(&words, launch, layout, grid.piece, grid.rank, NULL);
    quern_status status = check_bytes(queue->device, launch, &words);
    if (status != QUERN_SUCCESS)
        return status;
    cl_int error = set_arguments(v->handle, launch, &words);
    if (error)
        return quern_opencl_fail(error, "setting the arguments of kernel '%s'", launch->kernel->name);
    error = quern_cl.EnqueueNDRangeKernel(queue->handle, v->handle, grid.rank, NULL, grid.global, grid.local, 0, NULL,
                                          &event);
    return quern_opencl_command_push(command, error, event, NULL);
}

static quern_status launch_on(struct quern_opencl_command *command, const quern_backend_launch *launch)
{
    static const quern_grid_limits no_limits = {{0, 0, 0}};
    struct quern_opencl_kernel *kernel = launch->compiled;
    quern_launch_layout layout;
    quern_opencl_host->layout(launch, &no_limits, &layout);
    int variant = quern_opencl_variant(layout.index_bits, layout.linear);
    quern_opencl_command_room(command);
    pthread_mutex_lock(&kernel->variants[variant].lock);
    quern_status status = quern_opencl_kernel_prepare(kernel, variant);
    if (status == QUERN_SUCCESS)
        status = enqueue(command, kernel, variant, launch, &layout);
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
