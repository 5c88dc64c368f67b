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

static struct quern_opencl_place moved(const struct quern_opencl_place *place, size_t bytes)
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

/* The dimensions of a box that one OpenCL command takes besides the last: rows, and slices of rows; -1 for none. */
struct choice {
    int row, slice;
};

/* A rectangle: bytes of a row, rows, slices. */
struct rectangle {
    size_t region[3];
    size_t target_row, target_slice, source_row, source_slice; /* pitches */
};

static int in_one_buffer(const struct quern_opencl_box *box)
{
    return box->target.buffer && box->target.buffer == box->source.buffer;
}

static int may_be_rows(const struct quern_opencl_box *box, int d)
{
    size_t bytes = box->extents[box->rank - 1];
    if (in_one_buffer(box) && box->target_pitches[d] != box->source_pitches[d])
        return 0; /* OpenCL wants the same pitches then */
    return box->target_pitches[d] >= bytes && box->source_pitches[d] >= bytes;
}

static int may_be_slices_of(const struct quern_opencl_box *box, int d, int row)
{
    size_t rows = box->extents[row];
    return may_be_rows(box, d) && box->target_pitches[d] % box->target_pitches[row] == 0 &&
           box->source_pitches[d] % box->source_pitches[row] == 0 &&
           box->target_pitches[d] / box->target_pitches[row] >= rows &&
           box->source_pitches[d] / box->source_pitches[row] >= rows;
}

/* The choice that leaves the fewest commands. */
static struct choice choose(const struct quern_opencl_box *box)
{
    struct choice best = {-1, -1};
    size_t most = 1;
    if (!box->target.buffer && !box->source.buffer)
        return best; /* shared virtual memory is copied row by row */
    for (int row = 0; row + 1 < box->rank; ++row) {
        if (!may_be_rows(box, row))
            continue;
        if (box->extents[row] > most) {
            most = box->extents[row];
            best = (struct choice){row, -1};
        }
        for (int slice = 0; slice + 1 < box->rank; ++slice)
            if (slice != row && may_be_slices_of(box, slice, row) && box->extents[row] * box->extents[slice] > most) {
                most = box->extents[row] * box->extents[slice];
                best = (struct choice){row, slice};
            }
    }
    return best;
}

static void set_rectangle(struct rectangle *rectangle, const struct quern_opencl_box *box, struct choice choice)
{
    int row = choice.row, slice = choice.slice;
    rectangle->region[0] = box->extents[box->rank - 1];
    rectangle->region[1] = box->extents[row];
    rectangle->region[2] = slice < 0 ? 1 : box->extents[slice];
    rectangle->target_row = box->target_pitches[row];
    rectangle->source_row = box->source_pitches[row];
    rectangle->target_slice = slice < 0 ? 0 : box->target_pitches[slice];
    rectangle->source_slice = slice < 0 ? 0 : box->source_pitches[slice];
    if (slice < 0) {
        rectangle->target_slice = rectangle->region[1] * rectangle->target_row;
        rectangle->source_slice = rectangle->region[1] * rectangle->source_row;
    }
}

/* An offset in a buffer as OpenCL wants it: bytes, rows, slices. */
static void set_origin(size_t origin[3], size_t offset, size_t row, size_t slice)
{
    origin[2] = offset / slice;
    origin[1] = offset % slice / row;
    origin[0] = offset % slice % row;
}

static cl_int enqueue_rectangle(cl_command_queue queue, const struct rectangle *r,
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
static quern_status copy_rows(struct quern_opencl_command *command, const struct rectangle *r,
                              const struct quern_opencl_place *target, const struct quern_opencl_place *source)
{
    quern_status status = QUERN_SUCCESS;
    for (size_t z = 0; z < r->region[2]; ++z)
        for (size_t y = 0; status == QUERN_SUCCESS && y < r->region[1]; ++y) {
            struct quern_opencl_place to = moved(target, z * r->target_slice + y * r->target_row);
            struct quern_opencl_place from = moved(source, z * r->source_slice + y * r->source_row);
            status = quern_opencl_row_copy(command, &to, &from, r->region[0], NULL);
        }
    return status;
}

static quern_status copy_rectangle(struct quern_opencl_command *command, const struct rectangle *r,
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

/* The next index of the dimensions that no command takes; 0 when there is none. */
static int next(const struct quern_opencl_box *box, struct choice choice, size_t *index, size_t *target, size_t *source)
{
    for (int d = box->rank - 2; d >= 0; --d) {
        if (d == choice.row || d == choice.slice)
            continue;
        *target += box->target_pitches[d];
        *source += box->source_pitches[d];
        if (++index[d] < box->extents[d])
            return 1;
        *target -= index[d] * box->target_pitches[d];
        *source -= index[d] * box->source_pitches[d];
        index[d] = 0;
    }
    return 0;
}

quern_status quern_opencl_box_copy(struct quern_opencl_command *command, const struct quern_opencl_box *box)
{
    struct choice choice = choose(box);
    struct rectangle rectangle;
    size_t index[QUERN_MAX_RANK] = {0}, target = 0, source = 0;
    quern_status status;
    if (choice.row >= 0)
        set_rectangle(&rectangle, box, choice);
    do {
        struct quern_opencl_place to = moved(&box->target, target), from = moved(&box->source, source);
        status = choice.row >= 0 ? copy_rectangle(command, &rectangle, &to, &from)
                                 : quern_opencl_row_copy(command, &to, &from, box->extents[box->rank - 1], NULL);
    } while (status == QUERN_SUCCESS && next(box, choice, index, &target, &source));
    return status;
}

/* Both sides are plain host memory, which no OpenCL command moves: the host does, in its turn. */
static void copy_on_host(struct quern_opencl_queue *queue, const struct quern_opencl_box *box)
{
    const struct choice none = {-1, -1};
    size_t index[QUERN_MAX_RANK] = {0}, target = 0, source = 0;
    if (!quern_opencl_queue_drain(queue))
        return;
    do
        memcpy(box->target.address + target, box->source.address + source, box->extents[box->rank - 1]);
    while (next(box, none, index, &target, &source));
}

static void set_box(struct quern_opencl_box *box, const quern_backend_copy *copy)
{
    box->rank = (int)copy->rank;
    for (int d = 0; d < box->rank; ++d) {
        box->extents[d] = copy->extents[d];
        box->target_pitches[d] = (size_t)copy->target_pitches[d];
        box->source_pitches[d] = (size_t)copy->source_pitches[d];
    }
    box->extents[box->rank - 1] *= copy->element_size;
    box->target = quern_opencl_place_of(copy->target, copy->target_memory, copy->target_is_host != 0);
    box->source = quern_opencl_place_of(copy->source, copy->source_memory, copy->source_is_host != 0);
}

quern_status quern_opencl_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    struct quern_opencl_command command;
    struct quern_opencl_box box;
    quern_status status = QUERN_SUCCESS;
    if (quern_opencl_command_begin(&command, queue, number, "a copy", NULL)) {
        set_box(&box, copy);
        if (quern_opencl_place_is_plain(&box.target) && quern_opencl_place_is_plain(&box.source))
            copy_on_host(queue, &box);
        else
            status = quern_opencl_box_copy(&command, &box);
    }
    return quern_opencl_command_end(&command, status);
}
