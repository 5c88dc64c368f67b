/* Creating and destroying queues, and putting commands into them. */
#include "opencl_queue.h"

#include "base/error.h"

#include "opencl_backend.h"
#include "opencl_error.h"
#include "opencl_tickets.h"

#include <stdlib.h>
#include <string.h>

/* ---- creating and destroying ---- */

static cl_command_queue create_handle(struct quern_opencl_device *device, int priority, cl_int *error)
{
    static const cl_bitfield priorities[] = {CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_PRIORITY_MED_KHR,
                                             CL_QUEUE_PRIORITY_HIGH_KHR};
    if (device->has_priorities && priority) {
        const cl_bitfield properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PRIORITY_KHR,
                                          priorities[1 + priority], 0};
        return quern_cl.CreateCommandQueueWithProperties(device->context, device->id, properties, error);
    }
    return quern_cl.CreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, error);
}

static void free_queue(struct quern_opencl_queue *queue)
{
    if (queue->spent)
        quern_cl.ReleaseEvent(queue->spent);
    if (queue->handle)
        quern_cl.ReleaseCommandQueue(queue->handle);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue);
}

quern_status quern_opencl_queue_make(struct quern_opencl_device *device, cl_command_queue handle, int blocking,
                                     quern_progress *progress, void **result)
{
    struct quern_opencl_queue *queue = calloc(1, sizeof *queue);
    if (!queue) {
        quern_cl.ReleaseCommandQueue(handle);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a queue of %s", device->info.name);
    }
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->device = device;
    queue->progress = progress;
    queue->handle = handle;
    queue->blocking = blocking;
    /* A progress goes on counting where the queue before this one stopped. */
    queue->submitted = queue->reported = quern_opencl_host->finished_number(progress);
    quern_status status = quern_opencl_ticket_issue(queue, &queue->ticket);
    if (status != QUERN_SUCCESS) {
        free_queue(queue);
        return status;
    }
    *result = queue;
    return QUERN_SUCCESS;
}

quern_status quern_opencl_queue_create(void *device_, const quern_queue_options *options, quern_progress *progress,
                                       void **result)
{
    struct quern_opencl_device *device = device_;
    cl_int error = CL_SUCCESS;
    cl_command_queue handle = create_handle(device, options ? options->priority : 0, &error);
    if (error)
        return quern_opencl_fail(error, "making a queue of %s", device->info.name);
    return quern_opencl_queue_make(device, handle, options && options->blocking, progress, result);
}

void quern_opencl_queue_destroy(void *queue_)
{
    struct quern_opencl_queue *queue = queue_;
    quern_opencl_ticket_withdraw(queue->ticket);
    /* Whoever finished the last number may still be settling. */
    pthread_mutex_lock(&queue->lock);
    while (queue->settling)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    free_queue(queue);
}

/* ---- commands ---- */

int quern_opencl_command_begin(struct quern_opencl_command *command, struct quern_opencl_queue *queue, uint64_t number,
                               const char *what, const char *kernel)
{
    command->queue = queue;
    command->number = number;
    command->what = what;
    command->kernel = kernel;
    command->pushed = 0;
    return !quern_opencl_host->is_failed(queue->progress);
}

void quern_opencl_command_room(struct quern_opencl_command *command)
{
    struct quern_opencl_queue *queue = command->queue;
    pthread_mutex_lock(&queue->lock);
    quern_opencl_queue_make_room(queue);
    pthread_mutex_unlock(&queue->lock);
}

static void push(struct quern_opencl_command *command, const struct quern_opencl_entry *entry)
{
    struct quern_opencl_queue *queue = command->queue;
    pthread_mutex_lock(&queue->lock);
    queue->entries[queue->tail++ % QUERN_OPENCL_RING] = *entry;
    pthread_mutex_unlock(&queue->lock);
    ++command->pushed;
}

quern_status quern_opencl_command_push(struct quern_opencl_command *command, cl_int error, cl_event event, void *owned)
{
    if (error) {
        free(owned);
        return quern_opencl_fail(error, "%s%s on %s", command->kernel ? "kernel " : "",
                                 command->kernel ? command->kernel : command->what, command->queue->device->info.name);
    }
    const struct quern_opencl_entry entry = {
        .event = event, .number = command->number, .what = command->what, .kernel = command->kernel, .owned = owned};
    push(command, &entry);
    return QUERN_SUCCESS;
}

quern_status quern_opencl_command_end(struct quern_opencl_command *command, quern_status status)
{
    struct quern_opencl_queue *queue = command->queue;
    if (status != QUERN_SUCCESS) {
        if (command->pushed)
            quern_opencl_queue_drain(queue);
        return status; /* the front end asks for a signal of its number */
    }
    pthread_mutex_lock(&queue->lock);
    queue->submitted = command->number;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    if (queue->blocking) {
        quern_opencl_queue_wait(queue, command->number);
    } else {
        if (command->pushed)
            quern_cl.Flush(queue->handle); /* it is to begin without a further call */
        quern_opencl_queue_watch(queue);
    }
    return QUERN_SUCCESS;
}

/* ---- events ---- */

quern_status quern_opencl_record(void *queue_, uint64_t number, quern_event *event)
{
    struct quern_opencl_queue *queue = queue_;
    struct quern_opencl_command command;
    struct quern_opencl_entry entry = {.number = number, .what = "an event record", .recorded = event};
    /* On a failed queue too: its events are reached, and have its failure. */
    int run = quern_opencl_command_begin(&command, queue, number, entry.what, NULL);
    quern_opencl_command_room(&command);
    cl_int error = quern_cl.EnqueueMarkerWithWaitList(queue->handle, 0, NULL, &entry.event);
    if (error && run)
        return quern_opencl_fail(error, "an event record on %s", queue->device->info.name);
    if (error)
        entry.event = NULL;
    push(&command, &entry);
    return quern_opencl_command_end(&command, QUERN_SUCCESS);
}
