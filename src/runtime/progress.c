/* How far a queue is: finishing, failing, waiting. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/forked.h"
#include "completion.h"
#include "event.h"
#include "wait.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static quern_progress *free_list;
static quern_progress *all_list;

quern_progress *quern_progress_acquire(void)
{
    pthread_mutex_lock(&list_lock);
    quern_progress *progress = free_list;
    if (progress)
        free_list = progress->next;
    pthread_mutex_unlock(&list_lock);
    if (progress) {
        progress->next = NULL;
        return progress;
    }
    progress = calloc(1, sizeof *progress);
    if (!progress)
        return NULL;
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->unpinned, NULL);
    pthread_mutex_lock(&list_lock);
    progress->next_all = all_list;
    all_list = progress;
    pthread_mutex_unlock(&list_lock);
    return progress;
}

void quern_progress_recycle(quern_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    free(progress->sentence);
    progress->sentence = NULL;
    progress->status = QUERN_SUCCESS;
    atomic_store(&progress->failed, 0);
    pthread_mutex_unlock(&progress->lock);
    pthread_mutex_lock(&list_lock);
    progress->next = free_list;
    free_list = progress;
    pthread_mutex_unlock(&list_lock);
}

void quern_progress_free_all(void)
{
    pthread_mutex_lock(&list_lock);
    quern_progress *progress = all_list;
    all_list = NULL;
    free_list = NULL;
    pthread_mutex_unlock(&list_lock);
    while (progress) {
        quern_progress *next = progress->next_all;
        pthread_mutex_destroy(&progress->lock);
        pthread_cond_destroy(&progress->unpinned);
        free(progress->sentence);
        free(progress);
        progress = next;
    }
}

void quern_progress_attach(quern_progress *progress, const quern_backend *backend, void *backend_queue,
                           quern_queue *queue)
{
    pthread_mutex_lock(&progress->lock);
    progress->backend = backend;
    progress->backend_queue = backend_queue;
    progress->queue = queue;
    atomic_store(&progress->is_asked, !backend->finishes_all);
    pthread_mutex_unlock(&progress->lock);
}

void quern_progress_detach(quern_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    progress->backend_queue = NULL;
    progress->queue = NULL;
    /* With the thread, in a task too: all has finished, so nobody that has the queue pinned waits for anything. */
    while (progress->pins)
        pthread_cond_wait(&progress->unpinned, &progress->lock);
    pthread_mutex_unlock(&progress->lock);
}

void *quern_progress_pin(quern_progress *progress, const void *backend_table)
{
    pthread_mutex_lock(&progress->lock);
    void *queue = progress->backend == backend_table ? progress->backend_queue : NULL;
    if (queue)
        ++progress->pins;
    pthread_mutex_unlock(&progress->lock);
    return queue;
}

quern_queue *quern_progress_pin_queue(quern_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    quern_queue *queue = progress->queue;
    if (queue)
        ++progress->pins;
    pthread_mutex_unlock(&progress->lock);
    return queue;
}

int quern_progress_is_pinned(quern_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    int pinned = progress->pins != 0;
    pthread_mutex_unlock(&progress->lock);
    return pinned;
}

void quern_progress_unpin(quern_progress *progress)
{
    pthread_mutex_lock(&progress->lock);
    if (--progress->pins == 0)
        pthread_cond_broadcast(&progress->unpinned);
    pthread_mutex_unlock(&progress->lock);
}

/* ---- finishing ---- */

/* Takes the waiters whose number has finished out of the list. */
static quern_waiter *take_satisfied(quern_progress *progress)
{
    quern_waiter *satisfied = NULL;
    int64_t now = 0;
    pthread_mutex_lock(&progress->lock);
    uint64_t finished = atomic_load(&progress->finished);
    quern_waiter **link = &progress->waiters;
    while (*link) {
        quern_waiter *waiter = *link;
        if (waiter->number > finished) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        waiter->next = satisfied;
        satisfied = waiter;
        atomic_fetch_sub(&progress->waiting, 1);
        quern_event_settle(waiter, &now);
    }
    pthread_mutex_unlock(&progress->lock);
    return satisfied;
}

void quern_progress_settle_events(quern_progress *progress)
{
    int64_t now = 0;
    uint64_t finished = atomic_load(&progress->finished);
    for (quern_waiter *waiter = progress->waiters; waiter; waiter = waiter->next)
        if (waiter->number <= finished)
            quern_event_settle(waiter, &now);
}

void quern_progress_set_finished(quern_progress *progress, uint64_t number)
{
    /* Sequentially consistent, as is the counting up in when_finished: either this sees the waiter or that sees the
     * number. */
    atomic_store(&progress->finished, number);
    if (atomic_load(&progress->waiting) == 0)
        return;
    quern_waiter *waiter = take_satisfied(progress);
    while (waiter) {
        quern_waiter *next = waiter->next; /* notify may free the waiter */
        waiter->notify(waiter);
        waiter = next;
    }
}

uint64_t quern_progress_finished_number(quern_progress *progress)
{
    return quern_progress_finished(progress);
}

int quern_progress_when_finished(quern_progress *progress, uint64_t number, quern_waiter *waiter)
{
    if (quern_progress_finished(progress) >= number)
        return 1;
    pthread_mutex_lock(&progress->lock);
    waiter->number = number;
    waiter->next = progress->waiters;
    progress->waiters = waiter;
    atomic_fetch_add(&progress->waiting, 1);
    int finished = atomic_load(&progress->finished) >= number;
    if (finished) {
        progress->waiters = waiter->next;
        atomic_fetch_sub(&progress->waiting, 1);
    }
    pthread_mutex_unlock(&progress->lock);
    return finished;
}

int quern_progress_forget(quern_progress *progress, quern_waiter *waiter)
{
    pthread_mutex_lock(&progress->lock);
    quern_waiter **link = &progress->waiters;
    while (*link && *link != waiter)
        link = &(*link)->next;
    int found = *link != NULL;
    if (found) {
        *link = waiter->next;
        atomic_fetch_sub(&progress->waiting, 1);
    }
    pthread_mutex_unlock(&progress->lock);
    return found;
}

/* ---- failing ---- */

void quern_progress_set_failed(quern_progress *progress, uint64_t number, quern_status status, const char *what,
                               const char *sentence)
{
    (void)number; /* the first to come is the first in order: a queue's commands run one after another */
    pthread_mutex_lock(&progress->lock);
    if (!atomic_load(&progress->failed)) {
        progress->status = status;
        snprintf(progress->what, sizeof progress->what, "%s", what ? what : "a command");
        free(progress->sentence);
        /* Without memory for the sentence the status and the command's name still stand. */
        progress->sentence = sentence && *sentence ? strdup(sentence) : NULL;
        atomic_store(&progress->failed, 1);
    }
    pthread_mutex_unlock(&progress->lock);
}

/* The sentence of the failure, for the calling thread; the lock is held. */
static quern_status report(quern_progress *progress, const char *queue_name)
{
    const char *sentence = progress->sentence ? progress->sentence : quern_status_text(progress->status);
    if (queue_name && *queue_name)
        return quern_fail(progress->status, "%s on queue '%s' failed: %s", progress->what, queue_name, sentence);
    return quern_fail(progress->status, "%s failed: %s", progress->what, sentence);
}

quern_status quern_progress_take_failure(quern_progress *progress, const char *queue_name)
{
    if (!quern_progress_is_failed(progress))
        return QUERN_SUCCESS;
    pthread_mutex_lock(&progress->lock);
    quern_status status = QUERN_SUCCESS;
    if (atomic_load(&progress->failed)) {
        quern_progress_settle_events(progress); /* theirs too */
        status = report(progress, queue_name);
        free(progress->sentence);
        progress->sentence = NULL;
        progress->status = QUERN_SUCCESS;
        atomic_store(&progress->failed, 0);
    }
    pthread_mutex_unlock(&progress->lock);
    return status;
}

quern_status quern_progress_report_failure(quern_progress *progress)
{
    if (!quern_progress_is_failed(progress))
        return QUERN_SUCCESS;
    pthread_mutex_lock(&progress->lock);
    quern_status status = atomic_load(&progress->failed) ? report(progress, NULL) : QUERN_SUCCESS;
    pthread_mutex_unlock(&progress->lock);
    return status;
}

/* ---- waiting on the host ---- */

static void wake_cell(quern_waiter *waiter)
{
    quern_wait_wake(waiter->data);
}

quern_status quern_progress_sleep(quern_progress *progress, uint64_t number)
{
    quern_wait_cell cell;
    quern_waiter waiter = {.notify = wake_cell, .data = &cell};
    quern_wait_begin(&cell);
    if (quern_progress_when_finished(progress, number, &waiter)) {
        quern_wait_end(&cell);
        return QUERN_SUCCESS;
    }
    quern_status status = quern_wait_park(&cell);
    if (status == QUERN_SUCCESS)
        return QUERN_SUCCESS;
    if (quern_progress_forget(progress, &waiter))
        quern_wait_end(&cell);
    else
        quern_wait_settle(&cell);
    return status;
}

/* It has not finished yet. */
static quern_status work_along_or_sleep(quern_progress *progress, uint64_t number)
{
    quern_status status = QUERN_SUCCESS;
    /* The pin does not last over a sleep: whoever destroys the queue waits for it with his thread. */
    quern_queue *queue = quern_progress_pin_queue(progress);
    if (queue) {
        /* A thread that cannot work along, for lack of memory, sleeps. */
        status = quern_queue_help(queue, number) ? QUERN_SUCCESS : quern_progress_ask(progress, number);
        quern_progress_unpin(progress);
    }
    return status == QUERN_SUCCESS ? quern_progress_sleep(progress, number) : status;
}

quern_status quern_progress_wait(quern_progress *progress, uint64_t number)
{
    if (quern_progress_finished(progress) >= number)
        return QUERN_SUCCESS;
    quern_status status = quern_forked_check("a wait");
    if (status != QUERN_SUCCESS)
        return status;
    quern_circle_link link;
    if (quern_circle_enter(&link, quern_queue_own_node(), &progress->node, number))
        return quern_fail(QUERN_WOULD_DEADLOCK,
                          "a host function of the queue that is waited for waits, by joins or queues, for the caller, "
                          "wanted one that does not");
    status = work_along_or_sleep(progress, number);
    quern_circle_leave(&link);
    return status;
}
