/* Which task a thread runs next; and how tasks come to threads. */
#include "thread.h"

enum { SHARED_FIRST = 16 }; /* so often what was spawned elsewhere comes before the thread's own fresh tasks */

void quern_task_submit(quern_task_body *body)
{
    quern_task_thread *thread = quern_task_thread_self;
    quern_task_fresh *fresh = thread ? &thread->fresh : &quern_task_pool.fresh;
    size_t count = quern_task_fresh_add(fresh, body);
    quern_task_call_for(count, thread != NULL);
}

void quern_task_make_ready(quern_task_body *body)
{
    quern_task_thread *thread = atomic_load_explicit(&body->thread, memory_order_relaxed);
    if (thread == quern_task_thread_self) {
        quern_task_list_append(&thread->ready, body);
        return;
    }
    quern_task_body *latest = atomic_load_explicit(&thread->inbox, memory_order_relaxed);
    do
        body->next = latest;
    while (!atomic_compare_exchange_weak_explicit(&thread->inbox, &latest, body, memory_order_seq_cst,
                                                  memory_order_relaxed));
    quern_task_thread_wake(thread);
}

/* What came to the inbox, in the order in which it came, to the end of the ready ones. */
static void empty_inbox(quern_task_thread *thread)
{
    if (!atomic_load_explicit(&thread->inbox, memory_order_relaxed))
        return;
    quern_task_body *latest = atomic_exchange_explicit(&thread->inbox, NULL, memory_order_acquire), *first = NULL;
    while (latest) {
        quern_task_body *next = latest->next;
        latest->next = first;
        first = latest;
        latest = next;
    }
    while (first) {
        quern_task_body *next = first->next;
        quern_task_list_append(&thread->ready, first);
        first = next;
    }
}

static quern_task_body *take_fresh(quern_task_thread *thread)
{
    int shared_first = thread->turn % SHARED_FIRST == 0;
    quern_task_fresh *own = &thread->fresh, *shared = &quern_task_pool.fresh;
    quern_task_body *body = quern_task_fresh_take(shared_first ? shared : own, 1);
    return body ? body : quern_task_fresh_take(shared_first ? own : shared, 1);
}

quern_task_body *quern_task_thread_look(quern_task_thread *thread)
{
    quern_task_body *body;
    empty_inbox(thread);
    if (++thread->turn & 1) {
        body = quern_task_list_take(&thread->ready);
        return body ? body : take_fresh(thread);
    }
    body = take_fresh(thread);
    return body ? body : quern_task_list_take(&thread->ready);
}

int quern_task_thread_has_any(quern_task_thread *thread)
{
    return thread->ready.first || atomic_load_explicit(&thread->inbox, memory_order_seq_cst) ||
           quern_task_fresh_count(&thread->fresh) || quern_task_fresh_count(&quern_task_pool.fresh);
}
