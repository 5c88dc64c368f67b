/*
 * How far a queue is: the numbers of its commands, what failed, who waits.
 *
 * A progress outlives its queue: events, buffers and other queues refer to a command as (progress,
 * number) long after the queue is gone. Progress objects are never freed before quern_shutdown but
 * used again for later queues, and a later queue goes on counting where the earlier one stopped, so
 * that `finished >= number` stays true for ever once it is.
 */
#ifndef QUERN_RUNTIME_PROGRESS_H
#define QUERN_RUNTIME_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include <quern/backend.h>

#include "base/circle.h"

enum { QUERN_PROGRESS_APART = 128 }; /* bytes: two lines, as processors fetch them in pairs */

struct quern_progress {
    _Atomic uint64_t finished; /* all commands up to this one have finished */
    _Atomic uint32_t waiting;  /* waiters in the list: lets `finished` skip the lock */
    _Atomic uint32_t failed;   /* an error sticks */

    /* Apart from what the finishing thread writes: two threads write here in turn, at every command. */
    char apart[QUERN_PROGRESS_APART];
    _Atomic uint64_t submitted; /* the latest command's number; written under the queue's lock */
    _Atomic uint32_t is_asked;  /* 1: the queue's backend says that a number has finished only when it was asked to */

    pthread_mutex_t lock; /* guards all below */
    quern_waiter *waiters;
    quern_status status; /* of the failure that sticks */
    char what[96];       /* the command's name */
    char *sentence;      /* malloc'ed, or NULL */
    const quern_backend *backend;
    void *backend_queue;       /* NULL once destroyed */
    struct quern_queue *queue; /* likewise */
    unsigned pins;             /* users of either that hold back the destruction */
    pthread_cond_t unpinned;
    quern_circle_node node; /* what its host function waits for */
    quern_progress *next;   /* in the list of free ones, or of all */
    quern_progress *next_all;
};

/* A progress for a new queue; NULL when memory is exhausted. */
quern_progress *quern_progress_acquire(void);

/* Its queue is gone: everything has finished. */
void quern_progress_recycle(quern_progress *progress);

/* Frees all of them; for quern_shutdown. */
void quern_progress_free_all(void);

static inline uint64_t quern_progress_finished(quern_progress *progress)
{
    return atomic_load_explicit(&progress->finished, memory_order_acquire);
}

static inline uint64_t quern_progress_submitted(quern_progress *progress)
{
    return atomic_load_explicit(&progress->submitted, memory_order_acquire);
}

/* Ties the queue, with its backend's, to the progress, and takes it off again when nobody has it pinned. */
void quern_progress_attach(quern_progress *progress, const quern_backend *backend, void *backend_queue,
                           struct quern_queue *queue);
void quern_progress_detach(quern_progress *progress);

/* The queue of the progress, which is not destroyed before quern_progress_unpin; NULL once it is. */
struct quern_queue *quern_progress_pin_queue(quern_progress *progress);

/* 1 while somebody has the queue pinned. */
int quern_progress_is_pinned(quern_progress *progress);

/* Waits until number has finished; a thread works along where the backend lets it, a task lets others run. What the
 * backend says that cannot be asked, and a failure of a hook of the program's (wait.h): then it has not been waited. */
quern_status quern_progress_wait(quern_progress *progress, uint64_t number);

/* The same for one who has seen to it that the number will finish: sleeps, or parks (wait.h). */
quern_status quern_progress_sleep(quern_progress *progress, uint64_t number);

/* Takes the failure off the progress: its status and a sentence that names the command; SUCCESS when there is none. */
quern_status quern_progress_take_failure(quern_progress *progress, const char *queue_name);

/* Events without a record of the backend's complete when their number has finished, with the failure that there is;
 * the lock is held. */
void quern_progress_settle_events(quern_progress *progress);

/* The failure that sticks, left in place, with a sentence for the calling thread; SUCCESS when there is none. */
quern_status quern_progress_report_failure(quern_progress *progress);

/* The functions of the table that a backend calls. */
void quern_progress_set_finished(quern_progress *progress, uint64_t number);
void quern_progress_set_failed(quern_progress *progress, uint64_t number, quern_status status, const char *what,
                               const char *sentence);
static inline int quern_progress_is_failed(quern_progress *progress)
{
    return (int)atomic_load_explicit(&progress->failed, memory_order_acquire);
}
uint64_t quern_progress_finished_number(quern_progress *progress);
int quern_progress_when_finished(quern_progress *progress, uint64_t number, quern_waiter *waiter);

/* Takes a waiter off again: 1, or 0 when notify has been called or is about to be. */
int quern_progress_forget(quern_progress *progress, quern_waiter *waiter);
void *quern_progress_pin(quern_progress *progress, const void *backend_table);
void quern_progress_unpin(quern_progress *progress);

#endif
