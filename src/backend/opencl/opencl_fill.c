/*
 * Fills: the first row by a pattern of OpenCL's, or from the host where it has none of that size; then what is
 * filled already is copied on, twice as much each time, so that a box takes few commands.
 */
#include "opencl_copy.h"

#include "base/error.h"

#include "opencl_backend.h"

#include <stdlib.h>
#include <string.h>

/* The largest pattern that OpenCL fills with, and the bytes that the host sends where there is no pattern. */
enum { LARGEST_PATTERN = 128, STAGING_BYTES = 65536 };

static quern_status fill_row_by_pattern(struct quern_opencl_command *command, const struct quern_opencl_place *target,
                                        const char *value, size_t pattern, size_t bytes)
{
    cl_event event = NULL;
    cl_int error;
    quern_opencl_command_room(command);
    if (target->buffer)
        error = quern_cl.EnqueueFillBuffer(command->queue->handle, target->buffer, value, pattern, target->offset,
                                           bytes, 0, NULL, &event);
    else
        error =
            quern_cl.EnqueueSVMMemFill(command->queue->handle, target->address, value, pattern, bytes, 0, NULL, &event);
    return quern_opencl_command_push(command, error, event, NULL);
}

/* Sends as many values as the row has or a staging block holds; *sent are their bytes. */
static quern_status send_values(struct quern_opencl_command *command, const struct quern_opencl_place *target,
                                const char *value, size_t size, size_t bytes, size_t *sent)
{
    size_t most = size < STAGING_BYTES ? STAGING_BYTES / size * size : size;
    *sent = bytes < most ? bytes : most;
    char *staging = malloc(*sent);
    if (!staging)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu bytes of values to fill with", *sent);
    for (size_t at = 0; at < *sent; at += size)
        memcpy(staging + at, value, size);
    const struct quern_opencl_place source = {.address = staging};
    return quern_opencl_row_copy(command, target, &source, *sent, staging);
}

/* What spreads the first values over the box. */
struct spreading {
    struct quern_opencl_command *command;
    struct quern_opencl_place target;
};

static quern_status copy_on(void *context, const struct quern_device_box *box, size_t offset)
{
    const struct spreading *spreading = context;
    struct quern_opencl_place target = quern_opencl_place_moved(&spreading->target, offset);
    return quern_opencl_box_copy(spreading->command, &target, &spreading->target, box);
}

static quern_status fill_box(struct quern_opencl_command *command, const struct quern_opencl_place *target,
                             const struct quern_device_box *box, const char *value, size_t size)
{
    struct spreading spreading = {command, *target};
    size_t bytes = box->extents[box->rank - 1], filled = bytes;
    size_t pattern = quern_device_value_period(value, size, LARGEST_PATTERN);
    size_t begin = target->buffer ? target->offset : (uintptr_t)target->address;
    int has_pattern = target->buffer || quern_cl.EnqueueSVMMemFill;
    quern_status status;
    if (pattern && has_pattern && begin % pattern == 0)
        status = fill_row_by_pattern(command, target, value, pattern, bytes);
    else
        status = send_values(command, target, value, size, bytes, &filled);
    return status == QUERN_SUCCESS ? quern_device_box_spread(box, filled, copy_on, &spreading) : status;
}

/* Plain host memory, which no OpenCL command fills: the host does, in its turn. */
static void fill_on_host(struct quern_opencl_queue *queue, const quern_backend_copy *fill)
{
    size_t index[QUERN_MAX_RANK] = {0};
    char *target = fill->target;
    int d;
    if (!quern_opencl_queue_drain(queue))
        return;
    do {
        memcpy(target, fill->source, fill->element_size);
        for (d = (int)fill->rank - 1; d >= 0; --d) {
            target += fill->target_pitches[d];
            if (++index[d] < fill->extents[d])
                break;
            target -= (ptrdiff_t)index[d] * fill->target_pitches[d];
            index[d] = 0;
        }
    } while (d >= 0);
}

quern_status quern_opencl_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    struct quern_opencl_command command;
    struct quern_device_box box;
    quern_status status = QUERN_SUCCESS;
    if (quern_opencl_command_begin(&command, queue, number, "a fill", NULL)) {
        struct quern_opencl_place target =
            quern_opencl_place_of(fill->target, fill->target_memory, fill->target_is_host != 0);
        quern_device_box_of_fill(&box, fill);
        if (quern_opencl_place_is_plain(&target))
            fill_on_host(queue, fill);
        else
            status = fill_box(&command, &target, &box, fill->source, fill->element_size);
    }
    return quern_opencl_command_end(&command, status);
}
