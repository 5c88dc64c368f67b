/* Memory in the order of a queue: temporaries that are made, used and released while the queue runs behind. */
#include "gate.h"
#include "sweep.h"

enum { ROUNDS = 40, LENGTH = 1013 };

static quern_status make_row(quern_trial *trial, quern_queue *queue, quern_buffer **row)
{
    quern_layout layout;
    quern_status status = quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(1, LENGTH), &layout);
    return status == QUERN_SUCCESS ? quern_trial_buffer_on_queue(trial, queue, &layout, row) : status;
}

static void release_now(quern_trial *trial, quern_buffer *buffer)
{
    quern_trial_forget(trial, buffer);
    (void)quern_buffer_release(buffer);
}

/* A row of value, behind all that the queue has to do, into row y of the target. */
static quern_status put_row(quern_queue *queue, quern_buffer *row, int32_t value, const quern_guarded *target, size_t y)
{
    quern_view part;
    quern_status status = quern_fill(queue, QUERN_VIEW(row), QUERN_TYPE(int32_t), &value);
    if (status == QUERN_SUCCESS)
        status = quern_view_sub(target->view, (size_t[]){y, 0}, QUERN_EXTENTS(1, LENGTH), &part);
    return status == QUERN_SUCCESS ? quern_copy(queue, part, QUERN_CONST_VIEW(row)) : status;
}

/* Rows of 100, 101, … */
static quern_verdict expect_rows(quern_trial *trial, quern_guarded *target)
{
    int32_t *wanted = quern_trial_memory(trial, ROUNDS * LENGTH * sizeof *wanted);
    QUERN_WANT(trial, wanted, "no memory for %d values", ROUNDS * LENGTH);
    for (int i = 0; i < ROUNDS * LENGTH; ++i)
        wanted[i] = 100 + i / LENGTH;
    return quern_guarded_want(trial, trial->queue, target, wanted);
}

static quern_verdict make_target(quern_trial *trial, quern_guarded *target)
{
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "target",
                                   quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(ROUNDS, LENGTH)), target));
    return quern_guarded_upload(trial, trial->queue, target);
}

/* ---- tests ---- */

static quern_verdict ranks(quern_trial *trial)
{
    char text[160];
    for (size_t e = 0; e < QUERN_SWEEP_EXTENTS; ++e)
        for (size_t t = 0; t < QUERN_SWEEP_TYPES; t += 2) {
            quern_guarded x;
            quern_guarded_shape shape = quern_guarded_pitched(quern_sweep_type(t), quern_sweep_extents[e]);
            size_t mark = quern_trial_mark(trial);
            shape.queue = trial->queue;
            QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &x));
            quern_guarded_vary(&x, (uint32_t)(e + t));
            QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
            quern_verdict verdict = quern_guarded_check(trial, trial->queue, &x);
            if (verdict)
                return quern_trial_within(trial, verdict, "%s", quern_sweep_text(0, shape.type, shape.extents, text));
            quern_trial_release(trial, mark);
        }
    return QUERN_PASSED;
}

static quern_verdict temporaries(quern_trial *trial)
{
    quern_guarded target;
    quern_gate *gate;
    quern_pool_statistics before, after;
    QUERN_CHECK(make_target(trial, &target));
    QUERN_TRY(trial, quern_device_get_pool_statistics(trial->device, &before));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    for (int i = 0; i < ROUNDS; ++i) {
        quern_buffer *row;
        QUERN_TRY(trial, make_row(trial, trial->queue, &row));
        QUERN_TRY(trial, put_row(trial->queue, row, 100 + i, &target, (size_t)i));
        release_now(trial, row);
    }
    QUERN_TRY(trial, quern_device_get_pool_statistics(trial->device, &after));
    QUERN_WANT(trial, after.requests - before.requests == ROUNDS, "%d buffers were counted as %llu", ROUNDS,
               (unsigned long long)(after.requests - before.requests));
    QUERN_WANT(trial, after.reused - before.reused >= ROUNDS - 1, "%d buffers one after another, but only %llu reused",
               ROUNDS, (unsigned long long)(after.reused - before.reused));
    quern_gate_open(gate);
    return expect_rows(trial, &target);
}

/* The memory of a released buffer that a held queue still writes and reads is not given to another queue. */
static quern_verdict two_queues(quern_trial *trial)
{
    quern_guarded target, next;
    quern_queue *other;
    quern_gate *gate;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &other));
    QUERN_CHECK(make_target(trial, &target));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    for (int i = 0; i < ROUNDS; ++i) {
        quern_buffer *row;
        quern_guarded_shape shape = quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(LENGTH));
        shape.lead = shape.trail = 0; /* of the row's size */
        shape.queue = other;
        QUERN_TRY(trial, make_row(trial, trial->queue, &row));
        QUERN_TRY(trial, put_row(trial->queue, row, 100 + i, &target, (size_t)i));
        release_now(trial, row);
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "next", shape, &next));
        quern_guarded_vary(&next, (uint32_t)i);
        QUERN_CHECK(quern_guarded_upload(trial, other, &next));
        if (i == ROUNDS / 2)
            quern_gate_open(gate);
        QUERN_CHECK(quern_guarded_check(trial, other, &next));
    }
    return expect_rows(trial, &target);
}

/* A queue whose memory was used before, and is not done with it: another queue that uses the new buffer waits. */
static quern_verdict used_by_another(quern_trial *trial)
{
    quern_guarded target;
    quern_queue *other;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &other));
    QUERN_CHECK(make_target(trial, &target));
    for (int i = 0; i < ROUNDS; ++i) {
        quern_gate *gate;
        quern_buffer *old, *row;
        int32_t value = -1;
        QUERN_TRY(trial, make_row(trial, trial->queue, &old));
        if (i % 8 == 0)
            QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
        QUERN_TRY(trial, quern_fill(trial->queue, QUERN_VIEW(old), QUERN_TYPE(int32_t), &value));
        release_now(trial, old);
        QUERN_TRY(trial, make_row(trial, trial->queue, &row));
        QUERN_TRY(trial, put_row(other, row, 100 + i, &target, (size_t)i));
        release_now(trial, row);
        if (i % 8 == 0)
            quern_gate_open(gate);
    }
    QUERN_TRY(trial, quern_queue_synchronize(other));
    return expect_rows(trial, &target);
}

static quern_verdict trimmed(quern_trial *trial)
{
    quern_buffer *row;
    quern_pool_statistics statistics;
    QUERN_TRY(trial, make_row(trial, trial->queue, &row));
    release_now(trial, row);
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    QUERN_TRY(trial, quern_device_trim(trial->device));
    QUERN_TRY(trial, quern_device_get_pool_statistics(trial->device, &statistics));
    QUERN_WANT(trial, statistics.kept_blocks == 0 && statistics.kept_bytes == 0,
               "%llu blocks of %llu bytes are kept after a trim", (unsigned long long)statistics.kept_blocks,
               (unsigned long long)statistics.kept_bytes);
    return QUERN_PASSED;
}

const quern_conformance_test quern_pool_tests[] = {
    {"pool.ranks", "buffers of a queue's order, of every rank", ranks, 0},
    {"pool.temporaries", "temporaries of a queue that runs behind share memory", temporaries, 0},
    {"pool.two_queues", "memory that a queue still uses is not given to another", two_queues, 0},
    {"pool.used_by_another", "another queue's use is behind the allocation", used_by_another, 0},
    {"pool.trimmed", "a trim gives back what is kept", trimmed, 0},
    {NULL, NULL, NULL, 0},
};
