/* Waits in a circle through queues: a host function waits for a task or a queue, which waits for its queue. Whoever
 * would close the circle is told; the others get an end. */
#include "task_test.h"

#include <unistd.h>

typedef struct circle {
    quern_queue *queue, *other;
    quern_event *event;
    quern_task *_Atomic task; /* what the host function joins */
    _Atomic int first;        /* whoever is to wait first is about to */
    int task_first;
    _Atomic int host_status, host_done;
    int inner_status; /* of a task in the middle */
    char sentence[256];
} circle;

/* Most probably the other one waits by now; when it does not, the test is the other order's once more. */
static void after_the_other(circle *c)
{
    await_flag(&c->first);
    usleep(20000);
}

static void note_refusal(circle *c, quern_status status)
{
    if (status == QUERN_WOULD_DEADLOCK)
        snprintf(c->sentence, sizeof c->sentence, "%s", quern_last_error());
}

/* The host function; what it is told is not the queue's failure. */
static quern_status join_the_task(void *argument)
{
    circle *c = argument;
    while (!atomic_load(&c->task))
        usleep(100);
    if (c->task_first)
        after_the_other(c);
    else
        atomic_store(&c->first, 1);
    quern_status status = quern_join(atomic_load(&c->task));
    note_refusal(c, status);
    atomic_store(&c->host_status, (int)status);
    atomic_store(&c->host_done, 1);
    return QUERN_SUCCESS;
}

static void take_turns(circle *c)
{
    if (c->task_first)
        atomic_store(&c->first, 1);
    else
        after_the_other(c);
}

static quern_status synchronise(void *argument)
{
    circle *c = argument;
    take_turns(c);
    return quern_queue_synchronize(c->queue);
}

static quern_status wait_for_event(void *argument)
{
    circle *c = argument;
    take_turns(c);
    return quern_event_wait(c->event);
}

static quern_status join_who_synchronises(void *argument)
{
    circle *c = argument;
    c->inner_status = (int)quern_join(spawn("inner", synchronise, argument));
    return (quern_status)c->inner_status;
}

static void begin(circle *c, int task_first, int blocking)
{
    const quern_queue_options options = {.blocking = blocking};
    quern_device *device;
    memset(c, 0, sizeof *c);
    c->task_first = task_first;
    ok(quern_device_open("cpu:0", &device));
    ok(quern_queue_create(device, &options, &c->queue));
    ok(quern_queue_create(device, NULL, &c->other));
    ok(quern_device_release(device));
}

static void end(circle *c)
{
    ok(quern_queue_synchronize(c->queue));
    ok(quern_queue_release(c->queue));
    ok(quern_queue_synchronize(c->other));
    ok(quern_queue_release(c->other));
    ok(quern_event_release(c->event));
}

/* Of a task and a host function that wait for each other one is told. The other gets the task's end: when the task is
 * told, that is what the task makes of it. */
static void run_pair(quern_task_function *function, int task_first)
{
    circle c;
    begin(&c, task_first, 0);
    ok(quern_queue_call(c.queue, join_the_task, &c));
    ok(quern_event_record(c.queue, &c.event));
    quern_task *task = spawn("waiter", function, &c);
    atomic_store(&c.task, task);
    while (!atomic_load(&c.host_done))
        ok(quern_yield());
    assert_int_equal(atomic_load(&c.host_status), QUERN_WOULD_DEADLOCK);
    if (quern_join(task) == QUERN_SUCCESS) /* the host function was told, and the queue went on */
        assert_non_null(strstr(c.sentence, "task (task 'waiter') waits for the queue whose host function would join"));
    else /* the task was told, and its end has been given to the host function */
        refused(quern_join(task), QUERN_RELEASED, "joined");
    end(&c);
}

static void test_a_host_function_joins_who_synchronises(void **state)
{
    (void)state;
    run_pair(synchronise, 0);
    run_pair(synchronise, 1);
}

static void test_a_host_function_joins_who_waits_for_an_event(void **state)
{
    (void)state;
    run_pair(wait_for_event, 0);
    run_pair(wait_for_event, 1);
}

static void test_through_a_join(void **state)
{
    (void)state;
    run_pair(join_who_synchronises, 0);
    run_pair(join_who_synchronises, 1);
}

/* The event is before the host function, so the task's wait ends, and so does the join. */
static void test_what_is_before_is_no_circle(void **state)
{
    (void)state;
    for (int task_first = 0; task_first < 2; ++task_first) {
        circle c;
        begin(&c, task_first, 0);
        ok(quern_event_record(c.queue, &c.event));
        ok(quern_queue_call(c.queue, join_the_task, &c));
        atomic_store(&c.task, spawn("waiter", wait_for_event, &c));
        ok(quern_queue_synchronize(c.queue));
        assert_int_equal(atomic_load(&c.host_status), QUERN_SUCCESS);
        end(&c);
    }
}

/* ---- blocking queues: who calls waits for the function ---- */

static quern_status call_on_blocking(void *argument)
{
    circle *c = argument;
    return quern_queue_call(c->queue, join_the_task, c);
}

typedef struct backwards {
    circle *circle;
    quern_task *_Atomic caller;
} backwards;

static quern_status join_the_caller(void *argument)
{
    backwards *b = argument;
    while (!atomic_load(&b->caller))
        SURE(quern_yield());
    take_turns(b->circle);
    quern_status status = quern_join(atomic_load(&b->caller));
    note_refusal(b->circle, status);
    return status;
}

/* A task calls a function on a blocking queue, which joins a task that joins the caller. */
static void test_a_blocking_queue(void **state)
{
    (void)state;
    for (int task_first = 0; task_first < 2; ++task_first) {
        circle c;
        begin(&c, task_first, 1);
        backwards b = {&c, NULL};
        quern_task *joiner = spawn("joiner", join_the_caller, &b), *caller = spawn("caller", call_on_blocking, &c);
        atomic_store(&c.task, joiner);
        atomic_store(&b.caller, caller);
        while (!atomic_load(&c.host_done))
            ok(quern_yield());
        assert_int_equal(atomic_load(&c.host_status), QUERN_WOULD_DEADLOCK);
        assert_true(*c.sentence);
        quern_status joined = quern_join(joiner), called = quern_join(caller);
        assert_true((joined == QUERN_RELEASED) != (called == QUERN_RELEASED)); /* one of them was joined by the other */
        end(&c);
    }
}

/* ---- host functions of two queues ---- */

typedef struct crossing {
    quern_queue *queues[2];
    _Atomic int inside, refused;
} crossing;

static quern_status wait_for_queue(crossing *c, int which)
{
    atomic_fetch_add(&c->inside, 1);
    while (atomic_load(&c->inside) < 2)
        usleep(100);
    quern_status status = quern_queue_synchronize(c->queues[which]);
    if (status == QUERN_WOULD_DEADLOCK)
        atomic_fetch_add(&c->refused, 1);
    return QUERN_SUCCESS;
}

static quern_status wait_for_second(void *argument)
{
    return wait_for_queue(argument, 1);
}

static quern_status wait_for_first(void *argument)
{
    return wait_for_queue(argument, 0);
}

static void test_two_queues_wait_for_each_other(void **state)
{
    crossing c = {{NULL, NULL}, 0, 0};
    quern_device *device;
    (void)state;
    ok(quern_device_open("cpu:0", &device));
    for (int k = 0; k < 2; ++k)
        ok(quern_queue_create(device, NULL, &c.queues[k]));
    ok(quern_queue_call(c.queues[0], wait_for_second, &c));
    ok(quern_queue_call(c.queues[1], wait_for_first, &c));
    for (int k = 0; k < 2; ++k)
        ok(quern_queue_synchronize(c.queues[k]));
    assert_int_equal(atomic_load(&c.refused), 1);
    for (int k = 0; k < 2; ++k)
        ok(quern_queue_release(c.queues[k]));
    ok(quern_device_release(device));
}

static int stop(void **state)
{
    (void)state;
    shut_down();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_host_function_joins_who_synchronises),
        cmocka_unit_test(test_a_host_function_joins_who_waits_for_an_event),
        cmocka_unit_test(test_through_a_join),
        cmocka_unit_test(test_what_is_before_is_no_circle),
        cmocka_unit_test(test_a_blocking_queue),
        cmocka_unit_test(test_two_queues_wait_for_each_other),
    };
    unsetenv("QUERN_DEVICE");
    setenv("QUERN_CPU_DEVICES", "1", 1);
    setenv("QUERN_CPU_THREADS", "4", 1); /* two task threads at least, and two host functions at once */
    return cmocka_run_group_tests(tests, NULL, stop);
}
