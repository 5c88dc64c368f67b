/* Events: recording, waiting, time. */
#include "event.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ask.h"
#include "completion.h"
#include "graph.h"
#include "native_use.h"
#include "queue.h"

static void event_destroy(quern_event *event)
{
    quern_order_table_free(&event->order);
    free(event->sentence);
    quern_object_dispose(&event->object);
}

void quern_event_init(quern_event *event, quern_device *device)
{
    quern_object_init(&event->object, QUERN_MARK_EVENT);
    atomic_init(&event->users, 1);
    event->device = device;
}

void quern_event_drop(quern_event *event)
{
    if (event && atomic_fetch_sub_explicit(&event->users, 1, memory_order_acq_rel) == 1)
        event_destroy(event);
}

/* The lock of the progress is held. */
static void complete(quern_event *event, int64_t nanoseconds)
{
    quern_progress *progress = event->progress;
    if (atomic_load(&event->complete))
        return;
    event->nanoseconds = nanoseconds;
    if (atomic_load(&progress->failed)) {
        event->status = progress->status;
        event->sentence = progress->sentence ? strdup(progress->sentence) : NULL;
    }
    atomic_store_explicit(&event->complete, 1, memory_order_release);
}

void quern_event_set_reached(quern_event *event, int64_t nanoseconds)
{
    pthread_mutex_lock(&event->progress->lock);
    complete(event, nanoseconds);
    pthread_mutex_unlock(&event->progress->lock);
}

static int64_t time_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int is_complete(quern_event *event)
{
    return atomic_load_explicit(&event->complete, memory_order_acquire);
}

quern_status quern_event_completion(quern_event *event)
{
    /* Whoever saw the number finish may be here before the thread that finished it comes to the event. */
    if (!is_complete(event)) {
        if (quern_progress_finished(event->progress) < event->number)
            return QUERN_SUCCESS;
        pthread_mutex_lock(&event->progress->lock);
        quern_progress_settle_events(event->progress);
        complete(event, time_now());
        pthread_mutex_unlock(&event->progress->lock);
    }
    if (event->status == QUERN_SUCCESS)
        return QUERN_SUCCESS;
    static const char begin[] = "the event's queue failed before it: ";
    const char *why = event->sentence ? event->sentence : quern_status_text(event->status);
    if (event->command)
        return quern_fail(event->status, "the part of %s on %s failed: %s", event->command, event->device->info.name,
                          why);
    /* A queue that failed because it waited for a failed one says so already. */
    return quern_fail(event->status, "%s%s", strncmp(why, begin, sizeof begin - 1) == 0 ? "" : begin, why);
}

quern_status quern_event_is_inside(const char *argument)
{
    return quern_fail(
        QUERN_INVALID_ARGUMENT,
        "%s was recorded on a queue that a graph captured and stands for a point of that graph, wanted an "
        "event of commands that were submitted",
        argument);
}

/* ---- recording ---- */

/* For a backend without record: the event is reached when its number has finished, and is complete by now. */
static void number_finished(quern_waiter *waiter)
{
    quern_event_drop(waiter->data);
}

void quern_event_settle(quern_waiter *waiter, int64_t *now)
{
    if (waiter->notify != number_finished)
        return;
    if (*now == 0)
        *now = time_now();
    complete(waiter->data, *now);
}

/* The waiter has the command's reference, whatever becomes of the signal: the number finishes in any case. */
static quern_status record_by_signal(quern_queue *queue, quern_event *event)
{
    event->waiter.notify = number_finished;
    event->waiter.data = event;
    if (quern_progress_when_finished(event->progress, event->number, &event->waiter)) {
        quern_event_drop(event);
        return QUERN_SUCCESS;
    }
    return quern_queue_finish_number(queue, event->number);
}

static quern_status record(quern_queue *queue, quern_event *event)
{
    quern_event_use(event); /* the command */
    if (!queue->backend->record)
        return record_by_signal(queue, event);
    quern_status status = quern_ask_record(queue, event->number, event);
    if (status != QUERN_SUCCESS)
        quern_event_drop(event);
    return status;
}

/* The number of the record: a last write by native commands too, if the event ends those. */
static quern_status begin_record(quern_queue *queue, quern_event *event, int ends_native)
{
    quern_status status = quern_queue_lock(queue);
    if (status != QUERN_SUCCESS)
        return status;
    size_t count = ends_native ? atomic_load(&queue->native_count) : 0;
    return quern_queue_begin_locked(queue, queue->native_uses, count, &event->number);
}

static quern_status submit_record(quern_queue *queue, quern_event *event, int ends_native)
{
    quern_buffer_use *native_uses = NULL;
    size_t native_count = 0;
    quern_status status = begin_record(queue, event, ends_native);
    if (status != QUERN_SUCCESS)
        return status;
    event->progress = queue->progress;
    quern_status snapshot = quern_order_snapshot(&queue->order, &event->order);
    if (snapshot != QUERN_SUCCESS) {
        /* Nothing was recorded; the number still has to finish, as a command that does nothing. */
        (void)quern_queue_end(queue, event->number, quern_queue_finish_number(queue, event->number),
                              quern_event_record_name(event));
        return quern_fail(snapshot, "no memory for an event's order table");
    }
    status = record(queue, event);
    if (ends_native && status == QUERN_SUCCESS)
        native_uses = quern_native_take_uses(queue, &native_count);
    quern_status ended = quern_queue_end(queue, event->number, status, quern_event_record_name(event));
    quern_native_release(native_uses, native_count);
    /* A failure that sticks to a blocking queue is the event's status, not a failure to record. */
    return status != QUERN_SUCCESS ? ended : QUERN_SUCCESS;
}

static quern_status make_record(quern_queue *queue, int ends_native, const char *command, quern_event **event)
{
    quern_event *made = calloc(1, sizeof *made);
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for an event object of %zu bytes", sizeof *made);
    quern_event_init(made, queue->device);
    made->command = command;
    quern_status status = submit_record(queue, made, ends_native);
    if (status != QUERN_SUCCESS) {
        quern_event_drop(made);
        return status;
    }
    *event = made;
    return QUERN_SUCCESS;
}

quern_status quern_event_record(quern_queue *queue, quern_event **event)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!event)
        return quern_fail(QUERN_INVALID_ARGUMENT, "event is NULL, wanted a place for the result");
    if (quern_queue_is_captured(queue) && quern_graph_record_event(queue, event, &status))
        return status;
    return make_record(queue, 1, NULL, event);
}

quern_status quern_event_record_inside(quern_queue *queue, const char *command, quern_event **event)
{
    return make_record(queue, 0, command, event);
}

quern_status quern_event_end_native(quern_queue *queue)
{
    quern_event *event;
    quern_status status = make_record(queue, 1, NULL, &event);
    if (status == QUERN_SUCCESS)
        quern_event_drop(event);
    return status;
}

quern_status quern_event_retain(quern_event *event)
{
    quern_status status = quern_event_check_held(event, "event");
    if (status == QUERN_SUCCESS)
        quern_object_retain(&event->object);
    return status;
}

quern_status quern_event_release(quern_event *event)
{
    if (!event)
        return QUERN_SUCCESS;
    quern_status status = quern_event_check_held(event, "event");
    if (status == QUERN_SUCCESS && quern_object_release(&event->object))
        quern_event_drop(event);
    return status;
}

/* Another thread or task may release the event meanwhile. */
static quern_status wait_until_complete(quern_event *event)
{
    quern_status status = quern_queue_check_outside(event->progress);
    if (status != QUERN_SUCCESS)
        return status;
    quern_event_use(event);
    status = quern_progress_wait(event->progress, event->number);
    if (status == QUERN_SUCCESS)
        status = quern_event_completion(event);
    quern_event_drop(event);
    return status;
}

quern_status quern_event_wait(quern_event *event)
{
    quern_status status = quern_event_check(event, "event");
    if (status != QUERN_SUCCESS)
        return status;
    return is_complete(event) ? quern_event_completion(event) : wait_until_complete(event);
}

quern_status quern_event_query(quern_event *event)
{
    quern_status status = quern_event_check(event, "event");
    if (status != QUERN_SUCCESS)
        return status;
    if (is_complete(event))
        return quern_event_completion(event);
    status = quern_progress_ask(event->progress, event->number);
    if (status != QUERN_SUCCESS)
        return status;
    /* A record that a lost device never came to has no other end. */
    return quern_progress_finished(event->progress) >= event->number ? quern_event_completion(event) : QUERN_NOT_READY;
}

/* Complete, and not with a failure: then its time is worth something. */
static quern_status check_timed(quern_event *event, const char *argument)
{
    /* Whoever saw the number finish may be here before the thread that comes to the event. */
    if (!is_complete(event) && quern_progress_finished(event->progress) < event->number)
        return quern_fail(QUERN_NOT_READY, "%s is not complete yet, wanted two complete events", argument);
    return quern_event_completion(event);
}

quern_status quern_event_elapsed(quern_event *begin, quern_event *end, double *seconds)
{
    quern_status status = quern_event_check(begin, "begin");
    if (status == QUERN_SUCCESS)
        status = quern_event_check(end, "end");
    if (status != QUERN_SUCCESS)
        return status;
    if (!seconds)
        return quern_fail(QUERN_INVALID_ARGUMENT, "seconds is NULL, wanted a place for the result");
    if (begin->device != end->device)
        return quern_fail(QUERN_WRONG_DEVICE, "begin was recorded on %s and end on %s, wanted one device's clock",
                          begin->device->info.name, end->device->info.name);
    status = check_timed(begin, "begin");
    if (status == QUERN_SUCCESS)
        status = check_timed(end, "end");
    if (status != QUERN_SUCCESS)
        return status;
    *seconds = (double)(end->nanoseconds - begin->nanoseconds) * 1e-9;
    return QUERN_SUCCESS;
}
