/* Tasks that have not begun; see list.h. */
#include "list.h"

/* Under the lock. */
static void set_count(quern_task_fresh *fresh)
{
    atomic_store_explicit(&fresh->count, fresh->list.count, memory_order_seq_cst);
}

/* Off the list, under the lock: it begins or is cancelled. */
static void remove_body(quern_task_fresh *fresh, quern_task_body *body)
{
    quern_task_list_remove(&fresh->list, body);
    set_count(fresh);
    atomic_store_explicit(&body->in, NULL, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&fresh->taken, memory_order_relaxed);
    atomic_store_explicit(&fresh->taken, taken + 1, memory_order_relaxed);
}

size_t quern_task_fresh_add(quern_task_fresh *fresh, quern_task_body *body)
{
    quern_spin_lock(&fresh->lock);
    atomic_store_explicit(&body->in, fresh, memory_order_relaxed);
    quern_task_list_append(&fresh->list, body);
    set_count(fresh);
    size_t count = fresh->list.count;
    quern_spin_unlock(&fresh->lock);
    return count;
}

quern_task_body *quern_task_fresh_take(quern_task_fresh *fresh, size_t least)
{
    quern_task_body *body = NULL;
    if (atomic_load_explicit(&fresh->count, memory_order_relaxed) < least)
        return NULL;
    quern_spin_lock(&fresh->lock);
    if (fresh->list.count >= least && fresh->list.count) {
        body = fresh->list.first;
        remove_body(fresh, body);
    }
    quern_spin_unlock(&fresh->lock);
    return body;
}

int quern_task_fresh_withdraw(quern_task_fresh *fresh, quern_task_body *body, uint64_t serial)
{
    quern_spin_lock(&fresh->lock);
    int is_there = atomic_load_explicit(&body->in, memory_order_relaxed) == fresh &&
                   quern_task_serial(atomic_load_explicit(&body->state, memory_order_relaxed)) == serial;
    if (is_there)
        remove_body(fresh, body);
    quern_spin_unlock(&fresh->lock);
    return is_there;
}
