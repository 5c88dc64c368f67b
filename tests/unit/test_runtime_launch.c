/* Launching: what is checked before any work, and that what passes runs right. */
#include "runtime_test.h"

enum { N = 1009 };

static quern_device *device;
static quern_queue *queue;
static quern_buffer *x, *y, *doubles, *plane, *other_plane;

static quern_status launch(quern_kernel *kernel, quern_range range, const quern_argument *arguments, size_t count)
{
    return quern_launch(queue, kernel, &range, arguments, count);
}

static void test_runs(void **state)
{
    (void)state;
    fill_float(queue, QUERN_VIEW(x), 2);
    fill_float(queue, QUERN_VIEW(y), 1);
    ok(launch_axpy(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 3));
    ok(quern_queue_synchronize(queue));
    const float *values = QUERN_SPAN(y).address;
    for (int i = 0; i < N; ++i)
        assert_true(values[i] == 7.0f);
}

static void test_arguments(void **state)
{
    (void)state;
    quern_const_view in = QUERN_CONST_VIEW(x), d = QUERN_CONST_VIEW(doubles), nothing;
    quern_view out = QUERN_VIEW(y);
    memset(&nothing, 0, sizeof nothing);
    float a = 1;
    double wide = 20.0;
    quern_argument good[3] = {quern_argument_const_view(&in), quern_argument_view(&out),
                              quern_argument_value(QUERN_TYPE(float), &a)};
    quern_argument bad[3];
    quern_range range = QUERN_RANGE(N);
    ok(launch(&axpy_kernel, range, good, 3));
    refused(launch(&axpy_kernel, range, good, 2), QUERN_INVALID_ARGUMENT, "axpy|2|3|x, y, a");
    refused(launch(&axpy_kernel, range, NULL, 3), QUERN_INVALID_ARGUMENT, "arguments");
    refused(launch(NULL, range, good, 3), QUERN_INVALID_ARGUMENT, "kernel");
    refused(quern_launch(NULL, &axpy_kernel, &range, good, 3), QUERN_INVALID_ARGUMENT, "queue");
    refused(quern_launch(queue, &axpy_kernel, NULL, good, 3), QUERN_INVALID_ARGUMENT, "range");

#define WITH(i, argument, status, words)                                                                               \
    do {                                                                                                               \
        memcpy(bad, good, sizeof good);                                                                                \
        bad[i] = argument;                                                                                             \
        refused(launch(&axpy_kernel, range, bad, 3), status, words);                                                   \
    } while (0)
    WITH(0, quern_argument_const_view(&d), QUERN_INVALID_TYPE, "'x'|float64|float");
    WITH(0, quern_argument_const_view(&nothing), QUERN_INVALID_ARGUMENT, "'x'|buffer");
    WITH(0, quern_argument_const_view(NULL), QUERN_INVALID_ARGUMENT, "'x'|NULL");
    WITH(0, quern_argument_length(3), QUERN_INVALID_ARGUMENT, "'x'|length|view");
    WITH(1, quern_argument_const_view(&in), QUERN_READ_ONLY, "'y'|const");
    WITH(2, quern_argument_value(QUERN_TYPE(double), &wide), QUERN_INVALID_TYPE, "'a'|float64|float");
    WITH(2, quern_argument_value(QUERN_TYPE(float), NULL), QUERN_INVALID_ARGUMENT, "'a'|NULL");
    WITH(2, quern_argument_view(&out), QUERN_INVALID_ARGUMENT, "'a'|view|value");
    quern_const_view same = QUERN_CONST_VIEW(y);
    WITH(0, quern_argument_const_view(&same), QUERN_OVERLAP, "'y'|'x'");
#undef WITH
    static quern_kernel stale;
    stale = axpy_kernel;
    stale.version = 77;
    refused(launch(&stale, range, good, 3), QUERN_NOT_SUPPORTED, "77");
}

static void test_contiguity_and_pitches(void **state)
{
    (void)state;
    float a = 0;
    quern_buffer *floats = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(13, 17));
    quern_buffer *packed = NULL;
    quern_layout layout;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(13, 17), &layout));
    ok(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_DEVICE, &packed));
    quern_const_view pitched = QUERN_CONST_VIEW(floats), flat = QUERN_CONST_VIEW(packed);
    quern_view out = QUERN_VIEW(y);
    quern_argument arguments[3] = {quern_argument_const_view(&pitched), quern_argument_view(&out),
                                   quern_argument_value(QUERN_TYPE(float), &a)};
    refused(launch(&axpy_kernel, QUERN_RANGE(13 * 17), arguments, 3), QUERN_INVALID_SHAPE, "'x'|contiguous|in_nd");
    arguments[0] = quern_argument_const_view(&flat); /* any rank by its linear index */
    ok(launch(&axpy_kernel, QUERN_RANGE(13 * 17), arguments, 3));

    quern_layout odd;
    ok(quern_layout_padded(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 2, 0, &odd));
    quern_buffer *twenty_two = NULL;
    ok(quern_buffer_create_with_layout(device, &odd, QUERN_MEMORY_DEVICE, &twenty_two));
    quern_view target = QUERN_VIEW(twenty_two), short_pitch = QUERN_VIEW(plane), flat_plane = QUERN_VIEW(y);
    quern_const_view source = QUERN_CONST_VIEW(other_plane);
    quern_argument marks[2] = {quern_argument_const_view(&source), quern_argument_view(&target)};
    refused(launch(&mark_kernel, QUERN_RANGE(3, 5), marks, 2), QUERN_INVALID_SHAPE, "'out'|22|4");
    short_pitch.span.layout.pitches[0] = 16;
    marks[1] = quern_argument_view(&short_pitch);
    refused(launch(&mark_kernel, QUERN_RANGE(3, 5), marks, 2), QUERN_INVALID_SHAPE, "'out'|16|dimension 0");
    short_pitch = QUERN_VIEW(plane);
    short_pitch.span.layout.pitches[1] = 8;
    refused(launch(&mark_kernel, QUERN_RANGE(3, 5), marks, 2), QUERN_INVALID_SHAPE, "'out'|innermost|8|4");
    marks[1] = quern_argument_view(&flat_plane);
    refused(launch(&mark_kernel, QUERN_RANGE(3, 5), marks, 2), QUERN_INVALID_TYPE, "'out'|float32|int32_t");
    ok(quern_queue_synchronize(queue));
    ok(quern_buffer_release(floats));
    ok(quern_buffer_release(packed));
    ok(quern_buffer_release(twenty_two));
}

/* A view that was tampered with, or is larger than its buffer, never reaches a kernel, a copy or a fill. */
static void test_views_stay_in_their_buffers(void **state)
{
    (void)state;
    int32_t one = 1;
    quern_const_view source = QUERN_CONST_VIEW(other_plane);
    for (int k = 0; k < 4; ++k) {
        quern_view bad = QUERN_VIEW(plane);
        if (k == 0)
            bad.span.layout.extents[0] = 2000;
        else if (k == 1)
            bad.span.layout.pitches[0] = 1 << 20;
        else if (k == 2)
            bad.span.address = (char *)bad.span.address - 4096;
        else
            bad.buffer = y; /* another one's memory */
        quern_argument arguments[2] = {quern_argument_const_view(&source), quern_argument_view(&bad)};
        refused(launch(&mark_kernel, QUERN_RANGE(3, 5), arguments, 2), QUERN_INVALID_SHAPE, "'out'|outside");
        refused(quern_fill(queue, bad, QUERN_TYPE(int32_t), &one), QUERN_INVALID_SHAPE, "target|outside");
    }
}

/* Rows of a packed plane as views of rank 1: not boxes of the buffer, yet disjoint. */
static void test_flat_rows_do_not_overlap(void **state)
{
    (void)state;
    quern_layout layout;
    quern_buffer *rows = NULL;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(10, 16), &layout));
    ok(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_DEVICE, &rows));
    quern_view first = QUERN_VIEW(rows);
    first.span.layout.rank = 1;
    first.span.layout.extents[0] = 16;
    first.span.layout.pitches[0] = sizeof(float);
    quern_view sixth = first, shifted = first;
    sixth.span.address = (char *)first.span.address + 5 * 16 * sizeof(float);
    shifted.span.address = (char *)first.span.address + 8 * sizeof(float);
    fill_float(queue, first, 1);
    fill_float(queue, sixth, 2);
    ok(launch_axpy(queue, 16, quern_view_as_const(first), sixth, 3));
    ok(quern_copy(queue, first, quern_view_as_const(sixth)));
    ok(quern_queue_synchronize(queue));
    assert_true(*(float *)first.span.address == 5.0f);
    refused(launch_axpy(queue, 16, quern_view_as_const(first), shifted, 3), QUERN_OVERLAP, "'y'|'x'");
    ok(quern_buffer_release(rows));
}

static void test_ranges(void **state)
{
    (void)state;
    quern_const_view in = QUERN_CONST_VIEW(x);
    quern_view out = QUERN_VIEW(y);
    float a = 0;
    quern_argument arguments[3] = {quern_argument_const_view(&in), quern_argument_view(&out),
                                   quern_argument_value(QUERN_TYPE(float), &a)};
    refused(launch(&axpy_kernel, QUERN_RANGE(4, 5), arguments, 3), QUERN_INVALID_SHAPE, "rank 2|rank 1|axpy");
    refused(launch(&axpy_kernel, quern_range_make(quern_extents_scalar()), arguments, 3), QUERN_INVALID_SHAPE,
            "rank 0|rank 1");
    refused(launch(&axpy_kernel, QUERN_RANGE(-1), arguments, 3), QUERN_INVALID_SHAPE, "-1");
    ptrdiff_t far = PTRDIFF_MAX;
    refused(launch(&axpy_kernel, quern_range_with_offsets(QUERN_RANGE(7), &far), arguments, 3), QUERN_OVERFLOW,
            "offset");
    static quern_kernel any; /* a descriptor lasts as long as the library: it keeps its state there */
    any = axpy_kernel;
    any.rank = -1;
    any.state = NULL;
    refused(launch(&any, QUERN_RANGE(1ull << 31, 1ull << 31, 4), arguments, 3), QUERN_OVERFLOW, "product");
    quern_range seven = QUERN_RANGE(1);
    seven.extents.rank = 7;
    refused(launch(&any, seven, arguments, 3), QUERN_INVALID_SHAPE, "7");
    /* nothing happens, nothing is built */
    any.images = NULL;
    any.image_count = 0;
    ok(launch(&any, QUERN_RANGE(0), arguments, 3));
    ok(launch(&any, QUERN_RANGE(1ull << 40, 0, 1ull << 40), arguments, 3));
    refused(launch(&any, QUERN_RANGE(5), arguments, 3), QUERN_NOT_SUPPORTED, "axpy");
    ok(quern_queue_synchronize(queue));
}

static void test_groups(void **state)
{
    (void)state;
    quern_buffer *sizes = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(256));
    quern_view out = QUERN_VIEW(sizes);
    quern_argument arguments[2] = {quern_argument_view(&out), quern_argument_length(8)};
    int32_t minus = -1;
    ok(quern_fill(queue, out, QUERN_TYPE(int32_t), &minus));
    ok(launch(&group_8_kernel, QUERN_RANGE(13), arguments, 2));
    ok(quern_queue_synchronize(queue));
    const int32_t *found = out.span.address;
    assert_int_equal(found[0], 8);
    assert_int_equal(found[1], 5);
    assert_int_equal(found[2], -1);
    ok(launch(&group_any_kernel, quern_range_with_group(QUERN_RANGE(100), QUERN_EXTENTS(7)), arguments, 2));
    ok(quern_queue_synchronize(queue));
    assert_int_equal(found[0], 7);
    assert_int_equal(found[14], 2);
    assert_int_equal(found[15], -1);

    quern_range range = QUERN_RANGE(13);
    refused(launch(&group_8_kernel, quern_range_with_group(range, QUERN_EXTENTS(4)), arguments, 2),
            QUERN_INVALID_ARGUMENT, "4|8|group_8");
    ok(launch(&group_8_kernel, quern_range_with_group(range, QUERN_EXTENTS(8)), arguments, 2));
    refused(launch(&group_any_kernel, quern_range_with_group(range, QUERN_EXTENTS(0)), arguments, 2),
            QUERN_INVALID_ARGUMENT, "group size 0");
    refused(launch(&group_any_kernel, quern_range_with_group(range, QUERN_EXTENTS(-1)), arguments, 2),
            QUERN_INVALID_ARGUMENT, "group size -1");
    refused(launch(&group_any_kernel, quern_range_with_group(range, QUERN_EXTENTS(2, 2)), arguments, 2),
            QUERN_INVALID_SHAPE, "rank 2|rank 1");
    refused(launch(&group_any_kernel, quern_range_with_group(range, QUERN_EXTENTS(1, 1, 1, 1)), arguments, 2),
            QUERN_INVALID_SHAPE, "rank 4");
    refused(launch(&group_any_kernel, quern_range_with_group(range, QUERN_EXTENTS(1ull << 40)), arguments, 2),
            QUERN_LIMIT_EXCEEDED, "1099511627776|group_any");
    arguments[1] = quern_argument_length(1ull << 40);
    refused(launch(&group_any_kernel, range, arguments, 2), QUERN_LIMIT_EXCEEDED, "local memory");
    arguments[1] = quern_argument_length(SIZE_MAX / 2);
    refused(launch(&group_any_kernel, range, arguments, 2), QUERN_OVERFLOW, "'tile'");
    arguments[1] = quern_argument_view(&out);
    refused(launch(&group_any_kernel, range, arguments, 2), QUERN_INVALID_ARGUMENT, "'tile'|length");

    quern_range chosen;
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        range = QUERN_RANGE(n);
        ok(quern_launch_configuration(device, &group_any_kernel, &range, &chosen));
        assert_int_equal(chosen.group_rank, 1);
        assert_true(chosen.group[0] >= 1 && chosen.group[0] <= n);
    }
    refused(quern_launch_configuration(device, &axpy_kernel, &range, &chosen), QUERN_INVALID_ARGUMENT, "axpy");
    ok(quern_buffer_release(sizes));
}

static void test_planes_with_offsets(void **state)
{
    (void)state;
    quern_view out = QUERN_VIEW(plane);
    quern_view in_view = QUERN_VIEW(other_plane);
    quern_const_view in = QUERN_CONST_VIEW(other_plane);
    int32_t zero = 0, minus = -1;
    ok(quern_fill(queue, in_view, QUERN_TYPE(int32_t), &zero));
    ok(quern_fill(queue, out, QUERN_TYPE(int32_t), &minus));
    quern_argument arguments[2] = {quern_argument_const_view(&in), quern_argument_view(&out)};
    ptrdiff_t offsets[2] = {2, 3};
    ok(launch(&mark_kernel, quern_range_with_offsets(QUERN_RANGE(19, 31), offsets), arguments, 2));
    ok(quern_queue_synchronize(queue));
    for (ptrdiff_t row = 0; row < 23; ++row)
        for (ptrdiff_t column = 0; column < 37; ++column) {
            ptrdiff_t index[2] = {row, column};
            void *element;
            ok(quern_span_at(&out.span, index, &element));
            int inside = row >= 2 && row < 21 && column >= 3 && column < 34;
            assert_int_equal(*(int32_t *)element, inside ? (int32_t)(1000 * row + column) : -1);
        }
}

/* Two threads launch one kernel with their own arguments on one queue and on two. */
typedef struct launcher {
    quern_queue *queue;
    quern_buffer *in, *out;
    float a;
} launcher;

static void *launch_many(void *argument)
{
    launcher *l = argument;
    for (int i = 0; i < 300; ++i)
        if (launch_axpy(l->queue, N, QUERN_CONST_VIEW(l->in), QUERN_VIEW(l->out), l->a) != QUERN_SUCCESS)
            return argument;
    return quern_queue_synchronize(l->queue) == QUERN_SUCCESS ? NULL : argument;
}

static void test_two_threads(void **state)
{
    (void)state;
    for (int round = 0; round < 4; ++round) {
        quern_queue *a = make_queue(device, round & 1, "a"), *b = round < 2 ? a : make_queue(device, round & 1, "b");
        quern_buffer *in = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
        quern_buffer *one = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
        quern_buffer *two = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
        fill_float(a, QUERN_VIEW(in), 1);
        fill_float(a, QUERN_VIEW(one), 0);
        fill_float(a, QUERN_VIEW(two), 0);
        launcher first = {a, in, one, 1}, second = {b, in, two, 2};
        pthread_t threads[2];
        assert_int_equal(pthread_create(&threads[0], NULL, launch_many, &first), 0);
        assert_int_equal(pthread_create(&threads[1], NULL, launch_many, &second), 0);
        for (int i = 0; i < 2; ++i) {
            void *failed;
            pthread_join(threads[i], &failed);
            assert_null(failed);
        }
        const float *ones = QUERN_SPAN(one).address, *twos = QUERN_SPAN(two).address;
        for (int i = 0; i < N; ++i)
            assert_true(ones[i] == 300.0f && twos[i] == 600.0f);
        ok(quern_buffer_release(in));
        ok(quern_buffer_release(one));
        ok(quern_buffer_release(two));
        ok(quern_queue_release(a));
        if (b != a)
            ok(quern_queue_release(b));
    }
}

static void test_use_after_release(void **state)
{
    (void)state;
#ifdef QUERN_DEBUG
    quern_buffer *gone = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_const_view view = QUERN_CONST_VIEW(gone);
    ok(quern_buffer_release(gone));
    refused(launch_axpy(queue, N, view, QUERN_VIEW(y), 1), QUERN_RELEASED, "'x'|released");
    float element;
    ptrdiff_t index = 3;
    quern_source source = QUERN_SOURCE(view);
    refused(quern_source_read(&source, &index, &element), QUERN_RELEASED, "source");
    refused(launch_axpy(queue, N, QUERN_CONST_VIEW(gone), QUERN_VIEW(y), 1), QUERN_RELEASED, "'x'|released");
    refused(quern_buffer_release(gone), QUERN_RELEASED, "buffer");
#else
    printf("use after release is found by debug builds only: nothing to test in this one\n");
    skip();
#endif
}

static int set_up(void **state)
{
    (void)state;
    device = open_device("cpu:0");
    queue = make_queue(device, 0, "launch");
    x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    doubles = make_buffer(device, QUERN_TYPE(double), QUERN_EXTENTS(N));
    plane = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(23, 37));
    other_plane = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(23, 37));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_buffer_release(doubles));
    ok(quern_buffer_release(plane));
    ok(quern_buffer_release(other_plane));
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_contiguity_and_pitches),
        cmocka_unit_test(test_views_stay_in_their_buffers),
        cmocka_unit_test(test_flat_rows_do_not_overlap),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_planes_with_offsets),
        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_use_after_release),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
