/*
 * Waits of one queue for another: a stream waits for an event of the other stream.
 *
 * That can be had when both are of one device and the other queue was given what is waited for already. Everything else
 * is left to the front end: numbers to come, other devices, whose loss would have to be this queue's failure, other
 * backends, and events that have failed.
 */
#include "cuda_queue.h"

#include "base/error.h"

#include "cuda_backend.h"

/* 1 when the other queue's stream holds all up to number. */
static int has_been_given(struct quern_cuda_queue *other, uint64_t number)
{
    pthread_mutex_lock(&other->lock);
    int given = other->submitted >= number && !other->lost;
    pthread_mutex_unlock(&other->lock);
    return given;
}

static int is_sound(quern_progress *other, quern_event *event)
{
    return !event || (!quern_cuda_host->is_failed(other) && quern_cuda_host->event_status(event) == QUERN_SUCCESS);
}

/* The context is the thread's. The driver looks at the event's state of now, so it can be used again at once. */
static CUresult wait_for_stream(struct quern_cuda_queue *queue, const struct quern_cuda_queue *other)
{
    CUevent event;
    CUresult error = quern_cuda_event_take(queue->device, &event);
    if (error)
        return error;
    error = quern_cu.EventRecord(event, other->stream);
    if (!error)
        error = quern_cu.StreamWaitEvent(queue->stream, event, 0);
    quern_cuda_event_give(queue->device, event);
    return error;
}

/* Also on a queue that has failed. */
static quern_status give(struct quern_cuda_queue *queue, uint64_t number, const struct quern_cuda_queue *other)
{
    struct quern_cuda_command command = {queue, number, "a wait for another queue", NULL, 1, 0};
    quern_status status = quern_cuda_enter(queue->device);
    if (status != QUERN_SUCCESS)
        return status;
    CUresult error = wait_for_stream(queue, other);
    /* As something to run: the loss of the device, with the other queue's commands, is a failure of this one too. */
    command.given = !error;
    if (error)
        status =
            quern_cuda_device_fail(queue->device, error, "a wait for another queue on %s", queue->device->info.name);
    return quern_cuda_command_end(&command, status);
}

quern_status quern_cuda_wait(void *queue_, uint64_t number, quern_progress *other_progress, uint64_t other_number,
                             quern_event *event)
{
    struct quern_cuda_queue *queue = queue_;
    quern_status status = QUERN_NOT_READY;
    struct quern_cuda_queue *other =
        queue->blocking ? NULL : quern_cuda_host->queue_pin(other_progress, &quern_cuda_backend);
    if (!other)
        return QUERN_NOT_READY;
    if (other->device == queue->device && has_been_given(other, other_number) && is_sound(other_progress, event))
        status = give(queue, number, other);
    quern_cuda_host->queue_unpin(other_progress);
    if (status == QUERN_SUCCESS && event)
        quern_cuda_host->event_release(event);
    return status;
}
