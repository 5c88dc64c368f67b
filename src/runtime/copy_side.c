/* The two sides of a copy; see copy_side.h. */
#include "copy_side.h"

#include "base/error.h"
#include "storage/host_access.h"

/* ---- checks ---- */

quern_status quern_copy_side_check(const quern_copy_side *side)
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

quern_status quern_copy_check_shapes(const quern_copy_side *target, const quern_copy_side *source)
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

int quern_copy_is_empty(const quern_layout *layout)
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

quern_box quern_copy_side_box(const quern_copy_side *side)
{
    quern_box box;
    quern_box_set(&box, &side->buffer->layout, side->buffer->address, side->address, side->layout->rank,
                  side->layout->extents);
    return box;
}

/* 1 when no byte can be in both, wherever they lie: addresses of different memories say nothing. */
static int are_apart(const quern_copy_side *target, const quern_copy_side *source)
{
    if (target->buffer && source->buffer && target->buffer != source->buffer && target->buffer->free_memory &&
        source->buffer->free_memory)
        return 1; /* each has an allocation of its own */
    return target->buffer != source->buffer &&
           (!quern_copy_side_reaches_host(target) || !quern_copy_side_reaches_host(source));
}

quern_status quern_copy_check_overlap(const quern_copy_side *target, const quern_copy_side *source)
{
    if (are_apart(target, source))
        return QUERN_SUCCESS;
    const char *t = target->address, *s = source->address;
    int overlap = t < s + reach(source->layout) && s < t + reach(target->layout);
    if (overlap && target->buffer && target->buffer == source->buffer) {
        quern_box a = quern_copy_side_box(target), b = quern_copy_side_box(source);
        overlap = quern_boxes_intersect(&a, &b);
    }
    if (overlap)
        return quern_fail(QUERN_OVERLAP, "target and source overlap, wanted disjoint memory");
    return QUERN_SUCCESS;
}

quern_status quern_copy_side_no_buffer(const char *name)
{
    return quern_fail(QUERN_INVALID_ARGUMENT, "%s is a view of no buffer, wanted a view made from one", name);
}

/* ---- where they lie ---- */

int quern_copy_side_reaches_host(const quern_copy_side *side)
{
    return !side->buffer || quern_buffer_host_accessible(side->device, side->buffer);
}

int quern_copy_side_is_host(const quern_copy_side *side, const quern_device *device)
{
    return !side->buffer || side->device != device || side->buffer->kind == QUERN_MEMORY_HOST ||
           side->buffer->kind == QUERN_MEMORY_PINNED;
}

/* ---- what the backend gets ---- */

/* Drops dimensions of extent 1 and joins those that are contiguous on both sides. */
static quern_status merge(const quern_layout *target, const quern_layout *source, quern_backend_copy *copy)
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

quern_status quern_copy_describe(const quern_device *device, const quern_copy_side *target,
                                 const quern_copy_side *source, quern_backend_copy *copy)
{
    quern_status status = merge(target->layout, source ? source->layout : target->layout, copy);
    if (status != QUERN_SUCCESS)
        return status;
    copy->target = (void *)target->address;
    copy->target_is_host = (uint32_t)quern_copy_side_is_host(target, device);
    copy->target_memory = copy->target_is_host ? NULL : target->buffer->address;
    copy->source = source ? source->address : NULL;
    copy->source_is_host = source ? (uint32_t)quern_copy_side_is_host(source, device) : 1;
    copy->source_memory = copy->source_is_host ? NULL : source->buffer->address;
    return QUERN_SUCCESS;
}
