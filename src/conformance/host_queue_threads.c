/* Queues that several threads use. */
#include "guarded.h"
#include "queue.h"
#include "thread.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, REPETITIONS = 40, COLUMNS = 101 };

/* What a thread does, and how it ended. */
typedef struct worker {
    quern_queue *queue;
    quern_view first, second; /* rows of its own; or whole arrays */
    int32_t number;
    _Atomic int *calls;
    quern_status status;
    char sentence[256];
} worker;

/* Runs the function for each worker on a thread of its own. */
static quern_verdict run_workers(quern_trial *trial, void *(*function)(void *worker), worker *workers, int count)
{
    pthread_t threads[THREADS];
    int started = 0, error = 0;
    while (started < count &&
           (error = quern_conformance_thread_start(&threads[started], function, &workers[started])) == 0)
        ++started;
    for (int i = 0; i < started; ++i)
        pthread_join(threads[i], NULL);
    QUERN_WANT(trial, started == count, "a thread cannot be started: %s", strerror(error));
    for (int i = 0; i < count; ++i)
        QUERN_WANT(trial, workers[i].status == QUERN_SUCCESS, "thread %d: %s: %s", i,
                   quern_status_name(workers[i].status), workers[i].sentence);
    return QUERN_PASSED;
}

static void keep_status(worker *w, quern_status status)
{
    if (status == QUERN_SUCCESS || w->status != QUERN_SUCCESS)
        return;
    w->status = status;
    snprintf(w->sentence, sizeof w->sentence, "%s", quern_last_error());
}

/* ---- one queue ---- */

static quern_status count_call(void *argument)
{
    ++*(_Atomic int *)argument;
    return QUERN_SUCCESS;
}

static void *fill_and_copy(void *argument)
{
    worker *w = argument;
    for (int32_t k = 0; k < REPETITIONS; ++k) {
        int32_t value = 1000 * w->number + k;
        keep_status(w, quern_fill(w->queue, w->first, QUERN_TYPE(int32_t), &value));
        keep_status(w, quern_copy(w->queue, w->second, quern_view_as_const(w->first)));
        keep_status(w, quern_queue_call(w->queue, count_call, w->calls));
        if (k % 8 == 0)
            keep_status(w, quern_queue_synchronize(w->queue));
    }
    keep_status(w, quern_queue_synchronize(w->queue));
    return NULL;
}

static quern_verdict share_a_queue(quern_trial *trial, quern_queue *queue)
{
    quern_guarded x;
    worker *workers = quern_trial_memory(trial, THREADS * sizeof *workers);
    _Atomic int *calls = quern_trial_memory(trial, sizeof *calls);
    QUERN_WANT(trial, workers && calls, "no memory for %d threads", THREADS);
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(2 * THREADS, COLUMNS)),
                                   &x));
    QUERN_CHECK(quern_guarded_upload(trial, queue, &x));
    for (size_t i = 0; i < THREADS; ++i) {
        size_t first[2] = {2 * i, 0}, second[2] = {2 * i + 1, 0};
        int32_t last = 1000 * (int32_t)i + REPETITIONS - 1;
        workers[i].queue = queue;
        workers[i].number = (int32_t)i;
        workers[i].calls = calls;
        QUERN_TRY(trial, quern_view_sub(x.view, first, QUERN_EXTENTS(1, COLUMNS), &workers[i].first));
        QUERN_TRY(trial, quern_view_sub(x.view, second, QUERN_EXTENTS(1, COLUMNS), &workers[i].second));
        for (size_t k = 0; k < 2 * COLUMNS; ++k)
            memcpy(quern_guarded_element(&x, 2 * i * COLUMNS + k), &last, sizeof last);
    }
    QUERN_CHECK(run_workers(trial, fill_and_copy, workers, THREADS));
    QUERN_WANT(trial, *calls == THREADS * REPETITIONS, "%d host functions were called, wanted %d", *calls,
               THREADS * REPETITIONS);
    return quern_guarded_check(trial, queue, &x);
}

quern_verdict quern_queue_several_threads(quern_trial *trial)
{
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *blocking;
    QUERN_CHECK(share_a_queue(trial, trial->queue));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &blocking));
    return quern_trial_within(trial, share_a_queue(trial, blocking), "a blocking queue");
}

/* ---- two queues, two buffers ---- */

static void *copy_across(void *argument)
{
    worker *w = argument;
    for (int k = 0; k < 5 * REPETITIONS; ++k)
        keep_status(w, quern_copy(w->queue, w->second, quern_view_as_const(w->first)));
    keep_status(w, quern_queue_synchronize(w->queue));
    return NULL;
}

/* One copies x to y, the other y to x: whoever is first, both end with the same elements, and neither waits for ever.
 */
quern_verdict quern_queue_crossing_threads(quern_trial *trial)
{
    for (int is_blocking = 0; is_blocking < 2; ++is_blocking) {
        const quern_queue_options options = {is_blocking, 0, "crossing"};
        quern_guarded x, y;
        worker *workers = quern_trial_memory(trial, 2 * sizeof *workers);
        quern_guarded_shape shape = quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(7, COLUMNS));
        QUERN_WANT(trial, workers, "no memory for two threads");
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &x));
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", shape, &y));
        for (size_t i = 0; i < x.count; ++i) { /* the same in both: no copy may change anything */
            int32_t value = (int32_t)(i * i);
            memcpy(quern_guarded_element(&x, i), &value, sizeof value);
            memcpy(quern_guarded_element(&y, i), &value, sizeof value);
        }
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
        for (int i = 0; i < 2; ++i) {
            QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &workers[i].queue));
            workers[i].first = i ? y.view : x.view;
            workers[i].second = i ? x.view : y.view;
        }
        QUERN_CHECK(run_workers(trial, copy_across, workers, 2));
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    }
    return QUERN_PASSED;
}
