/* Host functions on queues; see call.h. */
#include "call.h"

#include <stdlib.h>

#include "ask.h"
#include "completion.h"
#include "graph.h"
#include "held.h"
#include "offload.h"

static quern_status run_host_call(void *argument)
{
    quern_host_call *call = argument;
    quern_progress *outer = quern_queue_set_inside(call->progress);
    call->progress->node.call = call->number;
    quern_status status = call->function(call->argument);
    (void)quern_queue_set_inside(outer);
    /* "Not ready" would say that the event behind it is not complete; other numbers say nothing at all. */
    if (status == QUERN_NOT_READY || !quern_status_is_known(status))
        return quern_fail(QUERN_HOST_FUNCTION_FAILED, "the host function returned %d, wanted a status that says why",
                          (int)status);
    return status;
}

void quern_queue_free_calls(quern_queue *queue)
{
    uint64_t finished = quern_progress_finished(queue->progress);
    quern_host_call **link = &queue->calls;
    while (*link) {
        quern_host_call *call = *link;
        if (call->number > finished) {
            link = &call->next;
            continue;
        }
        *link = call->next;
        free(call);
    }
}

/* A blocking queue whose backend has no calls: what is before it has finished, and the function runs here. */
static quern_status call_now(quern_queue *queue, uint64_t number, quern_status (*function)(void *argument),
                             void *argument)
{
    quern_status status = quern_queue_wait_own(queue, number - 1);
    if (status != QUERN_SUCCESS)
        return status;
    if (!quern_progress_is_failed(queue->progress)) {
        (void)quern_fail_text(QUERN_SUCCESS, ""); /* a sentence is the function's own, or there is none */
        status = quern_offload(function, argument);
        if (status != QUERN_SUCCESS)
            quern_progress_set_failed(queue->progress, number, status, "a host function", quern_last_error());
    }
    return quern_queue_finish_number(queue, number);
}

/* The call has been prepared for. */
static quern_status submit(quern_queue *queue, uint64_t number, quern_status (*function)(void *argument),
                           void *argument)
{
    if (queue->commands->call) {
        quern_status status = quern_queue_is_holding(queue) ? QUERN_SUCCESS : quern_queue_signal_before(queue, number);
        if (status == QUERN_SUCCESS)
            status = quern_ask_call(queue, number, function, argument);
        return status;
    }
    if (queue->blocking)
        return call_now(queue, number, function, argument);
    quern_held_call(queue, number, function, argument);
    return QUERN_SUCCESS;
}

quern_status quern_queue_submit_call(quern_queue *queue, const quern_buffer_use *uses, size_t count,
                                     quern_status (*function)(void *argument), void *argument, const char *what,
                                     uint64_t *number, int *submitted)
{
    quern_status status = quern_queue_begin(queue, uses, count, number);
    *submitted = status == QUERN_SUCCESS;
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_held_prepare(queue, 1);
    if (status == QUERN_SUCCESS)
        status = submit(queue, *number, function, argument);
    return quern_queue_end(queue, *number, status, what);
}

/* Locks the queue and gives the call its number. */
static quern_status begin(quern_queue *queue, quern_host_call *call)
{
    quern_status status = quern_queue_lock(queue);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_held_prepare(queue, 1);
    if (status != QUERN_SUCCESS) {
        quern_lock_release(&queue->lock);
        return status;
    }
    return quern_queue_begin_locked(queue, NULL, 0, &call->number);
}

quern_status quern_queue_call(quern_queue *queue, quern_status (*function)(void *argument), void *argument)
{
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!function)
        return quern_fail(QUERN_INVALID_ARGUMENT, "function is NULL, wanted a function to call");
    if (quern_queue_is_captured(queue) && quern_graph_record_call(queue, function, argument, &status))
        return status;
    return quern_queue_call_inside(queue, function, argument);
}

quern_status quern_queue_call_inside(quern_queue *queue, quern_status (*function)(void *argument), void *argument)
{
    quern_host_call *call = malloc(sizeof *call);
    if (!call)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a host function's record");
    call->progress = queue->progress;
    call->function = function;
    call->argument = argument;
    quern_status status = begin(queue, call);
    if (status != QUERN_SUCCESS) {
        free(call);
        return status;
    }
    quern_queue_free_calls(queue);
    call->next = queue->calls;
    queue->calls = call;
    uint64_t number = call->number;
    quern_circle_link link = {NULL, NULL, 0};
    /* On a blocking queue the function's waits are the caller's. A ring, if it is one, is found where it is waited. */
    if (queue->blocking)
        (void)quern_circle_enter(&link, quern_queue_own_node(), &queue->progress->node, number);
    status = quern_queue_end(queue, number, submit(queue, number, run_host_call, call), "a host function");
    quern_circle_leave(&link);
    return status;
}
