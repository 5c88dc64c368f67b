/* The OpenCL backend: the numbers of a queue, signals, events, failures, and a device that vanishes. */
#include "opencl_fixture.h"

#include <sched.h>

enum { COUNT = 1000, BYTES = COUNT * 4 };

/* ---- an array of floats on the device, and a kernel that adds to it ---- */

struct adder {
    struct fake_progress progress;
    struct opencl_kernel kernel;
    void *device, *x, *y;
};

static void adder_make(struct adder *adder, int blocking)
{
    float zeros[COUNT] = {0}, ones[COUNT];
    for (int i = 0; i < COUNT; ++i)
        ones[i] = 1;
    adder->device = opencl_device();
    OK(opencl_build(&adder->kernel, adder->device, "axpy", axpy_text, 1, 0));
    opencl_queue(&adder->progress, adder->device, blocking);
    adder->x = opencl_memory(adder->device, BYTES);
    adder->y = opencl_memory(adder->device, BYTES);
    OK(opencl_write(&adder->progress, adder->x, ones, BYTES));
    OK(opencl_write(&adder->progress, adder->y, zeros, BYTES));
    OK(opencl_synchronize(&adder->progress));
}

static quern_status add(struct adder *adder, float a)
{
    return opencl_axpy(&adder->progress, &adder->kernel, adder->x, adder->y, a, COUNT);
}

static void adder_check(struct adder *adder, float wanted)
{
    float found[COUNT];
    OK(opencl_read(&adder->progress, found, adder->y, BYTES));
    OK(opencl_synchronize(&adder->progress));
    for (int i = 0; i < COUNT; ++i)
        assert_true(found[i] == wanted);
}

static void adder_free(struct adder *adder)
{
    opencl_queue_end(&adder->progress);
    opencl_free(adder->device, adder->x, BYTES);
    opencl_free(adder->device, adder->y, BYTES);
    opencl_release(&adder->kernel);
}

/* Until the number has finished, without a call of the backend. */
static void wait_idly(struct fake_progress *progress, uint64_t number)
{
    while (atomic_load(&progress->finished) < number)
        sched_yield();
}

/* ---- numbers ---- */

static void commands_run_in_order(void **state)
{
    (void)state;
    struct adder adder;
    if (!opencl_is_here())
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        adder_make(&adder, blocking);
        for (int i = 1; i <= 100; ++i)
            OK(add(&adder, (float)i));
        adder_check(&adder, 5050);
        adder_free(&adder);
    }
    opencl_stop();
}

static void a_blocking_command_has_finished_when_it_returns(void **state)
{
    (void)state;
    struct adder adder;
    float found[COUNT];
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 1);
    OK(add(&adder, 3));
    assert_int_equal(adder.progress.finished, adder.progress.submitted);
    OK(opencl_read(&adder.progress, found, adder.y, BYTES));
    assert_int_equal(adder.progress.finished, adder.progress.submitted);
    assert_true(found[COUNT - 1] == 3);
    adder_free(&adder);
    opencl_stop();
}

/* More commands than a queue holds at a time. */
static void a_queue_takes_any_number_of_commands(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    struct adder adder;
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    for (int i = 0; i < MANY; ++i)
        OK(add(&adder, 1));
    adder_check(&adder, MANY);
    adder_free(&adder);
    opencl_stop();
}

static void numbers_finish_without_a_further_call(void **state)
{
    (void)state;
    struct adder adder;
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    for (int i = 1; i <= 200; ++i) {
        for (int k = 0; k < i % 5; ++k)
            OK(add(&adder, 1));
        /* A number without a command finishes in its turn. */
        if (i % 3 == 0)
            OK(quern_opencl_backend.signal(adder.progress.queue, ++adder.progress.submitted));
        if (i % 2 == 0)
            OK(add(&adder, 1));
        wait_idly(&adder.progress, adder.progress.submitted);
    }
    adder_check(&adder, 500);
    adder_free(&adder);
    opencl_stop();
}

/* Where the driver makes no callback, a thread waits. */
static void numbers_finish_where_no_callback_can_be_had(void **state)
{
    (void)state;
    struct adder adder;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    opencl_shim_rest(shim);
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    for (long at = 1; at <= 5; ++at) {
        opencl_shim_fail(shim, "SetEventCallback", at, CL_OUT_OF_HOST_MEMORY);
        for (int i = 0; i < 10; ++i)
            OK(add(&adder, 1));
        wait_idly(&adder.progress, adder.progress.submitted);
        OK(opencl_synchronize(&adder.progress));
    }
    adder_check(&adder, 50);
    adder_free(&adder);
    opencl_stop();
    opencl_shim_nothing_left(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* The callback that was asked for may come when the queue is gone. */
static void a_queue_is_destroyed_while_a_callback_is_under_way(void **state)
{
    (void)state;
    struct adder adder;
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    for (int i = 0; i < 300; ++i) {
        struct fake_progress progress;
        opencl_queue(&progress, adder.device, 0);
        OK(opencl_axpy(&progress, &adder.kernel, adder.x, adder.y, 1, COUNT));
        if (i % 2)
            OK(opencl_synchronize(&progress));
        else
            wait_idly(&progress, progress.submitted);
        quern_opencl_backend.queue_destroy(progress.queue);
    }
    adder_check(&adder, 300);
    adder_free(&adder);
    opencl_stop();
}

/* ---- threads ---- */

struct waiting {
    struct adder *adder;
    _Atomic int ready, go, done;
    uint64_t number;
};

static void *wait_for_number(void *argument)
{
    struct waiting *waiting = argument;
    quern_opencl_backend.help(waiting->adder->progress.queue, waiting->number);
    waiting->done = atomic_load(&waiting->adder->progress.finished) >= waiting->number ? 1 : -1;
    return NULL;
}

/* A thread may wait for a command whose number has been given out, but which is not in the queue yet. */
static void a_command_is_waited_for_before_it_is_there(void **state)
{
    (void)state;
    struct adder adder;
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    for (int i = 0; i < 50; ++i) {
        pthread_t threads[3];
        struct waiting waiting[3];
        for (int k = 0; k < 3; ++k) {
            waiting[k] = (struct waiting){.adder = &adder, .number = adder.progress.submitted + 1 + (uint64_t)(k / 2)};
            assert_int_equal(pthread_create(&threads[k], NULL, wait_for_number, &waiting[k]), 0);
        }
        if (i % 2)
            usleep(200);
        OK(add(&adder, 1));
        OK(add(&adder, 1));
        for (int k = 0; k < 3; ++k) {
            pthread_join(threads[k], NULL);
            assert_int_equal(waiting[k].done, 1);
        }
    }
    adder_check(&adder, 100);
    adder_free(&adder);
    opencl_stop();
}

static void *help_along(void *argument)
{
    struct waiting *waiting = argument;
    struct fake_progress *progress = &waiting->adder->progress;
    while (!waiting->go)
        quern_opencl_backend.help(progress->queue, atomic_load(&progress->finished) + 1);
    return NULL;
}

static void threads_wait_at_once(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    struct adder adder;
    pthread_t threads[3];
    struct waiting waiting = {.adder = &adder};
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(pthread_create(&threads[k], NULL, help_along, &waiting), 0);
    for (int i = 0; i < MANY; ++i)
        OK(add(&adder, 1));
    waiting.go = 1;
    OK(add(&adder, 1)); /* two more, for whoever waits for the next number */
    OK(add(&adder, 1));
    OK(opencl_synchronize(&adder.progress));
    for (int k = 0; k < 3; ++k)
        pthread_join(threads[k], NULL);
    adder_check(&adder, MANY + 2);
    adder_free(&adder);
    opencl_stop();
}

/* ---- events ---- */

static struct fake_event *record(struct fake_progress *progress, struct fake_event *event)
{
    memset(event, 0, sizeof *event);
    event->references = 1;
    event->progress = progress;
    OK(quern_opencl_backend.record(progress->queue, ++progress->submitted, (quern_event *)(void *)event));
    return event;
}

static void an_event_is_reached_without_a_further_call(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event first, second;
    if (!opencl_is_here())
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        adder_make(&adder, blocking);
        record(&adder.progress, &first);
        for (int i = 0; i < 20; ++i)
            OK(add(&adder, 1));
        record(&adder.progress, &second);
        wait_idly(&adder.progress, adder.progress.submitted);
        assert_int_equal(first.reached, 1);
        assert_int_equal(second.reached, 1);
        assert_int_equal(second.references, 0);
        assert_int_equal(second.status, 0);
        assert_true(second.nanoseconds > first.nanoseconds);
        assert_true(second.nanoseconds - first.nanoseconds < 60000000000);
        adder_check(&adder, 20);
        adder_free(&adder);
    }
    opencl_stop();
}

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
        OK(opencl_synchronize(&adder.progress));
        fake_failed(fake_handle(&adder.progress), adder.progress.submitted, QUERN_HOST_FUNCTION_FAILED, "a test", "");
        OK(add(&adder, 1));
        OK(opencl_write(&adder.progress, adder.y, &adder, sizeof(float)));
        record(&adder.progress, &event);
        assert_int_equal(quern_opencl_backend.help(adder.progress.queue, adder.progress.submitted), QUERN_SUCCESS);
        assert_int_equal(event.reached, 1);
        assert_int_equal(event.status, QUERN_HOST_FUNCTION_FAILED);
        REFUSED(opencl_synchronize(&adder.progress), QUERN_HOST_FUNCTION_FAILED, "a test");
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
        if (!opencl_is_here())
            skip();
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
        REFUSED(opencl_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY,
                "kernel axpy|opencl:0|CL_OUT_OF_RESOURCES (-5)");
        OK(add(&adder, 1)); /* and goes on */
        OK(opencl_synchronize(&adder.progress));
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
    opencl_shim_rest(shim);
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    opencl_shim_fail(shim, "EnqueueNDRangeKernel", 2, CL_OUT_OF_HOST_MEMORY);
    OK(add(&adder, 1));
    REFUSED(add(&adder, 1), QUERN_OUT_OF_MEMORY, "kernel axpy|opencl:0|CL_OUT_OF_HOST_MEMORY (-6)");
    REFUSED(opencl_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY, "CL_OUT_OF_HOST_MEMORY");
    opencl_shim_fail(shim, "EnqueueReadBuffer", 1, CL_INVALID_VALUE);
    REFUSED(opencl_read(&adder.progress, found, adder.y, BYTES), QUERN_INTERNAL, "a copy|CL_INVALID_VALUE (-30)");
    REFUSED(opencl_synchronize(&adder.progress), QUERN_INTERNAL, "");
    opencl_shim_fail(shim, "EnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES);
    ++adder.progress.submitted;
    REFUSED(opencl_end(&adder.progress, quern_opencl_backend.record(adder.progress.queue, adder.progress.submitted,
                                                                    (quern_event *)(void *)&event)),
            QUERN_OUT_OF_MEMORY, "an event record|CL_OUT_OF_RESOURCES");
    assert_int_equal(event.references, 1); /* still the caller's */
    REFUSED(opencl_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY, "");
    adder_check(&adder, 1);
    adder_free(&adder);
    opencl_stop();
    opencl_shim_nothing_left(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* A copy of many commands of which one is refused: the others leave nothing behind. */
static void a_copy_that_fails_in_the_middle_leaves_nothing_queued(void **state)
{
    (void)state;
    struct adder adder;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    opencl_shim_rest(shim);
    if (!opencl_is_here())
        skip();
    adder_make(&adder, 0);
    quern_backend_copy box = {.rank = 2, .element_size = 1, .extents = {50, 3}};
    box.target_pitches[0] = 5;
    box.source_pitches[0] = 4;
    box.target_pitches[1] = box.source_pitches[1] = 1;
    box.source = adder.x;
    box.target = (char *)adder.x + 1000;
    box.source_memory = box.target_memory = adder.x;
    opencl_shim_fail(shim, "EnqueueCopyBuffer", 30, CL_OUT_OF_RESOURCES);
    REFUSED(opencl_copy(&adder.progress, &box), QUERN_OUT_OF_MEMORY, "a copy|CL_OUT_OF_RESOURCES");
    assert_int_equal(shim->events, 0);
    assert_int_equal(adder.progress.finished, adder.progress.submitted);
    (void)opencl_synchronize(&adder.progress);
    adder_free(&adder);
    opencl_stop();
    opencl_shim_nothing_left(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
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
        if (!opencl_is_here())
            skip();
        adder_make(&adder, at % 3 == 0);
        opencl_shim_vanish(shim, at);
        for (int i = 0; i < 4; ++i)
            (void)add(&adder, 1);
        memset(&event, 0, sizeof event);
        event.references = 1;
        ++adder.progress.submitted;
        (void)opencl_end(&adder.progress, quern_opencl_backend.record(adder.progress.queue, adder.progress.submitted,
                                                                      (quern_event *)(void *)&event));
        for (int i = 0; i < 4; ++i)
            (void)add(&adder, 1);
        quern_status status = opencl_synchronize(&adder.progress);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_run_in_order),
        cmocka_unit_test(a_blocking_command_has_finished_when_it_returns),
        cmocka_unit_test(a_queue_takes_any_number_of_commands),
        cmocka_unit_test(numbers_finish_without_a_further_call),
        cmocka_unit_test(numbers_finish_where_no_callback_can_be_had),
        cmocka_unit_test(a_queue_is_destroyed_while_a_callback_is_under_way),
        cmocka_unit_test(a_command_is_waited_for_before_it_is_there),
        cmocka_unit_test(threads_wait_at_once),
        cmocka_unit_test(an_event_is_reached_without_a_further_call),
        cmocka_unit_test(a_failed_queue_runs_nothing_but_finishes_its_numbers),
        cmocka_unit_test(a_command_that_fails_later_is_reported),
        cmocka_unit_test(an_enqueue_that_fails_is_reported_at_once),
        cmocka_unit_test(a_copy_that_fails_in_the_middle_leaves_nothing_queued),
        cmocka_unit_test(a_device_that_vanishes_hangs_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
