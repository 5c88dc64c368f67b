/*
 * Joining.
 *
 * Who joins a task claims it first (JOINING), so that the body is his from then on; then he waits for its end, unless
 * it has ended already: of AWAITED, which he sets, and ENDED, which the task's thread sets, the later one sees the
 * other.
 *
 * Who joins is noted among those that hold each other up (base/circle.h), a task as itself, a host function as its
 * queue, so that a join that would never end is refused.
 */
#include "base/forked.h"
#include "runtime/queue.h"
#include "thread.h"

/* ---- waits that would never end ---- */

/* 1 when the caller blocks its thread, as it is on the thread's own stack, and no other thread will run the target. */
static int is_behind_caller(quern_task_body *target)
{
    quern_task_thread *thread = quern_task_thread_self;
    if (!thread || quern_coroutine_self)
        return 0;
    return atomic_load_explicit(&target->thread, memory_order_relaxed) == thread ||
           atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed) == 1;
}

static quern_status enter(quern_circle_link *link, quern_task_body *target)
{
    quern_task_body *caller = quern_task_running();
    if (caller && is_behind_caller(target))
        return quern_fail(QUERN_WOULD_DEADLOCK,
                          "%s runs on the thread that would wait for it, in a function that blocks the thread",
                          quern_task_name_of(target).text);
    if (!quern_circle_enter(link, quern_queue_own_node(), &target->coroutine.node, 0))
        return QUERN_SUCCESS;
    if (!quern_coroutine_self)
        return quern_fail(QUERN_WOULD_DEADLOCK,
                          "task (%s) waits for the queue whose host function would join it, wanted one that does not",
                          quern_task_name_of(target).text);
    return quern_fail(QUERN_WOULD_DEADLOCK,
                      "task (%s) waits, by joins or queues, for the caller (%s), wanted one that "
                      "does not",
                      quern_task_name_of(target).text, quern_task_name_of(caller).text);
}

/* ---- the join ---- */

/* From now on the body is the caller's; *state is what it was before. */
static quern_status claim(quern_task *task, quern_task_body **body, uint64_t *state)
{
    for (;;) {
        quern_status status = quern_task_find(task, body, state);
        if (status != QUERN_SUCCESS)
            return status;
        if (*body == quern_task_running())
            return quern_fail(QUERN_WOULD_DEADLOCK, "task (%s) is the caller itself, wanted another one",
                              quern_task_name_of(*body).text);
        if (*state & QUERN_TASK_JOINING)
            return quern_fail(QUERN_BUSY, "task is being joined by another one, wanted one that nobody joins");
        if (atomic_compare_exchange_strong_explicit(&(*body)->state, state, *state | QUERN_TASK_JOINING,
                                                    memory_order_acq_rel, memory_order_relaxed))
            return QUERN_SUCCESS;
    }
}

/* The wait has failed: 1 when the task, which had not ended, is nobody's again. */
static int give_up(quern_task_body *body)
{
    uint64_t state = atomic_load_explicit(&body->state, memory_order_acquire);
    while (!(state & QUERN_TASK_ENDED))
        if (atomic_compare_exchange_weak_explicit(&body->state, &state,
                                                  state & ~(uint64_t)(QUERN_TASK_JOINING | QUERN_TASK_AWAITED),
                                                  memory_order_acq_rel, memory_order_acquire))
            return 1;
    return 0;
}

/* Waits for the end. After a failure, of a hook of the program's, nobody joins the task. */
static quern_status await(quern_task_body *body)
{
    quern_wait_cell cell;
    quern_wait_begin(&cell);
    body->joiner = &cell;
    if (atomic_fetch_or_explicit(&body->state, QUERN_TASK_AWAITED, memory_order_acq_rel) & QUERN_TASK_ENDED) {
        quern_wait_end(&cell);
        return QUERN_SUCCESS;
    }
    quern_status status = quern_wait_park(&cell);
    if (status == QUERN_SUCCESS)
        return QUERN_SUCCESS;
    if (give_up(body)) {
        quern_wait_end(&cell);
        return status;
    }
    quern_wait_settle(&cell); /* it has ended after all */
    return QUERN_SUCCESS;
}

/* The same, seen by those who may wait for the caller. */
static quern_status await_linked(quern_task_body *body)
{
    quern_circle_link link;
    quern_status status = enter(&link, body);
    if (status != QUERN_SUCCESS)
        return status;
    status = await(body);
    quern_circle_leave(&link);
    return status;
}

quern_status quern_join(quern_task *task)
{
    quern_task_body *body = NULL;
    uint64_t state = 0;
    quern_status status = quern_forked_check("quern_join");
    if (status == QUERN_SUCCESS)
        status = claim(task, &body, &state);
    if (status != QUERN_SUCCESS)
        return status;
    if (!(state & QUERN_TASK_ENDED)) {
        status = await_linked(body);
        if (status != QUERN_SUCCESS) {
            atomic_fetch_and_explicit(&body->state, ~(uint64_t)QUERN_TASK_JOINING, memory_order_acq_rel);
            return status;
        }
    }
    status = quern_task_report(body);
    quern_task_body_give_back(body);
    QUERN_TASK_COUNT(gone);
    return status;
}
