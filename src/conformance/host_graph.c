/* Graphs: what is replayed is what was recorded, to the bit, as often as wanted, in order with everything else. */
#include "gate.h"
#include "guarded.h"
#include "steps.h"

#include "order.k.h"

#include <string.h>

enum { ROWS = 23, COLUMNS = 37 };

/* ---- captures, which a test that fails may leave open ---- */

typedef struct capture {
    quern_queue *queue; /* one of those that are captured; NULL when it has ended */
    quern_graph *graph;
} capture;

static void abandon(void *object)
{
    capture *self = object;
    if (self->queue)
        (void)quern_graph_abandon(self->queue);
    self->queue = NULL;
}

static void release(void *object)
{
    (void)quern_graph_release(((capture *)object)->graph);
}

static quern_verdict begin(quern_trial *trial, quern_queue *const *queues, size_t count, capture **made)
{
    capture *self = quern_trial_memory(trial, sizeof *self);
    QUERN_WANT(trial, self, "no memory for a capture");
    quern_trial_keep(trial, self, abandon, release);
    QUERN_TRY(trial, quern_graph_begin(queues, count));
    self->queue = queues[0];
    *made = self;
    return QUERN_PASSED;
}

static quern_verdict end(quern_trial *trial, capture *self)
{
    QUERN_TRY(trial, quern_graph_end(self->queue, &self->graph));
    self->queue = NULL;
    return QUERN_PASSED;
}

/* ---- arrays ---- */

static quern_verdict make_array(quern_trial *trial, quern_queue *queue, const char *name, uint32_t seed,
                                quern_guarded *array)
{
    quern_device *device;
    QUERN_TRY(trial, quern_queue_device(queue, &device));
    QUERN_CHECK(quern_guarded_make(trial, device, name,
                                   quern_guarded_pitched(QUERN_TYPE(uint32_t), QUERN_EXTENTS(ROWS, COLUMNS)), array));
    quern_guarded_vary(array, seed);
    return quern_guarded_upload(trial, queue, array);
}

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

static quern_status mix(quern_queue *queue, const quern_guarded *x, const quern_guarded *y, uint32_t factor)
{
    return order_mix(queue, QUERN_RANGE(ROWS, COLUMNS), quern_view_as_const(x->view), y->view, factor);
}

/* ---- many replays ---- */

/* Launches, a fill, a copy on the device and one from the host, and once more without a graph in between. */
static quern_verdict replays(quern_trial *trial)
{
    enum { REPLAYS = 40 };
    quern_guarded x, y, z, host;
    capture *c;
    uint32_t value = 0x01020304, next = 0;
    QUERN_CHECK(make_array(trial, trial->queue, "x", 1, &x));
    QUERN_CHECK(make_array(trial, trial->queue, "y", 2, &y));
    QUERN_CHECK(make_array(trial, trial->queue, "z", 3, &z));
    QUERN_CHECK(quern_guarded_make(trial, NULL, "host",
                                   quern_guarded_pitched(QUERN_TYPE(uint32_t), QUERN_EXTENTS(ROWS, COLUMNS)), &host));
    quern_guarded_vary(&host, 4);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &host));
    QUERN_CHECK(begin(trial, &trial->queue, 1, &c));
    QUERN_TRY(trial, mix(trial->queue, &x, &y, 3));
    QUERN_TRY(trial, mix(trial->queue, &y, &z, 5));
    QUERN_TRY(trial, quern_copy(trial->queue, x.view, quern_view_as_const(z.view)));
    QUERN_TRY(trial, quern_fill(trial->queue, z.view, QUERN_TYPE(uint32_t), &value));
    value = 0; /* it was copied */
    QUERN_TRY(trial, mix(trial->queue, &x, &z, 7));
    QUERN_TRY(trial, quern_copy_from_host(trial->queue, x.view, quern_span_as_const(host.view.span)));
    QUERN_TRY(trial, mix(trial->queue, &z, &x, 9));
    QUERN_CHECK(end(trial, c));
    for (int k = 0; k < REPLAYS; ++k) {
        uint32_t filled = 0x01020304;
        QUERN_TRY(trial, quern_graph_launch(c->graph));
        expect_mix(&x, &y, 3);
        expect_mix(&y, &z, 5);
        quern_guarded_set_copy(&x, &z);
        quern_guarded_set_value(&z, &filled);
        expect_mix(&x, &z, 7);
        quern_guarded_set_copy(&x, &host);
        expect_mix(&z, &x, 9);
        if (k % 16 == 5) { /* in order with what is no part of the graph */
            QUERN_TRY(trial, mix(trial->queue, &x, &y, ++next));
            expect_mix(&x, &y, next);
        }
        if (k == 0)
            QUERN_CHECK(quern_trial_within(trial, quern_guarded_check(trial, trial->queue, &x), "the first replay"));
    }
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    return quern_guarded_check(trial, trial->queue, &z);
}

/* ---- arguments ---- */

/* The factor, then the array that is read; a launch behind them stays as it is. */
static quern_verdict arguments(quern_trial *trial)
{
    quern_guarded x, y, other;
    capture *c;
    size_t command;
    QUERN_CHECK(make_array(trial, trial->queue, "x", 1, &x));
    QUERN_CHECK(make_array(trial, trial->queue, "y", 2, &y));
    QUERN_CHECK(make_array(trial, trial->queue, "other", 3, &other));
    QUERN_CHECK(begin(trial, &trial->queue, 1, &c));
    QUERN_TRY(trial, mix(trial->queue, &x, &y, 3));
    QUERN_TRY(trial, quern_graph_last_command(trial->queue, &command));
    QUERN_TRY(trial, mix(trial->queue, &y, &x, 5));
    QUERN_CHECK(end(trial, c));
    for (uint32_t k = 0; k < 12; ++k) {
        const quern_guarded *read = k < 6 ? &x : &other;
        uint32_t factor = 3 + 2 * k;
        quern_const_view view = quern_view_as_const(read->view);
        quern_argument value = quern_argument_value(QUERN_TYPE(uint32_t), &factor);
        quern_argument array = quern_argument_const_view(&view);
        QUERN_TRY(trial, quern_graph_set_argument(c->graph, command, 2, &value));
        if (k == 6)
            QUERN_TRY(trial, quern_graph_set_argument(c->graph, command, 0, &array));
        QUERN_TRY(trial, quern_graph_launch(c->graph)); /* while the one before it may run */
        expect_mix(read, &y, factor);
        expect_mix(&y, &x, 5);
    }
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    return quern_guarded_check(trial, trial->queue, &other);
}

/* ---- several queues ---- */

/* The second queue reads what the first one writes, and writes what it reads in the next replay; the first is late. */
static quern_verdict two_queues_of(quern_trial *trial, quern_device *other)
{
    quern_queue *queues[2] = {trial->queue, NULL};
    quern_guarded x, y, far;
    quern_gate *gate;
    quern_event *event;
    capture *c;
    quern_steps *steps = quern_steps_make(trial);
    QUERN_WANT(trial, steps, "no memory for steps");
    QUERN_TRY(trial, quern_trial_queue(trial, other, NULL, &queues[1]));
    QUERN_CHECK(make_array(trial, queues[0], "x", 1, &x));
    QUERN_CHECK(make_array(trial, queues[0], "y", 2, &y));
    QUERN_CHECK(make_array(trial, queues[1], "far", 3, &far));
    QUERN_CHECK(begin(trial, queues, 2, &c));
    QUERN_TRY(trial, mix(queues[0], &x, &y, 3));
    QUERN_TRY(trial, mix(queues[0], &x, &y, 5));
    QUERN_TRY(trial, quern_copy(queues[1], far.view, quern_view_as_const(y.view)));
    QUERN_TRY(trial, mix(queues[0], &y, &x, 7));
    QUERN_TRY(trial, quern_copy(queues[1], x.view, quern_view_as_const(far.view)));
    QUERN_TRY(trial, quern_steps_call(steps, queues[1], 0));
    QUERN_TRY(trial, quern_trial_record(trial, queues[1], &event));
    QUERN_TRY(trial, quern_queue_wait(queues[0], event));
    QUERN_TRY(trial, quern_steps_call(steps, queues[0], 1));
    QUERN_TRY(trial, mix(queues[0], &x, &y, 9));
    QUERN_CHECK(end(trial, c));
    QUERN_CHECK(quern_gate_make(trial, queues[0], QUERN_SUCCESS, &gate));
    for (int k = 0; k < 8; ++k) {
        QUERN_TRY(trial, quern_graph_launch(c->graph));
        expect_mix(&x, &y, 3);
        expect_mix(&x, &y, 5);
        quern_guarded_set_copy(&far, &y);
        quern_guarded_set_copy(&x, &far);
        expect_mix(&x, &y, 9);
    }
    quern_gate_open(gate);
    QUERN_CHECK(quern_guarded_check(trial, queues[0], &y));
    QUERN_CHECK(quern_guarded_check(trial, queues[0], &x));
    QUERN_CHECK(quern_guarded_check(trial, queues[1], &far));
    QUERN_WANT(trial, quern_steps_count(steps) == 16, "%d host functions of 8 replays were called, wanted 16",
               quern_steps_count(steps));
    return QUERN_PASSED;
}

static quern_verdict two_queues(quern_trial *trial)
{
    quern_device_info info;
    QUERN_CHECK(two_queues_of(trial, trial->device));
    for (size_t i = 0; i < trial->other_count; ++i) {
        QUERN_TRY(trial, quern_device_get_info(trial->others[i], &info));
        QUERN_CHECK(quern_trial_within(trial, two_queues_of(trial, trial->others[i]), "with %s", info.name));
    }
    return QUERN_PASSED;
}

/* ---- failures ---- */

typedef struct trap {
    int is_set;
} trap;

static quern_status spring(void *argument)
{
    return ((const trap *)argument)->is_set ? QUERN_SYSTEM_ERROR : QUERN_SUCCESS;
}

/* In the second replay the queue fails in the middle; what is behind, and a third replay, are not run. */
static quern_verdict failure(quern_trial *trial)
{
    quern_guarded x, y;
    capture *c;
    trap *set = quern_trial_memory(trial, sizeof *set);
    QUERN_WANT(trial, set, "no memory for a trap");
    QUERN_CHECK(make_array(trial, trial->queue, "x", 1, &x));
    QUERN_CHECK(make_array(trial, trial->queue, "y", 2, &y));
    QUERN_CHECK(begin(trial, &trial->queue, 1, &c));
    QUERN_TRY(trial, mix(trial->queue, &x, &y, 3));
    QUERN_TRY(trial, mix(trial->queue, &x, &y, 5));
    QUERN_TRY(trial, quern_queue_call(trial->queue, spring, set));
    QUERN_TRY(trial, mix(trial->queue, &x, &y, 7));
    QUERN_TRY(trial, mix(trial->queue, &y, &x, 9));
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_BUSY, "captured");
    QUERN_CHECK(end(trial, c));
    QUERN_TRY(trial, quern_graph_launch(c->graph));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    expect_mix(&x, &y, 3);
    expect_mix(&x, &y, 5);
    expect_mix(&x, &y, 7);
    expect_mix(&y, &x, 9);
    set->is_set = 1;
    QUERN_TRY(trial, quern_graph_launch(c->graph));
    QUERN_TRY(trial, quern_graph_launch(c->graph));
    QUERN_REFUSED(trial, quern_queue_synchronize(trial->queue), QUERN_SYSTEM_ERROR, "host function");
    set->is_set = 0;
    expect_mix(&x, &y, 3);
    expect_mix(&x, &y, 5);
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    /* Cleared: it works again. */
    QUERN_TRY(trial, quern_graph_launch(c->graph));
    expect_mix(&x, &y, 3);
    expect_mix(&x, &y, 5);
    expect_mix(&x, &y, 7);
    expect_mix(&y, &x, 9);
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    return quern_guarded_check(trial, trial->queue, &x);
}

const quern_conformance_test quern_graph_tests[] = {
    {"graph.replays", "launches, copies and fills are replayed many times, with others in between", replays, 0},
    {"graph.arguments", "a value and an array of a recorded launch are replaced", arguments, 0},
    {"graph.two_queues", "queues of one device, and of two, depend on each other inside a graph", two_queues, 0},
    {"graph.failure", "a failure inside a replay sticks to the queue until it is reported", failure, 0},
    {NULL, NULL, NULL, 0},
};
