/*
 * Commands that are held back: what a backend cannot wait for by itself.
 *
 * A backend without `wait` cannot keep a queue from going on before another queue has come so far, one without `call`
 * cannot run a host function in its turn. On a non-blocking queue such a command, and all behind it, stay here: in a
 * list of copies, each with the number that it was given when it was submitted. A thread of the runtime (background.h)
 * hands them to the backend, in order, when the number waited for has finished or the function has run.
 *
 * While a queue is holding, its `commands` are functions that append to the list instead of the backend's own: whoever
 * submits need not know. A number without a command in the list is one that only has to finish (an event's record, a
 * command for whose copy there was no memory): the thread signals it in its turn.
 *
 * All of it is guarded by the queue's lock. A thread that hands a command over lets go of the lock meanwhile, so that
 * submitting goes on; `busy` says that the backend is in use.
 */
#ifndef QUERN_RUNTIME_HELD_H
#define QUERN_RUNTIME_HELD_H

#include <stddef.h>

#include "queue.h"

static inline int quern_queue_is_holding(const quern_queue *queue)
{
    return queue->commands != queue->backend;
}

/* What the new queue has of its own: nothing is held. */
void quern_held_init(quern_queue *queue);

/* Frees it; nothing is held any more. */
void quern_held_free(quern_queue *queue);

/*
 * Sees to it that count waits or calls can be held: a thread that comes for them, memory for all. For queues whose
 * backend lacks one of the two, before anything is done that cannot be taken back. OUT_OF_MEMORY, SYSTEM_ERROR.
 */
quern_status quern_held_prepare(quern_queue *queue, size_t count);

/* Holds a command that was prepared for, and all that come. The event may be NULL, else its reference is taken over. */
void quern_held_wait(quern_queue *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                     quern_event *event);
void quern_held_call(quern_queue *queue, uint64_t number, quern_status (*function)(void *argument), void *argument);

/* Unlocks the queue. When very much is held, waits then until half of that has finished: after a command, whose place
 * in the order is taken. A failure is of the wait alone. */
quern_status quern_held_unlock_with_room(quern_queue *queue);

/* Hands over what can be handed over; on a thread of the runtime. */
void quern_held_serve(quern_queue *queue);

/* ---- between held.c and held_serve.c ---- */

typedef enum quern_held_kind {
    QUERN_HELD_LAUNCH,
    QUERN_HELD_COPY,
    QUERN_HELD_PEER_COPY,
    QUERN_HELD_FILL,
    QUERN_HELD_RECORD,
    QUERN_HELD_GRAPH,
    QUERN_HELD_WAIT,
    QUERN_HELD_CALL
} quern_held_kind;

/* What every command in the list begins with. */
typedef struct quern_held_command {
    struct quern_held_command *next;
    uint64_t number;
    size_t bytes; /* of memory, all that belongs to it */
    quern_held_kind kind;
} quern_held_command;

typedef struct quern_held_launch {
    quern_held_command command;
    quern_backend_launch launch;
    quern_backend_argument arguments[]; /* behind them what they point to */
} quern_held_launch;

typedef struct quern_held_copy {
    quern_held_command command;
    quern_backend_copy copy;
    void *target_device, *source_device; /* of a copy between devices */
    max_align_t value[];                 /* of a fill */
} quern_held_copy;

typedef struct quern_held_record {
    quern_held_command command;
    quern_event *event;
} quern_held_record;

typedef struct quern_held_graph {
    quern_held_command command;
    void *graph; /* the backend's, which lasts until the number has finished */
} quern_held_graph;

typedef struct quern_held_pause {
    quern_held_command command;
    quern_progress *other; /* of a wait, to other_number */
    uint64_t other_number;
    quern_event *event;
    quern_status (*function)(void *argument); /* of a call */
    void *argument;
} quern_held_pause;

/* A copy of the launch and of all that it points to, in one piece of memory; NULL, with a sentence, when there is none.
 */
quern_held_launch *quern_held_copy_launch(const quern_backend_launch *launch);

/* Takes the first command, which has been handed over, off the list and frees it. */
void quern_held_pop(quern_queue *queue);

/* The list is empty: commands go to the backend again. */
void quern_held_end(quern_queue *queue);

#endif
