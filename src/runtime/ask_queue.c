/* Calling a backend's functions of queues; see ask.h. */
#include "ask.h"
#include "ask_run.h"
#include "held.h"

/* ---- commands ---- */

/* A command function's call: which arguments there are is the function's business. */
typedef struct command {
    quern_asking asking;
    void *queue; /* as the function gets it */
    uint64_t number;
    union {
        const quern_backend_launch *launch;
        struct {
            const quern_backend_copy *copy;
            void *target_device, *source_device;
        };
        struct {
            quern_status (*function)(void *argument);
            void *argument;
        };
        struct {
            quern_progress *other;
            uint64_t other_number;
            quern_event *event;
        };
        struct {
            size_t bytes, alignment;
            void **memory;
        };
        void *graph;
    };
} command;

#define COMMAND(name, number_, ...)                                                                                    \
    {                                                                                                                  \
        .asking = {.call = call_##name, .function = #name}, .number = (number_), __VA_ARGS__                           \
    }

static quern_status call_copy(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->copy(own->queue, own->number, own->copy);
}

static quern_status call_launch(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->launch(own->queue, own->number, own->launch);
}

static quern_status call_fill(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->fill(own->queue, own->number, own->copy);
}

static quern_status call_peer_copy(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->peer_copy(own->queue, own->number, own->copy, own->target_device, own->source_device);
}

static quern_status call_call(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->call(own->queue, own->number, own->function, own->argument);
}

static quern_status call_wait(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->wait(own->queue, own->number, own->other, own->other_number, own->event);
}

static quern_status call_record(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->record(own->queue, own->number, own->event);
}

static quern_status call_signal(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->signal(own->queue, own->number);
}

static quern_status call_queue_allocate(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->queue_allocate(own->queue, own->number, own->bytes, own->alignment, own->memory);
}

static quern_status call_graph_launch(const quern_asking *asking)
{
    const command *own = (const command *)asking;
    return asking->backend->graph_launch(own->queue, own->number, own->graph);
}

/* 1 when a command of this blocking queue is a wait of its thread's in a driver. Not so for a backend that both works
 * along and finishes every number by itself: that computes on the calling thread, which is where the work belongs. */
static int blocks_in_driver(const quern_queue *queue)
{
    return queue->blocking && !(queue->backend->help && queue->backend->finishes_all);
}

static quern_status give_to_backend(quern_queue *queue, command *own, int blocks)
{
    own->asking.backend = queue->backend;
    own->queue = queue->handle;
    return blocks ? quern_asking_offload(&own->asking) : quern_asking_run(&own->asking);
}

/* Held back, a command is only appended to a list. */
static quern_status give(quern_queue *queue, command *own, int blocks)
{
    if (!quern_queue_is_holding(queue))
        return give_to_backend(queue, own, blocks);
    own->asking.backend = queue->commands;
    own->queue = queue->target;
    return own->asking.call(&own->asking);
}

quern_status quern_ask_copy(quern_queue *queue, uint64_t number, const quern_backend_copy *copy)
{
    command own = COMMAND(copy, number, .copy = copy);
    return give(queue, &own, blocks_in_driver(queue));
}

quern_status quern_ask_launch_elsewhere(quern_queue *queue, uint64_t number, const quern_backend_launch *launch)
{
    command own = COMMAND(launch, number, .launch = launch);
    return give(queue, &own, blocks_in_driver(queue));
}

quern_status quern_ask_fill(quern_queue *queue, uint64_t number, const quern_backend_copy *fill)
{
    command own = COMMAND(fill, number, .copy = fill);
    return give(queue, &own, blocks_in_driver(queue));
}

quern_status quern_ask_peer_copy(quern_queue *queue, uint64_t number, const quern_backend_copy *copy,
                                 void *target_device, void *source_device)
{
    command own =
        COMMAND(peer_copy, number, .copy = copy, .target_device = target_device, .source_device = source_device);
    return give(queue, &own, blocks_in_driver(queue));
}

/* Nobody knows how long the function takes, and what it waits for. */
quern_status quern_ask_call(quern_queue *queue, uint64_t number, quern_status (*function)(void *argument),
                            void *argument)
{
    command own = COMMAND(call, number, .function = function, .argument = argument);
    return give(queue, &own, queue->blocking);
}

quern_status quern_ask_wait(quern_queue *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                            quern_event *event)
{
    command own = COMMAND(wait, number, .other = other, .other_number = other_number, .event = event);
    return give(queue, &own, blocks_in_driver(queue));
}

quern_status quern_ask_record(quern_queue *queue, uint64_t number, quern_event *event)
{
    command own = COMMAND(record, number, .event = event);
    return give(queue, &own, blocks_in_driver(queue));
}

quern_status quern_ask_graph_launch(quern_queue *queue, uint64_t number, void *graph)
{
    command own = COMMAND(graph_launch, number, .graph = graph);
    return give(queue, &own, blocks_in_driver(queue));
}

quern_status quern_ask_signal(quern_queue *queue, uint64_t number)
{
    command own = COMMAND(signal, number, .launch = NULL);
    return give_to_backend(queue, &own, blocks_in_driver(queue));
}

quern_status quern_ask_queue_allocate(quern_queue *queue, uint64_t number, size_t bytes, size_t alignment,
                                      void **memory)
{
    command own = COMMAND(queue_allocate, number, .bytes = bytes, .alignment = alignment, .memory = memory);
    return give_to_backend(queue, &own, 0); /* the address is known at once, on a blocking queue too */
}

/* ---- life ---- */

typedef struct creation {
    quern_asking asking;
    void *device;
    uint32_t kind; /* of the native queue */
    void *handle;
    const quern_queue_options *options;
    quern_progress *progress;
    void **queue;
} creation;

static quern_status call_queue_create(const quern_asking *asking)
{
    const creation *own = (const creation *)asking;
    return asking->backend->queue_create(own->device, own->options, own->progress, own->queue);
}

static quern_status call_queue_wrap(const quern_asking *asking)
{
    const creation *own = (const creation *)asking;
    return asking->backend->queue_wrap(own->device, own->kind, own->handle, own->options, own->progress, own->queue);
}

quern_status quern_ask_queue_create(quern_device *device, const quern_queue_options *options, quern_progress *progress,
                                    void **queue)
{
    creation own = {.asking = {.call = call_queue_create, .function = "queue_create", .backend = device->backend},
                    .device = device->handle,
                    .options = options,
                    .progress = progress,
                    .queue = queue};
    return quern_asking_run(&own.asking);
}

quern_status quern_ask_queue_wrap(quern_device *device, uint32_t kind, void *handle, const quern_queue_options *options,
                                  quern_progress *progress, void **queue)
{
    creation own = {.asking = {.call = call_queue_wrap, .function = "queue_wrap", .backend = device->backend},
                    .device = device->handle,
                    .kind = kind,
                    .handle = handle,
                    .options = options,
                    .progress = progress,
                    .queue = queue};
    return quern_asking_run(&own.asking);
}

static void run_queue_destroy(void *argument)
{
    const quern_queue *queue = argument;
    queue->backend->queue_destroy(queue->handle);
}

void quern_ask_queue_destroy(quern_queue *queue)
{
    quern_call_on_thread_stack(run_queue_destroy, queue);
}
