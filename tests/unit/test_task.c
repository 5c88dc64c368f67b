/* Tasks: what spawn, join, cancel and yield promise, and what they refuse. */
#include "task_test.h"

#include <sys/wait.h>
#include <unistd.h>

/* ---- results ---- */

static void test_a_task_runs(void **state)
{
    _Atomic int count = 0;
    (void)state;
    ok(quern_join(spawn(NULL, increment, &count)));
    assert_int_equal(atomic_load(&count), 1);
}

static quern_status fail_at_length(void *argument)
{
    char name[2000];
    quern_device *device = NULL;
    (void)argument;
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    return quern_device_open(name, &device);
}

static void test_a_failure_comes_with_its_sentence(void **state)
{
    quern_status plain = QUERN_FILE_ERROR, early = QUERN_NOT_READY, none = (quern_status)4711;
    (void)state;
    refused(quern_join(spawn("opener", fail_with_a_sentence, NULL)), QUERN_NOT_FOUND,
            "task 'opener' failed: |no such device");
    refused(quern_join(spawn(NULL, fail_with_a_sentence, NULL)), QUERN_NOT_FOUND, "a task failed: |no such device");
    refused(quern_join(spawn(NULL, fail_at_length, NULL)), QUERN_NOT_FOUND, "a task failed: |xxxxx|present: ");
    assert_true(strlen(quern_last_error()) > 2000);
    refused(quern_join(spawn("plain", give_status, &plain)), QUERN_FILE_ERROR, "'plain' failed: |QUERN_FILE_ERROR");
    refused(quern_join(spawn("early", give_status, &early)), QUERN_HOST_FUNCTION_FAILED,
            "'early' failed: |returned 13");
    refused(quern_join(spawn("none", give_status, &none)), QUERN_HOST_FUNCTION_FAILED, "'none' failed: |returned 4711");
    refused(quern_join(spawn("a name that is longer than what is kept", give_status, &plain)), QUERN_FILE_ERROR,
            "'a name that is longer than what' failed");
}

/* A sentence belongs to the task that left it, across its waits, and the thread's own stays as it was. */
static quern_status keep_a_sentence(void *argument)
{
    char text[32];
    quern_device *device = NULL;
    snprintf(text, sizeof text, "device-of-%d", *(int *)argument);
    MUST(*quern_last_error() == '\0');
    MUST(quern_device_open(text, &device) == QUERN_NOT_FOUND);
    for (int i = 0; i < 10; ++i) {
        SURE(quern_yield());
        MUST(strstr(quern_last_error(), text));
    }
    return QUERN_SUCCESS;
}

static void test_each_has_its_own_sentence(void **state)
{
    enum { TASKS = 20 };
    quern_task *tasks[TASKS];
    int numbers[TASKS];
    (void)state;
    refused(quern_spawn(NULL, NULL, NULL, NULL), QUERN_INVALID_ARGUMENT, "function is NULL");
    for (int i = 0; i < TASKS; ++i) {
        numbers[i] = i;
        tasks[i] = spawn(NULL, keep_a_sentence, &numbers[i]);
    }
    for (int i = 0; i < TASKS; ++i)
        ok(quern_join(tasks[i]));
    assert_non_null(strstr(quern_last_error(), "function is NULL"));
}

/* ---- tasks in tasks ---- */

typedef struct sum {
    int64_t begin, end, result;
} sum;

static quern_status add_up(void *argument)
{
    sum *whole = argument;
    if (whole->end - whole->begin == 1) {
        whole->result = whole->begin;
        return QUERN_SUCCESS;
    }
    int64_t middle = whole->begin + (whole->end - whole->begin) / 2;
    sum halves[2] = {{whole->begin, middle, 0}, {middle, whole->end, 0}};
    quern_task *tasks[2] = {spawn(NULL, add_up, &halves[0]), spawn("right", add_up, &halves[1])};
    SURE(quern_join(tasks[1]));
    SURE(quern_join(tasks[0]));
    whole->result = halves[0].result + halves[1].result;
    return QUERN_SUCCESS;
}

static void test_tasks_spawn_tasks(void **state)
{
    sum all = {0, 200, 0};
    (void)state;
    ok(quern_join(spawn(NULL, add_up, &all)));
    assert_int_equal(all.result, 200 * 199 / 2);
}

/* Each joins the next one, and the last one fails; NULL: a task without a name. */
static quern_status pass_on(void *argument)
{
    const char **names = argument;
    return quern_join(spawn(names[0], names[1] ? pass_on : fail_with_a_sentence, &names[1]));
}

/* The innermost one that has a name is named, once. */
static void test_a_failure_is_passed_on(void **state)
{
    static const struct {
        const char *outer, *names[4], *wanted;
    } chains[] = {
        {"outer", {"inner"}, "task 'inner' failed: "},
        {NULL, {"inner"}, "task 'inner' failed: "},
        {"outer", {"middle", "inner"}, "task 'inner' failed: "},
        {"outer", {""}, "task 'outer' failed: "},
        {"outer", {"middle", ""}, "task 'middle' failed: "},
        {NULL, {"", "", ""}, "a task failed: "},
        {"outer", {"a' failed: b"}, "task 'a' failed: b' failed: "},
        {"outer", {"1234567890123456789012345678901"}, "task '1234567890123456789012345678901' failed: "},
    };
    (void)state;
    refused(quern_join(spawn("plain", fail_with_a_sentence, NULL)), QUERN_NOT_FOUND, "no such device");
    const char *plain = strstr(quern_last_error(), "failed: ") + strlen("failed: ");
    char cause[256];
    snprintf(cause, sizeof cause, "%s", plain);
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; ++i) {
        char wanted[512];
        snprintf(wanted, sizeof wanted, "%s%s", chains[i].wanted, cause);
        assert_int_equal(quern_join(spawn(chains[i].outer, pass_on, (void *)(uintptr_t)chains[i].names)),
                         QUERN_NOT_FOUND);
        assert_string_equal(quern_last_error(), wanted);
    }
}

/* As many tasks as there are other threads, each of which holds its thread until all have begun. */
typedef struct crowd {
    _Atomic int begun;
    int wanted;
} crowd;

static quern_status meet_crowd(void *argument)
{
    crowd *c = argument;
    atomic_fetch_add(&c->begun, 1);
    while (atomic_load(&c->begun) < c->wanted)
        usleep(50);
    return QUERN_SUCCESS;
}

static quern_status compute_until_all_have_begun(void *argument)
{
    crowd c = {0, (int)task_statistics().threads - 1};
    quern_task *tasks[64];
    int one_only = argument != NULL;
    if (one_only && c.wanted > 1)
        c.wanted = 1;
    for (int i = 0; i < c.wanted; ++i)
        tasks[i] = spawn(NULL, meet_crowd, &c);
    while (atomic_load(&c.begun) < c.wanted) /* without a wait */
        usleep(50);
    for (int i = 0; i < c.wanted; ++i)
        SURE(quern_join(tasks[i]));
    return QUERN_SUCCESS;
}

/* An only fresh task is left to its thread for a while; not for ever. */
static void test_a_busy_thread_does_not_keep_its_fresh_task(void **state)
{
    int one_only = 1;
    (void)state;
    for (int i = 0; i < 20; ++i) {
        ok(quern_join(spawn(NULL, compute_until_all_have_begun, &one_only)));
        usleep(i % 4 ? 0 : 1000); /* the threads sleep then */
    }
}

static void test_idle_threads_come_for_fresh_tasks(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        ok(quern_join(spawn(NULL, compute_until_all_have_begun, NULL)));
        usleep(i % 4 ? 0 : 1000);
    }
}

static quern_status note_end(void *argument)
{
    SURE(quern_yield());
    atomic_fetch_add((_Atomic int *)argument, 1);
    return QUERN_SUCCESS;
}

static quern_status spawn_and_forget(void *argument)
{
    for (int i = 0; i < 10; ++i)
        SURE(quern_spawn(NULL, note_end, argument, NULL));
    return QUERN_SUCCESS;
}

static void test_detached_tasks(void **state)
{
    static _Atomic int count;
    static quern_status bad = QUERN_INTERNAL;
    (void)state;
    atomic_store(&count, 0);
    ok(quern_spawn(NULL, give_status, &bad, NULL)); /* nobody's failure */
    ok(quern_spawn(NULL, spawn_and_forget, &count, NULL));
    await_all_ends();
    assert_int_equal(atomic_load(&count), 10);
}

/* ---- where a task is ---- */

static quern_status look_around(void *argument)
{
    quern_device **found = argument;
    int inside = 0;
    SURE(quern_task_is_inside(&inside));
    MUST(inside == 1);
    SURE(quern_device_current(&found[0]));
    SURE(quern_device_set_current(found[1]));
    SURE(quern_yield());
    SURE(quern_device_current(&found[0]));
    return QUERN_SUCCESS;
}

static quern_status find_device(void *argument)
{
    return quern_device_current((quern_device **)argument);
}

static void test_a_task_has_its_device(void **state)
{
    quern_device *one = open_device("cpu:0"), *two = open_device("cpu:1"), *found = NULL;
    quern_device *devices[2] = {NULL, two};
    quern_task_options options = {two, NULL};
    quern_task *task = NULL;
    int inside = 1;
    (void)state;
    ok(quern_device_set_current(one));
    ok(quern_join(spawn(NULL, find_device, &found)));
    assert_ptr_equal(found, one);
    ok(quern_spawn(&options, find_device, &found, &task));
    ok(quern_join(task));
    assert_ptr_equal(found, two);
    ok(quern_join(spawn(NULL, look_around, devices)));
    assert_ptr_equal(devices[0], two);
    ok(quern_device_current(&found));
    assert_ptr_equal(found, one);
    ok(quern_task_is_inside(&inside));
    assert_int_equal(inside, 0);
}

/* ---- the rest ---- */

static void test_statistics(void **state)
{
    _Atomic int count = 0;
    (void)state;
    ok(quern_join(spawn(NULL, increment, &count)));
    quern_task_statistics before = task_statistics();
    for (int i = 0; i < 10; ++i)
        ok(quern_join(spawn(NULL, note_end, &count)));
    quern_task_statistics after = task_statistics();
    assert_int_equal(after.spawned - before.spawned, 10);
    assert_int_equal(after.ended - before.ended, 10);
    assert_in_range(after.switches - before.switches, 10, 20);
    assert_int_equal(after.threads, before.threads);
    const char *wanted = getenv("QUERN_CPU_THREADS");
    assert_int_equal(after.threads, atoi(wanted));
}

static void test_a_child_has_no_tasks(void **state)
{
    _Atomic int count = 0;
    (void)state;
    quern_task *task = spawn(NULL, increment, &count);
    pid_t child = fork();
    if (child == 0) {
        quern_task *made = NULL;
        int wrong = quern_spawn(NULL, increment, &count, &made) != QUERN_NOT_SUPPORTED;
        wrong |= !strstr(quern_last_error(), "fork");
        wrong |= quern_join(task) != QUERN_NOT_SUPPORTED;
        wrong |= quern_task_cancel(task) != QUERN_NOT_SUPPORTED;
        wrong |= quern_yield() != QUERN_SUCCESS;
        _exit(wrong);
    }
    int result = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    ok(quern_join(task));
}

/* ---- captured queues ---- */

static quern_status capture_own_queue(void *argument)
{
    quern_queue *queue = NULL;
    quern_task *child = NULL;
    (void)argument;
    SURE(quern_queue_current(&queue));
    SURE(quern_graph_begin(&queue, 1));
    MUST(quern_spawn(NULL, increment, NULL, &child) == QUERN_BUSY && strstr(quern_last_error(), "captured"));
    return QUERN_SUCCESS; /* and the capture is still there */
}

static void test_a_capture_ends_with_its_task(void **state)
{
    (void)state;
    refused(quern_join(spawn("capturer", capture_own_queue, NULL)), QUERN_BUSY, "'capturer' failed: |captured");
    ok(quern_shutdown());
}

static int stop(void **state)
{
    (void)state;
    shut_down();
    return 0;
}

static int run_with(const char *threads)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_task_runs),
        cmocka_unit_test(test_a_failure_comes_with_its_sentence),
        cmocka_unit_test(test_each_has_its_own_sentence),
        cmocka_unit_test(test_tasks_spawn_tasks),
        cmocka_unit_test(test_a_failure_is_passed_on),
        cmocka_unit_test(test_a_busy_thread_does_not_keep_its_fresh_task),
        cmocka_unit_test(test_idle_threads_come_for_fresh_tasks),
        cmocka_unit_test(test_detached_tasks),
        cmocka_unit_test(test_a_task_has_its_device),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_a_child_has_no_tasks),
        cmocka_unit_test(test_a_capture_ends_with_its_task),
    };
    setenv("QUERN_CPU_THREADS", threads, 1);
    return cmocka_run_group_tests_name(threads, tests, NULL, stop);
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    setenv("QUERN_CPU_DEVICES", "2", 1);
    return run_with("2") + run_with("8");
}
