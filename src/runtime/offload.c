/* Threads for what would block a task's thread; see offload.h. */
#include "offload.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/forked.h"
#include "base/thread.h"
#include "wait.h"

/* Threads that wait for the next call: those that are more end when none has come for so long. */
enum { MOST_IDLE = 4, IDLE_NANOSECONDS = 100000000 };

/* One call; on the caller's stack. */
typedef struct job {
    struct job *next;
    quern_offload_function *function;
    void *argument;
    quern_status status;
    int has_sentence;
    quern_sentence_slot sentence;
    quern_wait_cell caller;
} job;

typedef struct offload_thread {
    struct offload_thread *next;
    pthread_t thread;
} offload_thread;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wanted, gone; /* a job, a thread to be joined or the end; a thread that has ended */
    job *first, **last;          /* jobs that no thread has taken yet */
    size_t queued;               /* of them */
    size_t free;                 /* threads that have taken none: at least as many */
    size_t count;                /* threads that have not ended */
    offload_thread *ended;       /* to be joined */
    int stopping;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .wanted = PTHREAD_COND_INITIALIZER,
          .gone = PTHREAD_COND_INITIALIZER,
          .last = &pool.first};

/* ---- the threads ---- */

static void run_job(job *job)
{
    quern_sentence_slot *own = quern_sentence_use(&job->sentence);
    const unsigned told = quern_fail_count();
    job->status = job->function(job->argument);
    job->has_sentence = quern_fail_count() != told;
    (void)quern_sentence_use(own);
    quern_wait_wake(&job->caller);
}

static void join(offload_thread *ended)
{
    while (ended) {
        offload_thread *next = ended->next;
        pthread_join(ended->thread, NULL);
        free(ended);
        ended = next;
    }
}

/* The lock is held, but not while joining, which is short: they have ended. */
static void join_ended(void)
{
    offload_thread *ended = pool.ended;
    pool.ended = NULL;
    pthread_mutex_unlock(&pool.lock);
    join(ended);
    pthread_mutex_lock(&pool.lock);
}

static struct timespec idle_ends(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end); /* that of a condition without attributes; a clock that is set does no harm */
    end.tv_nsec += IDLE_NANOSECONDS;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        ++end.tv_sec;
    }
    return end;
}

/* Sleeps until there may be something to do; 1 when the calling thread is one too many and the time is over. The lock
 * is held. */
static int sleep_idle(struct timespec *end)
{
    if (pool.free > MOST_IDLE)
        return pthread_cond_timedwait(&pool.wanted, &pool.lock, end) == ETIMEDOUT && pool.free > MOST_IDLE;
    pthread_cond_wait(&pool.wanted, &pool.lock);
    *end = idle_ends(); /* it has not been one too many so far */
    return 0;
}

/* The job that the calling thread is to do; NULL: none, and the thread ends. The lock is held. */
static job *next_job(void)
{
    struct timespec end = idle_ends();
    int is_over = 0;
    while (!pool.first && !pool.stopping && !is_over)
        if (pool.ended)
            join_ended();
        else
            is_over = sleep_idle(&end);
    --pool.free;
    job *taken = pool.first;
    if (!taken)
        return NULL;
    pool.first = taken->next;
    --pool.queued;
    if (!pool.first)
        pool.last = &pool.first;
    return taken;
}

static void *thread_main(void *argument)
{
    offload_thread *self = argument;
    job *job;
    pthread_mutex_lock(&pool.lock);
    while ((job = next_job())) {
        pthread_mutex_unlock(&pool.lock);
        run_job(job);
        pthread_mutex_lock(&pool.lock);
        ++pool.free;
    }
    /* One of those that stay joins it, or whoever stops them all: without quern_shutdown too none is left unjoined. */
    self->next = pool.ended;
    pool.ended = self;
    --pool.count;
    pthread_cond_signal(&pool.wanted);
    pthread_cond_signal(&pool.gone);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* One more thread, which has no job yet; 0 when none can be had. The lock is held. */
static int start_thread(void)
{
    offload_thread *made = malloc(sizeof *made);
    if (!made || quern_thread_create(&made->thread, "quern-offload", 0, thread_main, made)) {
        free(made);
        return 0;
    }
    ++pool.count;
    ++pool.free;
    return 1;
}

void quern_offload_stop(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.stopping = 1;
    pthread_cond_broadcast(&pool.wanted);
    while (pool.count)
        pthread_cond_wait(&pool.gone, &pool.lock);
    offload_thread *ended = pool.ended;
    pool.ended = NULL;
    pool.stopping = 0;
    pthread_mutex_unlock(&pool.lock);
    join(ended);
}

/* ---- calls ---- */

/* 1 when a thread will do it. */
static int push(job *job)
{
    pthread_mutex_lock(&pool.lock);
    int found = pool.queued < pool.free || start_thread();
    if (found) {
        ++pool.queued;
        job->next = NULL;
        *pool.last = job;
        pool.last = &job->next;
        pthread_cond_signal(&pool.wanted);
    }
    pthread_mutex_unlock(&pool.lock);
    return found;
}

typedef struct call {
    quern_offload_function *function;
    void *argument;
    quern_status status;
} call;

static void run_call(void *argument)
{
    call *own = argument;
    own->status = own->function(own->argument);
}

static quern_status call_here(quern_offload_function *function, void *argument)
{
    call own = {function, argument, QUERN_SUCCESS};
    quern_call_on_thread_stack(run_call, &own);
    return own.status;
}

quern_status quern_offload(quern_offload_function *function, void *argument)
{
    if (quern_process_is_forked() || !quern_wait_is_cooperative())
        return function(argument); /* after a fork there is no thread of the runtime */
    job own = {.function = function, .argument = argument};
    quern_wait_begin(&own.caller);
    if (!push(&own)) {
        quern_wait_end(&own.caller);
        return call_here(function, argument);
    }
    /* A hook that fails makes this a wait of the thread's: what was asked for is done all the same. */
    if (quern_wait_park(&own.caller) != QUERN_SUCCESS)
        quern_wait_settle(&own.caller);
    if (own.has_sentence) {
        const char *text = own.sentence.long_sentence ? own.sentence.long_sentence : own.sentence.short_sentence;
        (void)quern_fail_text(own.status, text);
    }
    quern_sentence_free(&own.sentence);
    return own.status;
}
