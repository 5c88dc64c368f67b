/* The CUDA backend: starting, its devices, and why it cannot work where it cannot. */
#include "device.k.h"

#include "cuda_fixture.h"

/* ---- devices ---- */

static void a_device_says_what_it_is(void **state)
{
    (void)state;
    size_t count = 0;
    quern_device_info info;
    cuda_fake_set("DEVICES", "2");
    cuda_begin();
    OK(quern_cuda_backend.device_count(&count));
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; ++i) {
        void *device = NULL;
        char name[32];
        OK(quern_cuda_backend.device_open(i, &device));
        OK(quern_cuda_backend.device_info(device, &info));
        snprintf(name, sizeof name, "cuda:%zu", i);
        assert_string_equal(info.name, name);
        assert_string_equal(info.backend, "cuda");
        assert_string_equal(info.vendor, "NVIDIA");
        assert_true(info.description[0] != 0);
        assert_string_equal(info.instruction_set, "sm_90");
        assert_true(info.memory_bytes > 0 && info.largest_allocation == info.memory_bytes);
        assert_true(info.compute_units > 0);
        assert_int_equal(info.local_memory_bytes, 227 * 1024);
        assert_int_equal(info.subgroup_width, 32);
        assert_int_equal(info.largest_group_items, 1024);
        assert_int_equal(info.largest_group[0], 64);
        assert_int_equal(info.largest_group[2], 1024);
        assert_int_equal(info.preferred_alignment, 512);
        assert_true(info.fp64 && info.fp16 && info.atomics64 && info.unified_memory);
        assert_int_equal(info.host_accessible, 0);
    }
    cuda_fake_set("DEVICES", NULL);
    cuda_end();
}

/* A list of devices costs no context. */
static void a_context_is_made_when_it_is_needed(void **state)
{
    (void)state;
    fake_cuda_counts counts;
    cuda_begin();
    void *device = fixture_device();
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.contexts, 0);
    fixture_free(device, fixture_memory(device, 100), 100);
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.contexts, 1);
    cuda_end();
}

static void it_starts_again_after_a_stop(void **state)
{
    (void)state;
    size_t count = 0;
    cuda_begin();
    cuda_end();
    OK(cuda_start());
    OK(quern_cuda_backend.device_count(&count));
    assert_int_equal(count, 1);
    cuda_end();
}

static void a_device_that_is_not_there_is_refused(void **state)
{
    (void)state;
    void *device = NULL;
    cuda_begin();
    REFUSED(quern_cuda_backend.device_open(1000, &device), QUERN_NOT_PRESENT, "cuda:1000|there are 1");
    cuda_end();
}

/* ---- no driver ---- */

static void a_driver_that_is_not_there_is_named(void **state)
{
    (void)state;
    setenv("QUERN_CUDA_LIBRARY", "libno-such-driver.so.7", 1);
    REFUSED(cuda_start(), QUERN_INVALID_ARGUMENT, "QUERN_CUDA_LIBRARY|libno-such-driver.so.7");
    setenv("QUERN_CUDA_LIBRARY", QUERN_SOURCE_DIR "/LICENSE", 1);
    REFUSED(cuda_start(), QUERN_INVALID_ARGUMENT, "QUERN_CUDA_LIBRARY|LICENSE");
    unsetenv("QUERN_CUDA_LIBRARY");
}

static void a_library_that_is_no_driver_is_refused(void **state)
{
    (void)state;
    setenv("QUERN_CUDA_LIBRARY", "libm.so.6", 1);
    REFUSED(cuda_start(), QUERN_NOT_SUPPORTED, "libm.so.6|lacks|cuInit|CUDA 11.0");
    unsetenv("QUERN_CUDA_LIBRARY");
}

/* ---- what the driver says ---- */

static void a_driver_without_devices(void **state)
{
    (void)state;
    cuda_fake_reset();
    cuda_fake_set("DEVICES", "0");
    REFUSED(cuda_start(), QUERN_NOT_PRESENT, "libfake_cuda.so|no device");
    cuda_fake_set("DEVICES", NULL);
}

static void a_driver_that_is_too_old(void **state)
{
    (void)state;
    cuda_fake_set("VERSION", "10020");
    cuda_fake_reset();
    REFUSED(cuda_start(), QUERN_NOT_SUPPORTED, "CUDA 10.2|wanted 11.0");
    cuda_fake_set("VERSION", NULL);
}

static void devices_that_cannot_be_used_are_left_out(void **state)
{
    (void)state;
    cuda_fake_set("ARCH", "37");
    cuda_fake_reset();
    REFUSED(cuda_start(), QUERN_NOT_SUPPORTED, "sm_37|wanted sm_50");
    cuda_fake_set("ARCH", NULL);
}

/* A driver's nonsense: no number is made of it. */
static void a_compute_capability_that_cannot_be_is_left_out(void **state)
{
    (void)state;
    static const char *const wrong[] = {"10000", "2147483647"}; /* 1000.0 and more */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        cuda_fake_set("ARCH", wrong[i]);
        cuda_fake_reset();
        REFUSED(cuda_start(), QUERN_NOT_SUPPORTED, "device 0, |compute capability|wanted at most 999.9");
    }
    cuda_fake_set("ARCH", "9999");
    cuda_begin();
    cuda_fake_set("ARCH", NULL);
    cuda_end();
}

static void a_drivers_error_is_named(void **state)
{
    (void)state;
    static const char *const functions[] = {
        "cuInit",          "cuDriverGetVersion",   "cuDeviceGetCount",   "cuDeviceGet",
        "cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceTotalMem_v2"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        cuda_fake_reset();
        cuda_fake.fake_cuda_fail_at(functions[i], 1, CUDA_ERROR_OUT_OF_MEMORY);
        /* Not OUT_OF_MEMORY: it is the driver that has none, and the other backends go on. */
        REFUSED(cuda_start(), QUERN_SYSTEM_ERROR, "CUDA_ERROR_OUT_OF_MEMORY (2)");
    }
    cuda_fake_reset();
    cuda_fake.fake_cuda_fail_at("cuInit", 1, CUDA_ERROR_STUB_LIBRARY);
    REFUSED(cuda_start(), QUERN_NOT_PRESENT, "libfake_cuda.so|stands in");
    cuda_fake.fake_cuda_fail_at("cuInit", 1, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
    REFUSED(cuda_start(), QUERN_SYSTEM_ERROR, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)");
    OK(cuda_start());
    cuda_end();
}

/* The host may not touch managed memory while kernels run: then it is nothing that can be promised. */
static void unified_memory_is_promised_where_the_host_may_use_it_at_any_time(void **state)
{
    (void)state;
    for (int kind = 1; kind <= 2; ++kind) {
        quern_device_info info;
        void *memory = NULL;
        cuda_fake_set("NO_MANAGED", kind == 1 ? "1" : "2");
        cuda_begin();
        OK(quern_cuda_backend.device_info(fixture_device(), &info));
        assert_int_equal(info.unified_memory, 0);
        REFUSED(quern_cuda_backend.allocate(fixture_device(), 100, 64, QUERN_MEMORY_UNIFIED, &memory),
                QUERN_NOT_SUPPORTED, "unified memory|cuda:0");
        cuda_fake_set("NO_MANAGED", NULL);
        cuda_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_says_what_it_is),
        cmocka_unit_test(a_context_is_made_when_it_is_needed),
        cmocka_unit_test(it_starts_again_after_a_stop),
        cmocka_unit_test(a_device_that_is_not_there_is_refused),
        cmocka_unit_test(a_driver_that_is_not_there_is_named),
        cmocka_unit_test(a_library_that_is_no_driver_is_refused),
        cmocka_unit_test(a_driver_without_devices),
        cmocka_unit_test(a_driver_that_is_too_old),
        cmocka_unit_test(devices_that_cannot_be_used_are_left_out),
        cmocka_unit_test(a_compute_capability_that_cannot_be_is_left_out),
        cmocka_unit_test(a_drivers_error_is_named),
        cmocka_unit_test(unified_memory_is_promised_where_the_host_may_use_it_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
