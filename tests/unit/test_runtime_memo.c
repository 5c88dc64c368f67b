/* The same launch again: what a queue remembers must never stand for a launch that differs in anything. */
#include "runtime_test.h"

#include "memo.k.h"
#include "storage/buffer.h"

static quern_device *device;
static quern_queue *queue;

static quern_buffer *make_filled(size_t n, float value)
{
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(n));
    fill_float(queue, QUERN_VIEW(buffer), value);
    ok(quern_queue_synchronize(queue));
    return buffer;
}

/* All n elements are wanted. */
static void expect(quern_buffer *buffer, size_t n, float wanted)
{
    ok(quern_queue_synchronize(queue));
    const float *values = QUERN_SPAN(buffer).address;
    for (size_t i = 0; i < n; ++i)
        if (values[i] != wanted)
            fail_msg("element %zu of %zu is %g, wanted %g", i, n, (double)values[i], (double)wanted);
}

/* Values are read anew, and every item runs once in every launch, whichever way its parts are gone through. */
static void test_values_and_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 7, 2047, 2048, 2049, 2560, 4095, 4096, 4099, 8191, 8192, 10007, 65537};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        quern_buffer *x = make_filled(sizes[s], 1), *y = make_filled(sizes[s], 0);
        for (int i = 1; i <= 40; ++i)
            ok(launch_axpy(queue, sizes[s], QUERN_CONST_VIEW(x), QUERN_VIEW(y), (float)i));
        expect(y, sizes[s], 40 * 41 / 2);
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
    }
}

/* Two buffers that change places, and ranges of another length in between. */
static void test_swapped(void **state)
{
    (void)state;
    enum { N = 4099 };
    quern_buffer *x = make_filled(N, 1), *y = make_filled(N, 1);
    float a = 1, b = 1;
    for (int i = 0; i < 5; ++i) {
        ok(launch_axpy(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
        b += a;
        ok(launch_axpy(queue, N, QUERN_CONST_VIEW(y), QUERN_VIEW(x), 1));
        a += b;
    }
    expect(x, N, a);
    expect(y, N, b);
    ok(launch_axpy(queue, 10, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
    ok(launch_axpy(queue, 3, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    ok(quern_queue_synchronize(queue));
    const float *values = QUERN_SPAN(y).address;
    assert_true(values[2] == a + b && values[3] == b);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
}

/* A new buffer where a released one was, with another element type or length, is looked at in full. */
static void test_address_used_again(void **state)
{
    (void)state;
    enum { N = 1009 };
    quern_buffer *x = make_filled(N, 1);
    int again = 0;
    for (int i = 0; i < 20; ++i) {
        quern_buffer *y = make_filled(N, 0);
        const void *address = y;
        uint64_t serial = y->serial;
        ok(launch_axpy(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2));
        ok(launch_axpy(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2));
        expect(y, N, 4);
        ok(quern_buffer_release(y));
        quern_buffer *other = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(N));
        again += other == address;
        assert_true(other->serial > serial);
        refused(launch_axpy(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(other), 2), QUERN_INVALID_TYPE, "'y'|int32");
        ok(quern_buffer_release(other));
    }
    print_message("%d of 20 buffers took the place of one that was gone\n", again);
    ok(quern_buffer_release(x));
}

/* Also those that are too large to be kept with the launch, and those that take a few bytes. */
static void test_values_of_all_sizes(void **state)
{
    (void)state;
    enum { N = 3001, TIMES = 50 };
    quern_buffer *y = make_buffer(device, QUERN_TYPE(double), QUERN_EXTENTS(N));
    double wanted = 0;
    ok(quern_fill(queue, QUERN_VIEW(y), QUERN_TYPE(double), &wanted));
    for (int i = 0; i < TIMES; ++i) {
        five large = {{i * 3, 0, 0, 0, i * 5}};
        ok(mixed_values(queue, QUERN_RANGE(N), QUERN_VIEW(y), (int8_t)(i - 20), large, i * 7));
        wanted += i - 20 + i * 3 + i * 5 + i * 7;
    }
    ok(quern_queue_synchronize(queue));
    const double *values = QUERN_SPAN(y).address;
    for (int i = 0; i < N; ++i)
        assert_true(values[i] == wanted);
    ok(quern_buffer_release(y));
}

static quern_span packed_span(double *values, size_t n)
{
    quern_layout layout;
    quern_span span;
    ok(quern_layout_packed(QUERN_TYPE(double), QUERN_EXTENTS(n), &layout));
    ok(quern_span_make(values, &layout, &span));
    return span;
}

/* Two buffers in turn, each with a memo of its own, over one kernel of the driver's, which keeps its arguments. */
static void mix_in_turn(quern_queue *on, quern_device *where)
{
    enum { N = 301, TIMES = 24 };
    quern_buffer *y[2];
    double wanted[2] = {0, 0}, values[N];
    for (int k = 0; k < 2; ++k) {
        y[k] = make_buffer(where, QUERN_TYPE(double), QUERN_EXTENTS(N));
        ok(quern_fill(on, QUERN_VIEW(y[k]), QUERN_TYPE(double), &wanted[k]));
    }
    for (int i = 0; i < TIMES; ++i) {
        int k = i / 2 % 2,
            value = i / 6; /* the same twice, the other one, the values now the same as before, now others */
        five large = {{value, 0, 0, 0, 1}};
        ok(mixed_values(on, QUERN_RANGE(N), QUERN_VIEW(y[k]), 1, large, value));
        wanted[k] += 1 + 2 * value + 1;
    }
    for (int k = 0; k < 2; ++k) {
        ok(quern_copy_to_host(on, packed_span(values, N), QUERN_CONST_VIEW(y[k])));
        ok(quern_queue_synchronize(on));
        for (int i = 0; i < N; ++i)
            assert_true(values[i] == wanted[k]);
        ok(quern_buffer_release(y[k]));
    }
}

static void test_in_turn_on_opencl(void **state)
{
    (void)state;
    quern_device *other;
    if (quern_device_open("opencl:0", &other) != QUERN_SUCCESS) {
        print_message("skipped: %s\n", quern_last_error());
        skip();
    }
    ok(quern_device_release(other));
    for (int blocking = 0; blocking < 2; ++blocking) {
        quern_queue *on = make_queue(other, blocking, "in turn");
        mix_in_turn(on, other);
        ok(quern_queue_release(on));
    }
    mix_in_turn(queue, device);
}

/* Overlap and constness are part of what is remembered. */
static void test_refused_after_right(void **state)
{
    (void)state;
    enum { N = 1009 };
    quern_buffer *x = make_filled(N, 1), *y = make_filled(N, 0);
    quern_const_view in = QUERN_CONST_VIEW(x);
    quern_view out = QUERN_VIEW(y), part, own = QUERN_VIEW(x);
    float a = 1;
    quern_argument good[3] = {quern_argument_const_view(&in), quern_argument_view(&out),
                              quern_argument_value(QUERN_TYPE(float), &a)};
    quern_range range = QUERN_RANGE(N);
    for (int i = 0; i < 3; ++i)
        ok(quern_launch(queue, &axpy_kernel, &range, good, 3));
    quern_argument bad[3];
    memcpy(bad, good, sizeof bad);
    bad[1] = quern_argument_view(&own);
    refused(quern_launch(queue, &axpy_kernel, &range, bad, 3), QUERN_OVERLAP, "'y'|'x'");
    quern_const_view const_out = quern_view_as_const(out);
    bad[1] = quern_argument_const_view(&const_out);
    refused(quern_launch(queue, &axpy_kernel, &range, bad, 3), QUERN_READ_ONLY, "'y'");
    refused(quern_launch(queue, &axpy_kernel, &range, good, 2), QUERN_INVALID_ARGUMENT, "axpy");
    refused(quern_launch(queue, &axpy_kernel, &range, NULL, 3), QUERN_INVALID_ARGUMENT, "arguments");
    part = out;
    part.span.layout.extents[0] = 2 * N;
    bad[1] = quern_argument_view(&part);
    refused(quern_launch(queue, &axpy_kernel, &range, bad, 3), QUERN_INVALID_SHAPE, "'y'");
    part = out;
    part.device = NULL;
    assert_int_not_equal(quern_launch(queue, &axpy_kernel, &range, bad, 3), QUERN_SUCCESS);
    expect(y, N, 3);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
}

enum { WRONG_ADDRESS, WRONG_TYPE, WRONG_RANK, WRONG_EXTENT, WRONG_PITCH, WRONG_DEVICE, WRONG_BUFFER, WRONGS };

static quern_view make_wrong(quern_view view, int wrong, quern_buffer *other)
{
    quern_layout *layout = &view.span.layout;
    switch (wrong) {
    case WRONG_ADDRESS:
        view.span.address = (char *)view.span.address + sizeof(float);
        break;
    case WRONG_TYPE:
        layout->type = QUERN_TYPE(int32_t);
        break;
    case WRONG_RANK:
        layout->rank = 7;
        break;
    case WRONG_EXTENT:
        layout->extents[0] *= 2;
        break;
    case WRONG_PITCH:
        layout->pitches[0] *= 2;
        break;
    case WRONG_DEVICE:
        view.device = NULL;
        break;
    default:
        view.buffer = other;
    }
    return view;
}

/* Whatever differs from a launch that is remembered, alone: each in turn, with the right one in between. */
static void test_each_difference(void **state)
{
    (void)state;
    enum { N = 1009 };
    quern_buffer *x = make_filled(N, 1), *y = make_filled(N, 0), *other = make_filled(N / 2, 0);
    float a = 1;
    quern_const_view in = QUERN_CONST_VIEW(x);
    quern_view out = QUERN_VIEW(y), part;
    quern_range range = QUERN_RANGE(N);
    const quern_argument good[3] = {quern_argument_const_view(&in), quern_argument_view(&out),
                                    quern_argument_value(QUERN_TYPE(float), &a)};
    int right = 0;
    for (int wrong = 0; wrong < WRONGS; ++wrong) {
        quern_argument bad[3] = {good[0], quern_argument_view(&part), good[2]};
        for (int i = 0; i < 2; ++i, ++right)
            ok(quern_launch(queue, &axpy_kernel, &range, good, 3));
        part = make_wrong(out, wrong, other);
        if (quern_launch(queue, &axpy_kernel, &range, bad, 3) == QUERN_SUCCESS)
            fail_msg("difference %d was not seen", wrong);
    }
    const quern_argument values[] = {quern_argument_value(QUERN_TYPE(int32_t), &a),
                                     quern_argument_value(QUERN_TYPE(double), &a),
                                     quern_argument_value(QUERN_TYPE(float), NULL), quern_argument_length(1)};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        const quern_argument bad[3] = {good[0], good[1], values[i]};
        ok(quern_launch(queue, &axpy_kernel, &range, good, 3));
        ++right;
        if (quern_launch(queue, &axpy_kernel, &range, bad, 3) == QUERN_SUCCESS)
            fail_msg("value %zu was not seen", i);
    }
    /* A view that may be written does for one that is read; that is no other launch. */
    for (int i = 0; i < 4; ++i, ++right) {
        quern_view own = QUERN_VIEW(x);
        const quern_argument both[3] = {i % 2 ? quern_argument_view(&own) : good[0], good[1], good[2]};
        ok(quern_launch(queue, &axpy_kernel, &range, both, 3));
    }
    expect(y, N, (float)right);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_buffer_release(other));
}

/* A struct of another size for one that is remembered. */
static void test_another_struct(void **state)
{
    (void)state;
    enum { N = 11 };
    double zero = 0, eight = 8;
    int8_t small = 1;
    five large[2] = {{{0}}, {{0}}};
    quern_buffer *y = make_buffer(device, QUERN_TYPE(double), QUERN_EXTENTS(N));
    quern_view view = QUERN_VIEW(y);
    ok(quern_fill(queue, view, QUERN_TYPE(double), &zero));
    quern_range range = QUERN_RANGE(N);
    quern_argument arguments[4] = {quern_argument_view(&view), quern_argument_value(QUERN_TYPE(int8_t), &small),
                                   quern_argument_value(quern_type_struct(sizeof(five), _Alignof(five)), large),
                                   quern_argument_value(QUERN_TYPE(double), &eight)};
    for (int i = 0; i < 3; ++i)
        ok(quern_launch(queue, &mixed_values_kernel, &range, arguments, 4));
    arguments[2].type = quern_type_struct(sizeof large, _Alignof(five));
    refused(quern_launch(queue, &mixed_values_kernel, &range, arguments, 4), QUERN_INVALID_TYPE, "'large'");
    ok(quern_buffer_release(y));
}

/* ---- three dimensions ---- */

enum { PLANES = 3, ROWS = 5, ROW = 704 }; /* without padding, in which a view might lie */

typedef struct box {
    quern_buffer *x, *y, *weights;
    quern_const_view in, weight;
    quern_view out;
    quern_range range;
    float a;
    quern_argument arguments[4];
} box;

static void fill_with(quern_buffer *buffer, float value)
{
    fill_float(queue, QUERN_VIEW(buffer), value);
}

static void make_box(box *b)
{
    b->x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(PLANES, ROWS, ROW));
    b->y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(PLANES, ROWS, ROW));
    b->weights = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(ROW));
    fill_with(b->x, 1);
    fill_with(b->y, 0);
    fill_with(b->weights, 1);
    b->in = QUERN_CONST_VIEW(b->x);
    b->out = QUERN_VIEW(b->y);
    b->weight = QUERN_CONST_VIEW(b->weights);
    b->range = QUERN_RANGE(PLANES, ROWS, ROW);
    b->a = 1;
    b->arguments[0] = quern_argument_const_view(&b->in);
    b->arguments[1] = quern_argument_view(&b->out);
    b->arguments[2] = quern_argument_const_view(&b->weight);
    b->arguments[3] = quern_argument_value(QUERN_TYPE(float), &b->a);
}

static quern_status launch_box(const box *b)
{
    return quern_launch(queue, &axpy_box_kernel, &b->range, b->arguments, 4);
}

static float at(const box *b, size_t plane, size_t row, size_t i)
{
    const quern_layout *layout = &b->out.span.layout;
    const char *base = b->out.span.address;
    float value;
    memcpy(&value,
           base + (ptrdiff_t)plane * layout->pitches[0] + (ptrdiff_t)row * layout->pitches[1] +
               (ptrdiff_t)i * layout->pitches[2],
           sizeof value);
    return value;
}

static void expect_box(const box *b, float wanted)
{
    ok(quern_queue_synchronize(queue));
    for (size_t plane = 0; plane < PLANES; ++plane)
        for (size_t row = 0; row < ROWS; ++row)
            for (size_t i = 0; i < ROW; ++i)
                assert_true(at(b, plane, row, i) == wanted);
}

static void release_box(box *b)
{
    ok(quern_buffer_release(b->x));
    ok(quern_buffer_release(b->y));
    ok(quern_buffer_release(b->weights));
}

static void test_boxes_again(void **state)
{
    box b;
    float sum = 0;
    (void)state;
    make_box(&b);
    for (int i = 1; i <= 20; ++i) {
        b.a = (float)i;
        ok(launch_box(&b));
        sum += (float)i;
    }
    expect_box(&b, sum);
    release_box(&b);
}

/* A range that is smaller along one dimension, or lies elsewhere, is another launch. */
static void test_other_ranges(void **state)
{
    box b;
    (void)state;
    make_box(&b);
    const quern_range whole = b.range;
    for (int d = 0; d < 3; ++d)
        for (int moved = 0; moved < 2; ++moved) {
            fill_with(b.y, 0);
            b.range = whole;
            ok(launch_box(&b));
            ok(launch_box(&b));
            b.range.extents.n[d] -= 1;
            b.range.offsets[d] = moved;
            ok(launch_box(&b));
            ok(launch_box(&b));
            ok(quern_queue_synchronize(queue));
            size_t first[3] = {0, 0, 0}, last[3] = {PLANES - 1, ROWS - 1, ROW - 1};
            assert_true(at(&b, first[0], first[1], first[2]) == (moved ? 2 : 4));
            assert_true(at(&b, last[0], last[1], last[2]) == (moved ? 4 : 2));
        }
    for (int d = 0; d < 3; ++d) { /* the same extents, once with an offset */
        fill_with(b.y, 0);
        b.range = whole;
        b.range.extents.n[d] -= 1;
        for (int i = 0; i < 4; ++i) {
            b.range.offsets[d] = i < 2;
            ok(launch_box(&b));
        }
        ok(quern_queue_synchronize(queue));
        assert_true(at(&b, 0, 0, 0) == 2);
        assert_true(at(&b, PLANES - 1, ROWS - 1, ROW - 1) == 2);
    }
    b.range = whole;
    b.range.extents.rank = 2;
    refused(launch_box(&b), QUERN_INVALID_SHAPE, "range|rank");
    release_box(&b);
}

/* Whatever differs in a view of a launch that is remembered is looked at in full: refused, or done as it says. */
static void test_other_boxes(void **state)
{
    box b;
    (void)state;
    make_box(&b);
    const quern_view whole = b.out;
    int right = 0;
    for (int wrong = 0; wrong < WRONGS; ++wrong) {
        b.out = whole;
        for (int i = 0; i < 2; ++i, ++right)
            ok(launch_box(&b));
        b.out = make_wrong(whole, wrong, b.weights);
        if (launch_box(&b) == QUERN_SUCCESS)
            fail_msg("difference %d was not seen", wrong);
    }
    for (int d = 0; d < 3; ++d)
        for (int pitch = 0; pitch < 2; ++pitch) {
            b.out = whole;
            ok(launch_box(&b));
            ++right;
            if (pitch)
                b.out.span.layout.pitches[d] *= 2;
            else
                b.out.span.layout.extents[d] *= 2;
            if (launch_box(&b) == QUERN_SUCCESS)
                fail_msg("dimension %d, %s, was not seen", d, pitch ? "pitch" : "extent");
        }
    b.out = whole;
    expect_box(&b, (float)right);
    release_box(&b);
}

static int set_up(void **state)
{
    (void)state;
    device = open_device("cpu:0");
    queue = make_queue(device, 1, "memo");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_sizes),   cmocka_unit_test(test_values_of_all_sizes),
        cmocka_unit_test(test_in_turn_on_opencl),  cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_address_used_again), cmocka_unit_test(test_refused_after_right),
        cmocka_unit_test(test_each_difference),    cmocka_unit_test(test_another_struct),
        cmocka_unit_test(test_boxes_again),        cmocka_unit_test(test_other_ranges),
        cmocka_unit_test(test_other_boxes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
