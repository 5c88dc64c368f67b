/* Launches that are the same again: recognising and keeping them. */
#include "memo.h"

#include <string.h>

_Atomic uint64_t quern_kernels_forgotten;

/* One compare of eight bytes. */
static int same_type(quern_type a, quern_type b)
{
    _Static_assert(sizeof a == 8, "a type has no padding");
    return memcmp(&a, &b, sizeof a) == 0;
}

/* The view is of the buffer that was there before, and of all of it; a buffer's own shape never changes. */
static int same_view(const quern_backend_argument *kept, uint64_t serial, const quern_parameter *parameter,
                     const quern_device *device, const quern_argument *argument)
{
    const quern_view *view = argument->data;
    if ((argument->kind != QUERN_ARGUMENT_VIEW &&
         (argument->kind != QUERN_ARGUMENT_CONST_VIEW || kept->form != QUERN_PARAMETER_IN)) ||
        !view)
        return 0;
#ifdef QUERN_DEBUG
    if (quern_object_check((const quern_object *)view->buffer, QUERN_MARK_BUFFER, "buffer") != QUERN_SUCCESS)
        return 0;
#endif
    const quern_layout *layout = &view->span.layout;
    return view->span.address == kept->address && view->device == device && layout->rank == 1 &&
           layout->extents[0] == kept->length && layout->pitches[0] == (ptrdiff_t)parameter->type.size &&
           same_type(layout->type, parameter->type) && view->buffer && view->buffer->serial == serial;
}

int quern_memo_recall(quern_memo *memo, const quern_device *device, const quern_kernel *kernel,
                      const quern_range *range, const quern_argument *arguments, size_t count)
{
    if (memo->launch.items != range->extents.n[0] || memo->launch.argument_count != count || (count && !arguments) ||
        memo->forgotten != atomic_load_explicit(&quern_kernels_forgotten, memory_order_relaxed))
        return 0;
    const quern_parameter *parameter = kernel->parameters;
    for (size_t i = 0; i < count; ++i, ++parameter) {
        const quern_argument *argument = &arguments[i];
        if (memo->serials[i]) {
            if (!same_view(&memo->arguments[i], memo->serials[i], parameter, device, argument))
                return 0;
        } else {
            if (argument->kind != QUERN_ARGUMENT_VALUE || !same_type(argument->type, parameter->type) ||
                !argument->data)
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
        memo->serials[i] = 0;
        if (argument->form == QUERN_PARAMETER_VALUE)
            continue;
        if (argument->form > QUERN_PARAMETER_INOUT || argument->rank != 1 || argument->length == 0 ||
            used == checked->use_count)
            return;
        const quern_buffer_use *use = &checked->uses[used];
        if (!use->box.whole || argument->address != use->buffer->address || use->buffer->layout.rank != 1)
            return;
        /* What belonged to the view of that launch is now the buffer's: it lives as long as the memo fits. */
        memo->arguments[i].extents = use->buffer->layout.extents;
        memo->arguments[i].pitches = use->buffer->layout.pitches;
        memo->serials[i] = use->buffer->serial;
        memo->uses[used].buffer = use->buffer;
        memo->uses[used].write = use->write;
        memo->uses[used++].box.whole = 1;
    }
    memo->use_count = used;
    memo->forgotten = forgotten;
    memo->launch = *launch;
    memo->launch.arguments = memo->arguments;
    atomic_store_explicit(&memo->kernel, launch->kernel, memory_order_relaxed);
}
