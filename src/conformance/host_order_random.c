/*
 * Order, randomised: launches, fills, and copies between boxes of a few arrays on all devices, on random queues, some
 * of them held. One thread submits, so that the result must be what the commands give one after another; the arrays'
 * images are that model.
 */
#include "gate.h"
#include "guarded.h"
#include "order.h"

#include "order.k.h"

#include <string.h>

enum { ROUNDS = 4, COMMANDS = 250, QUEUES = 3, ARRAYS = 2, MOST_DEVICES = 4, ROWS = 23, COLUMNS = 29 };

typedef struct place {
    quern_device *device;
    int host_accessible;
    quern_queue *queues[QUEUES];
    quern_guarded arrays[ARRAYS];
} place;

typedef struct world {
    place places[MOST_DEVICES];
    size_t count;
    uint64_t state; /* of the random numbers */
} world;

/* A box of rows and columns from an offset on. */
typedef struct box {
    size_t offset[2], extents[2];
} box;

static size_t below(world *w, size_t bound)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(w->state >> 33) % bound;
}

static box random_box(world *w, const size_t *extents)
{
    static const size_t whole[2] = {ROWS, COLUMNS};
    box b;
    for (int d = 0; d < 2; ++d) {
        b.extents[d] = extents ? extents[d] : 1 + below(w, whole[d]);
        b.offset[d] = below(w, whole[d] - b.extents[d] + 1);
    }
    return b;
}

static int meet(const box *a, const box *b)
{
    for (int d = 0; d < 2; ++d)
        if (a->offset[d] + a->extents[d] <= b->offset[d] || b->offset[d] + b->extents[d] <= a->offset[d])
            return 0;
    return 1;
}

static quern_status view_of(const quern_guarded *x, const box *b, quern_view *view)
{
    return quern_view_sub(x->view, b->offset, QUERN_EXTENTS(b->extents[0], b->extents[1]), view);
}

static unsigned char *cell(const quern_guarded *x, const box *b, size_t row, size_t column)
{
    return quern_guarded_element(x, (b->offset[0] + row) * COLUMNS + b->offset[1] + column);
}

/* ---- commands ---- */

static quern_verdict fill_something(quern_trial *trial, world *w, uint32_t value)
{
    place *p = &w->places[below(w, w->count)];
    quern_guarded *x = &p->arrays[below(w, ARRAYS)];
    box b = random_box(w, NULL);
    quern_view view;
    QUERN_TRY(trial, view_of(x, &b, &view));
    QUERN_TRY(trial, quern_fill(p->queues[below(w, QUEUES)], view, QUERN_TYPE(uint32_t), &value));
    for (size_t i = 0; i < b.extents[0]; ++i)
        for (size_t j = 0; j < b.extents[1]; ++j)
            memcpy(cell(x, &b, i, j), &value, sizeof value);
    return QUERN_PASSED;
}

/* Whose queues can copy between memory of the two; NULL: nobody's. */
static place *who_copies(world *w, place *to, place *from)
{
    int by_target = to == from || from->host_accessible, by_source = to == from || to->host_accessible;
    if (by_target && (!by_source || below(w, 2)))
        return to;
    return by_source ? from : NULL;
}

static quern_verdict copy_something(quern_trial *trial, world *w)
{
    place *to = &w->places[below(w, w->count)], *from = &w->places[below(w, w->count)];
    quern_guarded *x = &to->arrays[below(w, ARRAYS)], *y = &from->arrays[below(w, ARRAYS)];
    box source = random_box(w, NULL), target = random_box(w, source.extents);
    place *by = who_copies(w, to, from);
    quern_view write, read;
    if (!by || (x == y && meet(&source, &target)))
        return QUERN_PASSED;
    QUERN_TRY(trial, view_of(x, &target, &write));
    QUERN_TRY(trial, view_of(y, &source, &read));
    QUERN_TRY(trial, quern_copy(by->queues[below(w, QUEUES)], write, quern_view_as_const(read)));
    for (size_t i = 0; i < source.extents[0]; ++i)
        for (size_t j = 0; j < source.extents[1]; ++j)
            memcpy(cell(x, &target, i, j), cell(y, &source, i, j), sizeof(uint32_t));
    return QUERN_PASSED;
}

static quern_verdict launch_something(quern_trial *trial, world *w)
{
    place *p = &w->places[below(w, w->count)];
    quern_guarded *x = &p->arrays[below(w, ARRAYS)], *y = &p->arrays[below(w, ARRAYS)];
    box read = random_box(w, NULL), written = random_box(w, read.extents);
    uint32_t factor = 3 + 2 * (uint32_t)below(w, 50);
    quern_view from, to;
    if (x == y && meet(&read, &written))
        return QUERN_PASSED;
    QUERN_TRY(trial, view_of(x, &read, &from));
    QUERN_TRY(trial, view_of(y, &written, &to));
    QUERN_TRY(trial, order_mix(p->queues[below(w, QUEUES)], QUERN_RANGE(read.extents[0], read.extents[1]),
                               quern_view_as_const(from), to, factor));
    for (size_t i = 0; i < read.extents[0]; ++i)
        for (size_t j = 0; j < read.extents[1]; ++j) {
            uint32_t a, b;
            memcpy(&a, cell(x, &read, i, j), sizeof a);
            memcpy(&b, cell(y, &written, i, j), sizeof b);
            b = factor * b + a;
            memcpy(cell(y, &written, i, j), &b, sizeof b);
        }
    return QUERN_PASSED;
}

static quern_verdict do_something(quern_trial *trial, world *w, uint32_t number)
{
    switch (below(w, 4)) {
    case 0:
        return fill_something(trial, w, number);
    case 1:
        return launch_something(trial, w);
    default:
        return copy_something(trial, w);
    }
}

/* ---- rounds ---- */

static quern_verdict make_place(quern_trial *trial, quern_device *device, place *p)
{
    quern_device_info info;
    QUERN_TRY(trial, quern_device_get_info(device, &info));
    p->device = device;
    p->host_accessible = info.host_accessible != 0;
    for (int i = 0; i < QUEUES; ++i)
        QUERN_TRY(trial, quern_trial_queue(trial, device, NULL, &p->queues[i]));
    for (int i = 0; i < ARRAYS; ++i) {
        QUERN_CHECK(quern_guarded_make(trial, device, info.name,
                                       quern_guarded_pitched(QUERN_TYPE(uint32_t), QUERN_EXTENTS(ROWS, COLUMNS)),
                                       &p->arrays[i]));
        p->arrays[i].name = i ? "the second array" : "the first array";
        quern_guarded_vary(&p->arrays[i], (uint32_t)i);
        QUERN_CHECK(quern_guarded_upload(trial, p->queues[0], &p->arrays[i]));
    }
    return QUERN_PASSED;
}

static quern_verdict submit_round(quern_trial *trial, world *w, int round)
{
    quern_gate *gates[MOST_DEVICES];
    for (size_t i = 0; i < w->count; ++i)
        QUERN_CHECK(quern_gate_make(trial, w->places[i].queues[below(w, QUEUES)], QUERN_SUCCESS, &gates[i]));
    for (int k = 0; k < COMMANDS; ++k) {
        if (k == COMMANDS / 2)
            quern_gate_open(gates[0]);
        QUERN_CHECK(do_something(trial, w, (uint32_t)(round * COMMANDS + k)));
    }
    for (size_t i = 0; i < w->count; ++i)
        quern_gate_open(gates[i]);
    return QUERN_PASSED;
}

quern_verdict quern_order_random(quern_trial *trial)
{
    world *w = quern_trial_memory(trial, sizeof *w);
    QUERN_WANT(trial, w, "no memory for the arrays");
    w->state = 20;
    QUERN_CHECK(make_place(trial, trial->device, &w->places[w->count++]));
    for (size_t i = 0; i < trial->other_count && w->count < MOST_DEVICES; ++i)
        QUERN_CHECK(make_place(trial, trial->others[i], &w->places[w->count++]));
    for (int round = 0; round < ROUNDS; ++round) {
        QUERN_CHECK(submit_round(trial, w, round));
        for (size_t i = 0; i < w->count; ++i)
            for (int k = 0; k < ARRAYS; ++k) {
                place *p = &w->places[i];
                quern_verdict verdict = quern_guarded_check(trial, p->queues[below(w, QUEUES)], &p->arrays[k]);
                QUERN_CHECK(quern_trial_within(trial, verdict, "round %d, device %zu of %zu", round, i, w->count));
            }
    }
    return QUERN_PASSED;
}
