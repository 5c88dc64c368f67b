/*
 * Tests of queues that are the same for all backends for devices. Who includes this defines adder_build, and beside it
 *
 *     fixture_is_here   starts the backend; 0, and the reason is printed, where there is none
 *     fixture_stop      stops it
 */
#ifndef QUERN_TESTS_DEVICE_QUEUE_TESTS_H
#define QUERN_TESTS_DEVICE_QUEUE_TESTS_H

#include "device_adder.h"

static int fixture_is_here(void);
static void fixture_stop(void);

/* The latest number is asked for, and then nothing is called. */
static void finish_idly(struct fake_progress *progress)
{
    OK(fixture_backend->signal(progress->queue, progress->submitted));
    wait_idly(progress, progress->submitted);
}

static void commands_run_in_order(void **state)
{
    (void)state;
    struct adder adder;
    if (!fixture_is_here())
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        adder_make(&adder, blocking);
        for (int i = 1; i <= 100; ++i)
            OK(add(&adder, (float)i));
        adder_check(&adder, 5050);
        adder_free(&adder);
    }
    fixture_stop();
}

static void a_blocking_command_has_finished_when_it_returns(void **state)
{
    (void)state;
    struct adder adder;
    float found[COUNT];
    if (!fixture_is_here())
        skip();
    adder_make(&adder, 1);
    OK(add(&adder, 3));
    assert_int_equal(adder.progress.finished, adder.progress.submitted);
    OK(fixture_read(&adder.progress, found, adder.y, BYTES));
    assert_int_equal(adder.progress.finished, adder.progress.submitted);
    assert_true(found[COUNT - 1] == 3);
    adder_free(&adder);
    fixture_stop();
}

/* More commands than a queue holds at a time. */
static void a_queue_takes_any_number_of_commands(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    struct adder adder;
    if (!fixture_is_here())
        skip();
    adder_make(&adder, 0);
    for (int i = 0; i < MANY; ++i)
        OK(add(&adder, 1));
    adder_check(&adder, MANY);
    adder_free(&adder);
    fixture_stop();
}

static void numbers_finish_without_a_further_call(void **state)
{
    (void)state;
    struct adder adder;
    if (!fixture_is_here())
        skip();
    adder_make(&adder, 0);
    for (int i = 1; i <= 200; ++i) {
        for (int k = 0; k < i % 5; ++k)
            OK(add(&adder, 1));
        /* A number without a command finishes in its turn. */
        if (i % 3 == 0)
            OK(fixture_backend->signal(adder.progress.queue, ++adder.progress.submitted));
        if (i % 2 == 0)
            OK(add(&adder, 1));
        finish_idly(&adder.progress);
    }
    adder_check(&adder, 500);
    adder_free(&adder);
    fixture_stop();
}

/* The callback that was asked for may come when the queue is gone. */
static void a_queue_is_destroyed_while_a_callback_is_under_way(void **state)
{
    (void)state;
    struct adder adder;
    if (!fixture_is_here())
        skip();
    adder_make(&adder, 0);
    for (int i = 0; i < 300; ++i) {
        struct fake_progress progress;
        fixture_queue(&progress, adder.device, 0);
        OK(fixture_axpy(&progress, &adder.kernel, adder.x, adder.y, 1, COUNT));
        if (i % 2)
            OK(fixture_synchronize(&progress));
        else
            finish_idly(&progress);
        fixture_backend->queue_destroy(progress.queue);
    }
    adder_check(&adder, 300);
    adder_free(&adder);
    fixture_stop();
}

struct waiting {
    struct adder *adder;
    _Atomic int ready, go, done;
    uint64_t number;
};

static void *wait_for_number(void *argument)
{
    struct waiting *waiting = argument;
    fixture_backend->help(waiting->adder->progress.queue, waiting->number);
    waiting->done = atomic_load(&waiting->adder->progress.finished) >= waiting->number ? 1 : -1;
    return NULL;
}

/* A thread may wait for a command whose number has been given out, but which is not in the queue yet. */
static void a_command_is_waited_for_before_it_is_there(void **state)
{
    (void)state;
    struct adder adder;
    if (!fixture_is_here())
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
    fixture_stop();
}

static void *help_along(void *argument)
{
    struct waiting *waiting = argument;
    struct fake_progress *progress = &waiting->adder->progress;
    while (!waiting->go)
        fixture_backend->help(progress->queue, atomic_load(&progress->finished) + 1);
    return NULL;
}

static void threads_wait_at_once(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    struct adder adder;
    pthread_t threads[3];
    struct waiting waiting = {.adder = &adder};
    if (!fixture_is_here())
        skip();
    adder_make(&adder, 0);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(pthread_create(&threads[k], NULL, help_along, &waiting), 0);
    for (int i = 0; i < MANY; ++i)
        OK(add(&adder, 1));
    waiting.go = 1;
    OK(add(&adder, 1)); /* two more, for whoever waits for the next number */
    OK(add(&adder, 1));
    OK(fixture_synchronize(&adder.progress));
    for (int k = 0; k < 3; ++k)
        pthread_join(threads[k], NULL);
    adder_check(&adder, MANY + 2);
    adder_free(&adder);
    fixture_stop();
}

static void an_event_is_reached_without_a_further_call(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event first, second;
    if (!fixture_is_here())
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
    fixture_stop();
}

#define DEVICE_QUEUE_TESTS                                                                                             \
    cmocka_unit_test(commands_run_in_order), cmocka_unit_test(a_blocking_command_has_finished_when_it_returns),        \
        cmocka_unit_test(a_queue_takes_any_number_of_commands),                                                        \
        cmocka_unit_test(numbers_finish_without_a_further_call),                                                       \
        cmocka_unit_test(a_queue_is_destroyed_while_a_callback_is_under_way),                                          \
        cmocka_unit_test(a_command_is_waited_for_before_it_is_there), cmocka_unit_test(threads_wait_at_once),          \
        cmocka_unit_test(an_event_is_reached_without_a_further_call)

#endif
