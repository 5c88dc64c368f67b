/* Copies: taking a box apart into rows and rectangles. */
#include "opencl_copy.h"

#include "base/error.h"

#include "opencl_backend.h"
#include "opencl_memory.h"

#include <string.h>

struct quern_opencl_place quern_opencl_place_of(const void *address, const void *memory, int is_host)
{
    struct quern_opencl_place place = {NULL, 0, (char *)(uintptr_t)address, 0};
    const struct quern_opencl_memory *record = is_host || !memory ? NULL : quern_opencl_memory_of(memory);
    if (record && record->kind == QUERN_MEMORY_DEVICE) {
        place.buffer = record->buffer;
        place.offset = (uintptr_t)address - (uintptr_t)memory;
        place.address = NULL;
    }
    place.is_unified = record && record->kind == QUERN_MEMORY_UNIFIED;
    return place;
}

int quern_opencl_place_is_plain(const struct quern_opencl_place *place)
{
    return !place->buffer && !place->is_unified;
}

struct quern_opencl_place quern_opencl_place_moved(const struct quern_opencl_place *place, size_t bytes)
{
    struct quern_opencl_place result = *place;
    if (place->buffer)
        result.offset += bytes;
    else
        result.address += bytes;
    return result;
}

/* ---- rows ---- */

quern_status quern_opencl_row_copy(struct quern_opencl_command *command, const struct quern_opencl_place *target,
                                   const struct quern_opencl_place *source, size_t bytes, void *owned)
{
    cl_command_queue queue = command->queue->handle;
    cl_event event = NULL;
    cl_int error;
    quern_opencl_command_room(command);
    if (target->buffer && source->buffer)
        error = quern_cl.EnqueueCopyBuffer(queue, source->buffer, target->buffer, source->offset, target->offset, bytes,
                                           0, NULL, &event);
    else if (target->buffer)
        error = quern_cl.EnqueueWriteBuffer(queue, target->buffer, CL_FALSE, target->offset, bytes, source->address, 0,
                                            NULL, &event);
    else if (source->buffer)
        error = quern_cl.EnqueueReadBuffer(queue, source->buffer, CL_FALSE, source->offset, bytes, target->address, 0,
                                           NULL, &event);
    else
        error = quern_cl.EnqueueSVMMemcpy(queue, CL_FALSE, target->address, source->address, bytes, 0, NULL, &event);
    return quern_opencl_command_push(command, error, event, owned);
}

/* ---- rectangles ---- */

/* An offset in a buffer as OpenCL wants it: bytes, rows, slices. */
static void set_origin(size_t origin[3], size_t offset, size_t row, size_t slice)
{
    origin[2] = offset / slice;
    origin[1] = offset % slice / row;
    origin[0] = offset % slice % row;
}

static cl_int enqueue_rectangle(cl_command_queue queue, const struct quern_device_rectangle *r,
                                const struct quern_opencl_place *target, const struct quern_opencl_place *source,
                                cl_event *event)
{
    static const size_t host_origin[3] = {0, 0, 0};
    size_t to[3], from[3];
    set_origin(to, target->offset, r->target_row, r->target_slice);
    set_origin(from, source->offset, r->source_row, r->source_slice);
    if (target->buffer && source->buffer)
        return quern_cl.EnqueueCopyBufferRect(queue, source->buffer, target->buffer, from, to, r->region, r->source_row,
                                              r->source_slice, r->target_row, r->target_slice, 0, NULL, event);
    if (target->buffer)
        return quern_cl.EnqueueWriteBufferRect(queue, target->buffer, CL_FALSE, to, host_origin, r->region,
                                               r->target_row, r->target_slice, r->source_row, r->source_slice,
                                               source->address, 0, NULL, event);
    return quern_cl.EnqueueReadBufferRect(queue, source->buffer, CL_FALSE, from, host_origin, r->region, r->source_row,
                                          r->source_slice, r->target_row, r->target_slice, target->address, 0, NULL,
                                          event);
}

/* The rows of the rectangle, one command each. */
static quern_status copy_rows(struct quern_opencl_command *command, const struct quern_device_rectangle *r,
                              const struct quern_opencl_place *target, const struct quern_opencl_place *source)
{
    quern_status status = QUERN_SUCCESS;
    for (size_t z = 0; z < r->region[2]; ++z)
        for (size_t y = 0; status == QUERN_SUCCESS && y < r->region[1]; ++y) {
            struct quern_opencl_place to = quern_opencl_place_moved(target, z * r->target_slice + y * r->target_row);
            struct quern_opencl_place from = quern_opencl_place_moved(source, z * r->source_slice + y * r->source_row);
            status = quern_opencl_row_copy(command, &to, &from, r->region[0], NULL);
        }
    return status;
}

static quern_status copy_rectangle(struct quern_opencl_command *command, const struct quern_device_rectangle *r,
                                   const struct quern_opencl_place *target, const struct quern_opencl_place *source)
{
    cl_event event = NULL;
    quern_opencl_command_room(command);
    cl_int error = enqueue_rectangle(command->queue->handle, r, target, source, &event);
    /* Within one buffer OpenCL sees an overlap where rows lie between each other, though no elements meet. */
    if (error == CL_MEM_COPY_OVERLAP)
        return copy_rows(command, r, target, source);
    return quern_opencl_command_push(command, error, event, NULL);
}

/* ---- boxes ---- */

static struct quern_device_box_rules rules_for(const struct quern_opencl_place *target,
                                               const struct quern_opencl_place *source)
{
    struct quern_device_box_rules rules = {.dimensions = 3};
    if (!target->buffer && !source->buffer)
        rules.dimensions = 1; /* shared virtual memory is copied row by row */
    rules.same_pitches = target->buffer && target->buffer == source->buffer; /* OpenCL wants them within one buffer */
    return rules;
}

quern_status quern_opencl_box_copy(struct quern_opencl_command *command, const struct quern_opencl_place *target,
                                   const struct quern_opencl_place *source, const struct quern_device_box *box)
{
    const struct quern_device_box_rules rules = rules_for(target, source);
    struct quern_device_rectangle rectangle;
    struct quern_device_pieces pieces;
    quern_status status;
    quern_device_pieces_begin(&pieces, box, &rules);
    if (pieces.row >= 0)
        quern_device_rectangle_set(&rectangle, box, &pieces);
    do {
        struct quern_opencl_place to = quern_opencl_place_moved(target, pieces.target);
        struct quern_opencl_place from = quern_opencl_place_moved(source, pieces.source);
        status = pieces.row >= 0 ? copy_rectangle(command, &rectangle, &to, &from)
                                 : quern_opencl_row_copy(command, &to, &from, box->extents[box->rank - 1], NULL);
    } while (status == QUERN_SUCCESS && quern_device_pieces_next(&pieces, box));
    return status;
}

/* Both sides are plain host memory, which no OpenCL command moves: the host does, in its turn. */
static void copy_on_host(struct quern_opencl_queue *queue, const struct quern_opencl_place *target,
                         const struct quern_opencl_place *source, const struct quern_device_box *box)
{
    static const struct quern_device_box_rules rows = {.dimensions = 1};
    struct quern_device_pieces pieces;
    if (!quern_opencl_queue_drain(queue))
        return;
    quern_device_pieces_begin(&pieces, box, &rows);
    do
        memcpy(target->address + pieces.target, source->address + pieces.source, box->extents[box->rank - 1]);
    while (quern_device_pieces_next(&pieces, box));
}

quern_status quern_opencl_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    struct quern_opencl_command command;
    struct quern_device_box box;
    quern_status status = QUERN_SUCCESS;
    if (quern_opencl_command_begin(&command, queue, number, "a copy", NULL)) {
        struct quern_opencl_place target =
            quern_opencl_place_of(copy->target, copy->target_memory, copy->target_is_host != 0);
        struct quern_opencl_place source =
            quern_opencl_place_of(copy->source, copy->source_memory, copy->source_is_host != 0);
        quern_device_box_of(&box, copy);
        if (quern_opencl_place_is_plain(&target) && quern_opencl_place_is_plain(&source))
            copy_on_host(queue, &target, &source, &box);
        else
            status = quern_opencl_box_copy(&command, &target, &source, &box);
    }
    return quern_opencl_command_end(&command, status);
}
