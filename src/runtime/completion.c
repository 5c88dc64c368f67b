/* Asking backends to say that a number has finished; see completion.h. */
#include "completion.h"

#include "ask.h"
#include "background.h"
#include "base/forked.h"
#include "held.h"

/* ---- wishes ---- */

static void note_wish(quern_queue *queue, uint64_t number)
{
    uint64_t wish = atomic_load(&queue->wish);
    while (wish < number && !atomic_compare_exchange_weak(&queue->wish, &wish, number))
        ;
}

uint64_t quern_queue_given(const quern_queue *queue)
{
    return quern_queue_is_holding(queue) ? queue->held.given : quern_progress_submitted(queue->progress);
}

/* Asks for number, the latest that was given. */
static quern_status signal_given(quern_queue *queue, uint64_t number)
{
    if (number <= queue->signalled)
        return QUERN_SUCCESS;
    quern_status status = QUERN_SUCCESS;
    if (quern_progress_finished(queue->progress) < number)
        status = quern_ask_signal(queue, number);
    if (status == QUERN_SUCCESS)
        queue->signalled = number;
    return status;
}

/* The latest number, not the one that was wished for: the numbers that a backend is asked for only grow, so that those
 * that it reports do too. */
quern_status quern_queue_grant_wish(quern_queue *queue)
{
    if (queue->backend->finishes_all || atomic_load(&queue->wish) <= queue->signalled)
        return QUERN_SUCCESS;
    return signal_given(queue, quern_queue_given(queue));
}

quern_status quern_queue_signal_before(quern_queue *queue, uint64_t number)
{
    return queue->backend->finishes_all ? QUERN_SUCCESS : signal_given(queue, number - 1);
}

quern_status quern_queue_wish(quern_queue *queue, uint64_t number)
{
    note_wish(queue, number);
    return queue->held.busy ? QUERN_SUCCESS : quern_queue_grant_wish(queue);
}

static quern_status ask_queue(quern_queue *queue, uint64_t number)
{
    note_wish(queue, number);
    if (quern_lock_try(&queue->lock)) {
        quern_status status = queue->held.busy ? QUERN_SUCCESS : quern_queue_grant_wish(queue);
        quern_lock_release(&queue->lock);
        if (status == QUERN_SUCCESS)
            return QUERN_SUCCESS;
    }
    quern_status status = quern_background_start();
    if (status == QUERN_SUCCESS)
        quern_background_push(queue);
    return status;
}

quern_status quern_progress_ask(quern_progress *progress, uint64_t number)
{
    if (quern_progress_finished(progress) >= number)
        return QUERN_SUCCESS;
    quern_status forked = quern_forked_check("a look at what has not finished");
    if (forked != QUERN_SUCCESS || !atomic_load_explicit(&progress->is_asked, memory_order_relaxed))
        return forked;
    quern_queue *queue = quern_progress_pin_queue(progress);
    if (!queue)
        return QUERN_SUCCESS; /* destroyed, so everything has finished */
    quern_status status = ask_queue(queue, number);
    quern_progress_unpin(progress);
    return status;
}

/* ---- numbers ---- */

quern_status quern_queue_finish_number(quern_queue *queue, uint64_t number)
{
    if (quern_queue_is_holding(queue))
        return QUERN_SUCCESS;
    quern_status status = quern_ask_signal(queue, number);
    if (status == QUERN_SUCCESS)
        queue->signalled = number;
    return status;
}

quern_status quern_queue_wait_own(quern_queue *queue, uint64_t number)
{
    if (quern_progress_finished(queue->progress) >= number || quern_queue_help(queue, number))
        return QUERN_SUCCESS;
    quern_status status = queue->backend->finishes_all ? QUERN_SUCCESS : signal_given(queue, number);
    return status == QUERN_SUCCESS ? quern_progress_sleep(queue->progress, number) : status;
}
