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

/* One reference less; NULL is fine. Whatever waits for the event by then goes on to; with the last reference every
 * further use of it is a mistake, which is refused (RELEASED) for as long as that is so. */
QUERN_API quern_status quern_event_release(quern_event *event);

/* Waits on the host: a thread works along, a task lets others run (task.h). Gives the status with which the event
 * completed: SUCCESS, or the failure that kept its queue from running. */
QUERN_API quern_status quern_event_wait(quern_event *event);

/* SUCCESS when complete, NOT_READY (which leaves no sentence) when not yet, else the failure. Never waits. */
QUERN_API quern_status quern_event_query(quern_event *event);

/*
 * A file descriptor that becomes readable when the event completes, also with a failure; at once if it is complete. For
 * poll, epoll, libuv and the like: then quern_event_query says with which status. Nothing need be read from it. *fd is
 * the caller's, who closes it whenever he likes; the event may be released before. It is non-blocking, and not passed
 * on to programs that the process starts. SYSTEM_ERROR when there are no more descriptors (each one that waits takes
 * two).
 */
QUERN_API quern_status quern_event_fd(quern_event *event, int *fd);

/* Seconds between two complete events of one device, by the device's clock; negative when end came first. NOT_READY,
 * WRONG_DEVICE; for one that completed with a failure, whose time says nothing, that status. */
QUERN_API quern_status quern_event_elapsed(quern_event *begin, quern_event *end, double *seconds);

QUERN_END_DECLARATIONS

#endif
