/* Queues: creating, synchronising, looking, releasing; submitting is in submit.c. */
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/forked.h"
#include "completion.h"
#include "event.h"
#include "graph.h"
#include "graveyard.h"
#include "held.h"
#include "native_use.h"

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

static quern_status make_handle(quern_device *device, const quern_queue_options *options,
                                const quern_queue_handle *native, quern_progress *progress, void **handle)
{
    /* A blocking queue that is made in a task blocks the task and not, in the backend, its thread. */
    const quern_queue_options own = {options->blocking && !quern_wait_is_cooperative(), options->priority,
                                     options->name};
    options = &own;
    return native ? quern_ask_queue_wrap(device, native->kind, native->handle, options, progress, handle)
                  : quern_ask_queue_create(device, options, progress, handle);
}

static quern_status make_queue(quern_device *device, const quern_queue_options *options,
                               const quern_queue_handle *native, quern_queue **queue)
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
    quern_status status = make_handle(device, options, native, made->progress, &made->handle);
    if (status != QUERN_SUCCESS) {
        quern_progress_recycle(made->progress);
        free(made);
        return status;
    }
    made->signalled = made->first_number;
    atomic_init(&made->wish, made->first_number);
    quern_held_init(made);
    atomic_init(&made->is_native, native != NULL);
    atomic_init(&made->native_count, 0);
    quern_progress_attach(made->progress, made->backend, made->handle, made);
    quern_object_init(&made->object, QUERN_MARK_QUEUE);
    list_add(made);
    *queue = made;
    return QUERN_SUCCESS;
}

quern_status quern_queue_make(quern_device *device, const quern_queue_options *options,
                              const quern_queue_handle *native, quern_queue **queue)
{
    static const quern_queue_options defaults = {0, 0, NULL};
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = quern_forked_check("making a queue");
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
    return make_queue(device, options, native, queue);
}

quern_status quern_queue_create(quern_device *device, const quern_queue_options *options, quern_queue **queue)
{
    return quern_queue_make(device, options, NULL, queue);
}

/* ---- synchronising ---- */

quern_status quern_queue_synchronize(quern_queue *queue)
{
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = quern_graph_check_free(queue, "synchronised");
    if (status == QUERN_SUCCESS && quern_native_is_used(queue))
        status = quern_event_end_native(queue);
    if (status != QUERN_SUCCESS)
        return status;
    uint64_t number = quern_progress_submitted(queue->progress);
    if (quern_progress_finished(queue->progress) < number) {
        status = quern_queue_check_outside(queue->progress);
        if (status == QUERN_SUCCESS)
            status = quern_forked_check("a wait");
        /* Whom others may wait for is seen to wait. */
        if (status == QUERN_SUCCESS && (quern_queue_own_node() || !quern_queue_help(queue, number)))
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
    status = quern_graph_check_free(queue, "asked");
    if (status != QUERN_SUCCESS)
        return status;
    uint64_t submitted = quern_progress_submitted(queue->progress);
    *idle = quern_progress_finished(queue->progress) >= submitted;
    return *idle ? QUERN_SUCCESS : quern_progress_ask(queue->progress, submitted);
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
    size_t native_count;
    quern_buffer_use *native_uses = quern_native_take_uses(queue, &native_count);
    list_remove(queue);
    quern_native_release(native_uses, native_count); /* left over when memory was short */
    quern_progress_detach(queue->progress);
    quern_ask_queue_destroy(queue);
    quern_queue_free_calls(queue);
    quern_held_free(queue);
    quern_order_table_free(&queue->order);
    free(queue->waits.entries);
    free(queue->memos);
    quern_progress_recycle(queue->progress);
    quern_object_dispose(&queue->object);
}

quern_status quern_queue_release(quern_queue *queue)
{
    if (!queue)
        return QUERN_SUCCESS;
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS && atomic_load(&queue->is_current) && atomic_load(&queue->object.references) == 1)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "queue is the current one of a thread or task, which releases it, wanted one that the caller "
                          "holds");
    if (status != QUERN_SUCCESS || !quern_object_release(&queue->object) || quern_process_is_forked())
        return status; /* what a fork has left of a queue is nobody's to take apart */
    if (quern_native_is_used(queue))
        (void)quern_event_end_native(queue);
    /* What cannot be asked for finishes all the same; somebody who needs to know asks again. */
    (void)quern_progress_ask(queue->progress, quern_progress_submitted(queue->progress));
    quern_graveyard_bury_queue(queue);
    quern_graveyard_sweep();
    return QUERN_SUCCESS;
}
