/* Queues: creating, submitting, synchronising, releasing. */
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event.h"
#include "graveyard.h"

/* The progress of the queue whose host function this thread runs, or NULL. */
static _Thread_local quern_progress *inside;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static quern_queue *all_queues;

static void list_add(quern_queue *queue)
{
    pthread_mutex_lock(&list_lock);
    queue->next = all_queues;
    queue->link = &all_queues;
    if (all_queues)
        all_queues->link = &queue->next;
    all_queues = queue;
    pthread_mutex_unlock(&list_lock);
}

static void list_remove(quern_queue *queue)
{
    pthread_mutex_lock(&list_lock);
    *queue->link = queue->next;
    if (queue->next)
        queue->next->link = queue->link;
    pthread_mutex_unlock(&list_lock);
}

quern_status quern_queues_snapshot(quern_order_table *snapshot)
{
    memset(snapshot, 0, sizeof *snapshot);
    quern_status status = QUERN_SUCCESS;
    pthread_mutex_lock(&list_lock);
    for (quern_queue *queue = all_queues; queue && status == QUERN_SUCCESS; queue = queue->next)
        status = quern_order_merge(snapshot, NULL, queue->progress, quern_progress_submitted(queue->progress));
    pthread_mutex_unlock(&list_lock);
    if (status != QUERN_SUCCESS)
        quern_order_table_free(snapshot);
    return status;
}

/* ---- creating ---- */

static quern_status check_options(const quern_queue_options *options)
{
    if (options->blocking != 0 && options->blocking != 1)
        return quern_fail(QUERN_INVALID_ARGUMENT, "options.blocking is %d, wanted 0 or 1", options->blocking);
    if (options->priority < -1 || options->priority > 1)
        return quern_fail(QUERN_INVALID_ARGUMENT, "options.priority is %d, wanted -1, 0 or 1", options->priority);
    return QUERN_SUCCESS;
}

static quern_status make_queue(quern_device *device, const quern_queue_options *options, quern_queue **queue)
{
    quern_queue *made = calloc(1, sizeof *made);
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a queue object of %zu bytes", sizeof *made);
    made->progress = quern_progress_acquire();
    if (!made->progress) {
        free(made);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a queue's progress");
    }
    made->device = device;
    made->backend = device->backend;
    made->blocking = options->blocking;
    made->first_number = quern_progress_submitted(made->progress);
    snprintf(made->name, sizeof made->name, "%s", options->name ? options->name : "");
    quern_status status = device->backend->queue_create(device->handle, options, made->progress, &made->handle);
    if (status != QUERN_SUCCESS) {
        quern_progress_recycle(made->progress);
        free(made);
        return status;
    }
    quern_progress_attach(made->progress, made->backend, made->handle);
    pthread_mutex_init(&made->lock, NULL);
    quern_object_init(&made->object, QUERN_MARK_QUEUE);
    list_add(made);
    *queue = made;
    return QUERN_SUCCESS;
}

quern_status quern_queue_create(quern_device *device, const quern_queue_options *options, quern_queue **queue)
{
    static const quern_queue_options defaults = {0, 0, NULL};
    quern_status status = quern_device_check(device, "device");
    if (status != QUERN_SUCCESS)
        return status;
    if (!queue)
        return quern_fail(QUERN_INVALID_ARGUMENT, "queue is NULL, wanted a place for the result");
    if (!options)
        options = &defaults;
    status = check_options(options);
    if (status != QUERN_SUCCESS)
        return status;
    quern_graveyard_sweep();
    return make_queue(device, options, queue);
}

/* ---- submitting ---- */

quern_status quern_queue_check_outside(const quern_progress *progress)
{
    if (inside != progress)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_INVALID_ARGUMENT,
                      "queue is used by its own host function, wanted another queue: the call would wait for itself");
}

quern_status quern_queue_lock(quern_queue *queue)
{
    quern_status status = quern_queue_check_outside(queue->progress);
    if (status == QUERN_SUCCESS)
        pthread_mutex_lock(&queue->lock);
    return status;
}

static uint64_t next_number(quern_queue *queue)
{
    uint64_t number = atomic_load_explicit(&queue->progress->submitted, memory_order_relaxed) + 1;
    atomic_store_explicit(&queue->progress->submitted, number, memory_order_release);
    return number;
}

/* A command function that queued nothing: its number must finish all the same, and the failure stick. */
static void give_up_command(quern_queue *queue, uint64_t number, quern_status status, const char *what)
{
    quern_progress_set_failed(queue->progress, number, status, what, quern_last_error());
    if (queue->backend->signal(queue->handle, number) != QUERN_SUCCESS) {
        /* Not even that: nothing of this queue runs any more, so the number is as finished as it will be. */
        quern_progress_set_finished(queue->progress, number);
    }
}

static void submit_wait(quern_queue *queue, const quern_order_entry *wait)
{
    uint64_t number = next_number(queue);
    quern_status status;
    if (queue->backend->wait) {
        status = queue->backend->wait(queue->handle, number, wait->progress, wait->number, NULL);
    } else {
        status = quern_progress_wait(wait->progress, wait->number);
        if (status == QUERN_SUCCESS)
            status = queue->backend->signal(queue->handle, number);
    }
    if (status != QUERN_SUCCESS)
        give_up_command(queue, number, status, "a wait for another queue");
}

quern_status quern_queue_begin(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t *number)
{
    quern_status status = quern_queue_lock(queue);
    return status == QUERN_SUCCESS ? quern_queue_begin_locked(queue, uses, count, number) : status;
}

quern_status quern_queue_begin_locked(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t *number)
{
    if (count) {
        quern_status status = quern_order_register(queue->progress, &queue->order,
                                      atomic_load_explicit(&queue->progress->submitted, memory_order_relaxed) + 1, uses,
                                      count, &queue->waits);
        if (status != QUERN_SUCCESS) {
            pthread_mutex_unlock(&queue->lock);
            return status;
        }
        if (queue->waits.count | queue->waits.skipped) {
            atomic_fetch_add(&queue->wait_count, queue->waits.count);
            atomic_fetch_add(&queue->skipped_waits, queue->waits.skipped);
            for (size_t i = 0; i < queue->waits.count; ++i)
                submit_wait(queue, &queue->waits.entries[i]);
        }
    }
    *number = next_number(queue);
    return QUERN_SUCCESS;
}

quern_status quern_queue_end(quern_queue *queue, uint64_t number, quern_status status, const char *what)
{
    if (status != QUERN_SUCCESS)
        give_up_command(queue, number, status, what);
    else if (queue->blocking)
        status = quern_progress_report_failure(queue->progress);
    pthread_mutex_unlock(&queue->lock);
    return status;
}

/* ---- host functions ---- */

static quern_status run_host_call(void *argument)
{
    quern_host_call *call = argument;
    quern_progress *outer = inside;
    inside = call->progress;
    quern_status status = call->function(call->argument);
    inside = outer;
    /* "Not ready" would say that the event behind it is not complete; other numbers say nothing at all. */
    if (status == QUERN_NOT_READY || !quern_status_is_known(status))
        return quern_fail(QUERN_HOST_FUNCTION_FAILED, "the host function returned %d, wanted a status that says why",
                          (int)status);
    return status;
}

/* Frees the records of host functions that have finished; the queue is locked or nobody uses it. */
static void free_finished_calls(quern_queue *queue)
{
    uint64_t finished = quern_progress_finished(queue->progress);
    quern_host_call **link = &queue->calls;
    while (*link) {
        quern_host_call *call = *link;
        if (call->number > finished) {
            link = &call->next;
            continue;
        }
        *link = call->next;
        free(call);
    }
}

/* A backend that cannot queue host functions: the queue is drained and the function called here. */
static quern_status call_now(quern_queue *queue, quern_host_call *call)
{
    quern_status status = queue->backend->signal(queue->handle, call->number);
    if (status == QUERN_SUCCESS && call->number)
        status = quern_progress_wait(queue->progress, call->number);
    if (status != QUERN_SUCCESS || quern_progress_is_failed(queue->progress))
        return status;
    status = run_host_call(call);
    if (status != QUERN_SUCCESS)
        quern_progress_set_failed(queue->progress, call->number, status, "a host function", quern_last_error());
    return QUERN_SUCCESS;
}

quern_status quern_queue_call(quern_queue *queue, quern_status (*function)(void *argument), void *argument)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!function)
        return quern_fail(QUERN_INVALID_ARGUMENT, "function is NULL, wanted a function to call");
    quern_host_call *call = malloc(sizeof *call);
    if (!call)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a host function's record");
    call->progress = queue->progress;
    call->function = function;
    call->argument = argument;
    status = quern_queue_begin(queue, NULL, 0, &call->number);
    if (status != QUERN_SUCCESS) {
        free(call);
        return status;
    }
    free_finished_calls(queue);
    call->next = queue->calls;
    queue->calls = call;
    uint64_t number = call->number;
    if (queue->backend->call)
        status = queue->backend->call(queue->handle, number, run_host_call, call);
    else
        status = call_now(queue, call);
    return quern_queue_end(queue, number, status, "a host function");
}

/* ---- synchronising ---- */

quern_status quern_queue_synchronize(quern_queue *queue)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    uint64_t number = quern_progress_submitted(queue->progress);
    if (quern_progress_finished(queue->progress) < number) {
        status = quern_queue_check_outside(queue->progress);
        if (status == QUERN_SUCCESS &&
            (!queue->backend->help || queue->backend->help(queue->handle, number) != QUERN_SUCCESS))
            status = quern_progress_wait(queue->progress, number);
        if (status != QUERN_SUCCESS)
            return status;
    }
    return quern_progress_take_failure(queue->progress, queue->name);
}

quern_status quern_queue_query(quern_queue *queue, int *idle)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!idle)
        return quern_fail(QUERN_INVALID_ARGUMENT, "idle is NULL, wanted a place for the result");
    uint64_t submitted = quern_progress_submitted(queue->progress);
    *idle = quern_progress_finished(queue->progress) >= submitted;
    return QUERN_SUCCESS;
}

/* A backend whose queues cannot wait: the host does. The failure of what is waited for comes in its turn. */
static quern_status wait_on_host(quern_queue *queue, uint64_t number, quern_event *event)
{
    quern_status status = quern_progress_wait(event->progress, event->number);
    if (status == QUERN_SUCCESS)
        status = queue->backend->signal(queue->handle, number);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_event_completion(event);
    if (status != QUERN_SUCCESS) {
        char *sentence = strdup(quern_last_error());
        quern_status waited = quern_progress_wait(queue->progress, number);
        quern_progress_set_failed(queue->progress, number, status, "a wait for an event", sentence);
        free(sentence);
        return waited;
    }
    return QUERN_SUCCESS;
}

/* The wait command for the event; the queue is not locked yet. */
static quern_status submit_event_wait(quern_queue *queue, quern_event *event)
{
    uint64_t number;
    quern_status status = quern_queue_begin(queue, NULL, 0, &number);
    if (status != QUERN_SUCCESS)
        return status;
    atomic_fetch_add(&queue->wait_count, 1);
    if (queue->backend->wait) {
        quern_object_retain(&event->object);
        status = queue->backend->wait(queue->handle, number, event->progress, event->number, event);
        if (status != QUERN_SUCCESS)
            quern_event_drop(event);
    } else {
        status = wait_on_host(queue, number, event);
    }
    return quern_queue_end(queue, number, status, "a wait for an event");
}

quern_status quern_queue_wait(quern_queue *queue, quern_event *event)
{
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = quern_event_check(event, "event");
    if (status == QUERN_SUCCESS)
        status = quern_queue_lock(queue);
    if (status != QUERN_SUCCESS)
        return status;
    int own = event->progress == queue->progress && event->number > queue->first_number;
    if (!own)
        status = quern_order_merge(&queue->order, &event->order, event->progress, event->number);
    pthread_mutex_unlock(&queue->lock);
    if (status != QUERN_SUCCESS || own)
        return status; /* its own commands are in order as they are */
    if (atomic_load_explicit(&event->complete, memory_order_acquire) && event->status == QUERN_SUCCESS) {
        atomic_fetch_add(&queue->skipped_waits, 1);
        return QUERN_SUCCESS;
    }
    return submit_event_wait(queue, event);
}

/* ---- looking ---- */

quern_status quern_queue_device(quern_queue *queue, quern_device **device)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    *device = queue->device;
    return QUERN_SUCCESS;
}

quern_status quern_queue_get_statistics(quern_queue *queue, quern_queue_statistics *statistics)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!statistics)
        return quern_fail(QUERN_INVALID_ARGUMENT, "statistics is NULL, wanted a place for the result");
    statistics->finished = quern_progress_finished(queue->progress) - queue->first_number;
    statistics->commands = quern_progress_submitted(queue->progress) - queue->first_number;
    statistics->waits = atomic_load(&queue->wait_count);
    statistics->skipped_waits = atomic_load(&queue->skipped_waits);
    return QUERN_SUCCESS;
}

/* ---- releasing ---- */

quern_status quern_queue_retain(quern_queue *queue)
{
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        quern_object_retain(&queue->object);
    return status;
}

void quern_queue_destroy(quern_queue *queue)
{
    list_remove(queue);
    quern_progress_detach(queue->progress);
    queue->backend->queue_destroy(queue->handle);
    free_finished_calls(queue);
    quern_order_table_free(&queue->order);
    free(queue->waits.entries);
    free(queue->memos);
    quern_progress_recycle(queue->progress);
    pthread_mutex_destroy(&queue->lock);
    quern_object_dispose(&queue->object);
}

quern_status quern_queue_release(quern_queue *queue)
{
    if (!queue)
        return QUERN_SUCCESS;
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS || !quern_object_release(&queue->object))
        return status;
    uint64_t submitted = quern_progress_submitted(queue->progress);
    if (quern_progress_finished(queue->progress) < submitted && !queue->backend->help)
        (void)queue->backend->signal(queue->handle, submitted);
    quern_graveyard_bury_queue(queue);
    quern_graveyard_sweep();
    return QUERN_SUCCESS;
}
