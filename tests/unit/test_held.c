/* What the runtime does for backends that cannot wait, call, fill or record: commands that are held back, and failures.
 */
#include "queue_test.h"

#include <unistd.h>

#include "runtime/event.h"
#include "runtime/queue.h"

/* ---- the host goes on ---- */

static void host_goes_on_after_a_call(const char *name)
{
    quern_device *device = open_device(name);
    quern_queue *queue = make_queue(device, 0, "held");
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    int ran = 0, idle = 1;
    ok(quern_queue_call(queue, gate_pass, &g));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 5)); /* 12 */
    ok(quern_queue_call(queue, count_up, &ran));
    uint64_t seven = 7;
    ok(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &seven));
    seven = 0; /* it was read */
    quern_event *event = NULL;
    ok(quern_event_record(queue, &event));
    ok(quern_copy(queue, QUERN_VIEW(y), QUERN_CONST_VIEW(x)));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1)); /* 29 */
    gate_wait_entered(&g);
    assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
    ok(quern_queue_query(queue, &idle));
    assert_int_equal(idle, 0);
    assert_int_equal(count_of(&ran), 0);
    gate_open(&g);
    ok(quern_event_wait(event));
    assert_int_equal(count_of(&ran), 1);
    expect_numbers(queue, y, 29);
    expect_numbers(queue, x, 7);
    ok(quern_event_release(event));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    gate_destroy(&g);
}

/* An event of the other queue, or a buffer that it still writes. */
static void host_goes_on_after_a_wait(const char *name, const char *other_name)
{
    quern_device *device = open_device(name);
    quern_queue *queue = make_queue(device, 0, "waiting"), *other = make_queue(open_device(other_name), 0, "other");
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
    ok(quern_queue_synchronize(queue));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    int ran = 0;
    quern_event *event = NULL, *end = NULL;
    ok(quern_queue_call(other, gate_pass, &g));
    ok(quern_queue_call(other, count_up, &ran));
    ok(quern_event_record(other, &event));
    ok(quern_queue_wait(queue, event));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 7 */
    ok(quern_event_record(queue, &end));
    gate_wait_entered(&g);
    assert_int_equal(quern_event_query(end), QUERN_NOT_READY);
    gate_open(&g);
    ok(quern_event_wait(end));
    assert_int_equal(count_of(&ran), 1);
    expect_numbers(queue, y, 7);
    ok(quern_event_release(event));
    ok(quern_event_release(end));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(other));
    gate_destroy(&g);
}

static void order_by_buffers(const char *name)
{
    quern_device *device = open_device(name);
    quern_queue *one = make_queue(device, 0, "one"), *two = make_queue(device, 0, "two");
    quern_buffer *x = make_numbers(one, device, 1), *y = make_numbers(one, device, 2);
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(one, gate_pass, &g));
    uint64_t expected = 2;
    for (uint64_t i = 0; i < 50; ++i) {
        ok(launch_mix(i & 1 ? two : one, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), i));
        expected = 3 * expected + 1 + i;
    }
    gate_open(&g);
    expect_numbers(two, y, expected);
    quern_queue_statistics statistics;
    ok(quern_queue_get_statistics(two, &statistics));
    assert_true(statistics.waits >= 25);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(one));
    ok(quern_queue_release(two));
    gate_destroy(&g);
}

static void test_host_goes_on(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        host_goes_on_after_a_call(variant_devices[v]);
        for (int w = 0; w < VARIANTS; ++w)
            host_goes_on_after_a_wait(variant_devices[v], variant_devices[w]);
        host_goes_on_after_a_wait(variant_devices[v], "cpu:0");
        order_by_buffers(variant_devices[v]);
    }
}

/* The CPU waits for a queue that says nothing of itself. */
static void test_cpu_waits_for_others(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]), *cpu = open_device("cpu:0");
        quern_queue *queue = make_queue(device, 0, "queue"), *on_cpu = make_queue(cpu, 0, "cpu");
        quern_buffer *x = make_numbers(queue, device, 3), *y = make_numbers(queue, device, 4);
        quern_buffer *z = make_buffer(cpu, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        ok(quern_queue_call(queue, gate_pass, &g));
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 15 */
        ok(quern_copy(queue, QUERN_VIEW(z), QUERN_CONST_VIEW(y)));
        quern_buffer *again = make_buffer(cpu, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
        ok(quern_copy(on_cpu, QUERN_VIEW(again), QUERN_CONST_VIEW(z)));
        quern_event *end = NULL;
        ok(quern_event_record(on_cpu, &end));
        assert_int_equal(quern_event_query(end), QUERN_NOT_READY);
        gate_open(&g);
        ok(quern_event_wait(end));
        assert_int_equal(((const uint64_t *)QUERN_SPAN(again).address)[N - 1], 15);
        ok(quern_event_release(end));
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
        ok(quern_buffer_release(z));
        ok(quern_buffer_release(again));
        ok(quern_queue_release(queue));
        ok(quern_queue_release(on_cpu));
        gate_destroy(&g);
    }
}

/* ---- blocking queues ---- */

typedef struct late_opener {
    gate *gate;
    pthread_t thread;
} late_opener;

static void *open_late(void *argument)
{
    late_opener *self = argument;
    gate_wait_entered(self->gate);
    usleep(2000); /* nothing depends on it */
    gate_open(self->gate);
    return NULL;
}

static void test_blocking_queues_wait(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        quern_queue *queue = make_queue(device, 1, "blocking"), *other = make_queue(device, 0, "other");
        quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        late_opener opener = {.gate = &g};
        int ran = 0, idle = 0, before = 0;
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
        ok(quern_queue_query(queue, &idle));
        assert_int_equal(idle, 1);
        ok(quern_queue_call(queue, count_up, &ran));
        assert_int_equal(ran, 1);
        quern_event *event = NULL;
        ok(quern_queue_call(other, gate_pass, &g));
        ok(quern_queue_call(other, count_up, &before));
        ok(quern_event_record(other, &event));
        assert_int_equal(pthread_create(&opener.thread, NULL, open_late, &opener), 0);
        ok(quern_queue_wait(queue, event));
        assert_int_equal(count_of(&before), 1);
        ok(quern_queue_query(queue, &idle));
        assert_int_equal(idle, 1);
        pthread_join(opener.thread, NULL);
        refused(quern_queue_call(queue, gate_pass,
                                 &(gate){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1, 0, QUERN_FILE_ERROR}),
                QUERN_FILE_ERROR, "host function");
        refused(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0), QUERN_FILE_ERROR, "host function");
        refused(quern_queue_synchronize(queue), QUERN_FILE_ERROR, "host function|blocking");
        expect_numbers(queue, y, 7);
        ok(quern_event_release(event));
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
        ok(quern_queue_release(queue));
        ok(quern_queue_release(other));
        gate_destroy(&g);
    }
}

/* ---- failures ---- */

static void failure_sticks(const char *name)
{
    quern_device *device = open_device(name);
    quern_queue *queue = make_queue(device, 0, "failing"), *waiting = make_queue(device, 0, "waiting");
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    int ran = 0;
    quern_event *before = NULL, *event = NULL;
    ok(quern_queue_call(queue, gate_pass, &g));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 7 */
    ok(quern_event_record(queue, &before));
    ok(quern_queue_call(queue, fail_with_sentence, NULL));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* not run */
    ok(quern_queue_call(queue, count_up, &ran));
    ok(quern_event_record(queue, &event));
    ok(launch_mix(waiting, N, QUERN_CONST_VIEW(x), QUERN_VIEW(x), 0) == QUERN_OVERLAP ? QUERN_SUCCESS : QUERN_INTERNAL);
    ok(quern_queue_call(waiting, count_up, &ran));
    ok(quern_queue_wait(waiting, event));
    ok(quern_queue_call(waiting, count_up, &ran));
    gate_open(&g);
    ok(quern_event_wait(before));
    refused(quern_event_wait(event), QUERN_INVALID_ARGUMENT, "event|name is NULL");
    refused(quern_queue_synchronize(waiting), QUERN_INVALID_ARGUMENT, "wait|event|waiting");
    refused(quern_queue_synchronize(queue), QUERN_INVALID_ARGUMENT, "host function|failing|name is NULL");
    assert_int_equal(count_of(&ran), 1);
    ok(quern_queue_synchronize(queue));
    ok(quern_queue_wait(waiting, event)); /* still fails */
    refused(quern_queue_synchronize(waiting), QUERN_INVALID_ARGUMENT, "wait");
    expect_numbers(queue, y, 7);
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    expect_numbers(queue, y, 23);
    ok(quern_event_release(before));
    ok(quern_event_release(event));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(waiting));
    gate_destroy(&g);
}

static void test_failure_sticks(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v)
        failure_sticks(variant_devices[v]);
}

/* A failure that is taken away as soon as possible is still that of the events behind it. */
static void test_failure_reaches_events(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_queue *queue = make_queue(open_device(variant_devices[v]), 0, NULL);
        for (int i = 0; i < 100; ++i) {
            quern_event *event = NULL;
            ok(quern_queue_call(queue, fail_with_sentence, NULL));
            ok(quern_event_record(queue, &event));
            assert_int_equal(quern_queue_synchronize(queue), QUERN_INVALID_ARGUMENT);
            assert_int_equal(quern_event_wait(event), QUERN_INVALID_ARGUMENT);
            ok(quern_event_release(event));
        }
        ok(quern_queue_release(queue));
    }
}

/* What comes before the wait for a failed event runs, however late. */
static void test_failed_event_fails_nothing_before_it(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        quern_queue *queue = make_queue(device, 0, "late"), *failing = make_queue(device, 0, "failing");
        quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        quern_event *event = NULL;
        ok(quern_queue_call(failing, fail_with_sentence, NULL));
        ok(quern_event_record(failing, &event));
        refused(quern_event_wait(event), QUERN_INVALID_ARGUMENT, "event");
        ok(launch_stop(queue, &g));
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 7 */
        ok(quern_queue_wait(queue, event));
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* not run */
        gate_wait_entered(&g);
        usleep(10000); /* a failure that comes too early comes now */
        gate_open(&g);
        refused(quern_queue_synchronize(queue), QUERN_INVALID_ARGUMENT, "wait|late");
        expect_numbers(queue, y, 7);
        ok(quern_event_release(event));
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
        ok(quern_queue_release(queue));
        ok(quern_queue_release(failing));
        gate_destroy(&g);
    }
}

/* Between the number's finishing and the thread that finished it coming to the event, somebody takes the failure away:
 * played here, since the moment is short. */
static void test_failure_taken_before_the_event_completes(void **state)
{
    (void)state;
    quern_queue *queue = make_queue(open_device("lazy:0"), 0, "early");
    quern_progress *progress = queue->progress;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    quern_event *event = NULL;
    ok(quern_queue_call(queue, gate_pass, &g));
    ok(quern_event_record(queue, &event));
    gate_wait_entered(&g);
    uint64_t finished = atomic_load(&progress->finished);
    quern_progress_set_failed(progress, event->number, QUERN_DEVICE_LOST, "a command", "");
    atomic_store(&progress->finished, event->number);
    refused(quern_queue_synchronize(queue), QUERN_DEVICE_LOST, "a command|early");
    atomic_store(&progress->finished, finished);
    gate_open(&g);
    assert_int_equal(quern_event_wait(event), QUERN_DEVICE_LOST);
    ok(quern_queue_synchronize(queue));
    ok(quern_event_release(event));
    ok(quern_queue_release(queue));
    gate_destroy(&g);
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_goes_on),
        cmocka_unit_test(test_cpu_waits_for_others),
        cmocka_unit_test(test_blocking_queues_wait),
        cmocka_unit_test(test_failure_sticks),
        cmocka_unit_test(test_failure_reaches_events),
        cmocka_unit_test(test_failed_event_fails_nothing_before_it),
        cmocka_unit_test(test_failure_taken_before_the_event_completes),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
