/* The CUDA backend: handles of the driver's own, out and in; copies between devices; memory in a queue's order. */
#include "device.k.h"

#include "cuda_adder.h"

/* ---- the test's own calls of the driver ---- */

static struct {
    CUresult (*set_context)(CUcontext);
    CUresult (*set_words)(CUdeviceptr, unsigned, size_t, CUstream);
    CUresult (*make_stream)(CUstream *, unsigned, int);
    CUresult (*query_stream)(CUstream);
    CUresult (*destroy_stream)(CUstream);
    CUresult (*allocate)(CUdeviceptr *, size_t);
    CUresult (*release)(CUdeviceptr);
    CUresult (*load)(CUmodule *, const void *);
    CUresult (*unload)(CUmodule);
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                       void **, void **);
} driver;

static void *context;

/* The first device's context, current on this thread. */
static void *driver_open(void)
{
    const struct {
        const char *name;
        void *function;
    } functions[] = {{"cuCtxSetCurrent", &driver.set_context},
                     {"cuMemsetD32Async", &driver.set_words},
                     {"cuStreamCreateWithPriority", &driver.make_stream},
                     {"cuStreamQuery", &driver.query_stream},
                     {"cuStreamDestroy_v2", &driver.destroy_stream},
                     {"cuMemAlloc_v2", &driver.allocate},
                     {"cuMemFree_v2", &driver.release},
                     {"cuModuleLoadData", &driver.load},
                     {"cuModuleUnload", &driver.unload},
                     {"cuLaunchKernel", &driver.launch}};
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL), *device = fixture_device();
    size_t offset = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        void *found = dlsym(library, functions[i].name);
        assert_non_null(found);
        memcpy(functions[i].function, &found, sizeof found);
    }
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_CONTEXT, NULL, NULL, &context, &offset));
    assert_int_equal(driver.set_context(context), 0);
    return device;
}

static void driver_close(void)
{
    assert_int_equal(driver.set_context(NULL), 0);
}

/* ---- out ---- */

static void handles_are_the_drivers(void **state)
{
    (void)state;
    struct adder adder;
    void *handle = NULL, *again = NULL, *stream = NULL, *pointer = NULL, *host = NULL;
    size_t offset = 0;
    uint32_t found[COUNT];
    cuda_begin();
    void *device = driver_open();
    adder_make(&adder, 0);
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_DEVICE, NULL, NULL, &handle, &offset));
    assert_int_equal((intptr_t)handle, 0);
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_CONTEXT, NULL, NULL, &again, &offset));
    assert_ptr_equal(again, context);
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_STREAM, adder.progress.queue, NULL, &stream, &offset));
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_POINTER, adder.y, (char *)adder.y + 40, &pointer, &offset));
    assert_int_equal(offset, 0);
    OK(add(&adder, 1));
    assert_int_equal(driver.set_words((CUdeviceptr)(uintptr_t)pointer, 7, 5, stream), 0);
    OK(fixture_read(&adder.progress, found, adder.y, BYTES));
    OK(fixture_synchronize(&adder.progress));
    for (int i = 0; i < COUNT; ++i)
        assert_int_equal(found[i], i >= 10 && i < 15 ? 7 : 0x3f800000);
    OK(quern_cuda_backend.allocate(device, 100, 64, QUERN_MEMORY_HOST, &host));
    REFUSED(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_POINTER, host, host, &handle, &offset),
            QUERN_NOT_SUPPORTED, "HOST|CUdeviceptr|cuda:0");
    quern_cuda_backend.free(device, host, 100, QUERN_MEMORY_HOST);
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_MODULE, adder.kernel.compiled, NULL, &handle, &offset));
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_FUNCTION, adder.kernel.compiled, NULL, &again, &offset));
    assert_true(handle && again && handle != again);
    adder_free(&adder);
    driver_close();
    cuda_end();
}

/* An event stands for what the caller put into the stream as well. */
static void an_event_comes_after_the_callers_commands(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event event;
    void *stream = NULL;
    size_t offset = 0;
    cuda_begin();
    void *device = driver_open();
    adder_make(&adder, 0);
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_STREAM, adder.progress.queue, NULL, &stream, &offset));
    cuda_fake.fake_cuda_hold(1);
    assert_int_equal(driver.set_words((CUdeviceptr)(uintptr_t)adder.y, 7, COUNT, stream), 0);
    record(&adder.progress, &event);
    usleep(20000);
    assert_int_equal(event.reached, 0);
    cuda_fake.fake_cuda_hold(0);
    wait_idly(&adder.progress, adder.progress.submitted);
    assert_int_equal(event.reached, 1);
    adder_free(&adder);
    driver_close();
    cuda_end();
}

/* ---- in ---- */

static void a_queue_over_a_stream_leaves_it_alone(void **state)
{
    (void)state;
    CUstream mine = NULL;
    cuda_begin();
    void *device = driver_open();
    assert_int_equal(driver.make_stream(&mine, CU_STREAM_NON_BLOCKING, 0), 0);
    for (int round = 0; round < 4; ++round) {
        struct adder adder;
        struct fake_progress progress;
        struct fake_event event;
        quern_queue_options options = {round & 1, 0, NULL};
        adder_make(&adder, 0);
        fake_progress_make(&progress);
        OK(quern_cuda_backend.queue_wrap(device, QUERN_NATIVE_CUDA_STREAM, round < 2 ? mine : NULL, &options,
                                         fake_handle(&progress), &progress.queue));
        for (int i = 0; i < 20; ++i)
            OK(fixture_axpy(&progress, &adder.kernel, adder.x, adder.y, 1, COUNT));
        record(&progress, &event);
        wait_idly(&progress, progress.submitted);
        fixture_queue_end(&progress);
        adder_check(&adder, 20);
        assert_int_equal(driver.query_stream(mine), 0);
        adder_free(&adder);
    }
    assert_int_equal(driver.destroy_stream(mine), 0);
    driver_close();
    cuda_end();
}

static void what_is_another_devices_is_refused(void **state)
{
    (void)state;
    void *other = NULL, *handle = NULL, *memory = NULL;
    size_t offset = 0;
    struct fake_progress progress;
    quern_queue_options options = {0, 0, NULL};
    CUstream stream = NULL;
    CUdeviceptr pointer = 0, mine = 0;
    cuda_fake_set("DEVICES", "2");
    cuda_begin();
    void *device = driver_open();
    OK(quern_cuda_backend.device_open(1, &other));
    OK(quern_cuda_backend.native(other, QUERN_NATIVE_CUDA_CONTEXT, NULL, NULL, &handle, &offset));
    assert_int_equal(driver.set_context(handle), 0);
    assert_int_equal(driver.make_stream(&stream, CU_STREAM_NON_BLOCKING, 0), 0);
    assert_int_equal(driver.allocate(&pointer, 1000), 0);
    fake_progress_make(&progress);
    REFUSED(quern_cuda_backend.queue_wrap(device, QUERN_NATIVE_CUDA_STREAM, stream, &options, fake_handle(&progress),
                                          &progress.queue),
            QUERN_WRONG_DEVICE, "stream of another context|cuda:0");
    REFUSED(
        quern_cuda_backend.memory_wrap(device, QUERN_NATIVE_CUDA_POINTER, (void *)(uintptr_t)pointer, 1000, &memory),
        QUERN_WRONG_DEVICE, "device 1|cuda:0, its device 0");
    REFUSED(quern_cuda_backend.memory_wrap(device, QUERN_NATIVE_CUDA_POINTER, &pointer, 8, &memory),
            QUERN_INVALID_ARGUMENT, "CUdeviceptr of cuda:0");
    assert_int_equal(driver.release(pointer), 0);
    assert_int_equal(driver.destroy_stream(stream), 0);
    assert_int_equal(driver.set_context(context), 0);
    assert_int_equal(driver.allocate(&mine, 1000), 0);
    REFUSED(quern_cuda_backend.memory_wrap(device, QUERN_NATIVE_CUDA_POINTER, (void *)(uintptr_t)(mine + 100), 901,
                                           &memory),
            QUERN_INVALID_SHAPE, "901 bytes|at most the 900");
    OK(quern_cuda_backend.memory_wrap(device, QUERN_NATIVE_CUDA_POINTER, (void *)(uintptr_t)(mine + 100), 900,
                                      &memory));
    assert_true((CUdeviceptr)(uintptr_t)memory == mine + 100);
    quern_cuda_backend.free(device, memory, 900, QUERN_MEMORY_WRAPPED);
    assert_int_equal(driver.release(mine), 0); /* it was still there */
    pthread_mutex_destroy(&progress.mutex);
    cuda_fake_set("DEVICES", NULL);
    driver_close();
    cuda_end();
}

static void a_kernel_of_the_callers_module_runs(void **state)
{
    (void)state;
    struct adder adder;
    struct fixture_kernel kernel, lacking;
    CUmodule module = NULL;
    char *text = cuda_ptx(75, 64, 1, "quern_k_axpy");
    cuda_begin();
    void *device = driver_open();
    adder_make(&adder, 0);
    assert_int_equal(driver.load(&module, text), 0);
    memset(&kernel, 0, sizeof kernel);
    kernel.kernel = axpy_kernel;
    kernel.kernel.image_count = 0;
    kernel.device = device;
    lacking = kernel;
    lacking.kernel = mark_kernel;
    REFUSED(quern_cuda_backend.kernel_wrap(device, &lacking.kernel, QUERN_NATIVE_CUDA_MODULE, module, &lacking.compiled,
                                           &lacking.limits),
            QUERN_NOT_FOUND, "handle is a module of cuda:0 without 'quern_k_mark'|kernel 'mark'");
    REFUSED(quern_cuda_backend.kernel_wrap(device, &kernel.kernel, QUERN_NATIVE_CUDA_FUNCTION, module, &kernel.compiled,
                                           &kernel.limits),
            QUERN_NOT_SUPPORTED, "wanted a CUmodule");
    OK(quern_cuda_backend.kernel_wrap(device, &kernel.kernel, QUERN_NATIVE_CUDA_MODULE, module, &kernel.compiled,
                                      &kernel.limits));
    assert_true(kernel.limits.group_items >= 1);
    void *handle = NULL;
    size_t offset = 0;
    OK(quern_cuda_backend.native(device, QUERN_NATIVE_CUDA_MODULE, kernel.compiled, NULL, &handle, &offset));
    assert_ptr_equal(handle, module);
    OK(fixture_axpy(&adder.progress, &kernel, adder.x, adder.y, 3, COUNT));
    adder_check(&adder, 3);
    fixture_release(&kernel);
    assert_int_equal(driver.unload(module), 0); /* it was still there */
    adder_free(&adder);
    driver_close();
    free(text);
    cuda_end();
}

/* Handles that are no more: that is the caller's mistake, and the device goes on. */
static void what_is_gone_is_refused(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_progress progress;
    struct fixture_kernel kernel = {.kernel = axpy_kernel};
    quern_queue_options options = {0, 0, NULL};
    void *handle = NULL;
    CUstream stream = NULL;
    CUmodule module = NULL;
    char *text = cuda_ptx(75, 64, 1, "quern_k_axpy");
    cuda_begin();
    void *device = driver_open();
    adder_make(&adder, 0);
    fake_progress_make(&progress);
    assert_int_equal(driver.make_stream(&stream, CU_STREAM_NON_BLOCKING, 0), 0);
    assert_int_equal(driver.destroy_stream(stream), 0);
    assert_int_equal(driver.load(&module, text), 0);
    assert_int_equal(driver.unload(module), 0);
    static const CUresult says[] = {0, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_CONTEXT,
                                    CUDA_ERROR_CONTEXT_IS_DESTROYED};
    for (size_t i = 0; i < sizeof says / sizeof *says; ++i) { /* what a driver may call it */
        cuda_fake.fake_cuda_fail_at("cuStreamGetCtx", i ? 1 : 0, says[i]);
        REFUSED(quern_cuda_backend.queue_wrap(device, QUERN_NATIVE_CUDA_STREAM, stream, &options,
                                              fake_handle(&progress), &progress.queue),
                QUERN_INVALID_ARGUMENT, "handle is|CUDA_ERROR_|wanted a CUstream of cuda:0");
        cuda_fake.fake_cuda_fail_at("cuModuleGetFunction", i ? 1 : 0, says[i]);
        REFUSED(quern_cuda_backend.kernel_wrap(device, &kernel.kernel, QUERN_NATIVE_CUDA_MODULE, module,
                                               &kernel.compiled, &kernel.limits),
                QUERN_INVALID_ARGUMENT, "handle is|CUDA_ERROR_|wanted a CUmodule of cuda:0");
        cuda_fake.fake_cuda_fail_at("cuMemGetAddressRange_v2", i ? 1 : 0, says[i]);
        REFUSED(quern_cuda_backend.memory_wrap(device, QUERN_NATIVE_CUDA_POINTER, i ? adder.x : &handle, 8, &handle),
                QUERN_INVALID_ARGUMENT, "handle is|CUDA_ERROR_|wanted a CUdeviceptr of cuda:0");
    }
    OK(add(&adder, 2));
    adder_check(&adder, 2);
    adder_free(&adder);
    pthread_mutex_destroy(&progress.mutex);
    driver_close();
    free(text);
    cuda_end();
}

/* ---- between devices ---- */

static void devices_copy_from_each_other(void **state)
{
    (void)state;
    enum { SIZE = 5000 };
    static unsigned char from[SIZE], to[SIZE], wanted[SIZE];
    void *devices[2];
    struct fake_progress progress;
    cuda_fake_set("DEVICES", "2");
    cuda_begin();
    for (size_t i = 0; i < 2; ++i)
        OK(quern_cuda_backend.device_open(i, &devices[i]));
    assert_true(quern_cuda_backend.peer_reach(devices[0], devices[1]));
    assert_false(quern_cuda_backend.peer_reach(devices[0], devices[0]));
    void *first = fixture_memory(devices[0], SIZE), *second = fixture_memory(devices[1], SIZE);
    for (int i = 0; i < SIZE; ++i)
        from[i] = (unsigned char)(i * 7 + i / 256);
    for (int turn = 0; turn < 4; ++turn) { /* into the other's memory, and out of it; rows, and a box */
        void *source = turn & 1 ? second : first, *target = turn & 1 ? first : second;
        fixture_queue(&progress, devices[0], 0);
        struct fake_progress own;
        fixture_queue(&own, devices[1], 1);
        struct fake_progress *of_source = turn & 1 ? &own : &progress, *of_target = turn & 1 ? &progress : &own;
        OK(fixture_write(of_source, source, from, SIZE));
        memset(wanted, 5, SIZE);
        OK(fixture_write(of_target, target, wanted, SIZE));
        OK(fixture_synchronize(of_source));
        OK(fixture_synchronize(of_target));
        quern_backend_copy box = fixture_bytes(target, target, source, source, 3000);
        memcpy(wanted, from, 3000);
        if (turn > 1) {
            memset(wanted, 5, SIZE);
            box.rank = 3;
            for (int d = 0; d < 3; ++d) {
                box.extents[d] = (size_t[]){3, 4, 50}[d];
                box.target_pitches[d] = (ptrdiff_t[]){640, 64, 1}[d];
                box.source_pitches[d] = (ptrdiff_t[]){1050, 70, 1}[d];
            }
            for (int z = 0; z < 3; ++z)
                for (int y = 0; y < 4; ++y)
                    memcpy(wanted + 640 * z + 64 * y, from + 1050 * z + 70 * y, 50);
        }
        ++progress.submitted;
        OK(fixture_end(&progress, quern_cuda_backend.peer_copy(progress.queue, progress.submitted, &box,
                                                               devices[!(turn & 1)], devices[turn & 1])));
        OK(fixture_synchronize(&progress));
        OK(fixture_read(of_target, to, target, SIZE));
        OK(fixture_synchronize(of_target));
        assert_memory_equal(to, wanted, SIZE);
        fixture_queue_end(&progress);
        fixture_queue_end(&own);
    }
    fixture_free(devices[0], first, SIZE);
    fixture_free(devices[1], second, SIZE);
    cuda_end();
    cuda_fake_set("NO_PEER", "1");
    cuda_begin();
    for (size_t i = 0; i < 2; ++i)
        OK(quern_cuda_backend.device_open(i, &devices[i]));
    assert_false(quern_cuda_backend.peer_reach(devices[0], devices[1]));
    cuda_fake_set("NO_PEER", NULL);
    cuda_fake_set("DEVICES", NULL);
    cuda_end();
}

/* ---- in a queue's order ---- */

static quern_status allocate_in_order(struct adder *adder, size_t bytes, size_t alignment, void **memory)
{
    ++adder->progress.submitted;
    quern_status status =
        quern_cuda_backend.queue_allocate(adder->progress.queue, adder->progress.submitted, bytes, alignment, memory);
    if (status != QUERN_SUCCESS) /* the caller's own failure, and none of the queue */
        assert_int_equal(quern_cuda_backend.signal(adder->progress.queue, adder->progress.submitted), QUERN_SUCCESS);
    return status;
}

static void memory_is_allocated_in_a_queues_order(void **state)
{
    (void)state;
    for (int pools = 0; pools < 2; ++pools) {
        struct adder adder;
        float found[COUNT];
        void *memory[2] = {NULL, NULL};
        cuda_fake_set("NO_POOLS", pools ? NULL : "1");
        cuda_begin();
        adder_make(&adder, 0);
        size_t calls = cuda_fake.fake_cuda_calls("cuMemAllocAsync");
        OK(add(&adder, 1));
        for (int i = 0; i < 2; ++i) {
            OK(allocate_in_order(&adder, BYTES, i ? 65536 : 256, &memory[i]));
            assert_int_equal((uintptr_t)memory[i] % (i ? 65536 : 256), 0);
            quern_backend_copy copy = fixture_bytes(memory[i], memory[i], adder.y, adder.y, BYTES);
            OK(fixture_copy(&adder.progress, &copy));
            OK(fixture_axpy(&adder.progress, &adder.kernel, adder.x, memory[i], 1, COUNT));
        }
        assert_int_equal(cuda_fake.fake_cuda_calls("cuMemAllocAsync") - calls, pools);
        for (int i = 0; i < 2; ++i) {
            OK(fixture_read(&adder.progress, found, memory[i], BYTES));
            OK(fixture_synchronize(&adder.progress));
            for (int k = 0; k < COUNT; ++k)
                assert_true(found[k] == 2);
            quern_cuda_backend.free(adder.device, memory[i], BYTES, QUERN_MEMORY_QUEUE);
        }
        REFUSED(allocate_in_order(&adder, (size_t)1 << 50, 256, &memory[0]), QUERN_OUT_OF_MEMORY,
                "1125899906842624 bytes|cuda:0");
        OK(fixture_synchronize(&adder.progress));
        adder_free(&adder);
        cuda_fake_set("NO_POOLS", NULL);
        cuda_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_the_drivers),
        cmocka_unit_test(an_event_comes_after_the_callers_commands),
        cmocka_unit_test(a_queue_over_a_stream_leaves_it_alone),
        cmocka_unit_test(what_is_another_devices_is_refused),
        cmocka_unit_test(a_kernel_of_the_callers_module_runs),
        cmocka_unit_test(what_is_gone_is_refused),
        cmocka_unit_test(devices_copy_from_each_other),
        cmocka_unit_test(memory_is_allocated_in_a_queues_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
