/*
 * Quern: events: a point in a queue that others can wait for.
 *
 * An event is recorded once and holds what its queue was ordered after. It outlives its queue.
 */
#ifndef QUERN_EVENT_H
#define QUERN_EVENT_H

#include <quern/queue.h>

QUERN_BEGIN_DECLARATIONS

/* A new event after everything submitted to the queue so far. Release it with quern_event_release. */
QUERN_API quern_status quern_event_record(quern_queue *queue, quern_event **event);

QUERN_API quern_status quern_event_retain(quern_event *event);
QUERN_API quern_status quern_event_release(quern_event *event); /* NULL is fine */

/* Waits on the host; the calling thread works along. Gives the status with which the event completed: SUCCESS, or the
 * failure that kept its queue from running. */
QUERN_API quern_status quern_event_wait(quern_event *event);

/* SUCCESS when complete, NOT_READY (which leaves no sentence) when not yet, else the failure. Never waits. */
QUERN_API quern_status quern_event_query(quern_event *event);

/* Seconds between two complete events of one device, by the device's clock; negative when end came first. NOT_READY,
 * WRONG_DEVICE. */
QUERN_API quern_status quern_event_elapsed(quern_event *begin, quern_event *end, double *seconds);

QUERN_END_DECLARATIONS

#endif
