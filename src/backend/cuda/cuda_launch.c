/* Launching a kernel. Nothing is allocated and nothing is locked but the queue's own number. */
#include "cuda_launch.h"

#include "backend/device/grid.h"
#include "backend/device/words.h"
#include "base/error.h"

#include "cuda_backend.h"

/* Where the memory of a `local` parameter may begin. */
enum { LOCAL_ALIGNMENT = 16 };

/* ---- local memory ---- */

/* Where each `local` parameter begins, and the bytes of all. */
static quern_status set_locals(const struct quern_cuda_device *device, const struct quern_cuda_kernel_variant *v,
                               const quern_backend_launch *launch, size_t offsets[QUERN_MAX_PARAMETERS], size_t *bytes)
{
    size_t used = 0, most = (size_t)device->info.local_memory_bytes;
    size_t room = most > v->static_local ? most - v->static_local : 0;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &launch->arguments[i];
        size_t size;
        if (argument->form != QUERN_PARAMETER_LOCAL)
            continue;
        offsets[i] = used;
        if (quern_multiply_overflows(argument->length, (size_t)argument->size, &size) || size > room ||
            used + size > room)
            return quern_fail(QUERN_LIMIT_EXCEEDED,
                              "kernel '%s' has %zu bytes of local memory of its own, with %zu elements of %u bytes for "
                              "parameter %zu that is more than the %zu bytes of a group on %s",
                              launch->kernel->name, v->static_local, argument->length, argument->size, i + 1, most,
                              device->info.name);
        used = (used + size + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
    }
    *bytes = used < room ? used : room; /* the last one needs no padding */
    return QUERN_SUCCESS;
}

/* ---- the grid ---- */

/* Groups are as many as the range wants, and the device's grid may be too short for them. */
static quern_status check_groups(const struct quern_cuda_device *device, const struct quern_cuda_kernel_variant *v,
                                 const quern_backend_launch *launch, const struct quern_device_grid *grid)
{
    size_t items = 1;
    for (uint32_t d = 0; d < grid->rank; ++d) {
        items *= grid->group[d];
        if (grid->groups[d] > device->largest_grid[d])
            return quern_fail(
                QUERN_LIMIT_EXCEEDED,
                "kernel '%s' has %zu groups along %c, wanted at most %zu on %s (larger groups, or another "
                "dimension)",
                launch->kernel->name, grid->groups[d], "xyz"[d], device -> largest_grid[d], device -> info.name);
    }
    if (items > v->group_items)
        return quern_fail(QUERN_LIMIT_EXCEEDED,
                          "kernel '%s' has groups of %zu items, wanted at most %zu on %s, since an item needs %zu "
                          "registers",
                          launch->kernel->name, items, v->group_items, device->info.name, v->registers);
    return QUERN_SUCCESS;
}

static quern_status set_grid(struct quern_device_grid *grid, const struct quern_cuda_device *device,
                             const struct quern_cuda_kernel_variant *v, const quern_backend_launch *launch,
                             const quern_launch_layout *layout)
{
    const struct quern_device_group_rules rules = {v->group_items,
                                                   device->info.subgroup_width ? device->info.subgroup_width : 1};
    if (launch->kernel->is_group) {
        quern_device_grid_set_groups(grid, launch);
        return check_groups(device, v, launch, grid);
    }
    quern_device_grid_set_strided(grid, &device->info, &rules, launch, layout);
    for (uint32_t d = 0; d < grid->rank; ++d) /* items take more strides then */
        if (grid->groups[d] > device->largest_grid[d])
            grid->groups[d] = device->largest_grid[d];
    return QUERN_SUCCESS;
}

/* ---- launching ---- */

/* The driver reads through these pointers before it returns. */
static void set_arguments(void **arguments, const quern_backend_launch *launch, struct quern_device_words *words)
{
    size_t count = 0;
    arguments[count++] = &words->w;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &launch->arguments[i];
        if (argument->form == QUERN_PARAMETER_VALUE)
            arguments[count++] = argument->address;
        else if (argument->form != QUERN_PARAMETER_LOCAL)
            arguments[count++] = (void *)(uintptr_t)&argument->memory;
    }
}

static quern_status launched(struct quern_cuda_command *command, const struct quern_cuda_kernel_variant *v,
                             const struct quern_device_grid *grid, size_t local_bytes, CUresult error)
{
    const struct quern_cuda_device *device = command->queue->device;
    if (error != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return quern_cuda_command_given(command, error);
    size_t items = 1;
    for (uint32_t d = 0; d < grid->rank; ++d)
        items *= grid->group[d];
    return quern_fail(
        QUERN_LIMIT_EXCEEDED,
        "kernel '%s' with groups of %zu items of %zu registers and %zu bytes of local memory is more than "
        "%s can run, wanted at most %zu registers and %llu bytes in a group",
        command->kernel, items, v->registers, v->static_local + local_bytes, device->info.name, device->registers,
        (unsigned long long)device->info.local_memory_bytes);
}

static quern_status launch_variant(struct quern_cuda_command *command, const struct quern_cuda_kernel_variant *v,
                                   const quern_backend_launch *launch, const quern_launch_layout *layout)
{
    struct quern_cuda_queue *queue = command->queue;
    struct quern_device_grid grid;
    struct quern_device_words words;
    void *arguments[1 + QUERN_MAX_PARAMETERS];
    size_t offsets[QUERN_MAX_PARAMETERS], local_bytes = 0;
    unsigned groups[3] = {1, 1, 1}, group[3] = {1, 1, 1};
    quern_status status = set_grid(&grid, queue->device, v, launch, layout);
    if (status == QUERN_SUCCESS)
        status = set_locals(queue->device, v, launch, offsets, &local_bytes);
    if (status != QUERN_SUCCESS)
        return status;
    for (uint32_t d = 0; d < grid.rank; ++d) {
        groups[d] = (unsigned)grid.groups[d];
        group[d] = (unsigned)grid.group[d];
    }
    quern_device_words_set(&words, launch, layout, grid.piece, grid.rank, offsets);
    set_arguments(arguments, launch, &words);
    CUresult error =
        quern_cu.LaunchKernel(atomic_load_explicit(&v->function, memory_order_relaxed), groups[0], groups[1], groups[2],
                              group[0], group[1], group[2], (unsigned)local_bytes, queue->stream, arguments, NULL);
    return launched(command, v, &grid, local_bytes, error);
}

quern_status quern_cuda_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    /* Without limits: a grid of any size will do, as items take strides. */
    static const quern_grid_limits no_limits = {{0, 0, 0}};
    struct quern_cuda_command command;
    const struct quern_cuda_kernel_variant *v;
    quern_launch_layout layout;
    quern_status status = quern_cuda_command_begin(&command, queue, number, "a launch", launch->kernel->name);
    if (command.runs) {
        const struct quern_cuda_kernel *kernel = launch->compiled;
        if (kernel->is_wrapped)
            layout = (quern_launch_layout){.linear = 1, .index_bits = 64};
        else
            quern_cuda_host->layout(launch, &no_limits, &layout);
        status = quern_cuda_kernel_prepare(launch->compiled, quern_cuda_variant(layout.index_bits, layout.linear), &v);
        if (status == QUERN_SUCCESS)
            status = launch_variant(&command, v, launch, &layout);
    }
    return quern_cuda_command_end(&command, status);
}
