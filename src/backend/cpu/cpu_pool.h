/*
 * The pool: every CPU device owns worker threads, which run pieces of launches and lead queues.
 *
 * A worker that has nothing to do looks at its mailbox and at its device's list of ready queues, for a
 * short time, then sleeps. The number of workers that are awake is kept near the number of CPUs: a launch does not
 * wake more workers than there are CPUs to run them.
 */
#ifndef QUERN_BACKEND_CPU_POOL_H
#define QUERN_BACKEND_CPU_POOL_H

#include "cpu_mailbox.h"
#include "cpu_thread.h"
#include "cpu_topology.h"

#include <quern/backend.h>

struct quern_cpu_queue;
struct quern_cpu_spare;
struct quern_cpu_thread;

/* How much of somebody's piece of a launch has been given out: units of cpu_work.h. */
struct quern_cpu_cursor {
    _Alignas(QUERN_CPU_LINES) _Atomic ptrdiff_t next;
    ptrdiff_t end;
    struct quern_cpu_worker *following; /* the next of those who work on the same launch */
    struct quern_cpu_cursor *leaders;   /* the leader's; NULL in the leader's itself */
};

struct quern_cpu_worker {
    struct quern_cpu_mailbox mailbox;
    struct quern_cpu_cursor cursor; /* of the piece that was posted */

    _Alignas(QUERN_CPU_LINES) _Atomic uint32_t asleep; /* whoever sets it back to 0 wakes the worker */
    _Atomic uint32_t leading;                          /* a queue: its mailbox waits meanwhile */
    unsigned index;
    struct quern_cpu_device *device;
    quern_parker parker;
    quern_parker *starter; /* of the thread that waits for the worker to have started */
    pthread_t thread;

    /* The worker's own: the queue that it has led last, or NULL, and how many records of it have been run. */
    _Alignas(QUERN_CPU_LINES) struct quern_cpu_queue *watched;
    uint64_t watched_consumed;
    _Atomic uint32_t calling; /* inside a host function, see cpu_spare.h; others seldom look */
    clockid_t clock;          /* of what the thread computes; set as it begins */
    int64_t computed;         /* by that clock, when the guard looked last; the guard's */
};

enum { QUERN_CPU_PRIORITIES = 3 };

struct quern_cpu_device {
    unsigned index;
    unsigned thread_count;
    struct quern_cpu_worker *workers; /* NULL until the device is used */

    pthread_mutex_t mutex;                          /* of starting, of the lists of queues, and of what is ready */
    struct quern_cpu_queue *queues, *unused_queues; /* all, and those that may be used again */
    struct {
        struct quern_cpu_queue *first, *last;
    } ready[QUERN_CPU_PRIORITIES]; /* the highest first */

    _Alignas(QUERN_CPU_LINES) _Atomic uint32_t ready_count;
    _Atomic uint32_t ending; /* its workers are to end */

    /* cpu_spare.c; idle ones and their number under the mutex. */
    struct quern_cpu_spare *_Atomic spares;
    struct quern_cpu_spare *idle_spares;
    unsigned spare_count;
    _Atomic uint32_t guarded; /* one of them looks how long host functions take */
};

/* All of the backend. */
struct quern_cpu_pool {
    const quern_backend_host *host;
    struct quern_cpu_topology topology;
    struct quern_cpu_device *devices;
    unsigned cpus; /* that workers share with the threads that use the library; tests change it */
    _Alignas(QUERN_CPU_LINES) _Atomic unsigned awake; /* workers of all devices */
};

extern struct quern_cpu_pool quern_cpu_pool;

quern_status quern_cpu_pool_start(const quern_backend_host *host);
/* Joins all threads. Nothing is queued any more. */
void quern_cpu_pool_stop(void);

/* Starts the device's workers unless they run. */
quern_status quern_cpu_device_start(struct quern_cpu_device *device);

/* For tests: the threads that want to run are compared with this number from now on. */
void quern_cpu_pool_set_cpus(unsigned cpus);

/* Starts the worker's thread, which calls function with the worker, and waits until that has begun: 0, why no thread
 * can be had (errno's), or that there is no memory for it. The starter is free again. */
enum { QUERN_CPU_NO_MEMORY = -1 };
int quern_cpu_worker_start(struct quern_cpu_worker *worker, void *(*function)(void *argument), quern_parker *starter);

/* The first that such a function does. 1 when it may go on, and *self is the thread's record. */
int quern_cpu_worker_begins(struct quern_cpu_worker *worker, struct quern_cpu_thread **self);

/* Wakes the worker if it sleeps. */
void quern_cpu_worker_wake(struct quern_cpu_worker *worker);

/* 1 when more threads of this process want to run than there are CPUs, counting one that is not of the pool. */
static inline int quern_cpu_is_crowded(void)
{
    return atomic_load_explicit(&quern_cpu_pool.awake, memory_order_relaxed) + 1 > quern_cpu_pool.cpus;
}

/* The worker does what there is to do. 0 when nothing came for a while: it watches no queue then. */
int quern_cpu_worker_work(struct quern_cpu_worker *worker, struct quern_cpu_thread *self);

/* Something has become ready. 1 when a worker of the device sees to it soon, 0 when all of them lead queues. */
int quern_cpu_device_call_worker(struct quern_cpu_device *device);

/* Nanoseconds of the clock that nobody sets. */
int64_t quern_cpu_now(void);

#endif
