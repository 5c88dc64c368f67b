/* Tasks: taking one back, joins that are none, and joins that would never end. */
#include "task_test.h"

#include <sched.h>
#include <unistd.h>

#include "task/sanitizer.h"

/* ---- cancelling ---- */

typedef struct blockade {
    _Atomic int held, open;
} blockade;

/* Holds its thread. */
static quern_status hold(void *argument)
{
    blockade *b = argument;
    atomic_fetch_add(&b->held, 1);
    while (!atomic_load(&b->open))
        usleep(100);
    return QUERN_SUCCESS;
}

/* Keeps all task threads busy; gives their number. */
static int hold_all(quern_task **holders, blockade *b)
{
    _Atomic int count = 0;
    ok(quern_join(spawn(NULL, increment, &count))); /* now there are threads */
    int threads = (int)task_statistics().threads;
    assert_in_range(threads, 1, 64);
    for (int i = 0; i < threads; ++i)
        holders[i] = spawn("holder", hold, b);
    while (atomic_load(&b->held) < threads)
        ok(quern_yield());
    return threads;
}

static void let_go(quern_task **holders, int threads, blockade *b)
{
    atomic_store(&b->open, 1);
    for (int i = 0; i < threads; ++i)
        ok(quern_join(holders[i]));
}

static void test_cancel(void **state)
{
    enum { TASKS = 5 };
    blockade b = {0, 0};
    _Atomic int count = 0;
    quern_task *holders[64], *tasks[TASKS];
    (void)state;
    int threads = hold_all(holders, &b);
    for (int i = 0; i < TASKS; ++i)
        tasks[i] = spawn("late", increment, &count);
    ok(quern_task_cancel(tasks[2]));
    ok(quern_task_cancel(tasks[0]));
    ok(quern_task_cancel(tasks[4]));
    refused(quern_task_cancel(tasks[2]), QUERN_BUSY, "has begun or ended, wanted");
    refused(quern_join(tasks[2]), QUERN_CANCELLED, "task 'late' was cancelled");
    refused(quern_task_cancel(tasks[2]), QUERN_RELEASED, "joined");
    refused(quern_task_cancel(holders[0]), QUERN_BUSY, "has begun or ended, wanted");
    refused(quern_join(tasks[4]), QUERN_CANCELLED, "task 'late' was cancelled");
    let_go(holders, threads, &b);
    ok(quern_join(tasks[3]));
    ok(quern_join(tasks[1]));
    refused(quern_join(tasks[0]), QUERN_CANCELLED, "task 'late' was cancelled");
    assert_int_equal(atomic_load(&count), 2);
}

/* Whoever waits for it is told. The joiner cannot begin before the late one, which is in front of it, but for the first
 * task thread that is free; so a thread of the test joins. */
static void *join_in_thread(void *argument)
{
    MUST(quern_join(argument) == QUERN_CANCELLED);
    MUST(strstr(quern_last_error(), "a task was cancelled before it began"));
    return NULL;
}

static void test_cancel_ends_a_join(void **state)
{
    blockade b = {0, 0};
    _Atomic int count = 0;
    quern_task *holders[64];
    pthread_t thread;
    (void)state;
    int threads = hold_all(holders, &b);
    quern_task *late = spawn(NULL, increment, &count);
    assert_int_equal(pthread_create(&thread, NULL, join_in_thread, late), 0);
    usleep(2000); /* most probably it waits by then; it may be late, and then joins what has ended */
    ok(quern_task_cancel(late));
    pthread_join(thread, NULL);
    let_go(holders, threads, &b);
    assert_int_equal(atomic_load(&count), 0);
}

/* ---- wrong joins ---- */

static void test_bad_arguments(void **state)
{
    static _Alignas(1024) char no_task[1024];
    quern_queue *queue = make_queue(open_device("cpu:0"), 1, "no device");
    quern_task_options options = {(quern_device *)queue, NULL};
    _Atomic int count = 0;
    (void)state;
    refused(quern_spawn(&options, increment, &count, NULL), QUERN_INVALID_ARGUMENT, "options->device is a queue");
    refused(quern_join(NULL), QUERN_INVALID_ARGUMENT, "task is NULL");
    refused(quern_task_cancel(NULL), QUERN_INVALID_ARGUMENT, "task is NULL");
    refused(quern_join((quern_task *)(void *)no_task), QUERN_INVALID_ARGUMENT, "not a task");
    refused(quern_task_cancel((quern_task *)(void *)no_task), QUERN_INVALID_ARGUMENT, "not a task");
    refused(quern_task_is_inside(NULL), QUERN_INVALID_ARGUMENT, "inside is NULL");
    refused(quern_task_get_statistics(NULL), QUERN_INVALID_ARGUMENT, "statistics is NULL");
    ok(quern_queue_release(queue));
    assert_int_equal(atomic_load(&count), 0);
}

/* Nothing of a handle is followed, whatever bit of it is wrong; and one that were taken for the task would be told that
 * it has begun. */
static void test_a_bit_that_is_wrong(void **state)
{
    blockade b = {0, 0};
    int taken = 0;
    (void)state;
    quern_task *task = spawn(NULL, hold, &b);
    while (!atomic_load(&b.held))
        ok(quern_yield());
    for (size_t bit = 0; bit < 8 * sizeof task; ++bit) {
        quern_task *wrong = (quern_task *)((uintptr_t)task ^ (uintptr_t)1 << bit);
        quern_status status = quern_task_cancel(wrong);
        taken += status != QUERN_INVALID_ARGUMENT && status != QUERN_RELEASED;
    }
    atomic_store(&b.open, 1);
    ok(quern_join(task));
    assert_int_equal(taken, 0);
}

/* So many that the body is another task's a thousand times and more: a thread uses some fifty in turns.
 * ThreadSanitizer takes a millisecond for each, and does not look at which task it is. */
#ifdef QUERN_TSAN
enum { TASKS_AFTERWARDS = 500 };
#else
enum { TASKS_AFTERWARDS = 70000 };
#endif

static quern_status spawn_many_afterwards(void *argument)
{
    _Atomic int count = 0;
    (void)argument;
    quern_task *task = spawn(NULL, increment, &count);
    SURE(quern_join(task));
    for (int i = 0; i < TASKS_AFTERWARDS; ++i) {
        quern_task *other = spawn(NULL, increment, &count);
        MUST(quern_join(task) == QUERN_RELEASED);
        SURE(quern_join(other));
    }
    return QUERN_SUCCESS;
}

/* Though the memory is another task's by then. */
static void test_join_twice(void **state)
{
    _Atomic int count = 0;
    quern_task *task = spawn(NULL, increment, &count), *other;
    (void)state;
    ok(quern_join(task));
    refused(quern_join(task), QUERN_RELEASED, "task has been joined");
    for (int i = 0; i < 200; ++i) {
        other = spawn(NULL, increment, &count);
        refused(quern_join(task), QUERN_RELEASED, "task has been joined");
        refused(quern_task_cancel(task), QUERN_RELEASED, "task has been joined");
        ok(quern_join(other));
    }
    ok(quern_join(spawn(NULL, spawn_many_afterwards, NULL)));
    assert_int_equal(atomic_load(&count), 201);
}

typedef struct two_joiners {
    quern_task *task;
    quern_status first;
    _Atomic int open, is_busy;
} two_joiners;

static quern_status join_as_one_of_two(void *argument)
{
    two_joiners *two = argument;
    quern_status status = quern_join(two->task);
    if (status != QUERN_BUSY)
        return status;
    MUST(strstr(quern_last_error(), "being joined by another"));
    atomic_store(&two->is_busy, 1);
    return QUERN_SUCCESS;
}

static void test_two_joiners(void **state)
{
    two_joiners two = {NULL, QUERN_SUCCESS, 0, 0};
    (void)state;
    two.task = spawn("wanted", yield_until, &two.open);
    quern_task *one = spawn(NULL, join_as_one_of_two, &two), *other = spawn(NULL, join_as_one_of_two, &two);
    while (!atomic_load(&two.is_busy))
        ok(quern_yield());
    refused(quern_join(two.task), QUERN_BUSY, "being joined by another");
    atomic_store(&two.open, 1);
    ok(quern_join(one));
    ok(quern_join(other));
    refused(quern_join(two.task), QUERN_RELEASED, "joined");
}

static quern_status join_what(void *argument)
{
    quern_task *_Atomic *task = argument;
    while (!atomic_load(task))
        SURE(quern_yield());
    return quern_join(atomic_load(task));
}

static void test_join_oneself(void **state)
{
    quern_task *_Atomic self = NULL;
    (void)state;
    quern_task *task = spawn("narcissus", join_what, &self);
    atomic_store(&self, task);
    refused(quern_join(task), QUERN_WOULD_DEADLOCK, "'narcissus' failed: task (task 'narcissus') is the caller itself");
}

typedef struct ring_place {
    quern_task *_Atomic next;
    _Atomic int *done;
} ring_place;

static quern_status join_next(void *argument)
{
    ring_place *place = argument;
    quern_status status = join_what(&place->next);
    atomic_fetch_add(place->done, 1);
    return status;
}

/* Each joins the next. Who would close the ring is told, so the others get an end, one after the other; his own next is
 * the one that nobody has joined. */
static void test_a_ring_of_joins(void **state)
{
    enum { TASKS = 7 };
    ring_place places[TASKS];
    quern_task *tasks[TASKS];
    _Atomic int done;
    (void)state;
    for (int round = 0; round < 20; ++round) {
        int left = 0;
        atomic_init(&done, 0);
        for (int i = 0; i < TASKS; ++i) {
            places[i].done = &done;
            atomic_init(&places[i].next, NULL);
            tasks[i] = spawn("ring", join_next, &places[i]);
        }
        for (int i = 0; i < TASKS; ++i)
            atomic_store(&places[i].next, tasks[(i + 1) % TASKS]);
        while (atomic_load(&done) < TASKS)
            ok(quern_yield());
        for (int i = 0; i < TASKS; ++i)
            if (quern_join(tasks[i]) != QUERN_RELEASED) {
                assert_non_null(strstr(quern_last_error(), "waits, by joins or queues, for the caller (task 'ring')"));
                ++left;
            }
        assert_int_equal(left, 1);
    }
}

/* ---- from a coroutine of the program ---- */

/* The test's thread plays the coroutine: parked, it waits for a flag. (A program's hooks would not ask for statistics.)
 */
typedef struct coroutine {
    _Atomic int parked, unparked, open; /* open: what the task waits for */
    int fails, ends_first;              /* park: does so, when the task has ended */
} coroutine;

static void *self_hook(void *user)
{
    return user;
}

static quern_status park_hook(void *user, void *self)
{
    coroutine *c = user;
    MUST(self == user);
    const uint64_t ended = task_statistics().ended;
    atomic_fetch_add(&c->parked, 1);
    if (c->fails && !c->ends_first)
        return QUERN_SYSTEM_ERROR;
    atomic_store(&c->open, 1);
    while (c->fails && task_statistics().ended == ended)
        sched_yield();
    if (c->fails)
        return QUERN_SYSTEM_ERROR;
    while (!atomic_load(&c->unparked))
        sched_yield();
    return QUERN_SUCCESS;
}

static void unpark_hook(void *user, void *self)
{
    MUST(self == user);
    atomic_store(&((coroutine *)user)->unparked, 1);
}

static void test_a_foreign_coroutine_joins(void **state)
{
    coroutine c = {0, 0, 0, 0, 0};
    const quern_wait_hooks hooks = {&c, self_hook, park_hook, unpark_hook};
    (void)state;
    ok(quern_wait_hooks_set(&hooks));
    ok(quern_join(spawn(NULL, yield_until, &c.open)));
    assert_true(atomic_load(&c.parked) == 1 && atomic_load(&c.unparked) == 1);
    ok(quern_wait_hooks_set(NULL));
}

/* Then the task is as it was, and may be joined again; unless it has ended meanwhile, and the join succeeds after all.
 */
static void test_a_hook_fails_in_a_join(void **state)
{
    coroutine c = {0, 0, 0, 1, 0};
    const quern_wait_hooks hooks = {&c, self_hook, park_hook, unpark_hook};
    (void)state;
    ok(quern_wait_hooks_set(&hooks));
    quern_task *task = spawn(NULL, yield_until, &c.open);
    refused(quern_join(task), QUERN_SYSTEM_ERROR, "hook park");
    refused(quern_join(task), QUERN_SYSTEM_ERROR, "hook park");
    c.ends_first = 1;
    ok(quern_join(task));
    assert_int_equal(atomic_load(&c.parked), 3);
    ok(quern_wait_hooks_set(NULL));
    refused(quern_join(task), QUERN_RELEASED, "joined");
}

static int stop(void **state)
{
    (void)state;
    ok(quern_shutdown());
    return 0;
}

static int run_with(const char *threads)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_cancel_ends_a_join),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_a_bit_that_is_wrong),
        cmocka_unit_test(test_join_twice),
        cmocka_unit_test(test_two_joiners),
        cmocka_unit_test(test_join_oneself),
        cmocka_unit_test(test_a_ring_of_joins),
        cmocka_unit_test(test_a_foreign_coroutine_joins),
        cmocka_unit_test(test_a_hook_fails_in_a_join),
    };
    setenv("QUERN_CPU_THREADS", threads, 1);
    return cmocka_run_group_tests_name(threads, tests, NULL, stop);
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    setenv("QUERN_CPU_DEVICES", "1", 1);
    return run_with("1") + run_with("8");
}
