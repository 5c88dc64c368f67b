/* Queues: their states, who leads them, and what a waiting thread does. */
#include "cpu_queue.h"

#include "base/error.h"
#include "cpu_command.h"
#include "cpu_spare.h"

#include <stdlib.h>
#include <string.h>

/* A worker that leads a queue goes on to the next one after so many commands, when one waits. */
enum { TURN = 32 };

/* Turns of looking at an empty ring. */
enum { LOOKS = 6 };

static const quern_backend_host *host(void)
{
    return quern_cpu_pool.host;
}

/* ---- the list of ready queues ---- */

static void list(struct quern_cpu_queue *queue)
{
    struct quern_cpu_device *device = queue->device;
    pthread_mutex_lock(&device->mutex);
    if (!queue->is_listed) {
        queue->is_listed = 1;
        queue->next_ready = NULL;
        queue->previous_ready = device->ready[queue->priority].last;
        if (queue->previous_ready)
            queue->previous_ready->next_ready = queue;
        else
            device->ready[queue->priority].first = queue;
        device->ready[queue->priority].last = queue;
        queue->listed_priority = queue->priority;
        atomic_fetch_add(&device->ready_count, 1);
    }
    pthread_mutex_unlock(&device->mutex);
}

/* Under the device's mutex. */
static void take_off(struct quern_cpu_queue *queue)
{
    struct quern_cpu_device *device = queue->device;
    if (queue->previous_ready)
        queue->previous_ready->next_ready = queue->next_ready;
    else
        device->ready[queue->listed_priority].first = queue->next_ready;
    if (queue->next_ready)
        queue->next_ready->previous_ready = queue->previous_ready;
    else
        device->ready[queue->listed_priority].last = queue->previous_ready;
    queue->is_listed = 0;
    atomic_fetch_sub(&device->ready_count, 1);
}

static struct quern_cpu_queue *take_first(struct quern_cpu_device *device)
{
    struct quern_cpu_queue *queue = NULL;
    pthread_mutex_lock(&device->mutex);
    for (int p = 0; p < QUERN_CPU_PRIORITIES && !queue; ++p)
        queue = device->ready[p].first;
    if (queue)
        take_off(queue);
    pthread_mutex_unlock(&device->mutex);
    return queue;
}

/* ---- threads that sleep until a number is finished ---- */

enum { IS_FINISHED = 1, LOOK_AGAIN = 2 };

/* On the stack of a thread in help. */
struct sleeper {
    quern_waiter waiter;
    quern_parker parker;
    struct sleeper *next, **link;
};

static struct {
    pthread_mutex_t mutex;
    struct sleeper *first;
    _Atomic unsigned count;
} sleepers = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void add_sleeper(struct sleeper *sleeper)
{
    pthread_mutex_lock(&sleepers.mutex);
    sleeper->next = sleepers.first;
    sleeper->link = &sleepers.first;
    if (sleeper->next)
        sleeper->next->link = &sleeper->next;
    sleepers.first = sleeper;
    atomic_fetch_add(&sleepers.count, 1);
    pthread_mutex_unlock(&sleepers.mutex);
}

static void remove_sleeper(struct sleeper *sleeper)
{
    pthread_mutex_lock(&sleepers.mutex);
    *sleeper->link = sleeper->next;
    if (sleeper->next)
        sleeper->next->link = sleeper->link;
    atomic_fetch_sub(&sleepers.count, 1);
    pthread_mutex_unlock(&sleepers.mutex);
}

/* A queue is ready and no worker is free: a thread that waits for it has to lead it. */
static void call_sleepers(void)
{
    if (!atomic_load(&sleepers.count))
        return;
    pthread_mutex_lock(&sleepers.mutex);
    for (struct sleeper *sleeper = sleepers.first; sleeper; sleeper = sleeper->next)
        quern_parker_set(&sleeper->parker, LOOK_AGAIN);
    pthread_mutex_unlock(&sleepers.mutex);
}

/* ---- states ---- */

static int change(struct quern_cpu_queue *queue, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong(&queue->state, &from, to);
}

/* The queue is READY: somebody comes to lead it. */
static void make_known(struct quern_cpu_queue *queue)
{
    struct quern_cpu_device *device = queue->device;
    list(queue);
    if (!quern_cpu_device_call_worker(device)) {
        call_sleepers();
        quern_cpu_spare_call(device);
    }
}

void quern_cpu_queue_announce(struct quern_cpu_queue *queue)
{
    if (atomic_load(&queue->state) == QUERN_CPU_QUEUE_IDLE &&
        change(queue, QUERN_CPU_QUEUE_IDLE, QUERN_CPU_QUEUE_READY))
        make_known(queue);
}

/* Puts a destroyed queue aside for the next one. */
static void recycle(struct quern_cpu_queue *queue)
{
    struct quern_cpu_device *device = queue->device;
    pthread_mutex_lock(&device->mutex);
    if (queue->is_listed)
        take_off(queue);
    atomic_store(&queue->state, QUERN_CPU_QUEUE_UNUSED);
    queue->next_unused = device->unused_queues;
    device->unused_queues = queue;
    pthread_mutex_unlock(&device->mutex);
}

/* Nobody leads or watches the queue any more, in which commands may have come in between: their producer still saw
 * somebody. 1 when the caller has to lead on; else the queue may be gone. */
static int leave(struct quern_cpu_queue *queue, uint32_t state, uint64_t consumed)
{
    if (!change(queue, state, QUERN_CPU_QUEUE_IDLE)) {
        if (state == QUERN_CPU_QUEUE_RUNNING)
            recycle(queue); /* it is DYING */
        return 0;
    }
    return atomic_load(&queue->ring.published) != consumed &&
           change(queue, QUERN_CPU_QUEUE_IDLE, QUERN_CPU_QUEUE_RUNNING);
}

/* The same of a worker, who does not go far. */
static void watch(struct quern_cpu_queue *queue, struct quern_cpu_worker *worker)
{
    uint64_t consumed = queue->ring.consumed;
    if (change(queue, QUERN_CPU_QUEUE_RUNNING, QUERN_CPU_QUEUE_WATCHED)) {
        worker->watched = queue;
        worker->watched_consumed = consumed;
    } else {
        recycle(queue); /* it is DYING */
    }
}

/* The leader goes although commands are left: others come. */
static void hand_over(struct quern_cpu_queue *queue)
{
    atomic_store(&queue->state, QUERN_CPU_QUEUE_READY);
    make_known(queue);
}

/* ---- a command that waits for another queue ---- */

static void is_unblocked(quern_waiter *waiter)
{
    hand_over(waiter->data);
}

/* 1 when the command has to wait: the queue is blocked then, and the caller leads it no more. A queue that has failed
 * waits like any other: the front end counts on it when a later command, after the failure was cleared, uses the same
 * memory. */
static int blocks(struct quern_cpu_queue *queue, const struct quern_cpu_wait_record *wait)
{
    if (host()->finished_number(wait->other) >= wait->other_number)
        return 0;
    atomic_store(&queue->waits_for_number, wait->other_number);
    atomic_store(&queue->waits_for, wait->other_queue);
    queue->waiter.notify = is_unblocked;
    queue->waiter.data = queue;
    /* Before the waiter is known: from then on the queue may be READY, and another's, at any moment. */
    atomic_store(&queue->state, QUERN_CPU_QUEUE_BLOCKED);
    if (host()->when_finished(wait->other, wait->other_number, &queue->waiter) == 0)
        return 1;
    atomic_store(&queue->state, QUERN_CPU_QUEUE_RUNNING);
    return 0;
}

/* ---- leading ---- */

/* A moment's look at an empty ring: a producer that is busy puts the next command there before it is worth changing the
 * queue's state twice. Short, because a thread that waits for its own command does better to lead the queue itself. */
static int more_comes(struct quern_cpu_queue *queue)
{
    for (int i = 0; i < LOOKS; ++i) {
        if (atomic_load_explicit(&queue->ring.published, memory_order_relaxed) != queue->ring.consumed)
            return 1;
        quern_cpu_pause();
    }
    return 0;
}

/* The calling thread leads the queue, which is RUNNING for it: until it is empty, blocked, or
 * number until is finished. A worker that waits for nothing has UINT64_MAX. */
static void lead(struct quern_cpu_queue *queue, struct quern_cpu_thread *self, uint64_t until)
{
    for (int commands = 1;; ++commands) {
        struct quern_cpu_record *record = quern_cpu_ring_peek(&queue->ring);
        if (!record) {
            if (until == UINT64_MAX) {
                if (more_comes(queue))
                    continue;
                watch(queue, self->worker);
                return;
            }
            if (leave(queue, QUERN_CPU_QUEUE_RUNNING, queue->ring.consumed))
                continue;
            return;
        }
        if (record->kind == QUERN_CPU_RECORD_WAIT && blocks(queue, (struct quern_cpu_wait_record *)record))
            return;
        uint64_t number = record->number;
        quern_cpu_command_run(queue, self, record);
        quern_cpu_ring_pop(&queue->ring, record);
        queue->finished(queue->progress, number);
        int others_wait = until == UINT64_MAX && commands % TURN == 0 && atomic_load(&queue->device->ready_count);
        if ((number >= until || others_wait) && quern_cpu_ring_peek(&queue->ring)) {
            hand_over(queue);
            return;
        }
    }
}

void quern_cpu_worker_lead_next(struct quern_cpu_worker *worker, struct quern_cpu_thread *self)
{
    /* Before the list is read: who adds to it meanwhile sees that this worker is not free, and calls another. */
    atomic_store(&worker->leading, 1);
    struct quern_cpu_queue *queue = take_first(worker->device);
    if (queue) {
        if (atomic_load(&worker->device->ready_count))
            (void)quern_cpu_device_call_worker(worker->device);
        if (change(queue, QUERN_CPU_QUEUE_READY, QUERN_CPU_QUEUE_RUNNING))
            lead(queue, self, UINT64_MAX);
    }
    atomic_store(&worker->leading, 0);
}

void quern_cpu_worker_lead_watched(struct quern_cpu_worker *worker, struct quern_cpu_thread *self)
{
    struct quern_cpu_queue *queue = worker->watched;
    worker->watched = NULL;
    if (!change(queue, QUERN_CPU_QUEUE_WATCHED, QUERN_CPU_QUEUE_RUNNING))
        return;
    atomic_store(&worker->leading, 1);
    /* What became ready before that was visible may have been left to this worker. */
    if (atomic_load(&worker->device->ready_count))
        (void)quern_cpu_device_call_worker(worker->device);
    lead(queue, self, UINT64_MAX);
    atomic_store(&worker->leading, 0);
}

void quern_cpu_worker_stop_watching(struct quern_cpu_worker *worker)
{
    struct quern_cpu_queue *queue = worker->watched;
    if (!queue)
        return;
    worker->watched = NULL;
    if (leave(queue, QUERN_CPU_QUEUE_WATCHED, worker->watched_consumed))
        hand_over(queue);
}

/* ---- waiting ---- */

/* Leads the queue, or the one that it waits for, if nobody does. 1 when something has been done. */
static int work_along(struct quern_cpu_queue *queue, struct quern_cpu_thread *self, uint64_t until)
{
    uint32_t state;
    while (queue && (state = atomic_load(&queue->state)) == QUERN_CPU_QUEUE_BLOCKED) {
        until = atomic_load(&queue->waits_for_number);
        queue = atomic_load(&queue->waits_for);
    }
    if (!queue || (state != QUERN_CPU_QUEUE_READY && state != QUERN_CPU_QUEUE_WATCHED) ||
        !change(queue, state, QUERN_CPU_QUEUE_RUNNING))
        return 0;
    lead(queue, self, until);
    return 1;
}

static void wake_sleeper(quern_waiter *waiter)
{
    struct sleeper *sleeper = waiter->data;
    quern_parker_set(&sleeper->parker, IS_FINISHED);
}

/* Sleeps until number is finished, but gets up to lead a queue when no worker is free. */
static quern_status sleep_until_finished(struct quern_cpu_queue *queue, quern_progress *progress, uint64_t number,
                                         struct quern_cpu_thread *self)
{
    struct sleeper sleeper;
    quern_status status = quern_parker_init(&sleeper.parker);
    if (status)
        return status;
    sleeper.waiter.notify = wake_sleeper;
    sleeper.waiter.data = &sleeper;
    if (host()->when_finished(progress, number, &sleeper.waiter) == 0) {
        unsigned reasons = 0;
        add_sleeper(&sleeper);
        while (!(reasons & IS_FINISHED)) {
            /* Looked for after the sleeper is known: what becomes ready from now on sets the parker. */
            while (work_along(queue, self, number) && host()->finished_number(progress) < number)
                ;
            reasons |= quern_parker_wait(&sleeper.parker);
        }
        remove_sleeper(&sleeper);
    }
    quern_parker_destroy(&sleeper.parker);
    return QUERN_SUCCESS;
}

/* Turns of pausing and of yielding before a waiting thread sleeps. */
enum { PAUSES = 200, PAUSES_WHEN_CROWDED = 50, YIELDS = 20 };

quern_status quern_cpu_help(struct quern_cpu_queue *queue, quern_progress *progress, uint64_t number)
{
    struct quern_cpu_thread *self;
    if (host()->finished_number(progress) >= number)
        return QUERN_SUCCESS;
    quern_status status = quern_cpu_thread_self(&self);
    if (status)
        return status;
    int pauses = quern_cpu_is_crowded() ? PAUSES_WHEN_CROWDED : PAUSES;
    for (int turn = 0; turn < pauses + YIELDS;) {
        int worked = work_along(queue, self, number);
        if (host()->finished_number(progress) >= number)
            return QUERN_SUCCESS;
        if (worked)
            turn = 0;
        else if (turn++ < pauses)
            quern_cpu_pause();
        else
            sched_yield();
    }
    return sleep_until_finished(queue, progress, number, self);
}

/* ---- the producer ---- */

quern_status quern_cpu_queue_room(struct quern_cpu_queue *queue, size_t bytes, uint64_t number,
                                  struct quern_cpu_record **record)
{
    for (;;) {
        quern_status status = quern_cpu_ring_room(&queue->ring, bytes, record);
        if (status || *record)
            return status;
        /* Full: until half of what is there has run. A thread that is not of the pool only waits, so that it does
         * not run host functions of this queue within a command function of its own. A worker may be the only one. */
        struct quern_cpu_thread *self;
        uint64_t finished = host()->finished_number(queue->progress);
        uint64_t half = finished + (number - finished) / 2;
        status = quern_cpu_thread_self(&self);
        if (!status)
            status = quern_cpu_help(self->worker ? queue : NULL, queue->progress, half);
        if (status)
            return status;
    }
}

/* ---- creating and destroying ---- */

static struct quern_cpu_queue *take_unused(struct quern_cpu_device *device)
{
    pthread_mutex_lock(&device->mutex);
    struct quern_cpu_queue *queue = device->unused_queues;
    if (queue)
        device->unused_queues = queue->next_unused;
    pthread_mutex_unlock(&device->mutex);
    return queue;
}

static quern_status make_queue(struct quern_cpu_device *device, struct quern_cpu_queue **result)
{
    struct quern_cpu_queue *queue = aligned_alloc(QUERN_CPU_LINES, sizeof *queue);
    if (!queue)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a queue of device cpu:%u", device->index);
    memset(queue, 0, sizeof *queue);
    queue->device = device;
    queue->is_failed = host()->is_failed;
    queue->finished = host()->finished;
    quern_status status = quern_cpu_ring_make(&queue->ring);
    if (status) {
        free(queue);
        return status;
    }
    pthread_mutex_lock(&device->mutex);
    queue->next_of_device = device->queues;
    device->queues = queue;
    pthread_mutex_unlock(&device->mutex);
    *result = queue;
    return QUERN_SUCCESS;
}

quern_status quern_cpu_queue_create(struct quern_cpu_device *device, const quern_queue_options *options,
                                    quern_progress *progress, struct quern_cpu_queue **result)
{
    quern_status status = quern_cpu_device_start(device);
    if (status)
        return status;
    struct quern_cpu_queue *queue = take_unused(device);
    if (!queue && (status = make_queue(device, &queue)) != QUERN_SUCCESS)
        return status;
    int priority = options ? options->priority : 0;
    /* Under the lock: a thread that was late with the queue's predecessor may be looking. */
    pthread_mutex_lock(&device->mutex);
    queue->progress = progress;
    queue->blocking = options && options->blocking;
    queue->priority = priority > 0 ? 0 : priority == 0 ? 1 : 2;
    pthread_mutex_unlock(&device->mutex);
    atomic_store(&queue->state, QUERN_CPU_QUEUE_IDLE);
    *result = queue;
    return QUERN_SUCCESS;
}

void quern_cpu_queue_destroy(struct quern_cpu_queue *queue)
{
    for (;;) {
        /* With a leader that has finished the last command but not yet left: it recycles the queue. */
        if (change(queue, QUERN_CPU_QUEUE_RUNNING, QUERN_CPU_QUEUE_DYING))
            return;
        if (change(queue, QUERN_CPU_QUEUE_IDLE, QUERN_CPU_QUEUE_UNUSED) ||
            change(queue, QUERN_CPU_QUEUE_WATCHED, QUERN_CPU_QUEUE_UNUSED) ||
            change(queue, QUERN_CPU_QUEUE_READY, QUERN_CPU_QUEUE_UNUSED)) {
            recycle(queue);
            return;
        }
    }
}

void quern_cpu_queues_free(struct quern_cpu_device *device)
{
    while (device->queues) {
        struct quern_cpu_queue *queue = device->queues;
        device->queues = queue->next_of_device;
        quern_cpu_ring_free(&queue->ring);
        free(queue);
    }
    device->unused_queues = NULL;
}
