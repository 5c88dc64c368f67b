/* The buffers that an adapt moves; see adapt_moves.h. */
#include "adapt_moves.h"

#include <stdlib.h>
#include <string.h>

#include <quern/copy.h>

#include "base/error.h"
#include "storage/check.h"
#include "storage/layout.h"
#include "storage/span.h"

/* ---- the set ---- */

/* The slot of the buffer, or the empty one where it belongs. Slots are a power of two, at most half of them taken. */
static size_t slot_of(const quern_moves *moves, const quern_buffer *source)
{
    size_t mask = 2 * moves->capacity - 1;
    uint64_t mixed = ((uint64_t)(uintptr_t)source / QUERN_BUFFER_ALIGNMENT) * 0x9e3779b97f4a7c15u;
    size_t slot = (size_t)(mixed >> 24) & mask;
    while (moves->slots[slot] && moves->entries[moves->slots[slot] - 1].source != source)
        slot = (slot + 1) & mask;
    return slot;
}

static quern_status grow(quern_moves *moves)
{
    size_t capacity = moves->capacity ? 2 * moves->capacity : 16;
    quern_move *entries = realloc(moves->entries, capacity * sizeof *entries);
    if (entries)
        moves->entries = entries;
    size_t *slots = entries ? calloc(2 * capacity, sizeof *slots) : NULL;
    if (!slots)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a list of %zu buffers to move", capacity);
    free(moves->slots);
    moves->slots = slots;
    moves->capacity = capacity;
    for (size_t i = 0; i < moves->count; ++i)
        slots[slot_of(moves, moves->entries[i].source)] = i + 1;
    return QUERN_SUCCESS;
}

quern_status quern_moves_add(quern_moves *moves, quern_buffer *source, int keeps_pitches)
{
    if (moves->count == moves->capacity)
        QUERN_CHECK(grow(moves));
    size_t slot = slot_of(moves, source);
    if (!moves->slots[slot]) {
        moves->entries[moves->count] = (quern_move){source, NULL, 0};
        moves->slots[slot] = ++moves->count;
    }
    moves->entries[moves->slots[slot] - 1].keeps_pitches |= keeps_pitches;
    return QUERN_SUCCESS;
}

quern_buffer *quern_moves_find(const quern_moves *moves, const quern_buffer *source)
{
    return moves->entries[moves->slots[slot_of(moves, source)] - 1].target;
}

void quern_moves_free(quern_moves *moves)
{
    for (size_t i = 0; i < moves->count; ++i)
        (void)quern_buffer_release(moves->entries[i].target);
    free(moves->entries);
    free(moves->slots);
}

/* ---- moving ---- */

/* Kernels of the device reach it as it is. */
static int is_there(const quern_buffer *buffer, const quern_device *device)
{
    return buffer->device == device && !buffer->host_only;
}

static quern_status make_target(quern_move *move, quern_device *device)
{
    const quern_layout *layout = &move->source->layout;
    if (is_there(move->source, device)) {
        QUERN_CHECK(quern_buffer_retain(move->source));
        move->target = move->source;
        return QUERN_SUCCESS;
    }
    if (move->keeps_pitches)
        return quern_buffer_create_with_layout(device, layout, QUERN_MEMORY_DEVICE, &move->target);
    quern_extents extents = {layout->rank, {0}};
    memcpy(extents.n, layout->extents, sizeof extents.n);
    return quern_buffer_create(device, layout->type, extents, &move->target);
}

static quern_status copy_elements(const quern_move *move, quern_queue *queue)
{
    quern_view target;
    quern_const_view source;
    QUERN_CHECK(quern_buffer_view(move->target, &target));
    QUERN_CHECK(quern_buffer_const_view(move->source, &source));
    return quern_copy(queue, target, source);
}

quern_status quern_moves_make(quern_moves *moves, quern_device *device, quern_queue *queue)
{
    for (size_t i = 0; i < moves->count; ++i)
        QUERN_CHECK(make_target(&moves->entries[i], device));
    for (size_t i = 0; i < moves->count; ++i)
        if (moves->entries[i].target != moves->entries[i].source)
            QUERN_CHECK(copy_elements(&moves->entries[i], queue));
    return QUERN_SUCCESS;
}

/* ---- views ---- */

/* Takes the view apart by its buffer's pitches; 0 when it is no box. Dimensions of extent 1 have no pitch to speak of.
 */
static int find_box(const quern_view *view, size_t offset[QUERN_MAX_RANK])
{
    const quern_layout *part = &view->span.layout, *whole = &view->buffer->layout;
    if (part->rank != whole->rank || !quern_type_equal(part->type, whole->type))
        return 0;
    int is_empty = quern_shape_is_empty(part->rank, part->extents);
    size_t rest = is_empty ? 0 : (size_t)((const char *)view->span.address - (const char *)view->buffer->address);
    for (uint32_t d = 0; d < whole->rank; ++d) {
        offset[d] = 0;
        if (whole->extents[d] > 1 && !is_empty) {
            if (part->extents[d] > 1 && part->pitches[d] != whole->pitches[d])
                return 0;
            offset[d] = rest / (size_t)whole->pitches[d];
            rest %= (size_t)whole->pitches[d];
        }
        if (offset[d] > whole->extents[d] || part->extents[d] > whole->extents[d] - offset[d])
            return 0;
    }
    return rest == 0;
}

int quern_view_is_box(const quern_view *view)
{
    size_t offset[QUERN_MAX_RANK];
    return find_box(view, offset);
}

quern_status quern_view_move(quern_view *view, quern_buffer *target)
{
    quern_view moved;
    size_t offset[QUERN_MAX_RANK];
    if (view->buffer == target)
        return QUERN_SUCCESS;
    QUERN_CHECK(quern_buffer_view(target, &moved));
    const quern_layout *layout = &view->span.layout;
    if (find_box(view, offset)) {
        quern_extents extents = {layout->rank, {0}};
        memcpy(extents.n, layout->extents, sizeof extents.n);
        QUERN_CHECK(quern_span_narrow(&moved.span, offset, &extents));
    } else {
        if (!quern_shape_is_empty(layout->rank, layout->extents))
            moved.span.address =
                (char *)moved.span.address + ((const char *)view->span.address - (const char *)view->buffer->address);
        moved.span.layout = *layout;
        moved.span.alignment = quern_layout_alignment(layout, moved.span.address);
    }
    *view = moved;
    return QUERN_SUCCESS;
}
