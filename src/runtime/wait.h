/*
 * Waiting on the host: in a task, in a coroutine of the program (quern_wait_hooks_set), or in a thread.
 *
 * A wait cell is one wait of whoever called quern_wait_begin; it lies on the waiter's stack. Whoever is to end the wait
 * keeps its address, and wakes it exactly once:
 *
 *     quern_wait_cell cell;
 *     quern_wait_begin(&cell);
 *     put &cell into a list, under the list's lock; if there is nothing to wait for after all: quern_wait_end(&cell)
 *     status = quern_wait_park(&cell);
 *     if (status != QUERN_SUCCESS)
 *         take &cell off the list if it is there still: quern_wait_end(&cell); else quern_wait_settle(&cell)
 */
#ifndef QUERN_RUNTIME_WAIT_H
#define QUERN_RUNTIME_WAIT_H

#include <pthread.h>
#include <stdatomic.h>

#include <quern/task.h>

#include "base/coroutine.h"

typedef struct quern_wait_cell {
    quern_coroutine *coroutine; /* the task that waits, or NULL */
    void *foreign;              /* the program's coroutine that waits, by the hooks; or NULL */
    quern_wait_hooks hooks;     /* as they were when the wait began */
    _Atomic int state;          /* of a foreign wait */
    int is_woken;               /* of a thread's, with the two below */
    pthread_mutex_t lock;
    pthread_cond_t wake;
} quern_wait_cell;

/* 0: it cannot be, as in a program without tasks and hooks. Read at every command, so without a call. */
extern _Atomic int quern_wait_have_hooks __attribute__((visibility("hidden")));
static inline int quern_wait_may_be_cooperative(void)
{
    return quern_coroutine_self != NULL || atomic_load_explicit(&quern_wait_have_hooks, memory_order_relaxed) != 0;
}

/* 1 when a wait of the caller hands its thread to others: in a task, and in a coroutine of the program. Then nothing is
 * worked along either, as that would be on the coroutine's stack and in the others' time. */
int quern_wait_is_cooperative(void);

/* The caller is about to wait; no lock is held that a coroutine of the program may want. */
void quern_wait_begin(quern_wait_cell *cell);

/* Returns when the cell has been woken, perhaps before this; nobody knows the cell any more then. A failure (only of a
 * hook; with a sentence): it has not been waited, and whoever is to wake the cell may do so still. */
quern_status quern_wait_park(quern_wait_cell *cell);

/* Ends the wait; any thread, any task. The last that the caller may do with the cell. No lock is held that the waiter
 * or a coroutine of the program may want. */
void quern_wait_wake(quern_wait_cell *cell);

/* Instead of a park, or after one that failed: nobody will wake the cell. */
void quern_wait_end(quern_wait_cell *cell);

/* After a park that failed, when the cell was or will be woken all the same: returns when whoever wakes is through with
 * it. */
void quern_wait_settle(quern_wait_cell *cell);

#endif
