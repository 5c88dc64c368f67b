/* Learning how far a stream is, and telling the front end. */
#include "cuda_queue.h"

#include "cuda_backend.h"

#include <stdio.h>
#include <stdlib.h>

static const quern_backend_host *host(void)
{
    return quern_cuda_host;
}

static struct quern_cuda_entry *entry_at(struct quern_cuda_queue *queue, uint64_t position)
{
    return &queue->entries[position % QUERN_CUDA_RING];
}

/* ---- settling ---- */

static void release_owned(struct quern_cuda_device *device, struct quern_cuda_owned *owned)
{
    if (!owned || !atomic_load(&device->lost)) {
        free(owned);
        return;
    }
    pthread_mutex_lock(&device->lock);
    owned->next = device->kept;
    device->kept = owned;
    pthread_mutex_unlock(&device->lock);
}

static void settle_entry(struct quern_cuda_queue *queue, const struct quern_cuda_entry *entry)
{
    struct quern_cuda_device *device = queue->device;
    if (entry->recorded) {
        int entered = quern_cuda_enter_to_release(device);
        int64_t time = quern_cuda_event_settle(device, entry->event);
        if (entered)
            quern_cuda_leave();
        host()->event_reached(entry->recorded, time);
        host()->event_release(entry->recorded);
    }
    release_owned(device, entry->owned);
}

/* What a failed queue is told: CUDA does not say which of the commands it was. */
static void report_loss(const struct quern_cuda_queue *queue, uint64_t from, uint64_t latest, const char *what,
                        const char *kernel)
{
    char command[160], sentence[QUERN_CUDA_ERROR_TEXT + 128], text[QUERN_CUDA_ERROR_TEXT];
    const char *name = what ? what : "a command";
    snprintf(command, sizeof command, "%s%s%.80s", latest > from ? "one of the commands up to " : "",
             kernel ? "kernel " : "", kernel ? kernel : name);
    snprintf(sentence, sizeof sentence, "while it ran, %s was lost: the CUDA driver said %s", queue->device->info.name,
             quern_cuda_error_text(atomic_load(&queue->device->lost), text));
    host()->failed(queue->progress, from, QUERN_DEVICE_LOST, command, sentence);
}

static int others_settle(const struct quern_cuda_queue *queue)
{
    return queue->settling && !pthread_equal(queue->settler, pthread_self());
}

/* The lock is held, but not while the front end is called. One thing that is to be done; 0 when there is none. */
static int settle_one(struct quern_cuda_queue *queue)
{
    uint64_t number = queue->done, from = queue->lost_from, latest = queue->latest;
    const char *what = queue->latest_what, *kernel = queue->latest_kernel;
    if (from) {
        queue->lost_from = 0;
        pthread_mutex_unlock(&queue->lock);
        report_loss(queue, from, latest, what, kernel);
    } else if (queue->head < queue->complete) {
        const struct quern_cuda_entry entry = *entry_at(queue, queue->head++);
        pthread_mutex_unlock(&queue->lock);
        settle_entry(queue, &entry);
    } else if (queue->reported < number) {
        queue->reported = number;
        pthread_mutex_unlock(&queue->lock);
        host()->finished(queue->progress, number);
    } else {
        return 0;
    }
    pthread_mutex_lock(&queue->lock);
    return 1;
}

/*
 * The lock is held, but not while the front end is called. Does what is to be done, unless another thread is at it
 * already, which then does it. What the front end runs in turn may come here again.
 */
static void settle(struct quern_cuda_queue *queue)
{
    int again = queue->settling;
    if (others_settle(queue))
        return;
    queue->settling = 1;
    queue->settler = pthread_self();
    while (settle_one(queue))
        ;
    queue->settling = again;
    pthread_cond_broadcast(&queue->changed);
}

/* ---- how far the stream is; the lock is held ---- */

static void advance(struct quern_cuda_queue *queue, uint64_t position, uint64_t number)
{
    if (queue->complete < position)
        queue->complete = position;
    if (queue->done < number)
        queue->done = number;
}

/* Nothing runs any more: all that was given counts as finished, commands as failed. */
static void advance_lost(struct quern_cuda_queue *queue)
{
    if (queue->latest > queue->done && !queue->lost_from)
        queue->lost_from = queue->done + 1;
    advance(queue, queue->tail, queue->submitted);
}

static void set_lost(struct quern_cuda_queue *queue)
{
    queue->lost = 1;
    advance_lost(queue);
}

/* Host functions that were called say how far. */
static void advance_told(struct quern_cuda_queue *queue)
{
    uint64_t told = atomic_load(&queue->told);
    for (uint64_t p = queue->complete; p < queue->tail; ++p) {
        const struct quern_cuda_entry *entry = entry_at(queue, p);
        if (entry->mark && entry->mark <= told)
            advance(queue, p + 1, entry->number);
    }
}

/* ---- waiting for the stream ---- */

/* By an event, so that what other threads put into the stream meanwhile is not waited for. */
static CUresult wait_for_event(struct quern_cuda_queue *queue)
{
    CUevent event;
    CUresult error = quern_cuda_event_take(queue->device, &event);
    if (error)
        return error;
    error = quern_cu.EventRecord(event, queue->stream);
    if (!error)
        error = quern_cu.EventSynchronize(event);
    quern_cuda_event_give(queue->device, event);
    return error;
}

/*
 * Waits for what the stream was given so far. Where nobody can wait, the device counts as lost. Of a lost device too
 * the stream is waited for, once: a driver that has given the context up says so at once, and where it has not after
 * all, nothing is at work in the host's memory any more afterwards.
 */
static CUresult wait_for_stream(struct quern_cuda_queue *queue)
{
    struct quern_cuda_device *device = queue->device;
    CUresult lost = atomic_load(&device->lost), error = CUDA_ERROR_INVALID_CONTEXT, whole;
    if (quern_cuda_enter_to_release(device)) {
        error = lost ? lost : wait_for_event(queue);
        whole = error ? quern_cu.StreamSynchronize(queue->stream) : CUDA_SUCCESS;
        if (!quern_cuda_error_is_sticky(error) && !lost)
            error = whole;
        quern_cuda_leave();
    }
    if (error)
        quern_cuda_device_lose(device, error);
    return lost ? lost : error;
}

/* The lock is held, but not while waiting. */
static void synchronize(struct quern_cuda_queue *queue)
{
    uint64_t position = queue->tail, number = queue->submitted;
    pthread_mutex_unlock(&queue->lock);
    CUresult error = wait_for_stream(queue);
    pthread_mutex_lock(&queue->lock);
    if (error)
        set_lost(queue);
    else
        advance(queue, position, number);
}

/* One step of a wait for number, which has not finished. */
static void wait_once(struct quern_cuda_queue *queue, uint64_t number)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->lost)
        advance_lost(queue);
    else if (queue->done < number && queue->submitted >= number)
        synchronize(queue);
    settle(queue);
    /* Another thread settles, or is about to put the command in: it will say so. */
    if (others_settle(queue) || queue->submitted < number)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

void quern_cuda_queue_wait(struct quern_cuda_queue *queue, uint64_t number)
{
    while (host()->finished_number(queue->progress) < number)
        wait_once(queue, number);
}

/* The lock is held: settles all that is to be done, or waits until another thread has. */
static void settle_all(struct quern_cuda_queue *queue)
{
    settle(queue);
    while (others_settle(queue))
        pthread_cond_wait(&queue->changed, &queue->lock);
}

void quern_cuda_queue_drain(struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    synchronize(queue);
    settle_all(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- what is to be done ---- */

static int is_full(const struct quern_cuda_queue *queue)
{
    return queue->tail - queue->head == QUERN_CUDA_RING;
}

/* The lock is held. */
static void push(struct quern_cuda_queue *queue, const struct quern_cuda_entry *entry)
{
    *entry_at(queue, queue->tail++) = *entry;
}

void quern_cuda_queue_keep(struct quern_cuda_queue *queue, const struct quern_cuda_entry *entry)
{
    pthread_mutex_lock(&queue->lock);
    while (is_full(queue)) {
        if (queue->complete == queue->head)
            synchronize(queue);
        settle_all(queue);
    }
    push(queue, entry);
    pthread_mutex_unlock(&queue->lock);
}

/* The lock is held. */
static void set_submitted(struct quern_cuda_queue *queue, uint64_t number)
{
    if (queue->submitted < number)
        queue->submitted = number;
    pthread_cond_broadcast(&queue->changed);
}

void quern_cuda_queue_submitted(struct quern_cuda_queue *queue, const struct quern_cuda_command *command)
{
    pthread_mutex_lock(&queue->lock);
    set_submitted(queue, command->number);
    if (command->given) {
        queue->latest = command->number;
        queue->latest_what = command->what;
        queue->latest_kernel = command->kernel;
    }
    if (queue->lost) {
        if (command->given) /* begun before the loss was known: the stream was waited for without it */
            synchronize(queue);
        else
            advance_lost(queue);
        settle(queue);
    }
    pthread_mutex_unlock(&queue->lock);
}

/* ---- host functions ---- */

static void call_host(void *queue)
{
    quern_cuda_completion_tell(&((struct quern_cuda_queue *)queue)->device->completion, queue);
}

static CUresult launch_host_function(struct quern_cuda_queue *queue)
{
    struct quern_cuda_device *device = queue->device;
    CUresult error = atomic_load(&device->lost);
    if (!error && quern_cuda_enter_to_release(device)) {
        error = quern_cu.LaunchHostFunc(queue->stream, call_host, queue);
        quern_cuda_leave();
    } else if (!error) {
        error = CUDA_ERROR_INVALID_CONTEXT;
    }
    if (error && quern_cuda_error_is_sticky(error))
        quern_cuda_device_lose(device, error);
    return error;
}

/* The lock is held, but not while CUDA is called. Where no function can be had, the thread waits itself. */
static void mark(struct quern_cuda_queue *queue, uint64_t number, quern_event *recorded, CUevent event)
{
    struct quern_cuda_entry entry = {.number = number, .recorded = recorded, .event = event};
    entry.mark = atomic_fetch_add(&queue->marks, 1) + 1;
    push(queue, &entry);
    pthread_mutex_unlock(&queue->lock);
    CUresult error = launch_host_function(queue);
    if (error)
        atomic_fetch_sub(&queue->marks, 1);
    else
        quern_cuda_completion_watch(&queue->device->completion);
    pthread_mutex_lock(&queue->lock);
    if (error)
        synchronize(queue);
    else if (queue->marked < number)
        queue->marked = number;
    settle(queue);
}

void quern_cuda_queue_mark(struct quern_cuda_queue *queue, uint64_t number, quern_event *recorded, CUevent event)
{
    pthread_mutex_lock(&queue->lock);
    while (is_full(queue)) {
        if (queue->complete == queue->head)
            synchronize(queue);
        settle_all(queue);
    }
    set_submitted(queue, number);
    mark(queue, number, recorded, event);
    pthread_mutex_unlock(&queue->lock);
}

int quern_cuda_queue_is_due(struct quern_cuda_queue *queue)
{
    return atomic_load(&queue->told) < atomic_load(&queue->marks);
}

/* ---- the device's thread ---- */

void quern_cuda_queue_told(struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    advance_told(queue);
    settle(queue);
    pthread_mutex_unlock(&queue->lock);
}

void quern_cuda_queue_look(struct quern_cuda_queue *queue)
{
    if (!quern_cuda_enter_to_release(queue->device))
        return;
    CUresult error = quern_cu.StreamQuery(queue->stream);
    quern_cuda_leave();
    if (quern_cuda_error_is_sticky(error))
        quern_cuda_device_lose(queue->device, error);
}

void quern_cuda_queue_give_up(struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    if (!queue->lost)
        synchronize(queue); /* which gives up */
    settle(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- the table's ---- */

quern_status quern_cuda_signal(void *queue_, uint64_t number)
{
    struct quern_cuda_queue *queue = queue_;
    pthread_mutex_lock(&queue->lock);
    int is_idle = queue->done >= queue->submitted;
    set_submitted(queue, number); /* of a command that does nothing, or one that failed */
    if (queue->lost)
        advance_lost(queue);
    else if (is_idle)
        advance(queue, queue->tail, number);
    if (queue->done >= number || queue->marked >= number)
        settle(queue);
    else if (!is_full(queue))
        mark(queue, number, NULL, NULL);
    else { /* never waits for a thread that settles: it may be this call that it waits for */
        synchronize(queue);
        settle(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    return QUERN_SUCCESS;
}

quern_status quern_cuda_help(void *queue, uint64_t number)
{
    quern_cuda_queue_wait(queue, number);
    return QUERN_SUCCESS;
}
