/* The OpenCL backend: the numbers of a queue, callbacks, threads, events. */
#include "opencl_adder.h"

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
    OK(opencl_start());
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
            OK(quern_opencl_backend.queue_create(opencl_device(), &options, fake_handle(&progress), &progress.queue));
            assert_int_equal(shim->priority, there ? wanted[priority + 1] : 0);
            opencl_queue_end(&progress);
        }
        opencl_stop();
    }
    opencl_shim_rest(shim);
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
        opencl_queue(&progress, adder.device, 0);
        OK(opencl_axpy(&progress, &adder.kernel, adder.x, adder.y, 1, COUNT));
        opencl_queue_end(&progress);
    }
    usleep(10000); /* the last of them */
    shim->callback_delay = 0;
    adder_check(&adder, 30);
    adder_free(&adder);
    opencl_shim_end(shim);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_run_in_order),
        cmocka_unit_test(a_blocking_command_has_finished_when_it_returns),
        cmocka_unit_test(a_queue_takes_any_number_of_commands),
        cmocka_unit_test(numbers_finish_without_a_further_call),
        cmocka_unit_test(numbers_finish_where_no_callback_can_be_had),
        cmocka_unit_test(priorities_are_passed_on_where_there_are_any),
        cmocka_unit_test(a_queue_is_destroyed_while_a_callback_is_under_way),
        cmocka_unit_test(a_callback_comes_when_its_queue_is_gone),
        cmocka_unit_test(a_command_is_waited_for_before_it_is_there),
        cmocka_unit_test(threads_wait_at_once),
        cmocka_unit_test(an_event_is_reached_without_a_further_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
