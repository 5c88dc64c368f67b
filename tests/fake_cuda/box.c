/* Boxes of bytes: whether they lie where they may, and moving them. */
#include "box.h"

#include <stdlib.h>
#include <string.h>

/* ---- checking ---- */

/* From the box's first byte to behind its last on the side; 0 when that is no size. */
static size_t span_of(const struct fake_side *side, const struct fake_box *box)
{
    size_t rows, planes, span;
    if (__builtin_mul_overflow(box->height - 1, side->pitch, &rows) ||
        __builtin_mul_overflow(box->depth - 1, side->plane, &planes) || __builtin_add_overflow(rows, planes, &span) ||
        __builtin_add_overflow(span, box->width, &span))
        return 0;
    return span;
}

fc_result fake_side_set(struct fake_side *side, int type, uintptr_t address, const struct fake_box *box)
{
    size_t span = span_of(side, box);
    struct fake_memory *memory = fake_memory_find(address);
    side->address = address;
    side->memory = memory;
    if (!span || !address)
        return FC_ERROR_INVALID_VALUE;
    if (type != FC_MEMORY_HOST && type != FC_MEMORY_DEVICE && type != FC_MEMORY_UNIFIED)
        return type == FC_MEMORY_ARRAY ? FC_ERROR_NOT_SUPPORTED : FC_ERROR_INVALID_VALUE;
    if (type == FC_MEMORY_HOST && fake_memory_is_device(address))
        return FC_ERROR_INVALID_VALUE;
    if (!memory) /* the host's own; or stale, or nothing at all */
        return type == FC_MEMORY_DEVICE || fake_memory_is_device(address) ? FC_ERROR_INVALID_VALUE : FC_SUCCESS;
    if (span > memory->begin + memory->bytes - address)
        return FC_ERROR_INVALID_VALUE;
    return memory->given_up ? FC_ERROR_INVALID_VALUE : memory->context->error;
}

fc_result fake_box_submit(const struct fake_box *box, enum fake_what what, fc_stream handle, int waits)
{
    struct fake_stream *stream = NULL;
    fc_result error = fake_stream_of(handle, &stream);
    if (error)
        return error;
    struct fake_command *command = calloc(1, sizeof *command);
    if (!command)
        return FC_ERROR_OUT_OF_MEMORY;
    command->what = what;
    command->box = *box;
    if (box->target.memory)
        ++box->target.memory->uses;
    if (box->source.memory)
        ++box->source.memory->uses;
    error = fake_submit(stream, command);
    if (!error && waits) {
        fake_schedule_wait(stream, stream->submitted);
        error = stream->context->error;
    }
    return error;
}

/* What was right when the box was queued must be so when its turn comes. */
static fc_result check_side(const struct fake_side *side)
{
    const struct fake_memory *memory = side->memory;
    if (!memory || (memory->there && !memory->is_detached))
        return FC_SUCCESS;
    fake_violation("a copy or fill came to memory of %zu bytes %s", memory->bytes,
                   memory->there ? "that had been freed" : "before the memory had been allocated in its stream");
    return FC_ERROR_ILLEGAL_ADDRESS;
}

fc_result fake_box_check(const struct fake_box *box, const struct fake_context *context)
{
    (void)context;
    fc_result error = check_side(&box->target);
    return error || box->value_bytes ? error : check_side(&box->source);
}

/* ---- moving ---- */

static void fill_row(char *row, const struct fake_box *box)
{
    for (size_t i = 0; i < box->width; i += box->value_bytes)
        memcpy(row + i, &box->value, box->value_bytes); /* its low bytes come first */
}

void fake_box_run(const struct fake_box *box, int is_fill)
{
    char *target = fake_memory_host(box->target.address);
    const char *source = is_fill ? NULL : fake_memory_host(box->source.address);
    for (size_t z = 0; z < box->depth; ++z)
        for (size_t y = 0; y < box->height; ++y) {
            char *row = target + z * box->target.plane + y * box->target.pitch;
            if (is_fill)
                fill_row(row, box);
            else
                memcpy(row, source + z * box->source.plane + y * box->source.pitch, box->width);
        }
}
