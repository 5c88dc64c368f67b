/* Memory in the order of a queue: its sizes and limits, want of memory, the backend's own allocation, what is refused.
 */
#include "pool_test.h"

/* Sizes: not more than a quarter is wasted, a smaller one does not get what is too small for it. */
static void test_sizes(void **state)
{
    (void)state;
    quern_device *device = fresh("cpu:0");
    quern_queue *queue = make_queue(device, 1, NULL);
    for (size_t bytes = 1; bytes < 40000; bytes += 1 + bytes / 9) {
        quern_buffer *buffer = NULL, *again = NULL;
        ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(uint8_t), QUERN_EXTENTS(bytes), &buffer));
        const void *address = address_of(buffer);
        assert_int_equal((uintptr_t)address % 64, 0);
        uint8_t value = 5;
        ok(quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(uint8_t), &value));
        ok(quern_buffer_release(buffer));
        quern_pool_statistics kept = statistics_of(device);
        assert_int_equal(kept.kept_blocks, 1);
        assert_true(kept.kept_bytes >= bytes && (kept.kept_bytes <= bytes + bytes / 4 || kept.kept_bytes == 256));
        /* One byte more than the block has. */
        ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(uint8_t), QUERN_EXTENTS(kept.kept_bytes + 1), &again));
        assert_ptr_not_equal(address_of(again), address);
        ok(quern_fill(queue, QUERN_VIEW(again), QUERN_TYPE(uint8_t), &value));
        ok(quern_buffer_release(again));
        ok(quern_device_trim(device));
    }
    ok(quern_queue_release(queue));
}

typedef struct wide {
    _Alignas(4096) char bytes[4096];
} wide;

/* A block at a lower alignment is none for a type that wants more, of the same size. */
static void test_alignment(void **state)
{
    (void)state;
    quern_device *device = fresh("cpu:0");
    quern_queue *queue = make_queue(device, 1, NULL);
    quern_buffer *odd[8], *wide_one = NULL;
    for (int i = 0; i < 8; ++i)
        ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(uint8_t), QUERN_EXTENTS(4096), &odd[i]));
    for (int i = 0; i < 8; ++i)
        ok(quern_buffer_release(odd[i]));
    for (int i = 0; i < 8; ++i) {
        ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(wide), QUERN_EXTENTS(1), &wide_one));
        assert_int_equal((uintptr_t)address_of(wide_one) % 4096, 0);
        odd[i] = wide_one;
    }
    for (int i = 0; i < 8; ++i)
        ok(quern_buffer_release(odd[i]));
    ok(quern_queue_release(queue));
}

/* Kept memory is limited by its blocks and its bytes. */
static void test_limits(void **state)
{
    enum { MANY = 1100, LARGE = 40 << 20 };
    (void)state;
    quern_device *device = fresh("scarce:0");
    quern_queue *queue = make_queue(device, 0, NULL);
    quern_buffer *many[MANY];
    for (int i = 0; i < MANY; ++i)
        many[i] = make_on(queue, 4);
    long alive = atomic_load(&variant_allocations);
    for (int i = 0; i < MANY; ++i)
        ok(quern_buffer_release(many[i]));
    assert_int_equal(statistics_of(device).kept_blocks, 1024);
    assert_int_equal(alive - atomic_load(&variant_allocations), MANY - 1024);
    quern_pool_statistics before = statistics_of(device);
    for (int i = 0; i < 10; ++i)
        many[i] = make_on(queue, LARGE / 8);
    for (int i = 0; i < 10; ++i)
        ok(quern_buffer_release(many[i]));
    quern_pool_statistics after = statistics_of(device);
    assert_true(after.kept_bytes <= 256 << 20 && after.kept_bytes >= 200 << 20);
    assert_true(after.returned_blocks > before.returned_blocks);
    ok(quern_device_trim(device));
    assert_int_equal(statistics_of(device).kept_blocks, 0);
    /* Past the limit, and in use: taken back when the commands have finished. */
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    for (int i = 0; i < 10; ++i)
        many[i] = make_on(queue, LARGE / 8);
    ok(quern_queue_call(queue, gate_pass, &g));
    for (int i = 0; i < 10; ++i) {
        fill(queue, many[i], 1);
        ok(quern_buffer_release(many[i]));
    }
    assert_true(statistics_of(device).kept_bytes <= 256 << 20);
    gate_open(&g);
    ok(quern_queue_synchronize(queue));
    assert_true(statistics_of(device).kept_bytes <= 256 << 20);
    ok(quern_queue_release(queue));
    gate_destroy(&g);
}

/* An allocation that finds no memory gets what was kept; in use, it is not given up. */
static void test_out_of_memory(void **state)
{
    (void)state;
    for (int v = 1; v < DEVICES; ++v) {
        quern_device *device = fresh(devices[v]);
        quern_queue *queue = make_queue(device, 0, NULL);
        quern_buffer *a = make_on(queue, 1000), *b = NULL;
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        ok(quern_queue_call(queue, gate_pass, &g));
        fill(queue, a, 3);
        ok(quern_buffer_release(a));
        atomic_store(&scarce_left, 0);
        refused(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(9), &b), QUERN_OUT_OF_MEMORY, "left");
        refused(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(9), &b), QUERN_OUT_OF_MEMORY,
                "left");
        gate_open(&g);
        ok(quern_queue_synchronize(queue)); /* no failure sticks */
        ok(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(9), &b));
        assert_int_equal(statistics_of(device).kept_blocks, 0);
        refused(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(9), &a), QUERN_OUT_OF_MEMORY,
                "left");
        ok(quern_buffer_release(b));
        ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(9), &a));
        ok(quern_buffer_release(a));
        ok(quern_queue_synchronize(queue));
        ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(9000), &a)); /* instead of the other */
        ok(quern_buffer_release(a));
        atomic_store(&scarce_left, 1000000);
        ok(quern_queue_release(queue));
        gate_destroy(&g);
    }
}

/* ---- the backend's own allocation ---- */

/* A queue that holds commands back is given memory all the same, by the plain function. */
static void test_allocation_in_order(void **state)
{
    (void)state;
    quern_device *device = fresh("ordering:0"), *other = fresh("holding:0");
    quern_queue *queue = make_queue(device, 0, NULL), *blocking = make_queue(device, 1, NULL),
                *holding = make_queue(other, 0, NULL);
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    atomic_store(&ordered, 0);
    atomic_store(&plain, 0);
    quern_buffer *a = make_on(queue, N), *b = make_on(blocking, 2 * N), *c = make_on(holding, N);
    assert_int_equal(atomic_load(&ordered), 3);
    ok(quern_queue_call(holding, gate_pass, &g));
    quern_buffer *d = make_on(holding, N), *e = make_on(queue, 4 * N);
    assert_int_equal(atomic_load(&ordered), 4);
    assert_int_equal(atomic_load(&plain), 1);
    fill(holding, c, 4);
    fill(holding, d, 5);
    gate_open(&g);
    expect_numbers(holding, c, 4);
    expect_numbers(holding, d, 5);
    fill(queue, a, 6);
    expect_numbers(queue, a, 6);
    /* Another queue's use is behind the allocation. */
    gate_destroy(&g);
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(queue, gate_pass, &g));
    quern_buffer *f = make_on(queue, 8 * N);
    quern_queue *second = make_queue(device, 0, NULL);
    quern_event *event = NULL;
    fill(second, f, 1);
    ok(quern_event_record(second, &event));
    assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
    gate_open(&g);
    ok(quern_event_wait(event));
    ok(quern_event_release(event));
    quern_buffer *const all[] = {a, b, c, d, e, f};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        ok(quern_buffer_release(all[i]));
    quern_queue *const queues[] = {queue, blocking, holding, second};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; ++i)
        ok(quern_queue_release(queues[i]));
    gate_destroy(&g);
}

/* The failure is the caller's; the queue goes on, a failed one as well. */
static void test_allocation_fails(void **state)
{
    (void)state;
    quern_device *device = fresh("ordering:0");
    quern_queue *queue = make_queue(device, 0, NULL), *blocking = make_queue(device, 1, NULL);
    quern_buffer *a = NULL;
    atomic_store(&refuse_ordered, 1);
    refused(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(9), &a), QUERN_OUT_OF_MEMORY,
            "stream");
    refused(quern_buffer_create_on_queue(blocking, QUERN_TYPE(float), QUERN_EXTENTS(9), &a), QUERN_OUT_OF_MEMORY,
            "stream");
    atomic_store(&refuse_ordered, 0);
    ok(quern_queue_synchronize(queue));
    ok(quern_queue_synchronize(blocking));
    ok(quern_queue_call(queue, fail_with_sentence, NULL));
    a = make_on(queue, N);
    fill(queue, a, 1);
    refused(quern_queue_synchronize(queue), QUERN_INVALID_ARGUMENT, "host function");
    fill(queue, a, 2);
    expect_numbers(queue, a, 2);
    ok(quern_buffer_release(a));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(blocking));
}

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
    (void)state;
    quern_device *device = fresh("cpu:0");
    quern_queue *queue = make_queue(device, 0, NULL);
    quern_buffer *buffer = NULL;
    quern_layout layout;
    quern_pool_statistics statistics;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(3), &layout));
    refused(quern_buffer_create_on_queue(NULL, QUERN_TYPE(float), QUERN_EXTENTS(3), &buffer), QUERN_INVALID_ARGUMENT,
            "queue|NULL");
    refused(quern_buffer_create_on_queue((quern_queue *)(void *)device, QUERN_TYPE(float), QUERN_EXTENTS(3), &buffer),
            QUERN_INVALID_ARGUMENT, "queue|a device");
    refused(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(3), NULL), QUERN_INVALID_ARGUMENT,
            "buffer|NULL");
    refused(quern_buffer_create_on_queue_with_layout(queue, NULL, &buffer), QUERN_INVALID_ARGUMENT, "layout|NULL");
    refused(quern_buffer_create_on_queue_with_layout(NULL, &layout, &buffer), QUERN_INVALID_ARGUMENT, "queue|NULL");
    refused(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(SIZE_MAX / 8, 9), &buffer),
            QUERN_OVERFLOW, "");
    refused(quern_buffer_create_on_queue(queue, QUERN_TYPE(char), QUERN_EXTENTS(SIZE_MAX / 4), &buffer),
            QUERN_LIMIT_EXCEEDED, "largest");
    refused(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_QUEUE, &buffer), QUERN_INVALID_ARGUMENT,
            "kind|quern_buffer_create_on_queue");
    refused(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_WRAPPED, &buffer), QUERN_INVALID_ARGUMENT,
            "kind");
    refused(quern_device_trim(NULL), QUERN_INVALID_ARGUMENT, "device|NULL");
    refused(quern_device_get_pool_statistics(NULL, &statistics), QUERN_INVALID_ARGUMENT, "device|NULL");
    refused(quern_device_get_pool_statistics(device, NULL), QUERN_INVALID_ARGUMENT, "statistics|NULL");
    /* Nothing of nothing. */
    ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(3, 0), &buffer));
    assert_null(address_of(buffer));
    float value = 1;
    ok(quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(float), &value));
    ok(quern_buffer_release(buffer));
    assert_int_equal(statistics_of(device).kept_blocks, 0);
    ok(quern_queue_release(queue));
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_allocation_in_order),
        cmocka_unit_test(test_allocation_fails),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, add_backends, NULL);
}
