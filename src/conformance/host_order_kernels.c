/* Order between queues whose commands are launches: they use buffers as copies do, and a launch that is the same as the
 * one before it is no exception. */
#include "gate.h"
#include "guarded.h"
#include "order.h"

#include "order.k.h"

#include <string.h>

enum { ROWS = 29, COLUMNS = 41 };

/* The image of y after order_mix(x, y, factor). */
static void expect_mix(const quern_guarded *x, quern_guarded *y, uint32_t factor)
{
    for (size_t i = 0; i < y->count; ++i) {
        uint32_t a, b;
        memcpy(&a, quern_guarded_element(x, i), sizeof a);
        memcpy(&b, quern_guarded_element(y, i), sizeof b);
        b = factor * b + a;
        memcpy(quern_guarded_element(y, i), &b, sizeof b);
    }
}

/* Launches it, on the device and on the images. */
static quern_verdict mix(quern_trial *trial, quern_queue *queue, const quern_guarded *x, quern_guarded *y,
                         uint32_t factor)
{
    QUERN_TRY(trial, order_mix(queue, QUERN_RANGE(ROWS, COLUMNS), quern_view_as_const(x->view), y->view, factor));
    expect_mix(x, y, factor);
    return QUERN_PASSED;
}

static quern_verdict make_arrays(quern_trial *trial, quern_guarded *arrays, int count)
{
    for (int i = 0; i < count; ++i) {
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "array",
                                       quern_guarded_pitched(QUERN_TYPE(uint32_t), QUERN_EXTENTS(ROWS, COLUMNS)),
                                       &arrays[i]));
        quern_guarded_vary(&arrays[i], (uint32_t)i);
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &arrays[i]));
    }
    return QUERN_PASSED;
}

/* A late queue launches; another one reads what it writes, a third one writes what it reads. */
quern_verdict quern_order_launches(quern_trial *trial)
{
    quern_guarded x[3];
    quern_queue *other, *third;
    quern_gate *gate;
    uint32_t value = 77;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &other));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &third));
    QUERN_CHECK(make_arrays(trial, x, 3));
    /* Once before, so that nothing has to be compiled while the queue is held. */
    QUERN_CHECK(mix(trial, trial->queue, &x[0], &x[1], 3));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    QUERN_CHECK(mix(trial, trial->queue, &x[0], &x[1], 5));
    QUERN_CHECK(mix(trial, other, &x[1], &x[2], 7));                              /* reads what the late one writes */
    QUERN_TRY(trial, quern_fill(third, x[0].view, QUERN_TYPE(uint32_t), &value)); /* writes what it reads */
    quern_guarded_set_value(&x[0], &value);
    QUERN_CHECK(mix(trial, trial->queue, &x[2], &x[1], 11)); /* writes what the other one has read */
    quern_gate_open(gate);
    for (int i = 0; i < 3; ++i)
        QUERN_CHECK(quern_trial_within(trial, quern_guarded_check(trial, other, &x[i]), "array %d", i));
    return QUERN_PASSED;
}

/* The same launch again and again, on two queues in turn and on one of them several times: each after the one before.
 */
quern_verdict quern_order_same_launch(quern_trial *trial)
{
    enum { LAUNCHES = 60 };
    quern_guarded x[2];
    quern_queue *queues[3] = {trial->queue, NULL, NULL};
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queues[1]));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &queues[2]));
    QUERN_CHECK(make_arrays(trial, x, 2));
    for (uint32_t k = 0; k < LAUNCHES; ++k) {
        quern_gate *gate = NULL;
        if (k % 20 == 7)
            QUERN_CHECK(quern_gate_make(trial, queues[k / 20], QUERN_SUCCESS, &gate));
        QUERN_CHECK(mix(trial, queues[k * k % 3], &x[0], &x[1], 3));
        QUERN_CHECK(mix(trial, queues[k / 20], &x[0], &x[1], 5 + k));
        QUERN_CHECK(mix(trial, queues[(k + 1) % 3], &x[1], &x[0], 3));
        if (gate)
            quern_gate_open(gate);
    }
    QUERN_CHECK(quern_guarded_check(trial, queues[1], &x[0]));
    return quern_guarded_check(trial, queues[2], &x[1]);
}
