/* The OpenCL backend: starting, its devices, and why it cannot work where it cannot. */
#include "opencl_fixture.h"

/* ---- devices ---- */

static void a_device_says_what_it_is(void **state)
{
    (void)state;
    size_t count = 0;
    quern_device_info info;
    if (!opencl_is_here())
        skip();
    OK(quern_opencl_backend.device_count(&count));
    assert_true(count > 0);
    for (size_t i = 0; i < count; ++i) {
        void *device = NULL;
        char name[32];
        if (quern_opencl_backend.device_open(i, &device) != QUERN_SUCCESS) {
            print_message("opencl:%zu left out: %s\n", i, quern_last_error());
            continue;
        }
        OK(quern_opencl_backend.device_info(device, &info));
        snprintf(name, sizeof name, "opencl:%zu", i);
        assert_string_equal(info.name, name);
        assert_string_equal(info.backend, "opencl");
        assert_true(info.description[0] != 0 && info.description[0] != ' ');
        assert_memory_equal(info.instruction_set, "OpenCL ", 7);
        assert_true(info.memory_bytes > 0 && info.largest_allocation > 0);
        assert_true(info.largest_allocation <= info.memory_bytes);
        assert_true(info.compute_units > 0 && info.local_memory_bytes > 0);
        assert_true(info.largest_group_items > 0);
        for (int d = 0; d < 3; ++d)
            assert_true(info.largest_group[d] > 0);
        assert_true(info.preferred_alignment > 0);
        assert_int_equal(info.preferred_alignment & (info.preferred_alignment - 1), 0);
        assert_int_equal(info.subgroup_width, 0);
        assert_int_equal(info.host_accessible, 0);
    }
    opencl_stop();
}

static void it_starts_again_after_a_stop(void **state)
{
    (void)state;
    size_t count = 0, again = 0;
    if (!opencl_is_here())
        skip();
    OK(quern_opencl_backend.device_count(&count));
    opencl_stop();
    OK(opencl_start());
    OK(quern_opencl_backend.device_count(&again));
    assert_int_equal(again, count);
    opencl_stop();
}

static void a_device_that_is_not_there_is_refused(void **state)
{
    (void)state;
    void *device = NULL;
    if (!opencl_is_here())
        skip();
    REFUSED(quern_opencl_backend.device_open(1000, &device), QUERN_NOT_PRESENT, "opencl:1000");
    opencl_stop();
}

/* ---- no loader ---- */

static void a_loader_that_is_not_there_is_named(void **state)
{
    (void)state;
    setenv("QUERN_OPENCL_LIBRARY", "libno-such-loader.so.7", 1);
    REFUSED(opencl_start(), QUERN_INVALID_ARGUMENT, "QUERN_OPENCL_LIBRARY|libno-such-loader.so.7");
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void a_library_that_is_no_loader_is_refused(void **state)
{
    (void)state;
    setenv("QUERN_OPENCL_LIBRARY", "libm.so.6", 1);
    REFUSED(opencl_start(), QUERN_NOT_SUPPORTED, "libm.so.6|lacks|clGetPlatformIDs|OpenCL 1.2");
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* ---- what the stand-in says ---- */

static void a_loader_without_platforms(void **state)
{
    (void)state;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    shim->no_platform = 1;
    REFUSED(opencl_start(), QUERN_NOT_PRESENT, "opencl_shim.so|no platform");
    opencl_shim_nothing_left(shim);
}

static void platforms_without_devices(void **state)
{
    (void)state;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    shim->no_device = 1;
    REFUSED(opencl_start(), QUERN_NOT_PRESENT, "platform|no device");
    opencl_shim_nothing_left(shim);
}

static void devices_that_cannot_be_used_are_left_out(void **state)
{
    (void)state;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    shim->unavailable = 1;
    REFUSED(opencl_start(), QUERN_NOT_PRESENT, "not available");
    opencl_shim_rest(shim);
    shim->no_compiler = 1;
    REFUSED(opencl_start(), QUERN_NOT_SUPPORTED, "no compiler");
    opencl_shim_rest(shim);
    shim->old_version = 1;
    REFUSED(opencl_start(), QUERN_NOT_SUPPORTED, "OpenCL 1.1|wanted OpenCL 1.2");
    opencl_shim_nothing_left(shim);
}

static void a_drivers_error_is_named(void **state)
{
    (void)state;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    const char *functions[] = {"GetPlatformIDs", "GetDeviceIDs", "GetDeviceInfo", "GetPlatformInfo", "CreateContext"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        opencl_shim_rest(shim);
        opencl_shim_fail(shim, functions[i], 1, CL_OUT_OF_HOST_MEMORY);
        /* Not OUT_OF_MEMORY: it is the driver that has none, and the other backends go on. */
        REFUSED(opencl_start(), QUERN_SYSTEM_ERROR, "CL_OUT_OF_HOST_MEMORY (-6)");
        opencl_shim_nothing_left(shim);
    }
    opencl_shim_rest(shim);
    opencl_shim_fail(shim, "GetPlatformIDs", 1, -4242);
    REFUSED(opencl_start(), QUERN_SYSTEM_ERROR, "error -4242");
}

static void a_device_without_doubles_says_so(void **state)
{
    (void)state;
    struct quern_opencl_shim *shim = opencl_shim();
    quern_device_info info;
    if (!shim)
        skip();
    shim->no_fp64 = 1;
    OK(opencl_start());
    OK(quern_opencl_backend.device_info(fixture_device(), &info));
    assert_int_equal(info.fp64, 0);
    opencl_stop();
    opencl_shim_nothing_left(shim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_says_what_it_is),
        cmocka_unit_test(it_starts_again_after_a_stop),
        cmocka_unit_test(a_device_that_is_not_there_is_refused),
        cmocka_unit_test(a_loader_that_is_not_there_is_named),
        cmocka_unit_test(a_library_that_is_no_loader_is_refused),
        cmocka_unit_test(a_loader_without_platforms),
        cmocka_unit_test(platforms_without_devices),
        cmocka_unit_test(devices_that_cannot_be_used_are_left_out),
        cmocka_unit_test(a_drivers_error_is_named),
        cmocka_unit_test(a_device_without_doubles_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
