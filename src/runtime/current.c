/* The current device and queues of a thread or task; see current.h. */
#include "current.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device.h"
#include "event.h"
#include "graph.h"
#include "native_use.h"
#include "queue.h"

typedef struct quern_current_queue {
    struct quern_current_queue *next;
    quern_device *device;
    quern_queue *queue;
} quern_current_queue;

typedef struct thread_state {
    quern_current current;             /* begin stays NULL */
    struct thread_state *next, **link; /* in the list of all */
} thread_state;

/* The calling thread's task's, or NULL. */
static _Thread_local quern_current *used;

/* All threads' states: quern_shutdown takes the queues of every thread, the runtime's own among them. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static thread_state *all_states;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_made;

static void release_queues(quern_current *current)
{
    while (current->queues) {
        quern_current_queue *next = current->queues->next;
        atomic_store(&current->queues->queue->is_current, 0);
        (void)quern_queue_release(current->queues->queue);
        free(current->queues);
        current->queues = next;
    }
}

/* ---- threads ---- */

/* The thread ends. */
static void free_state(void *data)
{
    thread_state *state = data;
    /* Off the list first: from then on quern_shutdown does not touch it. */
    pthread_mutex_lock(&list_lock);
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    pthread_mutex_unlock(&list_lock);
    release_queues(&state->current);
    free(state);
}

static void list_state(thread_state *state)
{
    pthread_mutex_lock(&list_lock);
    state->next = all_states;
    state->link = &all_states;
    if (all_states)
        all_states->link = &state->next;
    all_states = state;
    pthread_mutex_unlock(&list_lock);
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, free_state) == 0;
}

/* NULL: the thread has not asked yet. */
static thread_state *find_state(void)
{
    pthread_once(&key_once, make_key);
    return key_made ? pthread_getspecific(key) : NULL;
}

static quern_status make_state(quern_current **current)
{
    if (!key_made)
        return quern_fail(QUERN_SYSTEM_ERROR, "no thread-specific key can be had for the current device");
    thread_state *state = calloc(1, sizeof *state);
    if (state && pthread_setspecific(key, state) == 0) {
        list_state(state);
        *current = &state->current;
        return QUERN_SUCCESS;
    }
    free(state);
    return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the thread's current device");
}

/* ---- of whoever calls ---- */

quern_current *quern_current_use(quern_current *current)
{
    quern_current *before = used;
    used = current;
    return before;
}

/* NULL: there is none yet. */
static quern_current *find_current(void)
{
    if (used)
        return used;
    thread_state *state = find_state();
    return state ? &state->current : NULL;
}

static quern_status demand_current(quern_current **current)
{
    *current = find_current();
    return *current ? QUERN_SUCCESS : make_state(current);
}

static int has_device(const quern_current *current)
{
    return current->device && current->generation == quern_devices_generation();
}

static void set_device(quern_current *current, quern_device *device)
{
    current->device = device;
    current->generation = quern_devices_generation();
}

static quern_status demand_device(quern_current *current)
{
    if (has_device(current))
        return QUERN_SUCCESS;
    quern_device *device;
    quern_status status = quern_device_default(&device);
    if (status != QUERN_SUCCESS)
        return status;
    set_device(current, device);
    return quern_device_release(device); /* devices last as long as the library; this is no holder */
}

quern_status quern_device_current(quern_device **device)
{
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    quern_current *current;
    quern_status status = demand_current(&current);
    if (status == QUERN_SUCCESS)
        status = demand_device(current);
    if (status == QUERN_SUCCESS)
        *device = current->device;
    return status;
}

quern_status quern_device_set_current(quern_device *device)
{
    quern_current *current;
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = demand_current(&current);
    if (status == QUERN_SUCCESS)
        set_device(current, device);
    return status;
}

/* ---- queues ---- */

static quern_queue *find_queue(const quern_current *current, const quern_device *device)
{
    for (const quern_current_queue *entry = current->queues; entry; entry = entry->next)
        if (entry->device == device)
            return entry->queue;
    return NULL;
}

/* A thread's blocks. A task's does not, as its thread is others' too, and goes on from where the task was spawned. */
static quern_status make_queue(const quern_current *current, quern_device *device, quern_queue **queue)
{
    const int is_task = current == used;
    const quern_queue_options options = {!is_task, 0, is_task ? "task" : "current"};
    quern_status status = quern_queue_create(device, &options, queue);
    if (status != QUERN_SUCCESS || !current->begin)
        return status;
    status = quern_queue_wait(*queue, current->begin);
    if (status != QUERN_SUCCESS)
        (void)quern_queue_release(*queue);
    return status;
}

/* The device is given, as the current one may be another when making a queue has let others run. */
static quern_status add_queue(quern_current *current, quern_device *device, quern_queue **queue)
{
    quern_current_queue *entry = malloc(sizeof *entry);
    if (!entry)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a current queue");
    quern_status status = make_queue(current, device, &entry->queue);
    if (status != QUERN_SUCCESS) {
        free(entry);
        return status;
    }
    atomic_store(&entry->queue->is_current, 1);
    entry->device = device;
    entry->next = current->queues;
    current->queues = entry;
    *queue = entry->queue;
    return QUERN_SUCCESS;
}

static quern_status demand_queue(quern_current *current, quern_device *device, quern_queue **queue)
{
    quern_queue *found = find_queue(current, device);
    if (!found)
        return add_queue(current, device, queue);
    *queue = found;
    return QUERN_SUCCESS;
}

quern_status quern_queue_current(quern_queue **queue)
{
    if (!queue)
        return quern_fail(QUERN_INVALID_ARGUMENT, "queue is NULL, wanted a place for the result");
    quern_current *current;
    quern_status status = demand_current(&current);
    if (status == QUERN_SUCCESS)
        status = demand_device(current);
    if (status != QUERN_SUCCESS)
        return status;
    return demand_queue(current, current->device, queue);
}

quern_status quern_current_queue_of(quern_device *device, quern_queue **queue)
{
    quern_current *current;
    quern_status status = demand_current(&current);
    return status == QUERN_SUCCESS ? demand_queue(current, device, queue) : status;
}

/* ---- tasks: begin and end ---- */

/* 1 when whoever goes on from here has something to wait for: work, a failure, or what the caller put there himself. */
static int has_more(quern_queue *queue)
{
    return quern_native_is_used(queue) || quern_progress_is_failed(queue->progress) ||
           quern_progress_finished(queue->progress) < quern_progress_submitted(queue->progress);
}

/* Where the spawner is: at its queue's end, or, without a queue of its own yet, where it began itself. */
static quern_status record_begin(const quern_current *spawner, quern_event **event)
{
    quern_queue *queue = has_device(spawner) ? find_queue(spawner, spawner->device) : NULL;
    *event = NULL;
    if (queue) {
        quern_status status = quern_graph_check_free(queue, "what new tasks begin behind");
        return status == QUERN_SUCCESS && has_more(queue) ? quern_event_record(queue, event) : status;
    }
    if (!spawner->begin)
        return QUERN_SUCCESS;
    quern_event_use(spawner->begin);
    *event = spawner->begin;
    return QUERN_SUCCESS;
}

quern_status quern_current_fork(quern_device *device, quern_current *current)
{
    memset(current, 0, sizeof *current);
    const quern_current *spawner = find_current();
    if (spawner) {
        quern_status status = record_begin(spawner, &current->begin);
        if (status != QUERN_SUCCESS)
            return status;
    }
    if (device)
        set_device(current, device);
    else if (spawner && has_device(spawner))
        set_device(current, spawner->device);
    return QUERN_SUCCESS;
}

/* The first failure; a sentence that does not fit into memory again is at least not another one's. */
static quern_status synchronize_queues(const quern_current *current)
{
    quern_status first = QUERN_SUCCESS;
    char *sentence = NULL;
    for (const quern_current_queue *entry = current->queues; entry; entry = entry->next) {
        quern_status status = quern_queue_synchronize(entry->queue);
        if (status == QUERN_SUCCESS || first != QUERN_SUCCESS)
            continue;
        first = status;
        sentence = strdup(quern_last_error());
    }
    if (first != QUERN_SUCCESS)
        (void)quern_fail_text(first, sentence ? sentence : quern_status_text(first));
    free(sentence);
    return first;
}

quern_status quern_current_end(quern_current *current, int synchronize)
{
    quern_status status = synchronize ? synchronize_queues(current) : QUERN_SUCCESS;
    /* Nobody else could end a capture of these. */
    for (const quern_current_queue *entry = current->queues; entry; entry = entry->next)
        if (quern_queue_is_captured(entry->queue))
            (void)quern_graph_abandon(entry->queue);
    release_queues(current);
    quern_event_drop(current->begin);
    current->begin = NULL;
    return status;
}

/* ---- the end ---- */

/* The queues of all threads, in one list. */
static quern_current taken_from_all(void)
{
    quern_current all = {.queues = NULL};
    pthread_mutex_lock(&list_lock);
    for (thread_state *state = all_states; state; state = state->next) {
        quern_current_queue **last = &state->current.queues;
        while (*last)
            last = &(*last)->next;
        *last = all.queues;
        all.queues = state->current.queues;
        state->current.queues = NULL;
    }
    pthread_mutex_unlock(&list_lock);
    return all;
}

void quern_current_forget_all(void)
{
    quern_current all = taken_from_all();
    release_queues(&all); /* without the lock, as that may wait */

    /* The calling thread may be the last one, and may not end in a way that runs destructors. */
    thread_state *own = find_state();
    if (own && pthread_setspecific(key, NULL) == 0)
        free_state(own);
}
