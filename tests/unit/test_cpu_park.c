/* Parking: a set is remembered, reasons add up, a wait takes them away. */
#include "base/park.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

static void a_set_before_the_wait_is_remembered(void **state)
{
    quern_parker parker;
    (void)state;
    assert_int_equal(quern_parker_init(&parker), QUERN_SUCCESS);
    quern_parker_set(&parker, 2);
    quern_parker_set(&parker, 1);
    assert_int_equal(quern_parker_wait(&parker), 3);
    assert_int_equal(quern_parker_wait_for(&parker, 1000), 0);
    quern_parker_set(&parker, 4);
    assert_int_equal(quern_parker_wait_for(&parker, 1000000000), 4);
    assert_int_equal(quern_parker_wait_for(&parker, -5), 0);
    quern_parker_destroy(&parker);
}

static void a_wait_ends_when_its_time_is_up(void **state)
{
    quern_parker parker;
    struct timespec begin, end;
    (void)state;
    assert_int_equal(quern_parker_init(&parker), QUERN_SUCCESS);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(quern_parker_wait_for(&parker, 20000000), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t passed = (int64_t)(end.tv_sec - begin.tv_sec) * 1000000000 + (end.tv_nsec - begin.tv_nsec);
    assert_true(passed >= 20000000);
    quern_parker_destroy(&parker);
}

enum { TURNS = 2000 };

static quern_parker ping, pong;

static void *answer(void *argument)
{
    for (unsigned i = 1; i <= TURNS; ++i) {
        *(unsigned *)argument += quern_parker_wait(&ping);
        quern_parker_set(&pong, i);
    }
    return NULL;
}

static void two_threads_take_turns(void **state)
{
    pthread_t thread;
    unsigned sum = 0;
    (void)state;
    assert_int_equal(quern_parker_init(&ping), QUERN_SUCCESS);
    assert_int_equal(quern_parker_init(&pong), QUERN_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, answer, &sum), 0);
    for (unsigned i = 1; i <= TURNS; ++i) {
        quern_parker_set(&ping, i);
        assert_int_equal(quern_parker_wait(&pong), i);
    }
    pthread_join(thread, NULL);
    assert_int_equal(sum, TURNS * (TURNS + 1) / 2);
    quern_parker_destroy(&ping);
    quern_parker_destroy(&pong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_before_the_wait_is_remembered),
        cmocka_unit_test(a_wait_ends_when_its_time_is_up),
        cmocka_unit_test(two_threads_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
