/* What the tests of quern_adapt share: arrays of numbers in buffers, and whether a buffer holds them. */
#ifndef QUERN_TEST_ADAPT_TEST_H
#define QUERN_TEST_ADAPT_TEST_H

#include "runtime_test.h"

enum { NUMBERS_MAX = 256 };

static inline size_t count_of(const quern_layout *layout)
{
    quern_extents extents = {layout->rank, {0}};
    size_t count;
    memcpy(extents.n, layout->extents, sizeof extents.n);
    ok(quern_extents_count(extents, &count));
    assert_true(count <= NUMBERS_MAX);
    return count;
}

/* The elements one after another, in memory of the caller's. */
static inline quern_span packed_span(const quern_layout *like, void *memory)
{
    quern_extents extents = {like->rank, {0}};
    quern_layout layout;
    quern_span span;
    memcpy(extents.n, like->extents, sizeof extents.n);
    ok(quern_layout_packed(like->type, extents, &layout));
    ok(quern_span_make(memory, &layout, &span));
    return span;
}

/* The elements of 4 bytes become first, first + 1, … in the order of their indices. */
static inline void set_floats(quern_queue *queue, quern_view view, float first)
{
    float numbers[NUMBERS_MAX];
    quern_span span = packed_span(&view.span.layout, numbers);
    for (size_t i = 0; i < count_of(&view.span.layout); ++i)
        numbers[i] = first + (float)i;
    ok(quern_copy_from_host(queue, view, QUERN_CONST_SPAN(span)));
    ok(quern_queue_synchronize(queue));
}

static inline size_t get_floats(quern_queue *queue, quern_const_view view, float numbers[NUMBERS_MAX])
{
    ok(quern_copy_to_host(queue, packed_span(&view.span.layout, numbers), view));
    ok(quern_queue_synchronize(queue));
    return count_of(&view.span.layout);
}

static inline void holds_floats(quern_queue *queue, quern_const_view view, float first)
{
    float numbers[NUMBERS_MAX];
    size_t count = get_floats(queue, view, numbers);
    for (size_t i = 0; i < count; ++i)
        if (numbers[i] != first + (float)i)
            fail_msg("element %zu is %g, wanted %g", i, (double)numbers[i], (double)(first + (float)i));
}

static inline quern_buffer *make_floats(quern_queue *queue, quern_extents extents, float first)
{
    quern_device *device;
    ok(quern_queue_device(queue, &device));
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(float), extents);
    set_floats(queue, QUERN_VIEW(buffer), first);
    return buffer;
}

#endif
