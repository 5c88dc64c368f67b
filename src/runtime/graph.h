/*
 * Graphs: the object, and how commands come into it.
 *
 * A captured queue has a pointer to the graph that records; every public function that submits to a queue looks there
 * first, and gives its call, checked as ever, to one of the record functions below instead. A recorded command is what
 * was found out by the checks: what the backend gets and the uses of buffers. Copies and fills that take more than one
 * command of the backend (through the host, through another queue) keep their sides, and are submitted as ever.
 *
 * Commands are replayed by runs. A run is a sequence of commands of one queue; runs are submitted one after another, in
 * the order in which they began, which is that of the recording wherever a command depends on one of another queue. A
 * run of a backend that records by itself is one command for order tracking too, with the uses of all.
 */
#ifndef QUERN_RUNTIME_GRAPH_H
#define QUERN_RUNTIME_GRAPH_H

#include <quern/graph.h>

#include "base/object.h"
#include "copy_side.h"
#include "held.h"
#include "lock.h"
#include "queue.h"

typedef enum quern_graph_kind {
    QUERN_GRAPH_NOTHING, /* an empty range or copy, a wait for its own queue */
    QUERN_GRAPH_LAUNCH,
    QUERN_GRAPH_COPY,
    QUERN_GRAPH_PEER_COPY,
    QUERN_GRAPH_FILL,
    QUERN_GRAPH_OTHER_COPY, /* in another way than one command of the backend */
    QUERN_GRAPH_OTHER_FILL,
    QUERN_GRAPH_CALL,
    QUERN_GRAPH_RECORD,
    QUERN_GRAPH_WAIT_INSIDE, /* for a record */
    QUERN_GRAPH_WAIT         /* for an event from outside */
} quern_graph_kind;

/* A launch as the caller gave it, so that an argument can be replaced and all be checked again. */
typedef struct quern_graph_source {
    quern_kernel *kernel;
    quern_program *program; /* of the kernel, held; or NULL */
    quern_range range;
    size_t count;
    quern_argument arguments[]; /* each data is memory of its own; the buffers of views are held */
} quern_graph_source;

/* A copy or fill. The buffers are held. */
typedef struct quern_graph_sides {
    quern_copy_side target, source; /* with the layouts below; of a fill the target alone */
    quern_layout target_layout, source_layout;
    quern_backend_copy copy; /* unless it is done in another way; its source is the value of a fill */
    max_align_t value[];     /* of a fill */
} quern_graph_sides;

typedef struct quern_graph_command {
    quern_graph_kind kind;
    size_t queue; /* index */
    size_t use_count;
    quern_buffer_use *uses;
    quern_graph_source *source; /* of a launch */
    quern_held_launch *launch;  /* of a launch of a range that is not empty */
    quern_graph_sides *sides;   /* of a copy or fill */
    quern_status (*function)(void *argument);
    void *argument;
    size_t record;      /* that a wait inside is for */
    quern_event *event; /* of a wait: from outside, held. Of a record: the one of the replay that goes on */
    int is_awaited;     /* a record that is waited for */
} quern_graph_command;

/* What a backend recorded of a run. It is released when its last replay has finished. */
typedef struct quern_graph_native {
    quern_waiter waiter;
    quern_device *device;
    void *graph;
    quern_progress *progress;
    uint64_t number; /* of the last replay; 0: none yet */
} quern_graph_native;

typedef struct quern_graph_run {
    size_t queue;
    size_t count, capacity;
    size_t *commands;       /* their numbers */
    int is_native;          /* the backend may record it */
    int is_stale;           /* it has not recorded it as it is now */
    quern_buffer_use *uses; /* of all commands together, at most one of those that cover each other */
    size_t use_count, use_capacity;
    quern_graph_native *native; /* NULL: command by command */
} quern_graph_run;

struct quern_graph {
    quern_object object;
    uint64_t serial; /* of the capture */
    quern_lock lock; /* guards the rest; held while a replay is submitted, which may wait */
    int is_recording;
    size_t queue_count;
    quern_queue **queues; /* held */
    size_t *last;         /* of each queue: the command that came last, or SIZE_MAX */
    size_t count, capacity;
    quern_graph_command *commands;
    size_t run_count;
    quern_graph_run *runs;
};

/* ---- for functions that submit: each gives 1 when the call was recorded, *status says whether it could be ---- */

static inline int quern_queue_is_captured(quern_queue *queue)
{
    return atomic_load_explicit(&queue->capture, memory_order_relaxed) != NULL;
}

int quern_graph_record_launch(quern_queue *queue, quern_kernel *kernel, const quern_range *range,
                              const quern_argument *arguments, size_t count, quern_status *status);
/* Sides that have been checked; is_empty: nothing is to be copied. */
int quern_graph_record_copy(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source,
                            int is_empty, quern_status *status);
int quern_graph_record_fill(quern_queue *queue, const quern_copy_side *target, const void *value, int is_empty,
                            quern_status *status);
int quern_graph_record_call(quern_queue *queue, quern_status (*function)(void *argument), void *argument,
                            quern_status *status);
int quern_graph_record_event(quern_queue *queue, quern_event **event, quern_status *status);
int quern_graph_record_wait(quern_queue *queue, quern_event *event, quern_status *status);

/* BUSY, with a sentence that says what is not done meanwhile, while the queue is captured. */
quern_status quern_graph_check_free(quern_queue *queue, const char *what);

/* ---- between the parts (graph.c, graph_record.c, graph_launch.c, graph_runs.c, graph_replay.c) ---- */

/* The graph that records the queue, locked, and the queue's index in it; NULL when none does (any more). */
quern_graph *quern_graph_recording(quern_queue *queue, size_t *index);
/* Unlocks it. */
void quern_graph_recorded(quern_graph *graph);

/* Adds the command, or frees what it holds when there is no memory. */
quern_status quern_graph_add(quern_graph *graph, const quern_graph_command *command);

/* Gives up what the command holds. */
void quern_graph_command_free(quern_graph_command *command);

void quern_graph_source_free(quern_graph_source *source);

/* Parts the commands into runs. */
quern_status quern_graph_make_runs(quern_graph *graph);
void quern_graph_free_runs(quern_graph *graph);
/* The run that the command is part of has changed. */
quern_status quern_graph_renew_run(quern_graph *graph, size_t command);
/* Has the backends record what is stale. */
quern_status quern_graph_record_runs(quern_graph *graph);

#endif
