/* Guarded arrays: making them, and moving them to the device and back. guarded_check.c compares. */
#include "guarded.h"

#include <string.h>

/* ---- shapes ---- */

quern_guarded_shape quern_guarded_pitched(quern_type type, quern_extents extents)
{
    quern_guarded_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.type = type;
    shape.extents = extents;
    shape.is_packed = extents.rank == 0;
    shape.lead = 3;
    shape.trail = 2;
    for (uint32_t d = 0; d < extents.rank && d < QUERN_MAX_RANK; ++d) {
        shape.before[d] = 1 + d % 2;
        shape.after[d] = 2 - d % 2;
    }
    return shape;
}

quern_guarded_shape quern_guarded_packed(quern_type type, quern_extents extents)
{
    quern_guarded_shape shape = quern_guarded_pitched(type, extents);
    shape.is_packed = 1;
    return shape;
}

/* ---- layouts ---- */

static quern_status packed_layouts(const quern_guarded_shape *shape, size_t count, quern_layout *outer,
                                   quern_layout *inner)
{
    quern_status status = quern_layout_packed(shape->type, QUERN_EXTENTS(shape->lead + count + shape->trail), outer);
    return status ? status : quern_layout_packed(shape->type, shape->extents, inner);
}

static quern_status pitched_layouts(quern_device *device, const quern_guarded_shape *shape, quern_layout *outer,
                                    quern_layout *inner)
{
    quern_extents extents = shape->extents;
    quern_device_info info;
    size_t alignment = shape->alignment;
    quern_status status;
    for (uint32_t d = 0; d < extents.rank; ++d)
        extents.n[d] += shape->before[d] + shape->after[d];
    if (alignment == 0) {
        status = device ? quern_device_get_info(device, &info) : QUERN_SUCCESS;
        if (status)
            return status;
        alignment = device && info.preferred_alignment ? info.preferred_alignment : 32;
    }
    status = shape->row_padding > 0
                 ? quern_layout_padded(shape->type, extents, shape->row_padding, shape->empty_rows, outer)
                 : quern_layout_aligned(shape->type, extents, alignment, outer);
    if (status)
        return status;
    for (uint32_t d = outer->rank; shape->plane_padding > 0 && d-- > 2;)
        outer->pitches[d - 2] =
            (ptrdiff_t)(outer->extents[d - 1] * (size_t)outer->pitches[d - 1] + shape->plane_padding);
    *inner = *outer;
    for (uint32_t d = 0; d < inner->rank; ++d)
        inner->extents[d] = shape->extents.n[d];
    return QUERN_SUCCESS;
}

/* ---- making ---- */

/* Elements that lie one after another. */
static size_t row_elements(const quern_guarded *guarded)
{
    const quern_layout *layout = &guarded->view.span.layout;
    return layout->rank > 0 ? layout->extents[layout->rank - 1] : 1;
}

/* Sentinels differ from one byte to the next, and between arrays, so that a guard copied over another one shows. */
static void set_sentinels(const quern_trial *trial, quern_guarded *guarded)
{
    size_t seed = quern_trial_mark(trial) * 113;
    for (size_t i = 0; i < guarded->bytes; ++i)
        guarded->image[i] = (unsigned char)(0xa5 ^ (i * 29 + i / 251 + seed));
}

static void mark_elements(quern_guarded *guarded)
{
    size_t length = row_elements(guarded), bytes = length * guarded->view.span.layout.type.size;
    for (size_t i = 0; i < guarded->count; i += length)
        memset(guarded->inside + (quern_guarded_element(guarded, i) - guarded->image), 1, bytes);
}

/* The views of a memory at that address: of the array, and of all bytes. */
static quern_status set_views(quern_guarded *guarded, void *address, size_t alignment, const quern_layout *inner)
{
    quern_view *view = &guarded->view, *all = &guarded->all;
    quern_status status = quern_layout_packed(QUERN_TYPE(uint8_t), QUERN_EXTENTS(guarded->bytes), &all->span.layout);
    all->span.address = address;
    all->span.alignment = alignment;
    if (!status)
        status = quern_span_make(guarded->count > 0 ? (char *)address + guarded->offset : address, inner, &view->span);
    return status;
}

static quern_verdict make_memory(quern_trial *trial, const quern_guarded_shape *shape, const quern_layout *inner,
                                 quern_guarded *guarded)
{
    quern_view whole;
    memset(&whole, 0, sizeof whole);
    if (!guarded->device) {
        void *memory = quern_trial_memory(trial, guarded->bytes);
        QUERN_WANT(trial, memory, "no memory for %zu bytes", guarded->bytes);
        QUERN_TRY(trial, quern_span_make(memory, &guarded->outer, &whole.span));
    } else {
        quern_buffer *buffer;
        QUERN_TRY(trial, shape->queue ? quern_trial_buffer_on_queue(trial, shape->queue, &guarded->outer, &buffer)
                                      : quern_trial_buffer_with_layout(trial, guarded->device, &guarded->outer,
                                                                       shape->kind, &buffer));
        QUERN_TRY(trial, quern_buffer_view(buffer, &whole));
    }
    guarded->view = guarded->all = whole;
    /* Without guards an array of no elements has no memory, and no address. */
    QUERN_TRY(trial, set_views(guarded, whole.span.address, whole.span.alignment, inner));
    if (shape->is_packed || guarded->count == 0)
        return QUERN_PASSED;
    /* The same view by the public way, which knows its box. */
    QUERN_TRY(trial, quern_view_sub(whole, shape->before, shape->extents, &guarded->view));
    return QUERN_PASSED;
}

quern_verdict quern_guarded_make(quern_trial *trial, quern_device *device, const char *name, quern_guarded_shape shape,
                                 quern_guarded *guarded)
{
    quern_layout inner;
    memset(guarded, 0, sizeof *guarded);
    guarded->name = name;
    guarded->device = device;
    shape.is_packed |= shape.extents.rank == 0;
    QUERN_TRY(trial, quern_extents_count(shape.extents, &guarded->count));
    QUERN_TRY(trial, shape.is_packed ? packed_layouts(&shape, guarded->count, &guarded->outer, &inner)
                                     : pitched_layouts(device, &shape, &guarded->outer, &inner));
    QUERN_TRY(trial, quern_layout_bytes(&guarded->outer, &guarded->bytes));
    guarded->offset = shape.lead * shape.type.size;
    if (!shape.is_packed) {
        guarded->offset = 0;
        for (uint32_t d = 0; d < inner.rank; ++d)
            guarded->offset += shape.before[d] * (size_t)inner.pitches[d];
    }
    guarded->image = quern_trial_memory(trial, guarded->bytes);
    guarded->present = quern_trial_memory(trial, guarded->bytes);
    guarded->inside = quern_trial_memory(trial, guarded->bytes);
    QUERN_WANT(trial, guarded->image && guarded->present && guarded->inside, "no memory for %zu bytes", guarded->bytes);
    QUERN_CHECK(make_memory(trial, &shape, &inner, guarded));
    set_sentinels(trial, guarded);
    mark_elements(guarded);
    return QUERN_PASSED;
}

/* ---- the image ---- */

unsigned char *quern_guarded_element(const quern_guarded *guarded, size_t linear)
{
    const quern_layout *layout = &guarded->view.span.layout;
    size_t offset = guarded->offset;
    for (uint32_t d = layout->rank; d-- > 0;) {
        offset += linear % layout->extents[d] * (size_t)layout->pitches[d];
        linear /= layout->extents[d];
    }
    return guarded->image + offset;
}

void quern_guarded_set(quern_guarded *guarded, const void *values)
{
    size_t size = guarded->view.span.layout.type.size, length = row_elements(guarded);
    for (size_t i = 0; i < guarded->count; i += length)
        memcpy(quern_guarded_element(guarded, i), (const char *)values + i * size, length * size);
}

void quern_guarded_set_value(quern_guarded *guarded, const void *value)
{
    size_t size = guarded->view.span.layout.type.size, length = row_elements(guarded);
    for (size_t i = 0; i < guarded->count; i += length) {
        unsigned char *row = quern_guarded_element(guarded, i);
        for (size_t k = 0; k < length; ++k)
            memcpy(row + k * size, value, size);
    }
}

void quern_guarded_set_copy(quern_guarded *guarded, const quern_guarded *source)
{
    size_t size = guarded->view.span.layout.type.size, length = row_elements(guarded);
    for (size_t i = 0; i < guarded->count; i += length)
        memcpy(quern_guarded_element(guarded, i), quern_guarded_element(source, i), length * size);
}

void quern_guarded_values(const quern_guarded *guarded, void *values)
{
    size_t size = guarded->view.span.layout.type.size, length = row_elements(guarded);
    for (size_t i = 0; i < guarded->count; i += length)
        memcpy((char *)values + i * size, quern_guarded_element(guarded, i), length * size);
}

void quern_guarded_vary(quern_guarded *guarded, uint32_t seed)
{
    size_t bytes = row_elements(guarded) * guarded->view.span.layout.type.size;
    uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < guarded->count; i += row_elements(guarded)) {
        unsigned char *row = quern_guarded_element(guarded, i);
        for (size_t k = 0; k < bytes; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            row[k] = (unsigned char)(state >> 56);
        }
    }
}

/* ---- moving ---- */

static quern_status span_of(void *memory, const quern_guarded *guarded, quern_span *span)
{
    return quern_span_make(memory, &guarded->all.span.layout, span);
}

quern_verdict quern_guarded_upload(quern_trial *trial, quern_queue *queue, const quern_guarded *guarded)
{
    quern_span span;
    if (guarded->bytes == 0)
        return QUERN_PASSED;
    if (!guarded->device) {
        memcpy(guarded->all.span.address, guarded->image, guarded->bytes);
        return QUERN_PASSED;
    }
    QUERN_TRY(trial, span_of(guarded->image, guarded, &span));
    QUERN_TRY(trial, quern_copy_from_host(queue, guarded->all, quern_span_as_const(span)));
    QUERN_TRY(trial, quern_queue_synchronize(queue));
    return QUERN_PASSED;
}
