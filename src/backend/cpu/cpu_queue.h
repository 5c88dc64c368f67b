/*
 * Queues of the CPU.
 *
 * The commands of a blocking queue run on the calling thread, at once. Those of a non-blocking one lie
 * in a ring; whoever leads the queue runs them in order: a worker of the device, or a thread that waits for
 * them, or a spare (cpu_spare.h). There is one leader at a time, who engages further workers for each launch.
 */
#ifndef QUERN_BACKEND_CPU_QUEUE_H
#define QUERN_BACKEND_CPU_QUEUE_H

#include "cpu_pool.h"
#include "cpu_ring.h"

enum quern_cpu_queue_state {
    QUERN_CPU_QUEUE_UNUSED,  /* destroyed, or not yet created */
    QUERN_CPU_QUEUE_IDLE,    /* nothing to run */
    QUERN_CPU_QUEUE_READY,   /* commands wait for a leader */
    QUERN_CPU_QUEUE_RUNNING, /* somebody leads it */
    QUERN_CPU_QUEUE_WATCHED, /* nothing to run, but a worker that has nothing else to do sees the next command at once
                              */
    QUERN_CPU_QUEUE_DYING,   /* the same, and it has been destroyed meanwhile */
    QUERN_CPU_QUEUE_BLOCKED  /* its first command waits for another queue */
};

/* The memory of a queue is used again for others and lasts until stop: a thread that looks at a queue a moment too
 * late finds a queue, if another one. */
struct quern_cpu_queue {
    struct quern_cpu_device *device;
    quern_progress *progress;
    int blocking;
    unsigned priority; /* 0 is the highest */
    /* The front end's functions that every command calls, on the same cache line as the rest. */
    int (*is_failed)(quern_progress *progress);
    void (*finished)(quern_progress *progress, uint64_t number);

    _Alignas(QUERN_CPU_LINES) _Atomic uint32_t state;
    struct quern_cpu_ring ring;

    /* While blocked: the queue that is waited for, if it is one of ours, and its number. */
    struct quern_cpu_queue *_Atomic waits_for;
    _Atomic uint64_t waits_for_number;
    quern_waiter waiter;

    /* Under the device's mutex. */
    int is_listed;
    unsigned listed_priority;
    struct quern_cpu_queue *next_ready, *previous_ready;
    struct quern_cpu_queue *next_unused, *next_of_device;
};

quern_status quern_cpu_queue_create(struct quern_cpu_device *device, const quern_queue_options *options,
                                    quern_progress *progress, struct quern_cpu_queue **queue);
void quern_cpu_queue_destroy(struct quern_cpu_queue *queue);

/* Frees all queues of the device. No thread runs any more. */
void quern_cpu_queues_free(struct quern_cpu_device *device);

/* A command has been put into the ring: somebody will run it. */
void quern_cpu_queue_announce(struct quern_cpu_queue *queue);

/* A worker leads the first ready queue of its device, if there is one still; it may watch that queue afterwards. */
void quern_cpu_worker_lead_next(struct quern_cpu_worker *worker, struct quern_cpu_thread *self);

/* 1 when the queue that the worker watches has a command. */
static inline int quern_cpu_worker_sees_command(const struct quern_cpu_worker *worker)
{
    const struct quern_cpu_queue *queue = worker->watched;
    return queue && atomic_load_explicit(&queue->ring.published, memory_order_relaxed) != worker->watched_consumed;
}

/* The worker leads the queue that it watches, unless a waiting thread was faster. */
void quern_cpu_worker_lead_watched(struct quern_cpu_worker *worker, struct quern_cpu_thread *self);

/* The worker is about to do something else, or to sleep. */
void quern_cpu_worker_stop_watching(struct quern_cpu_worker *worker);

/* Room in the ring for a command of so many bytes; waits while the ring is as large as it may become and full. number
 * is the command's. */
quern_status quern_cpu_queue_room(struct quern_cpu_queue *queue, size_t bytes, uint64_t number,
                                  struct quern_cpu_record **record);

/* Returns when number of the progress is finished, working along on queue, to which the progress belongs, or NULL. */
quern_status quern_cpu_help(struct quern_cpu_queue *queue, quern_progress *progress, uint64_t number);

#endif
