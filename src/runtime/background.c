/* The runtime's own threads; see background.h. */
#include "background.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/thread.h"
#include "held.h"

/* A queue that nobody has come to for so long is another thread's, whatever keeps the first one. */
enum { PATIENCE_NANOSECONDS = 5000000 };

typedef struct background_thread {
    struct background_thread *next;
    pthread_t thread;
} background_thread;

static struct {
    pthread_mutex_t lock; /* taken last: nothing but a progress's own lock is taken within */
    pthread_cond_t changed;
    background_thread *threads; /* the condition is there as long as any is */
    quern_queue *first, **last; /* to be served, linked by next_ready */
    unsigned count, working;    /* threads; those that serve a queue */
    unsigned stuck;             /* of those: for long, perhaps */
    uint64_t taken;             /* queues that were taken from the list */
    int stopping;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &pool.first};

/* ---- the threads ---- */

static quern_queue *take_first(void)
{
    quern_queue *queue = pool.first;
    pool.first = queue->next_ready;
    if (!pool.first)
        pool.last = &pool.first;
    queue->is_ready = 0;
    ++pool.taken;
    return queue;
}

static struct timespec patience_ends(void)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += PATIENCE_NANOSECONDS;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        ++end.tv_sec;
    }
    return end;
}

/* Sleeps until the calling thread has to take a queue: one thread does the work unless it is stuck. 0: no more. */
static int wait_for_turn(void)
{
    while (!pool.stopping) {
        if (!pool.first) {
            pthread_cond_wait(&pool.changed, &pool.lock);
        } else if (pool.working <= pool.stuck) {
            return 1;
        } else {
            uint64_t taken = pool.taken;
            struct timespec end = patience_ends();
            int error = 0;
            while (error != ETIMEDOUT && pool.taken == taken && pool.first && pool.working > pool.stuck &&
                   !pool.stopping)
                error = pthread_cond_timedwait(&pool.changed, &pool.lock, &end);
            if (pool.first && pool.taken == taken && !pool.stopping)
                return 1;
        }
    }
    return 0;
}

static int start_thread(void);

static void *thread_main(void *unused)
{
    pthread_mutex_lock(&pool.lock);
    while (wait_for_turn()) {
        quern_queue *queue = take_first();
        ++pool.working;
        if (pool.first && pool.working == pool.count)
            (void)start_thread(); /* a spare, should this one get stuck */
        pthread_mutex_unlock(&pool.lock);
        quern_progress *progress = queue->progress;
        quern_held_serve(queue);
        quern_progress_unpin(progress);
        pthread_mutex_lock(&pool.lock);
        --pool.working;
    }
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

/* One more thread, under the lock: 0, or errno's number. */
static int start_thread(void)
{
    background_thread *made = malloc(sizeof *made);
    int error = made ? quern_thread_create(&made->thread, "quern-queues", 0, thread_main, NULL) : ENOMEM;
    if (error) {
        free(made);
        return error;
    }
    made->next = pool.threads;
    pool.threads = made;
    ++pool.count;
    return 0;
}

/* The first thread, with what all of them need. */
static int start_first(void)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error)
        return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error)
        error = pthread_cond_init(&pool.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (error)
        return error;
    error = start_thread();
    if (error)
        pthread_cond_destroy(&pool.changed);
    return error;
}

quern_status quern_background_start(void)
{
    pthread_mutex_lock(&pool.lock);
    int error = pool.threads ? 0 : start_first();
    pthread_mutex_unlock(&pool.lock);
    if (error == ENOMEM)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the thread that submits held commands");
    if (error)
        return quern_fail(QUERN_SYSTEM_ERROR, "the thread that submits held commands cannot be started: %s",
                          strerror(error));
    return QUERN_SUCCESS;
}

void quern_background_stop(void)
{
    pthread_mutex_lock(&pool.lock);
    background_thread *thread = pool.threads;
    pool.threads = NULL;
    pool.stopping = 1;
    if (thread)
        pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    int any = thread != NULL;
    while (thread) {
        background_thread *next = thread->next;
        pthread_join(thread->thread, NULL);
        free(thread);
        thread = next;
    }
    if (any)
        pthread_cond_destroy(&pool.changed);
    pool.count = 0;
    pool.stopping = 0;
}

/* ---- work ---- */

/* Somebody has to look at the list, under the lock: a thread that sleeps, or a new one. */
static void call_thread(void)
{
    if (pool.working == pool.count)
        (void)start_thread(); /* without one it takes until one of those that there are is free */
    pthread_cond_signal(&pool.changed);
}

void quern_background_push(quern_queue *queue)
{
    pthread_mutex_lock(&pool.lock);
    if (!queue->is_ready && quern_progress_pin_queue(queue->progress)) {
        queue->is_ready = 1;
        queue->next_ready = NULL;
        *pool.last = queue;
        pool.last = &queue->next_ready;
        call_thread();
    }
    pthread_mutex_unlock(&pool.lock);
}

void quern_background_enter(void)
{
    pthread_mutex_lock(&pool.lock);
    ++pool.stuck;
    if (pool.first)
        call_thread();
    pthread_mutex_unlock(&pool.lock);
}

void quern_background_leave(void)
{
    pthread_mutex_lock(&pool.lock);
    --pool.stuck;
    pthread_mutex_unlock(&pool.lock);
}
