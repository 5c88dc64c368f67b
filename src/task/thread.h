/*
 * Task threads: each runs its tasks in turns, begins new ones, and sleeps when there are none.
 *
 * A thread has a list of tasks that are ready to go on, an inbox where other threads put those that they make ready,
 * and a queue of fresh ones, which its own tasks spawned. One more queue of fresh tasks is for all threads: what was
 * spawned elsewhere. Ready and fresh tasks take turns.
 *
 * The memory of a thread is never freed: who makes a task ready looks, when he has handed it over, whether its thread
 * sleeps, and by then the task may have ended and the library been shut down. A later life uses it again.
 */
#ifndef QUERN_TASK_THREAD_H
#define QUERN_TASK_THREAD_H

#include <pthread.h>

#include "list.h"
#include "task.h"

/* gone: joined, or detached and ended */
typedef struct quern_task_counters {
    _Atomic uint64_t spawned, ended, gone, switches;
} quern_task_counters;

struct quern_task_thread {
    /* Written by other threads. */
    _Alignas(QUERN_TASK_LINES) quern_task_body *_Atomic inbox; /* linked by next, the latest first */
    _Atomic uint32_t asleep;                                   /* 1: whoever makes it 0 wakes it */

    quern_task_fresh fresh;

    /* Its own. */
    _Alignas(QUERN_TASK_LINES) quern_task_list ready;
    quern_task_body *running;
    quern_task_list bodies; /* free ones; see body.c */
    uint32_t turn;
    uint32_t index;
    quern_fibre own; /* the thread's own stack */
    quern_task_counters counters;
    pthread_t thread;

    /* idle.c's */
    int is_searching, is_watching;
    uint32_t calm; /* looks as a watcher that found nothing */
    int is_listed; /* these under the lock of the list of idle threads */
    quern_task_thread *next_idle, **idle_link;
};

/* The calling thread, if it is one of them. */
extern _Thread_local quern_task_thread *quern_task_thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The memory of threads. One that became too small for a later life stays in the list. */
typedef struct quern_task_block {
    quern_task_thread *threads;
    uint32_t count;
    struct quern_task_block *before;
} quern_task_block;

/* What all threads share. */
typedef struct quern_task_threads {
    _Atomic uint32_t count; /* 0: not started */
    quern_task_thread *all; /* count of them, good while count is not 0 */
    quern_task_fresh fresh;
    quern_task_counters counters; /* of what other threads do */
    quern_task_block *_Atomic blocks;
    _Atomic uint32_t stopping;
} quern_task_threads;
extern quern_task_threads quern_task_pool;

/* ---- threads.c ---- */

/* Sees to it that there are threads. SYSTEM_ERROR, OUT_OF_MEMORY, or why there are no CPU devices. */
quern_status quern_task_threads_start_slow(void);

static inline quern_status quern_task_threads_start(void)
{
    return atomic_load_explicit(&quern_task_pool.count, memory_order_acquire) ? QUERN_SUCCESS
                                                                              : quern_task_threads_start_slow();
}

/* ---- queue.c: which task is next ---- */

/* A fresh task, for whoever comes first; a thread is woken for it if need be. */
void quern_task_submit(quern_task_body *body);

/* One that was parked may go on. From any thread. The body is not touched any more. */
void quern_task_make_ready(quern_task_body *body);

/* The thread's next task, at once, or NULL. */
quern_task_body *quern_task_thread_look(quern_task_thread *thread);

/* 1 when the thread has one. */
int quern_task_thread_has_any(quern_task_thread *thread);

/* ---- idle.c: threads without a task ---- */

/* The next task of a thread that has found none; sleeps until there is one. NULL: the thread is to end. */
quern_task_body *quern_task_thread_search(quern_task_thread *thread);

/* A fresh task was added to a queue, which holds so many now: somebody has to come for it, or at least to watch that
 * its own thread does (is_own). */
void quern_task_call_for(size_t count, int is_own);

/* Wakes the thread if it sleeps. */
void quern_task_thread_wake(quern_task_thread *thread);

/* ---- statistics.c ---- */

typedef struct quern_task_sums {
    uint64_t spawned, ended, gone, switches;
} quern_task_sums;

/* Of all threads, since the library's start. While others count, none is too large beside spawned. */
quern_task_sums quern_task_sum(void);

/* One more; the thread's own counters are written by it alone. */
#define QUERN_TASK_COUNT(name)                                                                                         \
    do {                                                                                                               \
        quern_task_thread *counting = quern_task_thread_self;                                                          \
        if (counting)                                                                                                  \
            quern_task_count_own(&counting->counters.name);                                                            \
        else                                                                                                           \
            atomic_fetch_add_explicit(&quern_task_pool.counters.name, 1, memory_order_relaxed);                        \
    } while (0)

static inline void quern_task_count_own(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_release);
}

#endif
