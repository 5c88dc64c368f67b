/* Graphs: the object; beginning and ending a capture. */
#include "graph.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event.h"
#include "program.h"

static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER; /* guards which queues are captured; innermost */
static _Atomic uint64_t last_serial;

static quern_status check(const quern_graph *graph)
{
    return quern_object_check((const quern_object *)graph, QUERN_MARK_GRAPH, "graph");
}

/* ---- which graph records a queue ---- */

/* With a reference. */
static quern_graph *find(quern_queue *queue)
{
    pthread_mutex_lock(&capture_lock);
    quern_graph *graph = atomic_load_explicit(&queue->capture, memory_order_relaxed);
    if (graph)
        quern_object_retain(&graph->object);
    pthread_mutex_unlock(&capture_lock);
    return graph;
}

/* Only a hook of the program's that fails (wait.h) makes this try again: a call that is not recorded would be run. */
static void lock_graph(quern_graph *graph)
{
    while (quern_lock_take(&graph->lock) != QUERN_SUCCESS)
        sched_yield();
}

quern_graph *quern_graph_recording(quern_queue *queue, size_t *index)
{
    quern_graph *graph = find(queue);
    if (!graph)
        return NULL;
    lock_graph(graph);
    if (!graph->is_recording) { /* it has just ended */
        quern_graph_recorded(graph);
        return NULL;
    }
    for (*index = 0; graph->queues[*index] != queue;)
        ++*index;
    return graph;
}

void quern_graph_recorded(quern_graph *graph)
{
    quern_lock_release(&graph->lock);
    (void)quern_graph_release(graph);
}

quern_status quern_graph_check_free(quern_queue *queue, const char *what)
{
    if (!quern_queue_is_captured(queue))
        return QUERN_SUCCESS;
    return quern_fail(
        QUERN_BUSY,
        "queue is captured by a graph, which runs nothing and is not %s meanwhile, wanted a queue that is "
        "not captured, or quern_graph_end first",
        what);
}

/* ---- life ---- */

static void free_graph(quern_graph *graph)
{
    quern_graph_free_runs(graph);
    for (size_t i = 0; i < graph->count; ++i)
        quern_graph_command_free(&graph->commands[i]);
    free(graph->commands);
    for (size_t i = 0; i < graph->queue_count; ++i)
        (void)quern_queue_release(graph->queues[i]);
    free(graph->queues);
    free(graph->last);
    quern_object_dispose(&graph->object);
}

quern_status quern_graph_retain(quern_graph *graph)
{
    quern_status status = check(graph);
    if (status == QUERN_SUCCESS)
        quern_object_retain(&graph->object);
    return status;
}

quern_status quern_graph_release(quern_graph *graph)
{
    if (!graph)
        return QUERN_SUCCESS;
    quern_status status = check(graph);
    if (status == QUERN_SUCCESS && quern_object_release(&graph->object))
        free_graph(graph);
    return status;
}

/* ---- beginning ---- */

static quern_status check_queues(quern_queue *const *queues, size_t count)
{
    if (count == 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is 0, wanted at least one queue");
    if (!queues)
        return quern_fail(QUERN_INVALID_ARGUMENT, "queues is NULL, wanted a list of %zu queues", count);
    for (size_t i = 0; i < count; ++i) {
        if (!queues[i])
            return quern_fail(QUERN_INVALID_ARGUMENT, "queues[%zu] is NULL, wanted a queue", i);
        quern_status status = quern_queue_check(queues[i]);
        if (status == QUERN_SUCCESS)
            status = quern_queue_check_outside(queues[i]->progress);
        if (status != QUERN_SUCCESS)
            return status;
        if (queues[i]->blocking)
            return quern_fail(QUERN_INVALID_ARGUMENT, "queues[%zu] is a blocking queue, wanted a non-blocking one", i);
        for (size_t j = 0; j < i; ++j)
            if (queues[j] == queues[i])
                return quern_fail(QUERN_INVALID_ARGUMENT, "queues[%zu] is queues[%zu] again, wanted each queue once", i,
                                  j);
    }
    return QUERN_SUCCESS;
}

static quern_graph *make(quern_queue *const *queues, size_t count)
{
    quern_graph *graph = calloc(1, sizeof *graph);
    quern_queue **held = calloc(count, sizeof *held);
    size_t *last = calloc(count, sizeof *last);
    if (!graph || !held || !last) {
        free(graph);
        free(held);
        free(last);
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        quern_object_retain(&queues[i]->object);
        held[i] = queues[i];
        last[i] = SIZE_MAX;
    }
    graph->queue_count = count;
    graph->queues = held;
    graph->last = last;
    graph->is_recording = 1;
    graph->serial = atomic_fetch_add(&last_serial, 1) + 1;
    quern_object_init(&graph->object, QUERN_MARK_GRAPH);
    return graph;
}

/* All of them or, when one is captured already, none: its index, else count. */
static size_t capture(quern_graph *graph)
{
    size_t busy = 0;
    pthread_mutex_lock(&capture_lock);
    while (busy < graph->queue_count && !atomic_load(&graph->queues[busy]->capture))
        ++busy;
    for (size_t i = 0; busy == graph->queue_count && i < graph->queue_count; ++i)
        atomic_store(&graph->queues[i]->capture, graph);
    pthread_mutex_unlock(&capture_lock);
    return busy;
}

quern_status quern_graph_begin(quern_queue *const *queues, size_t count)
{
    quern_status status = check_queues(queues, count);
    if (status != QUERN_SUCCESS)
        return status;
    quern_graph *graph = make(queues, count);
    if (!graph)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a graph of %zu queues", count);
    size_t busy = capture(graph);
    if (busy == count)
        return QUERN_SUCCESS; /* the capture has the reference */
    (void)quern_graph_release(graph);
    return quern_fail(QUERN_BUSY, "queues[%zu] is captured already, wanted queues that no graph records", busy);
}

/* ---- ending ---- */

/* The graph is locked. */
static void let_go(quern_graph *graph)
{
    graph->is_recording = 0;
    pthread_mutex_lock(&capture_lock);
    for (size_t i = 0; i < graph->queue_count; ++i)
        atomic_store(&graph->queues[i]->capture, NULL);
    pthread_mutex_unlock(&capture_lock);
}

/* The queue's graph, locked. */
static quern_status demand(quern_queue *queue, quern_graph **graph, size_t *index)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    *graph = quern_graph_recording(queue, index);
    return *graph
               ? QUERN_SUCCESS
               : quern_fail(QUERN_INVALID_ARGUMENT, "queue is not captured, wanted one between quern_graph_begin and "
                                                    "quern_graph_end");
}

quern_status quern_graph_end(quern_queue *queue, quern_graph **result)
{
    quern_graph *graph;
    size_t index;
    if (!result)
        return quern_fail(QUERN_INVALID_ARGUMENT, "graph is NULL, wanted a place for the result");
    quern_status status = demand(queue, &graph, &index);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_graph_make_runs(graph);
    if (status == QUERN_SUCCESS)
        status = quern_graph_record_runs(graph);
    if (status != QUERN_SUCCESS) {
        quern_graph_free_runs(graph);
        quern_graph_recorded(graph);
        return status;
    }
    let_go(graph);
    *result = graph; /* with the reference that the capture had */
    quern_graph_recorded(graph);
    return QUERN_SUCCESS;
}

quern_status quern_graph_abandon(quern_queue *queue)
{
    quern_graph *graph;
    size_t index;
    quern_status status = demand(queue, &graph, &index);
    if (status != QUERN_SUCCESS)
        return status;
    let_go(graph);
    quern_graph_recorded(graph);
    return quern_graph_release(graph); /* the capture's */
}

/* ---- asking ---- */

quern_status quern_graph_last_command(quern_queue *queue, size_t *command)
{
    quern_graph *graph;
    size_t index;
    if (!command)
        return quern_fail(QUERN_INVALID_ARGUMENT, "command is NULL, wanted a place for the result");
    quern_status status = demand(queue, &graph, &index);
    if (status != QUERN_SUCCESS)
        return status;
    size_t last = graph->last[index];
    quern_graph_recorded(graph);
    if (last == SIZE_MAX)
        return quern_fail(QUERN_NOT_FOUND, "nothing has been recorded on the queue yet, wanted a command first");
    *command = last;
    return QUERN_SUCCESS;
}

quern_status quern_graph_count(quern_graph *graph, size_t *count)
{
    quern_status status = check(graph);
    if (status != QUERN_SUCCESS)
        return status;
    if (!count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is NULL, wanted a place for the result");
    lock_graph(graph);
    *count = graph->count;
    quern_lock_release(&graph->lock);
    return QUERN_SUCCESS;
}

/* ---- what a command holds ---- */

void quern_graph_source_free(quern_graph_source *source)
{
    for (size_t i = 0; source && i < source->count; ++i) {
        quern_argument *argument = &source->arguments[i];
        if (argument->data && (argument->kind == QUERN_ARGUMENT_VIEW || argument->kind == QUERN_ARGUMENT_CONST_VIEW))
            (void)quern_buffer_release(((const quern_view *)argument->data)->buffer);
        free((void *)argument->data);
    }
    if (source)
        (void)quern_program_release(source->program);
    free(source);
}

void quern_graph_command_free(quern_graph_command *command)
{
    quern_graph_source_free(command->source);
    free(command->launch);
    free(command->uses);
    if (command->sides) {
        (void)quern_buffer_release(command->sides->target.buffer);
        (void)quern_buffer_release(command->sides->source.buffer);
        free(command->sides);
    }
    quern_event_drop(command->event);
}

quern_status quern_graph_add(quern_graph *graph, const quern_graph_command *command)
{
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
        quern_graph_command *grown = realloc(graph->commands, capacity * sizeof *grown);
        if (!grown) {
            quern_graph_command copy = *command;
            quern_graph_command_free(&copy);
            return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a graph of %zu commands", capacity);
        }
        graph->commands = grown;
        graph->capacity = capacity;
    }
    graph->last[command->queue] = graph->count;
    graph->commands[graph->count++] = *command;
    return QUERN_SUCCESS;
}
