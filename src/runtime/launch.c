/* Launching a kernel: the range, the group size, then the queue. */
#include <quern/launch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "ask.h"
#include "device.h"
#include "graph.h"
#include "held.h"
#include "kernel.h"
#include "launch.h"
#include "layout.h"
#include "memo.h"
#include "queue.h"

/* ---- the range ---- */

static quern_status check_range(const quern_kernel *kernel, const quern_range *range, size_t *items)
{
    if (!range)
        return quern_fail(QUERN_INVALID_ARGUMENT, "range is NULL, wanted the ndrange of kernel '%s'", kernel->name);
    uint32_t rank = range->extents.rank;
    if (rank == 1 && kernel->rank == 1 && range->extents.n[0] <= PTRDIFF_MAX && range->offsets[0] == 0) {
        *items = range->extents.n[0]; /* the most common one, and nothing wrong with it */
        return QUERN_SUCCESS;
    }
    if (rank > QUERN_MAX_RANK)
        return quern_fail(QUERN_INVALID_SHAPE, "range has rank %u, wanted at most %d", rank, QUERN_MAX_RANK);
    if (kernel->rank >= 0 && rank != (uint32_t)kernel->rank)
        return quern_fail(QUERN_INVALID_SHAPE, "range has rank %u, wanted rank %d for kernel '%s'", rank, kernel->rank,
                          kernel->name);
    size_t count = 1;
    int overflow = 0;
    for (uint32_t d = 0; d < rank; ++d) {
        size_t extent = range->extents.n[d];
        ptrdiff_t end;
        if (extent > PTRDIFF_MAX)
            return quern_fail(QUERN_INVALID_SHAPE, "range has the extent %td along dimension %u, wanted 0 to 2^63 - 1",
                              (ptrdiff_t)extent, d);
        if (quern_add_overflows((ptrdiff_t)extent, range->offsets[d], &end))
            return quern_fail(QUERN_OVERFLOW,
                              "range has extent %zu and offset %td along dimension %u, whose sum passes "
                              "2^63 - 1",
                              extent, range->offsets[d], d);
        overflow |= quern_multiply_overflows(count, extent, &count);
    }
    for (uint32_t d = 0; d < rank; ++d)
        if (range->extents.n[d] == 0) {
            *items = 0;
            return QUERN_SUCCESS;
        }
    if (overflow || count > PTRDIFF_MAX)
        return quern_fail(QUERN_OVERFLOW, "range of kernel '%s' has extents whose product passes 2^63 - 1",
                          kernel->name);
    *items = count;
    return QUERN_SUCCESS;
}

/* ---- the group size ---- */

static void write_group(char *text, size_t size, uint32_t rank, const size_t *group)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t d = 0; d < rank && used + 1 < size; ++d) {
        int written = snprintf(text + used, size - used, d ? ",%zu" : "%zu", group[d]);
        used += written > 0 ? (size_t)written : 0;
    }
}

/* The caller's group size against the kernel's own. */
static quern_status check_callers_group(const quern_kernel *kernel, const quern_range *range)
{
    if (range->group_rank > 3)
        return quern_fail(QUERN_INVALID_SHAPE, "range has a group of rank %u, wanted at most 3", range->group_rank);
    if (range->group_rank != range->extents.rank)
        return quern_fail(QUERN_INVALID_SHAPE, "range has a group of rank %u, wanted rank %u as its extents",
                          range->group_rank, range->extents.rank);
    for (uint32_t d = 0; d < range->group_rank; ++d) {
        if (range->group[d] == 0 || range->group[d] > PTRDIFF_MAX)
            return quern_fail(QUERN_INVALID_ARGUMENT,
                              "range has the group size %td along dimension %u, wanted at least 1",
                              (ptrdiff_t)range->group[d], d);
        if (kernel->is_group && kernel->group[d] && kernel->group[d] != range->group[d])
            return quern_fail(QUERN_INVALID_ARGUMENT,
                              "range has the group size %zu along dimension %u, wanted %zu, which kernel '%s' fixes",
                              range->group[d], d, kernel->group[d], kernel->name);
    }
    return QUERN_SUCCESS;
}

static quern_status check_group_limits(const quern_device *device, const quern_kernel *kernel,
                                       const quern_kernel_limits *limits, uint32_t rank, const size_t *group)
{
    size_t items = 1;
    int overflow = 0;
    char text[80];
    for (uint32_t d = 0; d < rank; ++d) {
        uint64_t largest = device->info.largest_group[3 - rank + d];
        overflow |= quern_multiply_overflows(items, group[d], &items);
        if (largest && group[d] > largest)
            return quern_fail(QUERN_LIMIT_EXCEEDED,
                              "kernel '%s' has the group size %zu along dimension %u, wanted at most %llu on %s",
                              kernel->name, group[d], d, (unsigned long long)largest, device->info.name);
    }
    uint64_t largest = device->info.largest_group_items; /* 0, unknown: the kernel's own limit alone */
    if (limits->group_items && (largest == 0 || limits->group_items < largest))
        largest = limits->group_items;
    if (!overflow && (items <= largest || largest == 0))
        return QUERN_SUCCESS;
    write_group(text, sizeof text, rank, group);
    return quern_fail(QUERN_LIMIT_EXCEEDED, "kernel '%s' has groups of %s items, wanted at most %llu in all on %s",
                      kernel->name, text, (unsigned long long)largest, device->info.name);
}

/* A backend's own choice, of which at least no size is 0: the launch divides by it. */
static quern_status ask_for_group(quern_device *device, const quern_kernel *kernel, const quern_built_kernel *built,
                                  const quern_range *range, size_t *group)
{
    const uint32_t rank = kernel->group_rank;
    quern_status status = quern_ask_launch_configuration(device, kernel, built->compiled, rank, range->extents.n,
                                                         built->limits.group_items, group);
    for (uint32_t d = 0; d < rank && status == QUERN_SUCCESS; ++d)
        if (group[d] == 0 || group[d] > PTRDIFF_MAX)
            return quern_fail(QUERN_INTERNAL,
                              "backend \"%s\" chose the group size %td along dimension %u for kernel '%s' from "
                              "launch_configuration, wanted at least 1",
                              device->backend->name, (ptrdiff_t)group[d], d, kernel->name);
    return status;
}

/* The group size of a group kernel's launch: the kernel's own, the caller's, or the backend's choice. */
static quern_status choose_group(quern_device *device, const quern_kernel *kernel, const quern_built_kernel *built,
                                 const quern_range *range, size_t *group)
{
    uint32_t rank = kernel->group_rank;
    if (kernel->group[0]) {
        memcpy(group, kernel->group, sizeof kernel->group);
    } else if (range->group_rank) {
        memcpy(group, range->group, sizeof range->group);
    } else if (device->backend->launch_configuration) {
        quern_status status = ask_for_group(device, kernel, built, range, group);
        if (status != QUERN_SUCCESS)
            return status;
    } else {
        quern_launch_default_group(&device->info, rank, range->extents.n, built->limits.group_items, group);
    }
    return check_group_limits(device, kernel, &built->limits, rank, group);
}

static quern_status count_groups(const quern_kernel *kernel, const quern_range *range, const size_t *group,
                                 size_t *groups)
{
    size_t padded_product = 1;
    for (uint32_t d = 0; d < kernel->group_rank; ++d) {
        size_t padded;
        if (quern_add_overflows(range->extents.n[d], group[d] - 1, &padded) || padded > PTRDIFF_MAX)
            return quern_fail(QUERN_OVERFLOW,
                              "range of kernel '%s' does not fit 63 bits when rounded up to whole groups",
                              kernel->name);
        groups[d] = padded / group[d];
        if (quern_multiply_overflows(padded_product, groups[d] * group[d], &padded_product) ||
            padded_product > PTRDIFF_MAX)
            return quern_fail(QUERN_OVERFLOW,
                              "range of kernel '%s' does not fit 63 bits when rounded up to whole groups",
                              kernel->name);
    }
    return QUERN_SUCCESS;
}

static quern_status check_local_memory(const quern_device *device, const quern_kernel *kernel,
                                       const quern_built_kernel *built, uint64_t parameters)
{
    uint64_t bytes;
    if (!quern_add_overflows(parameters, built->limits.local_bytes, &bytes) && bytes <= device->info.local_memory_bytes)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_LIMIT_EXCEEDED,
                      "kernel '%s' takes %llu bytes of local memory in its parameters and %llu of its own, wanted at "
                      "most %llu in all on %s",
                      kernel->name, (unsigned long long)parameters, (unsigned long long)built->limits.local_bytes,
                      (unsigned long long)device->info.local_memory_bytes, device->info.name);
}

/* ---- launching ---- */

/* A launch that did not just queue or run: one that failed, or is waited for. */
static __attribute__((noinline)) quern_status end(quern_queue *queue, uint64_t number, quern_status status,
                                                  const quern_backend_launch *launch)
{
    char what[96];
    what[0] = '\0';
    if (status != QUERN_SUCCESS)
        snprintf(what, sizeof what, "kernel '%s'", launch->kernel->name);
    return quern_queue_end(queue, number, status, what);
}

/* The queue is locked, and unlocked when this returns. */
static inline quern_status submit(quern_queue *queue, uint64_t number, const quern_backend_launch *launch)
{
    quern_status status = quern_ask_launch(queue, number, launch);
    if (status == QUERN_SUCCESS &&
        (queue->blocking ? quern_queue_has_ended(queue, number) : !quern_queue_is_holding(queue))) {
        quern_lock_release(&queue->lock);
        return QUERN_SUCCESS;
    }
    return end(queue, number, status, launch);
}

/* Room for the queue's memos; none when memory is exhausted, which is no failure. */
static quern_memo *memo_of(quern_queue *queue, size_t place)
{
    if (!queue->memos)
        __atomic_store_n(&queue->memos, calloc(QUERN_MEMOS, sizeof *queue->memos), __ATOMIC_RELEASE);
    return queue->memos ? &queue->memos[place] : NULL;
}

/* 1 when the launch, which is covered, is one that the queue remembers, and *status is what became of it. The kernel
 * may be anything: it is only compared with those that were found right. */
static inline int launch_again(quern_queue *queue, const quern_kernel *kernel, const quern_range *range,
                               const quern_argument *arguments, size_t count, quern_status *status)
{
    quern_memo *memo = __atomic_load_n(&queue->memos, __ATOMIC_ACQUIRE);
    if (!memo || !kernel)
        return 0;
    memo += quern_memo_place(kernel, arguments);
    if (atomic_load_explicit(&memo->kernel, memory_order_relaxed) != kernel)
        return 0; /* a guess, for the lock's sake */
    *status = quern_queue_lock(queue);
    if (*status != QUERN_SUCCESS)
        return 1;
    if (!quern_memo_recall(memo, queue->device, kernel, range, arguments, count)) {
        quern_lock_release(&queue->lock);
        return 0;
    }
    uint64_t number;
    *status = quern_queue_begin_again(queue, memo->whole, memo->uses, memo->use_count, &number);
    if (*status == QUERN_SUCCESS)
        *status = submit(queue, number, &memo->launch);
    return 1;
}

quern_status quern_launch_prepare(quern_device *device, quern_kernel *kernel, const quern_range *range,
                                  const quern_argument *arguments, size_t count, quern_checked_arguments *checked,
                                  quern_backend_launch *launch)
{
    quern_status status = check_range(kernel, range, &launch->items);
    if (status == QUERN_SUCCESS && range->group_rank)
        status = check_callers_group(kernel, range);
    if (status == QUERN_SUCCESS)
        status = quern_arguments_check(device, kernel, arguments, count, checked);
    if (status != QUERN_SUCCESS || launch->items == 0)
        return status;

    const quern_built_kernel *built;
    status = quern_kernel_on_device(kernel, device, &built);
    if (status != QUERN_SUCCESS)
        return status;
    if (kernel->is_group) {
        status = choose_group(device, kernel, built, range, launch->group);
        if (status == QUERN_SUCCESS)
            status = count_groups(kernel, range, launch->group, launch->groups);
        if (status == QUERN_SUCCESS)
            status = check_local_memory(device, kernel, built, checked->local_bytes);
    } else {
        memset(launch->group, 0, sizeof launch->group);
        if (range->group_rank) {
            status = check_group_limits(device, kernel, &built->limits, range->group_rank, range->group);
            memcpy(launch->group, range->group, range->group_rank * sizeof launch->group[0]);
        }
    }
    if (status != QUERN_SUCCESS)
        return status;

    launch->kernel = kernel;
    launch->compiled = built->compiled;
    launch->rank = range->extents.rank;
    /* All entries: a few moves instead of a loop. */
    memcpy(launch->extents, range->extents.n, sizeof launch->extents);
    memcpy(launch->offsets, range->offsets, sizeof launch->offsets);
    launch->argument_count = count;
    launch->arguments = checked->arguments;
    launch->kept = NULL;
    launch->kept_bytes = 0;
    return QUERN_SUCCESS;
}

/* A launch that is looked at in full, and remembered if it is covered; or a captured one. Apart from quern_launch,
 * whose short way would else pay for this one's registers and stack. */
static __attribute__((noinline)) quern_status launch_in_full(quern_queue *queue, quern_kernel *kernel,
                                                             const quern_range *range, const quern_argument *arguments,
                                                             size_t count)
{
    quern_status status = quern_kernel_check(kernel);
    if (status != QUERN_SUCCESS)
        return status;
    if (quern_queue_is_captured(queue) && quern_graph_record_launch(queue, kernel, range, arguments, count, &status))
        return status;
    uint64_t forgotten = atomic_load_explicit(&quern_kernels_forgotten, memory_order_relaxed);
    quern_backend_launch launch;
    quern_checked_arguments checked;
    status = quern_launch_prepare(queue->device, kernel, range, arguments, count, &checked, &launch);
    if (status != QUERN_SUCCESS || launch.items == 0)
        return status;
    status = quern_queue_lock(queue);
    if (status != QUERN_SUCCESS)
        return status;
    quern_memo *memo = quern_memo_covers_kernel(kernel) && quern_memo_covers(range, arguments, count)
                           ? memo_of(queue, quern_memo_place(kernel, arguments))
                           : NULL;
    if (memo)
        quern_memo_keep(memo, queue->progress, arguments, &checked, &launch, forgotten);
    uint64_t number;
    status = quern_queue_begin_locked(queue, checked.uses, checked.use_count, &number);
    return status == QUERN_SUCCESS ? submit(queue, number, &launch) : status;
}

quern_status quern_launch(quern_queue *queue, quern_kernel *kernel, const quern_range *range,
                          const quern_argument *arguments, size_t count)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!quern_queue_is_captured(queue) && quern_memo_covers(range, arguments, count) &&
        launch_again(queue, kernel, range, arguments, count, &status))
        return status;
    return launch_in_full(queue, kernel, range, arguments, count);
}

quern_status quern_launch_configuration(quern_device *device, quern_kernel *kernel, const quern_range *range,
                                        quern_range *chosen)
{
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = quern_kernel_check(kernel);
    if (status != QUERN_SUCCESS)
        return status;
    if (!chosen)
        return quern_fail(QUERN_INVALID_ARGUMENT, "chosen is NULL, wanted a place for the result");
    if (!kernel->is_group)
        return quern_fail(QUERN_INVALID_ARGUMENT, "kernel '%s' has no groups, wanted a GROUP_KERNEL", kernel->name);
    size_t items;
    status = check_range(kernel, range, &items);
    if (status == QUERN_SUCCESS && range->group_rank)
        status = check_callers_group(kernel, range);
    if (status != QUERN_SUCCESS)
        return status;
    if (items == 0)
        return quern_fail(QUERN_INVALID_SHAPE, "range is empty, wanted at least one item");
    const quern_built_kernel *built;
    size_t group[3] = {0, 0, 0};
    status = quern_kernel_on_device(kernel, device, &built);
    if (status == QUERN_SUCCESS)
        status = choose_group(device, kernel, built, range, group);
    if (status != QUERN_SUCCESS)
        return status;
    *chosen = *range;
    chosen->group_rank = kernel->group_rank;
    memcpy(chosen->group, group, sizeof group);
    return QUERN_SUCCESS;
}
