/*
 * A small front end for the tests of the CPU backend: progress, waiters and events, without order
 * tracking or validation.
 */
#ifndef QUERN_TESTS_CPU_FAKE_HOST_H
#define QUERN_TESTS_CPU_FAKE_HOST_H

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"

#include <quern/dialect/cpu_abi.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_progress {
    _Atomic uint64_t finished;
    _Atomic unsigned waiting;
    _Atomic int status; /* of the failure that sticks */
    pthread_mutex_t mutex;
    quern_waiter *waiters;
    uint64_t failed_number;
    char what[64], sentence[256];
    void *queue;
    uint64_t submitted; /* the test's */
};

struct fake_event {
    _Atomic int64_t nanoseconds;
    _Atomic int reached, references;
    int status;                     /* that event_status gives */
    struct fake_progress *progress; /* or NULL; its failure counts too, as of the moment the event was reached */
};

static inline struct fake_progress *fake_progress_of(quern_progress *progress)
{
    return (struct fake_progress *)(void *)progress;
}

static inline quern_progress *fake_handle(struct fake_progress *progress)
{
    return (quern_progress *)(void *)progress;
}

static inline void fake_progress_make(struct fake_progress *progress)
{
    memset(progress, 0, sizeof *progress);
    pthread_mutex_init(&progress->mutex, NULL);
}

static void fake_finished(quern_progress *handle, uint64_t number)
{
    struct fake_progress *progress = fake_progress_of(handle);
    atomic_store(&progress->finished, number);
    if (!atomic_load(&progress->waiting))
        return;
    quern_waiter *satisfied = NULL;
    pthread_mutex_lock(&progress->mutex);
    for (quern_waiter **link = &progress->waiters, *waiter; (waiter = *link) != NULL;) {
        if (waiter->number > number) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        waiter->next = satisfied;
        satisfied = waiter;
        atomic_fetch_sub(&progress->waiting, 1);
    }
    pthread_mutex_unlock(&progress->mutex);
    while (satisfied) {
        quern_waiter *waiter = satisfied;
        satisfied = waiter->next;
        waiter->notify(waiter);
    }
}

static void fake_failed(quern_progress *handle, uint64_t number, quern_status status, const char *what,
                        const char *sentence)
{
    struct fake_progress *progress = fake_progress_of(handle);
    pthread_mutex_lock(&progress->mutex);
    if (!atomic_load(&progress->status)) {
        progress->failed_number = number;
        snprintf(progress->what, sizeof progress->what, "%s", what);
        snprintf(progress->sentence, sizeof progress->sentence, "%s", sentence);
        atomic_store(&progress->status, (int)status);
    }
    pthread_mutex_unlock(&progress->mutex);
}

static int fake_is_failed(quern_progress *handle)
{
    return atomic_load_explicit(&fake_progress_of(handle)->status, memory_order_acquire) != 0;
}

static uint64_t fake_finished_number(quern_progress *handle)
{
    return atomic_load_explicit(&fake_progress_of(handle)->finished, memory_order_acquire);
}

static int fake_when_finished(quern_progress *handle, uint64_t number, quern_waiter *waiter)
{
    struct fake_progress *progress = fake_progress_of(handle);
    pthread_mutex_lock(&progress->mutex);
    atomic_fetch_add(&progress->waiting, 1);
    int finished = atomic_load(&progress->finished) >= number;
    if (finished) {
        atomic_fetch_sub(&progress->waiting, 1);
    } else {
        waiter->number = number;
        waiter->next = progress->waiters;
        progress->waiters = waiter;
    }
    pthread_mutex_unlock(&progress->mutex);
    return finished;
}

static void *fake_queue_pin(quern_progress *handle, const void *table)
{
    return table == &quern_cpu_backend ? fake_progress_of(handle)->queue : NULL;
}

static void fake_queue_unpin(quern_progress *handle)
{
    (void)handle;
}

static void fake_event_reached(quern_event *handle, int64_t nanoseconds)
{
    struct fake_event *event = (struct fake_event *)(void *)handle;
    if (event->progress)
        event->status = atomic_load(&event->progress->status);
    atomic_store(&event->nanoseconds, nanoseconds);
    atomic_store(&event->reached, 1);
}

static quern_status fake_event_status(quern_event *handle)
{
    return (quern_status)((struct fake_event *)(void *)handle)->status;
}

static void fake_event_release(quern_event *handle)
{
    atomic_fetch_sub(&((struct fake_event *)(void *)handle)->references, 1);
}

static const quern_backend_host fake_host = {
    .version = QUERN_BACKEND_VERSION,
    .size = sizeof(quern_backend_host),
    .fail = quern_fail,
    .finished = fake_finished,
    .failed = fake_failed,
    .is_failed = fake_is_failed,
    .finished_number = fake_finished_number,
    .when_finished = fake_when_finished,
    .queue_pin = fake_queue_pin,
    .queue_unpin = fake_queue_unpin,
    .event_reached = fake_event_reached,
    .event_status = fake_event_status,
    .event_release = fake_event_release,
};

#endif
