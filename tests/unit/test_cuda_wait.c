/* Waits between queues of CUDA devices: which of them the driver sees to, and that all of them hold. */
#include "runtime_test.h"

#include "fake_cuda_look_up.h"

#include <poll.h>
#include <stdatomic.h>
#include <unistd.h>

static fake_cuda_calls_function *calls;
static fake_cuda_hold_function *hold;
static fake_cuda_fail_at_function *fail_at;
static fake_cuda_break_at_function *break_at;
static fake_cuda_reset_function *reset;

static int begin(void **state)
{
    (void)state;
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    setenv("QUERN_FAKE_CUDA_DEVICES", "2", 1);
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    look_up(library, "fake_cuda_calls", &calls);
    look_up(library, "fake_cuda_hold", &hold);
    look_up(library, "fake_cuda_fail_at", &fail_at);
    look_up(library, "fake_cuda_break_at", &break_at);
    look_up(library, "fake_cuda_reset", &reset);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return quern_shutdown() != QUERN_SUCCESS;
}

enum { N = 100 };

/* Two queues, and a buffer that each begins with. */
struct pair {
    quern_queue *queues[2];
    quern_buffer *buffers[2];
};

static void pair_make(struct pair *pair, const char *second)
{
    for (int i = 0; i < 2; ++i) {
        quern_device *device = open_device(i ? second : "cuda:0");
        pair->queues[i] = make_queue(device, 0, i ? "second" : "first");
        ok(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &pair->buffers[i]));
    }
}

static void pair_free(struct pair *pair)
{
    for (int i = 0; i < 2; ++i) {
        ok(quern_queue_release(pair->queues[i]));
        ok(quern_buffer_release(pair->buffers[i]));
    }
}

static void fill(quern_queue *queue, quern_buffer *buffer, float value)
{
    ok(quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(float), &value));
}

static void copy(quern_queue *queue, quern_buffer *to, quern_buffer *from)
{
    ok(quern_copy(queue, QUERN_VIEW(to), QUERN_CONST_VIEW(from)));
}

static void check(quern_queue *queue, quern_buffer *buffer, float wanted)
{
    float values[N] = {0};
    quern_layout layout;
    quern_span host;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    ok(quern_span_make(values, &layout, &host));
    ok(quern_copy_to_host(queue, host, QUERN_CONST_VIEW(buffer)));
    ok(quern_queue_synchronize(queue));
    for (int i = 0; i < N; ++i)
        assert_true(values[i] == wanted);
}

/* The second queue's commands are in its stream while those of the first have yet to run. */
static void a_wait_on_one_device_is_the_drivers(void **state)
{
    (void)state;
    struct pair pair;
    quern_event *event = NULL;
    pair_make(&pair, "cuda:0");
    fill(pair.queues[0], pair.buffers[0], 1);
    ok(quern_queue_synchronize(pair.queues[0]));
    for (int i = 0; i < 2; ++i) { /* by the buffer's use, and by an event */
        size_t waits = calls("cuStreamWaitEvent"), copies = calls("cuMemcpyDtoDAsync_v2");
        hold(1);
        fill(pair.queues[0], pair.buffers[0], (float)(2 + i));
        if (i == 1) {
            ok(quern_event_record(pair.queues[0], &event));
            ok(quern_queue_wait(pair.queues[1], event));
            assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
        }
        copy(pair.queues[1], pair.buffers[1], pair.buffers[0]);
        assert_int_equal(calls("cuStreamWaitEvent"), waits + 1);
        assert_int_equal(calls("cuMemcpyDtoDAsync_v2"), copies + 1);
        hold(0);
        check(pair.queues[1], pair.buffers[1], (float)(2 + i));
    }
    ok(quern_event_release(event));
    pair_free(&pair);
}

static void turns_are_taken(void **state)
{
    (void)state;
    struct pair pair;
    pair_make(&pair, "cuda:0");
    for (int i = 0; i < 60; ++i) {
        fill(pair.queues[i % 2], pair.buffers[0], (float)i);
        copy(pair.queues[(i + 1) % 2], pair.buffers[1], pair.buffers[0]);
    }
    check(pair.queues[0], pair.buffers[1], 59);
    check(pair.queues[1], pair.buffers[0], 59);
    pair_free(&pair);
}

static quern_status wait_for_flag(void *flag)
{
    while (!atomic_load((_Atomic int *)flag))
        usleep(100);
    return QUERN_SUCCESS;
}

/* What is not in the other stream yet: the copy is held back until then. */
static void what_is_still_to_come_is_waited_for(void **state)
{
    (void)state;
    struct pair pair;
    _Atomic int flag = 0;
    pair_make(&pair, "cuda:0");
    size_t copies = calls("cuMemcpyDtoDAsync_v2");
    ok(quern_queue_call(pair.queues[0], wait_for_flag, &flag)); /* which holds back the fill */
    fill(pair.queues[0], pair.buffers[0], 7);
    copy(pair.queues[1], pair.buffers[1], pair.buffers[0]);
    assert_int_equal(calls("cuMemcpyDtoDAsync_v2"), copies);
    atomic_store(&flag, 1);
    check(pair.queues[1], pair.buffers[1], 7);
    pair_free(&pair);
}

static void another_device_is_waited_for(void **state)
{
    (void)state;
    struct pair pair;
    quern_event *event = NULL;
    pair_make(&pair, "cuda:1");
    size_t waits = calls("cuStreamWaitEvent"), fills = calls("cuMemsetD32Async");
    hold(1);
    fill(pair.queues[0], pair.buffers[0], 6);
    ok(quern_event_record(pair.queues[0], &event));
    ok(quern_queue_wait(pair.queues[1], event));
    fill(pair.queues[1], pair.buffers[1], 8);
    assert_int_equal(calls("cuStreamWaitEvent"), waits);
    assert_int_equal(calls("cuMemsetD32Async"), fills + 1);
    hold(0);
    check(pair.queues[1], pair.buffers[1], 8);
    assert_int_equal(quern_event_query(event), QUERN_SUCCESS);
    copy(pair.queues[1], pair.buffers[1], pair.buffers[0]);
    check(pair.queues[1], pair.buffers[1], 6);
    ok(quern_event_release(event));
    pair_free(&pair);
}

static void a_blocking_queue_waits_by_itself(void **state)
{
    (void)state;
    struct pair pair;
    quern_event *event = NULL;
    pair_make(&pair, "cuda:0");
    ok(quern_queue_release(pair.queues[1]));
    pair.queues[1] = make_queue(open_device("cuda:0"), 1, "blocking");
    fill(pair.queues[0], pair.buffers[0], 3);
    copy(pair.queues[1], pair.buffers[1], pair.buffers[0]);
    fill(pair.queues[0], pair.buffers[0], 4);
    ok(quern_event_record(pair.queues[0], &event));
    ok(quern_queue_wait(pair.queues[1], event));
    check(pair.queues[1], pair.buffers[1], 3);
    ok(quern_event_release(event));
    pair_free(&pair);
}

static void a_failure_that_is_waited_for_is_passed_on(void **state)
{
    (void)state;
    struct pair pair;
    const float one = 1;
    quern_event *event = NULL;
    pair_make(&pair, "cuda:0");
    fill(pair.queues[0], pair.buffers[0], 2);
    ok(quern_queue_synchronize(pair.queues[0]));
    fail_at("cuMemsetD32Async", 1, 2);
    assert_int_not_equal(quern_fill(pair.queues[0], QUERN_VIEW(pair.buffers[0]), QUERN_TYPE(float), &one),
                         QUERN_SUCCESS);
    ok(quern_event_record(pair.queues[0], &event));
    (void)quern_queue_wait(pair.queues[1], event);
    refused(quern_queue_synchronize(pair.queues[1]), QUERN_OUT_OF_MEMORY, "a wait for an event");
    refused(quern_queue_synchronize(pair.queues[0]), QUERN_OUT_OF_MEMORY, "a fill");
    check(pair.queues[1], pair.buffers[0], 2);
    ok(quern_event_release(event));
    pair_free(&pair);
}

/* The driver refuses the wait: nothing behind it runs, and nothing hangs. */
static void a_wait_that_fails_is_the_queues_failure(void **state)
{
    (void)state;
    struct pair pair;
    pair_make(&pair, "cuda:0");
    fill(pair.queues[1], pair.buffers[1], 5);
    ok(quern_queue_synchronize(pair.queues[1]));
    hold(1);
    fill(pair.queues[0], pair.buffers[0], 1);
    fail_at("cuStreamWaitEvent", 1, 2);
    (void)quern_copy(pair.queues[1], QUERN_VIEW(pair.buffers[1]), QUERN_CONST_VIEW(pair.buffers[0]));
    hold(0);
    refused(quern_queue_synchronize(pair.queues[1]), QUERN_OUT_OF_MEMORY, "a wait for another queue");
    check(pair.queues[1], pair.buffers[1], 5);
    check(pair.queues[0], pair.buffers[0], 1);
    pair_free(&pair);
}

/* ---- a device that is lost behind the wait ---- */

/* The first command is the one that ends the context. */
static quern_graph *submit_what_breaks(struct pair *pair, int by_graph)
{
    quern_graph *graph = NULL;
    if (by_graph)
        ok(quern_graph_begin(&pair->queues[0], 1));
    for (int i = 0; i < 4; ++i)
        fill(pair->queues[0], pair->buffers[0], (float)i);
    if (by_graph) {
        ok(quern_graph_end(pair->queues[0], &graph));
        ok(quern_graph_launch(graph));
    }
    return graph;
}

/* Whoever waits for an event of it hears of it: the event, the other queue with or without more, one of the CPU. */
static void lose_a_device(int by_graph, int has_more, int is_looked_at)
{
    struct pair pair;
    quern_event *event = NULL;
    struct pollfd descriptor = {.events = POLLIN};
    quern_queue *cpu = make_queue(open_device("cpu:0"), 0, "cpu");
    pair_make(&pair, "cuda:0");
    for (int i = 0; i < 2; ++i) {
        fill(pair.queues[i], pair.buffers[i], 1);
        ok(quern_queue_synchronize(pair.queues[i]));
    }
    hold(1);
    break_at(1, 700);
    quern_graph *graph = submit_what_breaks(&pair, by_graph);
    ok(quern_event_record(pair.queues[0], &event));
    ok(quern_queue_wait(pair.queues[1], event));
    if (has_more)
        fill(pair.queues[1], pair.buffers[1], 2);
    ok(quern_queue_wait(cpu, event));
    ok(quern_event_fd(event, &descriptor.fd));
    assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
    hold(0);
    if (is_looked_at) /* else the threads that wait find it out */
        assert_int_equal(poll(&descriptor, 1, -1), 1);
    refused(quern_event_wait(event), QUERN_DEVICE_LOST, "the event's queue failed before it|(700)");
    refused(quern_event_query(event), QUERN_DEVICE_LOST, "(700)");
    for (int i = 0; i < 2; ++i)
        refused(quern_queue_synchronize(pair.queues[i]), QUERN_DEVICE_LOST, "(700)");
    refused(quern_queue_synchronize(cpu), QUERN_DEVICE_LOST, "a wait for an event|(700)");
    assert_int_equal(poll(&descriptor, 1, -1), 1);
    close(descriptor.fd);
    ok(quern_graph_release(graph));
    ok(quern_event_release(event));
    ok(quern_queue_release(cpu));
    pair_free(&pair);
    ok(quern_shutdown());
    assert_int_equal(reset(), 0);
}

static void a_lost_device_is_the_failure_of_all_that_wait(void **state)
{
    (void)state;
    for (int way = 0; way < 8; ++way)
        lose_a_device(way & 1, way >> 1 & 1, way >> 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_wait_on_one_device_is_the_drivers, end),
        cmocka_unit_test_teardown(turns_are_taken, end),
        cmocka_unit_test_teardown(what_is_still_to_come_is_waited_for, end),
        cmocka_unit_test_teardown(another_device_is_waited_for, end),
        cmocka_unit_test_teardown(a_blocking_queue_waits_by_itself, end),
        cmocka_unit_test_teardown(a_failure_that_is_waited_for_is_passed_on, end),
        cmocka_unit_test_teardown(a_wait_that_fails_is_the_queues_failure, end),
        cmocka_unit_test(a_lost_device_is_the_failure_of_all_that_wait),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
