/*
 * Quern: queues: an ordered list of commands on a device.
 *
 * Commands of one queue run in order. Commands of different queues are ordered by what they do with
 * buffers, by events and by nothing else: a command waits for the conflicting uses, box of elements
 * by box of elements. The box is that of the view that was passed (a view whose rank or pitches are
 * not its buffer's counts as the whole buffer). What a kernel reaches outside its view, such as a halo
 * around a sub-view, is not seen: pass the whole view and give the range offsets instead.
 *
 * On a blocking queue a call returns when its command has finished; on a non-blocking one at once, and
 * the work starts without a further call. A queue holds a bounded number of commands: on the CPU tens of thousands, on
 * OpenCL devices a thousand, on NVIDIA GPUs as many as the driver takes before it makes a call wait (about a thousand
 * kernels; of events, and of copies that Quern keeps memory for, there are 256 at most). When it is full, a call waits
 * for room, so work must not wait for its own submitter. A task waits earlier, from two thousand commands on, on GPUs
 * and OpenCL devices from 128 on; such a wait leaves the thread to other tasks, on blocking queues too; only what the
 * CPU itself computes on one keeps the thread.
 *
 * A queue may be used from several threads. The first command that fails sticks to the queue: later
 * ones are not run, their events complete with that status, and the next quern_queue_synchronize
 * returns it with the command's name, once, and clears it. Other queues are not touched. A blocking queue
 * gives the failure from the call as well, and from every later call that it keeps from running.
 *
 * In a process made by fork the threads that run queues do not exist: what would submit or wait gives NOT_SUPPORTED,
 * and releasing frees nothing.
 */
#ifndef QUERN_QUEUE_H
#define QUERN_QUEUE_H

#include <quern/device.h>

typedef struct quern_queue quern_queue;
typedef struct quern_event quern_event;

typedef struct quern_queue_options {
    int blocking;     /* 0 or 1 */
    int priority;     /* -1 low, 0 normal, 1 high; a device without priorities ignores it */
    const char *name; /* copied (31 bytes are kept), for messages; NULL for none */
} quern_queue_options;

/* Counters since the queue's creation. Where a copy between devices takes a queue of Quern's own as well, its commands
 * are not counted, but what order tracking has it wait for is; that the two wait for each other is no wait. */
typedef struct quern_queue_statistics {
    uint64_t commands; /* submitted, and what Quern puts between them, as waits */
    uint64_t finished;
    uint64_t waits;         /* waits for another queue that order tracking or events added */
    uint64_t skipped_waits; /* conflicts with another queue that needed none: done, or already ordered */
} quern_queue_statistics;

QUERN_BEGIN_DECLARATIONS

/* options may be NULL: non-blocking, normal priority, no name. */
QUERN_API quern_status quern_queue_create(quern_device *device, const quern_queue_options *options,
                                          quern_queue **queue);
QUERN_API quern_status quern_queue_retain(quern_queue *queue);

/* One reference less; NULL is fine. Work that is still queued is finished all the same; an error of it is lost only if
 * nobody holds the queue or an event of it any more. INVALID_ARGUMENT for a current queue that the caller has not
 * retained. */
QUERN_API quern_status quern_queue_release(quern_queue *queue);

/* Waits until all commands submitted so far have finished, and for what they are ordered after, nothing else. A thread
 * works along, a task lets others run (task.h). Gives the first failure since the last synchronise. */
QUERN_API quern_status quern_queue_synchronize(quern_queue *queue);

/* *idle is 1 when every command has finished. Never waits. */
QUERN_API quern_status quern_queue_query(quern_queue *queue, int *idle);

/* Commands submitted after this one run after what the event stands for, on whatever device; the host goes on (a
 * blocking queue waits). When the event's queue failed before it, this queue fails too. */
QUERN_API quern_status quern_queue_wait(quern_queue *queue, quern_event *event);

/* Calls function(argument) when the commands before it have finished, on a thread of the runtime or a waiting one. Any
 * status but SUCCESS is the command's failure; the sentence, if the function left one, goes with it (NOT_READY, and
 * numbers that are no status, count as HOST_FUNCTION_FAILED). The function must not use its own queue
 * (INVALID_ARGUMENT) nor wait for it, nor for the thread that submits to it; other queues go on while it waits. */
QUERN_API quern_status quern_queue_call(quern_queue *queue, quern_status (*function)(void *argument), void *argument);

/* The device, borrowed. */
QUERN_API quern_status quern_queue_device(quern_queue *queue, quern_device **device);

QUERN_API quern_status quern_queue_get_statistics(quern_queue *queue, quern_queue_statistics *statistics);

/* The current queue on the current device, made at first use; borrowed. A thread has its own, blocking and released
 * when the thread ends; a task has its own, non-blocking, which begins after what its spawner's had at the spawn. */
QUERN_API quern_status quern_queue_current(quern_queue **queue);

QUERN_END_DECLARATIONS

#endif
