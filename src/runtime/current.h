/*
 * The current device and queues: of a thread, or of the task that it runs.
 *
 * Threads have theirs by themselves. A task's is a quern_current, which who switches tasks puts in place of the
 * thread's.
 */
#ifndef QUERN_RUNTIME_CURRENT_H
#define QUERN_RUNTIME_CURRENT_H

#include <quern/event.h>

/* A task's. All NULL: nothing yet. Its queues are non-blocking, made at first use, and begin after the event. */
typedef struct quern_current {
    quern_device *device;               /* NULL: the default one, when it is looked up */
    unsigned generation;                /* of the device, if there is one: quern_devices_generation */
    quern_event *begin;                 /* a reference, or NULL: nothing to be after */
    struct quern_current_queue *queues; /* one a device that was current when a queue was asked for */
} quern_current;

/* The queue that quern_queue_current would give if that device, a live one, were the current one. */
quern_status quern_current_queue_of(quern_device *device, quern_queue **queue);

/* In place of the calling thread's; NULL: the thread's own again. Gives what was in place before. */
quern_current *quern_current_use(quern_current *current);

/*
 * What a spawner gives its task: current->device is device, or the spawner's current one (if it has been looked up);
 * current->begin an event behind what its current queue there has still to do, or failed with. No event, and no cost,
 * when there is no queue yet or all has finished well. OUT_OF_MEMORY and what recording gives, and nothing to release.
 */
quern_status quern_current_fork(quern_device *device, quern_current *current);

/* The end of a task, in the task: synchronises its queues if told to, giving the first failure; releases queues and
 * event. In a task that never began: releases the event. */
quern_status quern_current_end(quern_current *current, int synchronize);

/* Releases the current queues of all threads; for quern_shutdown, while no other thread uses Quern. */
void quern_current_forget_all(void);

#endif
