/*
 * A task as the library keeps it, and what the files of this folder have of each other.
 *
 * The body is what there is of a task; its memory is never given to anything but tasks before quern_shutdown. What the
 * program has, a quern_task *, is no address but the body's index and the task's serial number (body.c), so whatever a
 * program hands in is found out without touching what it may point to. A body may serve a new task at once while its
 * memory is still in the processor's cache, and a join of an earlier one is told from a join of this.
 */
#ifndef QUERN_TASK_TASK_H
#define QUERN_TASK_TASK_H

#include <stdatomic.h>
#include <stdint.h>

#include <quern/task.h>

#include "base/coroutine.h"
#include "base/error.h"
#include "fibre.h"
#include "runtime/current.h"
#include "runtime/wait.h"

enum { QUERN_TASK_LINES = 128, QUERN_TASK_NAME_SIZE = 32 };

typedef struct quern_task_thread quern_task_thread; /* thread.h */
typedef struct quern_task_fresh quern_task_fresh;   /* list.h */

/* In a body's state, below the task's serial number. */
enum {
    QUERN_TASK_ENDED = 1,
    QUERN_TASK_JOINING = 2, /* somebody joins it: what remains is his */
    QUERN_TASK_AWAITED = 4, /* joiner is set, and told of the end */
    QUERN_TASK_DETACHED = 8,
    QUERN_TASK_FREE = 16, /* the body is no task now */
    QUERN_TASK_SERIAL_SHIFT = 8
};

/* Why a task switched back to its thread. */
enum { QUERN_TASK_PARKS, QUERN_TASK_YIELDS, QUERN_TASK_CALLS, QUERN_TASK_ENDS };

/* Permits: what park and unpark tell each other. */
enum { QUERN_TASK_RUNS, QUERN_TASK_IS_PARKED, QUERN_TASK_MAY_GO_ON };

typedef struct quern_task_body {
    _Alignas(QUERN_TASK_LINES) quern_coroutine coroutine; /* first: the one is found by the other */
    uint32_t index;                                       /* among all bodies */
    _Atomic uint32_t permit;
    _Atomic uint64_t state;
    struct quern_task_body *next, *before; /* in whatever list it is in */
    quern_task_fresh *_Atomic in;          /* until it begins: where it waits for that */
    quern_task_thread *_Atomic thread;     /* since it has begun: where it runs */
    quern_task_function *function;         /* the program's */
    void *argument;                        /* likewise */
    void (*call)(void *argument);          /* what is to run on the thread's own stack */
    void *call_argument;                   /* likewise */
    quern_wait_cell *joiner;               /* of who joins it */
    quern_status status;                   /* once it has ended */
    uint32_t request;                      /* why it switched back */
    quern_fibre fibre;
    quern_current current;
    char name[QUERN_TASK_NAME_SIZE];
    quern_sentence_slot sentence;
} quern_task_body;

static inline uint64_t quern_task_serial(uint64_t state)
{
    return state >> QUERN_TASK_SERIAL_SHIFT;
}

/* ---- body.c: memory ---- */

/* A body with a serial number of its own, not detached, no name, sentence, device or event. OUT_OF_MEMORY. */
quern_status quern_task_body_take(quern_task_body **body);

/* The task is gone. */
void quern_task_body_give_back(quern_task_body *body);

/* What the program gets, and back again: the body and its state as it is now, with the handle's serial number. Takes
 * no lock. INVALID_ARGUMENT, RELEASED. */
quern_task *quern_task_handle(quern_task_body *body);
quern_status quern_task_find(quern_task *task, quern_task_body **body, uint64_t *state);

/* Frees all; none is in use. For quern_shutdown. */
void quern_task_bodies_free(void);

/* "task 'name'", or "a task" */
typedef struct quern_task_words {
    char text[QUERN_TASK_NAME_SIZE + 8];
} quern_task_words;
quern_task_words quern_task_name_of(const quern_task_body *body);

/* ---- run.c: on a task thread ---- */

/* The task that the calling thread runs, also while it is on the thread's own stack for it; or NULL. */
quern_task_body *quern_task_running(void);

/* The functions of its coroutine. */
void quern_task_park(quern_coroutine *self);
void quern_task_unpark(quern_coroutine *self);
void quern_task_yield(quern_coroutine *self);
void quern_task_call(quern_coroutine *self, void (*function)(void *argument), void *argument);

/* Begins the task, or goes on with it, until it switches back. */
void quern_task_run(quern_task_thread *thread, quern_task_body *body);

/* ---- end.c ---- */

/* In the task: what its end gives when its function returned status; the sentence is in its slot. */
quern_status quern_task_settle(quern_task_body *body, quern_status status);

/* It has ended with that status and does not run: whoever joins it is told. The body is not touched any more. */
void quern_task_publish(quern_task_body *body, quern_status status);

/* The same for one that never began. */
void quern_task_drop(quern_task_body *body, quern_status status);

/* The status of one that has ended, with a sentence for the calling thread when that is a failure. */
quern_status quern_task_report(const quern_task_body *body);

#endif
