/*
 * The runtime's own threads, which submit what queues hold back (held.h) and grant wishes (completion.h).
 *
 * There is one, started when it is first needed, and a spare. A thread may get stuck: in a host function, in a backend
 * whose queue is full, on the lock of a queue. Then the next one takes its place, so that no queue waits for another
 * one's host function.
 */
#ifndef QUERN_RUNTIME_BACKGROUND_H
#define QUERN_RUNTIME_BACKGROUND_H

#include "queue.h"

/* Sees to it that there is a thread. OUT_OF_MEMORY, SYSTEM_ERROR. */
quern_status quern_background_start(void);

/* A thread calls quern_held_serve(queue) soon, once for all pushes until then. There is a thread; the queue is alive,
 * and not destroyed until it has been served. From any thread, and from a waiter's notify. */
void quern_background_push(quern_queue *queue);

/* Around what may keep a thread of the runtime for long, so that another one takes over at once. */
void quern_background_enter(void);
void quern_background_leave(void);

/* Ends the threads; nothing is held back and nobody uses a queue any more. For quern_shutdown. */
void quern_background_stop(void);

#endif
