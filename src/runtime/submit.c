/* How every command is submitted: locking, numbers, the waits that order asks for, failures at once. */
#include <string.h>

#include "ask.h"
#include "base/forked.h"
#include "completion.h"
#include "event.h"
#include "graph.h"
#include "held.h"
#include "wait.h"

/* ---- the lock ---- */

_Thread_local quern_progress *quern_queue_inside;

quern_progress *quern_queue_set_inside(quern_progress *progress)
{
    quern_progress *outer = quern_queue_inside;
    quern_queue_inside = progress;
    return outer;
}

quern_circle_node *quern_queue_own_node(void)
{
    if (quern_queue_inside)
        return &quern_queue_inside->node;
    return quern_coroutine_self ? &quern_coroutine_self->node : NULL;
}

quern_status quern_queue_check_outside(const quern_progress *progress)
{
    if (quern_queue_inside != progress)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_INVALID_ARGUMENT,
                      "queue is used by its own host function, wanted another queue: the call would wait for itself");
}

/*
 * How many commands of a queue are under way when a task submits more: fewer than make a backend wait for room, which
 * it would do in the driver. Those that tell only what they are asked for are GPUs' drivers, whose queues hold a
 * thousand.
 */
enum { MOST_COMMANDS = 2048, MOST_COMMANDS_OF_DRIVERS = 128 };

/* A coroutine waits here, and not in the backend, until half of very much has finished. */
static quern_status wait_for_room(quern_queue *queue)
{
    const uint64_t most = queue->backend->finishes_all ? MOST_COMMANDS : MOST_COMMANDS_OF_DRIVERS;
    uint64_t submitted = quern_progress_submitted(queue->progress);
    if (submitted - quern_progress_finished(queue->progress) <= most || !quern_wait_is_cooperative())
        return QUERN_SUCCESS;
    return quern_progress_wait(queue->progress, submitted - most / 2);
}

quern_status quern_queue_lock_slow(quern_queue *queue)
{
    quern_status status = quern_queue_check_outside(queue->progress);
    if (status == QUERN_SUCCESS)
        status = quern_forked_check("a command on a queue");
    if (status == QUERN_SUCCESS && quern_wait_may_be_cooperative())
        status = wait_for_room(queue);
    return status == QUERN_SUCCESS ? quern_lock_take(&queue->lock) : status;
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
    if (queue->blocking && quern_wait_is_cooperative())
        status = quern_progress_wait(other, other_number); /* else the backend would, with the thread */
    if (status == QUERN_SUCCESS && !queue->commands->declines_waits)
        status = quern_progress_ask(other, other_number);
    if (status == QUERN_SUCCESS && !quern_queue_is_holding(queue))
        status = quern_queue_signal_before(queue, number);
    if (status == QUERN_SUCCESS)
        status = quern_ask_wait(queue, number, other, other_number, event);
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

/* The waits that order asks for; on failure the queue is unlocked. */
static __attribute__((noinline)) quern_status submit_waits(quern_queue *queue, const quern_buffer_use *uses,
                                                           size_t count, uint64_t first)
{
    quern_status status = quern_order_register(queue->progress, &queue->order, first, uses, count, &queue->waits);
    if (status == QUERN_NOT_READY)
        status = register_with_room(queue, first, uses, count);
    if (status != QUERN_SUCCESS) {
        quern_lock_release(&queue->lock);
        return status;
    }
    if (queue->waits.count | queue->waits.skipped | queue->waits.done) {
        atomic_fetch_add(&queue->wait_count, queue->waits.count);
        atomic_fetch_add(&queue->skipped_waits, queue->waits.skipped + queue->waits.done);
        queue->waits.done = 0;
        for (size_t i = 0; i < queue->waits.count; ++i)
            submit_wait(queue, queue->waits.entries[i].progress, queue->waits.entries[i].number);
    }
    return QUERN_SUCCESS;
}

static inline quern_status begin(quern_queue *queue, const quern_buffer_use *uses, size_t count, uint64_t commands,
                                 uint64_t *number)
{
    if (count) {
        uint64_t first = atomic_load_explicit(&queue->progress->submitted, memory_order_relaxed) + commands;
        quern_status status = submit_waits(queue, uses, count, first);
        if (status != QUERN_SUCCESS)
            return status;
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
    if (status != QUERN_SUCCESS || !quern_progress_is_failed(queue->progress))
        return status;
    return quern_progress_report_failure(queue->progress);
}

/* The same of a coroutine, which lets others have the queue meanwhile. */
static quern_status end_cooperatively(quern_queue *queue, uint64_t number)
{
    quern_lock_release(&queue->lock);
    quern_status status = quern_progress_wait(queue->progress, number);
    return status == QUERN_SUCCESS ? quern_progress_report_failure(queue->progress) : status;
}

/* The command is in its place: that its submitter could not be held up is no failure of it. */
static quern_status unlock_with_room(quern_queue *queue)
{
    (void)quern_held_unlock_with_room(queue);
    return QUERN_SUCCESS;
}

quern_status quern_queue_end(quern_queue *queue, uint64_t number, quern_status status, const char *what)
{
    if (status != QUERN_SUCCESS)
        give_up_command(queue, number, status, what);
    else if (queue->blocking && quern_wait_is_cooperative())
        return end_cooperatively(queue, number);
    else if (queue->blocking)
        status = end_blocking(queue, number);
    else
        return unlock_with_room(queue);
    quern_lock_release(&queue->lock);
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
        quern_progress_set_failed(queue->progress, number, status, quern_event_wait_name(event), quern_last_error());
    return quern_queue_finish_number(queue, number);
}

static quern_status submit_event_wait(quern_queue *queue, uint64_t number, quern_event *event)
{
    quern_event_use(event); /* the command */
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
static int needs_wait(quern_queue *queue, quern_event *event, int is_counted, quern_status *status)
{
    *status = QUERN_SUCCESS;
    if (event->progress == queue->progress && event->number > queue->first_number)
        return 0; /* its own commands are in order as they are */
    int done = atomic_load_explicit(&event->complete, memory_order_acquire) && event->status == QUERN_SUCCESS;
    if (!done)
        *status = quern_held_prepare(queue, 1);
    if (*status == QUERN_SUCCESS)
        *status = quern_order_merge(&queue->order, &event->order, event->progress, event->number);
    if (*status == QUERN_SUCCESS && is_counted)
        atomic_fetch_add(done ? &queue->skipped_waits : &queue->wait_count, 1);
    return *status == QUERN_SUCCESS && !done;
}

static quern_status wait_for(quern_queue *queue, quern_event *event, int is_counted)
{
    quern_status status = quern_queue_lock(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!needs_wait(queue, event, is_counted, &status)) {
        quern_lock_release(&queue->lock);
        return status;
    }
    uint64_t number = next_numbers(queue, 1);
    return quern_queue_end(queue, number, submit_event_wait(queue, number, event), quern_event_wait_name(event));
}

quern_status quern_queue_wait_inside(quern_queue *queue, quern_event *event)
{
    return wait_for(queue, event, 1);
}

quern_status quern_queue_wait_uncounted(quern_queue *queue, quern_event *event)
{
    return wait_for(queue, event, 0);
}

quern_status quern_queue_wait(quern_queue *queue, quern_event *event)
{
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS && quern_queue_is_captured(queue) && quern_graph_record_wait(queue, event, &status))
        return status;
    if (status == QUERN_SUCCESS)
        status = quern_event_check(event, "event");
    return status == QUERN_SUCCESS ? quern_queue_wait_inside(queue, event) : status;
}
