/* Events: what they say of their queue, time, and waits by queues of the same device. host_event_wait.c has the waits
 * across devices and backends. */
#include "event.h"
#include "gate.h"
#include "guarded.h"
#include "steps.h"

#include <math.h>
#include <sched.h>

/* ---- on the host ---- */

static quern_verdict query_and_wait(quern_trial *trial)
{
    quern_gate *gate;
    quern_event *event;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_steps_call(steps, trial->queue, 0));
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
    quern_status status = quern_event_query(event);
    int ran = quern_steps_at(steps, 0);
    QUERN_WANT(trial, !quern_gate_is_closed(gate) || (status == QUERN_NOT_READY && !ran),
               "the event of a held queue is %s, wanted QUERN_NOT_READY", quern_status_name(status));
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_event_wait(event));
    QUERN_WANT(trial, quern_steps_at(steps, 0) == 1, "the wait is over, but not what was queued before the event");
    QUERN_TRY(trial, quern_event_query(event));
    QUERN_TRY(trial, quern_event_wait(event)); /* again, of a complete one */
    return QUERN_PASSED;
}

/* What an event stands for is done when the event is complete, whether it was waited for or asked again and again; in
 * the latter case nobody helps. A hang is found by whoever watches over the tests. */
static quern_verdict complete_is_done(quern_trial *trial, int wait)
{
    enum { COUNT = 60013, ROUNDS = 5 };
    quern_guarded x, host;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(COUNT)), &x));
    QUERN_CHECK(quern_guarded_make(trial, NULL, "host", quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(COUNT)),
                                   &host));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &host));
    const int32_t *values = host.view.span.address;
    for (int32_t round = 0; round < ROUNDS; ++round) {
        quern_event *event;
        quern_status status = QUERN_NOT_READY;
        QUERN_TRY(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &round));
        QUERN_TRY(trial, quern_copy_to_host(trial->queue, host.view.span, quern_view_as_const(x.view)));
        QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
        if (wait)
            status = quern_event_wait(event);
        for (; status == QUERN_NOT_READY; status = quern_event_query(event))
            sched_yield();
        QUERN_TRY(trial, status);
        for (int i = 0; i < COUNT; ++i)
            QUERN_WANT(trial, values[i] == round,
                       "the event is complete, and element %d of the copy before it is %d, "
                       "wanted %d",
                       i, values[i], round);
    }
    return QUERN_PASSED;
}

static quern_verdict completes_by_itself(quern_trial *trial)
{
    return complete_is_done(trial, 0);
}

static quern_verdict wait_sees_data(quern_trial *trial)
{
    return complete_is_done(trial, 1);
}

/* The event of an empty queue, and several events at one point. */
static quern_verdict empty_queue(quern_trial *trial)
{
    quern_queue *queue;
    quern_event *events[7];
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queue));
    for (int i = 0; i < 7; ++i)
        QUERN_TRY(trial, quern_trial_record(trial, queue, &events[i]));
    for (int i = 7; i-- > 0;)
        QUERN_TRY(trial, quern_event_wait(events[i]));
    return QUERN_PASSED;
}

static quern_verdict outlives_its_queue(quern_trial *trial)
{
    quern_queue *queue;
    quern_event *event;
    quern_gate *gate;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queue));
    QUERN_CHECK(quern_gate_make(trial, queue, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_steps_call(steps, queue, 0));
    QUERN_TRY(trial, quern_trial_record(trial, queue, &event));
    quern_trial_forget(trial, queue);
    QUERN_TRY(trial, quern_queue_release(queue));
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_event_wait(event));
    QUERN_WANT(trial, quern_steps_at(steps, 0) == 1, "the work of the released queue was not done");
    return QUERN_PASSED;
}

static quern_verdict references(quern_trial *trial)
{
    quern_event *event;
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
    QUERN_TRY(trial, quern_event_retain(event));
    QUERN_TRY(trial, quern_event_release(event));
    QUERN_TRY(trial, quern_event_wait(event));
    QUERN_TRY(trial, quern_event_release(NULL));
    return QUERN_PASSED;
}

/* Events are many, and go in any order. */
static quern_verdict many_events(quern_trial *trial)
{
    enum { EVENTS = 211, ROUNDS = 4 };
    quern_guarded x;
    quern_event *events[EVENTS];
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(37)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    for (int32_t round = 0; round < ROUNDS; ++round) {
        for (int32_t i = 0; i < EVENTS; ++i) {
            int32_t value = round * EVENTS + i;
            QUERN_TRY(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &value));
            QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &events[i]));
        }
        for (int i = 0; i < EVENTS; ++i) {
            quern_event *event = events[i * 64 % EVENTS]; /* 64 and 211 have no divisor in common */
            if (i % 3 == 0)
                QUERN_TRY(trial, quern_event_wait(event));
            quern_trial_forget(trial, event);
            QUERN_TRY(trial, quern_event_release(event));
        }
    }
    int32_t last[37];
    for (int i = 0; i < 37; ++i)
        last[i] = ROUNDS * EVENTS - 1;
    return quern_guarded_want(trial, trial->queue, &x, last);
}

/* ---- time ---- */

static quern_verdict elapsed(quern_trial *trial)
{
    enum { EVENTS = 9 };
    quern_event *events[EVENTS];
    quern_gate *gate;
    double seconds = -1, back = -1, total = 0;
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &events[0]));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    for (int i = 1; i < EVENTS; ++i)
        QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &events[i]));
    quern_status early = quern_event_elapsed(events[0], events[EVENTS - 1], &seconds);
    QUERN_WANT(trial, !quern_gate_is_closed(gate) || early == QUERN_NOT_READY,
               "the time to an event that is not complete gave %s, wanted QUERN_NOT_READY", quern_status_name(early));
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    for (int i = 1; i < EVENTS; ++i) {
        QUERN_TRY(trial, quern_event_elapsed(events[i - 1], events[i], &seconds));
        QUERN_TRY(trial, quern_event_elapsed(events[i], events[i - 1], &back));
        QUERN_WANT(trial, seconds >= 0, "event %d came %g seconds after event %d, wanted 0 or more", i, seconds, i - 1);
        QUERN_WANT(trial, back == -seconds, "backwards it is %g seconds, forwards %g", back, seconds);
        total += seconds;
    }
    QUERN_TRY(trial, quern_event_elapsed(events[0], events[EVENTS - 1], &seconds));
    QUERN_WANT(trial, fabs(seconds - total) <= 1e-8, "the whole takes %.9f seconds, its parts %.9f", seconds, total);
    QUERN_TRY(trial, quern_event_elapsed(events[0], events[0], &seconds));
    QUERN_WANT(trial, seconds == 0, "an event is %g seconds after itself", seconds);
    return QUERN_PASSED;
}

/* Devices have clocks of their own. */
static quern_verdict elapsed_of_two_devices(quern_trial *trial)
{
    quern_queue *queue;
    quern_event *here, *there;
    double seconds;
    if (trial->other_count == 0)
        return quern_trial_unsupported(trial, "there is no other device");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->others[0], NULL, &queue));
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &here));
    QUERN_TRY(trial, quern_trial_record(trial, queue, &there));
    QUERN_TRY(trial, quern_event_wait(here));
    QUERN_TRY(trial, quern_event_wait(there));
    QUERN_REFUSED(trial, quern_event_elapsed(here, there, &seconds), QUERN_WRONG_DEVICE, trial->info.name);
    return QUERN_PASSED;
}

/* The time of an event that completed with a failure is nobody's: whoever asks for it is told the failure. */
static quern_verdict elapsed_after_a_failure(quern_trial *trial)
{
    quern_event *good, *bad, *last;
    quern_gate *gate;
    double seconds = -77;
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &good));
    QUERN_TRY(trial, quern_event_wait(good));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_HOST_FUNCTION_FAILED, &gate));
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &bad));
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &last));
    quern_gate_open(gate);
    QUERN_REFUSED(trial, quern_event_wait(last), QUERN_HOST_FUNCTION_FAILED, "");
    QUERN_REFUSED(trial, quern_event_elapsed(good, bad, &seconds), QUERN_HOST_FUNCTION_FAILED, "failed before it");
    QUERN_REFUSED(trial, quern_event_elapsed(bad, good, &seconds), QUERN_HOST_FUNCTION_FAILED, "failed before it");
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_HOST_FUNCTION_FAILED, "");
    QUERN_REFUSED(trial, quern_event_elapsed(bad, last, &seconds), QUERN_HOST_FUNCTION_FAILED, "failed before it");
    QUERN_WANT(trial, seconds == -77, "a time that there is not was written: %g", seconds);
    return QUERN_PASSED;
}

/* ---- waits on one device ---- */

static quern_verdict other_queue_waits(quern_trial *trial)
{
    quern_queue *waiting;
    quern_event *event;
    quern_gate *gate;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &waiting));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_steps_call(steps, trial->queue, 0));
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
    QUERN_TRY(trial, quern_queue_wait(waiting, event));
    QUERN_TRY(trial, quern_steps_call(steps, waiting, 1));
    quern_trial_forget(trial, event);
    QUERN_TRY(trial, quern_event_release(event)); /* the wait holds it */
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_queue_synchronize(waiting));
    return quern_steps_check(trial, steps, 0, 1);
}

/* A wait for an event of the queue's own, and for one that is complete: neither holds anything up. */
static quern_verdict needless_waits(quern_trial *trial)
{
    quern_queue *other;
    quern_event *event;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &other));
    for (int i = 0; i < 20; ++i) {
        QUERN_TRY(trial, quern_steps_call(steps, trial->queue, 2 * i));
        QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
        QUERN_TRY(trial, quern_queue_wait(trial->queue, event));
        QUERN_TRY(trial, quern_event_wait(event));
        QUERN_TRY(trial, quern_queue_wait(other, event));
        QUERN_TRY(trial, quern_steps_call(steps, other, 2 * i + 1));
        QUERN_TRY(trial, quern_queue_synchronize(other));
    }
    return quern_steps_check(trial, steps, 0, 39);
}

/* ---- misuse, control ---- */

static quern_verdict misuse(quern_trial *trial)
{
    quern_event *event = NULL;
    double seconds;
    QUERN_REFUSED(trial, quern_event_record(NULL, &event), QUERN_INVALID_ARGUMENT, "queue");
    QUERN_REFUSED(trial, quern_event_record(trial->queue, NULL), QUERN_INVALID_ARGUMENT, "event");
    QUERN_REFUSED(trial, quern_event_wait(NULL), QUERN_INVALID_ARGUMENT, "event");
    QUERN_REFUSED(trial, quern_event_query(NULL), QUERN_INVALID_ARGUMENT, "event");
    QUERN_REFUSED(trial, quern_event_retain(NULL), QUERN_INVALID_ARGUMENT, "event");
    QUERN_REFUSED(trial, quern_queue_wait(trial->queue, NULL), QUERN_INVALID_ARGUMENT, "event");
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
    QUERN_REFUSED(trial, quern_queue_wait(NULL, event), QUERN_INVALID_ARGUMENT, "queue");
    QUERN_REFUSED(trial, quern_event_elapsed(event, NULL, &seconds), QUERN_INVALID_ARGUMENT, "end");
    QUERN_REFUSED(trial, quern_event_elapsed(NULL, event, &seconds), QUERN_INVALID_ARGUMENT, "begin");
    return QUERN_PASSED;
}

/* The step that should come second is submitted first, and nobody waits. */
static quern_verdict control_no_wait(quern_trial *trial)
{
    quern_queue *waiting;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &waiting));
    QUERN_TRY(trial, quern_steps_call(steps, waiting, 1));
    QUERN_TRY(trial, quern_queue_synchronize(waiting));
    QUERN_TRY(trial, quern_steps_call(steps, trial->queue, 0));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return quern_steps_check(trial, steps, 0, 1);
}

const quern_conformance_test quern_event_tests[] = {
    {"event.query_and_wait", "not ready while its queue is held, complete afterwards", query_and_wait, 0},
    {"event.completes_by_itself", "an event completes though nobody waits, and not early", completes_by_itself, 0},
    {"event.wait_sees_data", "what came before an event is done when the wait for it returns", wait_sees_data, 0},
    {"event.empty_queue", "events of an empty queue", empty_queue, 0},
    {"event.outlives_its_queue", "a queue is released before its event is waited for", outlives_its_queue, 0},
    {"event.references", "retain and release", references, 0},
    {"event.many_events", "hundreds of events, released in another order", many_events, 0},
    {"event.elapsed", "the time between events never runs backwards", elapsed, 0},
    {"event.elapsed_of_two_devices", "there is no time between events of two devices", elapsed_of_two_devices, 0},
    {"event.elapsed_after_a_failure", "there is no time to an event that failed", elapsed_after_a_failure, 0},
    {"event.other_queue_waits", "a queue of the device waits for a late one", other_queue_waits, 0},
    {"event.needless_waits", "waits for the queue's own events and for complete ones", needless_waits, 0},
    {"event.other_devices_wait", "queues of other devices and backends wait, both ways", quern_event_other_devices, 0},
    {"event.data_across_devices", "what an event orders is there on another device", quern_event_data, 0},
    {"event.chain", "a chain of waits over queues of all devices", quern_event_chain, 0},
    {"event.blocking_queue_waits", "a blocking queue waits for an event", quern_event_blocking_queue, 0},
    {"event.failure_is_passed_on", "the failure of an event's queue reaches whoever waits", quern_event_failure, 0},
    {"event.misuse", "what is no queue or event is refused", misuse, 0},
    {"event.control_no_wait", "the second step comes first", control_no_wait, 1},
    {NULL, NULL, NULL, 0},
};
