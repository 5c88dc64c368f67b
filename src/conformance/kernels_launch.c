/*
 * Conformance, subject "launch": many launches, their order, what becomes of their arguments, group sizes that the
 * runtime chooses, kernels that a device cannot run. kernels_launch_threads.c has launches from several threads.
 */
#include "kernels_launch.h"

#include <string.h>

#include "atomic_64.k.h"
#include "double.k.h"
#include "gate.h"
#include "launch.k.h"

/* ---- many ---- */

/* Some launches of maps, one over the results of the one before; slip is left out, as a control. */
static quern_verdict check_many(quern_trial *trial, size_t count, size_t slip)
{
    enum { N = 61 };
    uint32_t values[N];
    quern_guarded x;
    uint64_t state = 90;
    for (size_t i = 0; i < N; ++i)
        values[i] = (uint32_t)i * 17;
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(uint32_t), N, values, &x));
    for (size_t k = 0; k < count; ++k) {
        const uint32_t scale = (uint32_t)quern_conformance_random(&state) | 1,
                       shift = (uint32_t)quern_conformance_random(&state);
        const size_t n = 1 + (size_t)(quern_conformance_random(&state) % N);
        if (k != slip)
            QUERN_TRY(trial, launch_map(trial->queue, QUERN_RANGE(n), x.view, scale, shift));
        quern_launch_map(values, n, scale, shift);
    }
    return quern_guarded_want(trial, trial->queue, &x, values);
}

static quern_verdict many(quern_trial *trial)
{
    return check_many(trial, 5000, SIZE_MAX);
}

static quern_verdict control(quern_trial *trial)
{
    return check_many(trial, 100, 57);
}

/* ---- arguments that are gone ---- */

/* All that a launch is told, in memory that something else comes to. */
typedef struct told {
    launch_block block;
    quern_view view;
    quern_range range;
    int64_t scale;
    quern_argument arguments[3];
} told;

static quern_status launch_and_forget(quern_trial *trial, const quern_guarded *y, size_t n, told *told)
{
    told->view = y->view;
    told->range = QUERN_RANGE(n);
    told->scale = 3;
    for (int k = 0; k < 40; ++k)
        told->block.number[k] = 1000 * k - 7;
    for (int k = 0; k < 7; ++k)
        told->block.small[k] = (int16_t)(k - 3);
    told->arguments[0] = quern_argument_view(&told->view);
    told->arguments[1] = quern_argument_value(QUERN_TYPE(launch_block), &told->block);
    told->arguments[2] = quern_argument_value(QUERN_TYPE(int64_t), &told->scale);
    const quern_status status = quern_launch(trial->queue, &launch_value_kernel, &told->range, told->arguments, 3);
    memset(told, 0x55, sizeof *told);
    return status;
}

static quern_verdict forgotten(quern_trial *trial)
{
    enum { N = 4099 };
    static int64_t wanted[N];
    quern_guarded y;
    quern_gate *gate;
    told *told;
    QUERN_MEMORY(trial, told, sizeof *told);
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, NULL, &y));
    /* Built before, so that the launch itself is all that the gate holds. */
    QUERN_TRY(trial, launch_and_forget(trial, &y, 1, told));
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, launch_and_forget(trial, &y, N, told));
    quern_gate_open(gate);
    for (int64_t i = 0; i < N; ++i)
        wanted[i] = 3 * (1000 * (i % 40) - 7) + i % 7 - 3;
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

/* ---- a blocking queue ---- */

static quern_verdict blocking(quern_trial *trial)
{
    enum { N = 10007 };
    static uint32_t values[N];
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *queue;
    quern_guarded x;
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(uint32_t), N, NULL, &x));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &queue));
    memset(values, 0, sizeof values);
    for (uint32_t k = 0; k < 20; ++k) {
        int idle = 0;
        QUERN_TRY(trial, launch_map(queue, QUERN_RANGE(N), x.view, 2 * k + 1, k));
        QUERN_TRY(trial, quern_queue_query(queue, &idle));
        QUERN_WANT(trial, idle, "launch %u on a blocking queue returned before it had finished", k);
        quern_launch_map(values, N, 2 * k + 1, k);
    }
    return quern_guarded_want(trial, queue, &x, values);
}

/* ---- group sizes ---- */

/* A legal size for the range: as many dimensions as the kernel's groups, none 0, all within the limits. */
static quern_verdict check_choice(quern_trial *trial, quern_kernel *kernel, quern_extents extents)
{
    const quern_range range = quern_range_make(extents);
    quern_range chosen;
    memset(&chosen, 0, sizeof chosen);
    QUERN_CHECK(quern_conformance_need_largest_group(trial));
    QUERN_TRY(trial, quern_launch_configuration(trial->device, kernel, &range, &chosen));
    QUERN_WANT(trial, chosen.group_rank == extents.rank, "%s: the group chosen has rank %u, wanted %u", kernel->name,
               chosen.group_rank, extents.rank);
    QUERN_WANT(trial, quern_conformance_group_fits(trial, extents.rank, chosen.group),
               "%s over %zu x %zu x %zu: the group chosen, %zu x %zu x %zu (as many as the rank), is over the device's "
               "limit of %llu",
               kernel->name, extents.n[0], extents.n[1], extents.n[2], chosen.group[0], chosen.group[1],
               chosen.group[2], (unsigned long long)trial->info.largest_group_items);
    for (uint32_t d = 0; d < extents.rank; ++d)
        QUERN_WANT(trial, chosen.extents.n[d] == extents.n[d],
                   "%s: the chosen range has %zu items along %u, wanted %zu", kernel->name, chosen.extents.n[d], d,
                   extents.n[d]);
    return QUERN_PASSED;
}

static quern_verdict configuration(quern_trial *trial)
{
    const size_t sizes[] = {1, 2, 3, 5, 255, 257, 1000, 1000003, (size_t)1 << 31, (size_t)1 << 40};
    enum { SIZES = QUERN_LENGTH(sizes) };
    for (size_t k = 0; k < SIZES; ++k)
        QUERN_CHECK(check_choice(trial, &launch_choice_1_kernel, QUERN_EXTENTS(sizes[k])));
    for (size_t k = 0; k < SIZES; ++k)
        for (size_t m = 0; m < 8; ++m) {
            QUERN_CHECK(check_choice(trial, &launch_choice_2_kernel, QUERN_EXTENTS(sizes[k], sizes[m])));
            QUERN_CHECK(check_choice(trial, &launch_heavy_kernel, QUERN_EXTENTS(sizes[m], sizes[k])));
            QUERN_CHECK(check_choice(trial, &launch_choice_3_kernel, QUERN_EXTENTS(sizes[m], sizes[k], 3)));
            QUERN_CHECK(check_choice(trial, &launch_choice_3_kernel, QUERN_EXTENTS(7, sizes[m], sizes[k])));
        }
    quern_range chosen;
    const quern_range fixed = QUERN_RANGE(100, 100);
    if (quern_conformance_group_fits(trial, 2, (size_t[]){3, 5})) {
        QUERN_TRY(trial, quern_launch_configuration(trial->device, &launch_fixed_kernel, &fixed, &chosen));
        QUERN_WANT(trial, chosen.group[0] == 3 && chosen.group[1] == 5, "a group of 3 x 5 became one of %zu x %zu",
                   chosen.group[0], chosen.group[1]);
    }
    const quern_range line = QUERN_RANGE(100);
    QUERN_REFUSED(trial, quern_launch_configuration(trial->device, &launch_map_kernel, &line, &chosen),
                  QUERN_INVALID_ARGUMENT, "launch_map");
    return QUERN_PASSED;
}

/* A launch whose group is chosen as configuration says runs with it. */
static quern_verdict chosen(quern_trial *trial)
{
    const quern_extents shapes[] = {QUERN_EXTENTS(1, 1), QUERN_EXTENTS(3, 257), QUERN_EXTENTS(257, 3),
                                    QUERN_EXTENTS(53, 61)};
    for (size_t k = 0; k < QUERN_LENGTH(shapes); ++k) {
        const size_t mark = quern_trial_mark(trial);
        const quern_range range = quern_range_make(shapes[k]);
        quern_range say;
        quern_guarded x;
        QUERN_TRY(trial, quern_launch_configuration(trial->device, &launch_choice_2_kernel, &range, &say));
        QUERN_CHECK(quern_conformance_array_nd(trial, "x", QUERN_TYPE(int32_t), shapes[k], NULL, &x));
        QUERN_TRY(trial, launch_choice_2(trial->queue, range, x.view));
        QUERN_TRY(trial, launch_choice_2(trial->queue, say, x.view));
        const int32_t wanted = 2 * (int32_t)(say.group[0] * say.group[1]);
        for (size_t i = 0; i < x.count; ++i)
            memcpy(quern_guarded_element(&x, i), &wanted, sizeof wanted);
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
        quern_trial_release(trial, mark);
    }
    return QUERN_PASSED;
}

/* A kernel with much memory per item, by the size that is chosen for it. */
static quern_verdict heavy(quern_trial *trial)
{
    enum { ROWS = 37, COLUMNS = 101 };
    static float wanted[ROWS * COLUMNS];
    quern_range range = QUERN_RANGE(ROWS, COLUMNS);
    quern_guarded x;
    QUERN_TRY(trial, quern_launch_configuration(trial->device, &launch_heavy_kernel, &range, &range));
    QUERN_CHECK(quern_conformance_array_nd(trial, "x", QUERN_TYPE(float), QUERN_EXTENTS(ROWS, COLUMNS), NULL, &x));
    QUERN_TRY(trial, launch_heavy(trial->queue, range, x.view));
    for (size_t y = 0; y < ROWS; ++y)
        for (size_t i = 0; i < COLUMNS; ++i) {
            const size_t item = i % range.group[1], row = y % range.group[0];
            wanted[y * COLUMNS + i] = 0.5f * (float)(((row + item) % 128 * 16 + item) % 2048);
        }
    return quern_guarded_want(trial, trial->queue, &x, wanted);
}

/* ---- what a device lacks ---- */

static quern_verdict fp64(quern_trial *trial)
{
    const double_pair pair = {1, 2.0, 3.0f};
    const double value = 2;
    quern_buffer *in, *out;
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(double), QUERN_EXTENTS(7), &in));
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(double), QUERN_EXTENTS(3, 7), &out));
    QUERN_TRY(trial, quern_fill(trial->queue, QUERN_VIEW(in), QUERN_TYPE(double), &value));
    if (!trial->info.fp64) {
        QUERN_REFUSED(
            trial,
            double_values(trial->queue, QUERN_RANGE(7), 1, 1.0, 1.0f, pair, QUERN_CONST_VIEW(in), QUERN_VIEW(out)),
            QUERN_NOT_SUPPORTED, "double_values");
        return QUERN_PASSED;
    }
    QUERN_TRY(trial,
              double_values(trial->queue, QUERN_RANGE(7), 1, 1.0, 1.0f, pair, QUERN_CONST_VIEW(in), QUERN_VIEW(out)));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return QUERN_PASSED;
}

static quern_verdict atomics64(quern_trial *trial)
{
    const int64_t zero = 0;
    quern_buffer *target, *value, *old;
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(int64_t), QUERN_EXTENTS(10), &target));
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(int64_t), QUERN_EXTENTS(7), &value));
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(int64_t), QUERN_EXTENTS(70), &old));
    QUERN_TRY(trial, quern_fill(trial->queue, QUERN_VIEW(target), QUERN_TYPE(int64_t), &zero));
    QUERN_TRY(trial, quern_fill(trial->queue, QUERN_VIEW(value), QUERN_TYPE(int64_t), &zero));
    if (!trial->info.atomics64) {
        QUERN_REFUSED(trial,
                      atomic_global_int64(trial->queue, QUERN_RANGE(7), QUERN_VIEW(target), QUERN_CONST_VIEW(value),
                                          QUERN_VIEW(old), 1),
                      QUERN_NOT_SUPPORTED, "atomic_global_int64");
        return QUERN_PASSED;
    }
    QUERN_TRY(trial, atomic_global_int64(trial->queue, QUERN_RANGE(7), QUERN_VIEW(target), QUERN_CONST_VIEW(value),
                                         QUERN_VIEW(old), 1));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return QUERN_PASSED;
}

const quern_conformance_test quern_launch_tests[] = {
    {"launch.first", "four threads launch a kernel for the first time at once", quern_launch_first, 0},
    {"launch.many", "5000 launches queued run in their order", many, 0},
    {"launch.forgotten", "arguments that are gone when the kernel runs", forgotten, 0},
    {"launch.blocking", "a launch on a blocking queue returns when it has finished", blocking, 0},
    {"launch.two_threads", "two threads launch one kernel with different arguments", quern_launch_two_threads, 0},
    {"launch.four_threads", "four threads do", quern_launch_four_threads, 0},
    {"launch.one_queue", "four threads launch on one queue", quern_launch_one_queue, 0},
    {"launch.configuration", "the group size chosen is legal for any extents", configuration, 0},
    {"launch.chosen", "a launch without a group has the one that is chosen", chosen, 0},
    {"launch.heavy", "a kernel with much memory per item, in groups as chosen", heavy, 0},
    {"launch.fp64", "a kernel with doubles runs, or is NOT_SUPPORTED", fp64, 0},
    {"launch.atomics64", "a kernel with 64-bit atomics runs, or is NOT_SUPPORTED", atomics64, 0},
    {"launch.control", "a launch that is left out is found", control, 1},
    {NULL, NULL, NULL, 0}};
