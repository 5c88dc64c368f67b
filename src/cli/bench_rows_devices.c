/*
 * quern bench, rows: two CPU devices read one buffer at the same time, each by a queue of its own that copies it to its
 * own memory, against one after the other. Copies are what reads a buffer of another device.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"

enum { SIDES = 2, ELEMENTS = 1 << 15, COPIES = 400, QUICK_COPIES = 20 };

typedef struct sides {
    quern_device *other; /* the second device; the first is the bench's */
    quern_queue *queues[SIDES];
    quern_buffer *input, *outputs[SIDES];
    quern_const_view from;
    quern_view to[SIDES];
    int copies;
} sides;

static quern_status make_side(quern_device *device, sides *made, int side)
{
    quern_status status = quern_queue_create(device, NULL, &made->queues[side]);
    if (!status)
        status = quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(ELEMENTS), &made->outputs[side]);
    return status ? status : quern_buffer_view(made->outputs[side], &made->to[side]);
}

static quern_status make(const quern_bench *bench, sides *made)
{
    const float value = 1;
    quern_view view;
    quern_status status = quern_device_open(strcmp(bench->info.name, "cpu:1") ? "cpu:1" : "cpu:0", &made->other);
    if (!status)
        status = quern_buffer_create(bench->device, QUERN_TYPE(float), QUERN_EXTENTS(ELEMENTS), &made->input);
    if (!status)
        status = quern_buffer_view(made->input, &view);
    if (!status)
        status = quern_fill(bench->blocking, view, QUERN_TYPE(float), &value);
    if (!status)
        status = quern_buffer_const_view(made->input, &made->from);
    if (!status)
        status = make_side(bench->device, made, 0);
    return status ? status : make_side(made->other, made, 1);
}

static quern_status prepare(const quern_bench *bench, quern_bench_work *work)
{
    sides *made = calloc(1, sizeof *made);
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for two queues");
    work->own = made;
    made->copies = bench->quick ? QUICK_COPIES : COPIES;
    return make(bench, made);
}

static void release(quern_bench_work *work)
{
    sides *made = work->own;
    for (int side = 0; made && side < SIDES; ++side) {
        (void)quern_queue_release(made->queues[side]);
        (void)quern_buffer_release(made->outputs[side]);
    }
    if (made) {
        (void)quern_buffer_release(made->input);
        (void)quern_device_release(made->other);
    }
    free(made);
}

static quern_status copy_often(const sides *it, int side)
{
    quern_status status = QUERN_SUCCESS;
    for (int k = 0; !status && k < it->copies; ++k)
        status = quern_copy(it->queues[side], it->to[side], it->from);
    return status;
}

static quern_status together(const quern_bench *bench, quern_bench_work *work)
{
    const sides *it = work->own;
    (void)bench;
    quern_status status = copy_often(it, 0);
    if (!status)
        status = copy_often(it, 1);
    for (int side = 0; !status && side < SIDES; ++side)
        status = quern_queue_synchronize(it->queues[side]);
    return status;
}

static quern_status in_turn(const quern_bench *bench, quern_bench_work *work)
{
    const sides *it = work->own;
    (void)bench;
    quern_status status = QUERN_SUCCESS;
    for (int side = 0; !status && side < SIDES; ++side) {
        status = copy_often(it, side);
        if (!status)
            status = quern_queue_synchronize(it->queues[side]);
    }
    return status;
}

/* clang-format off */
const quern_bench_row quern_bench_device_rows[] = {
    {.name = "readers_far", .what = "two CPU devices (QUERN_CPU_DEVICES=2) that copy one buffer; in turn: one after the other",
     .unit = QUERN_BENCH_MILLISECONDS, .where = QUERN_BENCH_ON_TWO_CPUS, .rounds = 10, .runs = 5, .prepare = prepare,
     .release = release, .once = {[QUERN_BENCH_OURS] = together, [QUERN_BENCH_OTHER] = in_turn}, .other = "in turn"},
};
/* clang-format on */
const size_t quern_bench_device_row_count = sizeof quern_bench_device_rows / sizeof quern_bench_device_rows[0];
