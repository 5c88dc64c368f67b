/*
 * Faults that users met in systems like this one, through the whole path: kernel file, compiler, cache, runtime, pool.
 * What is not here is tested where its subject is (queues, copies, diagnostics, the cache).
 */
#include "runtime_test.h"

static quern_device *device;
static quern_queue *queue;
static quern_program *program;

static quern_kernel *kernel(const char *name)
{
    quern_kernel *found = NULL;
    ok(quern_program_kernel(program, name, &found));
    return found;
}

static void launch(const char *name, quern_range range, const quern_argument *arguments, size_t count)
{
    ok(quern_launch(queue, kernel(name), &range, arguments, count));
    ok(quern_queue_synchronize(queue));
}

/* Every element of the view is 1, and its guards still 0. */
static void check_each_once(quern_view whole, quern_view inside)
{
    const quern_layout *layout = &inside.span.layout;
    size_t count = 1;
    for (uint32_t d = 0; d < layout->rank; ++d)
        count *= layout->extents[d];
    for (size_t k = 0; k < count; ++k) {
        ptrdiff_t index[6];
        size_t rest = k;
        for (uint32_t d = layout->rank; d-- > 0; rest /= layout->extents[d])
            index[d] = (ptrdiff_t)(rest % layout->extents[d]);
        void *element;
        ok(quern_span_at(&inside.span, index, &element));
        assert_int_equal(*(int32_t *)element, 1);
        *(int32_t *)element = 0;
    }
    quern_buffer *buffer = whole.buffer;
    size_t bytes;
    ok(quern_layout_bytes(&whole.span.layout, &bytes));
    const int32_t *all = QUERN_SPAN(buffer).address;
    for (size_t i = 0; i < bytes / sizeof *all; ++i)
        assert_int_equal(all[i], 0);
}

static void zero_all(quern_buffer *buffer)
{
    quern_layout layout;
    size_t bytes;
    ok(quern_buffer_layout(buffer, &layout));
    ok(quern_layout_bytes(&layout, &bytes));
    if (bytes)
        memset(QUERN_SPAN(buffer).address, 0, bytes);
}

static void count_groups(const char *name, quern_extents extents, quern_extents group)
{
    quern_extents outer = extents;
    size_t offset[6];
    for (uint32_t d = 0; d < outer.rank; ++d) {
        offset[d] = 1 + d;
        outer.n[d] += 2 * (d + 1) + 1;
    }
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(int32_t), outer);
    zero_all(buffer);
    quern_view whole = QUERN_VIEW(buffer), inside;
    ok(quern_view_sub(whole, offset, extents, &inside));
    quern_argument argument = quern_argument_view(&inside);
    quern_range range = quern_range_make(extents);
    if (group.rank)
        range = quern_range_with_group(range, group);
    launch(name, range, &argument, 1);
    check_each_once(whole, inside);
    ok(quern_buffer_release(buffer));
}

static void test_every_index_exactly_once_in_groups(void **state)
{
    (void)state;
    const size_t groups[] = {1, 2, 3, 8, 255, 1000};
    const quern_extents chosen = quern_extents_scalar(); /* the runtime's choice */
    for (size_t g = 0; g < 6; ++g)
        for (size_t k = 1; k <= 3; ++k)
            for (int edge = -1; edge <= 1; ++edge) {
                size_t n = k * groups[g] + (size_t)edge; /* may be 0 */
                count_groups("count_1", QUERN_EXTENTS(n), QUERN_EXTENTS(groups[g]));
            }
    for (size_t n = 1; n <= 256; n += 5)
        count_groups("count_1", QUERN_EXTENTS(n), chosen);
    count_groups("count_1", QUERN_EXTENTS(654321), chosen);
    count_groups("count_1", QUERN_EXTENTS(13), QUERN_EXTENTS(8));
    count_groups("count_2", QUERN_EXTENTS(37, 53), QUERN_EXTENTS(4, 16));
    count_groups("count_2", QUERN_EXTENTS(1, 997), QUERN_EXTENTS(7, 3));
    count_groups("count_2", QUERN_EXTENTS(997, 1), chosen);
    count_groups("count_2", QUERN_EXTENTS(3, 5), QUERN_EXTENTS(8, 8));
    count_groups("count_3", QUERN_EXTENTS(16, 16, 16), chosen);
    count_groups("count_3", QUERN_EXTENTS(5, 7, 411), QUERN_EXTENTS(2, 3, 64));
    count_groups("count_3", QUERN_EXTENTS(93, 7, 13), QUERN_EXTENTS(1, 1, 5));
}

static void count_each(quern_extents extents)
{
    size_t count;
    ok(quern_extents_count(extents, &count));
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(count));
    zero_all(buffer);
    quern_view view = QUERN_VIEW(buffer);
    int32_t rank = (int32_t)extents.rank;
    int64_t n[6] = {1, 1, 1, 1, 1, 1};
    for (uint32_t d = 0; d < extents.rank; ++d)
        n[d] = (int64_t)extents.n[d];
    quern_argument arguments[7] = {quern_argument_view(&view), quern_argument_value(QUERN_TYPE(int32_t), &rank)};
    for (int d = 1; d < 6; ++d)
        arguments[1 + d] = quern_argument_value(QUERN_TYPE(int64_t), &n[d]);
    launch("count_each", quern_range_make(extents), arguments, 7);
    if (count)
        check_each_once(view, view);
    ok(quern_buffer_release(buffer));
}

static void test_every_index_exactly_once_in_any_rank(void **state)
{
    (void)state;
    count_each(quern_extents_scalar());
    count_each(QUERN_EXTENTS(3));
    count_each(QUERN_EXTENTS(7, 3));
    count_each(QUERN_EXTENTS(5, 7, 3));
    count_each(QUERN_EXTENTS(5, 7, 4111));
    count_each(QUERN_EXTENTS(93, 7, 123));
    count_each(QUERN_EXTENTS(5, 7, 3, 11));
    count_each(QUERN_EXTENTS(17, 19, 23, 7, 5));
    count_each(QUERN_EXTENTS(2, 3, 5, 7, 11, 13));
    count_each(QUERN_EXTENTS(0, 5));
    count_each(QUERN_EXTENTS(1, 1, 1, 1, 1, 99991));
}

/* alpaka: an unsigned index plus a negative offset on a sub-view jumps 4 GiB. */
static void test_halo_of_a_sub_view(void **state)
{
    (void)state;
    quern_buffer *u = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(13, 19));
    quern_buffer *v = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(11, 17));
    quern_view whole = QUERN_VIEW(u), target = QUERN_VIEW(v), interior;
    for (ptrdiff_t y = 0; y < 13; ++y)
        for (ptrdiff_t x = 0; x < 19; ++x) {
            ptrdiff_t index[2] = {y, x};
            void *element;
            ok(quern_span_at(&whole.span, index, &element));
            *(int32_t *)element = (int32_t)(100 * y + x * x);
        }
    size_t one[2] = {1, 1};
    ok(quern_view_sub(whole, one, QUERN_EXTENTS(11, 17), &interior));
    quern_argument arguments[2] = {quern_argument_view(&interior), quern_argument_view(&target)};
    launch("neighbours", QUERN_RANGE(11, 17), arguments, 2);
    for (ptrdiff_t y = 0; y < 11; ++y)
        for (ptrdiff_t x = 0; x < 17; ++x) {
            ptrdiff_t index[2] = {y, x};
            void *element;
            ok(quern_span_at(&target.span, index, &element));
            int32_t X = (int32_t)x + 1, Y = (int32_t)y + 1;
            assert_int_equal(*(int32_t *)element, 100 * (Y - 1) + X * X + 100 * (Y + 1) + X * X + 100 * Y +
                                                      (X - 1) * (X - 1) + 100 * Y + (X + 1) * (X + 1));
        }
    ok(quern_buffer_release(u));
    ok(quern_buffer_release(v));
}

static void test_ranges_beyond_32_bits(void **state)
{
    (void)state;
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(int64_t), QUERN_EXTENTS(7));
    quern_view view = QUERN_VIEW(buffer);
    const int64_t *found = view.span.address;
    size_t n = ((size_t)1 << 33) + 5;
    int64_t last = 1 << 17;
    quern_argument arguments[2] = {quern_argument_view(&view), quern_argument_value(QUERN_TYPE(int64_t), &last)};
    launch("last_group", quern_range_with_group(QUERN_RANGE(n), QUERN_EXTENTS(65536)), arguments, 2);
    assert_true(found[0] == (int64_t)1 << 33);
    assert_true(found[1] == (int64_t)n);
    assert_true(found[2] == last + 1);
    assert_true(found[3] == 5);

    ptrdiff_t far = ((ptrdiff_t)1 << 40) + 3;
    int64_t offset = far;
    arguments[1] = quern_argument_value(QUERN_TYPE(int64_t), &offset);
    launch("far_indices", quern_range_with_offsets(QUERN_RANGE(7), &far), arguments, 2);
    for (int i = 0; i < 7; ++i)
        assert_true(found[i] == far + i);
    ok(quern_buffer_release(buffer));
}

static void test_barriers_and_private_values(void **state)
{
    (void)state;
    enum { N = 32 * 5 + 7 };
    quern_buffer *x = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(N));
    quern_buffer *y = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(N));
    quern_view in = QUERN_VIEW(x), out = QUERN_VIEW(y);
    int32_t *values = in.span.address;
    const int32_t *found = out.span.address;
    for (int32_t times = 0; times <= 33; times += 3) {
        for (int i = 0; i < N; ++i)
            values[i] = 7 * i + 1;
        quern_argument arguments[3] = {quern_argument_view(&in), quern_argument_view(&out),
                                       quern_argument_value(QUERN_TYPE(int32_t), &times)};
        launch("rotate_n", QUERN_RANGE(N), arguments, 3);
        for (int i = 0; i < N; ++i) {
            int from = i / 32 * 32 + (i + times) % 32;
            assert_int_equal(found[i], from < N ? 7 * from + 1 : 0);
        }
    }
    quern_argument arguments[2] = {quern_argument_view(&in), quern_argument_view(&out)};
    for (int i = 0; i < N; ++i)
        values[i] = i;
    launch("exchange", QUERN_RANGE(N), arguments, 2);
    for (int i = 0; i < N; ++i) {
        int first = i / 64 * 64, size = N - first < 64 ? N - first : 64;
        assert_int_equal(found[i], first + (i - first + 1) % size + 1);
    }
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
}

/* A program, a queue and a buffer that are released while a launch uses them. */
static void test_release_while_running(void **state)
{
    (void)state;
    for (int order = 0; order < 3; ++order) {
        quern_program *own = NULL;
        quern_kernel *busy = NULL;
        ok(quern_program_load(device, QUERN_SOURCE_DIR "/tests/kernels/traps.k.c", &own));
        ok(quern_program_kernel(own, "busy", &busy));
        quern_queue *running = make_queue(device, 0, NULL);
        double memory[64] = {0};
        quern_layout layout;
        quern_buffer *x = NULL;
        ok(quern_layout_packed(QUERN_TYPE(double), QUERN_EXTENTS(64), &layout));
        ok(quern_buffer_wrap(device, memory, &layout, NULL, NULL, &x));
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        ok(quern_queue_call(running, gate_pass, &g));
        quern_view view = QUERN_VIEW(x);
        int32_t rounds = 200;
        quern_argument arguments[2] = {quern_argument_view(&view), quern_argument_value(QUERN_TYPE(int32_t), &rounds)};
        quern_range range = QUERN_RANGE(64);
        ok(quern_launch(running, busy, &range, arguments, 2));
        quern_event *end = NULL;
        ok(quern_event_record(running, &end));
        for (int k = 0; k < 3; ++k)
            switch ((k + order) % 3) {
            case 0:
                ok(quern_program_release(own));
                break;
            case 1:
                ok(quern_queue_release(running));
                break;
            default:
                ok(quern_buffer_release(x));
            }
        gate_open(&g);
        ok(quern_event_wait(end));
        for (int i = 0; i < 64; ++i)
            assert_true(memory[i] > 1.99 && memory[i] <= 2.0);
        ok(quern_event_release(end));
        gate_destroy(&g);
    }
}

static void test_missing_kernel_names_near_ones(void **state)
{
    (void)state;
    quern_kernel *found = NULL;
    refused(quern_program_kernel(program, "rotaten", &found), QUERN_NOT_FOUND, "rotaten|rotate_n");
    refused(quern_program_kernel(program, NULL, &found), QUERN_INVALID_ARGUMENT, "name");
    quern_program *none = NULL;
    refused(quern_program_load(device, "/nowhere/x.k.c", &none), QUERN_FILE_ERROR, "/nowhere/x.k.c");
    refused(quern_program_load(device, "", &none), QUERN_INVALID_ARGUMENT, "path");
    assert_null(none);
}

static int set_up(void **state)
{
    (void)state;
    device = open_device("cpu:0");
    queue = make_queue(device, 0, "traps");
    ok(quern_program_load(device, QUERN_SOURCE_DIR "/tests/kernels/traps.k.c", &program));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ok(quern_program_release(program));
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    return 0;
}

int main(void)
{
    setenv("QUERN_CPU_THREADS", "8", 0); /* more than cores, unless told otherwise */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_exactly_once_in_groups),
        cmocka_unit_test(test_every_index_exactly_once_in_any_rank),
        cmocka_unit_test(test_halo_of_a_sub_view),
        cmocka_unit_test(test_ranges_beyond_32_bits),
        cmocka_unit_test(test_barriers_and_private_values),
        cmocka_unit_test(test_release_while_running),
        cmocka_unit_test(test_missing_kernel_names_near_ones),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
