/* Copies and fills where one command of the backend does not do: two devices, host memory by its kind, no fill. */
#include "queue_test.h"

/* Odd, so that nothing fits by chance. */
enum { PLANES = 3, ROWS = 5, COLUMNS = 7, PARENT = (PLANES + 2) * (ROWS + 2) * (COLUMNS + 3) };

static const char *const far_devices[] = {"lazy:1", "full:1", "cpu:0"};

static quern_extents parent_extents(void)
{
    return QUERN_EXTENTS(PLANES + 2, ROWS + 2, COLUMNS + 3);
}

static size_t parent_at(size_t plane, size_t row, size_t column)
{
    return ((plane + 1) * (ROWS + 2) + row + 1) * (COLUMNS + 3) + column + 2;
}

/* A buffer whose elements are begin, begin + 1, …, and the view of its inside. */
static quern_buffer *make_parent(quern_queue *queue, quern_device *device, quern_memory_kind kind, int32_t begin,
                                 quern_view *inside)
{
    int32_t numbers[PARENT];
    for (int i = 0; i < PARENT; ++i)
        numbers[i] = begin + i;
    quern_layout layout;
    quern_buffer *buffer = NULL;
    ok(quern_layout_packed(QUERN_TYPE(int32_t), parent_extents(), &layout));
    ok(quern_buffer_create_with_layout(device, &layout, kind, &buffer));
    ok(quern_copy_from_host(queue, QUERN_VIEW(buffer),
                            quern_span_as_const(span_of(numbers, QUERN_TYPE(int32_t), parent_extents()))));
    ok(quern_queue_synchronize(queue));
    ok(quern_view_sub(QUERN_VIEW(buffer), (size_t[]){1, 1, 2}, QUERN_EXTENTS(PLANES, ROWS, COLUMNS), inside));
    return buffer;
}

/* The inside is what other, which begins there, has; around it nothing has changed. Other 0: all is value. */
static void expect_inside(quern_queue *queue, quern_buffer *buffer, int32_t begin, int32_t other, int32_t value)
{
    int32_t numbers[PARENT];
    memset(numbers, 0x5a, sizeof numbers);
    ok(quern_copy_to_host(queue, span_of(numbers, QUERN_TYPE(int32_t), parent_extents()), QUERN_CONST_VIEW(buffer)));
    ok(quern_queue_synchronize(queue));
    for (size_t p = 0; p < PLANES; ++p)
        for (size_t r = 0; r < ROWS; ++r)
            for (size_t c = 0; c < COLUMNS; ++c) {
                size_t at = parent_at(p, r, c);
                assert_int_equal(numbers[at], other ? other + (int32_t)at : value);
                numbers[at] = begin + (int32_t)at;
            }
    for (int i = 0; i < PARENT; ++i)
        assert_int_equal(numbers[i], begin + i);
}

/* ---- two devices ---- */

static void copy_between(const char *own_name, const char *far_name, int blocking, int to_own, quern_memory_kind kind)
{
    quern_device *own = open_device(own_name), *far = open_device(far_name);
    quern_queue *queue = make_queue(own, blocking, "given"), *far_queue = make_queue(far, 0, "far");
    quern_view a, b;
    quern_buffer *mine = make_parent(queue, own, kind, 1000, &a);
    quern_buffer *theirs = make_parent(far_queue, far, QUERN_MEMORY_DEVICE, 5000, &b);
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    int32_t nine = 9;
    /* What the source is when the copy is submitted still comes, behind the gate. */
    quern_queue *filling = to_own ? far_queue : make_queue(own, 0, "filling");
    quern_view source = to_own ? b : a;
    if (!blocking)
        ok(quern_queue_call(filling, gate_pass, &g));
    ok(quern_fill(filling, source, QUERN_TYPE(int32_t), &nine));
    ok(quern_copy(queue, to_own ? a : b, quern_view_as_const(source)));
    quern_event *event = NULL;
    ok(quern_event_record(queue, &event));
    if (!blocking)
        assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
    gate_open(&g);
    ok(quern_event_wait(event));
    expect_inside(queue, mine, 1000, 0, 9);
    expect_inside(far_queue, theirs, 5000, 0, 9);
    if (filling != far_queue)
        ok(quern_queue_release(filling));
    ok(quern_event_release(event));
    ok(quern_buffer_release(mine));
    ok(quern_buffer_release(theirs));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(far_queue));
    gate_destroy(&g);
}

static void test_between_devices(void **state)
{
    static const quern_memory_kind kinds[] = {QUERN_MEMORY_DEVICE, QUERN_MEMORY_PINNED};
    (void)state;
    for (int v = 0; v < VARIANTS; ++v)
        for (size_t f = 0; f < sizeof far_devices / sizeof *far_devices; ++f)
            for (int blocking = 0; blocking < 2; ++blocking)
                for (int way = 0; way < 4; ++way) {
                    copy_between(variant_devices[v], far_devices[f], blocking, way & 1, kinds[way / 2]);
                    if (strcmp(far_devices[f], "cpu:0") == 0) /* a queue of the CPU, and memory that it cannot reach */
                        copy_between(far_devices[f], variant_devices[v], blocking, way & 1, kinds[0]);
                }
}

/* What the copy does with a queue of its own is no wait of the given one; what comes before it on another queue is. */
static void count_waits(const char *own_name, const char *far_name, int to_own)
{
    quern_device *own = open_device(own_name), *far = open_device(far_name);
    quern_queue *queue = make_queue(own, 0, "given"), *far_queue = make_queue(far, 0, "far");
    quern_queue_statistics before, after;
    quern_view a, b;
    quern_buffer *mine = make_parent(queue, own, QUERN_MEMORY_DEVICE, 1000, &a);
    quern_buffer *theirs = make_parent(far_queue, far, QUERN_MEMORY_DEVICE, 5000, &b);
    const int32_t nine = 9;
    gate g;
    ok(quern_copy(queue, to_own ? a : b, quern_view_as_const(to_own ? b : a)));
    ok(quern_queue_synchronize(queue));
    ok(quern_queue_get_statistics(queue, &before));
    ok(quern_copy(queue, to_own ? a : b, quern_view_as_const(to_own ? b : a)));
    ok(quern_queue_get_statistics(queue, &after));
    assert_int_equal(after.waits, before.waits);
    assert_int_equal(after.skipped_waits, before.skipped_waits);
    ok(quern_queue_synchronize(queue));
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(far_queue, gate_pass, &g));
    ok(quern_fill(far_queue, b, QUERN_TYPE(int32_t), &nine));
    ok(quern_copy(queue, to_own ? a : b, quern_view_as_const(to_own ? b : a)));
    ok(quern_queue_get_statistics(queue, &after));
    assert_int_equal(after.waits, before.waits + 1);
    gate_open(&g);
    ok(quern_queue_synchronize(queue));
    gate_destroy(&g);
    ok(quern_buffer_release(mine));
    ok(quern_buffer_release(theirs));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(far_queue));
}

static void test_between_devices_waits(void **state)
{
    static const char *const devices[] = {"cpu:0", "lazy:0", "all:0", "full:1"};
    enum { DEVICES = sizeof devices / sizeof *devices };
    (void)state;
    for (int own = 0; own < DEVICES; ++own)
        for (int far = 0; far < DEVICES; ++far)
            if (own != far)
                for (int to_own = 0; to_own < 2; ++to_own)
                    count_waits(devices[own], devices[far], to_own);
}

/* The elements of the source, not just one value. */
static void test_between_devices_elements(void **state)
{
    (void)state;
    quern_device *own = open_device("lazy:0"), *far = open_device("full:0");
    quern_queue *queue = make_queue(own, 0, "given"), *far_queue = make_queue(far, 0, "far");
    for (int to_own = 0; to_own < 2; ++to_own) {
        quern_view a, b;
        quern_buffer *mine = make_parent(queue, own, QUERN_MEMORY_DEVICE, 1000, &a);
        quern_buffer *theirs = make_parent(far_queue, far, QUERN_MEMORY_DEVICE, 5000, &b);
        ok(quern_copy(queue, to_own ? a : b, quern_view_as_const(to_own ? b : a)));
        expect_inside(queue, mine, 1000, to_own ? 5000 : 1000, 0);
        expect_inside(far_queue, theirs, 5000, to_own ? 5000 : 1000, 0);
        ok(quern_buffer_release(mine));
        ok(quern_buffer_release(theirs));
    }
    ok(quern_queue_release(queue));
    ok(quern_queue_release(far_queue));
}

static quern_status fail_now(void *argument)
{
    (void)argument;
    return QUERN_DEVICE_LOST;
}

/* A queue that has failed runs no part of the copy, not even the other queue's. */
static void test_between_devices_after_a_failure(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *own = open_device(variant_devices[v]), *far = open_device("lazy:1");
        quern_queue *queue = make_queue(own, 0, "given"), *far_queue = make_queue(far, 0, "far");
        quern_view a, b;
        quern_buffer *mine = make_parent(queue, own, QUERN_MEMORY_PINNED, 1000, &a);
        quern_buffer *theirs = make_parent(far_queue, far, QUERN_MEMORY_DEVICE, 5000, &b);
        ok(quern_queue_call(queue, fail_now, NULL));
        ok(quern_copy(queue, b, quern_view_as_const(a)));
        ok(quern_copy(queue, a, quern_view_as_const(b)));
        refused(quern_queue_synchronize(queue), QUERN_DEVICE_LOST, "host function");
        expect_inside(queue, mine, 1000, 1000, 0);
        expect_inside(far_queue, theirs, 5000, 5000, 0);
        ok(quern_buffer_release(mine));
        ok(quern_buffer_release(theirs));
        ok(quern_queue_release(queue));
        ok(quern_queue_release(far_queue));
    }
}

static void test_refusals(void **state)
{
    (void)state;
    quern_device *one = open_device("lazy:0"), *two = open_device("lazy:1"), *cpu = open_device("cpu:0");
    quern_queue *queue = make_queue(one, 0, NULL), *on_cpu = make_queue(cpu, 0, NULL);
    quern_view a, b;
    quern_buffer *x = make_parent(queue, one, QUERN_MEMORY_DEVICE, 0, &a);
    quern_queue *two_queue = make_queue(two, 0, NULL);
    quern_buffer *y = make_parent(two_queue, two, QUERN_MEMORY_DEVICE, 0, &b), *wrapped = NULL;
    refused(quern_copy(on_cpu, b, quern_view_as_const(a)), QUERN_WRONG_DEVICE, "cpu:0|lazy:1");
    refused(quern_fill(queue, b, QUERN_TYPE(int32_t), &(int32_t){1}), QUERN_WRONG_DEVICE, "lazy:0|lazy:1");
    int32_t memory[4] = {0};
    quern_layout layout;
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(4), &layout));
    refused(quern_buffer_wrap(one, memory, &layout, NULL, NULL, &wrapped), QUERN_NOT_SUPPORTED, "lazy:0|share");
    refused(quern_buffer_create_with_layout(one, &layout, QUERN_MEMORY_UNIFIED, &wrapped), QUERN_NOT_SUPPORTED,
            "unified");
    quern_source source = QUERN_SOURCE(x);
    int32_t element = 0;
    refused(quern_source_read(&source, (ptrdiff_t[]){0, 0, 0}, &element), QUERN_WRONG_DEVICE, "host");
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(two_queue));
    ok(quern_queue_release(on_cpu));
}

/* ---- host memory by its kind ---- */

static void test_host_memory_of_a_device(void **state)
{
    static const quern_memory_kind kinds[] = {QUERN_MEMORY_HOST, QUERN_MEMORY_PINNED};
    (void)state;
    for (int v = 0; v < VARIANTS; ++v)
        for (int k = 0; k < 2; ++k)
            for (int blocking = 0; blocking < 2; ++blocking) {
                quern_device *device = open_device(variant_devices[v]);
                quern_queue *queue = make_queue(device, blocking, NULL);
                quern_view a, b, c;
                quern_buffer *x = make_parent(queue, device, kinds[k], 1000, &a);
                quern_buffer *y = make_parent(queue, device, QUERN_MEMORY_DEVICE, 5000, &b);
                quern_buffer *z = make_parent(queue, device, kinds[k], 7000, &c);
                /* The host reads and writes it. */
                assert_int_equal(((const int32_t *)QUERN_SPAN(x).address)[8], 1008);
                quern_source source = QUERN_SOURCE(a);
                int32_t element = 0;
                ok(quern_source_read(&source, (ptrdiff_t[]){1, 2, 3}, &element));
                assert_int_equal(element, 1000 + (int32_t)parent_at(1, 2, 3));
                int32_t four = 4;
                ok(quern_copy(queue, c, quern_view_as_const(a))); /* host to host */
                ok(quern_copy(queue, b, quern_view_as_const(a)));
                ok(quern_fill(queue, a, QUERN_TYPE(int32_t), &four));
                four = 0;
                expect_inside(queue, x, 1000, 0, 4);
                expect_inside(queue, y, 5000, 1000, 0);
                expect_inside(queue, z, 7000, 1000, 0);
                ok(quern_copy(queue, a, quern_view_as_const(b)));
                expect_inside(queue, x, 1000, 1000, 0);
                ok(quern_buffer_release(x));
                ok(quern_buffer_release(y));
                ok(quern_buffer_release(z));
                ok(quern_queue_release(queue));
            }
}

/* ---- fills ---- */

typedef struct three_bytes {
    uint8_t byte[3];
} three_bytes;

static void fill_line(quern_queue *queue, quern_device *device, size_t n, size_t skip)
{
    three_bytes *line = calloc(n + 2, sizeof *line), value = {{7, 8, 9}}, guard = {{1, 2, 3}};
    quern_buffer *buffer = NULL;
    quern_type type = QUERN_TYPE(three_bytes);
    quern_view part;
    assert_non_null(line);
    ok(quern_buffer_create(device, type, QUERN_EXTENTS(n + 2), &buffer));
    ok(quern_fill(queue, QUERN_VIEW(buffer), type, &guard));
    ok(quern_view_sub(QUERN_VIEW(buffer), (size_t[]){1 + skip}, QUERN_EXTENTS(n - skip), &part));
    ok(quern_fill(queue, part, type, &value));
    ok(quern_copy_to_host(queue, span_of(line, type, QUERN_EXTENTS(n + 2)), QUERN_CONST_VIEW(buffer)));
    ok(quern_queue_synchronize(queue));
    for (size_t i = 0; i < n + 2; ++i)
        assert_memory_equal(&line[i], i < 1 + skip || i == n + 1 ? &guard : &value, sizeof *line);
    ok(quern_buffer_release(buffer));
    free(line);
}

/* Lines that are shorter than the row of values that is copied, as long, longer, and no multiple of it. */
static void test_fill_of_lines(void **state)
{
    static const size_t lengths[] = {2, 21844, 21845, 21846, 43690, 43691, 100003};
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        quern_queue *queue = make_queue(device, v & 1, NULL);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
            for (size_t skip = 0; skip < 2; ++skip)
                fill_line(queue, device, lengths[i], skip);
        ok(quern_queue_release(queue));
    }
}

/* Behind a host function, with the value gone by then. */
static void test_fill_of_boxes(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        quern_queue *queue = make_queue(device, 0, NULL);
        quern_view inside;
        quern_buffer *buffer = make_parent(queue, device, QUERN_MEMORY_DEVICE, 1000, &inside);
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        ok(quern_queue_call(queue, gate_pass, &g));
        int32_t value = -6;
        ok(quern_fill(queue, inside, QUERN_TYPE(int32_t), &value));
        value = 0;
        gate_open(&g);
        expect_inside(queue, buffer, 1000, 0, -6);
        ok(quern_buffer_release(buffer));
        ok(quern_queue_release(queue));
        gate_destroy(&g);
    }
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_devices),
        cmocka_unit_test(test_between_devices_waits),
        cmocka_unit_test(test_between_devices_elements),
        cmocka_unit_test(test_between_devices_after_a_failure),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_host_memory_of_a_device),
        cmocka_unit_test(test_fill_of_lines),
        cmocka_unit_test(test_fill_of_boxes),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
