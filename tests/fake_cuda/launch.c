/* Launching a kernel, and how many blocks of it fit. */
#include "kernel.h"

#include <stdlib.h>

static const unsigned largest_grid[3] = {0x7fffffff, 65535, 65535}, largest_block[3] = {1024, 1024, 64};

static unsigned threads_of(const unsigned *block)
{
    return block[0] * block[1] * block[2];
}

/* The device's limits, then the function's. */
static fc_result check(const struct fake_function *function, const unsigned *grid, const unsigned *block,
                       unsigned shared)
{
    for (int i = 0; i < 3; ++i)
        if (!grid[i] || grid[i] > largest_grid[i] || !block[i] || block[i] > largest_block[i])
            return FC_ERROR_INVALID_VALUE;
    if (threads_of(block) > 1024 || shared > (unsigned)function->largest_dynamic)
        return FC_ERROR_INVALID_VALUE;
    if (function->kernel && threads_of(block) > (unsigned)function->kernel->threads)
        return FC_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (function->kernel && function->kernel->private_bytes > FAKE_ITEM_BYTES)
        return FC_ERROR_OUT_OF_MEMORY; /* of what every item has by itself */
    return FC_SUCCESS;
}

static fc_result submit(struct fake_stream *stream, const struct fake_function *function, const unsigned *grid,
                        const unsigned *block, unsigned shared, void **parameters, void **extra)
{
    struct fake_command *command = calloc(1, sizeof *command);
    if (!command)
        return FC_ERROR_OUT_OF_MEMORY;
    command->what = FAKE_KERNEL;
    fc_result error = fake_launch_new(function, stream->context, parameters, extra, &command->launch);
    if (error) {
        free(command);
        return error;
    }
    for (int i = 0; i < 3; ++i) {
        command->launch->grid[i] = grid[i];
        command->launch->block[i] = block[i];
    }
    command->launch->shared = shared;
    return fake_submit(stream, command);
}

fc_result cuLaunchKernel(fc_function handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared, fc_stream stream_handle,
                         void **parameters, void **extra)
{
    const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    struct fake_stream *stream = NULL;
    if (fake_settings.no_op)
        return FC_SUCCESS;
    fc_result error = fake_enter("cuLaunchKernel", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    const struct fake_function *function = fake_handle_find(FAKE_FUNCTION, handle);
    error = function ? fake_stream_of(stream_handle, &stream) : FC_ERROR_INVALID_HANDLE;
    if (!error && (stream->context != fake_context_current() || function->module->context != stream->context))
        error = FC_ERROR_INVALID_HANDLE;
    if (!error)
        error = check(function, grid, block, shared);
    if (!error && !function->kernel) {
        fake_violation("the fake driver cannot run '%s': its image names no kernel file", function->name);
        error = FC_ERROR_NOT_SUPPORTED;
    }
    if (!error)
        error = submit(stream, function, grid, block, shared, parameters, extra);
    return fake_leave(error);
}

/* ---- occupancy ---- */

static int blocks_of(const struct fake_function *function, int block, size_t shared)
{
    size_t fixed = function->kernel ? function->kernel->shared_bytes : 0;
    int by_threads = 2048 / ((block + 31) / 32 * 32), by_shared = (int)(228 * 1024 / (fixed + shared + 1024));
    int blocks = by_threads < by_shared ? by_threads : by_shared;
    if (block > (function->kernel ? function->kernel->threads : 1024))
        return 0;
    return blocks < 32 ? blocks : 32;
}

static fc_result enter(const char *name, const void *result, fc_function handle, struct fake_function **function)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    *function = fake_handle_find(FAKE_FUNCTION, handle);
    if (!*function || !result)
        error = fake_leave(result ? FC_ERROR_INVALID_HANDLE : FC_ERROR_INVALID_VALUE);
    return error;
}

fc_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, fc_function handle, int block, size_t shared)
{
    struct fake_function *function = NULL;
    fc_result error = enter("cuOccupancyMaxActiveBlocksPerMultiprocessor", blocks, handle, &function);
    if (error)
        return error;
    if (block < 1)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    *blocks = blocks_of(function, block, shared);
    return fake_leave(FC_SUCCESS);
}

fc_result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, fc_function handle, fc_block_to_shared *to_shared,
                                           size_t shared, int limit)
{
    struct fake_function *function = NULL;
    fc_result error = enter("cuOccupancyMaxPotentialBlockSize", grid && block ? grid : NULL, handle, &function);
    if (error)
        return error;
    int most = function->kernel ? function->kernel->threads : 1024, best = 0;
    if (limit > 0 && limit < most)
        most = limit;
    for (int size = most; size > 0; size = size % 32 ? size / 32 * 32 : size - 32) {
        int threads = size * blocks_of(function, size, to_shared ? to_shared(size) : shared);
        if (threads > best) {
            best = threads;
            *block = size;
            *grid = 4 * threads / size;
        }
    }
    return fake_leave(best ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, fc_function handle, int blocks, int block)
{
    struct fake_function *function = NULL;
    fc_result error = enter("cuOccupancyAvailableDynamicSMemPerBlock", bytes, handle, &function);
    if (error)
        return error;
    if (blocks < 1 || block < 1 || block > 1024)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    size_t each = 228 * 1024 / (size_t)blocks, taken = 1024 + (function->kernel ? function->kernel->shared_bytes : 0);
    *bytes = each > taken ? each - taken : 0;
    return fake_leave(FC_SUCCESS);
}
