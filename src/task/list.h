/* Lists of tasks, linked through the tasks themselves; and the queue of those that have not begun. */
#ifndef QUERN_TASK_LIST_H
#define QUERN_TASK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/spin.h"
#include "task.h"

typedef struct quern_task_list {
    quern_task_body *first, *last;
    size_t count;
} quern_task_list;

static inline void quern_task_list_append(quern_task_list *list, quern_task_body *body)
{
    body->next = NULL;
    body->before = list->last;
    if (list->last)
        list->last->next = body;
    else
        list->first = body;
    list->last = body;
    ++list->count;
}

static inline void quern_task_list_remove(quern_task_list *list, quern_task_body *body)
{
    if (body->before)
        body->before->next = body->next;
    else
        list->first = body->next;
    if (body->next)
        body->next->before = body->before;
    else
        list->last = body->before;
    --list->count;
}

/* NULL when it is empty. */
static inline quern_task_body *quern_task_list_take(quern_task_list *list)
{
    quern_task_body *body = list->first;
    if (body)
        quern_task_list_remove(list, body);
    return body;
}

/*
 * Tasks that have not begun, first come, first begun. Any thread may take from it.
 *
 * count is read without the lock by who looks for work or goes to sleep: it is changed with sequential consistency, so
 * that of one who adds and looks for sleepers, and one who falls asleep and looks for tasks, one sees the other.
 */
typedef struct quern_task_fresh {
    _Alignas(QUERN_TASK_LINES) quern_spin lock;
    quern_task_list list;
    _Atomic size_t count;
    _Atomic uint64_t taken; /* so far: whether anybody has come to those that wait; written under the lock */
    uint64_t seen;          /* the watcher's: taken when it last looked */
} quern_task_fresh;

static inline size_t quern_task_fresh_count(quern_task_fresh *fresh)
{
    return atomic_load_explicit(&fresh->count, memory_order_seq_cst);
}

/* Gives the count with it. */
size_t quern_task_fresh_add(quern_task_fresh *fresh, quern_task_body *body);

/* The first one, unless there are fewer than least: NULL then. */
quern_task_body *quern_task_fresh_take(quern_task_fresh *fresh, size_t least);

/* Takes the task that handle stands for out of the queue that it was found in; 0 when it is there no more. */
int quern_task_fresh_withdraw(quern_task_fresh *fresh, quern_task_body *body, uint64_t serial);

#endif
