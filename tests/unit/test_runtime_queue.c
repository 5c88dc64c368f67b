/* Queues and events: failures that stick, host functions, waiting, releasing, time. */
#include "runtime_test.h"

#include <unistd.h>

#include <quern/event.h>

enum { N = 1013 };

static quern_status fail_quietly(void *argument)
{
    (void)argument;
    return QUERN_FILE_ERROR;
}

static quern_status count_up(void *argument)
{
    __atomic_fetch_add((int *)argument, 1, __ATOMIC_SEQ_CST);
    return QUERN_SUCCESS;
}

static void test_failure_sticks(int blocking)
{
    quern_device *device = open_device("cpu:0");
    quern_queue *queue = make_queue(device, blocking, "work"), *other = make_queue(device, blocking, "other");
    int ran = 0, ran_elsewhere = 0;
    ok(quern_queue_call(queue, count_up, &ran));
    quern_status status = quern_queue_call(queue, fail_quietly, NULL);
    if (blocking)
        assert_int_equal(status, QUERN_FILE_ERROR);
    else
        assert_int_equal(status, QUERN_SUCCESS);
    (void)quern_queue_call(queue, count_up, &ran); /* not run */
    quern_event *event = NULL;
    ok(quern_event_record(queue, &event));
    ok(quern_queue_call(other, count_up, &ran_elsewhere));
    ok(quern_queue_synchronize(other));
    assert_int_equal(ran_elsewhere, 1);
    assert_int_equal(quern_event_wait(event), QUERN_FILE_ERROR);
    refused(quern_queue_synchronize(queue), QUERN_FILE_ERROR, "host function|'work'");
    assert_int_equal(ran, 1);
    ok(quern_queue_synchronize(queue)); /* once, and cleared */
    ok(quern_queue_call(queue, count_up, &ran));
    ok(quern_queue_synchronize(queue));
    assert_int_equal(ran, 2);
    /* the event keeps what it completed with */
    refused(quern_event_query(event), QUERN_FILE_ERROR, "event");
    ok(quern_event_release(event));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(other));
}

static void test_failure_sticks_non_blocking(void **state)
{
    (void)state;
    test_failure_sticks(0);
}

static void test_failure_sticks_blocking(void **state)
{
    (void)state;
    test_failure_sticks(1);
}

static void test_whoever_waits_gets_the_failure(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *failing = make_queue(device, 0, "failing"), *waiting = make_queue(device, 0, "waiting");
    gate g;
    gate_init(&g, QUERN_DEVICE_LOST);
    int ran = 0;
    ok(quern_queue_call(failing, gate_pass, &g));
    quern_event *event = NULL;
    ok(quern_event_record(failing, &event));
    ok(quern_queue_wait(waiting, event));
    ok(quern_queue_call(waiting, count_up, &ran));
    gate_open(&g);
    refused(quern_queue_synchronize(waiting), QUERN_DEVICE_LOST, "wait");
    assert_int_equal(ran, 0);
    refused(quern_queue_synchronize(failing), QUERN_DEVICE_LOST, "host function|failing");
    /* a wait for it later fails as well */
    ok(quern_queue_wait(waiting, event));
    refused(quern_queue_synchronize(waiting), QUERN_DEVICE_LOST, "wait");
    ok(quern_event_release(event));
    ok(quern_queue_release(failing));
    ok(quern_queue_release(waiting));
    gate_destroy(&g);
}

typedef struct misuse {
    quern_queue *queue;
    quern_status call, synchronize;
} misuse;

static quern_status use_own_queue(void *argument)
{
    misuse *m = argument;
    m->call = quern_queue_call(m->queue, fail_quietly, NULL);
    m->synchronize = quern_queue_synchronize(m->queue);
    return QUERN_SUCCESS;
}

static void test_host_function_must_not_use_its_queue(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    for (int blocking = 0; blocking < 2; ++blocking) {
        misuse m = {make_queue(device, blocking, "own"), QUERN_SUCCESS, QUERN_SUCCESS};
        ok(quern_queue_call(m.queue, use_own_queue, &m));
        ok(quern_queue_synchronize(m.queue));
        assert_int_equal(m.call, QUERN_INVALID_ARGUMENT);
        assert_int_equal(m.synchronize, QUERN_INVALID_ARGUMENT);
        ok(quern_queue_release(m.queue));
    }
}

/* Work that is queued starts without a further call. */
static void test_queued_work_starts_by_itself(void **state)
{
    (void)state;
    quern_queue *queue = make_queue(open_device("cpu:0"), 0, NULL);
    for (int round = 0; round < 3; ++round) {
        int ran = 0;
        ok(quern_queue_call(queue, count_up, &ran));
        while (!__atomic_load_n(&ran, __ATOMIC_SEQ_CST))
            sched_yield();
        usleep(2000); /* lets the workers fall asleep; nothing depends on it */
    }
    ok(quern_queue_release(queue));
}

static void test_release_with_work_pending(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    for (int order = 0; order < 2; ++order) {
        quern_queue *a = make_queue(device, 0, "a"), *b = make_queue(device, 0, "b");
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        int ran = 0;
        ok(quern_queue_call(a, gate_pass, &g));
        quern_event *event = NULL, *end = NULL;
        ok(quern_event_record(a, &event));
        ok(quern_queue_wait(b, event));
        ok(quern_queue_call(b, count_up, &ran));
        ok(quern_event_record(b, &end));
        ok(quern_event_release(event));
        ok(quern_queue_release(order ? a : b));
        ok(quern_queue_release(order ? b : a));
        gate_open(&g);
        ok(quern_event_wait(end)); /* outlives its queue */
        assert_int_equal(ran, 1);
        ok(quern_event_release(end));
        gate_destroy(&g);
    }
}

static void test_elapsed(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *queue = make_queue(device, 0, NULL);
    quern_event *begin = NULL, *end = NULL;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_event_record(queue, &begin));
    ok(quern_queue_call(queue, gate_pass, &g));
    ok(quern_event_record(queue, &end));
    double seconds = -1;
    refused(quern_event_elapsed(begin, end, &seconds), QUERN_NOT_READY, "complete");
    gate_wait_entered(&g);
    usleep(3000);
    gate_open(&g);
    ok(quern_queue_synchronize(queue));
    ok(quern_event_elapsed(begin, end, &seconds));
    assert_true(seconds >= 0.003);
    ok(quern_event_elapsed(end, begin, &seconds));
    assert_true(seconds <= -0.003);
    refused(quern_event_elapsed(begin, NULL, &seconds), QUERN_INVALID_ARGUMENT, "end|NULL");
    ok(quern_event_release(begin));
    ok(quern_event_release(end));
    ok(quern_queue_release(queue));
    gate_destroy(&g);
}

static void test_two_devices(void **state)
{
    (void)state;
    quern_device *one = open_device("cpu:0"), *two = open_device("cpu:1");
    quern_queue *a = make_queue(one, 0, "a"), *b = make_queue(two, 0, "b");
    quern_buffer *x = make_buffer(one, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_buffer *y = make_buffer(two, QUERN_TYPE(float), QUERN_EXTENTS(N));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(a, gate_pass, &g));
    fill_float(a, QUERN_VIEW(x), 5);
    ok(quern_copy(b, QUERN_VIEW(y), QUERN_CONST_VIEW(x))); /* waits for the other device's queue */
    quern_event *event = NULL, *elsewhere = NULL;
    ok(quern_event_record(b, &event));
    ok(quern_event_record(a, &elsewhere));
    gate_open(&g);
    ok(quern_event_wait(event));
    assert_true(*(const float *)QUERN_SPAN(y).address == 5.0f);
    ok(quern_event_wait(elsewhere));
    double seconds;
    refused(quern_event_elapsed(elsewhere, event, &seconds), QUERN_WRONG_DEVICE, "cpu:0|cpu:1");
    refused(launch_axpy(b, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1), QUERN_WRONG_DEVICE, "'x'|cpu:0|cpu:1");
    ok(quern_queue_synchronize(a));
    ok(quern_queue_synchronize(b));
    ok(quern_event_release(event));
    ok(quern_event_release(elsewhere));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(a));
    ok(quern_queue_release(b));
    gate_destroy(&g);
}

static void *current_in_thread(void *argument)
{
    quern_queue **queue = argument;
    if (quern_queue_current(queue) != QUERN_SUCCESS)
        return argument;
    quern_device *device = NULL, *of_queue = NULL;
    if (quern_device_current(&device) != QUERN_SUCCESS || quern_queue_device(*queue, &of_queue) != QUERN_SUCCESS)
        return argument;
    return device == of_queue ? NULL : argument;
}

static void test_current(void **state)
{
    (void)state;
    quern_device *one = open_device("cpu:0"), *two = open_device("cpu:1"), *current = NULL;
    quern_queue *first = NULL, *second = NULL, *again = NULL, *theirs = NULL;
    ok(quern_device_current(&current));
    assert_ptr_equal(current, one);
    ok(quern_queue_current(&first));
    refused(quern_queue_release(first), QUERN_INVALID_ARGUMENT, "queue is the current one of a thread or task");
    ok(quern_queue_retain(first));
    ok(quern_queue_release(first));
    ok(quern_device_set_current(two));
    ok(quern_queue_current(&second));
    assert_ptr_not_equal(first, second);
    ok(quern_device_set_current(one));
    ok(quern_queue_current(&again));
    assert_ptr_equal(first, again);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, current_in_thread, &theirs), 0);
    void *failed = NULL;
    pthread_join(thread, &failed);
    assert_null(failed);
    refused(quern_device_set_current(NULL), QUERN_INVALID_ARGUMENT, "device|NULL");
}

static void test_devices(void **state)
{
    (void)state;
    size_t count = 0;
    ok(quern_device_count(&count));
    assert_true(count >= 2); /* this machine may have others */
    const char *name = NULL, *reason = NULL;
    ok(quern_device_name(1, &name));
    assert_string_equal(name, "cpu:1");
    quern_status works = QUERN_INTERNAL;
    ok(quern_backend_status(0, &name, &works, &reason));
    assert_string_equal(name, "cpu");
    assert_int_equal(works, QUERN_SUCCESS);
    assert_string_equal(reason, "");
    quern_device *device = NULL;
    refused(quern_device_open("cpu:7", &device), QUERN_NOT_PRESENT, "cpu:7|cpu:0, cpu:1");
    refused(quern_device_open("cuda:0", &device), QUERN_NOT_PRESENT, "cuda");
    refused(quern_device_open("cpu", &device), QUERN_NOT_FOUND, "cpu");
    refused(quern_device_open("cpu:0x", &device), QUERN_NOT_FOUND, "cpu:0x");
    refused(quern_device_open("", &device), QUERN_NOT_FOUND, "\"\"");
    refused(quern_device_open(NULL, &device), QUERN_INVALID_ARGUMENT, "name");
    refused(quern_device_open("cpu:0", NULL), QUERN_INVALID_ARGUMENT, "device");
    refused(quern_device_name(count, &name), QUERN_INVALID_ARGUMENT, "index");
    ok(quern_device_open("cpu:0", &device));
    ok(quern_device_release(device));
    quern_device_info info;
    ok(quern_device_get_info(device, &info));
    assert_string_equal(info.name, "cpu:0");
    assert_true(info.compute_units >= 1 && info.fp64 == 1 && info.host_accessible == 1);
    setenv("QUERN_DEVICE", "cpu:1", 1);
    ok(quern_device_default(&device));
    ok(quern_device_get_info(device, &info));
    assert_string_equal(info.name, "cpu:1");
    ok(quern_device_release(device));
    setenv("QUERN_DEVICE", "gpu:1", 1);
    refused(quern_device_default(&device), QUERN_NOT_PRESENT, "gpu:1");
    unsetenv("QUERN_DEVICE");
}

static void test_misuse(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *queue = NULL;
    quern_event *event = NULL;
    quern_queue_options options = {2, 0, NULL};
    refused(quern_queue_create(NULL, NULL, &queue), QUERN_INVALID_ARGUMENT, "device");
    refused(quern_queue_create(device, NULL, NULL), QUERN_INVALID_ARGUMENT, "queue");
    refused(quern_queue_create(device, &options, &queue), QUERN_INVALID_ARGUMENT, "blocking|2");
    options.blocking = 0;
    options.priority = 9;
    refused(quern_queue_create(device, &options, &queue), QUERN_INVALID_ARGUMENT, "priority|9");
    refused(quern_queue_synchronize(NULL), QUERN_INVALID_ARGUMENT, "queue|NULL");
    refused(quern_queue_call(NULL, count_up, NULL), QUERN_INVALID_ARGUMENT, "queue");
    refused(quern_event_record(NULL, &event), QUERN_INVALID_ARGUMENT, "queue");
    refused(quern_event_wait(NULL), QUERN_INVALID_ARGUMENT, "event");
    ok(quern_queue_release(NULL));
    ok(quern_event_release(NULL));
    queue = make_queue(device, 0, NULL);
    refused(quern_queue_call(queue, NULL, NULL), QUERN_INVALID_ARGUMENT, "function");
    refused(quern_event_record(queue, NULL), QUERN_INVALID_ARGUMENT, "event");
    refused(quern_queue_wait(queue, NULL), QUERN_INVALID_ARGUMENT, "event");
    refused(quern_queue_wait(queue, (quern_event *)queue), QUERN_INVALID_ARGUMENT, "event");
    ok(quern_queue_retain(queue));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(queue));
#ifdef QUERN_DEBUG
    refused(quern_queue_synchronize(queue), QUERN_RELEASED, "queue");
    refused(quern_queue_release(queue), QUERN_RELEASED, "queue");
#endif
}

/* A status that would say something else of the event behind it. */
static quern_status return_number(void *argument)
{
    return (quern_status) * (int *)argument;
}

static void test_odd_statuses_of_host_functions(void **state)
{
    (void)state;
    quern_queue *queue = make_queue(open_device("cpu:0"), 0, NULL);
    int numbers[] = {QUERN_NOT_READY, 1000, -1};
    for (int i = 0; i < 3; ++i) {
        quern_event *event = NULL;
        ok(quern_queue_call(queue, return_number, &numbers[i]));
        ok(quern_event_record(queue, &event));
        assert_int_equal(quern_event_wait(event), QUERN_HOST_FUNCTION_FAILED);
        refused(quern_queue_synchronize(queue), QUERN_HOST_FUNCTION_FAILED, "host function");
        ok(quern_event_release(event));
    }
    ok(quern_queue_release(queue));
}

/* The current queue of a thread that is the library's own, or that goes on, holds nothing back. */
static quern_status use_current(void *argument)
{
    quern_queue *queue = NULL;
    quern_status status = quern_queue_current(&queue);
    __atomic_store_n((int *)argument, 1, __ATOMIC_SEQ_CST);
    return status;
}

static void test_current_queues_do_not_hold_back_the_shutdown(void **state)
{
    (void)state;
    quern_queue *queue = make_queue(open_device("cpu:0"), 0, NULL);
    int ran = 0;
    ok(quern_queue_call(queue, use_current, &ran));
    while (!__atomic_load_n(&ran, __ATOMIC_SEQ_CST)) /* on a thread of the library */
        sched_yield();
    ok(quern_queue_synchronize(queue));
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
}

static void test_shutdown_refuses_while_something_is_held(void **state)
{
    (void)state;
    quern_queue *queue = make_queue(open_device("cpu:0"), 0, NULL);
    refused(quern_shutdown(), QUERN_BUSY, "held");
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    /* and the library lives again */
    queue = make_queue(open_device("cpu:0"), 1, NULL);
    int ran = 0;
    ok(quern_queue_call(queue, count_up, &ran));
    assert_int_equal(ran, 1);
    ok(quern_queue_release(queue));
}

static void test_many_queues_come_and_go(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(31));
    for (int i = 0; i < 2000; ++i) {
        quern_queue *queue = make_queue(device, i & 1, NULL);
        fill_float(queue, QUERN_VIEW(x), (float)i);
        ok(quern_queue_release(queue));
    }
    quern_queue *queue = make_queue(device, 0, NULL);
    float values[31];
    quern_layout layout;
    quern_span span;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(31), &layout));
    ok(quern_span_make(values, &layout, &span));
    ok(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(x)));
    ok(quern_queue_synchronize(queue));
    assert_true(values[0] == 1999.0f && values[30] == 1999.0f);
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
}

int main(void)
{
    setenv("QUERN_CPU_DEVICES", "2", 1);
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_failure_sticks_non_blocking),
        cmocka_unit_test(test_failure_sticks_blocking),
        cmocka_unit_test(test_whoever_waits_gets_the_failure),
        cmocka_unit_test(test_host_function_must_not_use_its_queue),
        cmocka_unit_test(test_queued_work_starts_by_itself),
        cmocka_unit_test(test_release_with_work_pending),
        cmocka_unit_test(test_elapsed),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_current),
        cmocka_unit_test(test_many_queues_come_and_go),
        cmocka_unit_test(test_odd_statuses_of_host_functions),
        cmocka_unit_test(test_current_queues_do_not_hold_back_the_shutdown),
        cmocka_unit_test(test_shutdown_refuses_while_something_is_held),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (quern_shutdown() != QUERN_SUCCESS) {
        fprintf(stderr, "shutdown: %s\n", quern_last_error());
        return 1;
    }
    return failed;
}
