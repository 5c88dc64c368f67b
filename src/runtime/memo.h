/*
 * What a queue remembers of its last launches, so that the same one again need not be looked at in full.
 *
 * A program's loop launches one kernel over the same buffers time and again. A memo holds what was found the first
 * time (the checked arguments, their uses, what the backend gets), and a launch that is the same in everything that
 * was checked takes it from there; only values are read anew. It covers the plain case: a kernel without groups, over a
 * range of one dimension without offset, whose arguments are whole buffers of one dimension and values. Memos belong to
 * the queue and are guarded by its lock.
 */
#ifndef QUERN_RUNTIME_MEMO_H
#define QUERN_RUNTIME_MEMO_H

#include <stdatomic.h>
#include <stddef.h>

#include "arguments.h"
#include "kernel.h"

enum { QUERN_MEMOS = 4, QUERN_MEMO_ARGUMENTS = 6, QUERN_MEMO_KEPT_BYTES = 512 };

/* What a remembered argument has to be again. */
typedef struct quern_memo_argument {
    uint64_t serial; /* of the buffer; 0: a value */
    uint64_t type;   /* the parameter's, as eight bytes */
    void *address;
    size_t length;
    uint32_t size;             /* of an element */
    uint16_t kind, other_kind; /* kinds of argument that will do */
} quern_memo_argument;

/* What a launch that is the same again looks at comes first, and close together: the kernel's data fill the cache. */
typedef struct quern_memo {
    _Atomic(const quern_kernel *) kernel; /* NULL: empty. Also read without the lock, for a guess */
    uint64_t forgotten;                   /* quern_kernels_forgotten when it was made */
    size_t items, argument_count, use_count;
    quern_memo_argument wanted[QUERN_MEMO_ARGUMENTS];
    quern_whole_use whole[QUERN_MEMO_ARGUMENTS];
    _Alignas(max_align_t) char kept[QUERN_MEMO_KEPT_BYTES]; /* the backend's; see quern_backend_launch */
    quern_backend_launch launch;                            /* its arguments are those below */
    quern_backend_argument arguments[QUERN_MEMO_ARGUMENTS];
    quern_buffer_use uses[QUERN_MEMO_ARGUMENTS];
} quern_memo;

/* Grows whenever a program is released: a kernel's address may then be another kernel's. */
extern _Atomic uint64_t quern_kernels_forgotten;

/* Where a launch would be remembered: by its kernel and its first buffer, so that a loop that swaps two buffers has a
 * memo for each way. */
static inline size_t quern_memo_place(const quern_kernel *kernel, const quern_argument *arguments, size_t count)
{
    uintptr_t mixed = (uintptr_t)kernel >> 4;
    if (count && arguments &&
        (arguments[0].kind == QUERN_ARGUMENT_VIEW || arguments[0].kind == QUERN_ARGUMENT_CONST_VIEW) &&
        arguments[0].data)
        mixed += (uintptr_t)((const quern_view *)arguments[0].data)->buffer >> 6;
    return (size_t)((mixed ^ (mixed >> 5)) % QUERN_MEMOS);
}

static inline int quern_memo_covers(const quern_kernel *kernel, const quern_range *range, size_t count)
{
    return kernel->rank == 1 && !kernel->is_group && range && range->extents.rank == 1 && range->offsets[0] == 0 &&
           range->group_rank == 0 && count <= QUERN_MEMO_ARGUMENTS;
}

/* 1 when the launch, which is covered, is the one remembered; the values are then those of arguments. */
int quern_memo_recall(quern_memo *memo, const quern_device *device, const quern_range *range,
                      const quern_argument *arguments, size_t count);

/* Remembers a launch that is covered and has been found right, unless an argument is not plain. */
void quern_memo_keep(quern_memo *memo, const quern_checked_arguments *checked, const quern_backend_launch *launch,
                     uint64_t forgotten);

#endif
