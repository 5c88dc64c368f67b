/* Devices of a backend that cannot be used: they are told of, and the others keep their numbers. On the fake CUDA
 * driver, whose second device of three fails. */
#include "runtime_test.h"

static void begin(const char *function, const char *at, const char *error)
{
    setenv("QUERN_OPENCL_LIBRARY", "/nowhere", 1);
    setenv("QUERN_CPU_DEVICES", "1", 1);
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    setenv("QUERN_FAKE_CUDA_DEVICES", "3", 1);
    setenv("QUERN_FAKE_CUDA_FAIL_FUNCTION", function, 1);
    setenv("QUERN_FAKE_CUDA_FAIL_AT", at, 1);
    setenv("QUERN_FAKE_CUDA_FAIL_ERROR", error, 1);
}

static void the_others_keep_their_numbers(void **state)
{
    (void)state;
    static const char *const wanted[] = {"cpu:0", "cuda:0", "cuda:2"};
    const char *name = NULL, *reason = NULL;
    quern_status why = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_device_info info;
    size_t count = 0;
    begin("cuDeviceTotalMem_v2", "2", "999");
    ok(quern_device_count(&count));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; ++i) {
        ok(quern_device_name(i, &name));
        assert_string_equal(name, wanted[i]);
        ok(quern_device_open(name, &device));
        ok(quern_device_get_info(device, &info));
        assert_string_equal(info.name, wanted[i]);
        ok(quern_device_release(device));
    }
    ok(quern_device_unusable_count(&count));
    assert_int_equal(count, 1);
    ok(quern_device_unusable(0, &name, &why, &reason));
    assert_string_equal(name, "cuda:1");
    assert_int_equal(why, QUERN_SYSTEM_ERROR);
    assert_non_null(strstr(reason, "asking device 1 for its memory failed"));
    ok(quern_device_unusable(0, NULL, NULL, NULL));
    assert_int_equal(quern_device_unusable(1, &name, &why, &reason), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_device_unusable_count(NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_device_open("cuda:1", &device), QUERN_NOT_PRESENT);
    assert_non_null(strstr(quern_last_error(), "\"cuda:1\" cannot be used: asking device 1 for its memory failed"));
    assert_int_equal(quern_device_open("cuda:3", &device), QUERN_NOT_PRESENT);
    assert_non_null(strstr(quern_last_error(), "has cuda:0, cuda:2"));
    ok(quern_shutdown());
}

/* Commands of the devices around it: they reach each other. */
static void the_others_work(void **state)
{
    (void)state;
    quern_device *devices[2];
    quern_buffer *buffers[2];
    quern_queue *queue = NULL;
    const float one = 1.5f;
    begin("cuDeviceTotalMem_v2", "2", "999");
    for (int i = 0; i < 2; ++i) {
        ok(quern_device_open(i ? "cuda:2" : "cuda:0", &devices[i]));
        ok(quern_buffer_create(devices[i], QUERN_TYPE(float), QUERN_EXTENTS(100), &buffers[i]));
    }
    ok(quern_queue_create(devices[1], NULL, &queue));
    ok(quern_fill(queue, QUERN_VIEW(buffers[1]), QUERN_TYPE(float), &one));
    ok(quern_copy(queue, QUERN_VIEW(buffers[0]), QUERN_CONST_VIEW(buffers[1])));
    ok(quern_queue_synchronize(queue));
    ok(quern_queue_release(queue));
    for (int i = 0; i < 2; ++i) {
        ok(quern_buffer_release(buffers[i]));
        ok(quern_device_release(devices[i]));
    }
    ok(quern_shutdown());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_others_keep_their_numbers),
        cmocka_unit_test(the_others_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
