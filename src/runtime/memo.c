/* Launches that are the same again: keeping them. */
#include "memo.h"

_Atomic uint64_t quern_kernels_forgotten;

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
        if (argument->form > QUERN_PARAMETER_INOUT || argument->rank != 1 || argument->length == 0 ||
            used == checked->use_count)
            return;
        const quern_buffer_use *use = &checked->uses[used];
        if (!use->box.whole || argument->address != use->buffer->address || use->buffer->layout.rank != 1)
            return;
        /* What belonged to the view of that launch is now the buffer's: it lives as long as the memo fits. */
        memo->arguments[i].extents = use->buffer->layout.extents;
        memo->arguments[i].pitches = use->buffer->layout.pitches;
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
    memo->items = launch->items;
    memo->argument_count = launch->argument_count;
    memo->launch = *launch;
    memo->launch.arguments = memo->arguments;
    memset(memo->kept, 0, sizeof memo->kept);
    memo->launch.kept = memo->kept;
    memo->launch.kept_bytes = sizeof memo->kept;
    atomic_store_explicit(&memo->kernel, launch->kernel, memory_order_relaxed);
}
