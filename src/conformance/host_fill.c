/* Fills: the sweep of extents, element sizes and layouts, with guards; odd element sizes; and what is refused. */
#include "sweep.h"

#include <string.h>

enum { MOST_BYTES = 2048 };

/* A value whose bytes all differ, so that a pattern that slips shows. */
static void make_value(size_t size, unsigned seed, unsigned char *value)
{
    for (size_t i = 0; i < size; ++i)
        value[i] = (unsigned char)(i * 31 + 7 + seed * 101 + i / 256);
}

static quern_verdict fill_case(quern_trial *trial, quern_queue *queue, quern_guarded_shape shape, unsigned seed)
{
    quern_guarded x;
    unsigned char value[MOST_BYTES];
    size_t mark = quern_trial_mark(trial);
    make_value(shape.type.size, seed, value);
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "target", shape, &x));
    QUERN_CHECK(quern_guarded_upload(trial, queue, &x));
    QUERN_TRY(trial, quern_fill(queue, x.view, shape.type, value));
    quern_guarded_set_value(&x, value);
    memset(value, 0, sizeof value); /* the value was copied when the call returned */
    QUERN_CHECK(quern_guarded_check(trial, queue, &x));
    quern_trial_release(trial, mark);
    return QUERN_PASSED;
}

static quern_verdict sweep(quern_trial *trial, quern_queue *queue, size_t extents_count)
{
    char text[160];
    for (size_t e = 0; e < extents_count; ++e)
        for (size_t t = 0; t < QUERN_SWEEP_TYPES; ++t)
            for (size_t layout = 0; layout < QUERN_SWEEP_LAYOUTS; ++layout) {
                quern_type type = quern_sweep_type(t);
                quern_extents extents = quern_sweep_extents[e];
                if (extents.rank < 2 && layout < QUERN_SWEEP_LAYOUTS - 1)
                    continue; /* without rows there is one layout */
                quern_verdict verdict =
                    fill_case(trial, queue, quern_sweep_shape(layout, type, extents), (unsigned)(e + t));
                if (verdict)
                    return quern_trial_within(trial, verdict, "%s", quern_sweep_text(layout, type, extents, text));
            }
    return QUERN_PASSED;
}

static quern_verdict all(quern_trial *trial)
{
    return sweep(trial, trial->queue, QUERN_SWEEP_EXTENTS);
}

static quern_verdict on_blocking_queue(quern_trial *trial)
{
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *queue;
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &queue));
    return sweep(trial, queue, QUERN_SWEEP_FEW);
}

/* Elements larger than a device's own pattern, or of no size that it has a pattern for. */
static quern_verdict element_sizes(quern_trial *trial)
{
    static const size_t sizes[] = {5, 6, 7, 9, 11, 15, 17, 24, 32, 33, 40, 48, 64, 100, 128, 129, 256, 1000, 1999};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        quern_type type = quern_type_struct(sizes[i], 1);
        size_t columns = sizes[i] < 64 ? 101 : 7;
        for (size_t layout = 0; layout < QUERN_SWEEP_LAYOUTS; ++layout) {
            quern_guarded_shape shape = quern_sweep_shape(layout, type, QUERN_EXTENTS(3, columns));
            QUERN_CHECK(quern_trial_within(trial, fill_case(trial, trial->queue, shape, (unsigned)i),
                                           "elements of %zu bytes", sizes[i]));
        }
    }
    return QUERN_PASSED;
}

static quern_verdict long_row(quern_trial *trial)
{
    QUERN_CHECK(fill_case(trial, trial->queue, quern_guarded_packed(QUERN_TYPE(uint8_t), QUERN_EXTENTS(400009)), 1));
    return fill_case(trial, trial->queue, quern_guarded_packed(QUERN_TYPE(double), QUERN_EXTENTS(150001)), 2);
}

static quern_verdict zero_extents(quern_trial *trial)
{
    const quern_extents empty[] = {QUERN_EXTENTS(0), QUERN_EXTENTS(0, 5), QUERN_EXTENTS(3, 0), QUERN_EXTENTS(3, 0, 7)};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; ++i)
        QUERN_CHECK(fill_case(trial, trial->queue, quern_guarded_pitched(QUERN_TYPE(float), empty[i]), 3));
    return QUERN_PASSED;
}

/* Fills of overlapping parts: the later one is on top. */
static quern_verdict one_over_another(quern_trial *trial)
{
    quern_guarded x;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(31, 37)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    for (int32_t k = 0; k < 15; ++k) {
        size_t inset[2] = {(size_t)k, (size_t)k};
        quern_extents extents = QUERN_EXTENTS(31 - 2 * (size_t)k, 37 - 2 * (size_t)k);
        quern_view part;
        int32_t value = 1000003 * (k + 1);
        QUERN_TRY(trial, quern_view_sub(x.view, inset, extents, &part));
        QUERN_TRY(trial, quern_fill(trial->queue, part, QUERN_TYPE(int32_t), &value));
        for (size_t i = 0; i < extents.n[0]; ++i)
            for (size_t j = 0; j < extents.n[1]; ++j)
                memcpy(quern_guarded_element(&x, (i + inset[0]) * 37 + j + inset[1]), &value, sizeof value);
    }
    return quern_guarded_check(trial, trial->queue, &x);
}

static quern_verdict misuse(quern_trial *trial)
{
    quern_guarded x;
    quern_view nothing;
    double value = 0;
    memset(&nothing, 0, sizeof nothing);
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(float), QUERN_EXTENTS(5, 7)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_REFUSED(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(double), &value), QUERN_INVALID_TYPE, "float32");
    QUERN_REFUSED(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(int32_t), &value), QUERN_INVALID_TYPE, "float32");
    QUERN_REFUSED(trial, quern_fill(trial->queue, x.view, QUERN_TYPE(float), NULL), QUERN_INVALID_ARGUMENT, "value");
    QUERN_REFUSED(trial, quern_fill(trial->queue, nothing, QUERN_TYPE(float), &value), QUERN_INVALID_ARGUMENT,
                  "target");
    QUERN_REFUSED(trial, quern_fill(NULL, x.view, QUERN_TYPE(float), &value), QUERN_INVALID_ARGUMENT, "queue");
    if (trial->other_count > 0) {
        quern_queue *elsewhere;
        QUERN_TRY(trial, quern_trial_queue(trial, trial->others[0], NULL, &elsewhere));
        QUERN_REFUSED(trial, quern_fill(elsewhere, x.view, QUERN_TYPE(float), &value), QUERN_WRONG_DEVICE,
                      trial->info.name);
    }
    return quern_guarded_check(trial, trial->queue, &x);
}

/* A fill that takes the padding along. */
static quern_verdict control_whole_rows(quern_trial *trial)
{
    quern_guarded x;
    quern_view row;
    size_t begin;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_sweep_shape(1, QUERN_TYPE(uint8_t), QUERN_EXTENTS(3, 5)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    begin = x.offset;
    uint8_t value = 0x11;
    QUERN_TRY(trial, quern_view_sub(x.all, &begin, QUERN_EXTENTS(3 * (size_t)x.outer.pitches[0]), &row));
    QUERN_TRY(trial, quern_fill(trial->queue, row, QUERN_TYPE(uint8_t), &value));
    quern_guarded_set_value(&x, &value);
    return quern_guarded_check(trial, trial->queue, &x);
}

const quern_conformance_test quern_fill_tests[] = {
    {"fill.all", "all extents, element sizes and layouts", all, 0},
    {"fill.on_blocking_queue", "the small ones of them on a blocking queue", on_blocking_queue, 0},
    {"fill.element_sizes", "elements of odd sizes up to 1999 bytes", element_sizes, 0},
    {"fill.long_row", "a row of hundreds of thousands of elements", long_row, 0},
    {"fill.zero_extents", "no elements, no work", zero_extents, 0},
    {"fill.one_over_another", "overlapping parts, the later one on top", one_over_another, 0},
    {"fill.misuse", "other types, no value, another device's queue are refused", misuse, 0},
    {"fill.control_whole_rows", "a fill takes the padding along", control_whole_rows, 1},
    {NULL, NULL, NULL, 0},
};
