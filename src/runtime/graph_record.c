/* Recording commands of a graph, but for launches. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "copy_way.h"
#include "event.h"
#include "graph.h"

static quern_status no_memory(const char *what)
{
    return quern_fail(QUERN_OUT_OF_MEMORY, "no memory to record %s", what);
}

/* ---- copies and fills ---- */

static void keep_side(quern_copy_side *to, quern_layout *layout, const quern_copy_side *from)
{
    *to = *from;
    *layout = *from->layout;
    to->layout = layout;
    if (to->buffer)
        quern_object_retain(&to->buffer->object);
}

/* source may be NULL: a fill with the value. */
static quern_graph_sides *make_sides(const quern_copy_side *target, const quern_copy_side *source, const void *value)
{
    size_t bytes = value ? target->layout->type.size : 0;
    quern_graph_sides *sides = calloc(1, sizeof *sides + bytes);
    if (!sides)
        return NULL;
    keep_side(&sides->target, &sides->target_layout, target);
    if (source)
        keep_side(&sides->source, &sides->source_layout, source);
    if (value)
        memcpy(sides->value, value, bytes);
    return sides;
}

/* With room for the uses of both sides; else what there is is freed. */
static quern_status make_command(quern_graph_command *command, const quern_copy_side *target,
                                 const quern_copy_side *source, const void *value, const char *what)
{
    command->sides = make_sides(target, source, value);
    command->uses = malloc(2 * sizeof *command->uses);
    if (command->sides && command->uses)
        return QUERN_SUCCESS;
    quern_graph_command_free(command);
    return no_memory(what);
}

static quern_status describe_copy(quern_queue *queue, quern_graph_command *command)
{
    const quern_copy_side *target = &command->sides->target, *source = &command->sides->source;
    quern_backend_copy *copy = &command->sides->copy;
    quern_status status = QUERN_SUCCESS;
    command->use_count = quern_copy_uses(target, source, command->uses);
    if (quern_copy_is_plain(queue, target, source)) {
        status = quern_copy_describe(queue->device, target, source, copy);
        command->kind =
            status == QUERN_SUCCESS && quern_copy_is_by_host(queue, copy) ? QUERN_GRAPH_OTHER_COPY : QUERN_GRAPH_COPY;
    } else if (quern_copy_is_between_peers(queue, target, source)) {
        command->kind = QUERN_GRAPH_PEER_COPY;
        status = quern_copy_describe_peer(queue, target, source, copy);
    } else {
        command->kind = QUERN_GRAPH_OTHER_COPY;
    }
    return status;
}

static quern_status describe_fill(quern_queue *queue, quern_graph_command *command)
{
    const quern_copy_side *target = &command->sides->target;
    quern_backend_copy *fill = &command->sides->copy;
    quern_status status = quern_copy_describe(queue->device, target, NULL, fill);
    if (status != QUERN_SUCCESS)
        return status;
    fill->source = command->sides->value;
    command->uses[command->use_count++] = (quern_buffer_use){target->buffer, 1, quern_copy_side_box(target)};
    int is_by_host = fill->target_is_host && !queue->device->info.host_accessible;
    command->kind = is_by_host || !queue->backend->fill ? QUERN_GRAPH_OTHER_FILL : QUERN_GRAPH_FILL;
    return QUERN_SUCCESS;
}

/* The queue's graph is locked: adds a command that make_command has made, as what describe says. */
static quern_status add_described(quern_graph *graph, quern_graph_command *command,
                                  quern_status (*describe)(quern_queue *queue, quern_graph_command *command))
{
    quern_status status = describe(graph->queues[command->queue], command);
    if (status == QUERN_SUCCESS)
        return quern_graph_add(graph, command);
    quern_graph_command_free(command);
    return status;
}

int quern_graph_record_copy(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source,
                            int is_empty, quern_status *status)
{
    quern_graph_command command = {.kind = QUERN_GRAPH_NOTHING};
    quern_graph *graph = quern_graph_recording(queue, &command.queue);
    if (!graph)
        return 0;
    *status = is_empty ? QUERN_SUCCESS : make_command(&command, target, source, NULL, "a copy");
    if (*status == QUERN_SUCCESS)
        *status = is_empty ? quern_graph_add(graph, &command) : add_described(graph, &command, describe_copy);
    quern_graph_recorded(graph);
    return 1;
}

int quern_graph_record_fill(quern_queue *queue, const quern_copy_side *target, const void *value, int is_empty,
                            quern_status *status)
{
    quern_graph_command command = {.kind = QUERN_GRAPH_NOTHING};
    quern_graph *graph = quern_graph_recording(queue, &command.queue);
    if (!graph)
        return 0;
    *status = is_empty ? QUERN_SUCCESS : make_command(&command, target, NULL, value, "a fill");
    if (*status == QUERN_SUCCESS)
        *status = is_empty ? quern_graph_add(graph, &command) : add_described(graph, &command, describe_fill);
    quern_graph_recorded(graph);
    return 1;
}

/* ---- host functions ---- */

int quern_graph_record_call(quern_queue *queue, quern_status (*function)(void *argument), void *argument,
                            quern_status *status)
{
    quern_graph_command command = {.kind = QUERN_GRAPH_CALL, .function = function, .argument = argument};
    quern_graph *graph = quern_graph_recording(queue, &command.queue);
    if (!graph)
        return 0;
    *status = quern_graph_add(graph, &command);
    quern_graph_recorded(graph);
    return 1;
}

/* ---- events ---- */

static quern_status add_record(quern_graph *graph, size_t index, quern_event **event)
{
    quern_graph_command command = {.kind = QUERN_GRAPH_RECORD, .queue = index};
    quern_event *made = calloc(1, sizeof *made);
    if (!made)
        return no_memory("an event");
    quern_status status = quern_graph_add(graph, &command);
    if (status != QUERN_SUCCESS) {
        free(made);
        return status;
    }
    quern_event_init(made, graph->queues[index]->device);
    made->capture = graph->serial;
    made->capture_command = graph->count - 1;
    *event = made;
    return QUERN_SUCCESS;
}

int quern_graph_record_event(quern_queue *queue, quern_event **event, quern_status *status)
{
    size_t index;
    quern_graph *graph = quern_graph_recording(queue, &index);
    if (!graph)
        return 0;
    *status = add_record(graph, index, event);
    quern_graph_recorded(graph);
    return 1;
}

/* What the queue itself recorded it is after as it is. */
static quern_status add_wait_inside(quern_graph *graph, quern_graph_command *command, size_t record)
{
    int is_own = graph->commands[record].queue == command->queue;
    command->kind = is_own ? QUERN_GRAPH_NOTHING : QUERN_GRAPH_WAIT_INSIDE;
    command->record = record;
    quern_status status = quern_graph_add(graph, command);
    if (status == QUERN_SUCCESS && !is_own)
        graph->commands[record].is_awaited = 1;
    return status;
}

static quern_status add_wait(quern_graph *graph, quern_graph_command *command, quern_event *event)
{
    quern_status status = quern_event_check_held(event, "event");
    if (status != QUERN_SUCCESS)
        return status;
    if (event->capture == graph->serial)
        return add_wait_inside(graph, command, event->capture_command);
    if (event->capture)
        return quern_event_is_inside("event");
    command->kind = QUERN_GRAPH_WAIT;
    command->event = event;
    quern_event_use(event);
    return quern_graph_add(graph, command);
}

int quern_graph_record_wait(quern_queue *queue, quern_event *event, quern_status *status)
{
    quern_graph_command command = {.kind = QUERN_GRAPH_NOTHING};
    quern_graph *graph = quern_graph_recording(queue, &command.queue);
    if (!graph)
        return 0;
    *status = add_wait(graph, &command, event);
    quern_graph_recorded(graph);
    return 1;
}
