/* How every command is submitted: locking, numbers, the waits that order asks for, failures at once. */
#include <string.h>

#include "answer.h"
#include "completion.h"
#include "event.h"
#include "held.h"

/* ---- the lock ---- */

/* The progress of the queue whose host function this thread runs, or NULL. */
static _Thread_local quern_progress *inside;

quern_progress *quern_queue_set_inside(quern_progress *progress)
{
    quern_progress *outer = inside;
    inside = progress;
    return outer;
}

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

/* ---- numbers ---- */

/* The first of so many new numbers. */
static uint64_t next_numbers(quern_queue *queue, uint64_t count)
{
    uint64_t submitted = atomic_load_explicit(&queue->progress->submitted, memory_order_relaxed);
    atomic_store_explicit(&queue->progress->submitted, submitted + count, memory_order_release);
    return submitted + 1;
}

/* A command function that queued nothing: its number must finish all the same, and the failure stick. What could not be
 * held back leaves a number that only finishes in its turn, and nothing behind it is lost. */
static void give_up_command(quern_queue *queue, uint64_t number, quern_status status, const char *what)
{
    if (quern_queue_is_holding(queue))
        return;
    quern_progress_set_failed(queue->progress, number, status, what, quern_last_error());
    if (quern_queue_finish_number(queue, number) != QUERN_SUCCESS) {
        /* Not even that: nothing of this queue runs any more, so the number is as finished as it will be. */
        quern_progress_set_finished(queue->progress, number);
    }
}

/* ---- waits for other queues ---- */

/* The wait is the backend's, or held back. NOT_READY: neither, it is still to be done. */
static quern_status give_wait(quern_queue *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                              quern_event *event)
{
    if (!queue->commands->wait)
        return QUERN_NOT_READY;
    quern_status status = QUERN_SUCCESS;
    if (!queue->commands->declines_waits)
        status = quern_progress_ask(other, other_number);
    if (status == QUERN_SUCCESS && !quern_queue_is_holding(queue))
        status = quern_queue_signal_before(queue, number);
    if (status == QUERN_SUCCESS)
        status = quern_held_ask_wait(queue->commands, queue->target, number, other, other_number, event);
    return status;
}

/* The calling thread waits, as on a blocking queue. */
static quern_status wait_on_host(quern_queue *queue, uint64_t number, quern_progress *other, uint64_t other_number)
{
    quern_status status = quern_progress_wait(other, other_number);
    return status == QUERN_SUCCESS ? quern_queue_finish_number(queue, number) : status;
}

static void submit_wait(quern_queue *queue, quern_progress *other, uint64_t other_number)
{
    uint64_t number = next_numbers(queue, 1);
    quern_status status = give_wait(queue, number, other, other_number, NULL);
    if (status == QUERN_NOT_READY && (queue->blocking || quern_progress_finished(other) >= other_number)) {
        status = wait_on_host(queue, number, other, other_number);
    } else if (status == QUERN_NOT_READY) {
        quern_held_wait(queue, number, other, other_number, NULL);
        status = QUERN_SUCCESS;
    }
    if (status != QUERN_SUCCESS)
        give_up_command(queue, number, status, "a wait for another queue");
}

/* Order wants more waits than can be held: makes room for them until it is content. */
static quern_status register_with_room(quern_queue *queue, uint64_t first_number, const quern_buffer_use *uses,
                                       size_t count)
{
    quern_status status = QUERN_NOT_READY;
    while (status == QUERN_NOT_READY) {
        status = quern_held_prepare(queue, queue->waits.count);
        if (status == QUERN_SUCCESS)
            status = quern_order_register(queue->progress, &queue->order, first_number, uses, count, &queue->waits);
    }
    return status;
}

static inline quern_status begin(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t commands,
                                 uint64_t *number)
{
    if (count) {
        uint64_t first = atomic_load_explicit(&queue->progress->submitted, memory_order_relaxed) + commands;
        quern_status status = quern_order_register(queue->progress, &queue->order, first, uses, count, &queue->waits);
        if (status != QUERN_SUCCESS) {
            if (status == QUERN_NOT_READY)
                status = register_with_room(queue, first, uses, count);
            if (status != QUERN_SUCCESS) {
                pthread_mutex_unlock(&queue->lock);
                return status;
            }
        }
        if (queue->waits.count | queue->waits.skipped) {
            atomic_fetch_add(&queue->wait_count, queue->waits.count);
            atomic_fetch_add(&queue->skipped_waits, queue->waits.skipped);
            for (size_t i = 0; i < queue->waits.count; ++i)
                submit_wait(queue, queue->waits.entries[i].progress, queue->waits.entries[i].number);
        }
    }
    *number = next_numbers(queue, commands);
    return QUERN_SUCCESS;
}

/* ---- beginning and ending ---- */

quern_status quern_queue_begin_locked(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t *number)
{
    return begin(queue, uses, count, 1, number);
}

quern_status quern_queue_begin(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t *number)
{
    quern_status status = quern_queue_lock(queue);
    return status == QUERN_SUCCESS ? begin(queue, uses, count, 1, number) : status;
}

quern_status quern_queue_begin_several(quern_queue *queue, const quern_buffer_use *uses, size_t count,
                                       uint64_t commands, uint64_t *number)
{
    quern_status status = quern_queue_lock(queue);
    return status == QUERN_SUCCESS ? begin(queue, uses, count, commands, number) : status;
}

/* On a blocking queue: the command has finished, whatever the backend made of that, and what failed is reported. */
static quern_status end_blocking(quern_queue *queue, uint64_t number)
{
    quern_status status = QUERN_SUCCESS;
    if (quern_progress_finished(queue->progress) < number)
        status = quern_queue_wait_own(queue, number);
    return status == QUERN_SUCCESS ? quern_progress_report_failure(queue->progress) : status;
}

quern_status quern_queue_end(quern_queue *queue, uint64_t number, quern_status status, const char *what)
{
    if (status != QUERN_SUCCESS)
        give_up_command(queue, number, status, what);
    else if (queue->blocking)
        status = end_blocking(queue, number);
    else
        quern_held_wait_for_room(queue);
    pthread_mutex_unlock(&queue->lock);
    return status;
}

/* ---- waits for events ---- */

/* The failure of what is waited for comes in its turn: when all before it has run. */
static quern_status event_on_host(quern_queue *queue, uint64_t number, quern_event *event)
{
    quern_status status = quern_progress_wait(event->progress, event->number);
    if (status == QUERN_SUCCESS)
        status = quern_queue_wait_own(queue, number - 1);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_event_completion(event);
    if (status != QUERN_SUCCESS)
        quern_progress_set_failed(queue->progress, number, status, "a wait for an event", quern_last_error());
    return quern_queue_finish_number(queue, number);
}

static quern_status submit_event_wait(quern_queue *queue, uint64_t number, quern_event *event)
{
    quern_object_retain(&event->object); /* the command's */
    quern_status status = give_wait(queue, number, event->progress, event->number, event);
    if (status == QUERN_NOT_READY && !queue->blocking) {
        quern_held_wait(queue, number, event->progress, event->number, event);
        return QUERN_SUCCESS;
    }
    if (status == QUERN_NOT_READY)
        status = event_on_host(queue, number, event);
    else if (status == QUERN_SUCCESS)
        return status;
    quern_event_drop(event);
    return status;
}

/* With the queue locked: whether a wait command is needed; *status says whether the order is known. */
static int needs_wait(quern_queue *queue, quern_event *event, quern_status *status)
{
    *status = QUERN_SUCCESS;
    if (event->progress == queue->progress && event->number > queue->first_number)
        return 0; /* its own commands are in order as they are */
    int done = atomic_load_explicit(&event->complete, memory_order_acquire) && event->status == QUERN_SUCCESS;
    if (!done)
        *status = quern_held_prepare(queue, 1);
    if (*status == QUERN_SUCCESS)
        *status = quern_order_merge(&queue->order, &event->order, event->progress, event->number);
    if (*status == QUERN_SUCCESS)
        atomic_fetch_add(done ? &queue->skipped_waits : &queue->wait_count, 1);
    return *status == QUERN_SUCCESS && !done;
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
    if (!needs_wait(queue, event, &status)) {
        pthread_mutex_unlock(&queue->lock);
        return status;
    }
    uint64_t number = next_numbers(queue, 1);
    return quern_queue_end(queue, number, submit_event_wait(queue, number, event), "a wait for an event");
}
