/*
 * Being told how far a queue is.
 *
 * A backend that does not say so of every command (finishes_all) does when it was asked to, by its `signal`. Asking is
 * a command function and so needs the queue's lock, which the asker often cannot wait for: it may hold another queue's.
 * So a wish is noted first, and granted by whoever has the lock next: the asker, a thread of the runtime
 * (background.h), or the thread that submits what is held back (held.h).
 */
#ifndef QUERN_RUNTIME_COMPLETION_H
#define QUERN_RUNTIME_COMPLETION_H

#include "queue.h"
#include "wait.h"

/* Sees to it that number finishes without a further call, as far as it depends on its own queue. Never waits. Not
 * possible: OUT_OF_MEMORY, SYSTEM_ERROR or what the backend said. */
quern_status quern_progress_ask(quern_progress *progress, uint64_t number);

/* Works along until number has finished, where the backend knows how to and has the number already; else 0, as in a
 * coroutine, which waits in another way. The queue is pinned or held. */
static inline int quern_queue_help(quern_queue *queue, uint64_t number)
{
    return queue->backend->help && !quern_wait_is_cooperative() &&
           number < atomic_load_explicit(&queue->held_from, memory_order_acquire) &&
           queue->backend->help(queue->handle, number) == QUERN_SUCCESS;
}

/* ---- with the queue locked, by who may call its backend ---- */

/* The latest number that the backend has been given. */
uint64_t quern_queue_given(const quern_queue *queue);

/* Asks for the latest number if somebody has a wish that was not granted yet. */
quern_status quern_queue_grant_wish(quern_queue *queue);

/* Notes the wish for number and grants it when nothing stands against it. */
quern_status quern_queue_wish(quern_queue *queue, uint64_t number);

/*
 * Before a wait or a call is given to the backend as number: asks for what was given so far. Only such commands depend
 * on other queues, and one that came later may depend on who waits for an earlier number; so the signal for that has to
 * be in front of it, whenever it is wished for.
 */
quern_status quern_queue_signal_before(quern_queue *queue, uint64_t number);

/* number is a command that does nothing: it finishes when those before it have. While commands are held back, that
 * comes in its turn. */
quern_status quern_queue_finish_number(quern_queue *queue, uint64_t number);

/* Waits until number, the latest that the backend was given, has finished; on a blocking queue. */
quern_status quern_queue_wait_own(quern_queue *queue, uint64_t number);

#endif
