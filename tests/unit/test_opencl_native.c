/* OpenCL's own handles, out and in, used by OpenCL calls of the test's own. */
#include "runtime_test.h"

#include <sched.h>
#include <stdatomic.h>

#include "opencl_raw.h"

#include "../opencl_shim/opencl_shim.h"

enum { N = 1009 };
enum { OUT_OF_ORDER = 1, CL_REFERENCES = 0x1092, MEMORY_REFERENCES = 0x1105 };

static opencl_raw cl;
static int32_t (*write_memory)(void *, void *, uint32_t, size_t, size_t, const void *, uint32_t, void *, void *);
static int32_t (*copy_memory)(void *, void *, void *, size_t, size_t, size_t, uint32_t, void *, void *);
static int32_t (*queue_info)(void *, uint32_t, size_t, void *, size_t *);
static int32_t (*memory_info)(void *, uint32_t, size_t, void *, size_t *);

static void look_up(const char *name, void *function)
{
    void *found = dlsym(cl.library, name);
    if (!found)
        fail_msg("the loader has no %s", name);
    memcpy(function, &found, sizeof found);
}

/* The device and its own context; 0, with the reason printed, when there is none. */
static int open_all(quern_device **device)
{
    if (quern_device_open("opencl:0", device) != QUERN_SUCCESS) {
        print_message("skipped: %s\n", quern_last_error());
        return 0;
    }
    ok(quern_device_release(*device));
    assert_true(opencl_raw_load(&cl));
    look_up("clEnqueueWriteBuffer", &write_memory);
    look_up("clEnqueueCopyBuffer", &copy_memory);
    look_up("clGetCommandQueueInfo", &queue_info);
    look_up("clGetMemObjectInfo", &memory_info);
    ok(quern_device_get_native(*device, QUERN_NATIVE_OPENCL_DEVICE, &cl.device));
    ok(quern_device_get_native(*device, QUERN_NATIVE_OPENCL_CONTEXT, &cl.context));
    return 1;
}

static uint32_t references_of_queue(void *queue)
{
    uint32_t count = 0;
    assert_int_equal(queue_info(queue, CL_REFERENCES, sizeof count, &count, NULL), 0);
    return count;
}

static uint32_t references_of_memory(void *memory)
{
    uint32_t count = 0;
    assert_int_equal(memory_info(memory, MEMORY_REFERENCES, sizeof count, &count, NULL), 0);
    return count;
}

static void fill_int(quern_queue *queue, quern_view view, int32_t value)
{
    ok(quern_fill(queue, view, QUERN_TYPE(int32_t), &value));
}

static void expect(quern_queue *queue, quern_const_view view, size_t n, int32_t first, int32_t step)
{
    int32_t numbers[N];
    quern_layout layout;
    quern_span span;
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(n), &layout));
    ok(quern_span_make(numbers, &layout, &span));
    ok(quern_copy_to_host(queue, span, view));
    ok(quern_queue_synchronize(queue));
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(numbers[i], first + step * (int32_t)i);
}

/* ---- out ---- */

static void test_device(void **state)
{
    (void)state;
    quern_device *device;
    char vendor[64] = "";
    quern_device_info info;
    void *handle = NULL;
    if (!open_all(&device))
        skip();
    ok(quern_device_get_info(device, &info));
    assert_int_equal(cl.device_info(cl.device, 0x102C, sizeof vendor, vendor, NULL), 0);
    assert_string_equal(vendor, info.vendor);
    refused(quern_device_get_native(device, QUERN_NATIVE_CUDA_DEVICE, &handle), QUERN_NOT_SUPPORTED,
            "QUERN_NATIVE_CUDA_DEVICE|opencl:0|QUERN_NATIVE_OPENCL_DEVICE|QUERN_NATIVE_OPENCL_CONTEXT");
}

/* A write of OpenCL's own between two of Quern's commands, of a part, on the queue's own command queue. */
static void test_queue_and_memory(void **state)
{
    (void)state;
    quern_device *device;
    if (!open_all(&device))
        skip();
    quern_queue *queue = make_queue(device, 0, "shared"), *other = make_queue(device, 0, "other");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(N));
    quern_view part;
    int32_t numbers[N];
    void *native = NULL, *memory = NULL;
    size_t offset = 0;
    for (int i = 0; i < N; ++i)
        numbers[i] = 5000 + i;
    ok(quern_view_sub(QUERN_VIEW(x), (size_t[]){7}, QUERN_EXTENTS(N - 9), &part));
    fill_int(other, QUERN_VIEW(x), 1);
    ok(quern_queue_get_native(queue, QUERN_NATIVE_OPENCL_QUEUE, &native));
    ok(quern_view_get_native(queue, part, QUERN_NATIVE_OPENCL_MEMORY, &memory, &offset));
    assert_int_equal(offset, 7 * 4);
    assert_int_equal(write_memory(native, memory, 0, offset, (N - 9) * 4, numbers, 0, NULL, NULL), 0);
    quern_event *event = NULL;
    ok(quern_event_record(queue, &event));
    fill_int(other, QUERN_VIEW(x), 1); /* once more, behind it */
    ok(quern_event_wait(event));
    expect(other, quern_view_as_const(part), N - 9, 1, 0);
    ok(quern_event_release(event));
    /* Without an event: synchronise waits for it. */
    ok(quern_view_get_native(queue, part, QUERN_NATIVE_OPENCL_MEMORY, &memory, &offset));
    assert_int_equal(write_memory(native, memory, 0, offset, (N - 9) * 4, numbers, 0, NULL, NULL), 0);
    ok(quern_queue_synchronize(queue));
    memset(numbers, 0, sizeof numbers);
    expect(other, quern_view_as_const(part), N - 9, 5000, 1);
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(other));
}

static void test_other_kinds_of_memory(void **state)
{
    (void)state;
    quern_device *device;
    if (!open_all(&device))
        skip();
    quern_queue *queue = make_queue(device, 0, "shared");
    quern_buffer *pinned = NULL, *host = NULL;
    quern_layout layout;
    int32_t numbers[8] = {0};
    void *native = NULL, *memory = NULL;
    size_t offset = 0;
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(8), &layout));
    ok(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_HOST, &host));
    refused(quern_view_get_native(queue, QUERN_VIEW(host), QUERN_NATIVE_OPENCL_MEMORY, &memory, &offset),
            QUERN_NOT_SUPPORTED, "HOST|opencl:0");
    ok(quern_view_get_native(queue, QUERN_VIEW(host), QUERN_NATIVE_ADDRESS, &memory, &offset));
    assert_ptr_equal(memory, QUERN_VIEW(host).span.address);
    if (quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_PINNED, &pinned) == QUERN_SUCCESS) {
        fill_int(queue, QUERN_VIEW(pinned), 77);
        ok(quern_queue_get_native(queue, QUERN_NATIVE_OPENCL_QUEUE, &native));
        ok(quern_view_get_native(queue, QUERN_VIEW(pinned), QUERN_NATIVE_OPENCL_MEMORY, &memory, &offset));
        assert_int_equal(cl.read(native, memory, 1, offset, sizeof numbers, numbers, 0, NULL, NULL), 0);
        for (int i = 0; i < 8; ++i)
            assert_int_equal(numbers[i], 77);
        ok(quern_buffer_release(pinned));
    } else {
        print_message("pinned memory left out: %s\n", quern_last_error());
    }
    ok(quern_buffer_release(host));
    ok(quern_queue_release(queue));
}

/* ---- in ---- */

static void test_own_queue(void **state)
{
    (void)state;
    quern_device *device;
    if (!open_all(&device))
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        int32_t error, value = 6;
        void *native = cl.create_queue(cl.context, cl.device, 0, &error), *memory = NULL;
        quern_queue_options options = {blocking, 0, "own"};
        quern_queue *queue = NULL, *other = make_queue(device, 0, "other");
        assert_non_null(native);
        ok(quern_queue_create_from_native(device, QUERN_NATIVE_OPENCL_QUEUE, native, &options, &queue));
        quern_buffer *x = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(N));
        fill_int(other, QUERN_VIEW(x), 2);
        ok(quern_view_get_native(queue, QUERN_VIEW(x), QUERN_NATIVE_OPENCL_MEMORY, &memory, NULL));
        assert_int_equal(write_memory(native, memory, 0, 8, 4, &value, 0, NULL, NULL), 0);
        assert_int_equal(copy_memory(native, memory, memory, 0, 16, 8, 0, NULL, NULL), 0);
        ok(quern_queue_synchronize(queue));
        int32_t numbers[6];
        quern_layout layout;
        quern_span span;
        quern_const_view part;
        ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(6), &layout));
        ok(quern_span_make(numbers, &layout, &span));
        ok(quern_const_view_sub(QUERN_CONST_VIEW(x), (size_t[]){0}, QUERN_EXTENTS(6), &part));
        ok(quern_copy_to_host(queue, span, part));
        ok(quern_queue_synchronize(queue));
        const int32_t wanted[6] = {2, 2, 6, 2, 2, 2};
        assert_memory_equal(numbers, wanted, sizeof wanted);
        /* It is the caller's still. */
        ok(quern_queue_release(queue));
        value = 0;
        assert_int_equal(cl.read(native, memory, 1, 8, 4, &value, 0, NULL, NULL), 0);
        assert_int_equal(value, 6);
        assert_int_equal(cl.release_queue(native), 0);
        ok(quern_buffer_release(x));
        ok(quern_queue_release(other));
    }
}

static void count_release(void *context)
{
    atomic_fetch_add((_Atomic int *)context, 1);
}

static void test_own_memory(void **state)
{
    (void)state;
    quern_device *device;
    if (!open_all(&device))
        skip();
    quern_queue *queue = make_queue(device, 0, NULL);
    quern_layout layout;
    quern_buffer *x = NULL, *y = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(N));
    _Atomic int released = 0;
    int32_t numbers[N];
    for (int i = 0; i < N; ++i)
        numbers[i] = 300 + i;
    void *memory = opencl_raw_memory(&cl, numbers, sizeof numbers), *again = NULL;
    assert_non_null(memory);
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(N), &layout));
    ok(quern_buffer_wrap_native(device, QUERN_NATIVE_OPENCL_MEMORY, memory, &layout, count_release, &released, &x));
    ok(quern_copy(queue, QUERN_VIEW(y), QUERN_CONST_VIEW(x)));
    fill_int(queue, QUERN_VIEW(x), -1);
    expect(queue, QUERN_CONST_VIEW(y), N, 300, 1);
    ok(quern_view_get_native(queue, QUERN_VIEW(x), QUERN_NATIVE_OPENCL_MEMORY, &again, NULL));
    assert_ptr_equal(again, memory);
    ok(quern_buffer_release(x));
    assert_int_equal(atomic_load(&released), 0); /* the queue has it, for the handle's sake */
    ok(quern_queue_synchronize(queue));
    while (atomic_load(&released) == 0)
        sched_yield();
    assert_int_equal(atomic_load(&released), 1);
    quern_layout larger;
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(N + 1), &larger));
    refused(quern_buffer_wrap_native(device, QUERN_NATIVE_OPENCL_MEMORY, memory, &larger, NULL, NULL, &x),
            QUERN_INVALID_SHAPE, "4040|4036");
    int32_t first = 0;
    void *reader = cl.create_queue(cl.context, cl.device, 0, &first);
    assert_int_equal(cl.read(reader, memory, 1, 0, 4, &first, 0, NULL, NULL), 0);
    assert_int_equal(first, -1); /* it is the caller's still */
    assert_int_equal(cl.release_queue(reader), 0);
    assert_int_equal(cl.release_buffer(memory), 0);
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
}

/* Things of another context, and a queue without order. */
static void test_refusals(void **state)
{
    (void)state;
    quern_device *device;
    if (!open_all(&device))
        skip();
    int32_t error;
    int32_t numbers[4] = {0};
    quern_queue *queue = NULL;
    quern_buffer *x = NULL;
    quern_layout layout;
    const quern_native_kind of_queue = QUERN_NATIVE_OPENCL_QUEUE, of_memory = QUERN_NATIVE_OPENCL_MEMORY;
    opencl_raw foreign = cl;
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(4), &layout));
    foreign.context = cl.create_context(NULL, 1, &cl.device, NULL, NULL, &error);
    assert_non_null(foreign.context);
    void *other = cl.create_queue(foreign.context, cl.device, 0, &error),
         *memory = opencl_raw_memory(&foreign, numbers, sizeof numbers);
    refused(quern_queue_create_from_native(device, of_queue, other, NULL, &queue), QUERN_WRONG_DEVICE,
            "another context|opencl:0");
    refused(quern_queue_create_from_native(device, of_queue, NULL, NULL, &queue), QUERN_INVALID_ARGUMENT,
            "handle|NULL");
    refused(quern_buffer_wrap_native(device, of_memory, memory, &layout, NULL, NULL, &x), QUERN_WRONG_DEVICE,
            "another context|opencl:0");
    void *unordered = cl.create_queue(cl.context, cl.device, OUT_OF_ORDER, &error);
    if (unordered) {
        refused(quern_queue_create_from_native(device, of_queue, unordered, NULL, &queue), QUERN_NOT_SUPPORTED,
                "out of order");
        assert_int_equal(cl.release_queue(unordered), 0);
    } else {
        print_message("a queue out of order left out: the device has none\n");
    }
    assert_null(queue);
    assert_null(x);
    assert_int_equal(references_of_queue(other), 1);
    assert_int_equal(references_of_memory(memory), 1);
    assert_int_equal(cl.release_buffer(memory), 0);
    assert_int_equal(cl.release_queue(other), 0);
    assert_int_equal(cl.release_context(foreign.context), 0);
}

/* The stand-in for the loader counts what the backend makes, retains and releases. */
static struct quern_opencl_shim *shim;

static int open_shim(void)
{
    static const char path[] = QUERN_BINARY_DIR "/tests/bin/opencl_shim.so";
    quern_opencl_shim_function *function;
    void *library, *found;
    if (!dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL)) /* then every test says why it is left out */
        return 1;
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    found = library ? dlsym(library, QUERN_OPENCL_SHIM) : NULL;
    if (!found)
        return 0;
    memcpy(&function, &found, sizeof found);
    shim = function();
    return setenv("QUERN_OPENCL_LIBRARY", path, 1) == 0;
}

static void test_the_end(void **state)
{
    (void)state;
    ok(quern_shutdown());
    if (!shim)
        skip();
    assert_int_equal(shim->queues, 0);
    assert_int_equal(shim->buffers, 0);
    assert_int_equal(shim->contexts, 0);
}

int main(void)
{
    if (!open_shim()) {
        fprintf(stderr, "the stand-in for the loader cannot be loaded: %s\n", dlerror());
        return 1;
    }
    setenv("POCL_CACHE_DIR", QUERN_BINARY_DIR "/test-cache/pocl", 0);
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_queue_and_memory),
        cmocka_unit_test(test_other_kinds_of_memory),
        cmocka_unit_test(test_own_queue),
        cmocka_unit_test(test_own_memory),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
