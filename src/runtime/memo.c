/* Launches that are the same again: keeping them. */
#include "memo.h"

_Atomic uint64_t quern_kernels_forgotten;

int quern_memo_has_box(const quern_memo_argument *wanted, const quern_device *device, const quern_view *view)
{
    const quern_layout *layout = &view->span.layout, *same = wanted->layout;
    return layout->rank == same->rank && view->span.address == wanted->address && view->device == device &&
           quern_memo_type(layout->type) == quern_memo_type(same->type) &&
           memcmp(layout->extents, same->extents, same->rank * sizeof layout->extents[0]) == 0 &&
           memcmp(layout->pitches, same->pitches, same->rank * sizeof layout->pitches[0]) == 0 &&
           wanted->buffer->serial == wanted->serial;
}

/* Where the argument's extents and pitches are, which lived in the view of that launch: in the buffer, as long as the
 * memo fits, or with the memo. */
static void keep_shape(quern_memo *memo, size_t i, const quern_buffer *buffer, const quern_view *view)
{
    const quern_layout *layout = &buffer->layout;
    if (memo->arguments[i].rank > 1) {
        memo->layouts[i] = view->span.layout;
        memo->wanted[i].layout = layout = &memo->layouts[i];
    }
    memo->arguments[i].extents = layout->extents;
    memo->arguments[i].pitches = layout->pitches;
}

void quern_memo_keep(quern_memo *memo, const quern_progress *progress, const quern_argument *arguments,
                     const quern_checked_arguments *checked, const quern_backend_launch *launch, uint64_t forgotten)
{
    size_t used = 0;
    atomic_store_explicit(&memo->kernel, NULL, memory_order_relaxed);
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &checked->arguments[i];
        memo->arguments[i] = *argument;
        memo->wanted[i] = (quern_memo_argument){.kind = arguments[i].kind, .size = argument->size};
        if (argument->form == QUERN_PARAMETER_VALUE) {
            memo->wanted[i].head = quern_memo_head(&arguments[i]);
            memo->wanted[i].value = &memo->arguments[i].address;
            continue;
        }
        if (argument->form > QUERN_PARAMETER_INOUT_ND || argument->rank < 1 || argument->rank > QUERN_MEMO_RANK ||
            argument->length == 0 || used == checked->use_count)
            return;
        const quern_buffer_use *use = &checked->uses[used];
        if (!use->box.whole || argument->address != use->buffer->address ||
            (argument->rank == 1 && use->buffer->layout.rank != 1))
            return;
        keep_shape(memo, i, use->buffer, arguments[i].data);
        memo->wanted[i].buffer = use->buffer;
        memo->wanted[i].type = quern_memo_type(launch->kernel->parameters[i].type);
        memo->wanted[i].address = argument->address;
        memo->wanted[i].length = argument->length;
        memo->wanted[i].serial = use->buffer->serial;
        memo->whole[used] = (quern_whole_use){use->buffer, quern_use_mark(progress, use->write)};
        memo->uses[used].buffer = use->buffer;
        memo->uses[used].write = use->write;
        memo->uses[used++].box.whole = 1;
    }
    memo->use_count = used;
    memo->forgotten = forgotten;
    memo->slowest = launch->extents[0];
    memo->rank = launch->rank;
    memo->argument_count = launch->argument_count;
    memo->launch = *launch;
    memo->launch.arguments = memo->arguments;
    memset(memo->kept, 0, sizeof memo->kept);
    memo->launch.kept = memo->kept;
    memo->launch.kept_bytes = sizeof memo->kept;
    atomic_store_explicit(&memo->kernel, launch->kernel, memory_order_relaxed);
}
