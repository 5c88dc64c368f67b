/* Errors: the first one of a queue sticks, is reported once by the next synchronise, and touches nobody else. */
#include "gate.h"
#include "guarded.h"
#include "steps.h"

#include <string.h>

static quern_status fail_quietly(void *argument)
{
    (void)argument;
    return QUERN_FILE_ERROR;
}

static quern_verdict make_named(quern_trial *trial, quern_device *device, int blocking, const char *name,
                                quern_queue **queue)
{
    const quern_queue_options options = {blocking, 0, name};
    QUERN_TRY(trial, quern_trial_queue(trial, device, &options, queue));
    return QUERN_PASSED;
}

/* A function that fails at once, or when what follows has been queued. */
static quern_verdict queue_failure(quern_trial *trial, quern_queue *queue, int late, quern_gate **gate)
{
    *gate = NULL;
    if (late)
        return quern_gate_make(trial, queue, QUERN_FILE_ERROR, gate);
    QUERN_TRY(trial, quern_queue_call(queue, fail_quietly, NULL));
    return QUERN_PASSED;
}

static void let_fail(quern_gate *gate)
{
    if (gate)
        quern_gate_open(gate);
}

/* ---- once ---- */

static quern_verdict reported_once(quern_trial *trial)
{
    quern_queue *queue;
    quern_gate *gate;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_CHECK(make_named(trial, trial->device, 0, "work", &queue));
    for (int round = 0; round < 4; ++round) {
        QUERN_TRY(trial, quern_steps_call(steps, queue, 3 * round));
        QUERN_CHECK(queue_failure(trial, queue, round % 2, &gate));
        (void)quern_steps_call(steps, queue, 3 * round + 1);
        let_fail(gate);
        QUERN_REFUSED(trial, quern_queue_synchronize(queue), QUERN_FILE_ERROR, "host function");
        QUERN_WANT(trial, strstr(quern_last_error(), "work"), "the sentence \"%s\" does not name the queue 'work'",
                   quern_last_error());
        QUERN_TRY(trial, quern_queue_synchronize(queue));
        QUERN_WANT(trial, quern_steps_at(steps, 3 * round) > 0, "what came before the failure was not run");
        QUERN_WANT(trial, quern_steps_at(steps, 3 * round + 1) == 0, "what came behind the failure was run");
        QUERN_TRY(trial, quern_steps_call(steps, queue, 3 * round + 2));
        QUERN_TRY(trial, quern_queue_synchronize(queue));
        QUERN_WANT(trial, quern_steps_at(steps, 3 * round + 2) > 0, "the queue does not work again");
    }
    return QUERN_PASSED;
}

/* A blocking queue gives the failure from the call, and from what it keeps from running. */
static quern_verdict on_a_blocking_queue(quern_trial *trial)
{
    quern_queue *queue;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_CHECK(make_named(trial, trial->device, 1, "work", &queue));
    QUERN_TRY(trial, quern_steps_call(steps, queue, 0));
    QUERN_REFUSED(trial, quern_queue_call(queue, fail_quietly, NULL), QUERN_FILE_ERROR, "host function");
    QUERN_REFUSED(trial, quern_steps_call(steps, queue, 1), QUERN_FILE_ERROR, "");
    QUERN_REFUSED(trial, quern_queue_synchronize(queue), QUERN_FILE_ERROR, "host function");
    QUERN_TRY(trial, quern_queue_synchronize(queue));
    QUERN_TRY(trial, quern_steps_call(steps, queue, 2));
    QUERN_WANT(trial, quern_steps_at(steps, 1) == 0 && quern_steps_at(steps, 2) == 2,
               "what came behind the failure was run, or the queue does not work again");
    return QUERN_PASSED;
}

static quern_status fail_with(void *argument)
{
    return *(const quern_status *)argument;
}

static quern_verdict first_one_counts(quern_trial *trial)
{
    quern_status *statuses = quern_trial_memory(trial, 3 * sizeof *statuses);
    QUERN_WANT(trial, statuses, "no memory for 3 statuses");
    statuses[0] = QUERN_DEVICE_LOST;
    statuses[1] = QUERN_FILE_ERROR;
    statuses[2] = QUERN_BUSY;
    for (int i = 0; i < 3; ++i)
        QUERN_TRY(trial, quern_queue_call(trial->queue, fail_with, &statuses[i]));
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_DEVICE_LOST, "host function");
    return QUERN_PASSED;
}

/* ---- what is not run ---- */

static quern_verdict commands_behind(quern_trial *trial, int late)
{
    quern_guarded x, y, host;
    quern_gate *gate;
    quern_guarded_shape shape = quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(11, 13));
    int32_t value = 5;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", shape, &y));
    QUERN_CHECK(quern_guarded_make(trial, NULL, "host", shape, &host));
    quern_guarded_vary(&x, 1);
    quern_guarded_vary(&y, 2);
    quern_guarded_vary(&host, 3);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &host));
    QUERN_CHECK(queue_failure(trial, trial->queue, late, &gate));
    (void)quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &value);
    (void)quern_copy(trial->queue, y.view, quern_view_as_const(x.view));
    (void)quern_copy_to_host(trial->queue, host.view.span, quern_view_as_const(x.view));
    let_fail(gate);
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_FILE_ERROR, "host function");
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &host));
    /* And afterwards all of them are. */
    QUERN_TRY(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &value));
    QUERN_TRY(trial, quern_copy(trial->queue, y.view, quern_view_as_const(x.view)));
    QUERN_TRY(trial, quern_copy_to_host(trial->queue, host.view.span, quern_view_as_const(x.view)));
    quern_guarded_set_value(&x, &value);
    quern_guarded_set_value(&y, &value);
    quern_guarded_set_value(&host, &value);
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &host));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    return quern_guarded_check(trial, trial->queue, &y);
}

static quern_verdict commands_behind_it(quern_trial *trial)
{
    QUERN_CHECK(commands_behind(trial, 0));
    return quern_trial_within(trial, commands_behind(trial, 1), "queued before the failure");
}

static quern_verdict events_around(quern_trial *trial, int late)
{
    quern_event *before, *behind, *after;
    quern_gate *gate;
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &before));
    QUERN_CHECK(queue_failure(trial, trial->queue, late, &gate));
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &behind));
    let_fail(gate);
    QUERN_REFUSED(trial, quern_event_wait(behind), QUERN_FILE_ERROR, "");
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_FILE_ERROR, "host function");
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &after));
    QUERN_TRY(trial, quern_event_wait(after));
    QUERN_TRY(trial, quern_event_wait(before));
    QUERN_REFUSED(trial, quern_event_query(behind), QUERN_FILE_ERROR, "");
    return QUERN_PASSED;
}

static quern_verdict events_around_it(quern_trial *trial)
{
    QUERN_CHECK(events_around(trial, 0));
    return quern_trial_within(trial, events_around(trial, 1), "recorded before the failure");
}

/* ---- others ---- */

/* Queues of the same and of other devices go on, also one that uses the same buffer. */
static quern_verdict others_go_on(quern_trial *trial)
{
    quern_queue *failing, *beside;
    quern_gate *gate;
    quern_guarded x;
    int32_t value = 1, wanted[67];
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_CHECK(make_named(trial, trial->device, 0, "failing", &failing));
    QUERN_CHECK(make_named(trial, trial->device, 0, "beside", &beside));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(67)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, beside, &x));
    QUERN_CHECK(quern_gate_make(trial, failing, QUERN_BUSY, &gate));
    (void)quern_fill(failing, x.view, QUERN_TYPE(int32_t), &value); /* not run */
    value = 2;
    QUERN_TRY(trial, quern_fill(beside, x.view, QUERN_TYPE(int32_t), &value)); /* behind it, by order */
    quern_gate_open(gate);
    for (int i = 0; i < 67; ++i)
        wanted[i] = value;
    QUERN_CHECK(quern_guarded_want(trial, beside, &x, wanted));
    for (size_t i = 0; i < trial->other_count; ++i) {
        quern_queue *elsewhere;
        QUERN_CHECK(make_named(trial, trial->others[i], 0, "elsewhere", &elsewhere));
        QUERN_TRY(trial, quern_steps_call(steps, elsewhere, (int)i));
        QUERN_TRY(trial, quern_queue_synchronize(elsewhere));
        QUERN_WANT(trial, quern_steps_at(steps, (int)i) > 0, "a queue of another device did not go on");
    }
    QUERN_REFUSED(trial, quern_queue_synchronize(failing), QUERN_BUSY, "host function");
    return QUERN_PASSED;
}

/* A queue that nobody synchronises any more takes its error along, and nothing else. */
static quern_verdict released_with_it(quern_trial *trial)
{
    quern_queue *queue;
    quern_event *event;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    for (int i = 0; i < 10; ++i) {
        QUERN_TRY(trial, quern_queue_create(trial->device, NULL, &queue));
        quern_status called = quern_queue_call(queue, fail_quietly, NULL);
        quern_status recorded = quern_trial_record(trial, queue, &event);
        QUERN_TRY(trial, quern_queue_release(queue));
        QUERN_TRY(trial, called);
        QUERN_TRY(trial, recorded);
        QUERN_REFUSED(trial, quern_event_wait(event), QUERN_FILE_ERROR, "");
        /* The next queue, which may be made of the same parts, has no error. */
        QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queue));
        QUERN_TRY(trial, quern_steps_call(steps, queue, i));
        QUERN_TRY(trial, quern_queue_synchronize(queue));
        QUERN_WANT(trial, quern_steps_at(steps, i) > 0, "a new queue does not work");
    }
    return QUERN_PASSED;
}

/* ---- host functions ---- */

static quern_status leave_a_sentence(void *argument)
{
    quern_device *device;
    (void)argument;
    return quern_device_open("no such device", &device);
}

static quern_verdict sentence_of_a_function(quern_trial *trial)
{
    QUERN_TRY(trial, quern_queue_call(trial->queue, leave_a_sentence, NULL));
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_NOT_FOUND, "no such device");
    return QUERN_PASSED;
}

/* "Not ready", and numbers that are no status, would say something else of the event behind them. */
static quern_verdict odd_statuses(quern_trial *trial)
{
    quern_status *statuses = quern_trial_memory(trial, 3 * sizeof *statuses);
    QUERN_WANT(trial, statuses, "no memory for 3 statuses");
    statuses[0] = QUERN_NOT_READY;
    statuses[1] = (quern_status)1000;
    statuses[2] = (quern_status)-1;
    for (int i = 0; i < 3; ++i) {
        quern_event *event;
        QUERN_TRY(trial, quern_queue_call(trial->queue, fail_with, &statuses[i]));
        QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
        QUERN_REFUSED(trial, quern_event_wait(event), QUERN_HOST_FUNCTION_FAILED, "");
        QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_HOST_FUNCTION_FAILED, "host function");
    }
    return QUERN_PASSED;
}

/* What is refused at the call was never queued, so that it does not stick. */
static quern_verdict refused_calls_do_not_stick(quern_trial *trial)
{
    quern_guarded x;
    double value = 1;
    QUERN_CHECK(
        quern_guarded_make(trial, trial->device, "x", quern_guarded_packed(QUERN_TYPE(float), QUERN_EXTENTS(29)), &x));
    quern_guarded_vary(&x, 1);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_REFUSED(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(double), &value), QUERN_INVALID_TYPE, "");
    QUERN_REFUSED(trial, quern_copy(trial->queue, x.view, quern_view_as_const(x.view)), QUERN_OVERLAP, "");
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return quern_guarded_check(trial, trial->queue, &x);
}

/* A function that does not fail; the check asks for its failure. */
static quern_verdict control_no_failure(quern_trial *trial)
{
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_steps_call(steps, trial->queue, 0));
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_FILE_ERROR, "host function");
    return QUERN_PASSED;
}

const quern_conformance_test quern_error_tests[] = {
    {"error.reported_once", "by the next synchronise, with names; then the queue works again", reported_once, 0},
    {"error.on_a_blocking_queue", "from the call as well", on_a_blocking_queue, 0},
    {"error.first_one_counts", "of several failures the first is reported", first_one_counts, 0},
    {"error.commands_behind_it", "fills and copies behind a failure are not run", commands_behind_it, 0},
    {"error.events_around_it", "events behind a failure complete with its status", events_around_it, 0},
    {"error.others_go_on", "queues of this and other devices go on", others_go_on, 0},
    {"error.released_with_it", "a queue is released with its error", released_with_it, 0},
    {"error.sentence_of_a_function", "the sentence that a host function leaves goes along", sentence_of_a_function, 0},
    {"error.odd_statuses", "numbers that a host function must not return", odd_statuses, 0},
    {"error.refused_calls_do_not_stick", "what is refused at the call leaves no error on the queue",
     refused_calls_do_not_stick, 0},
    {"error.control_no_failure", "nothing fails", control_no_failure, 1},
    {NULL, NULL, NULL, 0},
};
