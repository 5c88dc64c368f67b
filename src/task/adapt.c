/*
 * Adapt: a struct's buffers on another device.
 *
 * Three visits: the first checks everything and finds out which buffers there are, so that each moves once and nothing
 * is begun that a later field would refuse; when they have been made, the second puts them in place of the old ones in
 * the copy, and cannot fail. The third, of quern_adapt_release, gives them up.
 */
#include <quern/adapt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapt_fields.h"
#include "adapt_moves.h"
#include "base/error.h"
#include "runtime/current.h"
#include "runtime/queue.h"
#include "storage/check.h"

typedef struct adaptation {
    quern_moves moves;
    void **blocks; /* memory for the structs of every ARRAY, in the order of the visit; NULL for none */
    size_t block_count, block_capacity;
    size_t next_block; /* of the second visit */
} adaptation;

/* ---- the first visit ---- */

/* root is the struct that the place is in: "source" or "target". */
static quern_status check_buffer(const quern_buffer *buffer, const quern_place *place, const char *root)
{
    char name[QUERN_PLACE_NAME];
    if (quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer") == QUERN_SUCCESS)
        return QUERN_SUCCESS;
    return quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, quern_place_name(place, root, name));
}

/* The sentence that was left, behind the place's name. */
static quern_status fail_at(quern_status status, const quern_place *place)
{
    char name[QUERN_PLACE_NAME], why[QUERN_SHORT_SENTENCE / 2];
    snprintf(why, sizeof why, "%s", quern_last_error());
    return quern_fail(status, "%s is a view that is not sound: %s", quern_place_name(place, "source", name), why);
}

static quern_status check_view(const quern_view *view, const quern_place *place)
{
    char name[QUERN_PLACE_NAME];
    const quern_layout *layout = &view->span.layout;
    if (!view->buffer)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is a view of no buffer, wanted a view made from one",
                          quern_place_name(place, "source", name));
    QUERN_CHECK(check_buffer(view->buffer, place, "source"));
    if (view->device != view->buffer->device)
        return quern_fail(QUERN_WRONG_DEVICE, "%s is a view of another device than that of its buffer, wanted %s",
                          quern_place_name(place, "source", name), view->buffer->device->info.name);
    quern_status status = quern_layout_check(layout);
    if (status != QUERN_SUCCESS)
        return fail_at(status, place);
    if (quern_shape_is_empty(layout->rank, layout->extents) ||
        quern_buffer_holds(view->buffer, view->span.address, layout))
        return QUERN_SUCCESS;
    return quern_fail(QUERN_INVALID_SHAPE, "%s reaches outside the %zu bytes of its buffer, wanted a view inside",
                      quern_place_name(place, "source", name), view->buffer->bytes);
}

static quern_status note_buffer(void *context, const quern_place *place, quern_buffer **buffer)
{
    adaptation *self = context;
    QUERN_CHECK(check_buffer(*buffer, place, "source"));
    return quern_moves_add(&self->moves, *buffer, 0);
}

static quern_status note_view(void *context, const quern_place *place, quern_view *view)
{
    adaptation *self = context;
    QUERN_CHECK(check_view(view, place));
    return quern_moves_add(&self->moves, view->buffer, !quern_view_is_box(view));
}

static quern_status room_for_block(adaptation *self)
{
    if (self->block_count < self->block_capacity)
        return QUERN_SUCCESS;
    size_t capacity = self->block_capacity ? 2 * self->block_capacity : 16;
    void **blocks = realloc(self->blocks, capacity * sizeof *blocks);
    if (!blocks)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a list of %zu arrays of structs", capacity);
    self->blocks = blocks;
    self->block_capacity = capacity;
    return QUERN_SUCCESS;
}

static quern_status note_array(void *context, const quern_place *place, void **structs, size_t count)
{
    adaptation *self = context;
    char name[QUERN_PLACE_NAME];
    size_t bytes;
    void *block = NULL;
    (void)structs;
    if (quern_multiply_overflows(count, place->field->size, &bytes) || bytes > PTRDIFF_MAX)
        return quern_fail(QUERN_OVERFLOW, "%s is of %zu structs of %zu bytes, wanted at most 2^63-1 bytes",
                          quern_place_name(place, "source", name), count, place->field->size);
    QUERN_CHECK(room_for_block(self));
    if (bytes && !(block = malloc(bytes)))
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a copy of %s, %zu structs of %zu bytes",
                          quern_place_name(place, "source", name), count, place->field->size);
    self->blocks[self->block_count++] = block;
    return QUERN_SUCCESS;
}

/* ---- the second ---- */

static quern_status set_buffer(void *context, const quern_place *place, quern_buffer **buffer)
{
    const adaptation *self = context;
    (void)place;
    *buffer = quern_moves_find(&self->moves, *buffer);
    return quern_buffer_retain(*buffer);
}

static quern_status set_view(void *context, const quern_place *place, quern_view *view)
{
    const adaptation *self = context;
    (void)place;
    QUERN_CHECK(quern_view_move(view, quern_moves_find(&self->moves, view->buffer)));
    return quern_buffer_retain(view->buffer);
}

static quern_status set_array(void *context, const quern_place *place, void **structs, size_t count)
{
    adaptation *self = context;
    void *block = self->blocks[self->next_block];
    self->blocks[self->next_block++] = NULL; /* the target's from now on */
    if (block)
        memcpy(block, *structs, count * place->field->size);
    *structs = block;
    return QUERN_SUCCESS;
}

static void free_adaptation(adaptation *self)
{
    quern_moves_free(&self->moves);
    for (size_t i = 0; i < self->block_count; ++i)
        free(self->blocks[i]);
    free(self->blocks);
}

/* ---- adapt ---- */

static quern_status check_queue(const quern_device *device, const quern_queue *queue)
{
    if (!queue)
        return QUERN_SUCCESS;
    QUERN_CHECK(quern_queue_check(queue));
    if (queue->device == device)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_WRONG_DEVICE, "queue is of %s, wanted a queue of %s, the device", queue->device->info.name,
                      device->info.name);
}

static quern_status check_structs(const quern_adapt_fields *fields, const void *source, const void *target)
{
    uintptr_t from = (uintptr_t)source, to = (uintptr_t)target;
    QUERN_CHECK_POINTER(source);
    QUERN_CHECK_POINTER(target);
    if (from < to + fields->size && to < from + fields->size)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "target overlaps source, wanted another %s: the old buffers are still the source's",
                          fields->name);
    return QUERN_SUCCESS;
}

quern_status quern_adapt(quern_device *device, quern_queue *queue, const quern_adapt_fields *fields, const void *source,
                         void *target)
{
    adaptation self = {{NULL, 0, 0, NULL}, NULL, 0, 0, 0};
    const quern_visitor first = {&self, 0, note_buffer, note_view, note_array, NULL};
    const quern_visitor second = {&self, 1, set_buffer, set_view, set_array, NULL};
    QUERN_CHECK(quern_device_check(device, "device"));
    QUERN_CHECK(check_queue(device, queue));
    QUERN_CHECK(quern_fields_check(fields));
    QUERN_CHECK(check_structs(fields, source, target));
    quern_status status = quern_fields_visit(fields, (void *)source, &first); /* does not write */
    if (status == QUERN_SUCCESS && !queue)
        status = quern_current_queue_of(device, &queue);
    if (status == QUERN_SUCCESS)
        status = quern_moves_make(&self.moves, device, queue);
    if (status == QUERN_SUCCESS) {
        memcpy(target, source, fields->size);
        status = quern_fields_visit(fields, target, &second);
    }
    free_adaptation(&self);
    return status;
}

/* ---- release ---- */

/* The first that could not be given up; what fails behind it has a sentence too. */
typedef struct first_failure {
    quern_status status;
    char sentence[QUERN_SHORT_SENTENCE];
} first_failure;

static void give_up(first_failure *first, const quern_place *place, quern_buffer *buffer)
{
    quern_status status = buffer ? check_buffer(buffer, place, "target") : QUERN_SUCCESS;
    if (status == QUERN_SUCCESS)
        status = quern_buffer_release(buffer);
    if (status == QUERN_SUCCESS || first->status != QUERN_SUCCESS)
        return;
    first->status = status;
    snprintf(first->sentence, sizeof first->sentence, "%s", quern_last_error());
}

static quern_status release_buffer(void *context, const quern_place *place, quern_buffer **buffer)
{
    give_up(context, place, *buffer);
    *buffer = NULL;
    return QUERN_SUCCESS;
}

static quern_status release_view(void *context, const quern_place *place, quern_view *view)
{
    give_up(context, place, view->buffer);
    memset(view, 0, sizeof *view);
    return QUERN_SUCCESS;
}

static quern_status visit_array(void *context, const quern_place *place, void **structs, size_t count)
{
    (void)context, (void)place, (void)structs, (void)count;
    return QUERN_SUCCESS;
}

static void release_array(void *context, void **structs)
{
    (void)context;
    free(*structs);
    *structs = NULL;
}

quern_status quern_adapt_release(const quern_adapt_fields *fields, void *target)
{
    first_failure first = {QUERN_SUCCESS, ""};
    const quern_visitor visitor = {&first, 1, release_buffer, release_view, visit_array, release_array};
    QUERN_CHECK(quern_fields_check(fields));
    QUERN_CHECK_POINTER(target);
    QUERN_CHECK(quern_fields_visit(fields, target, &visitor));
    return first.status == QUERN_SUCCESS ? QUERN_SUCCESS : quern_fail(first.status, "%s", first.sentence);
}
