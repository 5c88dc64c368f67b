/*
 * What the tests of graphs on small backends share: those of queue_test.h, and one that records graphs itself, a tape
 * of commands that is run as one.
 */
#ifndef QUERN_TEST_GRAPH_BACKEND_H
#define QUERN_TEST_GRAPH_BACKEND_H

#include "queue_test.h"

/* ---- tapes ---- */

typedef struct tape {
    const queue_variant *variant; /* NULL, in the place of a queue's: a recorder */
    size_t count;
    variant_command commands[16];
    quern_progress *progress; /* of the queue that ran it last, NULL at first */
    uint64_t last;
} tape;

static _Atomic long tapes, tapes_made; /* that there are; that were made */
static _Atomic int refuse_begin, refuse_end, refuse_tape;

static int is_tape(const void *queue)
{
    return ((const tape *)queue)->variant == NULL;
}

static variant_command *next_on(void *recorder, uint64_t number, variant_kind kind)
{
    tape *self = recorder;
    MUST(number == 0 && self->count < sizeof self->commands / sizeof *self->commands);
    self->commands[self->count].kind = kind;
    return &self->commands[self->count++];
}

static quern_status tape_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (!is_tape(queue))
        return variant_copy(queue, number, copy);
    MUST(is_device_memory(copy->target_memory, copy->target) && is_device_memory(copy->source_memory, copy->source));
    next_on(queue, number, COPY)->copy = *copy;
    return QUERN_SUCCESS;
}

static quern_status tape_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    if (!is_tape(queue))
        return variant_fill(queue, number, fill);
    MUST(is_device_memory(fill->target_memory, fill->target));
    variant_command *command = next_on(queue, number, FILL);
    command->copy = *fill;
    command->copy.source = memcpy(command->value, fill->source, fill->element_size);
    return QUERN_SUCCESS;
}

static quern_status tape_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    if (!is_tape(queue))
        return variant_launch(queue, number, launch);
    variant_command *command = next_on(queue, number, LAUNCH);
    command->launch = *launch;
    command->launch.arguments = command->arguments;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        command->arguments[i] = launch->arguments[i];
        if (launch->arguments[i].form == QUERN_PARAMETER_VALUE)
            command->arguments[i].address =
                memcpy(command->values[i], launch->arguments[i].address, launch->arguments[i].size);
    }
    return QUERN_SUCCESS;
}

static quern_status tape_begin(void *queue, void **recorder)
{
    MUST(!is_tape(queue));
    if (atomic_load(&refuse_begin))
        return (variant_host->fail)((quern_status)atomic_load(&refuse_begin), "the recorder is not for this");
    tape *made = calloc(1, sizeof *made);
    MUST(made);
    atomic_fetch_add(&tapes, 1);
    *recorder = made;
    return QUERN_SUCCESS;
}

static void tape_release(void *device, void *graph)
{
    const tape *self = graph;
    (void)device;
    MUST(!self->progress || variant_host->finished_number(self->progress) >= self->last);
    free(graph);
    atomic_fetch_sub(&tapes, 1);
}

static quern_status tape_end(void *recorder, void **graph)
{
    tape *self = recorder;
    if (!graph || atomic_load(&refuse_end)) {
        tape_release(NULL, self);
        return graph ? (variant_host->fail)(QUERN_SYSTEM_ERROR, "the tape is torn") : QUERN_SUCCESS;
    }
    MUST(self->count >= 2);
    atomic_fetch_add(&tapes_made, 1);
    *graph = self;
    return QUERN_SUCCESS;
}

static quern_status run_tape(void *argument)
{
    tape *self = argument;
    for (size_t i = 0; i < self->count; ++i) {
        const variant_command *command = &self->commands[i];
        if (command->kind == LAUNCH)
            ((variant_function *)((const quern_kernel_image *)command->launch.compiled)->function)(&command->launch);
        else
            run_copy(&command->copy, command->kind == FILL);
    }
    return QUERN_SUCCESS;
}

static quern_status tape_run(void *queue, uint64_t number, void *graph)
{
    if (atomic_load(&refuse_tape))
        return (variant_host->fail)(QUERN_SYSTEM_ERROR, "the tape does not run");
    variant_command *command = new_command(queue, number, CALL);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    command->function = run_tape;
    command->argument = graph;
    ((tape *)graph)->progress = ((variant_queue *)queue)->progress;
    ((tape *)graph)->last = number;
    return push_command(queue, command);
}

/* One whose waits are held back, and one that does all by itself. */
VARIANT(tape_lazy, 0, 0, 2, .help = NULL);
VARIANT(tape_able, 0, 0, 2, .wait = variant_wait, .call = variant_call, .record = variant_record);

static const char *const all_devices[] = {"lazy:0",  "eager:0", "all:0",       "helps:0",    "waits:0",
                                          "calls:0", "full:0",  "tape_lazy:0", "tape_able:0"};
enum { DEVICES = sizeof all_devices / sizeof *all_devices };

static void with_tapes(quern_backend *backend, const quern_backend *base)
{
    *backend = *base;
    backend->copy = tape_copy;
    backend->fill = tape_fill;
    backend->launch = tape_launch;
    backend->graph_begin = tape_begin;
    backend->graph_end = tape_end;
    backend->graph_launch = tape_run;
    backend->graph_release = tape_release;
    ok(quern_backends_add(backend, NULL, "the test"));
}

static int add_backends(void **state)
{
    static quern_backend lazy, able;
    with_tapes(&lazy, &tape_lazy_backend);
    with_tapes(&able, &tape_able_backend);
    return add_variants(state);
}

static int shut_down(void **state)
{
    (void)state;
    ok(quern_shutdown());
    assert_int_equal(atomic_load(&tapes), 0);
    return 0;
}

#endif
