/* Waiting on the host; see wait.h. */
#include "wait.h"

#include <sched.h>

#include "base/error.h"
#include "queue.h"

/* ---- the program's hooks ---- */

static pthread_mutex_t hooks_lock = PTHREAD_MUTEX_INITIALIZER;
static quern_wait_hooks hooks_set;
_Atomic int quern_wait_have_hooks;

static quern_status check_hooks(const quern_wait_hooks *hooks)
{
    const char *missing = !hooks->self ? "self" : !hooks->park ? "park" : !hooks->unpark ? "unpark" : NULL;
    if (missing)
        return quern_fail(QUERN_INVALID_ARGUMENT, "hooks.%s is NULL, wanted a function", missing);
    return QUERN_SUCCESS;
}

quern_status quern_wait_hooks_set(const quern_wait_hooks *hooks)
{
    quern_status status = hooks ? check_hooks(hooks) : QUERN_SUCCESS;
    if (status != QUERN_SUCCESS)
        return status;
    pthread_mutex_lock(&hooks_lock);
    if (hooks)
        hooks_set = *hooks;
    atomic_store(&quern_wait_have_hooks, hooks != NULL);
    pthread_mutex_unlock(&hooks_lock);
    return QUERN_SUCCESS;
}

/* The calling coroutine of the program, with the hooks that know it; else NULL. */
static void *find_foreign(quern_wait_hooks *hooks)
{
    if (!atomic_load_explicit(&quern_wait_have_hooks, memory_order_acquire))
        return NULL;
    pthread_mutex_lock(&hooks_lock);
    *hooks = hooks_set;
    pthread_mutex_unlock(&hooks_lock);
    return hooks->self(hooks->user);
}

/* ---- waits of the program's coroutines ---- */

/* A cell's state. */
enum { WAITING, WOKEN, ABANDONED, DONE };

/* Threads that are about to call, or in, an unpark of the program's: a waiter that goes on without having been parked
 * waits for them, as its coroutine may end next. */
static _Atomic unsigned unparking;

/* Not only for one cell's: there is no other place to note it, and calls of unpark are short. */
static void await_unparks(void)
{
    while (atomic_load(&unparking) != 0)
        sched_yield();
}

static void wake_foreign(quern_wait_cell *cell)
{
    /* Copied: once unparked, or seen to be woken by one who gave up, the waiter may go on, and the cell with it. */
    const quern_wait_hooks hooks = cell->hooks;
    void *foreign = cell->foreign;
    int state = WAITING;
    atomic_fetch_add(&unparking, 1);
    if (atomic_compare_exchange_strong(&cell->state, &state, WOKEN))
        hooks.unpark(hooks.user, foreign);
    else
        atomic_store(&cell->state, DONE);
    atomic_fetch_sub(&unparking, 1);
}

/* 1 once a park of the program's has failed: an unpark that had begun then may end a later park early. */
static _Atomic int have_declined;

/* Parks until the cell is woken: what a park that failed has left behind ends others, but no wait. */
static quern_status park_until_woken(quern_wait_cell *cell)
{
    quern_status status;
    do {
        status = cell->hooks.park(cell->hooks.user, cell->foreign);
    } while (status == QUERN_SUCCESS && atomic_load(&cell->state) != WOKEN);
    if (status != QUERN_SUCCESS)
        atomic_store(&have_declined, 1);
    else if (atomic_load(&have_declined))
        await_unparks(); /* the cell's own may be under way still */
    return status;
}

static quern_status park_foreign(quern_wait_cell *cell)
{
    const unsigned told = quern_fail_count();
    /* Other coroutines of the thread are not in a host function that this one may be in. */
    quern_progress *inside = quern_queue_set_inside(NULL);
    quern_status status = park_until_woken(cell);
    (void)quern_queue_set_inside(inside);
    if (status == QUERN_SUCCESS)
        return QUERN_SUCCESS;
    const int has_sentence = quern_fail_count() != told && *quern_last_error();
    if (status == QUERN_NOT_READY || !quern_status_is_known(status))
        return quern_fail(QUERN_HOST_FUNCTION_FAILED, "the hook park gave status %d, which is no failure's%s%s",
                          (int)status, has_sentence ? ": " : "", has_sentence ? quern_last_error() : "");
    if (!has_sentence)
        return quern_fail(status, "the hook park could not suspend the coroutine: %s", quern_status_text(status));
    return status;
}

/* ---- threads ---- */

static void sleep_in_thread(quern_wait_cell *cell)
{
    pthread_mutex_lock(&cell->lock);
    while (!cell->is_woken)
        pthread_cond_wait(&cell->wake, &cell->lock);
    pthread_mutex_unlock(&cell->lock);
}

static void wake_thread(quern_wait_cell *cell)
{
    pthread_mutex_lock(&cell->lock);
    cell->is_woken = 1;
    /* Within the lock: once it is free, the cell may be gone. */
    pthread_cond_signal(&cell->wake);
    pthread_mutex_unlock(&cell->lock);
}

/* ---- all ---- */

int quern_wait_is_cooperative(void)
{
    quern_wait_hooks hooks;
    return quern_coroutine_self != NULL || find_foreign(&hooks) != NULL;
}

static int is_thread(const quern_wait_cell *cell)
{
    return !cell->coroutine && !cell->foreign;
}

void quern_wait_begin(quern_wait_cell *cell)
{
    cell->coroutine = quern_coroutine_self;
    cell->foreign = cell->coroutine ? NULL : find_foreign(&cell->hooks);
    atomic_init(&cell->state, WAITING);
    if (!is_thread(cell))
        return;
    cell->is_woken = 0;
    pthread_mutex_init(&cell->lock, NULL);
    pthread_cond_init(&cell->wake, NULL);
}

void quern_wait_end(quern_wait_cell *cell)
{
    if (!is_thread(cell))
        return;
    pthread_cond_destroy(&cell->wake);
    pthread_mutex_destroy(&cell->lock);
}

quern_status quern_wait_park(quern_wait_cell *cell)
{
    if (cell->coroutine) {
        cell->coroutine->park(cell->coroutine);
        return QUERN_SUCCESS;
    }
    if (cell->foreign)
        return park_foreign(cell);
    sleep_in_thread(cell);
    quern_wait_end(cell);
    return QUERN_SUCCESS;
}

void quern_wait_wake(quern_wait_cell *cell)
{
    if (cell->coroutine)
        cell->coroutine->unpark(cell->coroutine);
    else if (cell->foreign)
        wake_foreign(cell);
    else
        wake_thread(cell);
}

void quern_wait_settle(quern_wait_cell *cell)
{
    int state = WAITING;
    if (atomic_compare_exchange_strong(&cell->state, &state, ABANDONED))
        while (atomic_load(&cell->state) != DONE)
            sched_yield();
    await_unparks();
}
