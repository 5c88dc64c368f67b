/* The OpenCL backend: memory of each kind, where it lies and who may touch it. */
#include "opencl_fixture.h"

/* 1 when the host can read a byte there. The kernel looks, so that nothing faults. */
static int host_can_read(const void *address)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int can = write(ends[1], address, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

static void device_memory_is_out_of_the_hosts_reach(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 4096, 100000};
    if (!opencl_is_here())
        skip();
    void *device = fixture_device();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        char *memory = fixture_memory(device, sizes[i]);
        assert_false(host_can_read(memory));
        assert_false(host_can_read(memory + sizes[i] - 1));
        fixture_free(device, memory, sizes[i]);
    }
    opencl_stop();
}

static void memory_lies_at_its_alignment(void **state)
{
    (void)state;
    static const quern_memory_kind kinds[] = {QUERN_MEMORY_DEVICE, QUERN_MEMORY_HOST, QUERN_MEMORY_PINNED};
    if (!opencl_is_here())
        skip();
    void *device = fixture_device();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (size_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
            void *memory = NULL;
            OK(quern_opencl_backend.allocate(device, 777, alignment, kinds[k], &memory));
            assert_int_equal((uintptr_t)memory % alignment, 0);
            if (kinds[k] != QUERN_MEMORY_DEVICE)
                memset(memory, 1, 777);
            quern_opencl_backend.free(device, memory, 777, kinds[k]);
        }
    opencl_stop();
}

/* More often than a process can have mappings. */
static void memory_is_given_back(void **state)
{
    (void)state;
    if (!opencl_is_here())
        skip();
    void *device = fixture_device();
    for (int i = 0; i < 40000; ++i)
        fixture_free(device, fixture_memory(device, 10000), 10000);
    opencl_stop();
}

/* Data go from the host through pinned and unified memory to the device and back. */
static void every_kind_is_copied(void **state)
{
    (void)state;
    enum { BYTES = 5000 };
    static unsigned char from[BYTES], to[BYTES];
    quern_device_info info;
    struct fake_progress progress;
    if (!opencl_is_here())
        skip();
    void *device = fixture_device(), *memory = fixture_memory(device, BYTES);
    OK(quern_opencl_backend.device_info(device, &info));
    const quern_memory_kind kinds[] = {QUERN_MEMORY_HOST, QUERN_MEMORY_PINNED, QUERN_MEMORY_UNIFIED};
    for (int blocking = 0; blocking < 2; ++blocking)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
            void *between = NULL;
            if (kinds[k] == QUERN_MEMORY_UNIFIED && !info.unified_memory) {
                REFUSED(quern_opencl_backend.allocate(device, BYTES, 64, kinds[k], &between), QUERN_NOT_SUPPORTED,
                        "unified|opencl:0|shared virtual memory");
                print_message("unified memory: not there on %s\n", info.description);
                continue;
            }
            OK(quern_opencl_backend.allocate(device, BYTES, 64, kinds[k], &between));
            fixture_queue(&progress, device, blocking);
            for (size_t i = 0; i < BYTES; ++i)
                from[i] = (unsigned char)(i * (17 + k) + (unsigned)blocking);
            memset(to, 0, BYTES);
            quern_backend_copy steps[] = {
                fixture_bytes(between, between, from, NULL, BYTES),
                fixture_bytes(memory, memory, between, between, BYTES),
                fixture_bytes(between, between, memory, memory, BYTES - 1000), /* the same again */
                fixture_bytes(to, NULL, between, between, BYTES),
            };
            for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
                OK(fixture_copy(&progress, &steps[i]));
            OK(fixture_synchronize(&progress));
            assert_memory_equal(to, from, BYTES);
            /* A fill of it, and the host sees it. */
            quern_backend_copy fill = fixture_bytes(between, between, "ab", NULL, 100);
            fill.element_size = 2;
            fill.target_pitches[0] = 2;
            OK(fixture_end(&progress, quern_opencl_backend.fill(progress.queue, ++progress.submitted, &fill)));
            OK(fixture_synchronize(&progress));
            for (size_t i = 0; i < 200; ++i)
                assert_int_equal(((char *)between)[i], "ab"[i % 2]);
            assert_memory_equal((char *)between + 200, from + 200, BYTES - 200);
            fixture_queue_end(&progress);
            quern_opencl_backend.free(device, between, BYTES, kinds[k]);
        }
    fixture_free(device, memory, BYTES);
    opencl_stop();
}

static void memory_that_is_not_to_be_had_is_an_error(void **state)
{
    (void)state;
    void *memory = NULL;
    quern_device_info info;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    OK(opencl_start());
    void *device = fixture_device();
    const quern_memory_kind kinds[] = {QUERN_MEMORY_DEVICE, QUERN_MEMORY_HOST, QUERN_MEMORY_PINNED};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        quern_status status = quern_opencl_backend.allocate(device, (size_t)PTRDIFF_MAX, 64, kinds[k], &memory);
        assert_true(status == QUERN_OUT_OF_MEMORY || status == QUERN_LIMIT_EXCEEDED);
    }
    opencl_shim_fail(shim, "CreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    REFUSED(quern_opencl_backend.allocate(device, 1000, 64, QUERN_MEMORY_DEVICE, &memory), QUERN_OUT_OF_MEMORY,
            "1000 bytes|opencl:0|CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)");
    opencl_stop();
    opencl_shim_nothing_left(shim);

    /* The largest allocation is what the device says; the front end holds callers to it. */
    opencl_shim_rest(shim);
    shim->allocation_bytes = 12345;
    OK(opencl_start());
    OK(quern_opencl_backend.device_info(fixture_device(), &info));
    assert_int_equal(info.largest_allocation, 12345);
    opencl_stop();
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_memory_is_out_of_the_hosts_reach),
        cmocka_unit_test(memory_lies_at_its_alignment),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(every_kind_is_copied),
        cmocka_unit_test(memory_that_is_not_to_be_had_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
