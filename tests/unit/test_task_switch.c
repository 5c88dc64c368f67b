/* Who runs when, on one task thread; and what is the task's and what the thread's. */
#include "task_test.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/coroutine.h"
#include "runtime/wait.h"
#include "task/sanitizer.h"

/* ---- order ---- */

enum { MANY = 40 };

static int order[2 * MANY];
static int order_count;

static quern_status note_number(void *argument)
{
    order[order_count++] = *(int *)argument;
    return QUERN_SUCCESS;
}

static quern_status spawn_in_order(void *argument)
{
    static int numbers[MANY];
    quern_task *tasks[MANY];
    (void)argument;
    for (int i = 0; i < MANY; ++i) {
        numbers[i] = i;
        tasks[i] = spawn(NULL, note_number, &numbers[i]);
    }
    MUST(order_count == 0); /* they are not begun in the middle of this one */
    for (int i = 0; i < MANY; ++i)
        SURE(quern_join(tasks[i]));
    return QUERN_SUCCESS;
}

static void test_tasks_begin_in_order(void **state)
{
    (void)state;
    order_count = 0;
    ok(quern_join(spawn(NULL, spawn_in_order, NULL)));
    assert_int_equal(order_count, MANY);
    for (int i = 0; i < MANY; ++i)
        assert_int_equal(order[i], i);
}

static int begun;

static quern_status yield_and_note(void *argument)
{
    ++begun;
    while (begun < 3)
        SURE(quern_yield());
    for (int i = 0; i < 3; ++i) {
        SURE(note_number(argument));
        SURE(quern_yield());
    }
    return QUERN_SUCCESS;
}

static quern_status spawn_three(void *argument)
{
    static int numbers[3] = {0, 1, 2};
    quern_task *tasks[3];
    (void)argument;
    for (int i = 0; i < 3; ++i)
        tasks[i] = spawn(NULL, yield_and_note, &numbers[i]);
    for (int i = 0; i < 3; ++i)
        SURE(quern_join(tasks[i]));
    return QUERN_SUCCESS;
}

static void test_yield_lets_all_others_run(void **state)
{
    (void)state;
    order_count = 0;
    ok(quern_join(spawn(NULL, spawn_three, NULL)));
    assert_int_equal(order_count, 9);
    assert_true(order[0] != order[1] && order[1] != order[2] && order[2] != order[0]);
    for (int i = 3; i < 9; ++i)
        assert_int_equal(order[i], order[i - 3]);
}

static _Atomic int stop_it;

static quern_status set_flag(void *argument)
{
    atomic_store((_Atomic int *)argument, 1);
    return QUERN_SUCCESS;
}

/* One after the other, so that there is always a fresh one. */
static quern_status spawn_next(void *argument)
{
    if (!atomic_load(&stop_it))
        SURE(quern_spawn(NULL, spawn_next, argument, NULL));
    else
        atomic_store((_Atomic int *)argument, 1);
    return QUERN_SUCCESS;
}

static quern_status stop_after_some_turns(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; ++i)
        SURE(quern_yield());
    atomic_store(&stop_it, 1);
    return QUERN_SUCCESS;
}

static void test_fresh_tasks_do_not_starve_others(void **state)
{
    _Atomic int done = 0;
    (void)state;
    atomic_store(&stop_it, 0);
    ok(quern_spawn(NULL, spawn_next, &done, NULL));
    ok(quern_join(spawn(NULL, stop_after_some_turns, NULL))); /* itself spawned elsewhere */
    while (!atomic_load(&done))
        ok(quern_yield());
}

static quern_status yield_until_stopped(void *argument)
{
    _Atomic int inner = 0;
    (void)argument;
    SURE(quern_spawn(NULL, set_flag, &inner, NULL));
    await_flag(&inner);
    await_flag(&stop_it);
    return QUERN_SUCCESS;
}

static void test_yielding_tasks_do_not_starve_fresh_ones(void **state)
{
    quern_task *tasks[3];
    (void)state;
    atomic_store(&stop_it, 0);
    for (int i = 0; i < 3; ++i)
        tasks[i] = spawn(NULL, yield_until_stopped, NULL);
    ok(quern_join(spawn(NULL, set_flag, &stop_it)));
    for (int i = 0; i < 3; ++i)
        ok(quern_join(tasks[i]));
}

typedef struct mail {
    quern_wait_cell *_Atomic cell;
} mail;

static _Atomic int waiting_for_mail;

static quern_status wait_for_mail(void *argument)
{
    quern_wait_cell cell;
    quern_wait_begin(&cell);
    atomic_store(&((mail *)argument)->cell, &cell);
    atomic_fetch_add(&waiting_for_mail, 1);
    return quern_wait_park(&cell);
}

/* What another thread makes ready comes in between, too. */
static void test_yielding_tasks_do_not_starve_woken_ones(void **state)
{
    mail m = {NULL};
    quern_task *tasks[2];
    (void)state;
    atomic_store(&stop_it, 0);
    quern_task *waiting = spawn(NULL, wait_for_mail, &m);
    for (int i = 0; i < 2; ++i)
        tasks[i] = spawn(NULL, yield_until_stopped, NULL);
    while (!atomic_load(&m.cell))
        ok(quern_yield());
    quern_wait_wake(atomic_load(&m.cell));
    ok(quern_join(waiting));
    atomic_store(&stop_it, 1);
    for (int i = 0; i < 2; ++i)
        ok(quern_join(tasks[i]));
}

/* ---- park and unpark ---- */

static quern_status wake_first(void *argument)
{
    (void)argument;
    for (int i = 0; i < 3; ++i) {
        quern_wait_cell cell;
        quern_wait_begin(&cell);
        quern_wait_wake(&cell);
        SURE(quern_yield());
        SURE(quern_wait_park(&cell)); /* returns at once */
    }
    return QUERN_SUCCESS;
}

static void test_a_wake_may_come_first(void **state)
{
    (void)state;
    ok(quern_join(spawn(NULL, wake_first, NULL)));
}

/* ---- waiting for a queue ---- */

static quern_status wait_at_gate(void *argument)
{
    quern_queue *queue = NULL;
    quern_event *event = NULL;
    SURE(quern_queue_current(&queue));
    SURE(quern_queue_call(queue, gate_pass, argument));
    SURE(quern_event_record(queue, &event));
    quern_status status = quern_event_wait(event);
    SURE(quern_event_release(event));
    return status;
}

static quern_status only_submit(void *argument)
{
    quern_queue *queue = NULL;
    SURE(quern_queue_current(&queue));
    return quern_queue_call(queue, gate_pass, argument);
}

static quern_status open_gate(void *argument)
{
    gate_open(argument);
    return QUERN_SUCCESS;
}

/* The gate is opened by a task of the thread that waits behind it. */
static void test_a_wait_is_not_the_threads(void **state)
{
    static quern_task_function *const functions[] = {wait_at_gate, only_submit};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        quern_task *waiting = spawn(NULL, functions[i], &g);
        gate_wait_entered(&g);
        ok(quern_join(spawn(NULL, open_gate, &g)));
        ok(quern_join(waiting));
        gate_destroy(&g);
    }
}

/* It synchronises at its end, and has what failed there. */
static void test_a_tasks_queue_fails(void **state)
{
    gate g;
    (void)state;
    gate_init(&g, QUERN_FILE_ERROR);
    g.open = 1;
    refused(quern_join(spawn("writer", only_submit, &g)), QUERN_FILE_ERROR, "task 'writer' failed: |host function");
    gate_destroy(&g);
}

/* ---- on the thread's own stack ---- */

typedef struct call_result {
    char *address;
    int inside, calls;
    quern_queue *queue;
    quern_task *other;
} call_result;

static void look_around(void *argument)
{
    call_result *result = argument;
    char here = 0;
    result->address = (char *)((uintptr_t)&here | 0);
    SURE(quern_task_is_inside(&result->inside));
    SURE(quern_queue_current(&result->queue));
    MUST(strstr(quern_last_error(), "wanted a place")); /* the task's */
    MUST(quern_join(result->other) == QUERN_WOULD_DEADLOCK);
    MUST(strstr(quern_last_error(), "on the thread"));
    ++result->calls;
}

static quern_status call_on_thread(void *argument)
{
    call_result *result = argument;
    quern_queue *queue = NULL;
    char here = 0;
    SURE(quern_queue_current(&queue));
    for (int i = 0; i < 3; ++i) {
        MUST(quern_task_is_inside(NULL) == QUERN_INVALID_ARGUMENT);
        quern_call_on_thread_stack(look_around, result);
        MUST(strstr(quern_last_error(), "on the thread")); /* what it left is the task's */
        MUST(result->queue == queue && result->inside == 0);
    }
    ptrdiff_t apart = result->address - (char *)((uintptr_t)&here | 0);
    MUST(apart > 256 * 1024 || apart < -256 * 1024);
    SURE(quern_task_is_inside(&result->inside));
    return QUERN_SUCCESS;
}

static void test_call_on_the_threads_stack(void **state)
{
    call_result result = {NULL, 0, 0, NULL, NULL};
    mail m = {NULL};
    (void)state;
    result.other = spawn("other", wait_for_mail, &m);
    ok(quern_join(spawn(NULL, call_on_thread, &result)));
    assert_int_equal(result.calls, 3);
    assert_int_equal(result.inside, 1);
    while (!atomic_load(&m.cell))
        ok(quern_yield());
    quern_wait_wake(atomic_load(&m.cell));
    ok(quern_join(result.other));
}

/* ---- no stack ---- */

#if !defined(QUERN_ASAN) && !defined(QUERN_TSAN)
static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages * 4096;
}

static quern_status hold(void *argument)
{
    while (!atomic_load((_Atomic int *)argument))
        usleep(100);
    return QUERN_SUCCESS;
}

/* The tasks that got none end so, and the others go on. */
static void test_no_memory_for_a_stack(void **state)
{
    enum { TASKS = 2000 };
    static mail mails[TASKS];
    static quern_task *tasks[TASKS];
    struct rlimit before, less;
    int failed = 0;
    (void)state;
    ok(quern_join(spawn(NULL, wake_first, NULL)));
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    for (int i = 0; i < TASKS; ++i)
        atomic_init(&mails[i].cell, NULL);
    atomic_store(&waiting_for_mail, 0);
    _Atomic int open = 0;
    quern_task *holder = spawn(NULL, hold, &open);
    for (int i = 0; i < TASKS; ++i)
        tasks[i] = spawn("large", wait_for_mail, &mails[i]);
    const uint64_t ended = task_statistics().ended + 1; /* with the holder's */
    less = before;
    less.rlim_cur = address_space() + ((size_t)100 << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    atomic_store(&open, 1);
    ok(quern_join(holder));
    while (task_statistics().ended == ended)
        ok(quern_yield());
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    while (task_statistics().ended - ended + (uint64_t)atomic_load(&waiting_for_mail) < TASKS)
        ok(quern_yield());
    for (int i = 0; i < TASKS; ++i)
        if (atomic_load(&mails[i].cell))
            quern_wait_wake(atomic_load(&mails[i].cell));
    for (int i = 0; i < TASKS; ++i) {
        quern_status status = quern_join(tasks[i]);
        if (atomic_load(&mails[i].cell)) {
            ok(status);
            continue;
        }
        refused(status, QUERN_OUT_OF_MEMORY, "task 'large' failed: |stack");
        ++failed;
    }
    assert_in_range(failed, 1, TASKS - 1);
}
#endif

static int stop(void **state)
{
    (void)state;
    shut_down();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks_begin_in_order),
        cmocka_unit_test(test_yield_lets_all_others_run),
        cmocka_unit_test(test_fresh_tasks_do_not_starve_others),
        cmocka_unit_test(test_yielding_tasks_do_not_starve_fresh_ones),
        cmocka_unit_test(test_yielding_tasks_do_not_starve_woken_ones),
        cmocka_unit_test(test_a_wake_may_come_first),
        cmocka_unit_test(test_a_wait_is_not_the_threads),
        cmocka_unit_test(test_a_tasks_queue_fails),
        cmocka_unit_test(test_call_on_the_threads_stack),
#if !defined(QUERN_ASAN) && !defined(QUERN_TSAN)
        cmocka_unit_test(test_no_memory_for_a_stack),
#endif
    };
    unsetenv("QUERN_DEVICE");
    setenv("QUERN_CPU_DEVICES", "1", 1);
    setenv("QUERN_CPU_THREADS", "1", 1);
    return cmocka_run_group_tests(tests, NULL, stop);
}
