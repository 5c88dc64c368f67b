/* Launches that are the same again: recognising and keeping them. */
#include "memo.h"

#include <string.h>

_Atomic uint64_t quern_kernels_forgotten;

static uint64_t type_bits(quern_type type)
{
    uint64_t bits;
    _Static_assert(sizeof bits == sizeof type, "a type has no padding");
    memcpy(&bits, &type, sizeof bits);
    return bits;
}

static uint64_t differs(uintptr_t a, uintptr_t b)
{
    return a ^ b;
}

/*
 * The view is of the buffer that was there before, and of all of it; a buffer's own shape never changes. All compares
 * are made, as mostly all hold: one branch instead of eight.
 */
static int same_view(const quern_memo_argument *wanted, const quern_device *device, const quern_argument *argument)
{
    const quern_view *view = argument->data;
    if ((argument->kind != wanted->kind && argument->kind != wanted->other_kind) || !view || !view->buffer)
        return 0;
#ifdef QUERN_DEBUG
    if (quern_object_check((const quern_object *)view->buffer, QUERN_MARK_BUFFER, "buffer") != QUERN_SUCCESS)
        return 0;
#endif
    const quern_layout *layout = &view->span.layout;
    return (differs((uintptr_t)view->span.address, (uintptr_t)wanted->address) |
            differs((uintptr_t)view->device, (uintptr_t)device) | differs(layout->rank, 1) |
            differs(layout->extents[0], wanted->length) | differs((uintptr_t)layout->pitches[0], wanted->size) |
            (type_bits(layout->type) ^ wanted->type) | (view->buffer->serial ^ wanted->serial)) == 0;
}

int quern_memo_recall(quern_memo *memo, const quern_device *device, const quern_range *range,
                      const quern_argument *arguments, size_t count)
{
    if (memo->items != range->extents.n[0] || memo->argument_count != count || (count && !arguments) ||
        memo->forgotten != atomic_load_explicit(&quern_kernels_forgotten, memory_order_relaxed))
        return 0;
    for (size_t i = 0; i < count; ++i) {
        const quern_argument *argument = &arguments[i];
        const quern_memo_argument *wanted = &memo->wanted[i];
        if (wanted->serial) {
            if (!same_view(wanted, device, argument))
                return 0;
        } else {
            if (argument->kind != QUERN_ARGUMENT_VALUE || type_bits(argument->type) != wanted->type || !argument->data)
                return 0;
            memo->arguments[i].address = (void *)argument->data;
        }
    }
    return 1;
}

void quern_memo_keep(quern_memo *memo, const quern_checked_arguments *checked, const quern_backend_launch *launch,
                     uint64_t forgotten)
{
    size_t used = 0;
    atomic_store_explicit(&memo->kernel, NULL, memory_order_relaxed);
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &checked->arguments[i];
        memo->arguments[i] = *argument;
        memo->wanted[i] = (quern_memo_argument){.type = type_bits(launch->kernel->parameters[i].type),
                                                .kind = QUERN_ARGUMENT_VIEW,
                                                .other_kind = QUERN_ARGUMENT_VIEW};
        if (argument->form == QUERN_PARAMETER_VALUE)
            continue;
        if (argument->form == QUERN_PARAMETER_IN)
            memo->wanted[i].other_kind = QUERN_ARGUMENT_CONST_VIEW;
        if (argument->form > QUERN_PARAMETER_INOUT || argument->rank != 1 || argument->length == 0 ||
            used == checked->use_count)
            return;
        const quern_buffer_use *use = &checked->uses[used];
        if (!use->box.whole || argument->address != use->buffer->address || use->buffer->layout.rank != 1)
            return;
        /* What belonged to the view of that launch is now the buffer's: it lives as long as the memo fits. */
        memo->arguments[i].extents = use->buffer->layout.extents;
        memo->arguments[i].pitches = use->buffer->layout.pitches;
        memo->wanted[i].serial = use->buffer->serial;
        memo->wanted[i].address = argument->address;
        memo->wanted[i].length = argument->length;
        memo->wanted[i].size = argument->size;
        memo->whole[used] = (quern_whole_use){use->buffer, use->write};
        memo->uses[used].buffer = use->buffer;
        memo->uses[used].write = use->write;
        memo->uses[used++].box.whole = 1;
    }
    memo->use_count = used;
    memo->forgotten = forgotten;
    memo->items = launch->items;
    memo->argument_count = launch->argument_count;
    memo->launch = *launch;
    memo->launch.arguments = memo->arguments;
    memset(memo->kept, 0, sizeof memo->kept);
    memo->launch.kept = memo->kept;
    memo->launch.kept_bytes = sizeof memo->kept;
    atomic_store_explicit(&memo->kernel, launch->kernel, memory_order_relaxed);
}
