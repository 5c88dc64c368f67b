/* The OpenCL backend: commands that fail, at once or later, and a device that vanishes. */
#include "opencl_adder.h"

/* ---- failures ---- */

static void a_failed_queue_runs_nothing_but_finishes_its_numbers(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event event;
    if (!opencl_is_here())
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        adder_make(&adder, blocking);
        OK(add(&adder, 1));
        OK(fixture_synchronize(&adder.progress));
        fake_failed(fake_handle(&adder.progress), adder.progress.submitted, QUERN_HOST_FUNCTION_FAILED, "a test", "");
        OK(add(&adder, 1));
        OK(fixture_write(&adder.progress, adder.y, &adder, sizeof(float)));
        record(&adder.progress, &event);
        assert_int_equal(quern_opencl_backend.help(adder.progress.queue, adder.progress.submitted), QUERN_SUCCESS);
        assert_int_equal(event.reached, 1);
        assert_int_equal(event.status, QUERN_HOST_FUNCTION_FAILED);
        REFUSED(fixture_synchronize(&adder.progress), QUERN_HOST_FUNCTION_FAILED, "a test");
        adder_check(&adder, 1);
        adder_free(&adder);
    }
    opencl_stop();
}

/* A command that was accepted and fails while it runs: found by waiting, by a callback, and on a blocking queue. */
static void a_command_that_fails_later_is_reported(void **state)
{
    (void)state;
    struct adder adder;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    for (int way = 0; way < 4; ++way) {
        opencl_shim_rest(shim);
        OK(opencl_start());
        adder_make(&adder, way == 2);
        opencl_shim_break(shim, 2, CL_OUT_OF_RESOURCES);
        OK(add(&adder, 1));
        OK(add(&adder, 1)); /* it says so later, also on a blocking queue, where the front end looks at once */
        if (way != 3)
            (void)add(&adder, 1);
        if (way == 1)
            wait_idly(&adder.progress, adder.progress.submitted);
        assert_int_equal(quern_opencl_backend.help(adder.progress.queue, adder.progress.submitted), QUERN_SUCCESS);
        assert_int_equal(adder.progress.failed_number, 4); /* behind the two copies of adder_make */
        REFUSED(fixture_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY,
                "kernel axpy|opencl:0|CL_OUT_OF_RESOURCES (-5)");
        OK(add(&adder, 1)); /* and goes on */
        OK(fixture_synchronize(&adder.progress));
        adder_free(&adder);
        opencl_stop();
        opencl_shim_nothing_left(shim);
    }
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void an_enqueue_that_fails_is_reported_at_once(void **state)
{
    (void)state;
    struct adder adder;
    float found[COUNT];
    struct fake_event event = {.references = 1};
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    OK(opencl_start());
    adder_make(&adder, 0);
    opencl_shim_fail(shim, "EnqueueNDRangeKernel", 2, CL_OUT_OF_HOST_MEMORY);
    OK(add(&adder, 1));
    REFUSED(add(&adder, 1), QUERN_OUT_OF_MEMORY, "kernel axpy|opencl:0|CL_OUT_OF_HOST_MEMORY (-6)");
    REFUSED(fixture_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY, "CL_OUT_OF_HOST_MEMORY");
    opencl_shim_fail(shim, "EnqueueReadBuffer", 1, CL_INVALID_VALUE);
    REFUSED(fixture_read(&adder.progress, found, adder.y, BYTES), QUERN_INTERNAL, "a copy|CL_INVALID_VALUE (-30)");
    REFUSED(fixture_synchronize(&adder.progress), QUERN_INTERNAL, "");
    opencl_shim_fail(shim, "EnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES);
    ++adder.progress.submitted;
    REFUSED(fixture_end(&adder.progress, quern_opencl_backend.record(adder.progress.queue, adder.progress.submitted,
                                                                     (quern_event *)(void *)&event)),
            QUERN_OUT_OF_MEMORY, "an event record|CL_OUT_OF_RESOURCES");
    assert_int_equal(event.references, 1); /* still the caller's */
    REFUSED(fixture_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY, "");
    adder_check(&adder, 1);
    adder_free(&adder);
    opencl_shim_end(shim);
}

/* A copy of many commands of which one is refused: the others leave nothing behind. */
static void a_copy_that_fails_in_the_middle_leaves_nothing_queued(void **state)
{
    (void)state;
    struct adder adder;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    OK(opencl_start());
    adder_make(&adder, 0);
    quern_backend_copy box = {.rank = 2, .element_size = 1, .extents = {50, 3}};
    box.target_pitches[0] = 5;
    box.source_pitches[0] = 4;
    box.target_pitches[1] = box.source_pitches[1] = 1;
    box.source = adder.x;
    box.target = (char *)adder.x + 1000;
    box.source_memory = box.target_memory = adder.x;
    for (int i = 0; i < 500; ++i) /* so that the first rows are not copied yet when a later one fails */
        OK(add(&adder, 0));
    opencl_shim_fail(shim, "EnqueueCopyBuffer", 30, CL_OUT_OF_RESOURCES);
    REFUSED(fixture_copy(&adder.progress, &box), QUERN_OUT_OF_MEMORY, "a copy|CL_OUT_OF_RESOURCES");
    assert_int_equal(shim->events, 0);
    assert_int_equal(adder.progress.finished, adder.progress.submitted);
    (void)fixture_synchronize(&adder.progress);
    adder_free(&adder);
    opencl_shim_end(shim);
}

/* ---- a device that vanishes ---- */

/* From any call on nothing works any more; every number finishes all the same, and everything can be let go. */
static void a_device_that_vanishes_hangs_nobody(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event event;
    struct quern_opencl_shim *shim = opencl_shim();
    int lost = 0;
    if (!shim)
        skip();
    for (long at = 1; at < 60; at += at < 20 ? 1 : 7) {
        opencl_shim_rest(shim);
        OK(opencl_start());
        adder_make(&adder, at % 3 == 0);
        opencl_shim_vanish(shim, at);
        for (int i = 0; i < 4; ++i)
            (void)add(&adder, 1);
        memset(&event, 0, sizeof event);
        event.references = 1;
        ++adder.progress.submitted;
        (void)fixture_end(&adder.progress, quern_opencl_backend.record(adder.progress.queue, adder.progress.submitted,
                                                                       (quern_event *)(void *)&event));
        for (int i = 0; i < 4; ++i)
            (void)add(&adder, 1);
        if (at % 2) { /* a number without a command, and nobody waits */
            OK(quern_opencl_backend.signal(adder.progress.queue, ++adder.progress.submitted));
            wait_idly(&adder.progress, adder.progress.submitted);
        }
        quern_status status = fixture_synchronize(&adder.progress);
        assert_true(status == QUERN_SUCCESS || status == QUERN_DEVICE_LOST);
        lost += status == QUERN_DEVICE_LOST;
        if (status == QUERN_DEVICE_LOST)
            assert_non_null(strstr(quern_last_error(), "CL_DEVICE_NOT_AVAILABLE (-2)"));
        /* The front end signals what it gave up. */
        ++adder.progress.submitted;
        assert_int_equal(quern_opencl_backend.signal(adder.progress.queue, adder.progress.submitted), QUERN_SUCCESS);
        wait_idly(&adder.progress, adder.progress.submitted);
        adder_free(&adder);
        opencl_stop();
        opencl_shim_nothing_left(shim);
    }
    assert_true(lost > 20);
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* Nothing ends any more, and nobody can wait: the commands count as lost. */
static void a_device_that_freezes_hangs_nobody(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event event;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        opencl_shim_rest(shim);
        OK(opencl_start());
        adder_make(&adder, blocking);
        shim->is_frozen = 1;
        OK(add(&adder, 1));
        record(&adder.progress, &event);
        OK(add(&adder, 1));
        REFUSED(fixture_synchronize(&adder.progress), QUERN_DEVICE_LOST, "kernel axpy|CL_DEVICE_NOT_AVAILABLE (-2)");
        assert_int_equal(event.reached, 1);
        shim->is_frozen = 0;
        adder_free(&adder);
        opencl_stop();
        opencl_shim_nothing_left(shim);
    }
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* ---- handles that are no more ---- */

/* The caller's mistake, as far as a driver notices it, and the device goes on. */
static void what_is_gone_is_refused(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_progress progress;
    struct quern_opencl_shim *shim = opencl_shim();
    quern_queue_options options = {0, 0, NULL};
    void *queue = NULL, *memory = NULL, *wrapped = NULL;
    size_t offset = 0;
    if (!shim)
        skip();
    opencl_shim_rest(shim);
    OK(opencl_start());
    adder_make(&adder, 0);
    void *device = adder.device;
    fake_progress_make(&progress);
    OK(quern_opencl_backend.native(device, QUERN_NATIVE_OPENCL_QUEUE, adder.progress.queue, NULL, &queue, &offset));
    OK(quern_opencl_backend.native(device, QUERN_NATIVE_OPENCL_MEMORY, adder.x, adder.x, &memory, &offset));
    static const char *const of_queues[] = {"GetCommandQueueInfo", "RetainCommandQueue"};
    static const char *const of_memory[] = {"GetMemObjectInfo", "RetainMemObject"};
    for (int i = 0; i < 2; ++i) {
        opencl_shim_fail(shim, of_queues[i], 1, CL_INVALID_COMMAND_QUEUE);
        REFUSED(quern_opencl_backend.queue_wrap(device, QUERN_NATIVE_OPENCL_QUEUE, queue, &options,
                                                fake_handle(&progress), &progress.queue),
                QUERN_INVALID_ARGUMENT,
                "handle is|CL_INVALID_COMMAND_QUEUE (-36)|wanted a cl_command_queue of opencl:0");
        opencl_shim_fail(shim, of_memory[i], 1, CL_INVALID_MEM_OBJECT);
        REFUSED(quern_opencl_backend.memory_wrap(device, QUERN_NATIVE_OPENCL_MEMORY, memory, 8, &wrapped),
                QUERN_INVALID_ARGUMENT, "handle is|CL_INVALID_MEM_OBJECT (-38)|wanted a cl_mem of opencl:0");
    }
    opencl_shim_rest(shim);
    OK(add(&adder, 2));
    adder_check(&adder, 2);
    adder_free(&adder);
    pthread_mutex_destroy(&progress.mutex);
    opencl_shim_end(shim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_queue_runs_nothing_but_finishes_its_numbers),
        cmocka_unit_test(a_command_that_fails_later_is_reported),
        cmocka_unit_test(an_enqueue_that_fails_is_reported_at_once),
        cmocka_unit_test(a_copy_that_fails_in_the_middle_leaves_nothing_queued),
        cmocka_unit_test(a_device_that_vanishes_hangs_nobody),
        cmocka_unit_test(a_device_that_freezes_hangs_nobody),
        cmocka_unit_test(what_is_gone_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
