/* Events that queues of other devices, of whatever backend, wait for. */
#include "event.h"
#include "gate.h"
#include "guarded.h"
#include "steps.h"

static const char *name_of(quern_device *device, quern_device_info *info)
{
    return quern_device_get_info(device, info) == QUERN_SUCCESS ? info->name : "a device";
}

/* ---- one device waits for another ---- */

static quern_verdict one_way(quern_trial *trial, quern_device *from, quern_device *to)
{
    quern_queue *late, *waiting;
    quern_event *event;
    quern_gate *gate;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, from, NULL, &late));
    QUERN_TRY(trial, quern_trial_queue(trial, to, NULL, &waiting));
    QUERN_CHECK(quern_gate_make(trial, late, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_steps_call(steps, late, 0));
    QUERN_TRY(trial, quern_trial_record(trial, late, &event));
    QUERN_TRY(trial, quern_queue_wait(waiting, event));
    QUERN_TRY(trial, quern_steps_call(steps, waiting, 1));
    QUERN_TRY(trial, quern_steps_call(steps, waiting, 2));
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_queue_synchronize(waiting));
    return quern_steps_check(trial, steps, 0, 2);
}

quern_verdict quern_event_other_devices(quern_trial *trial)
{
    quern_device_info info;
    if (trial->other_count == 0)
        return quern_trial_unsupported(trial, "there is no other device");
    for (size_t i = 0; i < trial->other_count; ++i) {
        quern_device *other = trial->others[i];
        for (int repetition = 0; repetition < 3; ++repetition) {
            QUERN_CHECK(
                quern_trial_within(trial, one_way(trial, trial->device, other), "%s waits", name_of(other, &info)));
            QUERN_CHECK(quern_trial_within(trial, one_way(trial, other, trial->device), "%s is waited for",
                                           name_of(other, &info)));
        }
    }
    return QUERN_PASSED;
}

/* ---- data through host memory, which order tracking does not see ---- */

static quern_verdict data_one_way(quern_trial *trial, quern_device *from, quern_device *to)
{
    quern_guarded x, between, y;
    quern_queue *late, *waiting;
    quern_event *event;
    quern_gate *gate;
    quern_guarded_shape shape = quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(19, 23));
    QUERN_TRY(trial, quern_trial_queue(trial, from, NULL, &late));
    QUERN_TRY(trial, quern_trial_queue(trial, to, NULL, &waiting));
    QUERN_CHECK(quern_guarded_make(trial, from, "x", shape, &x));
    QUERN_CHECK(quern_guarded_make(trial, NULL, "between", shape, &between));
    QUERN_CHECK(quern_guarded_make(trial, to, "y", shape, &y));
    quern_guarded_vary(&x, 13);
    QUERN_CHECK(quern_guarded_upload(trial, late, &x));
    QUERN_CHECK(quern_guarded_upload(trial, late, &between));
    QUERN_CHECK(quern_guarded_upload(trial, waiting, &y));
    QUERN_CHECK(quern_gate_make(trial, late, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_copy_to_host(late, between.view.span, quern_view_as_const(x.view)));
    QUERN_TRY(trial, quern_trial_record(trial, late, &event));
    QUERN_TRY(trial, quern_queue_wait(waiting, event));
    QUERN_TRY(trial, quern_copy_from_host(waiting, y.view, quern_span_as_const(between.view.span)));
    quern_gate_open(gate);
    quern_guarded_set_copy(&between, &x);
    quern_guarded_set_copy(&y, &x);
    QUERN_CHECK(quern_guarded_check(trial, waiting, &y));
    return quern_guarded_check(trial, late, &between);
}

quern_verdict quern_event_data(quern_trial *trial)
{
    quern_device_info info;
    QUERN_CHECK(data_one_way(trial, trial->device, trial->device));
    for (size_t i = 0; i < trial->other_count; ++i) {
        quern_device *other = trial->others[i];
        QUERN_CHECK(
            quern_trial_within(trial, data_one_way(trial, trial->device, other), "to %s", name_of(other, &info)));
        QUERN_CHECK(
            quern_trial_within(trial, data_one_way(trial, other, trial->device), "from %s", name_of(other, &info)));
    }
    return QUERN_PASSED;
}

/* ---- chains ---- */

/* Each queue waits for the one before it, round after round; the first is held. */
quern_verdict quern_event_chain(quern_trial *trial)
{
    enum { QUEUES = 6, LINKS = 60 };
    quern_queue *queues[QUEUES];
    quern_gate *gate;
    quern_event *event = NULL;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    for (size_t i = 0; i < QUEUES; ++i) {
        size_t turn = i % (trial->other_count + 1);
        quern_device *device = turn == 0 ? trial->device : trial->others[turn - 1];
        QUERN_TRY(trial, quern_trial_queue(trial, device, NULL, &queues[i]));
    }
    QUERN_CHECK(quern_gate_make(trial, queues[0], QUERN_SUCCESS, &gate));
    for (int k = 0; k < LINKS; ++k) {
        quern_queue *queue = queues[k % QUEUES];
        if (event)
            QUERN_TRY(trial, quern_queue_wait(queue, event));
        QUERN_TRY(trial, quern_steps_call(steps, queue, k));
        QUERN_TRY(trial, quern_trial_record(trial, queue, &event));
    }
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_event_wait(event));
    return quern_steps_check(trial, steps, 0, LINKS - 1);
}

/* ---- blocking queues ---- */

static quern_verdict blocking_one_way(quern_trial *trial, quern_device *from, quern_device *to)
{
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *late, *waiting;
    quern_event *event;
    quern_gate *gate;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, from, NULL, &late));
    QUERN_TRY(trial, quern_trial_queue(trial, to, &options, &waiting));
    QUERN_CHECK(quern_gate_make(trial, late, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_steps_call(steps, late, 0));
    QUERN_TRY(trial, quern_trial_record(trial, late, &event));
    QUERN_TRY(trial, quern_queue_wait(waiting, event)); /* returns when the gate's patience is at an end */
    QUERN_WANT(trial, quern_steps_at(steps, 0) == 1, "the blocking queue's wait returned before the event");
    QUERN_TRY(trial, quern_steps_call(steps, waiting, 1));
    return quern_steps_check(trial, steps, 0, 1);
}

quern_verdict quern_event_blocking_queue(quern_trial *trial)
{
    quern_device_info info;
    QUERN_CHECK(blocking_one_way(trial, trial->device, trial->device));
    for (size_t i = 0; i < trial->other_count; ++i) {
        QUERN_CHECK(quern_trial_within(trial, blocking_one_way(trial, trial->others[i], trial->device),
                                       "for an event of %s", name_of(trial->others[i], &info)));
    }
    return QUERN_PASSED;
}

/* ---- failures ---- */

static quern_verdict failure_one_way(quern_trial *trial, quern_device *from, quern_device *to)
{
    quern_queue *failing, *waiting;
    quern_event *before, *event, *behind;
    quern_gate *gate;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, from, NULL, &failing));
    QUERN_TRY(trial, quern_trial_queue(trial, to, NULL, &waiting));
    QUERN_TRY(trial, quern_trial_record(trial, failing, &before));
    QUERN_CHECK(quern_gate_make(trial, failing, QUERN_DEVICE_LOST, &gate));
    QUERN_TRY(trial, quern_trial_record(trial, failing, &event));
    QUERN_TRY(trial, quern_queue_wait(waiting, event));
    QUERN_TRY(trial, quern_steps_call(steps, waiting, 0));
    QUERN_TRY(trial, quern_trial_record(trial, waiting, &behind));
    quern_gate_open(gate);
    QUERN_REFUSED(trial, quern_event_wait(event), QUERN_DEVICE_LOST, "");
    QUERN_REFUSED(trial, quern_event_wait(behind), QUERN_DEVICE_LOST, "");
    QUERN_REFUSED(trial, quern_queue_synchronize(waiting), QUERN_DEVICE_LOST, "wait");
    QUERN_REFUSED(trial, quern_queue_synchronize(failing), QUERN_DEVICE_LOST, "host function");
    QUERN_WANT(trial, quern_steps_count(steps) == 0, "a command behind a wait that failed was run");
    QUERN_TRY(trial, quern_event_wait(before));
    /* Cleared; but the event keeps what it completed with. */
    QUERN_TRY(trial, quern_steps_call(steps, waiting, 1));
    QUERN_TRY(trial, quern_queue_synchronize(waiting));
    QUERN_WANT(trial, quern_steps_at(steps, 1) == 1, "the queue does not work again after its failure was reported");
    QUERN_REFUSED(trial, quern_event_query(event), QUERN_DEVICE_LOST, "");
    QUERN_TRY(trial, quern_queue_wait(waiting, event));
    QUERN_REFUSED(trial, quern_queue_synchronize(waiting), QUERN_DEVICE_LOST, "wait");
    return QUERN_PASSED;
}

quern_verdict quern_event_failure(quern_trial *trial)
{
    quern_device_info info;
    QUERN_CHECK(failure_one_way(trial, trial->device, trial->device));
    for (size_t i = 0; i < trial->other_count; ++i) {
        quern_device *other = trial->others[i];
        QUERN_CHECK(
            quern_trial_within(trial, failure_one_way(trial, trial->device, other), "%s waits", name_of(other, &info)));
        QUERN_CHECK(
            quern_trial_within(trial, failure_one_way(trial, other, trial->device), "%s fails", name_of(other, &info)));
    }
    return QUERN_PASSED;
}
