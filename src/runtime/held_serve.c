/* Handing held commands over to the backend, on a thread of the runtime; see held.h. */
#include <stdio.h>

#include "answer.h"
#include "background.h"
#include "base/error.h"
#include "completion.h"
#include "event.h"
#include "held.h"

/* The lock may be another thread's for long: one that submits to a backend whose queue is full. */
static void lock(quern_queue *queue)
{
    if (quern_lock_try(&queue->lock))
        return;
    quern_background_enter();
    (void)quern_lock_take(&queue->lock); /* a thread of the runtime sleeps, which cannot fail */
    quern_background_leave();
}

/* ---- numbers ---- */

/* A command that failed, with the thread's sentence; the first failure sticks. */
static void set_failed(quern_queue *queue, uint64_t number, quern_status status, const char *what)
{
    quern_progress_set_failed(queue->progress, number, status, what, quern_last_error());
}

/* The number finishes when those before it have. */
static void finish(quern_queue *queue, uint64_t number)
{
    quern_status status;
    QUERN_ASK(status, queue->backend, signal, queue->handle, number);
    queue->signalled = number;
    if (status != QUERN_SUCCESS) {
        /* Nothing of this queue runs any more, so the number is as finished as it will be. */
        set_failed(queue, number, status, "a signal");
        quern_progress_set_finished(queue->progress, number);
    }
}

/* A command function that queued nothing: its number must finish all the same. */
static void give_up(quern_queue *queue, uint64_t number, quern_status status, const char *what)
{
    set_failed(queue, number, status, what);
    finish(queue, number);
}

/* Up to number all has been handed over, or was nothing. */
static void set_given(quern_queue *queue, uint64_t number)
{
    queue->held.given = number;
    quern_status status = quern_queue_grant_wish(queue);
    if (status != QUERN_SUCCESS)
        give_up(queue, number, status, "a signal");
}

/* ---- pauses ---- */

static void has_come(quern_waiter *waiter)
{
    quern_queue *queue = waiter->data;
    atomic_store(&queue->held.awaited, 0);
    quern_background_push(queue);
}

/* 1 when number has finished; else the queue is served again when it has. */
static int has_finished(quern_queue *queue, quern_progress *progress, uint64_t number)
{
    queue->held.waiter.notify = has_come;
    queue->held.waiter.data = queue;
    atomic_store(&queue->held.awaited, 1);
    int finished = quern_progress_when_finished(progress, number, &queue->held.waiter);
    if (finished)
        atomic_store(&queue->held.awaited, 0);
    return finished;
}

/* The same of all commands before number, which have been handed over. */
static int is_reached(quern_queue *queue, uint64_t number)
{
    quern_status status = quern_queue_wish(queue, number - 1);
    if (status == QUERN_SUCCESS)
        status = quern_queue_grant_wish(queue);
    if (status != QUERN_SUCCESS)
        give_up(queue, number - 1, status, "a signal");
    return has_finished(queue, queue->progress, number - 1);
}

/* On the host: when the other queue has come so far and, should the event have failed, this one too. */
static int wait_here(quern_queue *queue, const quern_held_pause *wait)
{
    uint64_t number = wait->command.number;
    (void)quern_progress_ask(wait->other, wait->other_number); /* there is a thread, so it is granted sooner or later */
    if (!has_finished(queue, wait->other, wait->other_number))
        return 0;
    if (wait->event && !quern_progress_is_failed(queue->progress)) {
        quern_status status = quern_event_completion(wait->event);
        if (status != QUERN_SUCCESS) {
            if (!is_reached(queue, number))
                return 0;
            set_failed(queue, number, status, quern_event_wait_name(wait->event));
        }
    }
    quern_event_drop(wait->event);
    finish(queue, number);
    return 1;
}

static int run_wait(quern_queue *queue, const quern_held_pause *wait)
{
    if (!queue->backend->wait)
        return wait_here(queue, wait);
    quern_status status = QUERN_SUCCESS;
    if (!queue->backend->declines_waits)
        status = quern_progress_ask(wait->other, wait->other_number);
    if (status == QUERN_SUCCESS)
        status = quern_queue_signal_before(queue, wait->command.number);
    quern_lock_release(&queue->lock);
    if (status == QUERN_SUCCESS)
        QUERN_ASK(status, queue->backend, wait, queue->handle, wait->command.number, wait->other, wait->other_number,
                  wait->event);
    lock(queue);
    if (status == QUERN_NOT_READY)
        return wait_here(queue, wait);
    if (status != QUERN_SUCCESS) {
        const char *what = wait->event ? quern_event_wait_name(wait->event) : "a wait for another queue";
        quern_event_drop(wait->event);
        give_up(queue, wait->command.number, status, what);
    }
    return 1;
}

static int call_here(quern_queue *queue, const quern_held_pause *call)
{
    if (!is_reached(queue, call->command.number))
        return 0;
    if (!quern_progress_is_failed(queue->progress)) {
        quern_lock_release(&queue->lock);
        quern_background_enter();
        (void)quern_fail_text(QUERN_SUCCESS, ""); /* a sentence is the function's own, or there is none */
        quern_status status = call->function(call->argument);
        if (status != QUERN_SUCCESS)
            set_failed(queue, call->command.number, status, "a host function");
        quern_background_leave();
        lock(queue);
    }
    finish(queue, call->command.number);
    return 1;
}

static int run_call(quern_queue *queue, const quern_held_pause *call)
{
    if (!queue->backend->call)
        return call_here(queue, call);
    quern_status status = quern_queue_signal_before(queue, call->command.number);
    quern_lock_release(&queue->lock);
    if (status == QUERN_SUCCESS)
        QUERN_ASK(status, queue->backend, call, queue->handle, call->command.number, call->function, call->argument);
    lock(queue);
    if (status != QUERN_SUCCESS)
        give_up(queue, call->command.number, status, "a host function");
    return 1;
}

/* ---- the others ---- */

/* Hands the command to the backend; the lock is open. */
static quern_status submit(quern_queue *queue, quern_held_command *command)
{
    const quern_backend *backend = queue->backend;
    quern_held_copy *copy = (quern_held_copy *)command; /* if it is one */
    quern_status status;
    switch (command->kind) {
    case QUERN_HELD_LAUNCH:
        QUERN_ASK(status, backend, launch, queue->handle, command->number, &((quern_held_launch *)command)->launch);
        break;
    case QUERN_HELD_COPY:
        QUERN_ASK(status, backend, copy, queue->handle, command->number, &copy->copy);
        break;
    case QUERN_HELD_PEER_COPY:
        QUERN_ASK(status, backend, peer_copy, queue->handle, command->number, &copy->copy, copy->target_device,
                  copy->source_device);
        break;
    case QUERN_HELD_FILL:
        QUERN_ASK(status, backend, fill, queue->handle, command->number, &copy->copy);
        break;
    case QUERN_HELD_GRAPH:
        QUERN_ASK(status, backend, graph_launch, queue->handle, command->number, ((quern_held_graph *)command)->graph);
        break;
    default:
        QUERN_ASK(status, backend, record, queue->handle, command->number, ((quern_held_record *)command)->event);
    }
    return status;
}

static void describe(const quern_held_command *command, char *what, size_t size)
{
    if (command->kind == QUERN_HELD_LAUNCH)
        snprintf(what, size, "kernel '%s'", ((const quern_held_launch *)command)->launch.kernel->name);
    else if (command->kind == QUERN_HELD_RECORD)
        snprintf(what, size, "%s", quern_event_record_name(((const quern_held_record *)command)->event));
    else
        snprintf(what, size, "%s",
                 command->kind == QUERN_HELD_COPY        ? "a copy"
                 : command->kind == QUERN_HELD_PEER_COPY ? "a copy between devices"
                 : command->kind == QUERN_HELD_FILL      ? "a fill"
                                                         : "a graph");
}

static int run_command(quern_queue *queue, quern_held_command *command)
{
    /* An event completes with the failure. */
    if (command->kind != QUERN_HELD_RECORD && quern_progress_is_failed(queue->progress)) {
        finish(queue, command->number);
        return 1;
    }
    quern_lock_release(&queue->lock);
    quern_status status = submit(queue, command);
    lock(queue);
    if (status != QUERN_SUCCESS) {
        char what[96];
        describe(command, what, sizeof what);
        if (command->kind == QUERN_HELD_RECORD)
            quern_event_drop(((quern_held_record *)command)->event);
        give_up(queue, command->number, status, what);
    }
    return 1;
}

/* 1 when the command has been handed over; else it has to wait, and the queue will be served again. */
static int run(quern_queue *queue, quern_held_command *command)
{
    if (command->number - 1 > queue->held.given) {
        finish(queue, command->number - 1); /* commands that do nothing */
        set_given(queue, command->number - 1);
    }
    int done = command->kind == QUERN_HELD_WAIT   ? run_wait(queue, (quern_held_pause *)command)
               : command->kind == QUERN_HELD_CALL ? run_call(queue, (quern_held_pause *)command)
                                                  : run_command(queue, command);
    if (done)
        set_given(queue, command->number);
    return done;
}

/* ---- serving ---- */

static void hand_over(quern_queue *queue)
{
    while (queue->held.first && run(queue, queue->held.first)) {
        uint64_t first = queue->held.first->number + 1;
        quern_held_pop(queue);
        atomic_store_explicit(&queue->held_from, first, memory_order_release);
    }
    if (queue->held.first)
        return;
    uint64_t submitted = quern_progress_submitted(queue->progress);
    if (submitted > queue->held.given)
        finish(queue, submitted);
    quern_held_end(queue);
}

void quern_held_serve(quern_queue *queue)
{
    lock(queue);
    if (!queue->held.busy) {
        if (quern_queue_is_holding(queue) && !atomic_load(&queue->held.awaited)) {
            queue->held.busy = 1;
            hand_over(queue);
            queue->held.busy = 0;
        }
        quern_status status = quern_queue_grant_wish(queue);
        if (status != QUERN_SUCCESS)
            give_up(queue, quern_queue_given(queue), status, "a signal");
    }
    quern_lock_release(&queue->lock);
}
