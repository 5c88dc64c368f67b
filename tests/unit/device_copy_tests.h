/*
 * Tests of copies and fills of boxes, against the same done on the host, that are the same for all backends for
 * devices. Who includes this defines
 *
 *     fixture_is_here   starts the backend; 0, and the reason is printed, where there is none
 *     fixture_stop      stops it
 */
#ifndef QUERN_TESTS_DEVICE_COPY_TESTS_H
#define QUERN_TESTS_DEVICE_COPY_TESTS_H

#include "device_fixture.h"

static int fixture_is_here(void);
static void fixture_stop(void);

enum { BYTES = 1 << 16, ROUNDS = 400 };

static const uint32_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 256};

static uint32_t seed = 12345;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

/* ---- a device buffer and what has to be in it ---- */

struct model {
    struct fake_progress progress;
    void *device, *memory;
    unsigned char wanted[BYTES];
};

static void model_make(struct model *model, int blocking)
{
    model->device = fixture_device();
    fixture_queue(&model->progress, model->device, blocking);
    model->memory = fixture_memory(model->device, BYTES);
    for (size_t i = 0; i < BYTES; ++i)
        model->wanted[i] = (unsigned char)below(256);
    OK(fixture_write(&model->progress, model->memory, model->wanted, BYTES));
    OK(fixture_synchronize(&model->progress));
}

static void model_check(struct model *model)
{
    static unsigned char found[BYTES];
    OK(fixture_read(&model->progress, found, model->memory, BYTES));
    OK(fixture_synchronize(&model->progress));
    assert_memory_equal(found, model->wanted, BYTES);
}

static void model_free(struct model *model)
{
    fixture_queue_end(&model->progress);
    fixture_free(model->device, model->memory, BYTES);
}

/* ---- boxes ---- */

/* Pitches with odd gaps, and the bytes that the box then takes. */
static size_t random_pitches(const quern_backend_copy *box, ptrdiff_t *pitches)
{
    size_t bytes = box->element_size;
    for (int d = (int)box->rank - 1; d >= 0; --d) {
        size_t gap = d == (int)box->rank - 1 ? 0 : below(3) * below(9);
        pitches[d] = (ptrdiff_t)(bytes + gap);
        bytes = (bytes + gap) * box->extents[d];
    }
    return bytes;
}

/* A box, of elements of up to largest bytes, that takes less than half of the memory on either side. */
static void random_box(quern_backend_copy *box, uint32_t largest, size_t *target_bytes, size_t *source_bytes)
{
    do {
        memset(box, 0, sizeof *box);
        box->rank = 1 + below(6);
        do
            box->element_size = sizes[below(sizeof sizes / sizeof *sizes)];
        while (box->element_size > largest);
        for (uint32_t d = 0; d < box->rank; ++d)
            box->extents[d] = 1 + below(box->rank > 3 ? 4 : 9);
        *target_bytes = random_pitches(box, box->target_pitches);
        *source_bytes = random_pitches(box, box->source_pitches);
    } while (*target_bytes >= BYTES / 2 || *source_bytes >= BYTES / 2);
}

/* The same as the box on the host; both are then bytes of the host. */
static void copy_on_host(unsigned char *target, const unsigned char *source, const quern_backend_copy *box)
{
    size_t index[QUERN_MAX_RANK] = {0};
    int d;
    do {
        ptrdiff_t to = 0, from = 0;
        for (uint32_t k = 0; k < box->rank; ++k) {
            to += (ptrdiff_t)index[k] * box->target_pitches[k];
            from += (ptrdiff_t)index[k] * box->source_pitches[k];
        }
        memcpy(target + to, source + from, box->element_size);
        for (d = (int)box->rank - 1; d >= 0 && ++index[d] == box->extents[d]; --d)
            index[d] = 0;
    } while (d >= 0);
}

static void boxes_go_to_the_device(void **state)
{
    (void)state;
    static struct model model;
    static unsigned char host[BYTES];
    if (!fixture_is_here())
        skip();
    model_make(&model, 0);
    for (int round = 0; round < ROUNDS; ++round) {
        quern_backend_copy box;
        size_t to, from;
        random_box(&box, 24, &to, &from);
        size_t offset = below((uint32_t)(BYTES - to)), begin = below((uint32_t)(BYTES - from));
        for (size_t i = 0; i < from; ++i)
            host[begin + i] = (unsigned char)below(256);
        box.target = (char *)model.memory + offset;
        box.target_memory = model.memory;
        box.source = host + begin;
        box.source_is_host = 1;
        OK(fixture_copy(&model.progress, &box));
        copy_on_host(model.wanted + offset, host + begin, &box);
        OK(fixture_synchronize(&model.progress));
    }
    model_check(&model);
    model_free(&model);
    fixture_stop();
}

static void boxes_come_from_the_device(void **state)
{
    (void)state;
    static struct model model;
    static unsigned char host[BYTES], wanted[BYTES];
    if (!fixture_is_here())
        skip();
    model_make(&model, 0);
    memset(host, 7, sizeof host);
    memset(wanted, 7, sizeof wanted);
    for (int round = 0; round < ROUNDS; ++round) {
        quern_backend_copy box;
        size_t to, from;
        random_box(&box, 24, &to, &from);
        size_t offset = below((uint32_t)(BYTES - to)), begin = below((uint32_t)(BYTES - from));
        box.target = host + offset;
        box.target_is_host = 1;
        box.source = (char *)model.memory + begin;
        box.source_memory = model.memory;
        OK(fixture_copy(&model.progress, &box));
        copy_on_host(wanted + offset, model.wanted + begin, &box);
    }
    OK(fixture_synchronize(&model.progress));
    assert_memory_equal(host, wanted, BYTES);
    model_check(&model);
    model_free(&model);
    fixture_stop();
}

/* From one buffer to another, and within one: there the source lies in front of the target or between its rows. */
static void boxes_stay_on_the_device(void **state)
{
    (void)state;
    static struct model model, other;
    if (!fixture_is_here())
        skip();
    model_make(&model, 0);
    model_make(&other, 1);
    for (int round = 0; round < ROUNDS; ++round) {
        quern_backend_copy box;
        size_t to, from;
        random_box(&box, 24, &to, &from);
        int within = (int)below(2);
        size_t begin = below((uint32_t)(BYTES / 2 - from)), offset = BYTES / 2 + below((uint32_t)(BYTES / 2 - to));
        struct model *source = within ? &model : &other;
        box.target = (char *)model.memory + offset;
        box.target_memory = model.memory;
        box.source = (char *)source->memory + begin;
        box.source_memory = source->memory;
        OK(fixture_copy(&model.progress, &box));
        copy_on_host(model.wanted + offset, source->wanted + begin, &box);
    }
    model_check(&model);
    model_free(&model);
    model_free(&other);
    fixture_stop();
}

static void columns_of_one_buffer_are_copied_beside_each_other(void **state)
{
    (void)state;
    static struct model model;
    if (!fixture_is_here())
        skip();
    model_make(&model, 0);
    for (int turn = 0; turn < 2; ++turn)
        for (size_t left = 0; left < 40; left += 13) {
            /* 20 rows of 100 bytes: 24 bytes of each go 30 bytes on; from the left to the right, and across the row. */
            quern_backend_copy box = {.rank = 2, .element_size = 1, .extents = {20, 24}};
            size_t to = turn ? left + 90 : left + 30;
            box.target_pitches[0] = box.source_pitches[0] = 100;
            box.target_pitches[1] = box.source_pitches[1] = 1;
            box.target = (char *)model.memory + to;
            box.source = (char *)model.memory + left;
            box.source_memory = box.target_memory = model.memory;
            OK(fixture_copy(&model.progress, &box));
            copy_on_host(model.wanted + to, model.wanted + left, &box);
            model_check(&model);
        }
    model_free(&model);
    fixture_stop();
}

/* As the front end's own fill asks for: one row, again and again. */
static void a_row_is_spread_by_pitches_of_zero(void **state)
{
    (void)state;
    static struct model model;
    static const char row[] = "spread";
    if (!fixture_is_here())
        skip();
    model_make(&model, 0);
    quern_backend_copy box = {.rank = 3, .element_size = 2, .extents = {4, 5, 3}};
    box.target_pitches[0] = 90;
    box.target_pitches[1] = 11;
    box.target_pitches[2] = box.source_pitches[2] = 2;
    box.target = (char *)model.memory + 5;
    box.target_memory = model.memory;
    box.source = row;
    box.source_is_host = 1;
    OK(fixture_copy(&model.progress, &box));
    copy_on_host(model.wanted + 5, (const unsigned char *)row, &box);
    model_check(&model);
    model_free(&model);
    fixture_stop();
}

/* More commands of the driver than a queue keeps in mind. */
static void a_copy_may_take_any_number_of_commands(void **state)
{
    (void)state;
    static struct model model;
    if (!fixture_is_here())
        skip();
    model_make(&model, 0);
    quern_backend_copy box = {.rank = 2, .element_size = 1, .extents = {3000, 3}};
    box.target_pitches[0] = 5; /* other pitches in one buffer: row by row */
    box.source_pitches[0] = 4;
    box.target_pitches[1] = box.source_pitches[1] = 1;
    box.source = model.memory;
    box.target = (char *)model.memory + 20000;
    box.source_memory = box.target_memory = model.memory;
    OK(fixture_copy(&model.progress, &box));
    copy_on_host(model.wanted + 20000, model.wanted, &box);
    model_check(&model);
    model_free(&model);
    fixture_stop();
}

/* ---- fills ---- */

static void boxes_are_filled(void **state)
{
    (void)state;
    static struct model model;
    if (!fixture_is_here())
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        model_make(&model, blocking);
        for (int round = 0; round < ROUNDS; ++round) {
            quern_backend_copy box;
            unsigned char value[256];
            size_t bytes, unused;
            random_box(&box, 256, &bytes, &unused);
            size_t period = below(2) ? box.element_size : 1 + below(4); /* a part that repeats itself is a pattern */
            for (size_t i = 0; i < sizeof value; ++i)
                value[i] = i < period ? (unsigned char)below(256) : value[i - period];
            size_t offset = below((uint32_t)(BYTES - bytes));
            if (below(2))
                offset &= ~(size_t)255;
            memset(box.source_pitches, 0, sizeof box.source_pitches);
            copy_on_host(model.wanted + offset, value, &box);
            memset(box.source_pitches, 0x5a, sizeof box.source_pitches); /* they are not set for a fill */
            box.target = (char *)model.memory + offset;
            box.target_memory = model.memory;
            box.source = value;
            OK(fixture_end(&model.progress,
                           fixture_backend->fill(model.progress.queue, ++model.progress.submitted, &box)));
            memset(value, 0, sizeof value); /* it was read */
        }
        model_check(&model);
        model_free(&model);
    }
    fixture_stop();
}

/* Longer than what the host sends at a time. */
static void a_long_row_of_an_odd_size_is_filled(void **state)
{
    (void)state;
    enum { COUNT = 100003 };
    struct fake_progress progress;
    static unsigned char found[COUNT * 3 + 2];
    const unsigned char value[3] = {1, 2, 3};
    if (!fixture_is_here())
        skip();
    void *device = fixture_device(), *memory = fixture_memory(device, sizeof found);
    fixture_queue(&progress, device, 0);
    memset(found, 9, sizeof found);
    OK(fixture_write(&progress, memory, found, sizeof found));
    quern_backend_copy box = {.rank = 1, .element_size = 3, .extents = {COUNT}, .target_pitches = {3}};
    box.target = (char *)memory + 1;
    box.target_memory = memory;
    box.source = value;
    OK(fixture_end(&progress, fixture_backend->fill(progress.queue, ++progress.submitted, &box)));
    OK(fixture_read(&progress, found, memory, sizeof found));
    OK(fixture_synchronize(&progress));
    assert_int_equal(found[0], 9);
    for (size_t i = 0; i < COUNT * 3; ++i)
        assert_int_equal(found[1 + i], value[i % 3]);
    assert_int_equal(found[sizeof found - 1], 9);
    fixture_queue_end(&progress);
    fixture_free(device, memory, sizeof found);
    fixture_stop();
}

#define DEVICE_COPY_TESTS                                                                                              \
    cmocka_unit_test(boxes_go_to_the_device), cmocka_unit_test(boxes_come_from_the_device),                            \
        cmocka_unit_test(boxes_stay_on_the_device),                                                                    \
        cmocka_unit_test(columns_of_one_buffer_are_copied_beside_each_other),                                          \
        cmocka_unit_test(a_row_is_spread_by_pitches_of_zero),                                                          \
        cmocka_unit_test(a_copy_may_take_any_number_of_commands), cmocka_unit_test(boxes_are_filled),                  \
        cmocka_unit_test(a_long_row_of_an_odd_size_is_filled)

#endif
