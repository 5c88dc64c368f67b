/* Events: the object, and what backends do with it. */
#ifndef QUERN_RUNTIME_EVENT_H
#define QUERN_RUNTIME_EVENT_H

#include <stdatomic.h>

#include <quern/event.h>

#include "base/object.h"
#include "device.h"
#include "order.h"
#include "progress.h"

struct quern_event {
    quern_object object;      /* its references are the program's */
    _Atomic uint32_t users;   /* commands, graphs and waits that have the event, and one for the program, if it has */
    quern_progress *progress; /* of the queue that it was recorded on */
    uint64_t number;          /* its record command */
    uint64_t capture;         /* of a point of a graph: the capture's serial, else 0; then there is no progress, */
    size_t capture_command;   /* but the number of the record in the capture */
    quern_device *device;
    const char *command; /* of one that the runtime records and waits for as a part of a command: its name, else NULL */
    quern_order_table order; /* what the queue was ordered after at the record */

    _Atomic int complete; /* 1: the fields below are set; they are, once, under the lock of the progress */
    quern_status status;
    char *sentence; /* malloc'ed, or NULL */
    int64_t nanoseconds;

    quern_waiter waiter; /* for backends without a record of their own */
};

/* INVALID_ARGUMENT: the event stands for a point of a graph. */
quern_status quern_event_is_inside(const char *argument);

/* A live event, that was recorded or stands for a point of a graph. */
static inline quern_status quern_event_check_held(const quern_event *event, const char *argument)
{
    return quern_object_check((const quern_object *)event, QUERN_MARK_EVENT, argument);
}

/* A live event that was recorded. */
static inline quern_status quern_event_check(const quern_event *event, const char *argument)
{
    quern_status status = quern_event_check_held(event, argument);
    return status == QUERN_SUCCESS && event->capture ? quern_event_is_inside(argument) : status;
}

/* As quern_event_record, but no end of the uses by native commands: for the runtime's own events. command, a literal,
 * names the command that the event is a part of, in the place of "an event record" and "a wait for an event"; or NULL.
 */
quern_status quern_event_record_inside(quern_queue *queue, const char *command, quern_event **event);

/* What fails when the record, or a wait for the event, does. */
static inline const char *quern_event_record_name(const quern_event *event)
{
    return event->command ? event->command : "an event record";
}

static inline const char *quern_event_wait_name(const quern_event *event)
{
    return event->command ? event->command : "a wait for an event";
}

/* As quern_queue_wait, of a queue that is not captured; for the runtime's own waits. */
quern_status quern_queue_wait_inside(quern_queue *queue, quern_event *event);

/* The same within a command, for a queue that it was given for a part: no wait of which the statistics tell. */
quern_status quern_queue_wait_uncounted(quern_queue *queue, quern_event *event);

/* Records an event that nobody gets: the number that is submitted last then finishes behind all that the caller put
 * into the native queue. */
quern_status quern_event_end_native(quern_queue *queue);

/* What a new one begins with: the caller is its only user, and holds the program's reference. */
void quern_event_init(quern_event *event, quern_device *device);

/* One user more, one less: of those inside, to whom the program's references say nothing. drop also gives up an event
 * that the program never got. */
static inline void quern_event_use(quern_event *event)
{
    atomic_fetch_add_explicit(&event->users, 1, memory_order_relaxed);
}
void quern_event_drop(quern_event *event);

/* The record command has been reached, or skipped: keeps time and failure. */
void quern_event_set_reached(quern_event *event, int64_t nanoseconds);

/* The status with which the event completed, with a sentence for the calling thread. SUCCESS for one whose number has
 * not finished, of which nothing is known: a backend may ask for that before the queue has come so far. */
quern_status quern_event_completion(quern_event *event);

/* Completes the event when that is what the waiter, whose number has finished, is for. The lock of its progress is
 * held: a failure that is still there is the event's, and one that is taken away later does not come too early. *now is
 * the time for all that are looked at together, 0 before the first: none is earlier than one before it. */
void quern_event_settle(quern_waiter *waiter, int64_t *now);

#endif
