/* Learning that commands have finished, and telling the front end. */
#include "opencl_queue.h"

#include "opencl_backend.h"
#include "opencl_error.h"
#include "opencl_tickets.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const quern_backend_host *host(void)
{
    return quern_opencl_host;
}

static struct quern_opencl_entry *entry_at(struct quern_opencl_queue *queue, uint64_t position)
{
    return &queue->entries[position % QUERN_OPENCL_RING];
}

/* ---- settling ---- */

static int64_t host_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* When the command ended, by the device's clock; by the host's where the device does not tell. */
static int64_t end_of(const struct quern_opencl_entry *entry)
{
    cl_ulong end = 0;
    if (!entry->event ||
        quern_cl.GetEventProfilingInfo(entry->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) || end == 0)
        return host_clock();
    return (int64_t)end;
}

/* How a finished command ended: CL_COMPLETE or an error. */
static cl_int outcome_of(const struct quern_opencl_entry *entry, int lost)
{
    cl_int status = CL_COMPLETE;
    if (!entry->event)
        return CL_COMPLETE;
    if (entry->told)
        return entry->status;
    cl_int error = quern_cl.GetEventInfo(entry->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (lost && (error || status > CL_COMPLETE))
        return CL_DEVICE_NOT_AVAILABLE;
    if (error)
        return error;
    return status < CL_COMPLETE ? status : CL_COMPLETE; /* a later command of the queue is complete, so this one is */
}

static void report_failure(struct quern_opencl_queue *queue, const struct quern_opencl_entry *entry, cl_int error)
{
    char what[96], sentence[192], text[QUERN_OPENCL_ERROR_TEXT];
    snprintf(what, sizeof what, "%s%.80s", entry->kernel ? "kernel " : "", entry->kernel ? entry->kernel : entry->what);
    snprintf(sentence, sizeof sentence, "while it ran on %s, the OpenCL driver said %s", queue->device->info.name,
             quern_opencl_error_text(error, text));
    host()->failed(queue->progress, entry->number, quern_opencl_error_status(error), what, sentence);
}

static void settle_entry(struct quern_opencl_queue *queue, const struct quern_opencl_entry *entry, int lost)
{
    cl_int outcome = outcome_of(entry, lost);
    if (outcome != CL_COMPLETE)
        report_failure(queue, entry, outcome);
    if (entry->recorded) {
        host()->event_reached(entry->recorded, end_of(entry));
        host()->event_release(entry->recorded);
    }
    free(entry->owned);
}

/* The lock is held. The event is needed no more: a blocking queue releases it while its next command runs, since what
 * is done between two commands keeps the device waiting. */
static void lay_aside(struct quern_opencl_queue *queue, cl_event event)
{
    cl_event spent = event;
    if (queue->blocking) {
        spent = queue->spent;
        queue->spent = event;
    }
    if (spent)
        quern_cl.ReleaseEvent(spent);
}

static int others_settle(const struct quern_opencl_queue *queue)
{
    return queue->settling && !pthread_equal(queue->settler, pthread_self());
}

/* The number up to which all commands have finished. */
static uint64_t finished_number(struct quern_opencl_queue *queue)
{
    return queue->head == queue->tail ? queue->submitted : entry_at(queue, queue->head)->number - 1;
}

/*
 * The lock is held, but not while the front end is called. Settles what is complete and reports the number, unless
 * another thread is at it already, which then does it. What the front end runs in turn may come here again.
 */
static void settle(struct quern_opencl_queue *queue)
{
    int again = queue->settling;
    if (others_settle(queue))
        return;
    queue->settling = 1;
    queue->settler = pthread_self();
    for (;;) {
        if (queue->head < queue->complete) {
            const struct quern_opencl_entry entry = *entry_at(queue, queue->head++);
            int lost = queue->lost;
            pthread_mutex_unlock(&queue->lock);
            settle_entry(queue, &entry, lost);
            pthread_mutex_lock(&queue->lock);
            lay_aside(queue, entry.event);
            continue;
        }
        uint64_t number = finished_number(queue);
        if (number <= queue->reported)
            break;
        queue->reported = number;
        pthread_mutex_unlock(&queue->lock);
        host()->finished(queue->progress, number);
        pthread_mutex_lock(&queue->lock);
    }
    queue->settling = again;
    pthread_cond_broadcast(&queue->changed);
}

/* ---- learning that commands have finished ---- */

static void set_complete(struct quern_opencl_queue *queue, uint64_t position)
{
    if (queue->complete < position)
        queue->complete = position;
}

/* The lock is held. Looks how far the device has come; 0 when the driver does not tell. */
static int look(struct quern_opencl_queue *queue)
{
    while (queue->complete < queue->tail) {
        struct quern_opencl_entry *entry = entry_at(queue, queue->complete);
        cl_int status = CL_COMPLETE;
        if (entry->event && !entry->told && !queue->lost) {
            if (quern_cl.GetEventInfo(entry->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL))
                return 0;
            if (status > CL_COMPLETE)
                return 1;
            entry->told = 1;
            entry->status = status;
        }
        ++queue->complete;
    }
    return 1;
}

/* The lock is held. The last entry of the commands up to number that is not complete yet: 1 and its position. */
static int find_pending(struct quern_opencl_queue *queue, uint64_t number, uint64_t *position)
{
    for (uint64_t p = queue->tail; p > queue->complete; --p)
        if (entry_at(queue, p - 1)->number <= number) {
            *position = p - 1;
            return 1;
        }
    return 0;
}

/* The lock is held. The event at the position, or the last one before it; with a reference of the caller's. NULL when
 * there is none. */
static cl_event take_event(struct quern_opencl_queue *queue, uint64_t position)
{
    for (uint64_t p = position + 1; p > queue->complete; --p) {
        cl_event event = entry_at(queue, p - 1)->event;
        if (event)
            return quern_cl.RetainEvent(event) ? NULL : event;
    }
    return NULL;
}

/* Waits for the event, or for the whole queue without one. 0 when the driver does not let anybody wait. */
static int wait_for(struct quern_opencl_queue *queue, cl_event event)
{
    cl_int status = CL_COMPLETE;
    /* On a blocking queue the command is the only one, and drivers are quicker to tell of the queue than of an event.
     */
    if (queue->blocking && !queue->is_native && quern_cl.Finish(queue->handle) == CL_SUCCESS)
        return 1;
    cl_int error = event ? quern_cl.WaitForEvents(1, &event) : CL_INVALID_EVENT;
    if (error == CL_SUCCESS || error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        return 1;
    if (quern_cl.Finish(queue->handle) == CL_SUCCESS)
        return 1;
    return event && !quern_cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) &&
           status <= CL_COMPLETE;
}

/*
 * The lock is held, but not while others run. On a CPU the driver's threads share the processor with the one that
 * waits. A short command is over before that one would have slept, if it lets them run: it saves the way to sleep and
 * back, and asks for the next command while they are still awake. 1 when the entries up to the position are complete.
 */
static int look_a_while(struct quern_opencl_queue *queue, uint64_t position)
{
    enum { LOOKS = 32 };
    if (!queue->blocking || !queue->device->is_cpu)
        return 0;
    lay_aside(queue, NULL);
    pthread_mutex_unlock(&queue->lock);
    int flushed = quern_cl.Flush(queue->handle) == CL_SUCCESS; /* else it need not have begun */
    pthread_mutex_lock(&queue->lock);
    for (int k = 0; flushed && k < LOOKS && look(queue) && queue->complete <= position; ++k) {
        pthread_mutex_unlock(&queue->lock);
        sched_yield();
        pthread_mutex_lock(&queue->lock);
    }
    return queue->complete > position;
}

/* The lock is held, but not while waiting. Afterwards the entries up to the position are complete. */
static void wait_for_entry(struct quern_opencl_queue *queue, uint64_t position)
{
    if (!queue->lost && look_a_while(queue, position))
        return;
    cl_event event = take_event(queue, position);
    if (!queue->lost) {
        pthread_mutex_unlock(&queue->lock);
        int waited = wait_for(queue, event);
        pthread_mutex_lock(&queue->lock);
        queue->lost |= !waited;
    }
    if (event)
        quern_cl.ReleaseEvent(event);
    set_complete(queue, position + 1);
}

/* One step of a wait for number, which has not finished. */
static void wait_once(struct quern_opencl_queue *queue, uint64_t number)
{
    uint64_t position;
    pthread_mutex_lock(&queue->lock);
    if (find_pending(queue, number, &position))
        wait_for_entry(queue, position);
    settle(queue);
    /* Another thread settles, or is about to put the command in: it will say so. */
    if (others_settle(queue) || queue->submitted < number)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

void quern_opencl_queue_wait(struct quern_opencl_queue *queue, uint64_t number)
{
    while (host()->finished_number(queue->progress) < number)
        wait_once(queue, number);
}

/* The lock is held: settles all that is complete, or waits until another thread has. */
static void settle_all(struct quern_opencl_queue *queue)
{
    settle(queue);
    while (others_settle(queue))
        pthread_cond_wait(&queue->changed, &queue->lock);
}

int quern_opencl_queue_drain(struct quern_opencl_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->tail > queue->complete)
        wait_for_entry(queue, queue->tail - 1);
    settle_all(queue);
    pthread_mutex_unlock(&queue->lock);
    return !host()->is_failed(queue->progress);
}

void quern_opencl_queue_make_room(struct quern_opencl_queue *queue)
{
    while (queue->tail - queue->head == QUERN_OPENCL_RING) {
        if (queue->complete == queue->head)
            wait_for_entry(queue, queue->head + QUERN_OPENCL_RING / 2);
        settle_all(queue);
    }
}

/* ---- callbacks ---- */

/* A thread that waits where the driver does not call back. */
static void *wait_for_all(void *ticket)
{
    struct quern_opencl_queue *queue = quern_opencl_ticket_enter((uintptr_t)ticket);
    if (queue) {
        (void)quern_opencl_queue_drain(queue);
        quern_opencl_ticket_leave((uintptr_t)ticket);
    }
    return NULL;
}

static void start_waiting(struct quern_opencl_queue *queue)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_all, (void *)queue->ticket) == 0) {
        pthread_detach(thread);
        return;
    }
    /* Nobody would ever learn how these commands ended: they count as failed. */
    pthread_mutex_lock(&queue->lock);
    queue->lost = 1;
    set_complete(queue, queue->tail);
    settle(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* Called by the driver. It waits for nothing, as OpenCL asks. */
static void told(cl_event event, cl_int status, void *ticket)
{
    struct quern_opencl_queue *queue = quern_opencl_ticket_enter((uintptr_t)ticket);
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->armed = 0;
    for (uint64_t p = queue->complete; p < queue->tail; ++p)
        if (entry_at(queue, p)->event == event) {
            entry_at(queue, p)->told = 1;
            entry_at(queue, p)->status = status;
            set_complete(queue, p + 1); /* and what is before it, since the queue keeps its order */
            break;
        }
    (void)look(queue);
    settle(queue);
    pthread_mutex_unlock(&queue->lock);
    quern_opencl_queue_watch(queue);
    quern_opencl_ticket_leave((uintptr_t)ticket);
}

/*
 * One callback at a time, for the oldest command that has not finished: a stream of commands costs no more callbacks
 * than the driver can make, and the front end learns of each command soon. The callback of a command that has
 * finished by now comes at once, on this thread, so no lock is held then.
 */
void quern_opencl_queue_watch(struct quern_opencl_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->complete == queue->tail || !entry_at(queue, queue->complete)->event) {
        (void)look(queue); /* a number without an OpenCL command may have finished already */
        settle(queue);
    }
    while (!queue->arming && !queue->armed && queue->complete < queue->tail) {
        cl_event event = take_event(queue, queue->complete);
        queue->arming = queue->armed = 1;
        pthread_mutex_unlock(&queue->lock);
        cl_int error =
            event ? quern_cl.SetEventCallback(event, CL_COMPLETE, told, (void *)queue->ticket) : CL_INVALID_EVENT;
        if (event)
            quern_cl.ReleaseEvent(event);
        if (error)
            start_waiting(queue);
        pthread_mutex_lock(&queue->lock);
        queue->arming = 0;
        if (error) {
            queue->armed = 0;
            break;
        }
    }
    pthread_mutex_unlock(&queue->lock);
}

/* ---- the table's ---- */

quern_status quern_opencl_signal(void *queue_, uint64_t number)
{
    struct quern_opencl_queue *queue = queue_;
    pthread_mutex_lock(&queue->lock);
    if (queue->submitted < number) { /* a command that does nothing, or one that failed */
        queue->submitted = number;
        pthread_cond_broadcast(&queue->changed);
    }
    int told_all = look(queue);
    settle(queue);
    pthread_mutex_unlock(&queue->lock);
    if (!told_all) /* the device may be lost, and then no callback comes */
        quern_opencl_queue_wait(queue, number);
    return QUERN_SUCCESS;
}

quern_status quern_opencl_help(void *queue, uint64_t number)
{
    quern_opencl_queue_wait(queue, number);
    return QUERN_SUCCESS;
}
