/*
 * A request on the device: a host function that asks whether it is still wanted, a launch, a copy to the host, a host
 * function, all on the client's non-blocking queue. The event behind them is a file descriptor in the loop.
 */
#include "server.h"

#include <stdlib.h>
#include <unistd.h>

#include "mandelbrot.k.h"

struct job {
    server *server;
    request request;
    atomic_int is_cancelled; /* read by a thread of the runtime */
    quern_event *event;
    quern_queue *queue;
    int32_t *iterations; /* the picture, on the host */
    uint64_t checksum;
    int fd;
    uv_poll_t poll;
    job_done *done; /* NULL: abandoned */
    void *owner;
};

static void job_free(job *job)
{
    (void)quern_event_release(job->event);
    (void)quern_queue_release(job->queue);
    if (job->fd >= 0)
        close(job->fd);
    free(job->iterations);
    free(job);
}

/* On a thread of the runtime. A failure takes the commands behind it along: they do nothing. */
static quern_status check_wanted(void *argument)
{
    job *job = argument;
    return atomic_load(&job->is_cancelled) ? QUERN_CANCELLED : QUERN_SUCCESS;
}

/* On a thread of the runtime: a large picture would keep the loop from its other clients. */
static quern_status compute_checksum(void *argument)
{
    job *job = argument;
    job->checksum = checksum_of(job->iterations, job->request.rows * job->request.columns);
    return QUERN_SUCCESS;
}

/* All but the buffer, which may be released behind its last command. */
static quern_status submit(job *job, quern_buffer *picture)
{
    const request *request = &job->request;
    quern_layout layout;
    quern_span host;
    quern_status status = quern_queue_call(job->queue, check_wanted, job);
    if (!status)
        status = mandelbrot(job->queue, QUERN_RANGE(request->rows, request->columns), PICTURE_LEFT, PICTURE_TOP,
                            request_step(request), request->limit, QUERN_VIEW(picture));
    if (!status)
        status = quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(request->rows, request->columns), &layout);
    if (!status)
        status = quern_span_make(job->iterations, &layout, &host);
    if (!status)
        status = quern_copy_to_host(job->queue, host, QUERN_CONST_VIEW(picture));
    if (!status)
        status = quern_queue_call(job->queue, compute_checksum, job);
    if (!status)
        status = quern_event_record(job->queue, &job->event);
    if (!status)
        status = quern_event_fd(job->event, &job->fd);
    return status;
}

/* ---- in the loop ---- */

static void on_poll_closed(uv_handle_t *handle)
{
    job_free(handle->data);
}

static void on_readable(uv_poll_t *poll, int error, int events)
{
    job *job = poll->data;
    quern_status status = quern_event_query(job->event);
    (void)error; /* the event knows */
    (void)events;
    if (status == QUERN_NOT_READY)
        return;
    /* A failure sticks to the client's queue: taken off, so that the next request runs. All commands have ended, so
     * this does not wait. */
    if (status)
        (void)quern_queue_synchronize(job->queue);
    uv_poll_stop(poll);
    --job->server->jobs;
    if (job->done)
        job->done(job->owner, status, job->checksum);
    uv_close((uv_handle_t *)poll, on_poll_closed);
}

/* uv_poll_init fails for descriptors that cannot be polled and for want of memory; uv_poll_start cannot. */
static quern_status start_polling(job *job)
{
    if (uv_poll_init(&job->server->loop, &job->poll, job->fd) != 0)
        return QUERN_SYSTEM_ERROR;
    job->poll.data = job;
    (void)uv_poll_start(&job->poll, UV_READABLE, on_readable);
    return QUERN_SUCCESS;
}

quern_status job_start(server *server, quern_queue *queue, const request *request, job_done *done, void *owner,
                       struct job **started)
{
    quern_buffer *picture = NULL;
    job *job = calloc(1, sizeof *job);
    if (!job)
        return QUERN_OUT_OF_MEMORY;
    *job = (struct job){.server = server, .request = *request, .queue = queue, .fd = -1, .done = done, .owner = owner};
    (void)quern_queue_retain(queue);
    job->iterations = malloc(request->rows * request->columns * sizeof *job->iterations);
    quern_status status = job->iterations ? QUERN_SUCCESS : QUERN_OUT_OF_MEMORY;
    if (!status)
        status = quern_buffer_create_on_queue(queue, QUERN_TYPE(int32_t),
                                              QUERN_EXTENTS(request->rows, request->columns), &picture);
    if (!status)
        status = submit(job, picture);
    (void)quern_buffer_release(picture); /* its memory stays until the commands are done with it */
    if (!status)
        status = start_polling(job);
    if (status) {
        (void)quern_queue_synchronize(queue); /* commands that were queued use the job; the one place that waits */
        job_free(job);
        return status;
    }
    ++server->jobs;
    *started = job;
    return QUERN_SUCCESS;
}

void job_cancel(job *job)
{
    atomic_store(&job->is_cancelled, 1);
}

void job_abandon(job *job)
{
    job_cancel(job);
    job->done = NULL;
}
