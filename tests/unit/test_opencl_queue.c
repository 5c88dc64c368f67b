/* The OpenCL backend: the numbers of a queue, callbacks, threads, events. */
#include "opencl_adder.h"

#include "device_queue_tests.h"

static int fixture_is_here(void)
{
    return opencl_is_here();
}

static void fixture_stop(void)
{
    opencl_stop();
}

/* ---- numbers ---- */

/* Where the driver makes no callback, a thread waits. */
static void numbers_finish_where_no_callback_can_be_had(void **state)
{
    (void)state;
    struct adder adder;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    OK(opencl_start());
    adder_make(&adder, 0);
    for (long at = 1; at <= 5; ++at) {
        opencl_shim_fail(shim, "SetEventCallback", at, CL_OUT_OF_HOST_MEMORY);
        for (int i = 0; i < 10; ++i)
            OK(add(&adder, 1));
        wait_idly(&adder.progress, adder.progress.submitted);
        OK(fixture_synchronize(&adder.progress));
    }
    adder_check(&adder, 50);
    adder_free(&adder);
    opencl_shim_end(shim);
}

static void priorities_are_passed_on_where_there_are_any(void **state)
{
    (void)state;
    static const cl_bitfield wanted[] = {CL_QUEUE_PRIORITY_LOW_KHR, 0, CL_QUEUE_PRIORITY_HIGH_KHR};
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    for (int there = 0; there < 2; ++there) {
        shim->extensions = there ? "cl_khr_fp64 cl_khr_priority_hints" : "cl_khr_fp64 cl_khr_priority_hints_of_mine";
        OK(opencl_start());
        for (int priority = -1; priority <= 1; ++priority) {
            struct fake_progress progress;
            quern_queue_options options = {0, priority, NULL};
            fake_progress_make(&progress);
            shim->priority = 0;
            OK(quern_opencl_backend.queue_create(fixture_device(), &options, fake_handle(&progress), &progress.queue));
            assert_int_equal(shim->priority, there ? wanted[priority + 1] : 0);
            fixture_queue_end(&progress);
        }
        opencl_stop();
    }
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void a_callback_comes_when_its_queue_is_gone(void **state)
{
    (void)state;
    struct adder adder;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    OK(opencl_start());
    adder_make(&adder, 0);
    shim->callback_delay = 2000;
    for (int i = 0; i < 30; ++i) {
        struct fake_progress progress;
        fixture_queue(&progress, adder.device, 0);
        OK(fixture_axpy(&progress, &adder.kernel, adder.x, adder.y, 1, COUNT));
        fixture_queue_end(&progress);
    }
    usleep(10000); /* the last of them */
    shim->callback_delay = 0;
    adder_check(&adder, 30);
    adder_free(&adder);
    opencl_shim_end(shim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_QUEUE_TESTS,
        cmocka_unit_test(numbers_finish_where_no_callback_can_be_had),
        cmocka_unit_test(priorities_are_passed_on_where_there_are_any),
        cmocka_unit_test(a_callback_comes_when_its_queue_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
