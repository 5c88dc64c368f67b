/*
 * Spares: threads that serve a device's ready queues while every worker is inside a host function.
 *
 * A host function may wait for anything, so for what another queue of the device has still to run, too. When a queue is
 * ready and all workers are inside host functions, a spare goes on guard. When they all are still in the same functions
 * a moment later, and wait there, it serves queues like a worker, but takes no pieces of launches, until one of them is
 * back. A function that it runs counts like a worker's: so there are at most as many spares as functions that wait at
 * once, and the guard. Functions that are short, which is most, never have to wait for a thread that starts.
 */
#ifndef QUERN_BACKEND_CPU_SPARE_H
#define QUERN_BACKEND_CPU_SPARE_H

#include "cpu_pool.h"

/* A thread's calling: what the guard's looks at it in the same function add up to. A function is long when it has
 * waited at two of them, or computed at a hundred: one that computes brings its queue on, and another thread beside it
 * would be one more than the device has. */
enum { QUERN_CPU_CALL_NONE, QUERN_CPU_CALL_BEGUN, QUERN_CPU_CALL_LONG = 101 };
enum { QUERN_CPU_LOOK_COMPUTES = 1, QUERN_CPU_LOOK_WAITS = 50 };

/* Something is ready, or a host function has begun: calls a spare if the device has queues that nobody can serve. When
 * none can be started they wait until a function returns. */
void quern_cpu_spare_call(struct quern_cpu_device *device);

/* Joins the device's spares. It is ending, and its workers have ended. */
void quern_cpu_spares_stop(struct quern_cpu_device *device);

/* Around a host function; worker is NULL for a thread that is not of the pool. 1 when end is to be called. */
static inline int quern_cpu_spare_call_begins(struct quern_cpu_worker *worker)
{
    if (!worker || atomic_load_explicit(&worker->calling, memory_order_relaxed))
        return 0;
    /* Before the count is read: who makes a queue ready counts it first and looks at calling then. */
    atomic_store(&worker->calling, QUERN_CPU_CALL_BEGUN);
    if (atomic_load(&worker->device->ready_count))
        quern_cpu_spare_call(worker->device);
    return 1;
}

static inline void quern_cpu_spare_call_ends(struct quern_cpu_worker *worker)
{
    atomic_store_explicit(&worker->calling, QUERN_CPU_CALL_NONE, memory_order_release);
}

#endif
