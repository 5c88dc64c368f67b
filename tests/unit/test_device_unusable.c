/* Devices of a backend that cannot be used: they are told of, and the others keep their numbers. On the fake CUDA
 * driver, whose second device of three fails. */
#include "runtime_test.h"

#include "../fake_cuda/fake_cuda.h"
#include "backend/device/device_list.h"

#include <dlfcn.h>

/* The fake driver stays loaded, and reads what it is told when it is started anew. */
static void begin(const char *function, const char *at, const char *error)
{
    (void)quern_shutdown(); /* of a test that failed */
    setenv("QUERN_OPENCL_LIBRARY", "/nowhere", 1);
    setenv("QUERN_CPU_DEVICES", "1", 1);
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    setenv("QUERN_FAKE_CUDA_DEVICES", "3", 1);
    setenv("QUERN_FAKE_CUDA_FAIL_FUNCTION", function, 1);
    setenv("QUERN_FAKE_CUDA_FAIL_AT", at, 1);
    setenv("QUERN_FAKE_CUDA_FAIL_ERROR", error, 1);
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("the fake driver is not there: %s", dlerror());
    fake_cuda_reset_function *reset;
    void *found = dlsym(library, "fake_cuda_reset");
    memcpy(&reset, &found, sizeof found);
    assert_int_equal(reset(), 0);
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
    refused(quern_device_open("cuda:1", &devices[0]), QUERN_NOT_PRESENT, "\"cuda:1\" cannot be used");
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

/* Of a driver that answers, but with what cannot be. */
static void a_limit_of_0_is_a_reason(void **state)
{
    (void)state;
    quern_device *device = NULL;
    begin("", "0", "0");
    setenv("QUERN_FAKE_CUDA_MEMORY", "0", 1);
    refused(quern_device_open("cuda:1", &device), QUERN_NOT_PRESENT,
            "no CUDA device can be used: device 0, |, gives 0 as its memory, wanted at least 1");
    unsetenv("QUERN_FAKE_CUDA_MEMORY");
    ok(quern_shutdown());
}

/* ---- the list that a backend keeps ---- */

static void the_first_reason_is_told_unless_memory_may_come(void **state)
{
    (void)state;
    int works = 0;
    struct quern_device_list list = {.backend = "mill", .api = "Mill"};
    void *device = NULL;
    ok(quern_device_list_grow(&list, 1));
    (void)quern_device_leave_out(&list.reasons[0], QUERN_NOT_SUPPORTED, "device %d is of %s", 0, "wood");
    ok(quern_device_list_grow(&list, 2));
    (void)quern_device_leave_out(&list.reasons[1], QUERN_SYSTEM_ERROR, "device 1 has no water");
    (void)quern_device_leave_out(&list.reasons[2], QUERN_SYSTEM_ERROR, "device 2 has no water");
    refused(quern_device_list_check(&list), QUERN_NOT_SUPPORTED, "no Mill device can be used: device 0 is of wood");
    (void)quern_device_leave_out(&list.reasons[1], QUERN_OUT_OF_MEMORY, "no memory for device 1");
    refused(quern_device_list_check(&list), QUERN_OUT_OF_MEMORY, "no Mill device can be used: no memory for device 1");
    list.devices[2] = &works;
    ok(quern_device_list_check(&list));
    ok(quern_device_list_open(&list, 2, &device));
    assert_ptr_equal(device, &works);
    refused(quern_device_list_open(&list, 1, &device), QUERN_OUT_OF_MEMORY, "no memory for device 1");
    refused(quern_device_list_open(&list, 3, &device), QUERN_NOT_PRESENT, "mill:3 is not there; there are 3");
    quern_device_list_free(&list);
    assert_int_equal(list.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_others_keep_their_numbers),
        cmocka_unit_test(the_others_work),
        cmocka_unit_test(a_limit_of_0_is_a_reason),
        cmocka_unit_test(the_first_reason_is_told_unless_memory_may_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
