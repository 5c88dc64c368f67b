/* Native handles out: the order of the caller's own commands with Quern's, and what is refused. */
#include "native_test.h"

/* ---- order ---- */

/* Another queue writes first, then the caller's own command, then another queue reads. */
static void test_order(void **state)
{
    (void)state;
    quern_device *device = open_device("wire:0");
    quern_queue *queue = make_queue(device, 0, "shared"), *other = make_queue(device, 0, "other");
    quern_buffer *x = make_numbers(other, device, 0), *y = make_numbers(other, device, 0);
    uint64_t seven = 7;
    void *native = NULL, *memory = NULL;
    size_t offset = 99;
    gate g, h;
    gate_init(&g, QUERN_SUCCESS);
    gate_init(&h, QUERN_SUCCESS);
    ok(quern_queue_get_native(queue, (quern_native_kind)WIRE_QUEUE, &native));
    ok(quern_queue_call(other, gate_pass, &g));
    ok(quern_fill(other, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &seven));
    ok(quern_view_get_native(queue, QUERN_VIEW(x), (quern_native_kind)WIRE_MEMORY, &memory, &offset));
    assert_int_equal(offset, 0);
    addition one = {memory, &h, 0};
    put_in(native, add_one, &one);
    quern_event *event = NULL, *read = NULL;
    ok(quern_event_record(queue, &event));
    ok(quern_copy(other, QUERN_VIEW(y), QUERN_CONST_VIEW(x)));
    ok(quern_event_record(other, &read));
    gate_open(&g);
    gate_wait_entered(&h); /* the caller's command is in it, behind the fill */
    assert_int_equal(quern_event_query(read), QUERN_NOT_READY);
    assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
    gate_open(&h);
    ok(quern_event_wait(event));
    assert_int_equal(atomic_load(&one.done), 1);
    expect_numbers(other, y, 8);
    ok(quern_event_release(event));
    ok(quern_event_release(read));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(other));
    gate_destroy(&g);
    gate_destroy(&h);
}

/* A part of a buffer: where it lies, and that the rest is not waited for. */
static void test_part(void **state)
{
    (void)state;
    quern_device *device = open_device("wire:0");
    quern_queue *queue = make_queue(device, 0, "shared"), *other = make_queue(device, 0, "other");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(2 * N));
    quern_view first, second;
    uint64_t seven = 7, eight = 8, numbers[2 * N];
    void *native = NULL, *memory = NULL;
    size_t offset = 99;
    gate h;
    gate_init(&h, QUERN_SUCCESS);
    ok(quern_view_sub(QUERN_VIEW(x), (size_t[]){0}, QUERN_EXTENTS(N), &first));
    ok(quern_view_sub(QUERN_VIEW(x), (size_t[]){N}, QUERN_EXTENTS(N), &second));
    ok(quern_fill(queue, second, QUERN_TYPE(uint64_t), &seven));
    refused(quern_view_get_native(queue, second, (quern_native_kind)WIRE_MEMORY, &memory, NULL), QUERN_NOT_SUPPORTED,
            "offset is NULL|488 bytes");
    ok(quern_queue_get_native(queue, (quern_native_kind)WIRE_QUEUE, &native));
    ok(quern_view_get_native(queue, second, (quern_native_kind)WIRE_MEMORY, &memory, &offset));
    assert_int_equal(offset, 8 * N);
    addition one = {(uint64_t *)(void *)((char *)memory + offset), &h, 0};
    put_in(native, add_one, &one);
    quern_event *event = NULL;
    ok(quern_event_record(queue, &event));
    ok(quern_fill(other, first, QUERN_TYPE(uint64_t), &eight));
    ok(quern_queue_synchronize(other)); /* while the other half is still in use */
    assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
    gate_open(&h);
    ok(quern_copy_to_host(other, span_of(numbers, QUERN_TYPE(uint64_t), QUERN_EXTENTS(2 * N)), QUERN_CONST_VIEW(x)));
    ok(quern_queue_synchronize(other));
    for (int i = 0; i < 2 * N; ++i)
        assert_int_equal(numbers[i], 8);
    ok(quern_event_release(event));
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(other));
    gate_destroy(&h);
}

/* Synchronise waits for what the caller put in, on a queue of either kind; and so does the end of the memory. */
static void test_synchronize(void **state)
{
    static const char *const names[] = {"wire:0", "slow:0"};
    (void)state;
    for (int v = 0; v < 4; ++v) {
        quern_device *device = open_device(names[v & 1]);
        quern_queue *queue = make_queue(device, v >> 1, "shared");
        uint64_t seven = 7;
        quern_buffer *x = make_numbers(queue, device, seven);
        pthread_t opener;
        void *native = NULL, *memory = NULL;
        gate h;
        gate_init(&h, QUERN_SUCCESS);
        ok(quern_queue_synchronize(queue));
        long before = atomic_load(&variant_allocations);
        ok(quern_queue_get_native(queue, (quern_native_kind)WIRE_QUEUE, &native));
        ok(quern_view_get_native(queue, QUERN_VIEW(x), (quern_native_kind)WIRE_MEMORY, &memory, NULL));
        ok(quern_view_get_native(queue, QUERN_VIEW(x), (quern_native_kind)WIRE_MEMORY, &memory, NULL)); /* again */
        addition one = {memory, &h, 0};
        put_in(native, add_one, &one);
        ok(quern_buffer_release(x)); /* the queue keeps it */
        assert_int_equal(pthread_create(&opener, NULL, open_late, &h), 0);
        ok(quern_queue_synchronize(queue));
        assert_int_equal(atomic_load(&one.done), 1);
        assert_int_equal(pthread_join(opener, NULL), 0);
        while (atomic_load(&variant_allocations) != before - 1) /* its notice may be on the way */
            sched_yield();
        ok(quern_queue_release(queue));
        gate_destroy(&h);
    }
}

/* A queue that is released with the caller's commands in it: the memory stays until they have run. */
static void test_release(void **state)
{
    (void)state;
    quern_device *device = open_device("wire:0");
    quern_queue *queue = make_queue(device, 0, "shared");
    quern_buffer *x = make_numbers(queue, device, 1);
    void *native = NULL, *memory = NULL;
    gate h;
    gate_init(&h, QUERN_SUCCESS);
    ok(quern_queue_synchronize(queue));
    ok(quern_queue_get_native(queue, (quern_native_kind)WIRE_QUEUE, &native));
    ok(quern_view_get_native(queue, QUERN_VIEW(x), (quern_native_kind)WIRE_MEMORY, &memory, NULL));
    addition one = {memory, &h, 0};
    put_in(native, add_one, &one);
    long before = atomic_load(&variant_allocations);
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
    gate_wait_entered(&h);
    assert_int_equal(atomic_load(&variant_allocations), before);
    gate_open(&h);
    while (atomic_load(&variant_allocations) == before)
        sched_yield();
    assert_int_equal(atomic_load(&one.done), 1);
    gate_destroy(&h);
}

/* A queue that would hold commands back: the handle is there when the others have finished with the memory. */
static void test_held_back(void **state)
{
    (void)state;
    quern_device *device = open_device("slow:0");
    quern_queue *queue = make_queue(device, 0, "shared"), *other = make_queue(device, 0, "other");
    quern_buffer *x = make_numbers(other, device, 0);
    uint64_t seven = 7;
    void *memory = NULL;
    pthread_t opener;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_synchronize(other));
    ok(quern_queue_call(other, gate_pass, &g));
    ok(quern_fill(other, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &seven));
    assert_int_equal(pthread_create(&opener, NULL, open_late, &g), 0);
    ok(quern_view_get_native(queue, QUERN_VIEW(x), (quern_native_kind)WIRE_MEMORY, &memory, NULL));
    for (int i = 0; i < N; ++i)
        assert_int_equal(((uint64_t *)memory)[i], 7);
    assert_int_equal(pthread_join(opener, NULL), 0);
    ok(quern_queue_synchronize(queue));
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(other));
    gate_destroy(&g);
}

/* The host's own address: in a host function, in the order of the queue; on the CPU, and of pinned memory. */
static void test_address(void **state)
{
    (void)state;
    for (int v = 0; v < 2; ++v) {
        quern_device *device = open_device(v ? "lazy:0" : "cpu:0");
        quern_queue *queue = make_queue(device, 0, "host"), *other = make_queue(device, 0, "other");
        quern_layout layout;
        quern_buffer *x = NULL, *y = make_numbers(other, device, 0);
        uint64_t seven = 7;
        void *address = NULL;
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        ok(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &layout));
        ok(quern_buffer_create_with_layout(device, &layout, v ? QUERN_MEMORY_PINNED : QUERN_MEMORY_DEVICE, &x));
        ok(quern_fill(other, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &seven));
        ok(quern_view_get_native(queue, QUERN_VIEW(x), QUERN_NATIVE_ADDRESS, &address, NULL));
        assert_ptr_equal(address, QUERN_VIEW(x).span.address);
        addition one = {address, &g, 0};
        ok(quern_queue_call(queue, add_one, &one));
        quern_event *event = NULL;
        ok(quern_event_record(queue, &event));
        ok(quern_copy(other, QUERN_VIEW(y), QUERN_CONST_VIEW(x)));
        gate_wait_entered(&g);
        gate_open(&g);
        expect_numbers(other, y, 8);
        ok(quern_event_release(event));
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
        ok(quern_queue_release(queue));
        ok(quern_queue_release(other));
        gate_destroy(&g);
    }
}

/* ---- the other nouns ---- */

static void test_device_and_kernel(void **state)
{
    (void)state;
    quern_device *device = open_device("wire:1");
    void *handle = NULL;
    ok(quern_device_get_native(device, (quern_native_kind)WIRE_DEVICE, &handle));
    assert_ptr_equal(((variant_device *)handle)->variant, &wire_variant);
    ok(quern_kernel_get_native(&mix_kernel, device, (quern_native_kind)WIRE_MODULE, &handle));
    assert_ptr_equal(handle, &mix_image);
}

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
    (void)state;
    quern_device *device = open_device("wire:0"), *second = open_device("wire:1"), *cpu = open_device("cpu:0"),
                 *mute = open_device("mute:0"), *lazy = open_device("lazy:0");
    quern_queue *queue = make_queue(device, 0, "shared"), *cpu_queue = make_queue(cpu, 0, NULL),
                *lazy_queue = make_queue(lazy, 0, NULL);
    quern_buffer *x = make_numbers(queue, device, 1), *empty = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(0)),
                 *far = make_buffer(second, QUERN_TYPE(float), QUERN_EXTENTS(3)),
                 *hidden = make_buffer(lazy, QUERN_TYPE(float), QUERN_EXTENTS(3)), *pinned = NULL;
    quern_layout layout;
    quern_view view = QUERN_VIEW(x), none = QUERN_VIEW(x), beyond = QUERN_VIEW(x);
    const quern_native_kind of_device = (quern_native_kind)WIRE_DEVICE, of_queue = (quern_native_kind)WIRE_QUEUE,
                            of_memory = (quern_native_kind)WIRE_MEMORY, of_kernel = (quern_native_kind)WIRE_MODULE;
    void *handle = &layout;
    size_t offset = 77;
    none.buffer = NULL;
    beyond.span.layout.extents[0] = N + 1;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(3), &layout));
    ok(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_PINNED, &pinned));

    refused(quern_device_get_native(NULL, of_device, &handle), QUERN_INVALID_ARGUMENT, "device|NULL");
    refused(quern_device_get_native(device, of_device, NULL), QUERN_INVALID_ARGUMENT, "handle|NULL");
    refused(quern_device_get_native(device, QUERN_NATIVE_CUDA_STREAM, &handle), QUERN_INVALID_ARGUMENT,
            "QUERN_NATIVE_CUDA_STREAM|of a queue|of a device");
    refused(quern_device_get_native(device, (quern_native_kind)0, &handle), QUERN_INVALID_ARGUMENT, "kind is 0");
    refused(quern_device_get_native(device, (quern_native_kind)-5, &handle), QUERN_INVALID_ARGUMENT, "kind is -5");
    refused(quern_device_get_native(device, QUERN_NATIVE_OPENCL_DEVICE, &handle), QUERN_NOT_SUPPORTED,
            "QUERN_NATIVE_OPENCL_DEVICE|wire:0|150");
    refused(quern_device_get_native(cpu, QUERN_NATIVE_CUDA_DEVICE, &handle), QUERN_NOT_SUPPORTED, "cpu:0|no native");
    refused(quern_device_get_native(mute, of_device, &handle), QUERN_NOT_SUPPORTED, "mute:0|no native");

    refused(quern_queue_get_native(NULL, of_queue, &handle), QUERN_INVALID_ARGUMENT, "queue|NULL");
    refused(quern_queue_get_native(queue, of_queue, NULL), QUERN_INVALID_ARGUMENT, "handle|NULL");
    refused(quern_queue_get_native(queue, of_memory, &handle), QUERN_INVALID_ARGUMENT, "350|memory|a queue");
    refused(quern_queue_get_native(queue, QUERN_NATIVE_OPENCL_QUEUE, &handle), QUERN_NOT_SUPPORTED, "250");
    refused(quern_queue_get_native(cpu_queue, QUERN_NATIVE_CUDA_STREAM, &handle), QUERN_NOT_SUPPORTED, "cpu:0");

    refused(quern_view_get_native(NULL, view, of_memory, &handle, &offset), QUERN_INVALID_ARGUMENT, "queue|NULL");
    refused(quern_view_get_native(queue, none, of_memory, &handle, &offset), QUERN_INVALID_ARGUMENT, "view|no buffer");
    refused(quern_view_get_native(queue, beyond, of_memory, &handle, &offset), QUERN_INVALID_SHAPE, "view|outside");
    refused(quern_view_get_native(queue, view, of_memory, NULL, &offset), QUERN_INVALID_ARGUMENT, "handle|NULL");
    refused(quern_view_get_native(queue, QUERN_VIEW(empty), of_memory, &handle, &offset), QUERN_INVALID_SHAPE,
            "no elements");
    refused(quern_view_get_native(queue, QUERN_VIEW(far), of_memory, &handle, &offset), QUERN_WRONG_DEVICE,
            "wire:1|wire:0");
    refused(quern_view_get_native(queue, view, of_queue, &handle, &offset), QUERN_INVALID_ARGUMENT, "memory");
    refused(quern_view_get_native(queue, view, QUERN_NATIVE_CUDA_POINTER, &handle, &offset), QUERN_NOT_SUPPORTED,
            "350");
    refused(quern_view_get_native(queue, view, QUERN_NATIVE_ADDRESS, &handle, &offset), QUERN_NOT_SUPPORTED,
            "does not reach");
    refused(quern_view_get_native(queue, QUERN_VIEW(pinned), of_memory, &handle, &offset), QUERN_NOT_SUPPORTED,
            "no wire");
    refused(quern_view_get_native(lazy_queue, QUERN_VIEW(hidden), QUERN_NATIVE_ADDRESS, &handle, &offset),
            QUERN_NOT_SUPPORTED, "lazy:0");

    refused(quern_kernel_get_native(NULL, device, of_kernel, &handle), QUERN_INVALID_ARGUMENT, "kernel|NULL");
    refused(quern_kernel_get_native(&mix_kernel, NULL, of_kernel, &handle), QUERN_INVALID_ARGUMENT, "device|NULL");
    refused(quern_kernel_get_native(&mix_kernel, device, of_kernel, NULL), QUERN_INVALID_ARGUMENT, "handle|NULL");
    refused(quern_kernel_get_native(&mix_kernel, device, QUERN_NATIVE_CUDA_FUNCTION, &handle), QUERN_NOT_SUPPORTED,
            "QUERN_NATIVE_CUDA_FUNCTION|450");
    assert_ptr_equal(handle, &layout); /* nothing was changed */
    assert_int_equal(offset, 77);

    quern_buffer *const buffers[] = {x, empty, far, hidden, pinned};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        ok(quern_buffer_release(buffers[i]));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(cpu_queue));
    ok(quern_queue_release(lazy_queue));
}

static void test_the_end(void **state)
{
    (void)state;
    ok(quern_shutdown());
    assert_int_equal(atomic_load(&variant_allocations), 0);
    assert_int_equal(atomic_load(&variant_queues), 0);
    assert_int_equal(atomic_load(&wraps), 0);
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_synchronize),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_held_back),
        cmocka_unit_test(test_address),
        cmocka_unit_test(test_device_and_kernel),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_the_end),
    };
    return cmocka_run_group_tests(tests, add_backends, NULL);
}
