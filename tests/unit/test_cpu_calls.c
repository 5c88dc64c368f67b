/* Host functions of the CPU's queues that wait, more of them at once than there are workers: other queues go on. */
#include "task_test.h"

#include "backend/cpu/cpu_pool.h"

#include <unistd.h>

enum { QUEUES = 9, WATCHDOG_SECONDS = 30 }; /* more than threads */

/* Without working along, which would lend the queue a thread. */
static void await_idle(quern_queue *queue)
{
    for (int idle = 0; !idle; usleep(200))
        ok(quern_queue_query(queue, &idle));
}

static void start(const char *threads, const char *devices)
{
    setenv("QUERN_CPU_THREADS", threads, 1);
    setenv("QUERN_CPU_DEVICES", devices, 1);
    alarm(WATCHDOG_SECONDS);
}

static int count_spares(void)
{
    pthread_mutex_lock(&quern_cpu_pool.devices[0].mutex);
    int count = (int)quern_cpu_pool.devices[0].spare_count;
    pthread_mutex_unlock(&quern_cpu_pool.devices[0].mutex);
    return count;
}

static quern_status count_up(void *count)
{
    atomic_fetch_add((_Atomic int *)count, 1);
    return QUERN_SUCCESS;
}

/* ---- functions that join tasks ---- */

static _Atomic int leaves;

/* A task. Its queue is its own; it ends when that has run what is in it. */
static quern_status use_own_queue(void *argument)
{
    (void)argument;
    quern_queue *queue = NULL;
    quern_status status = quern_queue_current(&queue);
    return status ? status : quern_queue_call(queue, count_up, &leaves);
}

static quern_status join_a_task(void *argument)
{
    (void)argument;
    quern_task *task = NULL;
    quern_status status = quern_spawn(NULL, use_own_queue, NULL, &task);
    return status ? status : quern_join(task);
}

/* A task, with a queue of whose two kinds argument says one. */
static quern_status use_a_queue(void *blocking)
{
    quern_queue *queue = NULL;
    quern_queue_options options = {.blocking = *(int *)blocking};
    SURE(quern_queue_create(open_device("cpu:0"), &options, &queue));
    SURE(quern_queue_call(queue, join_a_task, NULL));
    SURE(quern_queue_synchronize(queue));
    return quern_queue_release(queue);
}

static void join_tasks(const char *threads)
{
    for (int blocking = 0; blocking <= 1; ++blocking) {
        quern_task *tasks[QUEUES];
        start(threads, "1");
        atomic_store(&leaves, 0);
        for (int i = 0; i < QUEUES; ++i)
            tasks[i] = spawn(NULL, use_a_queue, &blocking);
        for (int i = 0; i < QUEUES; ++i)
            ok(quern_join(tasks[i]));
        assert_int_equal(atomic_load(&leaves), QUEUES);
        shut_down();
    }
}

static void test_functions_that_join_tasks(void **state)
{
    (void)state;
    join_tasks("1");
    join_tasks("4");
}

/* ---- functions that wait for each other ---- */

static _Atomic int arrived;
static int wanted;

static quern_status meet(void *argument)
{
    (void)argument;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < wanted)
        usleep(100);
    return QUERN_SUCCESS;
}

static void meet_on(const char *threads, int devices)
{
    static const char *const names[] = {"cpu:0", "cpu:1"};
    quern_queue *queues[2 * QUEUES];
    start(threads, devices == 1 ? "1" : "2");
    wanted = devices * QUEUES;
    atomic_store(&arrived, 0);
    for (int i = 0; i < wanted; ++i) {
        queues[i] = make_queue(open_device(names[i % devices]), 0, NULL);
        ok(quern_queue_call(queues[i], meet, NULL));
    }
    for (int i = 0; i < wanted; ++i)
        await_idle(queues[i]);
    for (int i = 0; i < wanted; ++i)
        ok(quern_queue_release(queues[i]));
    shut_down();
}

static void test_functions_that_wait_for_each_other(void **state)
{
    (void)state;
    meet_on("1", 1);
    meet_on("4", 1);
    meet_on("2", 2);
}

/* ---- while a function waits ---- */

static quern_status wait_for_flag(void *argument)
{
    while (!atomic_load((_Atomic int *)argument))
        usleep(100);
    return QUERN_SUCCESS;
}

/* The only worker is away all the time; what comes, comes one after the other, and the spare sleeps in between. */
static void test_a_queue_goes_on_meanwhile(void **state)
{
    enum { WAVES = 100 };
    (void)state;
    _Atomic int is_open = 0, count = 0;
    start("1", "1");
    quern_queue *held = make_queue(open_device("cpu:0"), 0, NULL);
    quern_queue *first = make_queue(open_device("cpu:0"), 0, NULL);
    quern_queue *second = make_queue(open_device("cpu:0"), 0, NULL);
    ok(quern_queue_call(held, wait_for_flag, &is_open));
    for (int wave = 0; wave < WAVES; ++wave) {
        ok(quern_queue_call(first, count_up, &count));
        ok(quern_queue_call(second, count_up, &count));
        ok(quern_queue_call(first, count_up, &count));
        await_idle(first);
        await_idle(second);
        assert_int_equal(atomic_load(&count), 3 * (wave + 1));
    }
    assert_true(count_spares() > 0);
    atomic_store(&is_open, 1);
    await_idle(held);
    ok(quern_queue_release(held));
    ok(quern_queue_release(first));
    ok(quern_queue_release(second));
    shut_down();
}

static void test_short_functions_start_no_thread(void **state)
{
    enum { CALLS = 3000 };
    (void)state;
    _Atomic int count = 0;
    start("1", "1");
    quern_queue *queue = make_queue(open_device("cpu:0"), 0, NULL);
    for (int i = 0; i < CALLS; ++i)
        ok(quern_queue_call(queue, count_up, &count));
    await_idle(queue);
    assert_int_equal(atomic_load(&count), CALLS);
    assert_int_equal(count_spares(), 0);
    ok(quern_queue_release(queue));
    shut_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_that_join_tasks),
        cmocka_unit_test(test_functions_that_wait_for_each_other),
        cmocka_unit_test(test_a_queue_goes_on_meanwhile),
        cmocka_unit_test(test_short_functions_start_no_thread),
    };
    unsetenv("QUERN_DEVICE");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
