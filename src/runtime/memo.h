/*
 * What a queue remembers of its last launches, so that the same one again need not be looked at in full.
 *
 * A program's loop launches one kernel over the same buffers time and again. A memo holds what was found the first
 * time (the checked arguments, their uses, what the backend gets), and a launch that is the same in everything that
 * was checked takes it from there; only values are read anew. It covers the plain case: a kernel without groups, over a
 * range of one to three dimensions without offset, whose arguments, one at least, are whole buffers of as many and
 * values. Memos belong to the queue and are guarded by its lock.
 */
#ifndef QUERN_RUNTIME_MEMO_H
#define QUERN_RUNTIME_MEMO_H

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "arguments.h"
#include "kernel.h"

enum { QUERN_MEMOS = 4, QUERN_MEMO_ARGUMENTS = 6, QUERN_MEMO_RANK = 3, QUERN_MEMO_KEPT_BYTES = 512 };

/* What a remembered argument has to be again. */
typedef struct quern_memo_argument {
    const quern_buffer *buffer; /* NULL: a value */
    uint32_t kind;              /* of the argument as it came: if another one would do, that is looked at in full */
    uint32_t size;              /* of an element, or of the value */
    uint64_t head;              /* of a value: quern_memo_head */
    void **value;               /* likewise: where its address goes */
    uint64_t type;              /* of a view, with all below: as eight bytes */
    const void *address;
    size_t length;
    uint64_t serial;            /* of the buffer */
    const quern_layout *layout; /* of a view of several dimensions, instead of type and length; else NULL */
} quern_memo_argument;

/* What a launch that is the same again looks at comes first, and close together: the kernel's data fill the cache. */
typedef struct quern_memo {
    _Atomic(const quern_kernel *) kernel;      /* NULL: empty. Also read without the lock, for a guess */
    uint64_t forgotten;                        /* quern_kernels_forgotten when it was made */
    size_t slowest, argument_count, use_count; /* slowest: the range's first extent */
    uint32_t rank;
    quern_memo_argument wanted[QUERN_MEMO_ARGUMENTS];
    quern_whole_use whole[QUERN_MEMO_ARGUMENTS];
    _Alignas(max_align_t) char kept[QUERN_MEMO_KEPT_BYTES]; /* the backend's; see quern_backend_launch */
    quern_backend_launch launch;                            /* its arguments are those below */
    quern_backend_argument arguments[QUERN_MEMO_ARGUMENTS];
    quern_buffer_use uses[QUERN_MEMO_ARGUMENTS];
    quern_layout layouts[QUERN_MEMO_ARGUMENTS]; /* of views of several dimensions */
} quern_memo;

/* Grows whenever a program is released: a kernel's address may then be another kernel's. */
extern _Atomic uint64_t quern_kernels_forgotten __attribute__((visibility("hidden")));

/* Of a range of at most QUERN_MEMO_RANK dimensions. */
static inline int quern_memo_begins_at_0(const quern_range *range)
{
    const uint32_t rank = range->extents.rank;
    return range->offsets[0] == 0 && (rank == 1 || (range->offsets[1] == 0 && (rank == 2 || range->offsets[2] == 0)));
}

/* Whether the launch can be remembered, as far as what comes with each launch says. */
static inline int quern_memo_covers(const quern_range *range, const quern_argument *arguments, size_t count)
{
    return range && range->extents.rank - 1 < QUERN_MEMO_RANK && range->group_rank == 0 && arguments &&
           count - 1 < QUERN_MEMO_ARGUMENTS /* neither is 0 */ && quern_memo_begins_at_0(range);
}

/* Where a launch that is covered would be remembered: by its kernel and its first buffer, so that a loop that swaps two
 * buffers has a memo for each way. */
static inline size_t quern_memo_place(const quern_kernel *kernel, const quern_argument *first)
{
    uintptr_t mixed = (uintptr_t)kernel >> 4;
    if ((first->kind == QUERN_ARGUMENT_VIEW || first->kind == QUERN_ARGUMENT_CONST_VIEW) && first->data)
        mixed += (uintptr_t)((const quern_view *)first->data)->buffer >> 6;
    return (size_t)((mixed ^ (mixed >> 5)) % QUERN_MEMOS);
}

static inline uint64_t quern_memo_type(quern_type type)
{
    uint64_t bits;
    _Static_assert(sizeof bits == sizeof type, "a type has no padding");
    memcpy(&bits, &type, sizeof bits);
    return bits;
}

/* An argument's kind, and its type's but for the size: apart, because a launch function mostly writes these two pieces,
 * and a processor has to wait where it reads at once what has just been written in two. */
static inline uint64_t quern_memo_head(const quern_argument *argument)
{
    uint64_t bits;
    _Static_assert(sizeof bits == offsetof(quern_argument, type.size), "a kind, and a type's begin");
    memcpy(&bits, argument, sizeof bits);
    return bits;
}

/* The same for a view of several dimensions. */
int quern_memo_has_box(const quern_memo_argument *wanted, const quern_device *device, const quern_view *view);

/* 1 when the view is of the buffer that was there before, and of all of it; a buffer's own shape never changes. Most
 * compares are made in any case, as mostly all hold: one branch instead of many. */
static inline int quern_memo_has_view(const quern_memo_argument *wanted, const quern_device *device,
                                      const quern_argument *argument)
{
    const quern_view *view = argument->data;
    if (argument->kind != wanted->kind || !view || view->buffer != wanted->buffer)
        return 0;
#ifdef QUERN_DEBUG
    if (quern_object_check((const quern_object *)view->buffer, QUERN_MARK_BUFFER, "buffer") != QUERN_SUCCESS)
        return 0;
#endif
    if (wanted->layout)
        return quern_memo_has_box(wanted, device, view);
    const quern_layout *layout = &view->span.layout;
    return ((layout->extents[0] ^ wanted->length) | ((uintptr_t)layout->pitches[0] ^ wanted->size) |
            ((uintptr_t)view->span.address ^ (uintptr_t)wanted->address) | (layout->rank ^ 1u) |
            ((uintptr_t)view->device ^ (uintptr_t)device) | (quern_memo_type(layout->type) ^ wanted->type) |
            (wanted->buffer->serial ^ wanted->serial)) == 0;
}

/* 1 when the value is one of the same type: then it is the launch's. */
static inline int quern_memo_has_value(const quern_memo_argument *wanted, const quern_argument *argument)
{
    if (quern_memo_head(argument) != wanted->head || argument->type.size != wanted->size || !argument->data)
        return 0;
    *wanted->value = (void *)argument->data;
    return 1;
}

/* 1 when the launch, which is covered, is the one remembered; the values are then those of arguments. Inline, as all
 * that a launch that comes again goes through is counted in instructions. */
static inline int quern_memo_recall(const quern_memo *memo, const quern_device *device, const quern_kernel *kernel,
                                    const quern_range *range, const quern_argument *arguments, size_t count)
{
    if (atomic_load_explicit(&memo->kernel, memory_order_relaxed) != kernel || memo->slowest != range->extents.n[0] ||
        memo->rank != range->extents.rank || memo->argument_count != count ||
        memo->forgotten != atomic_load_explicit(&quern_kernels_forgotten, memory_order_relaxed))
        return 0;
    if (memo->rank > 1 && memcmp(memo->launch.extents, range->extents.n, memo->rank * sizeof range->extents.n[0]) != 0)
        return 0;
    const quern_memo_argument *wanted = memo->wanted, *end = wanted + count;
    do
        if (!(wanted->buffer ? quern_memo_has_view(wanted, device, arguments)
                             : quern_memo_has_value(wanted, arguments)))
            return 0;
    while (++arguments, ++wanted != end);
    return 1;
}

/* 1 when launches of the kernel can be remembered. */
static inline int quern_memo_covers_kernel(const quern_kernel *kernel)
{
    return kernel->rank >= 1 && kernel->rank <= QUERN_MEMO_RANK && !kernel->is_group;
}

/* Remembers a launch on the progress's queue that is covered and has been found right, unless an argument is not plain.
 */
void quern_memo_keep(quern_memo *memo, const quern_progress *progress, const quern_argument *arguments,
                     const quern_checked_arguments *checked, const quern_backend_launch *launch, uint64_t forgotten);

#endif
