/*
 * Conformance, subject "launch": several threads launch one kernel at once. A launch keeps its arguments to itself, so
 * each thread's array is as if it had been alone; and whoever comes first, the kernel is built once.
 */
#include "kernels_launch.h"

#include <pthread.h>
#include <stdio.h>

#include "launch.k.h"
#include "thread.h"

enum { MOST_THREADS = 4, N = 1009, TURNS = 150 };

/* Holds the threads until all are there. */
typedef struct starter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int go;
} starter;

/* A thread, the queue and array that it uses, and its failure. Only the test's own thread makes and checks arrays. */
typedef struct worker {
    pthread_t thread;
    starter *start;
    quern_queue *queue;
    quern_guarded x, y;
    uint32_t values[N], seed;
    quern_status status;
    char sentence[256];
} worker;

static void wait_for_start(starter *start)
{
    pthread_mutex_lock(&start->lock);
    while (!start->go)
        pthread_cond_wait(&start->changed, &start->lock);
    pthread_mutex_unlock(&start->lock);
}

static void go(starter *start)
{
    pthread_mutex_lock(&start->lock);
    start->go = 1;
    pthread_cond_broadcast(&start->changed);
    pthread_mutex_unlock(&start->lock);
}

static void note(worker *worker, quern_status status)
{
    if (status == QUERN_SUCCESS || worker->status != QUERN_SUCCESS)
        return;
    worker->status = status;
    snprintf(worker->sentence, sizeof worker->sentence, "%s", quern_last_error());
}

/* Starts the threads together and waits for all of them. */
static quern_verdict run_threads(quern_trial *trial, worker *workers, size_t count, void *(*run)(void *worker))
{
    starter start = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    size_t started = 0;
    for (; started < count; ++started) {
        workers[started].start = &start;
        if (quern_conformance_thread_start(&workers[started].thread, run, &workers[started]) != 0)
            break;
    }
    go(&start); /* those that are there, if one could not be made */
    for (size_t k = 0; k < started; ++k)
        pthread_join(workers[k].thread, NULL);
    QUERN_WANT(trial, started == count, "no thread %zu of %zu", started, count);
    for (size_t k = 0; k < count; ++k)
        QUERN_WANT(trial, workers[k].status == QUERN_SUCCESS, "thread %zu: %s: %s", k,
                   quern_status_name(workers[k].status), workers[k].sentence);
    return QUERN_PASSED;
}

static quern_verdict make_workers(quern_trial *trial, size_t count, quern_queue *shared, worker **workers)
{
    QUERN_MEMORY(trial, *workers, count * sizeof **workers);
    for (size_t k = 0; k < count; ++k) {
        worker *worker = &(*workers)[k];
        worker->seed = (uint32_t)(k + 1);
        worker->queue = shared;
        for (uint32_t i = 0; i < N; ++i)
            worker->values[i] = i * worker->seed;
        if (!shared)
            QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &worker->queue));
        QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(uint32_t), N, worker->values, &worker->x));
        QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(uint32_t), N, NULL, &worker->y));
    }
    return QUERN_PASSED;
}

/* ---- the same kernel, other arguments ---- */

static void *launch_maps(void *argument)
{
    worker *worker = argument;
    wait_for_start(worker->start);
    for (uint32_t k = 0; k < TURNS; ++k) {
        const uint32_t scale = 2 * k * worker->seed + 1, shift = 1000003 * worker->seed + k;
        note(worker, launch_map(worker->queue, QUERN_RANGE(N - k), worker->x.view, scale, shift));
    }
    note(worker, quern_queue_synchronize(worker->queue));
    return NULL;
}

static quern_verdict check_maps(quern_trial *trial, size_t count, quern_queue *shared)
{
    worker *workers;
    QUERN_CHECK(make_workers(trial, count, shared, &workers));
    QUERN_CHECK(run_threads(trial, workers, count, launch_maps));
    for (size_t w = 0; w < count; ++w) {
        worker *worker = &workers[w];
        for (uint32_t k = 0; k < TURNS; ++k)
            quern_launch_map(worker->values, N - k, 2 * k * worker->seed + 1, 1000003 * worker->seed + k);
        QUERN_CHECK(quern_guarded_want(trial, worker->queue, &worker->x, worker->values));
    }
    return QUERN_PASSED;
}

quern_verdict quern_launch_two_threads(quern_trial *trial)
{
    return check_maps(trial, 2, NULL);
}

quern_verdict quern_launch_four_threads(quern_trial *trial)
{
    return check_maps(trial, 4, NULL);
}

quern_verdict quern_launch_one_queue(quern_trial *trial)
{
    return check_maps(trial, 4, trial->queue);
}

/* ---- the first launch ---- */

static void *launch_first_time(void *argument)
{
    worker *worker = argument;
    wait_for_start(worker->start);
    note(worker, launch_first(worker->queue, QUERN_RANGE(N), worker->x.view, worker->seed));
    note(worker, launch_first_group(worker->queue, QUERN_RANGE(N), worker->y.view, worker->seed));
    note(worker, quern_queue_synchronize(worker->queue));
    return NULL;
}

quern_verdict quern_launch_first(quern_trial *trial)
{
    worker *workers;
    QUERN_NEED_GROUP(trial, 32);
    QUERN_CHECK(make_workers(trial, MOST_THREADS, NULL, &workers));
    QUERN_CHECK(run_threads(trial, workers, MOST_THREADS, launch_first_time));
    for (size_t w = 0; w < MOST_THREADS; ++w) {
        worker *worker = &workers[w];
        for (uint32_t i = 0; i < N; ++i)
            worker->values[i] = worker->seed * 2654435761u + i;
        QUERN_CHECK(quern_guarded_want(trial, worker->queue, &worker->x, worker->values));
        QUERN_CHECK(quern_guarded_want(trial, worker->queue, &worker->y, worker->values));
    }
    return QUERN_PASSED;
}
