/*
 * The runs of a graph, and what backends record of them.
 *
 * A command joins the latest run of its queue unless it depends on a command of another queue in a run that began
 * later: then it begins a new one. So runs, submitted in the order in which they began, keep every dependency, and the
 * commands of queues that have nothing to do with each other are not torn apart. What the front end does itself (host
 * functions, events, copies in another way) is a run of its own, and so is every command of a backend that does not
 * record.
 */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "base/coroutine.h"
#include "base/error.h"
#include "completion.h"
#include "graph.h"

/* A run of one command is as quick without. */
enum { LEAST_NATIVE = 2 };

/* ---- uses of a run ---- */

/* As much as the other is: a write of the same elements, or a read of them for a read. */
static int includes(const quern_buffer_use *use, const quern_buffer_use *other)
{
    return use->buffer == other->buffer && use->write >= other->write && quern_box_covers(&use->box, &other->box);
}

static int grow(void **list, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return 1;
    size_t more = *capacity ? 2 * *capacity : 8;
    void *grown = realloc(*list, more * size);
    if (!grown)
        return 0;
    *list = grown;
    *capacity = more;
    return 1;
}

static int add_use(quern_graph_run *run, const quern_buffer_use *use)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->use_count; ++i)
        if (includes(&run->uses[i], use))
            return 1;
    for (size_t i = 0; i < run->use_count; ++i)
        if (!includes(use, &run->uses[i])) {
            if (kept != i)
                run->uses[kept] = run->uses[i];
            ++kept;
        }
    run->use_count = kept;
    void *uses = run->uses;
    if (!grow(&uses, &run->use_capacity, run->use_count, sizeof *run->uses))
        return 0;
    run->uses = uses;
    run->uses[run->use_count].buffer = use->buffer;
    run->uses[run->use_count].write = use->write;
    quern_box_copy(&run->uses[run->use_count++].box, &use->box);
    return 1;
}

/* Without memory the uses are not to be relied on. */
static int add_uses(quern_graph_run *run, const quern_graph_command *command)
{
    for (size_t i = 0; i < command->use_count; ++i)
        if (!add_use(run, &command->uses[i]))
            return 0;
    return 1;
}

static int conflicts(const quern_graph_run *run, const quern_graph_command *command)
{
    for (size_t i = 0; i < command->use_count; ++i)
        for (size_t j = 0; j < run->use_count; ++j) {
            const quern_buffer_use *a = &command->uses[i], *b = &run->uses[j];
            if (a->buffer == b->buffer && (a->write || b->write) && quern_boxes_intersect(&a->box, &b->box))
                return 1;
        }
    return 0;
}

/* ---- making runs ---- */

/* Copies with the host wait for it, or the driver holds up the calling thread: they are no part of what is recorded. */
static int can_be_native(const quern_queue *queue, const quern_graph_command *command)
{
    const quern_backend *backend = queue->backend;
    if (!backend->graph_begin || !backend->graph_end || !backend->graph_launch || !backend->graph_release)
        return 0;
    switch (command->kind) {
    case QUERN_GRAPH_LAUNCH:
        return 1; /* an empty one is left out */
    case QUERN_GRAPH_COPY:
        return !command->sides->copy.target_is_host && !command->sides->copy.source_is_host;
    case QUERN_GRAPH_FILL:
        return !command->sides->copy.target_is_host;
    default:
        return 0;
    }
}

/* The latest run of the queue, if the command may join it; else NULL. */
static quern_graph_run *find_run(quern_graph *graph, const quern_graph_command *command)
{
    for (size_t i = graph->run_count; i-- > 0;) {
        quern_graph_run *run = &graph->runs[i];
        if (run->queue == command->queue)
            return run->is_native ? run : NULL;
        if (conflicts(run, command))
            return NULL;
    }
    return NULL;
}

static int join(quern_graph_run *run, const quern_graph_command *command, size_t number)
{
    void *commands = run->commands;
    if (!grow(&commands, &run->capacity, run->count, sizeof *run->commands))
        return 0;
    run->commands = commands;
    run->commands[run->count++] = number;
    run->is_stale = 1;
    return add_uses(run, command);
}

/* At most one run a command: there is room. */
static int place(quern_graph *graph, size_t number)
{
    const quern_graph_command *command = &graph->commands[number];
    int is_native = can_be_native(graph->queues[command->queue], command);
    quern_graph_run *run = is_native ? find_run(graph, command) : NULL;
    if (!run) {
        run = &graph->runs[graph->run_count++];
        *run = (quern_graph_run){.queue = command->queue, .is_native = is_native};
    }
    return join(run, command, number);
}

/* A point that nobody waits for, a wait that is none. */
static int does_nothing(const quern_graph_command *command)
{
    return command->kind == QUERN_GRAPH_NOTHING || (command->kind == QUERN_GRAPH_RECORD && !command->is_awaited);
}

quern_status quern_graph_make_runs(quern_graph *graph)
{
    graph->runs = calloc(graph->count + 1, sizeof *graph->runs);
    int made = graph->runs != NULL;
    for (size_t i = 0; made && i < graph->count; ++i)
        made = does_nothing(&graph->commands[i]) || place(graph, i);
    return made ? QUERN_SUCCESS
                : quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the runs of a graph of %zu commands", graph->count);
}

/* ---- what backends recorded ---- */

static void release_native(void *argument)
{
    quern_graph_native *native = argument;
    native->device->backend->graph_release(native->device->handle, native->graph);
    free(native);
}

static void has_finished(quern_waiter *waiter)
{
    release_native(waiter->data);
}

/* A replay may still run. */
static void drop_native(quern_graph_native *native)
{
    if (!native)
        return;
    native->waiter.notify = has_finished;
    native->waiter.data = native;
    quern_progress *progress = native->progress;
    uint64_t number = native->number;
    if (number == 0 || quern_progress_when_finished(progress, number, &native->waiter))
        quern_call_on_thread_stack(release_native, native);
    else
        (void)quern_progress_ask(progress, number); /* else it is released when a later number finishes */
}

static quern_status record_command(const quern_backend *backend, void *recorder, const quern_graph_command *command)
{
    quern_status status = QUERN_SUCCESS;
    if (command->kind == QUERN_GRAPH_LAUNCH && command->launch)
        QUERN_ASK(status, backend, launch, recorder, 0, &command->launch->launch);
    else if (command->kind == QUERN_GRAPH_COPY)
        QUERN_ASK(status, backend, copy, recorder, 0, &command->sides->copy);
    else if (command->kind == QUERN_GRAPH_FILL)
        QUERN_ASK(status, backend, fill, recorder, 0, &command->sides->copy);
    return status;
}

/* All of a recording's calls are made in one go, on the thread's own stack. */
typedef struct recording {
    const quern_graph *graph;
    const quern_graph_run *run;
    void *recorded;
    quern_status status;
} recording;

static void record_native(void *argument)
{
    recording *own = argument;
    const quern_queue *queue = own->graph->queues[own->run->queue];
    const quern_backend *backend = queue->backend;
    void *recorder = NULL;
    QUERN_ASK(own->status, backend, graph_begin, queue->handle, &recorder);
    if (own->status != QUERN_SUCCESS)
        return;
    for (size_t i = 0; own->status == QUERN_SUCCESS && i < own->run->count; ++i)
        own->status = record_command(backend, recorder, &own->graph->commands[own->run->commands[i]]);
    if (own->status == QUERN_SUCCESS)
        QUERN_ASK(own->status, backend, graph_end, recorder, &own->recorded);
    else
        (void)backend->graph_end(recorder, NULL);
}

/* Commands that do anything. */
static size_t count_commands(const quern_graph *graph, const quern_graph_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; ++i) {
        const quern_graph_command *command = &graph->commands[run->commands[i]];
        count += command->kind != QUERN_GRAPH_LAUNCH || command->launch;
    }
    return count;
}

/* The sentence that the calling thread had is put back when the backend says that it does not record this. */
static quern_status record_run(quern_graph *graph, quern_graph_run *run)
{
    run->is_stale = 0;
    if (!run->is_native || count_commands(graph, run) < LEAST_NATIVE)
        return QUERN_SUCCESS;
    quern_graph_native *native = calloc(1, sizeof *native);
    char *sentence = strdup(quern_last_error());
    recording recording = {.graph = graph, .run = run, .status = QUERN_OUT_OF_MEMORY};
    if (native && sentence)
        quern_call_on_thread_stack(record_native, &recording);
    else
        (void)quern_fail(recording.status, "no memory for a part of a graph");
    quern_status status = recording.status;
    if (status == QUERN_SUCCESS) {
        native->graph = recording.recorded;
        native->device = graph->queues[run->queue]->device;
        native->progress = graph->queues[run->queue]->progress;
        run->native = native;
    } else {
        free(native);
    }
    if (status == QUERN_NOT_SUPPORTED)
        status = quern_fail_text(QUERN_SUCCESS, sentence);
    run->is_stale = status != QUERN_SUCCESS;
    free(sentence);
    return status;
}

quern_status quern_graph_record_runs(quern_graph *graph)
{
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; status == QUERN_SUCCESS && i < graph->run_count; ++i)
        if (graph->runs[i].is_stale)
            status = record_run(graph, &graph->runs[i]);
    return status;
}

/* ---- changing ---- */

static int has_command(const quern_graph_run *run, size_t command)
{
    for (size_t i = 0; i < run->count; ++i)
        if (run->commands[i] == command)
            return 1;
    return 0;
}

static int has_native(const quern_graph *graph)
{
    for (size_t i = 0; i < graph->run_count; ++i)
        if (graph->runs[i].is_native)
            return 1;
    return 0;
}

/* What was recorded of a run that is as it was, and does not have the command, is kept. */
static void keep_native(quern_graph_run *run, quern_graph_run *old, size_t old_count, size_t command)
{
    if (!run->is_native || has_command(run, command))
        return;
    for (size_t i = 0; i < old_count; ++i)
        if (old[i].is_native && !old[i].is_stale && old[i].count == run->count &&
            memcmp(old[i].commands, run->commands, run->count * sizeof *run->commands) == 0) {
            run->native = old[i].native;
            run->is_stale = 0;
            old[i].native = NULL;
        }
}

static void free_list(quern_graph_run *runs, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        drop_native(runs[i].native);
        free(runs[i].commands);
        free(runs[i].uses);
    }
    free(runs);
}

void quern_graph_free_runs(quern_graph *graph)
{
    free_list(graph->runs, graph->run_count);
    graph->runs = NULL;
    graph->run_count = 0;
}

/* Another buffer may be what a command of another queue uses, so that all runs are made anew. Where no backend records,
 * each command is a run of its own in any case. */
quern_status quern_graph_renew_run(quern_graph *graph, size_t command)
{
    quern_graph_run *old = graph->runs;
    size_t old_count = graph->run_count;
    if (!has_native(graph))
        return QUERN_SUCCESS;
    graph->run_count = 0;
    quern_status status = quern_graph_make_runs(graph);
    if (status != QUERN_SUCCESS) {
        quern_graph_free_runs(graph);
        graph->runs = old;
        graph->run_count = old_count;
        return status;
    }
    for (size_t i = 0; i < graph->run_count; ++i)
        keep_native(&graph->runs[i], old, old_count, command);
    free_list(old, old_count);
    return QUERN_SUCCESS;
}
