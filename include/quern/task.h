/*
 * Quern: tasks: light, cooperative threads of host control, each with its own current device and queue.
 *
 * A task is a function that runs on a stack of its own (256 KiB) on one of the library's task threads, of which there
 * are as many as the CPU devices have threads. It runs until it waits, yields or returns, and never moves to another
 * thread once it has begun. Whatever waits in a task (quern_queue_synchronize, quern_event_wait, quern_join, a copy
 * that gives its data to the host) hands the thread to other tasks meanwhile. What blocks in the system, such as a read
 * or a lock that another task holds, blocks the thread and all of its tasks; quern_yield between attempts does not.
 *
 * Order. Spawning records where the spawner's current queue is (an event), and the task's own queues
 * (quern_queue_current in the task, made at first use, non-blocking) go on from there: the host does not wait for that.
 * When the function returns SUCCESS the task synchronises the queues that it has made, so a join that succeeds means
 * that the work is done. A function that fails is reported by the join, and its queues are not waited for.
 *
 * A task is begun by the thread whose task spawned it, in the order of spawning, or by one that has nothing else to do.
 *
 * A quern_task * is no address: do not look where it points to. It stands for one task for good, with pointers of 64
 * bits (with smaller ones a number may come again after some ten thousand tasks), so what has been joined is known as
 * such as long as the library runs, and any other number is refused.
 *
 * Errors. quern_last_error is a task's own. Every function below checks its arguments: INVALID_ARGUMENT, RELEASED. In a
 * process made by fork the task threads do not exist: NOT_SUPPORTED. quern_shutdown gives BUSY while there is a task
 * that has not ended, or that is still to be joined.
 *
 * Any thread, any task, unless said otherwise.
 */
#ifndef QUERN_TASK_H
#define QUERN_TASK_H

#include <quern/device.h>

typedef struct quern_task quern_task;

/* What a task runs. The status is the task's; with a failure comes the sentence that the function left, if any, after
 * the task's name, unless it names a task that failed already (one that the function has joined).
 * NOT_READY, and numbers that are no status, count as HOST_FUNCTION_FAILED. */
typedef quern_status quern_task_function(void *argument);

typedef struct quern_task_options {
    quern_device *device; /* the task's current device at its begin; NULL: the spawner's */
    const char *name;     /* copied (31 bytes are kept), for messages; NULL for none */
} quern_task_options;

/* Counters since the library's start, for programs that want to see what their tasks do. */
typedef struct quern_task_statistics {
    uint64_t spawned;  /* tasks */
    uint64_t ended;    /* of those: returned, failed, cancelled */
    uint64_t switches; /* from a task thread to a task */
    uint64_t threads;  /* task threads, running now */
} quern_task_statistics;

/*
 * How a program's own coroutines wait. With hooks set, a wait in a coroutine of the program parks that coroutine
 * instead of its thread. The functions are called without mutexes of the library held, and must not call back into it.
 * A parked coroutine may have a blocking queue to itself until it goes on. Current device and queue, and
 * quern_last_error, stay those of the thread that runs it, whichever that is. Kernels, compilers and drivers run on the
 * coroutine's own stack: on the CPU some ten KiB do, OpenCL drivers compile at the first launch and want megabytes.
 */
typedef struct quern_wait_hooks {
    void *user; /* passed along */
    /* The calling coroutine, or NULL when the thread runs none, and waits as threads do. Asked on the library's own
     * threads too, so what it looks at is to be thread-local. */
    void *(*self)(void *user);
    /* Suspends the calling coroutine until unpark is called for it: exactly once for each park, perhaps before it. A
     * status other than SUCCESS means that it did not suspend; the wait gives it to its caller then, and unpark is not
     * called for it any more, unless that has begun. That unpark may end a later park early: the wait parks again. */
    quern_status (*park)(void *user, void *self);
    /* Lets it go on. From any thread, also one of a driver, so it only notes the coroutine as ready. */
    void (*unpark)(void *user, void *self);
} quern_wait_hooks;

QUERN_BEGIN_DECLARATIONS

/*
 * A new task that calls function(argument); begun by a task thread, perhaps before this returns. options may be NULL.
 * *task is for quern_join, which it must be given to once, and is there before the task begins; task NULL: detached,
 * nobody joins it, and its failure is nobody's. BUSY while a graph captures the spawner's current queue. OUT_OF_MEMORY,
 * SYSTEM_ERROR (no thread can be had), why there is no CPU device, what recording the event gives.
 */
QUERN_API quern_status quern_spawn(const quern_task_options *options, quern_task_function *function, void *argument,
                                   quern_task **task);

/*
 * Waits until the task has ended and gives its status: SUCCESS, the function's failure, that of its queues' work, or
 * CANCELLED. The task is gone then. RELEASED for one that was joined before, BUSY while another one joins it,
 * WOULD_DEADLOCK for the calling task itself, for one that waits for the calling task or for the queue whose host
 * function the caller is, by joins and waits on the host, and where a host function or kernel on a task's thread would
 * wait for another task of that thread; a wait for a queue or an event that would close such a circle gives it
 * likewise. Circles through waits of queues for queues, or through anything of the program's own, are the program's to
 * avoid.
 */
QUERN_API quern_status quern_join(quern_task *task);

/* Ends a task that has not begun: its function is not called, and its join gives CANCELLED. BUSY when it has begun (or
 * ended). */
QUERN_API quern_status quern_task_cancel(quern_task *task);

/* Lets the other tasks of the thread run that are ready, then goes on. Outside of a task, and in one that has its
 * thread to itself: gives up the processor. */
QUERN_API quern_status quern_yield(void);

/* *inside is 1 in a task, else 0. */
QUERN_API quern_status quern_task_is_inside(int *inside);

QUERN_API quern_status quern_task_get_statistics(quern_task_statistics *statistics);

/* From now on waits in the program's coroutines use these hooks, which are copied; NULL: none any more. Set them while
 * nobody waits. INVALID_ARGUMENT when one of the functions is NULL. */
QUERN_API quern_status quern_wait_hooks_set(const quern_wait_hooks *hooks);

QUERN_END_DECLARATIONS

#endif
