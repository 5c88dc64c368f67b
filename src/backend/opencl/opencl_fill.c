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

static int repeats(const char *value, size_t size, size_t period)
{
    return size % period == 0 && memcmp(value, value + period, size - period) == 0;
}

/* The bytes of the shortest pattern of OpenCL that the value repeats; 0 when there is none. */
static size_t pattern_of(const char *value, size_t size)
{
    for (size_t period = 1; period <= LARGEST_PATTERN; period *= 2)
        if (repeats(value, size, period))
            return period;
    return 0;
}

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

/* Along dimension d, of which the first count indices are filled: fills the others. Dimensions behind it are whole. */
static quern_status spread(struct quern_opencl_command *command, const struct quern_opencl_box *whole, int d,
                           size_t count)
{
    quern_status status = QUERN_SUCCESS;
    struct quern_opencl_box box = {.rank = whole->rank - d, .source = whole->target};
    for (int i = 0; i < box.rank; ++i) {
        box.extents[i] = whole->extents[d + i];
        box.target_pitches[i] = box.source_pitches[i] = whole->target_pitches[d + i];
    }
    while (status == QUERN_SUCCESS && count < whole->extents[d]) {
        size_t left = whole->extents[d] - count;
        box.extents[0] = left < count ? left : count;
        box.target = whole->target;
        if (box.target.buffer)
            box.target.offset += count * whole->target_pitches[d];
        else
            box.target.address += count * whole->target_pitches[d];
        status = quern_opencl_box_copy(command, &box);
        count += box.extents[0];
    }
    return status;
}

static quern_status fill_box(struct quern_opencl_command *command, const struct quern_opencl_box *box,
                             const char *value, size_t size)
{
    size_t bytes = box->extents[box->rank - 1], filled = bytes, pattern = pattern_of(value, size);
    size_t begin = box->target.buffer ? box->target.offset : (uintptr_t)box->target.address;
    int has_pattern = box->target.buffer || quern_cl.EnqueueSVMMemFill;
    quern_status status;
    if (pattern && has_pattern && begin % pattern == 0)
        status = fill_row_by_pattern(command, &box->target, value, pattern, bytes);
    else
        status = send_values(command, &box->target, value, size, bytes, &filled);
    for (int d = box->rank - 1; status == QUERN_SUCCESS && d >= 0; --d)
        status = spread(command, box, d, d == box->rank - 1 ? filled : 1);
    return status;
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
    struct quern_opencl_box box;
    quern_status status = QUERN_SUCCESS;
    if (quern_opencl_command_begin(&command, queue, number, "a fill", NULL)) {
        memset(&box, 0, sizeof box);
        box.rank = (int)fill->rank;
        for (int d = 0; d < box.rank; ++d) {
            box.extents[d] = fill->extents[d];
            box.target_pitches[d] = (size_t)fill->target_pitches[d];
        }
        box.extents[box.rank - 1] *= fill->element_size;
        box.target_pitches[box.rank - 1] = 1; /* of a byte */
        box.target = quern_opencl_place_of(fill->target, fill->target_memory, fill->target_is_host != 0);
        if (quern_opencl_place_is_plain(&box.target))
            fill_on_host(queue, fill);
        else
            status = fill_box(&command, &box, fill->source, fill->element_size);
    }
    return quern_opencl_command_end(&command, status);
}
