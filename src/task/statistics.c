/* What tasks have done so far, and what the caller is. */
#include <sched.h>
#include <stddef.h>

#include "base/forked.h"
#include "thread.h"

/* ---- counters ---- */

/* One kind of them, by its place in the counters. Those of a life stay where they are in the next one, and go on. */
static uint64_t sum_of(size_t place)
{
#define COUNTER(counters) ((const _Atomic uint64_t *)(const void *)((const char *)(counters) + place))
    uint64_t sum = atomic_load_explicit(COUNTER(&quern_task_pool.counters), memory_order_acquire);
    quern_task_block *block = atomic_load_explicit(&quern_task_pool.blocks, memory_order_acquire);
    for (; block; block = block->before)
        for (uint32_t i = 0; i < block->count; ++i)
            sum += atomic_load_explicit(COUNTER(&block->threads[i].counters), memory_order_acquire);
    return sum;
#undef COUNTER
}

/* In this order: a task that one of the sums has missed is in none of those that were made before. */
quern_task_sums quern_task_sum(void)
{
    quern_task_sums sums;
    sums.gone = sum_of(offsetof(quern_task_counters, gone));
    sums.ended = sum_of(offsetof(quern_task_counters, ended));
    sums.switches = sum_of(offsetof(quern_task_counters, switches));
    sums.spawned = sum_of(offsetof(quern_task_counters, spawned));
    return sums;
}

quern_status quern_task_get_statistics(quern_task_statistics *statistics)
{
    if (!statistics)
        return quern_fail(QUERN_INVALID_ARGUMENT, "statistics is NULL, wanted a place for the result");
    quern_task_sums sums = quern_task_sum();
    *statistics = (quern_task_statistics){sums.spawned, sums.ended, sums.switches,
                                          atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed)};
    return QUERN_SUCCESS;
}

/* ---- the caller ---- */

quern_status quern_task_is_inside(int *inside)
{
    if (!inside)
        return quern_fail(QUERN_INVALID_ARGUMENT, "inside is NULL, wanted a place for the result");
    *inside = quern_coroutine_self != NULL;
    return QUERN_SUCCESS;
}

quern_status quern_yield(void)
{
    quern_coroutine *self = quern_coroutine_self;
    if (self && !quern_process_is_forked() && quern_task_thread_has_any(quern_task_thread_self))
        self->yield(self);
    else
        sched_yield(); /* with nothing else to do here, other threads may be waiting for the processor */
    return QUERN_SUCCESS;
}
