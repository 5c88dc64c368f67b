/* Copy and fill: checks, merging of contiguous dimensions, then the queue. */
#include <quern/copy.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device.h"
#include "queue.h"
#include "storage/buffer.h"

/* One side of a copy. */
typedef struct side {
    const char *name; /* of the argument */
    const void *address;
    const quern_layout *layout;
    quern_buffer *buffer; /* NULL for host memory */
    quern_device *device; /* NULL likewise */
} side;

static quern_status check_side(const side *side)
{
    if (side->buffer) {
        if (quern_object_check((const quern_object *)side->buffer, QUERN_MARK_BUFFER, side->name) != QUERN_SUCCESS)
            return quern_fail(QUERN_RELEASED, "%s is a view of a buffer that has been released, wanted a held one",
                              side->name);
        quern_status status = quern_device_check(side->device, side->name);
        if (status != QUERN_SUCCESS)
            return status;
    }
    if (side->layout->type.size == 0)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "%s has no element type (was it made by quern_span_make or from a "
                          "buffer?), wanted one with elements",
                          side->name);
    quern_status status = quern_layout_check(side->layout);
    if (status != QUERN_SUCCESS)
        return status;
    size_t bytes;
    status = quern_layout_bytes(side->layout, &bytes);
    if (status != QUERN_SUCCESS || bytes == 0)
        return status;
    if (!side->address)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s has elements but no address", side->name);
    if (side->buffer && !quern_buffer_holds(side->buffer, side->address, side->layout))
        return quern_fail(QUERN_INVALID_SHAPE, "%s reaches outside the %zu bytes of its buffer, wanted a view inside",
                          side->name, side->buffer->bytes);
    return QUERN_SUCCESS;
}

static quern_status view_without_buffer(const char *name)
{
    return quern_fail(QUERN_INVALID_ARGUMENT, "%s is a view of no buffer, wanted a view made from one", name);
}

static quern_status check_same_shape(const side *target, const side *source)
{
    const quern_layout *t = target->layout, *s = source->layout;
    if (!quern_type_equal(t->type, s->type))
        return quern_fail(QUERN_INVALID_TYPE,
                          "target has elements of %s (%u bytes) and source of %s (%u bytes), wanted "
                          "the same type",
                          quern_type_name(t->type), t->type.size, quern_type_name(s->type), s->type.size);
    if (t->rank != s->rank)
        return quern_fail(QUERN_INVALID_SHAPE, "target has rank %u and source rank %u, wanted the same", t->rank,
                          s->rank);
    for (uint32_t d = 0; d < t->rank; ++d)
        if (t->extents[d] != s->extents[d])
            return quern_fail(QUERN_INVALID_SHAPE,
                              "target has extent %zu along dimension %u and source %zu, wanted the "
                              "same",
                              t->extents[d], d, s->extents[d]);
    return QUERN_SUCCESS;
}

static int is_empty(const quern_layout *layout)
{
    for (uint32_t d = 0; d < layout->rank; ++d)
        if (layout->extents[d] == 0)
            return 1;
    return 0;
}

/* Bytes from the first element's begin to the last one's end. */
static size_t reach(const quern_layout *layout)
{
    size_t bytes = layout->type.size;
    for (uint32_t d = 0; d < layout->rank; ++d)
        bytes += (layout->extents[d] - 1) * (size_t)layout->pitches[d];
    return bytes;
}

static quern_box box_of(const side *side)
{
    quern_box box;
    quern_box_set(&box, &side->buffer->layout, side->buffer->address, side->address, side->layout->rank,
                  side->layout->extents);
    return box;
}

static quern_status check_overlap(const side *target, const side *source)
{
    const char *t = target->address, *s = source->address;
    int overlap = t < s + reach(source->layout) && s < t + reach(target->layout);
    if (overlap && target->buffer && target->buffer == source->buffer) {
        quern_box a = box_of(target), b = box_of(source);
        overlap = quern_boxes_intersect(&a, &b);
    }
    if (overlap)
        return quern_fail(QUERN_OVERLAP, "target and source overlap, wanted disjoint memory");
    return QUERN_SUCCESS;
}

/* The other side's memory must be the queue's device's own or reachable from the host. */
static quern_status check_devices(const quern_queue *queue, const side *target, const side *source)
{
    const side *sides[2] = {target, source};
    int own = 0;
    for (int i = 0; i < 2; ++i) {
        if (!sides[i] || !sides[i]->device)
            continue;
        own |= sides[i]->device == queue->device;
        if (sides[i]->device != queue->device && !sides[i]->device->info.host_accessible)
            return quern_fail(QUERN_NOT_SUPPORTED, "%s lives on %s, whose memory a queue of %s cannot reach",
                              sides[i]->name, sides[i]->device->info.name, queue->device->info.name);
    }
    if (!own)
        return quern_fail(QUERN_WRONG_DEVICE, "queue is of %s, wanted a queue of the device of target%s (%s)",
                          queue->device->info.name, source ? " or source" : "",
                          target->device ? target->device->info.name : source->device->info.name);
    return QUERN_SUCCESS;
}

/* ---- merging ---- */

/* Drops dimensions of extent 1 and joins those that are contiguous on both sides. */
static quern_status describe(const quern_layout *target, const quern_layout *source, quern_backend_copy *copy)
{
    uint32_t rank = 0;
    for (uint32_t d = 0; d < target->rank; ++d) {
        if (target->extents[d] == 1)
            continue;
        ptrdiff_t t = target->pitches[d], s = source->pitches[d];
        ptrdiff_t extent = (ptrdiff_t)target->extents[d];
        if (rank && copy->target_pitches[rank - 1] == extent * t && copy->source_pitches[rank - 1] == extent * s) {
            copy->extents[rank - 1] *= (size_t)extent;
            copy->target_pitches[rank - 1] = t;
            copy->source_pitches[rank - 1] = s;
            continue;
        }
        copy->extents[rank] = (size_t)extent;
        copy->target_pitches[rank] = t;
        copy->source_pitches[rank++] = s;
    }
    ptrdiff_t size = (ptrdiff_t)target->type.size;
    if (rank == 0 || copy->target_pitches[rank - 1] != size || copy->source_pitches[rank - 1] != size) {
        if (rank == QUERN_MAX_RANK)
            return quern_fail(QUERN_INVALID_SHAPE,
                              "target or source has rank 6 and gaps between the innermost elements, wanted elements "
                              "side by side or a lower rank");
        copy->extents[rank] = 1;
        copy->target_pitches[rank] = size;
        copy->source_pitches[rank++] = size;
    }
    copy->rank = rank;
    copy->element_size = target->type.size;
    return QUERN_SUCCESS;
}

/* ---- copy ---- */

static quern_status copy_sides(quern_queue *queue, const side *target, const side *source)
{
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = check_side(target);
    if (status == QUERN_SUCCESS)
        status = check_side(source);
    if (status == QUERN_SUCCESS)
        status = check_same_shape(target, source);
    if (status == QUERN_SUCCESS)
        status = check_devices(queue, target, source);
    if (status != QUERN_SUCCESS || is_empty(target->layout))
        return status;
    quern_backend_copy copy;
    status = check_overlap(target, source);
    if (status == QUERN_SUCCESS)
        status = describe(target->layout, source->layout, &copy);
    if (status != QUERN_SUCCESS)
        return status;
    copy.target = (void *)target->address;
    copy.source = source->address;
    copy.target_is_host = target->device != queue->device;
    copy.source_is_host = source->device != queue->device;

    quern_buffer_use uses[2];
    size_t count = 0;
    if (target->buffer)
        uses[count++] = (quern_buffer_use){target->buffer, 1, box_of(target)};
    if (source->buffer)
        uses[count++] = (quern_buffer_use){source->buffer, 0, box_of(source)};
    uint64_t number;
    status = quern_queue_begin(queue, uses, count, &number);
    if (status != QUERN_SUCCESS)
        return status;
    status = queue->backend->copy(queue->handle, number, &copy);
    return quern_queue_end(queue, number, status, "a copy");
}

quern_status quern_copy(quern_queue *queue, quern_view target, quern_const_view source)
{
    side to = {"target", target.span.address, &target.span.layout, target.buffer, target.device};
    side from = {"source", source.span.address, &source.span.layout, source.buffer, source.device};
    if (!to.buffer || !from.buffer)
        return view_without_buffer(to.buffer ? "source" : "target");
    return copy_sides(queue, &to, &from);
}

quern_status quern_copy_from_host(quern_queue *queue, quern_view target, quern_const_span source)
{
    side to = {"target", target.span.address, &target.span.layout, target.buffer, target.device};
    side from = {"source", source.address, &source.layout, NULL, NULL};
    if (!to.buffer)
        return view_without_buffer("target");
    return copy_sides(queue, &to, &from);
}

quern_status quern_copy_to_host(quern_queue *queue, quern_span target, quern_const_view source)
{
    side to = {"target", target.address, &target.layout, NULL, NULL};
    side from = {"source", source.span.address, &source.span.layout, source.buffer, source.device};
    if (!from.buffer)
        return view_without_buffer("source");
    return copy_sides(queue, &to, &from);
}

/* ---- fill ---- */

/* A backend that cannot fill: a row of values, copied to every row. The row must last, so the host waits. */
static quern_status fill_by_copy(quern_queue *queue, uint64_t number, quern_backend_copy *fill)
{
    size_t columns = fill->extents[fill->rank - 1];
    char *row = malloc(columns * fill->element_size);
    if (!row)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a row of %zu values to fill with", columns);
    for (size_t i = 0; i < columns; ++i)
        memcpy(row + i * fill->element_size, fill->source, fill->element_size);
    fill->source = row;
    fill->source_is_host = 1;
    for (uint32_t d = 0; d + 1 < fill->rank; ++d)
        fill->source_pitches[d] = 0;
    quern_status status = queue->backend->copy(queue->handle, number, fill);
    if (status == QUERN_SUCCESS)
        status = quern_progress_wait(queue->progress, number);
    free(row);
    return status;
}

quern_status quern_fill(quern_queue *queue, quern_view target, quern_type type, const void *value)
{
    side to = {"target", target.span.address, &target.span.layout, target.buffer, target.device};
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!to.buffer)
        return view_without_buffer("target");
    if (!value)
        return quern_fail(QUERN_INVALID_ARGUMENT, "value is NULL, wanted the address of a value");
    status = check_side(&to);
    if (status != QUERN_SUCCESS)
        return status;
    if (!quern_type_equal(type, to.layout->type))
        return quern_fail(QUERN_INVALID_TYPE, "value is of %s (%u bytes), wanted %s (%u bytes) as target",
                          quern_type_name(type), type.size, quern_type_name(to.layout->type), to.layout->type.size);
    status = check_devices(queue, &to, NULL);
    if (status != QUERN_SUCCESS || is_empty(to.layout))
        return status;
    quern_backend_copy fill;
    status = describe(to.layout, to.layout, &fill);
    if (status != QUERN_SUCCESS)
        return status;
    fill.target = (void *)to.address;
    fill.source = value;
    fill.target_is_host = to.device != queue->device;
    fill.source_is_host = 0;

    quern_buffer_use use = {to.buffer, 1, box_of(&to)};
    uint64_t number;
    status = quern_queue_begin(queue, &use, 1, &number);
    if (status != QUERN_SUCCESS)
        return status;
    status =
        queue->backend->fill ? queue->backend->fill(queue->handle, number, &fill) : fill_by_copy(queue, number, &fill);
    return quern_queue_end(queue, number, status, "a fill");
}
