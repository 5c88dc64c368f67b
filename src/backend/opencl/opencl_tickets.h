/*
 * Tickets: how a driver's callback finds its queue.
 *
 * A callback may come long after its event has been seen to be complete, or never when the device is
 * lost. So it gets a number instead of a pointer: of a queue that is gone nothing is found, and a queue that is found
 * is not destroyed before the callback has left it.
 */
#ifndef QUERN_BACKEND_OPENCL_TICKETS_H
#define QUERN_BACKEND_OPENCL_TICKETS_H

#include <quern/status.h>

struct quern_opencl_queue;

/* A ticket for the queue. OUT_OF_MEMORY. */
quern_status quern_opencl_ticket_issue(struct quern_opencl_queue *queue, uintptr_t *ticket);

/* The ticket's queue, kept until quern_opencl_ticket_leave; NULL when it is gone. */
struct quern_opencl_queue *quern_opencl_ticket_enter(uintptr_t ticket);
void quern_opencl_ticket_leave(uintptr_t ticket);

/* Nobody enters any more; waits until all have left. Not to be called by one who has entered. */
void quern_opencl_ticket_withdraw(uintptr_t ticket);

/* Frees the table; all tickets are withdrawn. */
void quern_opencl_tickets_free(void);

#endif
