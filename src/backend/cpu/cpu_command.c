/* Putting commands into a queue, and running them. */
#include "cpu_command.h"

#include "base/error.h"

#include "cpu_backend.h"
#include "cpu_direct.h"
#include "cpu_kernel.h"
#include "cpu_spare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const quern_backend_host *host(void)
{
    return quern_cpu_pool.host;
}

/* ---- running ---- */

static void run_copy(struct quern_cpu_queue *queue, struct quern_cpu_thread *self, struct quern_cpu_copy *copy)
{
    if (queue->is_failed(queue->progress))
        return;
    quern_cpu_copy_aim(copy);
    (void)quern_cpu_launch_run(queue->device, self, &copy->launch);
}

/* The thread's last sentence as it was, when the function left none of its own. */
static void run_call(struct quern_cpu_queue *queue, uint64_t number, quern_status (*function)(void *argument),
                     void *argument)
{
    if (queue->is_failed(queue->progress))
        return;
    char *before = quern_last_error()[0] ? strdup(quern_last_error()) : NULL;
    if (before)
        (void)quern_fail_text(QUERN_SUCCESS, "");
    quern_status status = function(argument);
    if (status)
        host()->failed(queue->progress, number, status, "a host function", quern_last_error());
    if (before && !quern_last_error()[0])
        (void)quern_fail_text(QUERN_SUCCESS, before);
    free(before);
}

/* What the event stands for has been reached. */
static void run_wait(struct quern_cpu_queue *queue, uint64_t number, quern_event *event)
{
    if (!event)
        return;
    quern_status status = queue->is_failed(queue->progress) ? QUERN_SUCCESS : host()->event_status(event);
    if (status)
        host()->failed(queue->progress, number, status, "a wait for an event", quern_last_error());
    host()->event_release(event);
}

static void run_event(quern_event *event)
{
    host()->event_reached(event, quern_cpu_now());
    host()->event_release(event);
}

void quern_cpu_command_run(struct quern_cpu_queue *queue, struct quern_cpu_thread *self,
                           struct quern_cpu_record *record)
{
    switch (record->kind) {
    case QUERN_CPU_RECORD_LAUNCH: {
        struct quern_cpu_launch_record *launch = (struct quern_cpu_launch_record *)record;
        quern_cpu_direct_run(queue, self, record->number, launch->name, &launch->launch);
        break;
    }
    case QUERN_CPU_RECORD_COPY:
        run_copy(queue, self, &((struct quern_cpu_copy_record *)record)->copy);
        break;
    case QUERN_CPU_RECORD_CALL: {
        struct quern_cpu_call_record *call = (struct quern_cpu_call_record *)record;
        int is_counted = quern_cpu_spare_call_begins(self->worker);
        run_call(queue, record->number, call->function, call->argument);
        if (is_counted)
            quern_cpu_spare_call_ends(self->worker);
        break;
    }
    case QUERN_CPU_RECORD_WAIT:
        run_wait(queue, record->number, ((struct quern_cpu_wait_record *)record)->event);
        break;
    case QUERN_CPU_RECORD_EVENT:
        run_event(((struct quern_cpu_event_record *)record)->event);
        break;
    default: /* a signal is finished by being reached */
        break;
    }
}

/* ---- launches ---- */

static int is_nd(const quern_backend_argument *argument)
{
    return argument->form == QUERN_PARAMETER_IN_ND || argument->form == QUERN_PARAMETER_OUT_ND ||
           argument->form == QUERN_PARAMETER_INOUT_ND;
}

/* A type's alignment divides its size, so this is enough for a value of that many bytes. */
static size_t alignment_of(size_t bytes)
{
    size_t lowest = bytes & (~bytes + 1);
    return lowest > QUERN_CPU_RECORD_ALIGNMENT || lowest == 0 ? QUERN_CPU_RECORD_ALIGNMENT : lowest;
}

static size_t align_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) & ~(alignment - 1);
}

/* Where in a record the dimensions lie. */
static size_t dimensions_at(void)
{
    return align_up(sizeof(struct quern_cpu_launch_record), 16);
}

static size_t arguments_at(uint32_t rank)
{
    return align_up(dimensions_at() + rank * sizeof(struct quern_cpu_dimension), 16);
}

/* The bytes of a record for the launch. */
static size_t record_bytes(const quern_backend_launch *launch)
{
    size_t bytes = arguments_at(launch->rank) + launch->argument_count * sizeof(struct quern_cpu_argument);
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *argument = &launch->arguments[i];
        if (is_nd(argument))
            bytes = align_up(bytes, sizeof(size_t)) + argument->rank * (sizeof(size_t) + sizeof(ptrdiff_t));
        else if (argument->form == QUERN_PARAMETER_VALUE)
            bytes = align_up(bytes, alignment_of(argument->size)) + argument->size;
    }
    return bytes;
}

/* Copies the arguments, and what they point to but the elements, into the record. */
static void set_arguments(struct quern_cpu_launch_record *record, const quern_backend_launch *launch)
{
    char *base = (char *)record;
    size_t at = arguments_at(launch->rank);
    struct quern_cpu_argument *arguments = (struct quern_cpu_argument *)(void *)(base + at);
    at += launch->argument_count * sizeof *arguments;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *from = &launch->arguments[i];
        struct quern_cpu_argument *to = &arguments[i];
        to->address = from->address;
        to->extents = NULL;
        to->pitches = NULL;
        to->length = from->length;
        if (is_nd(from)) {
            at = align_up(at, sizeof(size_t));
            to->extents = memcpy(base + at, from->extents, from->rank * sizeof(size_t));
            at += from->rank * sizeof(size_t);
            to->pitches = memcpy(base + at, from->pitches, from->rank * sizeof(ptrdiff_t));
            at += from->rank * sizeof(ptrdiff_t);
        } else if (from->form == QUERN_PARAMETER_VALUE) {
            at = align_up(at, alignment_of(from->size));
            to->address = memcpy(base + at, from->address, from->size);
            at += from->size;
        }
    }
    record->launch.arguments = arguments;
    record->launch.argument_bytes = at - arguments_at(launch->rank);
}

/* Apart from quern_cpu_launch, whose other way would else save this one's registers. */
static __attribute__((noinline)) quern_status push_launch(struct quern_cpu_queue *queue, uint64_t number,
                                                          const quern_backend_launch *launch)
{
    struct quern_cpu_record *room;
    quern_status status = quern_cpu_queue_room(queue, record_bytes(launch), number, &room);
    if (status)
        return status;
    struct quern_cpu_launch_record *record = (struct quern_cpu_launch_record *)room;
    struct quern_cpu_dimension *dim = (struct quern_cpu_dimension *)(void *)((char *)record + dimensions_at());
    record->head.kind = QUERN_CPU_RECORD_LAUNCH;
    record->head.number = number;
    record->name = launch->kernel->name;
    quern_cpu_direct_set(&record->launch, queue->device, launch);
    quern_cpu_direct_set_dimensions(dim, launch);
    record->launch.dim = dim;
    set_arguments(record, launch);
    quern_cpu_ring_push(&queue->ring);
    quern_cpu_queue_announce(queue);
    return QUERN_SUCCESS;
}

quern_status quern_cpu_launch(void *queue_, uint64_t number, const quern_backend_launch *launch)
{
    struct quern_cpu_queue *queue = queue_;
    return queue->blocking ? quern_cpu_direct_launch(queue, number, launch) : push_launch(queue, number, launch);
}

/* ---- copies ---- */

static quern_status submit_copy(struct quern_cpu_queue *queue, uint64_t number, const quern_backend_copy *copy,
                                int is_fill)
{
    struct quern_cpu_copy plan;
    (is_fill ? quern_cpu_fill_plan : quern_cpu_copy_plan)(&plan, copy);
    if (queue->blocking) {
        struct quern_cpu_thread *self;
        quern_status status = quern_cpu_thread_self(&self);
        if (status)
            return status;
        run_copy(queue, self, &plan);
        queue->finished(queue->progress, number);
        return QUERN_SUCCESS;
    }
    struct quern_cpu_record *room;
    size_t value_at = sizeof(struct quern_cpu_copy_record), value = is_fill ? copy->element_size : 0;
    quern_status status = quern_cpu_queue_room(queue, value_at + value, number, &room);
    if (status)
        return status;
    struct quern_cpu_copy_record *record = (struct quern_cpu_copy_record *)room;
    record->head.kind = QUERN_CPU_RECORD_COPY;
    record->head.number = number;
    record->copy = plan;
    if (is_fill)
        record->copy.source = memcpy((char *)record + value_at, copy->source, value);
    quern_cpu_ring_push(&queue->ring);
    quern_cpu_queue_announce(queue);
    return QUERN_SUCCESS;
}

quern_status quern_cpu_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    return submit_copy(queue, number, copy, 0);
}

quern_status quern_cpu_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    return submit_copy(queue, number, fill, 1);
}

/* ---- the others ---- */

/* A record of so many bytes in the ring, its head filled in; the caller fills in the rest and calls push_record. */
static quern_status begin_record(struct quern_cpu_queue *queue, uint64_t number, uint32_t kind, size_t bytes,
                                 struct quern_cpu_record **record)
{
    quern_status status = quern_cpu_queue_room(queue, bytes, number, record);
    if (status)
        return status;
    (*record)->kind = kind;
    (*record)->number = number;
    return QUERN_SUCCESS;
}

static quern_status push_record(struct quern_cpu_queue *queue)
{
    quern_cpu_ring_push(&queue->ring);
    quern_cpu_queue_announce(queue);
    return QUERN_SUCCESS;
}

quern_status quern_cpu_signal(void *queue_, uint64_t number)
{
    struct quern_cpu_queue *queue = queue_;
    struct quern_cpu_record *record;
    if (!queue->blocking) {
        if (begin_record(queue, number, QUERN_CPU_RECORD_SIGNAL, sizeof *record, &record) == QUERN_SUCCESS)
            return push_record(queue);
        /* A number must not be lost when memory is exhausted: wait, then say so from here. */
        quern_status status = quern_cpu_help(queue, queue->progress, number - 1);
        if (status)
            return status;
    }
    queue->finished(queue->progress, number);
    return QUERN_SUCCESS;
}

quern_status quern_cpu_call(void *queue_, uint64_t number, quern_status (*function)(void *argument), void *argument)
{
    struct quern_cpu_queue *queue = queue_;
    struct quern_cpu_record *record;
    if (queue->blocking) {
        run_call(queue, number, function, argument);
        queue->finished(queue->progress, number);
        return QUERN_SUCCESS;
    }
    quern_status status =
        begin_record(queue, number, QUERN_CPU_RECORD_CALL, sizeof(struct quern_cpu_call_record), &record);
    if (status)
        return status;
    ((struct quern_cpu_call_record *)record)->function = function;
    ((struct quern_cpu_call_record *)record)->argument = argument;
    return push_record(queue);
}

quern_status quern_cpu_wait(void *queue_, uint64_t number, quern_progress *other, uint64_t other_number,
                            quern_event *event)
{
    struct quern_cpu_queue *queue = queue_;
    struct quern_cpu_record *record;
    quern_status status;
    if (queue->blocking) {
        struct quern_cpu_queue *ours = host()->queue_pin(other, &quern_cpu_backend);
        status = quern_cpu_help(ours, other, other_number);
        if (ours)
            host()->queue_unpin(other);
        if (status)
            return status;
        run_wait(queue, number, event);
        queue->finished(queue->progress, number);
        return QUERN_SUCCESS;
    }
    status = begin_record(queue, number, QUERN_CPU_RECORD_WAIT, sizeof(struct quern_cpu_wait_record), &record);
    if (status)
        return status;
    struct quern_cpu_wait_record *wait = (struct quern_cpu_wait_record *)record;
    wait->other = other;
    wait->other_number = other_number;
    /* Not pinned for longer: whoever finds the queue destroyed, or another one in its place, does no harm. */
    wait->other_queue = host()->queue_pin(other, &quern_cpu_backend);
    if (wait->other_queue)
        host()->queue_unpin(other);
    wait->event = event;
    return push_record(queue);
}

quern_status quern_cpu_record_event(void *queue_, uint64_t number, quern_event *event)
{
    struct quern_cpu_queue *queue = queue_;
    struct quern_cpu_record *record;
    if (queue->blocking) {
        run_event(event);
        queue->finished(queue->progress, number);
        return QUERN_SUCCESS;
    }
    quern_status status =
        begin_record(queue, number, QUERN_CPU_RECORD_EVENT, sizeof(struct quern_cpu_event_record), &record);
    if (status)
        return status;
    ((struct quern_cpu_event_record *)record)->event = event;
    return push_record(queue);
}
