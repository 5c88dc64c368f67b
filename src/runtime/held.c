/* Commands that are held back: the list and what is appended to it; see held.h. */
#include "held.h"

#include <stdlib.h>
#include <string.h>

#include "background.h"
#include "base/error.h"

/* Bytes of held commands, tens of thousands of the usual ones: then submitting waits until half of them are gone. */
enum { MOST_BYTES = 16 * 1024 * 1024 };

static const quern_backend holding;

void quern_held_init(quern_queue *queue)
{
    int able = queue->backend->wait && queue->backend->call && !queue->backend->declines_waits;
    queue->commands = queue->backend;
    queue->target = queue->handle;
    queue->waits.room = able || queue->blocking ? SIZE_MAX : 0; /* nothing is ever held, or nothing prepared */
    queue->held.last = &queue->held.first;
    atomic_init(&queue->held_from, UINT64_MAX);
}

void quern_held_free(quern_queue *queue)
{
    while (queue->held.stock) {
        quern_held_command *next = queue->held.stock->next;
        free(queue->held.stock);
        queue->held.stock = next;
    }
}

/* ---- the list ---- */

static void begin(quern_queue *queue, uint64_t number)
{
    queue->commands = &holding;
    queue->target = queue;
    queue->held.given = number - 1;
    atomic_store_explicit(&queue->held_from, number, memory_order_release);
}

void quern_held_end(quern_queue *queue)
{
    queue->commands = queue->backend;
    queue->target = queue->handle;
    atomic_store_explicit(&queue->held_from, UINT64_MAX, memory_order_release);
}

static void append(quern_queue *queue, quern_held_command *command, uint64_t number)
{
    command->next = NULL;
    command->number = number;
    *queue->held.last = command;
    queue->held.last = &command->next;
    queue->held.bytes += command->bytes;
}

void quern_held_pop(quern_queue *queue)
{
    quern_held_command *command = queue->held.first;
    queue->held.first = command->next;
    if (!command->next)
        queue->held.last = &queue->held.first;
    queue->held.bytes -= command->bytes;
    free(command);
}

/* The command in the middle of the list, by bytes. */
static uint64_t middle(const quern_queue *queue)
{
    const quern_held_command *command = queue->held.first;
    for (size_t bytes = command->bytes; command->next && bytes <= MOST_BYTES / 2; bytes += command->bytes)
        command = command->next;
    return command->number;
}

quern_status quern_held_unlock_with_room(quern_queue *queue)
{
    quern_progress *progress = queue->progress;
    uint64_t number = queue->held.bytes > MOST_BYTES ? middle(queue) : 0;
    quern_lock_release(&queue->lock);
    return number ? quern_progress_wait(progress, number) : QUERN_SUCCESS;
}

static void *make(size_t bytes, quern_held_kind kind)
{
    quern_held_command *command = malloc(bytes);
    if (!command) {
        (void)quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a held command of %zu bytes", bytes);
        return NULL;
    }
    command->bytes = bytes;
    command->kind = kind;
    return command;
}

/* ---- waits and calls ---- */

quern_status quern_held_prepare(quern_queue *queue, size_t count)
{
    if (queue->waits.room >= count)
        return QUERN_SUCCESS;
    quern_status status = quern_background_start();
    while (status == QUERN_SUCCESS && queue->waits.room < count) {
        quern_held_command *made = make(sizeof(quern_held_pause), QUERN_HELD_WAIT);
        if (!made)
            return QUERN_OUT_OF_MEMORY;
        made->next = queue->held.stock;
        queue->held.stock = made;
        ++queue->waits.room;
    }
    return status;
}

/* Appends a pause that was prepared, and calls a thread when it is the first. */
static quern_held_pause *append_pause(quern_queue *queue, uint64_t number, quern_held_kind kind)
{
    quern_held_pause *pause = (quern_held_pause *)queue->held.stock;
    queue->held.stock = pause->command.next;
    --queue->waits.room;
    pause->command.kind = kind;
    int is_first = !quern_queue_is_holding(queue);
    if (is_first)
        begin(queue, number);
    append(queue, &pause->command, number);
    if (is_first)
        quern_background_push(queue);
    return pause;
}

void quern_held_wait(quern_queue *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                     quern_event *event)
{
    quern_held_pause *pause = append_pause(queue, number, QUERN_HELD_WAIT);
    pause->other = other;
    pause->other_number = other_number;
    pause->event = event;
}

void quern_held_call(quern_queue *queue, uint64_t number, quern_status (*function)(void *argument), void *argument)
{
    quern_held_pause *pause = append_pause(queue, number, QUERN_HELD_CALL);
    pause->function = function;
    pause->argument = argument;
}

static quern_status hold_wait(void *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                              quern_event *event)
{
    quern_held_wait(queue, number, other, other_number, event);
    return QUERN_SUCCESS;
}

static quern_status hold_call(void *queue, uint64_t number, quern_status (*function)(void *argument), void *argument)
{
    quern_held_call(queue, number, function, argument);
    return QUERN_SUCCESS;
}

/* ---- launches ---- */

static size_t align_up(size_t bytes)
{
    return (bytes + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
}

/* What an argument points to, besides the elements. */
static size_t argument_bytes(const quern_backend_argument *argument)
{
    if (argument->form == QUERN_PARAMETER_VALUE)
        return align_up(argument->size);
    return argument->form == QUERN_PARAMETER_LOCAL
               ? 0
               : align_up(argument->rank * (sizeof *argument->extents + sizeof *argument->pitches));
}

static void copy_argument(quern_backend_argument *to, const quern_backend_argument *from, char *at)
{
    *to = *from;
    if (from->form == QUERN_PARAMETER_VALUE) {
        to->address = memcpy(at, from->address, from->size);
    } else if (from->form != QUERN_PARAMETER_LOCAL && from->rank) {
        to->extents = memcpy(at, from->extents, from->rank * sizeof *from->extents);
        at += from->rank * sizeof *from->extents;
        to->pitches = memcpy(at, from->pitches, from->rank * sizeof *from->pitches);
    }
}

quern_held_launch *quern_held_copy_launch(const quern_backend_launch *launch)
{
    size_t at = align_up(sizeof(quern_held_launch) + launch->argument_count * sizeof *launch->arguments);
    size_t bytes = at;
    for (size_t i = 0; i < launch->argument_count; ++i)
        bytes += argument_bytes(&launch->arguments[i]);
    quern_held_launch *held = make(bytes, QUERN_HELD_LAUNCH);
    if (!held)
        return NULL;
    held->launch = *launch;
    held->launch.arguments = held->arguments;
    held->launch.kept = NULL; /* by then it may be another launch's */
    for (size_t i = 0; i < launch->argument_count; ++i) {
        copy_argument(&held->arguments[i], &launch->arguments[i], (char *)held + at);
        at += argument_bytes(&launch->arguments[i]);
    }
    return held;
}

static quern_status hold_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    quern_held_launch *held = quern_held_copy_launch(launch);
    if (!held)
        return QUERN_OUT_OF_MEMORY;
    append(queue, &held->command, number);
    return QUERN_SUCCESS;
}

/* ---- the others ---- */

static quern_status hold_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    quern_held_copy *held = make(sizeof *held, QUERN_HELD_COPY);
    if (!held)
        return QUERN_OUT_OF_MEMORY;
    held->copy = *copy;
    append(queue, &held->command, number);
    return QUERN_SUCCESS;
}

static quern_status hold_peer_copy(void *queue, uint64_t number, const quern_backend_copy *copy, void *target_device,
                                   void *source_device)
{
    quern_held_copy *held = make(sizeof *held, QUERN_HELD_PEER_COPY);
    if (!held)
        return QUERN_OUT_OF_MEMORY;
    held->copy = *copy;
    held->target_device = target_device;
    held->source_device = source_device;
    append(queue, &held->command, number);
    return QUERN_SUCCESS;
}

static quern_status hold_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    quern_held_copy *held = make(sizeof *held + fill->element_size, QUERN_HELD_FILL);
    if (!held)
        return QUERN_OUT_OF_MEMORY;
    held->copy = *fill;
    held->copy.source = memcpy(held->value, fill->source, fill->element_size);
    append(queue, &held->command, number);
    return QUERN_SUCCESS;
}

static quern_status hold_record(void *queue, uint64_t number, quern_event *event)
{
    quern_held_record *held = make(sizeof *held, QUERN_HELD_RECORD);
    if (!held)
        return QUERN_OUT_OF_MEMORY;
    held->event = event;
    append(queue, &held->command, number);
    return QUERN_SUCCESS;
}

static quern_status hold_graph(void *queue, uint64_t number, void *graph)
{
    quern_held_graph *held = make(sizeof *held, QUERN_HELD_GRAPH);
    if (!held)
        return QUERN_OUT_OF_MEMORY;
    held->graph = graph;
    append(queue, &held->command, number);
    return QUERN_SUCCESS;
}

/* Whose queue is the front end's own. */
static const quern_backend holding = {
    .version = QUERN_BACKEND_VERSION,
    .size = sizeof(quern_backend),
    .name = "held",
    .copy = hold_copy,
    .peer_copy = hold_peer_copy,
    .launch = hold_launch,
    .fill = hold_fill,
    .call = hold_call,
    .wait = hold_wait,
    .record = hold_record,
    .graph_launch = hold_graph,
};
