/* Running a task: between its stack and its thread's. */
#include "base/forked.h"
#include "overflow.h"
#include "thread.h"

static quern_task_body *body_of(quern_coroutine *coroutine)
{
    return (quern_task_body *)(void *)coroutine;
}

/* A task's thread: itself the writer, so no order is needed. */
static quern_task_thread *thread_of(quern_task_body *body)
{
    return atomic_load_explicit(&body->thread, memory_order_relaxed);
}

quern_task_body *quern_task_running(void)
{
    return quern_task_thread_self ? quern_task_thread_self->running : NULL;
}

/* ---- in the task ---- */

static void switch_back(quern_task_body *body, uint32_t request)
{
    const char *here = __builtin_frame_address(0);
    if (__builtin_expect((uintptr_t)here < (uintptr_t)body->fibre.stack->lowest, 0))
        quern_overflow_check(body->fibre.stack, here);
    body->request = request;
    quern_fibre_switch(&body->fibre, &thread_of(body)->own);
}

void quern_task_park(quern_coroutine *self)
{
    quern_task_body *body = body_of(self);
    uint32_t permit = QUERN_TASK_RUNS;
    /* As it never runs on another thread, it may be made ready from here on: its thread comes to it after the switch.
     */
    if (atomic_compare_exchange_strong_explicit(&body->permit, &permit, QUERN_TASK_IS_PARKED, memory_order_acq_rel,
                                                memory_order_acquire))
        switch_back(body, QUERN_TASK_PARKS);
    else
        atomic_store_explicit(&body->permit, QUERN_TASK_RUNS, memory_order_relaxed);
}

void quern_task_unpark(quern_coroutine *self)
{
    quern_task_body *body = body_of(self);
    uint32_t permit = QUERN_TASK_RUNS;
    if (atomic_compare_exchange_strong_explicit(&body->permit, &permit, QUERN_TASK_MAY_GO_ON, memory_order_acq_rel,
                                                memory_order_acquire))
        return;
    atomic_store_explicit(&body->permit, QUERN_TASK_RUNS, memory_order_relaxed);
    quern_task_make_ready(body);
}

void quern_task_yield(quern_coroutine *self)
{
    switch_back(body_of(self), QUERN_TASK_YIELDS);
}

void quern_task_call(quern_coroutine *self, void (*function)(void *argument), void *argument)
{
    quern_task_body *body = body_of(self);
    body->call = function;
    body->call_argument = argument;
    switch_back(body, QUERN_TASK_CALLS);
}

static void task_main(void *argument)
{
    quern_task_body *body = argument;
    body->status = quern_task_settle(body, body->function(body->argument));
    body->request = QUERN_TASK_ENDS;
    quern_fibre_leave(&body->fibre, &thread_of(body)->own);
}

/* ---- on the thread's stack ---- */

/* The sentence is the task's when that fails. */
static quern_status begin(quern_task_thread *thread, quern_task_body *body)
{
    quern_stack *stack = NULL;
    quern_status status = quern_stack_take(&stack);
    if (status != QUERN_SUCCESS)
        return status;
    stack->name = body->name[0] ? body->name : NULL;
    quern_fibre_begin(&body->fibre, stack, task_main, body);
    atomic_store_explicit(&body->thread, thread, memory_order_relaxed);
    return QUERN_SUCCESS;
}

/* Until it parks, yields or ends. */
static void go_on(quern_task_thread *thread, quern_task_body *body)
{
    for (;;) {
        quern_coroutine_self = &body->coroutine;
        quern_fibre_switch(&thread->own, &body->fibre);
        quern_coroutine_self = NULL;
        if (!quern_stack_is_sound(body->fibre.stack))
            quern_overflow_die(body->fibre.stack);
        if (body->request != QUERN_TASK_CALLS)
            return;
        body->call(body->call_argument);
    }
}

/* It has ended: its stack is free. */
static void end(quern_task_body *body)
{
    quern_stack *stack = body->fibre.stack;
    if (!quern_stack_is_kept_to(stack))
        quern_overflow_die(stack);
    quern_fibre_end(&body->fibre);
    quern_stack_give_back(stack);
    quern_task_publish(body, body->status);
}

void quern_task_run(quern_task_thread *thread, quern_task_body *body)
{
    quern_status status = QUERN_SUCCESS;
    int is_fresh = !thread_of(body);
    thread->running = body;
    (void)quern_sentence_use(&body->sentence);
    if (is_fresh)
        status = begin(thread, body);
    if (status == QUERN_SUCCESS) {
        (void)quern_current_use(&body->current);
        quern_task_count_own(&thread->counters.switches);
        go_on(thread, body);
        (void)quern_current_use(NULL);
    }
    (void)quern_sentence_use(NULL);
    thread->running = NULL;
    if (quern_process_is_forked())
        return; /* the tasks are the parent's */
    if (status != QUERN_SUCCESS)
        quern_task_drop(body, status);
    else if (body->request == QUERN_TASK_YIELDS)
        quern_task_list_append(&thread->ready, body);
    else if (body->request == QUERN_TASK_ENDS)
        end(body);
}
