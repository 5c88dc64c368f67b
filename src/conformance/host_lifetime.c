/* Lifetime: what is released while commands still use it lives until they have run; any order of releases ends. */
#include "gate.h"
#include "guarded.h"
#include "lifetime.h"
#include "steps.h"

#include <sched.h>
#include <string.h>

static quern_guarded_shape plane(void)
{
    return quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(37, 53));
}

static void release_now(quern_trial *trial, quern_buffer *buffer)
{
    quern_trial_forget(trial, buffer);
    (void)quern_buffer_release(buffer);
}

/* ---- buffers ---- */

/* The memory of a released buffer that a held queue still reads is not given to the next one. */
static quern_verdict buffer_while_read(quern_trial *trial)
{
    quern_guarded x, y, next;
    quern_queue *other;
    quern_gate *gate;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &other));
    for (uint32_t round = 0; round < 5; ++round) {
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", plane(), &x));
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", plane(), &y));
        quern_guarded_vary(&x, round);
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
        QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
        QUERN_TRY(trial, quern_copy(trial->queue, y.view, quern_view_as_const(x.view)));
        release_now(trial, x.view.buffer);
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "next", plane(), &next));
        quern_guarded_vary(&next, 100 + round);
        QUERN_CHECK(quern_guarded_upload(trial, other, &next));
        quern_gate_open(gate);
        quern_guarded_set_copy(&y, &x);
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &next));
    }
    return QUERN_PASSED;
}

/* Likewise one that is still written: the write must not land in the next one. */
static quern_verdict buffer_while_written(quern_trial *trial)
{
    quern_guarded x, next;
    quern_queue *other;
    quern_gate *gate;
    int32_t value = -1;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &other));
    for (uint32_t round = 0; round < 5; ++round) {
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", plane(), &x));
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
        QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
        QUERN_TRY(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &value));
        release_now(trial, x.view.buffer);
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "next", plane(), &next));
        quern_guarded_vary(&next, round);
        QUERN_CHECK(quern_guarded_upload(trial, other, &next));
        quern_gate_open(gate);
        QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
        QUERN_CHECK(quern_guarded_check(trial, other, &next));
    }
    return QUERN_PASSED;
}

/* A chain of buffers that are all gone before the first command runs. */
static quern_verdict buffers_of_a_chain(quern_trial *trial)
{
    enum { LINKS = 9 };
    quern_guarded links[LINKS];
    quern_queue *queues[2] = {trial->queue, NULL};
    quern_gate *gate;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queues[1]));
    for (uint32_t i = 0; i < LINKS; ++i) {
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "link", plane(), &links[i]));
        quern_guarded_vary(&links[i], i);
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &links[i]));
    }
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    for (int i = 1; i < LINKS; ++i)
        QUERN_TRY(trial, quern_copy(queues[i % 2], links[i].view, quern_view_as_const(links[i - 1].view)));
    for (int i = 0; i < LINKS - 1; ++i)
        release_now(trial, links[i].view.buffer);
    quern_gate_open(gate);
    quern_guarded_set_copy(&links[LINKS - 1], &links[0]);
    return quern_guarded_check(trial, queues[0], &links[LINKS - 1]);
}

/* ---- queues and events ---- */

/* Two queues, an event between them and the buffers they use, released in every order, before or after they run. */
enum { OBJECTS = 5 };

typedef struct objects {
    quern_queue *first, *second;
    quern_event *event;
    quern_buffer *x, *y;
} objects;

static quern_status release_one(objects *all, int which)
{
    switch (which) {
    case 0:
        return quern_queue_release(all->first);
    case 1:
        return quern_queue_release(all->second);
    case 2:
        return quern_event_release(all->event);
    case 3:
        return quern_buffer_release(all->x);
    default:
        return quern_buffer_release(all->y);
    }
}

/* Work on both queues, the second behind the first by the event, into the result. */
static quern_verdict submit_work(quern_trial *trial, objects *all, quern_guarded *result, int32_t value,
                                 quern_event **end)
{
    QUERN_TRY(trial, quern_fill(all->first, QUERN_VIEW(all->x), QUERN_TYPE(int32_t), &value));
    QUERN_TRY(trial, quern_event_record(all->first, &all->event));
    quern_trial_keep(trial, all->event, NULL, NULL);
    QUERN_TRY(trial, quern_queue_wait(all->second, all->event));
    QUERN_TRY(trial, quern_copy(all->second, QUERN_VIEW(all->y), QUERN_CONST_VIEW(all->x)));
    QUERN_TRY(trial, quern_copy(all->second, result->view, QUERN_CONST_VIEW(all->y)));
    QUERN_TRY(trial, quern_trial_record(trial, all->second, end));
    quern_guarded_set_value(result, &value);
    return QUERN_PASSED;
}

static quern_verdict release_in_order(quern_trial *trial, const int *order, int32_t value)
{
    objects all;
    quern_guarded result;
    quern_gate *gate;
    quern_event *end;
    quern_extents extents = QUERN_EXTENTS(7, 11);
    size_t mark = quern_trial_mark(trial);
    memset(&all, 0, sizeof all);
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "result", quern_guarded_pitched(QUERN_TYPE(int32_t), extents),
                                   &result));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &result));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &all.first));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &all.second));
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(int32_t), extents, &all.x));
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(int32_t), extents, &all.y));
    QUERN_CHECK(quern_gate_make(trial, all.first, QUERN_SUCCESS, &gate));
    QUERN_CHECK(submit_work(trial, &all, &result, value, &end));
    quern_trial_forget(trial, all.first);
    quern_trial_forget(trial, all.second);
    quern_trial_forget(trial, all.x);
    quern_trial_forget(trial, all.y);
    for (int i = 0; i < OBJECTS; ++i) {
        if (i == value % OBJECTS)
            quern_gate_open(gate);
        QUERN_TRY(trial, release_one(&all, order[i]));
    }
    QUERN_TRY(trial, quern_event_wait(end));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &result));
    quern_trial_release(trial, mark);
    return QUERN_PASSED;
}

static quern_verdict any_order(quern_trial *trial)
{
    enum { ORDERS = 24 };
    uint64_t state = 7;
    for (int32_t k = 0; k < ORDERS; ++k) {
        int order[OBJECTS] = {0, 1, 2, 3, 4};
        for (int i = OBJECTS - 1; i > 0; --i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            int j = (int)((state >> 33) % (uint64_t)(i + 1)), other = order[i];
            order[i] = order[j];
            order[j] = other;
        }
        QUERN_CHECK(quern_trial_within(trial, release_in_order(trial, order, k), "order %d%d%d%d%d", order[0], order[1],
                                       order[2], order[3], order[4]));
    }
    return QUERN_PASSED;
}

/* A queue that is held, and one that waits for it, both released before either has run. */
static quern_verdict queues_with_work(quern_trial *trial)
{
    for (int turn = 0; turn < 2; ++turn) {
        quern_queue *first, *second;
        quern_event *event, *end;
        quern_gate *gate;
        quern_steps *steps = quern_steps_make(trial);
        QUERN_WANT(trial, steps, "no memory for steps");
        QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &first));
        QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &second));
        QUERN_CHECK(quern_gate_make(trial, first, QUERN_SUCCESS, &gate));
        QUERN_TRY(trial, quern_steps_call(steps, first, 0));
        QUERN_TRY(trial, quern_trial_record(trial, first, &event));
        QUERN_TRY(trial, quern_queue_wait(second, event));
        QUERN_TRY(trial, quern_steps_call(steps, second, 1));
        QUERN_TRY(trial, quern_trial_record(trial, second, &end));
        quern_trial_forget(trial, first);
        quern_trial_forget(trial, second);
        QUERN_TRY(trial, quern_queue_release(turn ? first : second));
        QUERN_TRY(trial, quern_queue_release(turn ? second : first));
        quern_gate_open(gate);
        QUERN_TRY(trial, quern_event_wait(end));
        QUERN_CHECK(quern_steps_check(trial, steps, 0, 1));
    }
    return QUERN_PASSED;
}

static quern_verdict retained_queue(quern_trial *trial)
{
    quern_queue *queue;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queue));
    QUERN_TRY(trial, quern_queue_retain(queue));
    QUERN_TRY(trial, quern_queue_release(queue));
    QUERN_TRY(trial, quern_steps_call(steps, queue, 0));
    QUERN_TRY(trial, quern_queue_synchronize(queue));
    QUERN_WANT(trial, quern_steps_at(steps, 0) == 1, "a queue that is still held does not work");
    return QUERN_PASSED;
}

/* ---- devices, the library ---- */

static quern_verdict device_handle(quern_trial *trial)
{
    quern_device *device = NULL;
    quern_queue *queue;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_device_open(trial->info.name, &device));
    QUERN_TRY(trial, quern_trial_queue(trial, device, NULL, &queue));
    QUERN_TRY(trial, quern_device_release(device));
    QUERN_WANT(trial, device == trial->device, "opening %s twice gave two handles", trial->info.name);
    QUERN_TRY(trial, quern_steps_call(steps, queue, 0));
    QUERN_TRY(trial, quern_queue_synchronize(queue));
    QUERN_WANT(trial, quern_steps_at(steps, 0) == 1, "the queue of a released device does not work");
    return QUERN_PASSED;
}

/* The trial's own queue is held, so that nothing is shut down. */
static quern_verdict shutdown_while_held(quern_trial *trial)
{
    quern_guarded x;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", plane(), &x));
    quern_guarded_vary(&x, 3);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_REFUSED(trial, quern_shutdown(), QUERN_BUSY, "held");
    return quern_guarded_check(trial, trial->queue, &x);
}

/* The memory that a held queue will read is overwritten before it is. */
static quern_verdict control_overwritten(quern_trial *trial)
{
    quern_guarded x, y;
    int32_t value = 9;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", plane(), &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", plane(), &y));
    quern_guarded_vary(&x, 4);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
    QUERN_TRY(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &value));
    QUERN_TRY(trial, quern_copy(trial->queue, y.view, quern_view_as_const(x.view)));
    release_now(trial, x.view.buffer);
    quern_guarded_set_copy(&y, &x);
    return quern_guarded_check(trial, trial->queue, &y);
}

const quern_conformance_test quern_lifetime_tests[] = {
    {"lifetime.buffer_while_read", "a buffer is released while a held queue reads it", buffer_while_read, 0},
    {"lifetime.buffer_while_written", "a buffer is released while a held queue writes it", buffer_while_written, 0},
    {"lifetime.buffers_of_a_chain", "buffers of a chain of copies are released before it runs", buffers_of_a_chain, 0},
    {"lifetime.any_order", "queues, event and buffers are released in any order", any_order, 0},
    {"lifetime.queues_with_work", "queues are released with their work pending", queues_with_work, 0},
    {"lifetime.retained_queue", "a queue works as long as somebody holds it", retained_queue, 0},
    {"lifetime.program", "a program is released while its kernel is queued", quern_lifetime_program, 0},
    {"lifetime.device_handle", "a device's queues outlive the handle", device_handle, 0},
    {"lifetime.shutdown_while_held", "the library is not shut down while something is held", shutdown_while_held, 0},
    {"lifetime.control_overwritten", "memory is overwritten before it is read", control_overwritten, 1},
    {NULL, NULL, NULL, 0},
};
