/* Launches of a graph: recording them, and replacing their arguments. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "graph.h"
#include "launch.h"
#include "program.h"

/* ---- the launch as the caller gave it ---- */

static int is_view(const quern_argument *argument)
{
    return argument->kind == QUERN_ARGUMENT_VIEW || argument->kind == QUERN_ARGUMENT_CONST_VIEW;
}

/* A checked argument with data of its own, whose buffer is held; 0 when there is no memory. */
static int copy_argument(quern_argument *to, const quern_argument *from)
{
    *to = *from;
    if (from->kind == QUERN_ARGUMENT_LENGTH) {
        to->data = NULL;
        return 1;
    }
    size_t bytes = is_view(from) ? sizeof(quern_view) : from->type.size;
    void *data = malloc(bytes ? bytes : 1);
    if (!data)
        return 0;
    to->data = memcpy(data, from->data, bytes);
    if (is_view(from))
        quern_object_retain(&((const quern_view *)data)->buffer->object);
    return 1;
}

static quern_status no_memory(const quern_kernel *kernel)
{
    return quern_fail(QUERN_OUT_OF_MEMORY, "no memory to record a launch of kernel '%s'", kernel->name);
}

/* Of a launch that has been checked. */
static quern_graph_source *make_source(quern_kernel *kernel, const quern_range *range, const quern_argument *arguments,
                                       size_t count)
{
    quern_graph_source *source = malloc(sizeof *source + count * sizeof *arguments);
    if (!source)
        return NULL;
    source->kernel = kernel;
    source->program = quern_program_of(kernel);
    source->range = *range;
    for (source->count = 0; source->count < count; ++source->count)
        if (!copy_argument(&source->arguments[source->count], &arguments[source->count])) {
            quern_graph_source_free(source);
            return NULL;
        }
    return source;
}

/* ---- what the backend gets ---- */

static quern_status prepare(quern_device *device, quern_kernel *kernel, const quern_range *range,
                            const quern_argument *arguments, size_t count, quern_held_launch **held,
                            quern_buffer_use **uses, size_t *use_count)
{
    quern_checked_arguments checked;
    quern_backend_launch launch;
    *held = NULL;
    *uses = NULL;
    *use_count = 0;
    quern_status status = quern_launch_prepare(device, kernel, range, arguments, count, &checked, &launch);
    if (status != QUERN_SUCCESS || launch.items == 0)
        return status;
    *held = quern_held_copy_launch(&launch);
    if (!*held)
        return QUERN_OUT_OF_MEMORY;
    *uses = malloc((checked.use_count + 1) * sizeof **uses);
    if (!*uses) {
        free(*held);
        *held = NULL;
        return no_memory(kernel);
    }
    memcpy(*uses, checked.uses, checked.use_count * sizeof **uses);
    *use_count = checked.use_count;
    return QUERN_SUCCESS;
}

int quern_graph_record_launch(quern_queue *queue, quern_kernel *kernel, const quern_range *range,
                              const quern_argument *arguments, size_t count, quern_status *status)
{
    quern_graph_command command = {.kind = QUERN_GRAPH_LAUNCH};
    quern_graph *graph = quern_graph_recording(queue, &command.queue);
    if (!graph)
        return 0;
    *status =
        prepare(queue->device, kernel, range, arguments, count, &command.launch, &command.uses, &command.use_count);
    if (*status == QUERN_SUCCESS) {
        command.source = make_source(kernel, range, arguments, count);
        if (!command.source) {
            quern_graph_command_free(&command);
            *status = no_memory(kernel);
        } else {
            *status = quern_graph_add(graph, &command);
        }
    }
    quern_graph_recorded(graph);
    return 1;
}

/* ---- replacing an argument ---- */

static quern_status check_place(const quern_graph *graph, size_t command, size_t argument)
{
    if (command >= graph->count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "command is %zu, wanted less than the %zu of the graph", command,
                          graph->count);
    const quern_graph_command *found = &graph->commands[command];
    if (found->kind != QUERN_GRAPH_LAUNCH)
        return quern_fail(QUERN_INVALID_ARGUMENT, "command %zu of the graph is no launch, wanted one of a kernel",
                          command);
    if (argument >= found->source->count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "argument is %zu, wanted less than the %zu of kernel '%s'", argument,
                          found->source->count, found->source->kernel->name);
    return QUERN_SUCCESS;
}

/* Everything that can fail comes first, so a failure changes nothing. */
static quern_status replace(quern_graph *graph, size_t number, size_t index, const quern_argument *value)
{
    quern_graph_command *command = &graph->commands[number];
    quern_graph_source *source = command->source;
    quern_argument old = source->arguments[index], copy;
    quern_held_launch *launch;
    quern_buffer_use *uses;
    size_t use_count;
    source->arguments[index] = *value;
    quern_status status = prepare(graph->queues[command->queue]->device, source->kernel, &source->range,
                                  source->arguments, source->count, &launch, &uses, &use_count);
    source->arguments[index] = old;
    if (status != QUERN_SUCCESS)
        return status;
    if (!copy_argument(&copy, value)) {
        free(launch);
        free(uses);
        return no_memory(source->kernel);
    }
    quern_held_launch *old_launch = command->launch;
    quern_buffer_use *old_uses = command->uses;
    size_t old_count = command->use_count;
    command->launch = launch;
    command->uses = uses;
    command->use_count = use_count;
    status = quern_graph_renew_run(graph, number);
    if (status != QUERN_SUCCESS) {
        command->launch = old_launch;
        command->uses = old_uses;
        command->use_count = old_count;
        free(launch);
        free(uses);
        if (is_view(&copy))
            (void)quern_buffer_release(((const quern_view *)copy.data)->buffer);
        free((void *)copy.data);
        return status;
    }
    /* The list held memory of values: whoever reads it is through, as replays are submitted under the lock. */
    free(old_launch);
    free(old_uses);
    source->arguments[index] = copy;
    if (is_view(&old))
        (void)quern_buffer_release(((const quern_view *)old.data)->buffer);
    free((void *)old.data);
    return QUERN_SUCCESS;
}

quern_status quern_graph_set_argument(quern_graph *graph, size_t command, size_t argument, const quern_argument *value)
{
    quern_status status = quern_object_check((const quern_object *)graph, QUERN_MARK_GRAPH, "graph");
    if (status != QUERN_SUCCESS)
        return status;
    if (!value)
        return quern_fail(QUERN_INVALID_ARGUMENT, "value is NULL, wanted an argument");
    status = quern_lock_take(&graph->lock);
    if (status != QUERN_SUCCESS)
        return status;
    status = check_place(graph, command, argument);
    if (status == QUERN_SUCCESS)
        status = replace(graph, command, argument, value);
    quern_lock_release(&graph->lock);
    return status;
}
