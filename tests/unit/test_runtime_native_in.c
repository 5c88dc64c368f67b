/* Native handles in: queues, memory and kernels of the caller's, used as any others and left as they are. */
#include "native_test.h"

/* ---- memory ---- */

typedef struct own_memory {
    _Alignas(VARIANT_ALIGNMENT) char mark[VARIANT_ALIGNMENT];
    uint64_t numbers[N];
} own_memory;

static void count_release(void *context)
{
    atomic_fetch_add((_Atomic int *)context, 1);
}

static void test_memory(void **state)
{
    (void)state;
    quern_device *device = open_device("wire:0");
    quern_queue *queue = make_queue(device, 0, NULL);
    quern_layout layout;
    quern_buffer *x = NULL;
    own_memory memory;
    _Atomic int released = 0;
    uint64_t value = 5;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    memset(memory.numbers, 0, sizeof memory.numbers);
    ok(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &layout));
    ok(quern_buffer_wrap_native(device, (quern_native_kind)WIRE_MEMORY, &memory, &layout, count_release, &released,
                                &x));
    assert_ptr_equal(QUERN_VIEW(x).span.address, memory.numbers);
    ok(quern_queue_call(queue, gate_pass, &g));
    ok(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &value));
    ok(quern_buffer_release(x));
    assert_int_equal(atomic_load(&released), 0);
    gate_open(&g);
    ok(quern_queue_synchronize(queue));
    while (atomic_load(&released) == 0) /* its notice may be on the way */
        sched_yield();
    assert_int_equal(atomic_load(&released), 1);
    for (int i = 0; i < N; ++i)
        assert_int_equal(memory.numbers[i], 5);
    /* Without a callback, and again. */
    ok(quern_buffer_wrap_native(device, (quern_native_kind)WIRE_MEMORY, &memory, &layout, NULL, NULL, &x));
    expect_numbers(queue, x, 5);
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
    gate_destroy(&g);
}

static void test_memory_refusals(void **state)
{
    (void)state;
    const quern_native_kind kind = (quern_native_kind)WIRE_MEMORY;
    quern_device *device = open_device("wire:0"), *cpu = open_device("cpu:0"), *mute = open_device("mute:0");
    quern_layout layout, empty;
    quern_buffer *x = NULL;
    own_memory memory;
    _Atomic int released = 0;
    ok(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &layout));
    ok(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(0), &empty));
    refused(quern_buffer_wrap_native(NULL, kind, &memory, &layout, count_release, &released, &x),
            QUERN_INVALID_ARGUMENT, "device|NULL");
    refused(quern_buffer_wrap_native(device, kind, NULL, &layout, count_release, &released, &x), QUERN_INVALID_ARGUMENT,
            "handle|NULL");
    refused(quern_buffer_wrap_native(device, kind, &memory, NULL, count_release, &released, &x), QUERN_INVALID_ARGUMENT,
            "layout|NULL");
    refused(quern_buffer_wrap_native(device, kind, &memory, &layout, count_release, &released, NULL),
            QUERN_INVALID_ARGUMENT, "buffer|NULL");
    refused(quern_buffer_wrap_native(device, kind, &memory, &empty, count_release, &released, &x), QUERN_INVALID_SHAPE,
            "no elements");
    refused(quern_buffer_wrap_native(device, kind, memory.mark + 4, &layout, count_release, &released, &x),
            QUERN_INVALID_ARGUMENT, "multiple of 8");
    refused(quern_buffer_wrap_native(device, (quern_native_kind)WIRE_QUEUE, &memory, &layout, NULL, NULL, &x),
            QUERN_INVALID_ARGUMENT, "250|memory");
    refused(quern_buffer_wrap_native(device, QUERN_NATIVE_CUDA_POINTER, &memory, &layout, NULL, NULL, &x),
            QUERN_NOT_SUPPORTED, "QUERN_NATIVE_CUDA_POINTER|350");
    refused(quern_buffer_wrap_native(cpu, QUERN_NATIVE_CUDA_POINTER, &memory, &layout, NULL, NULL, &x),
            QUERN_NOT_SUPPORTED, "cpu:0");
    refused(quern_buffer_wrap_native(mute, kind, &memory, &layout, NULL, NULL, &x), QUERN_NOT_SUPPORTED, "mute:0");
    refused(quern_buffer_wrap_native(device, QUERN_NATIVE_ADDRESS, &memory, &layout, NULL, NULL, &x),
            QUERN_NOT_SUPPORTED, "wire:0|host's memory");
    assert_null(x);
    assert_int_equal(atomic_load(&released), 0);
    /* An address on a device that shares the host's memory is wrapped as ever. */
    ok(quern_buffer_wrap_native(cpu, QUERN_NATIVE_ADDRESS, memory.numbers, &layout, count_release, &released, &x));
    assert_ptr_equal(QUERN_VIEW(x).span.address, memory.numbers);
    ok(quern_buffer_release(x));
    assert_int_equal(atomic_load(&released), 1);
}

/* ---- queues ---- */

/* What the caller put into it is waited for, though no handle was asked for. */
static void test_queue(void **state)
{
    (void)state;
    for (int blocking = 0; blocking < 2; ++blocking) {
        quern_device *device = open_device("wire:0");
        quern_queue_options options = {blocking, 0, "wrapped"};
        quern_queue *queue = NULL, *named = NULL;
        uint64_t numbers[N] = {0};
        int thing;
        gate h;
        pthread_t opener;
        gate_init(&h, QUERN_SUCCESS);
        ok(quern_queue_create_from_native(device, (quern_native_kind)WIRE_QUEUE, &thing, &options, &queue));
        assert_ptr_equal(last_wrapped, &thing);
        quern_buffer *x = make_numbers(queue, device, 3);
        expect_numbers(queue, x, 3);
        addition one = {numbers, &h, 0};
        put_in(last_made, add_one, &one);
        assert_int_equal(pthread_create(&opener, NULL, open_late, &h), 0);
        ok(quern_queue_synchronize(queue));
        assert_int_equal(atomic_load(&one.done), 1);
        assert_int_equal(pthread_join(opener, NULL), 0);
        /* Failures are the queue's, by its name. */
        ok(quern_queue_create_from_native(device, (quern_native_kind)WIRE_QUEUE, &thing, NULL, &named));
        assert_int_equal(quern_queue_call(queue, fail_with_sentence, NULL), blocking ? QUERN_INVALID_ARGUMENT : 0);
        refused(quern_queue_synchronize(queue), QUERN_INVALID_ARGUMENT, "wrapped");
        ok(quern_buffer_release(x));
        ok(quern_queue_release(named));
        ok(quern_queue_release(queue));
        gate_destroy(&h);
    }
}

static void test_queue_refusals(void **state)
{
    (void)state;
    const quern_native_kind kind = (quern_native_kind)WIRE_QUEUE;
    const quern_queue_options urgent = {0, 1, NULL}, odd = {2, 0, NULL};
    quern_device *device = open_device("wire:0"), *cpu = open_device("cpu:0"), *mute = open_device("mute:0");
    quern_queue *queue = NULL;
    int thing;
    refused(quern_queue_create_from_native(NULL, kind, &thing, NULL, &queue), QUERN_INVALID_ARGUMENT, "device|NULL");
    refused(quern_queue_create_from_native(device, kind, NULL, NULL, &queue), QUERN_INVALID_ARGUMENT, "handle|NULL");
    refused(quern_queue_create_from_native(device, kind, &thing, NULL, NULL), QUERN_INVALID_ARGUMENT, "queue|NULL");
    refused(quern_queue_create_from_native(device, kind, &thing, &urgent, &queue), QUERN_INVALID_ARGUMENT,
            "priority is 1");
    refused(quern_queue_create_from_native(device, kind, &thing, &odd, &queue), QUERN_INVALID_ARGUMENT,
            "blocking is 2");
    refused(quern_queue_create_from_native(device, (quern_native_kind)WIRE_MEMORY, &thing, NULL, &queue),
            QUERN_INVALID_ARGUMENT, "350|a queue");
    refused(quern_queue_create_from_native(device, QUERN_NATIVE_CUDA_STREAM, &thing, NULL, &queue), QUERN_NOT_SUPPORTED,
            "QUERN_NATIVE_CUDA_STREAM|250");
    refused(quern_queue_create_from_native(cpu, QUERN_NATIVE_CUDA_STREAM, &thing, NULL, &queue), QUERN_NOT_SUPPORTED,
            "cpu:0");
    refused(quern_queue_create_from_native(mute, kind, &thing, NULL, &queue), QUERN_NOT_SUPPORTED, "mute:0");
    assert_null(queue);
}

/* ---- kernels ---- */

/* Another mix: y[i] = a. */
static void constant_function(const quern_backend_launch *launch)
{
    uint64_t *y = launch->arguments[1].address, a;
    memcpy(&a, launch->arguments[2].address, sizeof a);
    for (size_t i = 0; i < launch->items; ++i)
        y[i] = a;
}

static void test_kernel(void **state)
{
    (void)state;
    static const quern_kernel_image module = {"all", "mix", (void (*)(void))constant_function, NULL, 0},
                                    other = {"all", "max", (void (*)(void))constant_function, NULL, 0};
    const quern_native_kind kind = (quern_native_kind)WIRE_MODULE;
    quern_device *device = open_device("wire:0"), *second = open_device("wire:1"), *mute = open_device("mute:0");
    quern_queue *queue = make_queue(device, 0, NULL), *plain = make_queue(second, 0, NULL);
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2),
                 *v = make_numbers(plain, second, 1), *w = make_numbers(plain, second, 2);
    void *handle = NULL;
    refused(quern_kernel_prepare_from_native(NULL, device, kind, (void *)&module), QUERN_INVALID_ARGUMENT,
            "kernel|NULL");
    refused(quern_kernel_prepare_from_native(&mix_kernel, NULL, kind, (void *)&module), QUERN_INVALID_ARGUMENT,
            "device|NULL");
    refused(quern_kernel_prepare_from_native(&mix_kernel, device, kind, NULL), QUERN_INVALID_ARGUMENT, "handle|NULL");
    refused(quern_kernel_prepare_from_native(&mix_kernel, device, (quern_native_kind)WIRE_QUEUE, (void *)&module),
            QUERN_INVALID_ARGUMENT, "250|a kernel");
    refused(quern_kernel_prepare_from_native(&mix_kernel, device, QUERN_NATIVE_CUDA_MODULE, (void *)&module),
            QUERN_NOT_SUPPORTED, "QUERN_NATIVE_CUDA_MODULE|450");
    refused(quern_kernel_prepare_from_native(&mix_kernel, mute, kind, (void *)&module), QUERN_NOT_SUPPORTED, "mute:0");
    refused(quern_kernel_prepare_from_native(&mix_kernel, device, kind, (void *)&other), QUERN_NOT_FOUND, "'mix'");
    ok(quern_kernel_prepare_from_native(&mix_kernel, device, kind, (void *)&module));
    refused(quern_kernel_prepare_from_native(&mix_kernel, device, kind, (void *)&module), QUERN_BUSY, "mix|wire:0");
    ok(quern_kernel_get_native(&mix_kernel, device, kind, &handle));
    assert_ptr_equal(handle, &module);
    ok(quern_kernel_prepare(&mix_kernel, device)); /* it is */
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 4));
    ok(launch_mix(plain, N, QUERN_CONST_VIEW(v), QUERN_VIEW(w), 4));
    expect_numbers(queue, y, 4);
    expect_numbers(plain, w, 11);
    refused(quern_kernel_prepare_from_native(&mix_kernel, second, kind, (void *)&module), QUERN_BUSY, "wire:1");
    refused(launch_mix(queue, N, QUERN_CONST_VIEW(v), QUERN_VIEW(y), 4), QUERN_WRONG_DEVICE, "");
    quern_buffer *const all[] = {x, y, v, w};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        ok(quern_buffer_release(all[i]));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(plain));
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
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_memory_refusals), cmocka_unit_test(test_queue),
        cmocka_unit_test(test_queue_refusals), cmocka_unit_test(test_kernel),          cmocka_unit_test(test_the_end),
    };
    return cmocka_run_group_tests(tests, add_backends, NULL);
}
