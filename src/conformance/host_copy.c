/* Copies: every direction, over the sweep of extents, element sizes and layouts, with guards; and what is refused. */
#include "sweep.h"

#include <string.h>

/* ---- one copy ---- */

static quern_status submit(quern_queue *queue, const quern_guarded *target, const quern_guarded *source)
{
    if (!target->device)
        return quern_copy_to_host(queue, target->view.span, quern_view_as_const(source->view));
    if (!source->device)
        return quern_copy_from_host(queue, target->view, quern_span_as_const(source->view.span));
    return quern_copy(queue, target->view, quern_view_as_const(source->view));
}

/* A queue of the array's device, on which it can be written and read. */
static quern_verdict queue_of(quern_trial *trial, const quern_guarded *array, quern_queue **queue)
{
    *queue = trial->queue;
    if (array->device && array->device != trial->device)
        QUERN_TRY(trial, quern_trial_queue(trial, array->device, NULL, queue));
    return QUERN_PASSED;
}

/* Both uploaded, one copied to the other on queue, every byte of both checked. */
static quern_verdict copy_and_check(quern_trial *trial, quern_queue *queue, quern_guarded *target,
                                    quern_guarded *source)
{
    quern_queue *of_target, *of_source;
    QUERN_CHECK(queue_of(trial, target, &of_target));
    QUERN_CHECK(queue_of(trial, source, &of_source));
    quern_guarded_vary(source, 7);
    QUERN_CHECK(quern_guarded_upload(trial, of_target, target));
    QUERN_CHECK(quern_guarded_upload(trial, of_source, source));
    QUERN_TRY(trial, submit(queue, target, source));
    QUERN_TRY(trial, quern_queue_synchronize(queue));
    quern_guarded_set_copy(target, source);
    QUERN_CHECK(quern_guarded_check(trial, of_target, target));
    return quern_guarded_check(trial, of_source, source);
}

static quern_verdict copy_case(quern_trial *trial, quern_queue *queue, quern_device *to, quern_guarded_shape target,
                               quern_device *from, quern_guarded_shape source)
{
    quern_guarded x, y;
    size_t mark = quern_trial_mark(trial);
    QUERN_CHECK(quern_guarded_make(trial, to, "target", target, &x));
    QUERN_CHECK(quern_guarded_make(trial, from, "source", source, &y));
    QUERN_CHECK(copy_and_check(trial, queue, &x, &y));
    quern_trial_release(trial, mark);
    return QUERN_PASSED;
}

/* ---- the sweep ---- */

/* Every type with every extent, the layouts of both sides in turn, so that all pairs come up. */
static quern_verdict sweep(quern_trial *trial, quern_queue *queue, quern_device *to, quern_device *from,
                           size_t extents_count)
{
    size_t turn = 0;
    char text[160];
    for (size_t e = 0; e < extents_count; ++e)
        for (size_t t = 0; t < QUERN_SWEEP_TYPES; ++t)
            for (size_t layout = 0; layout < QUERN_SWEEP_LAYOUTS; ++layout, ++turn) {
                quern_type type = quern_sweep_type(t);
                quern_extents extents = quern_sweep_extents[e];
                size_t other = (layout + turn / QUERN_SWEEP_LAYOUTS) % QUERN_SWEEP_LAYOUTS;
                if (extents.rank < 2 && layout < QUERN_SWEEP_LAYOUTS - 1)
                    continue; /* without rows there is one layout */
                quern_verdict verdict = copy_case(trial, queue, to, quern_sweep_shape(layout, type, extents), from,
                                                  quern_sweep_shape(other, type, extents));
                if (verdict)
                    return quern_trial_within(trial, verdict, "%s", quern_sweep_text(layout, type, extents, text));
            }
    return QUERN_PASSED;
}

static quern_verdict from_host(quern_trial *trial)
{
    return sweep(trial, trial->queue, trial->device, NULL, QUERN_SWEEP_EXTENTS);
}

static quern_verdict to_host(quern_trial *trial)
{
    return sweep(trial, trial->queue, NULL, trial->device, QUERN_SWEEP_EXTENTS);
}

static quern_verdict on_device(quern_trial *trial)
{
    return sweep(trial, trial->queue, trial->device, trial->device, QUERN_SWEEP_EXTENTS);
}

static quern_verdict on_blocking_queue(quern_trial *trial)
{
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *queue;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &queue));
    QUERN_CHECK(sweep(trial, queue, trial->device, NULL, QUERN_SWEEP_FEW));
    QUERN_CHECK(sweep(trial, queue, trial->device, trial->device, QUERN_SWEEP_FEW));
    return sweep(trial, queue, NULL, trial->device, QUERN_SWEEP_FEW);
}

/* ---- between devices ---- */

/* One way, on a queue of the device under test. Another device's memory that the host cannot reach is NOT_SUPPORTED. */
static quern_verdict to_or_from(quern_trial *trial, quern_device *other, int to_other)
{
    quern_device_info info;
    QUERN_TRY(trial, quern_device_get_info(other, &info));
    quern_device *to = to_other ? other : trial->device, *from = to_other ? trial->device : other;
    if (info.host_accessible)
        return quern_trial_within(trial, sweep(trial, trial->queue, to, from, QUERN_SWEEP_FEW), "%s %s",
                                  to_other ? "to" : "from", info.name);
    quern_guarded target, source;
    quern_guarded_shape shape = quern_guarded_pitched(QUERN_TYPE(float), QUERN_EXTENTS(3, 5));
    QUERN_CHECK(quern_guarded_make(trial, to, "target", shape, &target));
    QUERN_CHECK(quern_guarded_make(trial, from, "source", shape, &source));
    if (submit(trial->queue, &target, &source) == QUERN_SUCCESS)
        return quern_trial_within(trial, sweep(trial, trial->queue, to, from, QUERN_SWEEP_FEW), "%s %s",
                                  to_other ? "to" : "from", info.name);
    QUERN_REFUSED(trial, submit(trial->queue, &target, &source), QUERN_NOT_SUPPORTED, info.name);
    return QUERN_PASSED;
}

static quern_verdict with_others(quern_trial *trial)
{
    if (trial->other_count == 0)
        return quern_trial_unsupported(trial, "there is no other device");
    for (size_t i = 0; i < trial->other_count; ++i) {
        QUERN_CHECK(to_or_from(trial, trial->others[i], 0));
        QUERN_CHECK(to_or_from(trial, trial->others[i], 1));
    }
    return QUERN_PASSED;
}

static quern_verdict wrong_queue(quern_trial *trial)
{
    quern_guarded x, y;
    quern_guarded_shape shape = quern_guarded_packed(QUERN_TYPE(float), QUERN_EXTENTS(5));
    if (trial->other_count == 0)
        return quern_trial_unsupported(trial, "there is no other device");
    quern_queue *elsewhere;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->others[0], NULL, &elsewhere));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", shape, &y));
    QUERN_REFUSED(trial, submit(elsewhere, &x, &y), QUERN_WRONG_DEVICE, trial->info.name);
    return QUERN_PASSED;
}

/* ---- within one buffer ---- */

static quern_verdict half_to_half(quern_trial *trial, int along)
{
    quern_guarded x;
    quern_view first, second;
    size_t begin[2] = {0, 0}, middle[2] = {along ? 0 : 7, along ? 11 : 0};
    quern_extents half = along ? QUERN_EXTENTS(14, 11) : QUERN_EXTENTS(7, 22);
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(14, 22)), &x));
    quern_guarded_vary(&x, 3);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_TRY(trial, quern_view_sub(x.view, begin, half, &first));
    QUERN_TRY(trial, quern_view_sub(x.view, middle, half, &second));
    QUERN_TRY(trial, quern_copy(trial->queue, second, quern_view_as_const(first)));
    for (size_t row = 0; row < half.n[0]; ++row)
        for (size_t column = 0; column < half.n[1]; ++column)
            memcpy(quern_guarded_element(&x, (row + middle[0]) * 22 + column + middle[1]),
                   quern_guarded_element(&x, row * 22 + column), sizeof(int32_t));
    return quern_guarded_check(trial, trial->queue, &x);
}

static quern_verdict within_a_buffer(quern_trial *trial)
{
    QUERN_CHECK(half_to_half(trial, 0));
    return half_to_half(trial, 1);
}

/* ---- oddities ---- */

/* No element, no work, success; the guards around the place stay. */
static quern_verdict zero_extents(quern_trial *trial)
{
    const quern_extents empty[] = {QUERN_EXTENTS(0), QUERN_EXTENTS(0, 5), QUERN_EXTENTS(3, 0), QUERN_EXTENTS(3, 0, 7)};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; ++i) {
        quern_guarded_shape shape = quern_guarded_pitched(QUERN_TYPE(float), empty[i]);
        QUERN_CHECK(copy_case(trial, trial->queue, trial->device, shape, trial->device, shape));
        QUERN_CHECK(copy_case(trial, trial->queue, trial->device, shape, NULL, shape));
        QUERN_CHECK(copy_case(trial, trial->queue, NULL, shape, trial->device, shape));
    }
    return QUERN_PASSED;
}

/* The pitch of a dimension with one index is never used, whatever it is. */
static quern_verdict pitch_of_one_index(quern_trial *trial)
{
    quern_guarded x;
    quern_span source;
    quern_layout layout;
    int32_t *values = quern_trial_memory(trial, 5 * sizeof *values);
    QUERN_WANT(trial, values, "no memory for 5 values");
    for (int i = 0; i < 5; ++i)
        values[i] = 1000003 * (i + 1);
    QUERN_TRY(trial, quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(1, 5, 1), &layout));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(1, 5, 1)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    layout.pitches[0] = 0;
    QUERN_TRY(trial, quern_span_make(values, &layout, &source));
    QUERN_TRY(trial, quern_copy_from_host(trial->queue, x.view, quern_span_as_const(source)));
    return quern_guarded_want(trial, trial->queue, &x, values);
}

/* A row of more than a megabyte, and commands one after another with no wait between them. */
static quern_verdict long_chain(quern_trial *trial)
{
    enum { LENGTH = 300007, LINKS = 5 };
    quern_guarded links[LINKS];
    quern_guarded_shape shape = quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(LENGTH));
    for (int i = 0; i < LINKS; ++i) {
        QUERN_CHECK(
            quern_guarded_make(trial, i == 0 || i == LINKS - 1 ? NULL : trial->device, "link", shape, &links[i]));
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &links[i]));
    }
    quern_guarded_vary(&links[0], 11);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &links[0]));
    for (int i = 1; i < LINKS; ++i) {
        QUERN_TRY(trial, submit(trial->queue, &links[i], &links[i - 1]));
        quern_guarded_set_copy(&links[i], &links[0]);
    }
    for (int i = 0; i < LINKS; ++i)
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &links[i]));
    return QUERN_PASSED;
}

/* A blocking queue's copy is done when the call returns: the host memory is free again, or filled. */
static quern_verdict blocking_is_done(quern_trial *trial)
{
    enum { LENGTH = 100003 };
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *queue;
    quern_guarded device, in, out;
    quern_guarded_shape shape = quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(LENGTH));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &queue));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &device));
    QUERN_CHECK(quern_guarded_make(trial, NULL, "in", shape, &in));
    QUERN_CHECK(quern_guarded_make(trial, NULL, "out", shape, &out));
    for (uint32_t round = 0; round < 5; ++round) {
        quern_guarded_vary(&in, round);
        QUERN_CHECK(quern_guarded_upload(trial, queue, &in));
        QUERN_TRY(trial, submit(queue, &device, &in));
        memset(in.all.span.address, 0, in.bytes);
        QUERN_TRY(trial, submit(queue, &out, &device));
        size_t offset = out.offset;
        QUERN_WANT(trial,
                   memcmp((char *)out.all.span.address + offset, in.image + offset, LENGTH * sizeof(int32_t)) == 0,
                   "round %u: the values are not there when the call returns", round);
    }
    return QUERN_PASSED;
}

/* ---- refused ---- */

typedef struct refusal {
    quern_extents target, source;
    quern_type target_type, source_type;
    quern_status wanted;
} refusal;

static quern_verdict mismatches(quern_trial *trial)
{
    const quern_type i32 = QUERN_TYPE(int32_t), f32 = QUERN_TYPE(float);
    const refusal refusals[] = {
        {QUERN_EXTENTS(4), QUERN_EXTENTS(64), i32, i32, QUERN_INVALID_SHAPE},
        {QUERN_EXTENTS(64), QUERN_EXTENTS(4), i32, i32, QUERN_INVALID_SHAPE},
        {QUERN_EXTENTS(7), QUERN_EXTENTS(1), i32, i32, QUERN_INVALID_SHAPE}, /* one value is not spread out */
        {QUERN_EXTENTS(5, 7), QUERN_EXTENTS(1, 7), i32, i32, QUERN_INVALID_SHAPE},
        {QUERN_EXTENTS(8, 8), QUERN_EXTENTS(64), i32, i32, QUERN_INVALID_SHAPE},
        {QUERN_EXTENTS(3, 5), QUERN_EXTENTS(5, 3), i32, i32, QUERN_INVALID_SHAPE},
        {QUERN_EXTENTS(1), quern_extents_scalar(), i32, i32, QUERN_INVALID_SHAPE},
        {QUERN_EXTENTS(9), QUERN_EXTENTS(9), i32, f32, QUERN_INVALID_TYPE},
        {QUERN_EXTENTS(9), QUERN_EXTENTS(9), quern_type_struct(8, 4), QUERN_TYPE(int64_t), QUERN_INVALID_TYPE},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
        const refusal *r = &refusals[i];
        quern_guarded target, source;
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "target", quern_guarded_pitched(r->target_type, r->target),
                                       &target));
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "source", quern_guarded_pitched(r->source_type, r->source),
                                       &source));
        quern_guarded_vary(&source, 5);
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &target));
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &source));
        QUERN_REFUSED(trial, submit(trial->queue, &target, &source), r->wanted, "");
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &target));
    }
    return QUERN_PASSED;
}

static quern_verdict overlaps(quern_trial *trial)
{
    quern_guarded x;
    quern_view low, high, rows, other_rows;
    size_t zero = 0, ten = 10, corner[2] = {0, 0}, inside[2] = {2, 3};
    quern_guarded line;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "line",
                                   quern_guarded_packed(QUERN_TYPE(float), QUERN_EXTENTS(64)), &line));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(float), QUERN_EXTENTS(9, 13)), &x));
    QUERN_TRY(trial, quern_view_sub(line.view, &zero, QUERN_EXTENTS(32), &low));
    QUERN_TRY(trial, quern_view_sub(line.view, &ten, QUERN_EXTENTS(32), &high));
    QUERN_TRY(trial, quern_view_sub(x.view, corner, QUERN_EXTENTS(5, 7), &rows));
    QUERN_TRY(trial, quern_view_sub(x.view, inside, QUERN_EXTENTS(5, 7), &other_rows));
    QUERN_REFUSED(trial, submit(trial->queue, &line, &line), QUERN_OVERLAP, "overlap");
    QUERN_REFUSED(trial, quern_copy(trial->queue, low, quern_view_as_const(high)), QUERN_OVERLAP, "overlap");
    QUERN_REFUSED(trial, quern_copy(trial->queue, high, quern_view_as_const(low)), QUERN_OVERLAP, "overlap");
    QUERN_REFUSED(trial, quern_copy(trial->queue, rows, quern_view_as_const(other_rows)), QUERN_OVERLAP, "overlap");
    return QUERN_PASSED;
}

/* ---- controls ---- */

/* One byte of padding written, beside a copy that is right. */
static quern_verdict control_padding(quern_trial *trial)
{
    quern_guarded x, y;
    quern_view byte;
    uint8_t value = 0;
    quern_guarded_shape shape = quern_sweep_shape(1, QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", shape, &y));
    quern_guarded_vary(&y, 2);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
    QUERN_TRY(trial, submit(trial->queue, &x, &y));
    quern_guarded_set_copy(&x, &y);
    /* The last byte of the first row of the array, behind its last element. */
    size_t at = x.offset + 5 * sizeof(int32_t) + x.outer.extents[1];
    value = (uint8_t)~x.image[at];
    QUERN_TRY(trial, quern_view_sub(x.all, &at, QUERN_EXTENTS(1), &byte));
    QUERN_TRY(trial, quern_fill(trial->queue, byte, QUERN_TYPE(uint8_t), &value));
    return quern_guarded_check(trial, trial->queue, &x);
}

/* A copy that leaves the last element out. */
static quern_verdict control_short(quern_trial *trial)
{
    quern_guarded x, y;
    quern_guarded_shape shape = quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(1009));
    size_t zero = 0;
    quern_view target, source;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", shape, &y));
    quern_guarded_vary(&y, 2);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
    QUERN_TRY(trial, quern_view_sub(x.view, &zero, QUERN_EXTENTS(1008), &target));
    QUERN_TRY(trial, quern_view_sub(y.view, &zero, QUERN_EXTENTS(1008), &source));
    QUERN_TRY(trial, quern_copy(trial->queue, target, quern_view_as_const(source)));
    quern_guarded_set_copy(&x, &y);
    return quern_guarded_check(trial, trial->queue, &x);
}

const quern_conformance_test quern_copy_tests[] = {
    {"copy.from_host", "host to device, all extents, element sizes and layouts", from_host, 0},
    {"copy.to_host", "device to host, likewise", to_host, 0},
    {"copy.on_device", "device to the same device, likewise", on_device, 0},
    {"copy.on_blocking_queue", "the three directions on a blocking queue", on_blocking_queue, 0},
    {"copy.with_others", "to and from every other device, or NOT_SUPPORTED", with_others, 0},
    {"copy.wrong_queue", "a queue of another device than both sides is refused", wrong_queue, 0},
    {"copy.within_a_buffer", "halves of one buffer, interleaved by rows or one after the other", within_a_buffer, 0},
    {"copy.zero_extents", "no elements, no work", zero_extents, 0},
    {"copy.pitch_of_one_index", "the pitch of a dimension of extent 1 plays no part", pitch_of_one_index, 0},
    {"copy.long_chain", "long rows through several buffers, no waits between", long_chain, 0},
    {"copy.blocking_is_done", "a blocking queue's copy is done when the call returns", blocking_is_done, 0},
    {"copy.mismatches", "other extents, ranks and types are refused before any work", mismatches, 0},
    {"copy.overlaps", "a target that overlaps its source is refused", overlaps, 0},
    {"copy.control_padding", "a byte of padding is overwritten", control_padding, 1},
    {"copy.control_short", "the last element is not copied", control_short, 1},
    {NULL, NULL, NULL, 0},
};
