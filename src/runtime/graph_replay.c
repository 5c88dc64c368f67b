/* Replaying a graph. */
#include <stdio.h>

#include "ask.h"
#include "call.h"
#include "copy_way.h"
#include "event.h"
#include "graph.h"

/* ---- one command ---- */

static quern_status replay_launch(quern_queue *queue, const quern_graph_command *command)
{
    uint64_t number;
    char what[96] = "";
    quern_status status = quern_queue_begin(queue, command->uses, command->use_count, &number);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_ask_launch(queue, number, &command->launch->launch);
    if (status != QUERN_SUCCESS)
        snprintf(what, sizeof what, "kernel '%s'", command->launch->launch.kernel->name);
    return quern_queue_end(queue, number, status, what);
}

static quern_status replay_copy(quern_queue *queue, const quern_graph_command *command)
{
    uint64_t number;
    const quern_graph_sides *sides = command->sides;
    quern_status status = quern_queue_begin(queue, command->uses, command->use_count, &number);
    if (status != QUERN_SUCCESS)
        return status;
    const char *what = "a copy";
    if (command->kind == QUERN_GRAPH_COPY) {
        status = quern_ask_copy(queue, number, &sides->copy);
    } else if (command->kind == QUERN_GRAPH_FILL) {
        status = quern_ask_fill(queue, number, &sides->copy);
        what = "a fill";
    } else {
        status = quern_ask_peer_copy(queue, number, &sides->copy, sides->target.device->handle,
                                     sides->source.device->handle);
        what = "a copy between devices";
    }
    return quern_queue_end(queue, number, status, what);
}

static quern_status replay_wait_inside(quern_queue *queue, const quern_graph *graph, const quern_graph_command *command)
{
    return quern_queue_wait_inside(queue, graph->commands[command->record].event);
}

static quern_status replay_command(quern_graph *graph, quern_graph_command *command)
{
    quern_queue *queue = graph->queues[command->queue];
    switch (command->kind) {
    case QUERN_GRAPH_LAUNCH:
        return command->launch ? replay_launch(queue, command) : QUERN_SUCCESS;
    case QUERN_GRAPH_COPY:
    case QUERN_GRAPH_PEER_COPY:
    case QUERN_GRAPH_FILL:
        return replay_copy(queue, command);
    case QUERN_GRAPH_OTHER_COPY:
        return quern_copy_submit(queue, &command->sides->target, &command->sides->source);
    case QUERN_GRAPH_OTHER_FILL:
        return quern_fill_submit(queue, &command->sides->target, command->sides->value);
    case QUERN_GRAPH_CALL:
        return quern_queue_call_inside(queue, command->function, command->argument);
    case QUERN_GRAPH_RECORD:
        return quern_event_record_inside(queue, NULL, &command->event);
    case QUERN_GRAPH_WAIT_INSIDE:
        return replay_wait_inside(queue, graph, command);
    case QUERN_GRAPH_WAIT:
        return quern_queue_wait_inside(queue, command->event);
    default:
        return QUERN_SUCCESS;
    }
}

/* ---- runs ---- */

static quern_status replay_native(quern_graph *graph, quern_graph_run *run)
{
    uint64_t number;
    quern_queue *queue = graph->queues[run->queue];
    quern_status status = quern_queue_begin(queue, run->uses, run->use_count, &number);
    if (status != QUERN_SUCCESS)
        return status;
    run->native->number = number;
    status = quern_ask_graph_launch(queue, number, run->native->graph);
    return quern_queue_end(queue, number, status, "a graph");
}

static quern_status replay_run(quern_graph *graph, quern_graph_run *run)
{
    quern_status status = QUERN_SUCCESS;
    if (run->native)
        return replay_native(graph, run);
    for (size_t i = 0; status == QUERN_SUCCESS && i < run->count; ++i)
        status = replay_command(graph, &graph->commands[run->commands[i]]);
    return status;
}

/* The events of this replay; what waits for them has a reference of its own. */
static void drop_events(quern_graph *graph)
{
    for (size_t i = 0; i < graph->count; ++i)
        if (graph->commands[i].is_awaited) {
            quern_event_drop(graph->commands[i].event);
            graph->commands[i].event = NULL;
        }
}

static quern_status replay(quern_graph *graph)
{
    quern_status status = quern_graph_record_runs(graph);
    for (size_t i = 0; status == QUERN_SUCCESS && i < graph->run_count; ++i)
        status = replay_run(graph, &graph->runs[i]);
    drop_events(graph);
    return status;
}

quern_status quern_graph_launch(quern_graph *graph)
{
    quern_status status = quern_object_check((const quern_object *)graph, QUERN_MARK_GRAPH, "graph");
    for (size_t i = 0; status == QUERN_SUCCESS && i < graph->queue_count; ++i) {
        status = quern_queue_check_outside(graph->queues[i]->progress);
        if (status == QUERN_SUCCESS)
            status = quern_graph_check_free(graph->queues[i], "given replays");
    }
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_lock_take(&graph->lock);
    if (status != QUERN_SUCCESS)
        return status;
    status = replay(graph);
    quern_lock_release(&graph->lock);
    return status;
}
