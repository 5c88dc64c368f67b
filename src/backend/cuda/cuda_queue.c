/* Creating and destroying queues, and putting commands into them. */
#include "cuda_queue.h"

#include "base/error.h"

#include "cuda_backend.h"

#include <stdlib.h>

/* ---- creating and destroying ---- */

/* The context is the thread's. Smaller numbers are more urgent. */
static CUresult native_priority(int priority, int *native)
{
    int least = 0, greatest = 0;
    CUresult error = priority ? quern_cu.CtxGetStreamPriorityRange(&least, &greatest) : CUDA_SUCCESS;
    *native = priority < 0 ? least : priority > 0 ? greatest : 0;
    return error;
}

/* The context is the thread's. */
static quern_status create_stream(struct quern_cuda_device *device, int priority, CUstream *stream)
{
    int native;
    CUresult error = native_priority(priority, &native);
    if (!error)
        error = quern_cu.StreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, native);
    return error ? quern_cuda_device_fail(device, error, "making a queue of %s", device->info.name) : QUERN_SUCCESS;
}

void quern_cuda_queue_free(struct quern_cuda_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue);
}

static void release_stream(struct quern_cuda_queue *queue)
{
    if (queue->is_wrapped || !quern_cuda_enter_to_release(queue->device))
        return;
    (void)quern_cu.StreamDestroy(queue->stream);
    quern_cuda_leave();
}

quern_status quern_cuda_queue_make(struct quern_cuda_device *device, CUstream stream, int is_wrapped, int blocking,
                                   quern_progress *progress, void **result)
{
    struct quern_cuda_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a queue of %s", device->info.name);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->device = device;
    queue->progress = progress;
    queue->stream = stream;
    queue->is_wrapped = is_wrapped;
    queue->blocking = blocking;
    /* A progress goes on counting where the queue before this one stopped. */
    queue->submitted = queue->done = queue->reported = quern_cuda_host->finished_number(progress);
    quern_status status = quern_cuda_clock_start(device);
    if (status == QUERN_SUCCESS)
        status = quern_cuda_completion_add(&device->completion, queue);
    if (status == QUERN_SUCCESS)
        *result = queue;
    else
        quern_cuda_queue_free(queue);
    return status;
}

quern_status quern_cuda_queue_create(void *device_, const quern_queue_options *options, quern_progress *progress,
                                     void **queue)
{
    struct quern_cuda_device *device = device_;
    CUstream stream = NULL;
    quern_status status = quern_cuda_enter(device);
    if (status != QUERN_SUCCESS)
        return status;
    status = create_stream(device, options ? options->priority : 0, &stream);
    if (status == QUERN_SUCCESS) {
        status = quern_cuda_queue_make(device, stream, 0, options && options->blocking, progress, queue);
        if (status != QUERN_SUCCESS)
            (void)quern_cu.StreamDestroy(stream);
    }
    quern_cuda_leave();
    return status;
}

void quern_cuda_queue_destroy(void *queue_)
{
    struct quern_cuda_queue *queue = queue_;
    quern_cuda_completion_remove(&queue->device->completion, queue);
    /* Whoever finished the last number may still be settling. */
    pthread_mutex_lock(&queue->lock);
    while (queue->settling)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    release_stream(queue);
    if (quern_cuda_queue_is_due(queue)) /* the device is lost */
        quern_cuda_completion_bury(&queue->device->completion, queue);
    else
        quern_cuda_queue_free(queue);
}

/* ---- commands ---- */

quern_status quern_cuda_command_begin(struct quern_cuda_command *command, struct quern_cuda_queue *queue,
                                      uint64_t number, const char *what, const char *kernel)
{
    command->queue = queue;
    command->number = number;
    command->what = what;
    command->kernel = kernel;
    command->runs = command->given = 0;
    if (!queue->is_recorder && quern_cuda_host->is_failed(queue->progress))
        return QUERN_SUCCESS;
    quern_status status = quern_cuda_enter(queue->device);
    command->runs = status == QUERN_SUCCESS;
    return status;
}

quern_status quern_cuda_command_given(struct quern_cuda_command *command, CUresult error)
{
    if (error)
        return quern_cuda_device_fail(command->queue->device, error, "%s%s on %s", command->kernel ? "kernel " : "",
                                      command->kernel ? command->kernel : command->what,
                                      command->queue->device->info.name);
    command->given = 1;
    return QUERN_SUCCESS;
}

void quern_cuda_command_own(struct quern_cuda_command *command, struct quern_cuda_owned *owned)
{
    const struct quern_cuda_entry entry = {.number = command->number, .owned = owned};
    quern_cuda_queue_keep(command->queue, &entry);
}

quern_status quern_cuda_command_end(struct quern_cuda_command *command, quern_status status)
{
    struct quern_cuda_queue *queue = command->queue;
    if (command->runs)
        quern_cuda_leave();
    if (queue->is_recorder)
        return status;
    if (status != QUERN_SUCCESS) {
        if (command->given)
            quern_cuda_queue_drain(queue);
        return status; /* the front end asks for a signal of its number */
    }
    quern_cuda_queue_submitted(queue, command);
    if (queue->blocking)
        quern_cuda_queue_wait(queue, command->number);
    return QUERN_SUCCESS;
}

/* ---- events ---- */

/* The context is the thread's. */
static quern_status record_event(struct quern_cuda_queue *queue, CUevent *event)
{
    CUresult error = quern_cuda_event_take(queue->device, event);
    if (!error)
        error = quern_cu.EventRecord(*event, queue->stream);
    if (!error)
        return QUERN_SUCCESS;
    if (*event)
        quern_cuda_event_give(queue->device, *event);
    *event = NULL;
    return quern_cuda_device_fail(queue->device, error, "an event record on %s", queue->device->info.name);
}

quern_status quern_cuda_record(void *queue_, uint64_t number, quern_event *event)
{
    struct quern_cuda_queue *queue = queue_;
    CUevent time = NULL;
    quern_status status = quern_cuda_enter(queue->device);
    if (status == QUERN_SUCCESS) {
        status = record_event(queue, &time);
        quern_cuda_leave();
    }
    /* On a failed queue too: its events are reached, and have its failure. */
    if (status != QUERN_SUCCESS && !quern_cuda_host->is_failed(queue->progress))
        return status;
    quern_cuda_queue_mark(queue, number, event, time);
    if (queue->blocking)
        quern_cuda_queue_wait(queue, number);
    return QUERN_SUCCESS;
}
