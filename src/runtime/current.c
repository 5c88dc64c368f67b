/* The calling thread's current device, and its queue on each device. */
#include <pthread.h>
#include <stdlib.h>

#include <quern/queue.h>

#include "base/error.h"
#include "current.h"
#include "device.h"

typedef struct thread_queue {
    struct thread_queue *next;
    quern_device *device;
    quern_queue *queue;
} thread_queue;

typedef struct thread_state {
    quern_device *device; /* NULL until the default one is looked up */
    unsigned generation;  /* of the device */
    thread_queue *queues;
    struct thread_state *next, **link; /* in the list of all */
} thread_state;

/* All threads' states: quern_shutdown takes the queues of every thread, the runtime's own among them. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static thread_state *all_states;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_made;

static void release_queues(thread_state *state)
{
    while (state->queues) {
        thread_queue *next = state->queues->next;
        (void)quern_queue_release(state->queues->queue);
        free(state->queues);
        state->queues = next;
    }
}

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
    release_queues(state);
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

static quern_status this_thread(thread_state **state)
{
    pthread_once(&key_once, make_key);
    if (!key_made)
        return quern_fail(QUERN_SYSTEM_ERROR, "no thread-specific key can be had for the current device");
    *state = pthread_getspecific(key);
    if (*state)
        return QUERN_SUCCESS;
    *state = calloc(1, sizeof **state);
    if (*state && pthread_setspecific(key, *state) == 0) {
        list_state(*state);
        return QUERN_SUCCESS;
    }
    free(*state);
    return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the thread's current device");
}

static quern_status current_device(thread_state *state)
{
    if (state->device && state->generation == quern_devices_generation())
        return QUERN_SUCCESS;
    quern_device *device;
    quern_status status = quern_device_default(&device);
    if (status != QUERN_SUCCESS)
        return status;
    state->device = device;
    state->generation = quern_devices_generation();
    return quern_device_release(device); /* devices last as long as the library; this is no holder */
}

quern_status quern_device_current(quern_device **device)
{
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    thread_state *state = NULL;
    quern_status status = this_thread(&state);
    if (status == QUERN_SUCCESS)
        status = current_device(state);
    if (status == QUERN_SUCCESS)
        *device = state->device;
    return status;
}

quern_status quern_device_set_current(quern_device *device)
{
    quern_status status = quern_device_check(device, "device");
    thread_state *state = NULL;
    if (status == QUERN_SUCCESS)
        status = this_thread(&state);
    if (status == QUERN_SUCCESS) {
        state->device = device;
        state->generation = quern_devices_generation();
    }
    return status;
}

static quern_status add_queue(thread_state *state, quern_queue **queue)
{
    static const quern_queue_options options = {1, 0, "current"};
    thread_queue *entry = malloc(sizeof *entry);
    if (!entry)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the thread's current queue");
    quern_status status = quern_queue_create(state->device, &options, &entry->queue);
    if (status != QUERN_SUCCESS) {
        free(entry);
        return status;
    }
    entry->device = state->device;
    entry->next = state->queues;
    state->queues = entry;
    *queue = entry->queue;
    return QUERN_SUCCESS;
}

quern_status quern_queue_current(quern_queue **queue)
{
    if (!queue)
        return quern_fail(QUERN_INVALID_ARGUMENT, "queue is NULL, wanted a place for the result");
    thread_state *state = NULL;
    quern_status status = this_thread(&state);
    if (status == QUERN_SUCCESS)
        status = current_device(state);
    if (status != QUERN_SUCCESS)
        return status;
    for (thread_queue *entry = state->queues; entry; entry = entry->next)
        if (entry->device == state->device) {
            *queue = entry->queue;
            return QUERN_SUCCESS;
        }
    return add_queue(state, queue);
}

void quern_current_forget_all(void)
{
    pthread_mutex_lock(&list_lock);
    for (thread_state *state = all_states; state; state = state->next)
        release_queues(state);
    pthread_mutex_unlock(&list_lock);

    /* The calling thread may be the last one, and may not end in a way that runs destructors. */
    pthread_once(&key_once, make_key);
    thread_state *own = key_made ? pthread_getspecific(key) : NULL;
    if (own && pthread_setspecific(key, NULL) == 0)
        free_state(own);
}
