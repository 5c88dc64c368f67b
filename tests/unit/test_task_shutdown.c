/* Tasks and quern_shutdown: what holds it up, and one life after another. */
#include "task_test.h"

static void test_a_task_holds_it_up(void **state)
{
    _Atomic int flag = 0;
    (void)state;
    quern_task *task = spawn(NULL, yield_until, &flag);
    refused(quern_shutdown(), QUERN_BUSY, "still held: 1 tasks, of which 0 have ended");
    atomic_store(&flag, 1);
    ok(quern_join(task));
    ok(quern_shutdown());
    assert_int_equal(task_statistics().threads, 0);
}

/* Nobody has its result yet, which shutdown would take away. */
static void test_so_does_one_that_was_not_joined(void **state)
{
    _Atomic int count = 0;
    (void)state;
    uint64_t ended = task_statistics().ended;
    quern_task *task = spawn(NULL, increment, &count);
    while (task_statistics().ended == ended)
        ok(quern_yield());
    refused(quern_shutdown(), QUERN_BUSY, "still held: 1 tasks, of which 1 have ended");
    ok(quern_join(task));
    ok(quern_shutdown());
}

static quern_status shut_down_in_task(void *unused)
{
    (void)unused;
    MUST(quern_shutdown() == QUERN_BUSY);
    return QUERN_SUCCESS;
}

static void test_a_task_cannot_end_its_own_world(void **state)
{
    (void)state;
    ok(quern_join(spawn(NULL, shut_down_in_task, NULL)));
    ok(quern_shutdown());
}

/* Something else holds it up when the task threads are gone already: they come again. */
static void test_a_shutdown_that_fails_later(void **state)
{
    _Atomic int count = 0;
    (void)state;
    quern_queue *queue = make_queue(open_device("cpu:0"), 0, "held");
    ok(quern_join(spawn(NULL, increment, &count)));
    refused(quern_shutdown(), QUERN_BUSY, "still held: 1 of queues");
    ok(quern_join(spawn(NULL, increment, &count)));
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    assert_int_equal(atomic_load(&count), 2);
}

static quern_status fork_out(void *argument)
{
    _Atomic int *count = argument;
    quern_task *tasks[6];
    for (int i = 0; i < 6; ++i)
        tasks[i] = spawn(NULL, increment, count);
    SURE(quern_spawn(NULL, increment, count, NULL));
    for (int i = 0; i < 6; ++i)
        SURE(quern_join(tasks[i]));
    return QUERN_SUCCESS;
}

/* Threads of all numbers, some of which never get a task; the counters go on. */
static void test_many_lives(void **state)
{
    static const char *const threads[] = {"1", "3", "2", "8"};
    _Atomic int count = 0;
    (void)state;
    uint64_t spawned = task_statistics().spawned;
    for (int life = 0; life < 24; ++life) {
        setenv("QUERN_CPU_THREADS", threads[life % 4], 1);
        for (int i = 0; i <= life % 3; ++i)
            ok(quern_join(spawn(NULL, fork_out, &count)));
        assert_int_equal(task_statistics().threads, atoi(threads[life % 4]));
        shut_down();
    }
    assert_int_equal(atomic_load(&count), 48 * 7);
    assert_int_equal(task_statistics().spawned - spawned, 48 * 8);
    assert_int_equal(task_statistics().ended, task_statistics().spawned);
}

/* Its memory is gone, and may be another task's in the next life. */
static void test_a_handle_of_an_earlier_life(void **state)
{
    enum { TASKS = 100 };
    _Atomic int count = 0;
    quern_task *task = spawn(NULL, increment, &count), *others[TASKS];
    (void)state;
    ok(quern_join(task));
    shut_down();
    refused(quern_join(task), QUERN_INVALID_ARGUMENT, "has been shut down");
    refused(quern_task_cancel(task), QUERN_INVALID_ARGUMENT, "has been shut down");
    for (int life = 0; life < 3; ++life) {
        for (int i = 0; i < TASKS; ++i) {
            others[i] = spawn(NULL, increment, &count);
            refused(quern_join(task), QUERN_RELEASED, "joined before");
            refused(quern_task_cancel(task), QUERN_RELEASED, "joined before");
        }
        for (int i = 0; i < TASKS; ++i)
            ok(quern_join(others[i]));
        shut_down();
    }
    assert_int_equal(atomic_load(&count), 1 + 3 * TASKS);
}

static void test_no_cpu_device(void **state)
{
    _Atomic int count = 0;
    (void)state;
    setenv("QUERN_CPU_THREADS", "none", 1);
    refused(quern_spawn(NULL, increment, &count, NULL), QUERN_INVALID_ARGUMENT,
            "as many threads as the CPU devices have|QUERN_CPU_THREADS");
    assert_int_equal(task_statistics().threads, 0);
    setenv("QUERN_CPU_THREADS", "2", 1);
    ok(quern_shutdown());
    ok(quern_join(spawn(NULL, increment, &count)));
    ok(quern_shutdown());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_task_holds_it_up),
        cmocka_unit_test(test_so_does_one_that_was_not_joined),
        cmocka_unit_test(test_a_task_cannot_end_its_own_world),
        cmocka_unit_test(test_a_shutdown_that_fails_later),
        cmocka_unit_test(test_many_lives),
        cmocka_unit_test(test_a_handle_of_an_earlier_life),
        cmocka_unit_test(test_no_cpu_device),
    };
    unsetenv("QUERN_DEVICE");
    setenv("QUERN_CPU_DEVICES", "1", 1);
    setenv("QUERN_CPU_THREADS", "2", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
