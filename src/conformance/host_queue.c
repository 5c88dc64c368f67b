/* Queues: order within one, blocking or not, priorities, synchronise, statistics, many of them. host_queue_threads.c
 * has the tests with several threads. */
#include "gate.h"
#include "guarded.h"
#include "queue.h"
#include "steps.h"

#include <sched.h>
#include <string.h>

/* ---- order within a queue ---- */

static quern_verdict functions_in_order(quern_trial *trial)
{
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    for (int i = 0; i < 200; ++i)
        QUERN_TRY(trial, quern_steps_call(steps, trial->queue, i));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return quern_steps_check(trial, steps, 0, 199);
}

/* A host function between copies: it sees what came before, and what comes after sees what it did. */
typedef struct between {
    int32_t *values;
    size_t count;
    int32_t wanted;
    int wrong;
} between;

static quern_status negate(void *argument)
{
    between *b = argument;
    for (size_t i = 0; i < b->count; ++i) {
        b->wrong += b->values[i] != b->wanted;
        b->values[i] = -b->values[i];
    }
    return QUERN_SUCCESS;
}

static quern_verdict functions_between_copies(quern_trial *trial)
{
    enum { COUNT = 1009, ROUNDS = 9 };
    quern_guarded x;
    quern_layout layout;
    quern_span span;
    between *all = quern_trial_memory(trial, ROUNDS * sizeof *all);
    int32_t *values = quern_trial_memory(trial, COUNT * sizeof *values), *wanted;
    wanted = quern_trial_memory(trial, COUNT * sizeof *wanted);
    QUERN_WANT(trial, all && values && wanted, "no memory for %d values", COUNT);
    QUERN_TRY(trial, quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(COUNT), &layout));
    QUERN_TRY(trial, quern_span_make(values, &layout, &span));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(COUNT)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    for (int32_t round = 0; round < ROUNDS; ++round) {
        int32_t value = 1000003 + round;
        all[round] = (between){values, COUNT, value, 0};
        QUERN_TRY(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &value));
        QUERN_TRY(trial, quern_copy_to_host(trial->queue, span, quern_view_as_const(x.view)));
        QUERN_TRY(trial, quern_queue_call(trial->queue, negate, &all[round]));
        QUERN_TRY(trial, quern_copy_from_host(trial->queue, x.view, quern_span_as_const(span)));
    }
    for (size_t i = 0; i < COUNT; ++i)
        wanted[i] = -(1000003 + ROUNDS - 1);
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &x, wanted));
    for (int round = 0; round < ROUNDS; ++round)
        QUERN_WANT(trial, all[round].wrong == 0, "round %d: the host function saw %d of %d values from before the copy",
                   round, all[round].wrong, COUNT);
    return QUERN_PASSED;
}

/* ---- blocking and not ---- */

static quern_verdict blocking(quern_trial *trial)
{
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *queue;
    quern_event *event;
    int idle = 0;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &queue));
    for (int i = 0; i < 30; ++i) {
        QUERN_TRY(trial, quern_steps_call(steps, queue, i));
        QUERN_WANT(trial, quern_steps_at(steps, i) == i + 1, "function %d has not run when the call returns", i);
        QUERN_TRY(trial, quern_trial_record(trial, queue, &event));
        QUERN_TRY(trial, quern_event_query(event));
        QUERN_TRY(trial, quern_queue_query(queue, &idle));
        QUERN_WANT(trial, idle == 1, "the queue is not idle when the call returns");
    }
    return QUERN_PASSED;
}

/* Nobody waits, and the work is done all the same. A hang is found by whoever watches over the tests. */
static quern_verdict starts_by_itself(quern_trial *trial)
{
    quern_steps *steps = quern_steps_make(trial);
    int idle = 0;
    QUERN_WANT(trial, steps, "no memory for steps");
    for (int i = 0; i < 5; ++i) {
        QUERN_TRY(trial, quern_steps_call(steps, trial->queue, i));
        while (quern_steps_at(steps, i) == 0)
            sched_yield();
    }
    for (idle = 0; !idle; sched_yield())
        QUERN_TRY(trial, quern_queue_query(trial->queue, &idle));
    return QUERN_PASSED;
}

static quern_verdict query(quern_trial *trial)
{
    quern_gate *gate;
    int idle = 0;
    QUERN_TRY(trial, quern_queue_query(trial->queue, &idle));
    QUERN_WANT(trial, idle == 1, "a new queue is not idle");
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_queue_query(trial->queue, &idle));
    QUERN_WANT(trial, !quern_gate_is_closed(gate) || idle == 0, "a held queue is idle");
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    QUERN_TRY(trial, quern_queue_query(trial->queue, &idle));
    QUERN_WANT(trial, idle == 1, "a queue is not idle after it was synchronised");
    return QUERN_PASSED;
}

/* ---- synchronise ---- */

/* One attempt: *held is 1 when the other queue was still held when this one was done. */
static quern_verdict synchronize_beside(quern_trial *trial, quern_queue *queue, int *held, int *can_hold)
{
    quern_guarded x;
    quern_gate *gate;
    int32_t value = 41, wanted[101];
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(101)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, queue, &x));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    *can_hold = !quern_gate_gave_way(gate);
    for (int i = 0; i < 101; ++i)
        wanted[i] = value;
    QUERN_TRY(trial, quern_fill(queue, x.view, QUERN_TYPE(int32_t), &value));
    QUERN_CHECK(quern_guarded_want(trial, queue, &x, wanted));
    *held = quern_gate_is_closed(gate);
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return QUERN_PASSED;
}

/* Synchronise waits for its own queue, and not for another one that is held. A slow machine gets several attempts: a
 * gate does not hold for ever. */
static quern_verdict waits_for_its_own(quern_trial *trial)
{
    quern_queue *queue;
    int held = 0, can_hold = 0;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queue));
    for (int attempt = 0; attempt < 8 && !held; ++attempt)
        QUERN_CHECK(synchronize_beside(trial, queue, &held, &can_hold));
    if (!held && !can_hold)
        return quern_trial_unsupported(trial, "host functions that a queue runs by itself");
    QUERN_WANT(trial, held, "each of 8 synchronises of one queue lasted until another one, which was held, went on");
    return QUERN_PASSED;
}

/* ---- options, counters ---- */

static quern_verdict priorities(quern_trial *trial)
{
    for (int priority = -1; priority <= 1; ++priority)
        for (int is_blocking = 0; is_blocking < 2; ++is_blocking) {
            const quern_queue_options options = {is_blocking, priority, "of a priority"};
            quern_queue *queue;
            quern_guarded x;
            int32_t value = priority, wanted[53];
            for (int i = 0; i < 53; ++i)
                wanted[i] = value;
            QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &queue));
            QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                           quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(53)), &x));
            QUERN_CHECK(quern_guarded_upload(trial, queue, &x));
            QUERN_TRY(trial, quern_fill(queue, x.view, QUERN_TYPE(int32_t), &value));
            QUERN_CHECK(
                quern_trial_within(trial, quern_guarded_want(trial, queue, &x, wanted), "priority %d", priority));
        }
    return QUERN_PASSED;
}

static quern_verdict statistics(quern_trial *trial)
{
    enum { COMMANDS = 37 };
    quern_queue_statistics before, after;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_queue_get_statistics(trial->queue, &before));
    QUERN_WANT(trial, before.commands == 0 && before.finished == 0 && before.waits == 0 && before.skipped_waits == 0,
               "a new queue has counted %llu commands", (unsigned long long)before.commands);
    for (int i = 0; i < COMMANDS; ++i)
        QUERN_TRY(trial, quern_steps_call(steps, trial->queue, i));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    QUERN_TRY(trial, quern_queue_get_statistics(trial->queue, &after));
    QUERN_WANT(trial, after.commands >= COMMANDS, "%llu commands were counted, wanted %d or more",
               (unsigned long long)after.commands, COMMANDS);
    QUERN_WANT(trial, after.finished == after.commands, "%llu of %llu commands have finished after a synchronise",
               (unsigned long long)after.finished, (unsigned long long)after.commands);
    return QUERN_PASSED;
}

static quern_verdict names_its_device(quern_trial *trial)
{
    quern_device *device = NULL, *before = NULL, *of_current = NULL;
    quern_queue *current = NULL, *again = NULL;
    QUERN_TRY(trial, quern_queue_device(trial->queue, &device));
    QUERN_WANT(trial, device == trial->device, "the queue names another device");
    /* The thread's current queue is of its current device. */
    QUERN_TRY(trial, quern_device_current(&before));
    QUERN_TRY(trial, quern_device_set_current(trial->device));
    quern_status status = quern_queue_current(&current);
    if (status == QUERN_SUCCESS)
        status = quern_queue_current(&again);
    if (status == QUERN_SUCCESS)
        status = quern_queue_device(current, &of_current);
    QUERN_TRY(trial, quern_device_set_current(before));
    QUERN_TRY(trial, status);
    QUERN_WANT(trial, current == again && of_current == trial->device, "the current queue is not one of the device");
    return QUERN_PASSED;
}

/* ---- many ---- */

static quern_verdict many_queues(quern_trial *trial)
{
    enum { QUEUES = 150 };
    quern_guarded x;
    int32_t wanted[31];
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(31)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    for (int32_t i = 0; i < QUEUES; ++i) {
        const quern_queue_options options = {i & 1, 0, NULL};
        quern_queue *queue = NULL;
        QUERN_TRY(trial, quern_queue_create(trial->device, &options, &queue));
        quern_status status = quern_fill(queue, x.view, QUERN_TYPE(int32_t), &i);
        QUERN_TRY(trial, quern_queue_release(queue)); /* its fill is done all the same, before the next one */
        QUERN_TRY(trial, status);
    }
    for (int i = 0; i < 31; ++i)
        wanted[i] = QUEUES - 1;
    return quern_guarded_want(trial, trial->queue, &x, wanted);
}

/* More commands than a backend is likely to have room for. */
static quern_verdict many_commands(quern_trial *trial)
{
    enum { COMMANDS = 3000, COUNT = 1009 };
    quern_guarded x;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(COUNT)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    for (int32_t i = 0; i < COMMANDS; ++i) {
        size_t at = (size_t)i % COUNT;
        quern_view one;
        QUERN_TRY(trial, quern_view_sub(x.view, &at, QUERN_EXTENTS(1), &one));
        QUERN_TRY(trial, quern_fill(trial->queue, one, QUERN_TYPE(int32_t), &i));
        memcpy(quern_guarded_element(&x, at), &i, sizeof i);
    }
    return quern_guarded_check(trial, trial->queue, &x);
}

/* ---- misuse, control ---- */

typedef struct inside {
    quern_queue *queue;
    quern_status call, synchronize;
} inside;

static quern_status nothing(void *argument)
{
    (void)argument;
    return QUERN_SUCCESS;
}

static quern_status use_own_queue(void *argument)
{
    inside *i = argument;
    i->call = quern_queue_call(i->queue, nothing, NULL);
    i->synchronize = quern_queue_synchronize(i->queue);
    return QUERN_SUCCESS;
}

/* A host function that used its own queue would wait for itself. */
static quern_verdict own_queue_inside(quern_trial *trial)
{
    for (int is_blocking = 0; is_blocking < 2; ++is_blocking) {
        const quern_queue_options options = {is_blocking, 0, "own"};
        inside *i = quern_trial_memory(trial, sizeof *i);
        QUERN_WANT(trial, i, "no memory for the results");
        QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &i->queue));
        QUERN_TRY(trial, quern_queue_call(i->queue, use_own_queue, i));
        QUERN_TRY(trial, quern_queue_synchronize(i->queue));
        QUERN_WANT(trial, i->call == QUERN_INVALID_ARGUMENT && i->synchronize == QUERN_INVALID_ARGUMENT,
                   "from within its host function the queue's call gave %s and synchronise %s, wanted "
                   "QUERN_INVALID_ARGUMENT",
                   quern_status_name(i->call), quern_status_name(i->synchronize));
    }
    return QUERN_PASSED;
}

static quern_verdict misuse(quern_trial *trial)
{
    quern_queue *queue = NULL;
    quern_queue_options options = {2, 0, NULL};
    int idle;
    QUERN_REFUSED(trial, quern_queue_create(trial->device, &options, &queue), QUERN_INVALID_ARGUMENT, "blocking");
    options = (quern_queue_options){0, 2, NULL};
    QUERN_REFUSED(trial, quern_queue_create(trial->device, &options, &queue), QUERN_INVALID_ARGUMENT, "priority");
    QUERN_REFUSED(trial, quern_queue_create(NULL, NULL, &queue), QUERN_INVALID_ARGUMENT, "device");
    QUERN_REFUSED(trial, quern_queue_create(trial->device, NULL, NULL), QUERN_INVALID_ARGUMENT, "queue");
    QUERN_WANT(trial, !queue, "a refused queue was written to the result");
    QUERN_REFUSED(trial, quern_queue_call(trial->queue, NULL, NULL), QUERN_INVALID_ARGUMENT, "function");
    QUERN_REFUSED(trial, quern_queue_call(NULL, nothing, NULL), QUERN_INVALID_ARGUMENT, "queue");
    QUERN_REFUSED(trial, quern_queue_synchronize(NULL), QUERN_INVALID_ARGUMENT, "queue");
    QUERN_REFUSED(trial, quern_queue_query(NULL, &idle), QUERN_INVALID_ARGUMENT, "queue");
    QUERN_REFUSED(trial, quern_queue_query(trial->queue, NULL), QUERN_INVALID_ARGUMENT, "idle");
    QUERN_REFUSED(trial, quern_queue_retain(NULL), QUERN_INVALID_ARGUMENT, "queue");
    QUERN_TRY(trial, quern_queue_release(NULL));
    return QUERN_PASSED;
}

static quern_verdict control_other_order(quern_trial *trial)
{
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    for (int i = 0; i < 20; ++i)
        QUERN_TRY(trial, quern_steps_call(steps, trial->queue, i ^ 1));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return quern_steps_check(trial, steps, 0, 19);
}

const quern_conformance_test quern_queue_tests[] = {
    {"queue.functions_in_order", "host functions run in the order of their submission", functions_in_order, 0},
    {"queue.functions_between_copies", "host functions see what came before and change what comes after",
     functions_between_copies, 0},
    {"queue.blocking", "on a blocking queue a command is done when its call returns", blocking, 0},
    {"queue.starts_by_itself", "work is done though nobody waits", starts_by_itself, 0},
    {"queue.query", "idle or not", query, 0},
    {"queue.waits_for_its_own", "synchronise does not wait for another queue", waits_for_its_own, 0},
    {"queue.priorities", "priorities -1, 0 and 1, blocking or not", priorities, 0},
    {"queue.statistics", "commands are counted", statistics, 0},
    {"queue.names_its_device", "a queue's device, and the thread's current queue", names_its_device, 0},
    {"queue.many_queues", "queues made and released with their work pending", many_queues, 0},
    {"queue.many_commands", "thousands of commands without a wait", many_commands, 0},
    {"queue.several_threads", "threads that share a queue", quern_queue_several_threads, 0},
    {"queue.crossing_threads", "threads whose queues use two buffers in opposite order", quern_queue_crossing_threads,
     0},
    {"queue.own_queue_inside", "a host function that uses its own queue is refused", own_queue_inside, 0},
    {"queue.misuse", "options and arguments that are none are refused", misuse, 0},
    {"queue.control_other_order", "host functions are queued in another order", control_other_order, 1},
    {NULL, NULL, NULL, 0},
};
