/*
 * A coroutine runtime for tests: routines of which one runs at a time, each on a thread of its own so that sanitizers
 * know what happens, with the functions that quern_wait_hooks and tasks' coroutines want. A routine that waits in its
 * thread instead of parking keeps its turn, and nobody else runs.
 */
#ifndef QUERN_TEST_TURNS_H
#define QUERN_TEST_TURNS_H

#include "queue_test.h"

#include <unistd.h>

#include "base/coroutine.h"

typedef enum turns_mode { AS_HOOKS, AS_TASKS } turns_mode;
enum { MOST_ROUTINES = 16 };

typedef struct routine {
    quern_coroutine coroutine; /* first: the one is found by the other */
    pthread_t thread;
    void (*function)(void *argument);
    void *argument;
    int is_ready, is_permitted, has_ended;
} routine;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    routine *running; /* NULL: none is ready */
    routine all[MOST_ROUTINES];
    size_t count;
    turns_mode mode;
    int parks, unparks;
    int is_slow;                /* unpark takes long */
    _Atomic int telling, begun; /* 1 meanwhile, and from its begin on */
    /* Called instead of parking, when it is set. */
    quern_status (*refuse)(routine *self);
} turns = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local routine *turns_me;

#define fine(call)                                                                                                     \
    do {                                                                                                               \
        quern_status fine_status = (call);                                                                             \
        if (fine_status != QUERN_SUCCESS) {                                                                            \
            fprintf(stderr, "%s:%d: %s gave %s: %s\n", __FILE__, __LINE__, #call, quern_status_name(fine_status),      \
                    quern_last_error());                                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- the turn; the lock is held ---- */

/* To the next one that is ready, after self in the list. */
static void turns_pass(const routine *self)
{
    size_t begin = self ? (size_t)(self - turns.all) + 1 : 0;
    turns.running = NULL;
    for (size_t i = 0; i < turns.count && !turns.running; ++i) {
        routine *next = &turns.all[(begin + i) % turns.count];
        if (next->is_ready && !next->has_ended)
            turns.running = next;
    }
    pthread_cond_broadcast(&turns.changed);
}

static void turns_await(const routine *self)
{
    while (turns.running != self)
        pthread_cond_wait(&turns.changed, &turns.lock);
}

/* ---- for hooks and coroutines ---- */

static void turns_yield(void)
{
    pthread_mutex_lock(&turns.lock);
    turns_pass(turns_me);
    turns_await(turns_me);
    pthread_mutex_unlock(&turns.lock);
}

static void turns_park(routine *self)
{
    pthread_mutex_lock(&turns.lock);
    MUST(self == turns_me && turns.running == self);
    ++turns.parks;
    if (!self->is_permitted) {
        self->is_ready = 0;
        turns_pass(self);
        turns_await(self);
    }
    self->is_permitted = 0;
    pthread_mutex_unlock(&turns.lock);
}

static void turns_unpark(routine *self)
{
    pthread_mutex_lock(&turns.lock);
    MUST(!self->is_permitted);
    ++turns.unparks;
    self->is_permitted = self->is_ready = 1;
    if (!turns.running)
        turns_pass(NULL);
    pthread_mutex_unlock(&turns.lock);
}

static void *hook_self(void *user)
{
    MUST(user == &turns);
    return turns_me;
}

static quern_status hook_park(void *user, void *self)
{
    MUST(user == &turns);
    if (turns.refuse)
        return turns.refuse(self);
    turns_park(self);
    return QUERN_SUCCESS;
}

static void hook_unpark(void *user, void *self)
{
    MUST(user == &turns);
    if (!turns.is_slow) {
        turns_unpark(self);
        return;
    }
    atomic_store(&turns.telling, 1);
    atomic_store(&turns.begun, 1);
    usleep(3000);
    turns_unpark(self);
    atomic_store(&turns.telling, 0);
}

static void task_park(quern_coroutine *self)
{
    turns_park((routine *)self);
}

static void task_unpark(quern_coroutine *self)
{
    turns_unpark((routine *)self);
}

static void task_yield(quern_coroutine *self)
{
    MUST(self == &turns_me->coroutine);
    turns_yield();
}

static void task_call(quern_coroutine *self, void (*function)(void *argument), void *argument)
{
    quern_coroutine_self = NULL;
    function(argument);
    quern_coroutine_self = self;
}

/* ---- running ---- */

static void turns_set_hooks(void)
{
    const quern_wait_hooks hooks = {&turns, hook_self, hook_park, hook_unpark};
    fine(quern_wait_hooks_set(turns.mode == AS_HOOKS ? &hooks : NULL));
}

static void *turns_thread(void *argument)
{
    routine *self = argument;
    turns_me = self;
    pthread_mutex_lock(&turns.lock);
    turns_await(self);
    pthread_mutex_unlock(&turns.lock);
    quern_coroutine_self = turns.mode == AS_TASKS ? &self->coroutine : NULL;
    self->function(self->argument);
    quern_coroutine_self = NULL;
    pthread_mutex_lock(&turns.lock);
    self->has_ended = 1;
    turns_pass(self);
    pthread_mutex_unlock(&turns.lock);
    return NULL;
}

static void turns_add(void (*function)(void *argument), void *argument)
{
    MUST(turns.count < MOST_ROUTINES);
    turns.all[turns.count++] =
        (routine){.coroutine = {.park = task_park, .unpark = task_unpark, .yield = task_yield, .call = task_call},
                  .function = function,
                  .argument = argument,
                  .is_ready = 1};
}

/* Runs what was added until all have ended. */
static void turns_run(turns_mode mode)
{
    turns.mode = mode;
    turns.parks = turns.unparks = 0;
    atomic_store(&turns.begun, 0);
    turns_set_hooks();
    for (size_t i = 0; i < turns.count; ++i)
        assert_int_equal(pthread_create(&turns.all[i].thread, NULL, turns_thread, &turns.all[i]), 0);
    pthread_mutex_lock(&turns.lock);
    turns_pass(NULL);
    pthread_mutex_unlock(&turns.lock);
    for (size_t i = 0; i < turns.count; ++i)
        assert_int_equal(pthread_join(turns.all[i].thread, NULL), 0);
    turns.count = 0;
    turns.running = NULL;
    ok(quern_wait_hooks_set(NULL));
}

/* Others take turns until somebody has parked. */
static inline void turns_until_parked(void)
{
    int parked = 0;
    while (!parked) {
        turns_yield();
        pthread_mutex_lock(&turns.lock);
        parked = turns.parks != 0;
        pthread_mutex_unlock(&turns.lock);
    }
}

#endif
