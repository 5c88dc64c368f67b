/* Order between queues by what they do with buffers: read after write, write after read, write after write, on one
 * device and across devices. host_order_random.c has the randomised test. */
#include "gate.h"
#include "guarded.h"
#include "order.h"

#include <string.h>

enum { ROWS = 31, COLUMNS = 37 };

static quern_guarded_shape plane(void)
{
    return quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, COLUMNS));
}

static quern_verdict waits_of(quern_trial *trial, quern_queue *queue, uint64_t *waits)
{
    quern_queue_statistics statistics;
    QUERN_TRY(trial, quern_queue_get_statistics(queue, &statistics));
    *waits = statistics.waits;
    return QUERN_PASSED;
}

/* ---- two queues of one device ---- */

typedef struct pair {
    quern_queue *late, *other; /* late is held by the gate */
    quern_gate *gate;
    quern_guarded x, y;
} pair;

/* x and y with values, and a queue that is held. blocking: the other queue is. */
static quern_verdict make_pair(quern_trial *trial, int blocking, pair *p)
{
    const quern_queue_options options = {blocking, 0, "other"};
    p->late = trial->queue;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &p->other));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", plane(), &p->x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", plane(), &p->y));
    quern_guarded_vary(&p->x, 1);
    quern_guarded_vary(&p->y, 2);
    QUERN_CHECK(quern_guarded_upload(trial, p->late, &p->x));
    QUERN_CHECK(quern_guarded_upload(trial, p->late, &p->y));
    return quern_gate_make(trial, p->late, QUERN_SUCCESS, &p->gate);
}

static quern_verdict check_pair(quern_trial *trial, pair *p)
{
    quern_gate_open(p->gate);
    QUERN_CHECK(quern_guarded_check(trial, p->other, &p->y));
    QUERN_CHECK(quern_guarded_check(trial, p->other, &p->x));
    QUERN_TRY(trial, quern_queue_synchronize(p->late));
    QUERN_CHECK(quern_guarded_check(trial, p->late, &p->x));
    return quern_guarded_check(trial, p->late, &p->y);
}

static quern_verdict read_after_write(quern_trial *trial)
{
    pair p;
    int32_t value = 1000003;
    QUERN_CHECK(make_pair(trial, 0, &p));
    QUERN_TRY(trial, quern_fill(p.late, p.x.view, QUERN_TYPE(int32_t), &value));
    QUERN_TRY(trial, quern_copy(p.other, p.y.view, quern_view_as_const(p.x.view)));
    quern_guarded_set_value(&p.x, &value);
    quern_guarded_set_value(&p.y, &value);
    return check_pair(trial, &p);
}

static quern_verdict write_after_read(quern_trial *trial)
{
    pair p;
    int32_t value = 1000033;
    QUERN_CHECK(make_pair(trial, 0, &p));
    QUERN_TRY(trial, quern_copy(p.late, p.y.view, quern_view_as_const(p.x.view)));
    QUERN_TRY(trial, quern_fill(p.other, p.x.view, QUERN_TYPE(int32_t), &value));
    quern_guarded_set_copy(&p.y, &p.x);
    quern_guarded_set_value(&p.x, &value);
    return check_pair(trial, &p);
}

static quern_verdict write_after_write(quern_trial *trial)
{
    pair p;
    int32_t first = 7, second = -9;
    QUERN_CHECK(make_pair(trial, 0, &p));
    QUERN_TRY(trial, quern_fill(p.late, p.x.view, QUERN_TYPE(int32_t), &first));
    QUERN_TRY(trial, quern_fill(p.other, p.x.view, QUERN_TYPE(int32_t), &second));
    quern_guarded_set_value(&p.x, &second);
    return check_pair(trial, &p);
}

/* The submitting thread waits, in a call of a blocking queue; another thread has to open the gate. */
static quern_verdict blocking_reader(quern_trial *trial)
{
    pair p;
    int32_t value = 123457;
    QUERN_CHECK(make_pair(trial, 1, &p));
    QUERN_TRY(trial, quern_fill(p.late, p.x.view, QUERN_TYPE(int32_t), &value));
    /* The gate's patience ends the wait. */
    QUERN_TRY(trial, quern_copy(p.other, p.y.view, quern_view_as_const(p.x.view)));
    quern_guarded_set_value(&p.x, &value);
    quern_guarded_set_value(&p.y, &value);
    return check_pair(trial, &p);
}

/* Reads by several queues, then a write that waits for all of them. */
static quern_verdict several_readers(quern_trial *trial)
{
    enum { READERS = 4 };
    quern_guarded x, copies[READERS];
    quern_queue *readers[READERS], *writer;
    quern_gate *gates[READERS];
    int32_t value = -77;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &writer));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", plane(), &x));
    quern_guarded_vary(&x, 5);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    for (int i = 0; i < READERS; ++i) {
        QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &readers[i]));
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "copy", plane(), &copies[i]));
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &copies[i]));
        QUERN_CHECK(quern_gate_make(trial, readers[i], QUERN_SUCCESS, &gates[i]));
        QUERN_TRY(trial, quern_copy(readers[i], copies[i].view, quern_view_as_const(x.view)));
        quern_guarded_set_copy(&copies[i], &x);
    }
    QUERN_TRY(trial, quern_fill(writer, x.view, QUERN_TYPE(int32_t), &value));
    quern_guarded_set_value(&x, &value);
    for (int i = READERS; i-- > 0;)
        quern_gate_open(gates[i]);
    QUERN_CHECK(quern_guarded_check(trial, writer, &x));
    for (int i = 0; i < READERS; ++i)
        QUERN_CHECK(quern_guarded_check(trial, readers[i], &copies[i]));
    return QUERN_PASSED;
}

/* ---- boxes of one buffer ---- */

/* Fills a box of the array, and of its image. */
static quern_verdict fill_box(quern_trial *trial, quern_queue *queue, quern_guarded *x, size_t row, size_t column,
                              size_t rows, size_t columns, int32_t value)
{
    size_t offset[2] = {row, column};
    quern_view part;
    QUERN_TRY(trial, quern_view_sub(x->view, offset, QUERN_EXTENTS(rows, columns), &part));
    QUERN_TRY(trial, quern_fill(queue, part, QUERN_TYPE(int32_t), &value));
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j)
            memcpy(quern_guarded_element(x, (row + i) * COLUMNS + column + j), &value, sizeof value);
    return QUERN_PASSED;
}

/* An interior and the halo around it: no wait between them, but with whoever takes both. */
static quern_verdict interior_and_halo(quern_trial *trial)
{
    pair p;
    uint64_t before = 0, after = 0;
    QUERN_CHECK(make_pair(trial, 0, &p));
    QUERN_CHECK(fill_box(trial, p.late, &p.x, 1, 1, ROWS - 2, COLUMNS - 2, 7));
    QUERN_CHECK(waits_of(trial, p.other, &before));
    QUERN_CHECK(fill_box(trial, p.other, &p.x, 0, 0, 1, COLUMNS, 11));
    QUERN_CHECK(fill_box(trial, p.other, &p.x, ROWS - 1, 0, 1, COLUMNS, 13));
    QUERN_CHECK(fill_box(trial, p.other, &p.x, 0, 0, ROWS, 1, 17));
    QUERN_CHECK(fill_box(trial, p.other, &p.x, 0, COLUMNS - 1, ROWS, 1, 19));
    QUERN_CHECK(waits_of(trial, p.other, &after));
    QUERN_WANT(trial, after == before, "writing the halo added %llu waits for the interior's queue, wanted none",
               (unsigned long long)(after - before));
    QUERN_TRY(trial, quern_copy(p.other, p.y.view, quern_view_as_const(p.x.view)));
    int closed = quern_gate_is_closed(p.gate);
    QUERN_CHECK(waits_of(trial, p.other, &after));
    QUERN_WANT(trial, !closed || after > before, "reading all of it added no wait while the interior's queue is held");
    quern_guarded_set_copy(&p.y, &p.x);
    return check_pair(trial, &p);
}

/* The same box, one after another on two queues in turn. */
static quern_verdict same_box_in_turns(quern_trial *trial)
{
    pair p;
    QUERN_CHECK(make_pair(trial, 0, &p));
    for (int32_t k = 0; k < 20; ++k) {
        QUERN_CHECK(fill_box(trial, k % 2 ? p.other : p.late, &p.x, 3, 5, 11, 13, k));
        QUERN_CHECK(fill_box(trial, k % 2 ? p.late : p.other, &p.x, 9, 11, 17, 19, 1000 + k));
    }
    return check_pair(trial, &p);
}

/* Uses that are ordered by an event, or by a synchronise, add no wait of their own. */
static quern_verdict covered_by_an_event(quern_trial *trial)
{
    pair p;
    quern_event *event;
    uint64_t before = 0, after = 0;
    QUERN_CHECK(make_pair(trial, 0, &p));
    QUERN_CHECK(fill_box(trial, p.late, &p.x, 0, 0, ROWS, COLUMNS, 3));
    QUERN_TRY(trial, quern_trial_record(trial, p.late, &event));
    QUERN_TRY(trial, quern_queue_wait(p.other, event));
    QUERN_CHECK(waits_of(trial, p.other, &before));
    QUERN_CHECK(fill_box(trial, p.other, &p.x, 2, 2, 5, 5, 4));
    QUERN_CHECK(waits_of(trial, p.other, &after));
    QUERN_WANT(trial, after == before, "a use that an event covers added %llu waits, wanted none",
               (unsigned long long)(after - before));
    return check_pair(trial, &p);
}

/* ---- devices ---- */

/* A buffer that two devices use in turn: device's queue writes it, the owner's queue works on it, device's reads it. */
static quern_verdict there_and_back(quern_trial *trial, quern_device *device, quern_device *owner, int late_owner)
{
    quern_guarded x, z, shared, result;
    quern_queue *queue, *owners;
    quern_gate *gate;
    QUERN_TRY(trial, quern_trial_queue(trial, device, NULL, &queue));
    QUERN_TRY(trial, quern_trial_queue(trial, owner, NULL, &owners));
    QUERN_CHECK(quern_guarded_make(trial, device, "x", plane(), &x));
    QUERN_CHECK(quern_guarded_make(trial, device, "z", plane(), &z));
    QUERN_CHECK(quern_guarded_make(trial, owner, "shared", plane(), &shared));
    QUERN_CHECK(quern_guarded_make(trial, owner, "result", plane(), &result));
    quern_guarded_vary(&x, 9);
    QUERN_CHECK(quern_guarded_upload(trial, queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, queue, &z));
    QUERN_CHECK(quern_guarded_upload(trial, owners, &shared));
    QUERN_CHECK(quern_guarded_upload(trial, owners, &result));
    QUERN_CHECK(quern_gate_make(trial, late_owner ? owners : queue, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_copy(queue, shared.view, quern_view_as_const(x.view)));
    QUERN_TRY(trial, quern_copy(owners, result.view, quern_view_as_const(shared.view)));
    quern_guarded_set_copy(&shared, &x);
    QUERN_CHECK(fill_box(trial, owners, &shared, 3, 3, 7, 11, 41)); /* after the read, and after device's write */
    quern_guarded_set_copy(&result, &x);
    QUERN_TRY(trial, quern_copy(queue, z.view, quern_view_as_const(shared.view)));
    quern_guarded_set_copy(&z, &shared);
    quern_gate_open(gate);
    QUERN_CHECK(quern_guarded_check(trial, queue, &z));
    QUERN_CHECK(quern_guarded_check(trial, owners, &result));
    return quern_guarded_check(trial, owners, &shared);
}

static quern_verdict with_others(quern_trial *trial)
{
    size_t tried = 0;
    for (size_t i = 0; i < trial->other_count; ++i) {
        quern_device *other = trial->others[i];
        quern_device_info info;
        QUERN_TRY(trial, quern_device_get_info(other, &info));
        for (int late_owner = 0; late_owner < 2; ++late_owner) {
            if (info.host_accessible)
                QUERN_CHECK(quern_trial_within(trial, there_and_back(trial, trial->device, other, late_owner),
                                               "in memory of %s", info.name));
            if (trial->info.host_accessible)
                QUERN_CHECK(quern_trial_within(trial, there_and_back(trial, other, trial->device, late_owner),
                                               "with %s", info.name));
        }
        tried += info.host_accessible || trial->info.host_accessible;
    }
    return tried > 0 ? QUERN_PASSED : quern_trial_unsupported(trial, "no other device shares memory with this one");
}

/* ---- control ---- */

/* The reader is submitted before the writer that it should come after. */
static quern_verdict control_early_reader(quern_trial *trial)
{
    pair p;
    int32_t value = 5;
    QUERN_CHECK(make_pair(trial, 0, &p));
    QUERN_TRY(trial, quern_copy(p.other, p.y.view, quern_view_as_const(p.x.view)));
    QUERN_TRY(trial, quern_fill(p.late, p.x.view, QUERN_TYPE(int32_t), &value));
    quern_guarded_set_value(&p.x, &value);
    quern_guarded_set_value(&p.y, &value);
    return check_pair(trial, &p);
}

const quern_conformance_test quern_order_tests[] = {
    {"order.read_after_write", "a queue reads what a late one writes", read_after_write, 0},
    {"order.write_after_read", "a queue writes what a late one reads", write_after_read, 0},
    {"order.write_after_write", "a queue writes what a late one writes before", write_after_write, 0},
    {"order.blocking_reader", "a blocking queue reads what a late one writes", blocking_reader, 0},
    {"order.several_readers", "a write waits for the reads of several queues", several_readers, 0},
    {"order.interior_and_halo", "disjoint boxes do not wait for each other, overlapping ones do", interior_and_halo, 0},
    {"order.same_box_in_turns", "two queues write overlapping boxes in turns", same_box_in_turns, 0},
    {"order.covered_by_an_event", "a use that an event covers adds no wait", covered_by_an_event, 0},
    {"order.launches", "launches on a late queue and another one use each other's arrays", quern_order_launches, 0},
    {"order.same_launch", "the same launch many times on several queues", quern_order_same_launch, 0},
    {"order.with_others", "devices use one buffer in turn", with_others, 0},
    {"order.random", "random launches, copies and fills on queues of all devices end as if one after another",
     quern_order_random, 0},
    {"order.control_early_reader", "the reader comes before the writer", control_early_reader, 1},
    {NULL, NULL, NULL, 0},
};
