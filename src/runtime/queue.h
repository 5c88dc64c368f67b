/* Queues: the object, and how every command is submitted. */
#ifndef QUERN_RUNTIME_QUEUE_H
#define QUERN_RUNTIME_QUEUE_H

#include <pthread.h>

#include <quern/queue.h>

#include "base/forked.h"
#include "base/object.h"
#include "device.h"
#include "lock.h"
#include "order.h"
#include "progress.h"
#include "wait.h"

/* A host function that was queued; kept until its number has finished. */
typedef struct quern_host_call {
    struct quern_host_call *next;
    uint64_t number;
    quern_progress *progress;
    quern_status (*function)(void *argument);
    void *argument;
} quern_host_call;

/* Commands that are held back; see held.h. */
typedef struct quern_held_list {
    struct quern_held_command *first, **last;
    struct quern_held_command *stock; /* memory for as many waits and calls as there is room for */
    size_t bytes;                     /* of the list */
    uint64_t given;                   /* up to here all went to the backend */
    int busy;                         /* a thread hands commands over */
    _Atomic int awaited;              /* the waiter will tell when the first one may go on */
    quern_waiter waiter;
} quern_held_list;

struct quern_queue {
    quern_object object;
    quern_device *device;
    const quern_backend *backend;
    void *handle; /* the backend's */
    quern_progress *progress;
    int blocking;
    char name[32];
    uint64_t first_number;               /* the progress's count when this queue began */
    struct quern_graph *_Atomic capture; /* that records what is submitted, or NULL; see graph.h */

    quern_lock lock; /* serialises the command functions; guards the rest */
    const quern_backend
        *commands; /* where commands go, and for which queue: the backend and handle, but while commands */
    void *target;  /* are held back */
    quern_order_table order;
    quern_wait_list waits; /* of the command being submitted; room: waits and calls that need no quern_held_prepare */
    struct quern_memo *memos; /* QUERN_MEMOS of them, or NULL before the first launch that is worth one */
    _Atomic uint64_t wait_count, skipped_waits;
    quern_host_call *calls;

    uint64_t signalled;         /* the highest number that the backend was asked for; see completion.h */
    _Atomic uint64_t wish;      /* the highest that somebody wants to know of; also without the lock */
    _Atomic uint64_t held_from; /* the lowest number that is held back, or UINT64_MAX; read without the lock */
    quern_held_list held;

    /* What the caller does beside Quern; see native_use.h. */
    _Atomic int is_native;  /* he has the backend's queue */
    _Atomic int is_current; /* one reference is a thread's or task's, whose current queue it is */
    _Atomic size_t native_count;
    quern_buffer_use *native_uses; /* native_count of them, with a reference each; guarded by the lock */
    size_t native_capacity;

    quern_queue *next, **link; /* in the list of all queues */
    quern_queue *next_buried;  /* in the graveyard */
    quern_queue *next_ready;   /* in the list of those to be served, guarded by its lock */
    int is_ready;
};

static inline quern_status quern_queue_check(const quern_queue *queue)
{
    return quern_object_check((const quern_object *)queue, QUERN_MARK_QUEUE, "queue");
}

/* A native queue of the caller's. */
typedef struct quern_queue_handle {
    uint32_t kind;
    void *handle;
} quern_queue_handle;

/* As quern_queue_create; over the native queue, if it is not NULL, which the backend can wrap. */
quern_status quern_queue_make(quern_device *device, const quern_queue_options *options,
                              const quern_queue_handle *native, quern_queue **queue);

/*
 * Begins a command that uses count buffers: locks the queue and submits the waits that order asks for. On SUCCESS the
 * caller gives the number to one command function (of queue->commands, for queue->target) and passes what that returned
 * to quern_queue_end; on failure the queue is not locked.
 */
quern_status quern_queue_begin(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t *number);

/* The same with the queue locked already; on failure it is unlocked. */
quern_status quern_queue_begin_locked(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t *number);

/* The same for whole buffers, mostly used in the same way by the command before; whole and uses say the same. */
static inline quern_status quern_queue_begin_again(quern_queue *queue, const quern_whole_use *whole,
                                                   const quern_buffer_use *uses, size_t count, uint64_t *number)
{
    uint64_t next = atomic_load_explicit(&queue->progress->submitted, memory_order_relaxed) + 1;
    if (!quern_order_renew(next, whole, count))
        return quern_queue_begin_locked(queue, uses, count, number);
    atomic_store_explicit(&queue->progress->submitted, next, memory_order_release);
    *number = next;
    return QUERN_SUCCESS;
}

/* The same for commands that take so many numbers, of which *number is the first; the last is what others wait for. */
quern_status quern_queue_begin_several(quern_queue *queue, const quern_buffer_use *uses, size_t count,
                                       uint64_t commands, uint64_t *number);

/* Ends it: unlocks; what names the command, for a failure. On a blocking queue the command has finished then, and this
 * gives the failure that sticks, if any. */
quern_status quern_queue_end(quern_queue *queue, uint64_t number, quern_status status, const char *what);

/* Of a blocking queue: 1 when the command, which its command function has taken, has finished and nothing has failed.
 * All that quern_queue_end would do still is to unlock. */
static inline int quern_queue_has_ended(const quern_queue *queue, uint64_t number)
{
    return quern_progress_finished(queue->progress) >= number && !quern_progress_is_failed(queue->progress);
}

/* The progress of the queue whose host function this thread runs, or NULL. Read at every command, so without a call. */
extern _Thread_local quern_progress *quern_queue_inside
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Locks without a command, for looks at the order table; INVALID_ARGUMENT from within the queue's own host function. A
 * process that was forked is found out before each command, as the lock may be held for ever by a thread that the fork
 * has left behind; and a coroutine waits for room. */
quern_status quern_queue_lock_slow(quern_queue *queue);
static inline quern_status quern_queue_lock(quern_queue *queue)
{
    if (quern_queue_inside == queue->progress || quern_process_is_forked() || quern_wait_may_be_cooperative())
        return quern_queue_lock_slow(queue);
    return quern_lock_take(&queue->lock);
}

/* The calling thread begins to run a host function of the progress's queue, or goes back to what it ran before, which
 * is given. */
quern_progress *quern_queue_set_inside(quern_progress *progress);

/* The caller's node among those that hold each other up: the queue's whose host function it is, the task's, or NULL. */
quern_circle_node *quern_queue_own_node(void);

/* Frees the records of host functions that have finished; the queue is locked or nobody uses it. */
void quern_queue_free_calls(quern_queue *queue);

/* Destroys what was released before and has finished by now: queues and programs. */
void quern_graveyard_sweep(void);

/* SUCCESS unless the calling thread runs a host function of that queue. */
quern_status quern_queue_check_outside(const quern_progress *progress);

/* What every live queue has submitted by now: for a program that has to outlive its commands. OUT_OF_MEMORY. */
quern_status quern_queues_snapshot(quern_order_table *snapshot);

/* Waits until every queue that was released has been destroyed; for quern_shutdown. */
void quern_graveyard_drain(void);

#endif
