/* What every thread that runs kernels has: its scratch memory, and a place to sleep. */
#ifndef QUERN_BACKEND_CPU_THREAD_H
#define QUERN_BACKEND_CPU_THREAD_H

#include "base/park.h"

#include <quern/dialect/cpu_abi.h>

struct quern_cpu_worker;
struct quern_cpu_block;

struct quern_cpu_thread {
    struct quern_cpu_scratch scratch; /* first: grow gets no more than this */
    struct quern_cpu_block *blocks;   /* what grow gave beyond base */
    struct quern_cpu_worker *worker;  /* NULL for a thread that is not of the pool */
    int turn;                         /* 1: the last launch that ran here alone went from its last part to its first */
    quern_parker parker;              /* to sleep on until a worker has finished a piece */
    struct quern_cpu_thread *next, **link; /* of all threads */
};

/* A thread's record is made at its first use and freed when the thread ends, or by quern_cpu_threads_stop. */
quern_status quern_cpu_threads_start(void);
void quern_cpu_threads_stop(void);

quern_status quern_cpu_thread_make(struct quern_cpu_thread **thread);

/* Where a thread finds its record; one of an earlier start is no longer there. */
struct quern_cpu_thread_slot {
    struct quern_cpu_thread *thread;
    uintptr_t generation;
};

/* initial-exec: one load instead of a call, also in the shared library. */
extern _Thread_local struct quern_cpu_thread_slot quern_cpu_thread_slot
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern uintptr_t quern_cpu_thread_generation;

static inline quern_status quern_cpu_thread_self(struct quern_cpu_thread **thread)
{
    if (quern_cpu_thread_slot.generation != quern_cpu_thread_generation)
        return quern_cpu_thread_make(thread);
    *thread = quern_cpu_thread_slot.thread;
    return QUERN_SUCCESS;
}

/* cpu_scratch.c */
void quern_cpu_scratch_make(struct quern_cpu_thread *thread);
void quern_cpu_scratch_free(struct quern_cpu_thread *thread);

#endif
