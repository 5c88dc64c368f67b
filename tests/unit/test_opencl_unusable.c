/*
 * OpenCL devices that cannot be used: they are told of, each with its reason, and the others keep their numbers. On the
 * stand-in for the loader, which makes two platforms of three devices each of the machine's first one.
 */
#include "runtime_test.h"

#include "opencl_shim_test.h"

enum { PLATFORMS = 2, DEVICES = 3, ALL = PLATFORMS * DEVICES };

static struct quern_opencl_shim *shim;

/* ---- the machine ---- */

/* Anew, also after a test that failed. */
static void begin(size_t platforms, size_t devices)
{
    if (!shim)
        skip();
    (void)quern_shutdown();
    opencl_shim_rest(shim);
    shim->platforms = platforms;
    shim->devices = devices;
}

/* Nothing is left of what was refused either. */
static void end(void)
{
    ok(quern_shutdown());
    opencl_shim_nothing_left(shim);
}

/* The devices of those numbers, a bit each, can be used, of all that there are; the others have the reason. */
static void are_usable(unsigned usable, size_t all, quern_status wanted, const char *words)
{
    char name[32];
    const char *found, *reason;
    quern_status state;
    quern_device *device = NULL;
    size_t count = 0, unusable = 0, works = 1, fails = 0; /* cpu:0 is before them */
    ok(quern_device_count(&count));
    ok(quern_device_unusable_count(&unusable));
    for (size_t i = 0; i < all; ++i) {
        snprintf(name, sizeof name, "opencl:%zu", i);
        if (usable >> i & 1) {
            quern_device_info info;
            ok(quern_device_name(works++, &found));
            assert_string_equal(found, name);
            ok(quern_device_get_info(open_device(name), &info));
            assert_string_equal(info.name, name);
            continue;
        }
        ok(quern_device_unusable(fails++, &found, &state, &reason));
        assert_string_equal(found, name);
        assert_int_equal(state, wanted);
        refused(quern_device_open(name, &device), QUERN_NOT_PRESENT, words);
        assert_non_null(strstr(quern_last_error(), "cannot be used: "));
        assert_non_null(strstr(quern_last_error(), reason));
    }
    assert_int_equal(count, works);
    assert_int_equal(unusable, fails);
    refused(quern_device_open("opencl:77", &device), QUERN_NOT_PRESENT, "\"opencl:77\" is not present");
}

/* ---- devices ---- */

/* One of six; a reason names what was asked, what came, and what was wanted. */
static void the_others_keep_their_numbers(void **state)
{
    static const struct {
        cl_uint fails, zero;
        quern_status status;
        const char *words;
    } cases[] = {
        {CL_DEVICE_NAME, 0, QUERN_SYSTEM_ERROR, "asking device 1 for CL_DEVICE_NAME failed|CL_OUT_OF_RESOURCES (-5)"},
        {CL_DEVICE_EXTENSIONS, 0, QUERN_SYSTEM_ERROR, "asking device 1 for CL_DEVICE_EXTENSIONS failed"},
        {CL_DEVICE_TYPE, 0, QUERN_SYSTEM_ERROR, "asking device 1 for CL_DEVICE_TYPE failed"},
        {CL_DEVICE_MAX_PARAMETER_SIZE, 0, QUERN_SYSTEM_ERROR, "for CL_DEVICE_MAX_PARAMETER_SIZE failed"},
        {CL_DEVICE_AVAILABLE, 0, QUERN_SYSTEM_ERROR, "for CL_DEVICE_AVAILABLE failed"},
        {0, CL_DEVICE_AVAILABLE, QUERN_NOT_PRESENT, "device 1, |, is not available"},
        {0, CL_DEVICE_COMPILER_AVAILABLE, QUERN_NOT_SUPPORTED, "device 1, |, has no compiler"},
        {0, CL_DEVICE_VERSION, QUERN_NOT_SUPPORTED, "device 1, |, has version \"\", wanted OpenCL 1.2"},
        {0, CL_DEVICE_ADDRESS_BITS, QUERN_NOT_SUPPORTED, "has addresses of 0 bits, wanted 32 or 64"},
        {0, CL_DEVICE_MAX_COMPUTE_UNITS, QUERN_NOT_SUPPORTED, "gives 0 as its number of compute units, wanted"},
        {0, CL_DEVICE_GLOBAL_MEM_SIZE, QUERN_NOT_SUPPORTED, "gives 0 as its memory, wanted"},
        {0, CL_DEVICE_MAX_MEM_ALLOC_SIZE, QUERN_NOT_SUPPORTED, "gives 0 as its largest allocation, wanted"},
        {0, CL_DEVICE_MAX_WORK_GROUP_SIZE, QUERN_NOT_SUPPORTED, "gives 0 as its largest group, wanted"},
        {0, CL_DEVICE_MAX_WORK_ITEM_SIZES, QUERN_NOT_SUPPORTED, "gives 0 as its largest group along x, wanted"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        begin(PLATFORMS, DEVICES);
        shim->sick = 2;
        shim->fail_question = cases[i].fails;
        shim->zero_question = cases[i].zero;
        are_usable(0x3d, ALL, cases[i].status, cases[i].words);
        end();
    }
}

static void a_device_without_a_context_is_told_of(void **state)
{
    (void)state;
    begin(PLATFORMS, DEVICES);
    opencl_shim_fail(shim, "CreateContext", 5, CL_OUT_OF_HOST_MEMORY);
    are_usable(0x2f, ALL, QUERN_SYSTEM_ERROR, "device 4, |, gets no context|CL_OUT_OF_HOST_MEMORY (-6)");
    end();
}

/* What is not known is no reason. */
static void a_device_without_a_name_is_used(void **state)
{
    quern_device_info info;
    (void)state;
    begin(1, 2);
    shim->sick = 1;
    shim->zero_question = CL_DEVICE_NAME;
    are_usable(0x3, 2, QUERN_SUCCESS, "");
    ok(quern_device_get_info(open_device("opencl:0"), &info));
    assert_string_equal(info.description, "");
    end();
}

/* Commands on both sides of the one that fails, and between them. */
static void the_others_work(void **state)
{
    quern_device *devices[2];
    quern_buffer *buffers[2];
    const float wanted = 2.5f;
    float result[64] = {0};
    quern_layout layout;
    quern_span span;
    (void)state;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(64), &layout));
    ok(quern_span_make(result, &layout, &span));
    begin(PLATFORMS, DEVICES);
    shim->sick = 2;
    shim->fail_question = CL_DEVICE_GLOBAL_MEM_SIZE;
    for (int i = 0; i < 2; ++i) {
        devices[i] = open_device(i ? "opencl:5" : "opencl:0");
        buffers[i] = make_buffer(devices[i], QUERN_TYPE(float), QUERN_EXTENTS(64));
    }
    quern_queue *first = make_queue(devices[0], 0, "first"), *last = make_queue(devices[1], 0, "last");
    ok(quern_fill(last, QUERN_VIEW(buffers[1]), QUERN_TYPE(float), &wanted));
    ok(quern_copy(last, QUERN_VIEW(buffers[0]), QUERN_CONST_VIEW(buffers[1])));
    ok(quern_copy_to_host(first, span, QUERN_CONST_VIEW(buffers[0])));
    ok(quern_queue_synchronize(first));
    for (int i = 0; i < 64; ++i)
        assert_true(result[i] == wanted);
    ok(quern_queue_release(first));
    ok(quern_queue_release(last));
    for (int i = 0; i < 2; ++i)
        ok(quern_buffer_release(buffers[i]));
    end();
}

/* ---- platforms ---- */

/* Nobody knows how many it has: one name stands for all. */
static void a_platform_that_does_not_count_its_devices_is_told_of(void **state)
{
    (void)state;
    begin(PLATFORMS, DEVICES);
    opencl_shim_fail(shim, "GetDeviceIDs", 1, CL_OUT_OF_HOST_MEMORY);
    are_usable(0xe, 1 + DEVICES, QUERN_SYSTEM_ERROR,
               "asking platform 0, |, for its devices failed: the OpenCL driver says CL_OUT_OF_HOST_MEMORY (-6)");
    end();
}

static void a_platform_that_does_not_list_its_devices_keeps_their_numbers(void **state)
{
    (void)state;
    begin(PLATFORMS, DEVICES);
    opencl_shim_fail(shim, "GetDeviceIDs", 2, -4242);
    are_usable(0x38, ALL, QUERN_SYSTEM_ERROR, "asking platform 0, |, for its devices failed|error -4242");
    end();
}

/* ---- none ---- */

static void without_any_the_backend_says_why(void **state)
{
    const char *name, *reason;
    quern_status status;
    size_t count;
    quern_device *device = NULL;
    (void)state;
    begin(1, 1);
    shim->sick = 1;
    shim->zero_question = CL_DEVICE_MAX_COMPUTE_UNITS;
    ok(quern_backend_count(&count));
    for (size_t i = 0; i < count; ++i) {
        ok(quern_backend_status(i, &name, &status, &reason));
        if (strcmp(name, "opencl") == 0)
            break;
    }
    assert_string_equal(name, "opencl");
    assert_int_equal(status, QUERN_NOT_SUPPORTED);
    assert_non_null(strstr(reason, "no OpenCL device can be used: device 0, "));
    refused(quern_device_open("opencl:0", &device), QUERN_NOT_PRESENT, "gives 0 as its number of compute units");
    end();
}

/* ---- */

static int find_device(void **state)
{
    quern_device *device = NULL;
    (void)state;
    setenv("POCL_CACHE_DIR", QUERN_BINARY_DIR "/test-cache/pocl", 0);
    setenv("QUERN_CUDA_LIBRARY", "/nowhere", 1);
    setenv("QUERN_CPU_DEVICES", "1", 1);
    shim = opencl_shim_load();
    if (shim && quern_device_open("opencl:0", &device) != QUERN_SUCCESS) {
        print_message("skipped: %s\n", quern_last_error());
        shim = NULL;
    }
    ok(quern_device_release(device));
    ok(quern_shutdown());
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_others_keep_their_numbers),
        cmocka_unit_test(a_device_without_a_context_is_told_of),
        cmocka_unit_test(a_device_without_a_name_is_used),
        cmocka_unit_test(the_others_work),
        cmocka_unit_test(a_platform_that_does_not_count_its_devices_is_told_of),
        cmocka_unit_test(a_platform_that_does_not_list_its_devices_keeps_their_numbers),
        cmocka_unit_test(without_any_the_backend_says_why),
    };
    return cmocka_run_group_tests(tests, find_device, NULL);
}
