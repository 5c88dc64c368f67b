/*
 * Capturing a stream, and graphs.
 *
 * A captured stream takes copies, fills and kernels between memory of devices, and notes them; what else a stream
 * takes, the fake does not put into graphs. The memory is found again at each launch, as a graph holds addresses, not
 * allocations. A launch queues its commands one after another, behind those of the launch before it, wherever that was.
 */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

struct fake_graph {
    int references; /* the handle's, and those of what was instantiated */
    struct fake_command *first, **last;
    size_t count;
};

/* What was captured and not destroyed, or instantiated. */
struct fake_graph_object {
    struct fake_graph_object *next; /* of the context */
    void *handle;
    struct fake_context *context;
    struct fake_graph *graph;
    struct fake_stream *latest; /* of the latest launch, and how far the stream then is */
    uint64_t number;
};

static size_t captures; /* streams that are captured */

/* ---- graphs ---- */

static void unref(struct fake_graph *graph)
{
    if (!graph || --graph->references)
        return;
    while (graph->first) {
        struct fake_command *next = graph->first->next;
        fake_command_free(graph->first);
        graph->first = next;
    }
    free(graph);
}

static struct fake_graph_object *new_object(enum fake_kind kind, struct fake_context *context, struct fake_graph *graph)
{
    struct fake_graph_object *made = calloc(1, sizeof *made);
    if (made)
        made->handle = fake_handle_make(kind, made);
    if (!made || !made->handle) {
        free(made);
        return NULL;
    }
    made->context = context;
    made->graph = graph;
    ++graph->references;
    made->next = context->graphs;
    context->graphs = made;
    return made;
}

static void free_object(struct fake_graph_object *object)
{
    struct fake_graph_object **link = &object->context->graphs;
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    fake_handle_drop(object->handle);
    unref(object->graph);
    free(object);
}

size_t fake_graphs_count(const struct fake_context *context)
{
    size_t count = 0;
    for (const struct fake_graph_object *object = context->graphs; object; object = object->next)
        ++count;
    return count;
}

size_t fake_graphs_drop(struct fake_context *context)
{
    size_t dropped = 0;
    for (; context->graphs; ++dropped)
        free_object(context->graphs);
    return dropped;
}

/* ---- capturing ---- */

static fc_result refuse(struct fake_stream *stream, struct fake_command *command, fc_result error)
{
    fake_command_free(command);
    stream->capture_is_invalid = 1;
    return error;
}

static void forget_memory(struct fake_memory **memory)
{
    fake_memory_unuse(*memory);
    *memory = NULL;
}

fc_result fake_capture(struct fake_stream *stream, struct fake_command *command)
{
    struct fake_graph *graph = stream->capture;
    const struct fake_box *box = &command->box;
    if (stream->capture_is_invalid)
        return refuse(stream, command, FC_ERROR_STREAM_CAPTURE_INVALIDATED);
    if (command->what > FAKE_KERNEL)
        return refuse(stream, command, FC_ERROR_NOT_SUPPORTED);
    if (command->what != FAKE_KERNEL && (!box->target.memory || (command->what == FAKE_COPY && !box->source.memory)))
        return refuse(stream, command, FC_ERROR_NOT_SUPPORTED); /* pageable memory */
    forget_memory(&command->box.target.memory);
    forget_memory(&command->box.source.memory);
    for (size_t i = 0; command->launch && i < command->launch->memory_count; ++i)
        forget_memory(&command->launch->memories[i]);
    command->next = NULL;
    *graph->last = command;
    graph->last = &command->next;
    ++graph->count;
    return FC_SUCCESS;
}

void fake_capture_drop(struct fake_stream *stream)
{
    if (!stream->capture)
        return;
    --captures;
    unref(stream->capture);
    stream->capture = NULL;
}

/* Calls that a capture in another than the relaxed mode forbids: of its own thread, in the global mode of all. */
static int is_unsafe(const char *name)
{
    static const char *const list[] = {"cuMemAlloc_v2",    "cuMemFree_v2",      "cuMemHostAlloc",
                                       "cuMemFreeHost",    "cuMemAllocManaged", "cuModuleLoadDataEx",
                                       "cuModuleUnload",   "cuEventQuery",      "cuEventSynchronize",
                                       "cuCtxSynchronize", "cuMemcpy",          "cuModuleLoadData"};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
        if (strcmp(name, list[i]) == 0)
            return 1;
    return 0;
}

fc_result fake_capture_check(const char *name)
{
    fc_result error = FC_SUCCESS;
    if (!captures || !is_unsafe(name))
        return FC_SUCCESS;
    for (int i = 0; i < FAKE_DEVICES; ++i)
        for (struct fake_stream *stream = fake_device_table[i].context ? fake_device_table[i].context->streams : NULL;
             stream; stream = stream->next) {
            int is_own = stream->capture && pthread_equal(stream->capture_thread, pthread_self());
            if (!stream->capture || stream->capture_mode == FC_CAPTURE_RELAXED ||
                (stream->capture_mode == FC_CAPTURE_THREAD_LOCAL && !is_own))
                continue;
            stream->capture_is_invalid = 1;
            error = FC_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    return error;
}

fc_result fake_capture_touch(struct fake_stream *stream)
{
    if (!stream->capture)
        return FC_SUCCESS;
    stream->capture_is_invalid = 1;
    return FC_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/* The begin of a function on a stream. */
static fc_result enter(const char *name, unsigned needs, fc_stream handle, struct fake_stream **stream)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT | needs);
    if (!error) {
        error = fake_stream_of(handle, stream);
        if (error)
            error = fake_leave(error);
    }
    return error;
}

fc_result cuStreamBeginCapture_v2(fc_stream handle, int mode)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamBeginCapture_v2", 0, handle, &stream);
    if (error)
        return error;
    if (mode < FC_CAPTURE_GLOBAL || mode > FC_CAPTURE_RELAXED)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    if (stream == stream->context->legacy)
        return fake_leave(FC_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (stream->capture)
        return fake_leave(FC_ERROR_ILLEGAL_STATE);
    struct fake_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return fake_leave(FC_ERROR_OUT_OF_MEMORY);
    graph->references = 1;
    graph->last = &graph->first;
    stream->capture = graph;
    stream->capture_mode = mode;
    stream->capture_thread = pthread_self();
    stream->capture_is_invalid = 0;
    ++captures;
    return fake_leave(FC_SUCCESS);
}

fc_result cuStreamEndCapture(fc_stream handle, fc_graph *graph)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamEndCapture", FAKE_RELEASES, handle, &stream);
    if (error)
        return error;
    if (!graph)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    *graph = NULL;
    if (!stream->capture)
        return fake_leave(FC_ERROR_ILLEGAL_STATE);
    if (stream->capture_mode != FC_CAPTURE_RELAXED && !pthread_equal(stream->capture_thread, pthread_self()))
        return fake_leave(FC_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    if (stream->capture_is_invalid) {
        error = FC_ERROR_STREAM_CAPTURE_INVALIDATED;
    } else {
        struct fake_graph_object *made = new_object(FAKE_GRAPH, stream->context, stream->capture);
        *graph = made ? made->handle : NULL;
        error = made ? FC_SUCCESS : FC_ERROR_OUT_OF_MEMORY;
    }
    fake_capture_drop(stream);
    return fake_leave(error);
}

fc_result cuStreamIsCapturing(fc_stream handle, int *status)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamIsCapturing", 0, handle, &stream);
    if (error)
        return error;
    if (status)
        *status = !stream->capture ? 0 : stream->capture_is_invalid ? 2 : 1;
    return fake_leave(status ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

/* ---- graphs and what is launched of them ---- */

fc_result cuGraphInstantiateWithFlags(fc_graph_exec *exec, fc_graph handle, unsigned long long flags)
{
    fc_result error = fake_enter("cuGraphInstantiateWithFlags", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    const struct fake_graph_object *graph = fake_handle_find(FAKE_GRAPH, handle);
    if (!exec || !graph || flags)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    if (graph->graph->count == 0 && !fake_settings.no_op) {
        fake_violation("a graph without commands is instantiated");
        return fake_leave(FC_ERROR_INVALID_VALUE);
    }
    struct fake_graph_object *made = new_object(FAKE_EXEC, graph->context, graph->graph);
    if (made)
        *exec = made->handle;
    return fake_leave(made ? FC_SUCCESS : FC_ERROR_OUT_OF_MEMORY);
}

/* The memory that there is now, in use by a command. */
static fc_result find_memory(uintptr_t address, struct fake_memory **memory)
{
    *memory = address ? fake_memory_find(address) : NULL;
    if (*memory && !(*memory)->given_up) {
        ++(*memory)->uses;
        return FC_SUCCESS;
    }
    *memory = NULL;
    fake_violation("a graph came to memory that had been freed");
    return FC_ERROR_ILLEGAL_ADDRESS;
}

static fc_result copy_launch(const struct fake_launch *launch, struct fake_launch **copy)
{
    struct fake_launch *made = calloc(1, sizeof *made);
    if (!made)
        return FC_ERROR_OUT_OF_MEMORY;
    *copy = made;
    *made = *launch;
    made->memory_count = 0;
    made->seed = fake_random();
    made->bytes = malloc(fake_launch_bytes(launch));
    made->memories = calloc(launch->memory_count + 1, sizeof(struct fake_memory *));
    if (!made->bytes || !made->memories)
        return FC_ERROR_OUT_OF_MEMORY;
    memcpy(made->bytes, launch->bytes, fake_launch_bytes(launch));
    made->memory_count = launch->memory_count;
    for (size_t i = 0; i < launch->memory_count; ++i) {
        uintptr_t address = fake_launch_pointer(launch, i);
        fc_result error = address ? find_memory(address, &made->memories[i]) : FC_SUCCESS;
        if (error)
            return error;
    }
    return FC_SUCCESS;
}

/* A command of its own, of what was captured. */
static fc_result copy_command(const struct fake_command *command, struct fake_command **copy)
{
    fc_result error = FC_SUCCESS;
    struct fake_command *made = calloc(1, sizeof *made);
    *copy = made;
    if (!made)
        return FC_ERROR_OUT_OF_MEMORY;
    made->what = command->what;
    made->box = command->box;
    if (command->what == FAKE_KERNEL)
        return copy_launch(command->launch, &made->launch);
    error = find_memory(command->box.target.address, &made->box.target.memory);
    if (!error && command->what == FAKE_COPY)
        error = find_memory(command->box.source.address, &made->box.source.memory);
    return error;
}

/* The command that was queued last comes behind the launch before. */
static fc_result come_behind(struct fake_stream *stream, const struct fake_graph_object *exec)
{
    struct fake_command *command = stream->last;
    if (!exec->latest || exec->latest == stream)
        return FC_SUCCESS;
    struct fake_before *list = realloc(command->before, (command->before_count + 1) * sizeof *list);
    if (!list)
        return FC_ERROR_OUT_OF_MEMORY;
    list[command->before_count++] = (struct fake_before){exec->latest, exec->number};
    command->before = list;
    return FC_SUCCESS;
}

static fc_result launch(struct fake_graph_object *exec, struct fake_stream *stream)
{
    fc_result error = FC_SUCCESS;
    for (const struct fake_command *command = exec->graph->first; !error && command; command = command->next) {
        struct fake_command *copy = NULL;
        error = copy_command(command, &copy);
        if (error && copy)
            fake_command_free(copy);
        if (!error)
            error = fake_submit(stream, copy);
        if (!error && command == exec->graph->first && !stream->capture)
            error = come_behind(stream, exec);
    }
    exec->latest = stream;
    exec->number = stream->submitted;
    return error;
}

fc_result cuGraphLaunch(fc_graph_exec handle, fc_stream stream_handle)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuGraphLaunch", 0, stream_handle, &stream);
    if (error)
        return error;
    struct fake_graph_object *exec = fake_handle_find(FAKE_EXEC, handle);
    if (!exec || exec->context != stream->context)
        return fake_leave(FC_ERROR_INVALID_HANDLE);
    if (stream->capture)
        return fake_leave(fake_capture_touch(stream)); /* by the fake */
    error = launch(exec, stream);
    if (error == FC_ERROR_ILLEGAL_ADDRESS)
        fake_context_break(stream->context, error);
    return fake_leave(error);
}

fc_result cuGraphExecDestroy(fc_graph_exec handle)
{
    fc_result error = fake_enter("cuGraphExecDestroy", FAKE_NEEDS_CONTEXT | FAKE_RELEASES);
    if (error)
        return error;
    struct fake_graph_object *exec = fake_handle_find(FAKE_EXEC, handle);
    if (!exec)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    if (exec->latest && exec->latest->completed < exec->number)
        fake_violation("a graph is destroyed while it runs");
    free_object(exec);
    return fake_leave(FC_SUCCESS);
}

fc_result cuGraphDestroy(fc_graph handle)
{
    fc_result error = fake_enter("cuGraphDestroy", FAKE_NEEDS_CONTEXT | FAKE_RELEASES);
    if (error)
        return error;
    struct fake_graph_object *graph = fake_handle_find(FAKE_GRAPH, handle);
    if (!graph)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    free_object(graph);
    return fake_leave(FC_SUCCESS);
}
