/* What a capture and a graph mean, on backends of all kinds: what is refused meanwhile, events, failures, replays that
 * are held back. */
#include "graph_backend.h"

/* ---- what is refused ---- */

static quern_status use_graph(void *graph)
{
    return quern_graph_launch(graph);
}

static void test_begin_refuses(void **state)
{
    (void)state;
    quern_device *device = open_device("full:0");
    quern_queue *a = make_queue(device, 0, "a"), *b = make_queue(device, 0, "b"), *blocks = make_queue(device, 1, "c");
    size_t last;
    quern_graph *graph = NULL;
    refused(quern_graph_begin(NULL, 1), QUERN_INVALID_ARGUMENT, "queues is NULL");
    refused(quern_graph_begin(&a, 0), QUERN_INVALID_ARGUMENT, "at least one");
    refused(quern_graph_begin((quern_queue *[]){a, NULL}, 2), QUERN_INVALID_ARGUMENT, "NULL");
    refused(quern_graph_begin((quern_queue *[]){a, blocks}, 2), QUERN_INVALID_ARGUMENT, "queues[1]|blocking");
    refused(quern_graph_begin((quern_queue *[]){a, b, a}, 3), QUERN_INVALID_ARGUMENT, "queues[2]|queues[0]");
    refused(quern_graph_end(a, &graph), QUERN_INVALID_ARGUMENT, "not captured");
    refused(quern_graph_abandon(a), QUERN_INVALID_ARGUMENT, "not captured");
    refused(quern_graph_last_command(a, &last), QUERN_INVALID_ARGUMENT, "not captured");
    ok(quern_graph_begin(&b, 1));
    refused(quern_graph_begin((quern_queue *[]){a, b}, 2), QUERN_BUSY, "queues[1]|captured already");
    refused(quern_graph_end(a, &graph), QUERN_INVALID_ARGUMENT, "not captured"); /* nor is it now */
    refused(quern_graph_last_command(b, &last), QUERN_NOT_FOUND, "nothing has been recorded");
    refused(quern_graph_last_command(b, NULL), QUERN_INVALID_ARGUMENT, "command is NULL");
    refused(quern_graph_end(b, NULL), QUERN_INVALID_ARGUMENT, "graph is NULL");
    ok(quern_graph_end(b, &graph));
    ok(quern_graph_launch(graph)); /* an empty one */
    refused(quern_graph_count(graph, NULL), QUERN_INVALID_ARGUMENT, "count is NULL");
    refused(quern_graph_launch(NULL), QUERN_INVALID_ARGUMENT, "graph is NULL");
    refused(quern_graph_launch((quern_graph *)(void *)a), QUERN_INVALID_ARGUMENT, "is a queue, wanted a graph");
    /* From the host function of a queue of its own, which it would wait for. */
    ok(quern_queue_call(b, use_graph, graph));
    refused(quern_queue_synchronize(b), QUERN_INVALID_ARGUMENT, "own host function");
    ok(quern_graph_release(graph));
    ok(quern_graph_release(NULL));
    ok(quern_queue_release(a));
    ok(quern_queue_release(b));
    ok(quern_queue_release(blocks));
}

/* What makes no sense while a queue is captured; other queues are not touched, and afterwards all is as before. */
static void busy_meanwhile(const char *name)
{
    quern_device *device = open_device(name);
    quern_queue *queue = make_queue(device, 0, "captured"), *other = make_queue(device, 0, "other");
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2), *made = NULL;
    quern_graph *graph = NULL;
    int idle = 0, calls = 0;
    size_t last = 99;
    ok(quern_graph_begin(&queue, 1));
    ok(quern_graph_end(queue, &graph));
    ok(quern_graph_begin(&queue, 1));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 5));
    ok(quern_queue_call(queue, count_up, &calls));
    ok(quern_graph_last_command(queue, &last));
    assert_int_equal(last, 1);
    refused(quern_queue_synchronize(queue), QUERN_BUSY, "captured|synchronised|quern_graph_end");
    refused(quern_queue_query(queue, &idle), QUERN_BUSY, "captured");
    refused(quern_buffer_create_on_queue(queue, QUERN_TYPE(int), QUERN_EXTENTS(4), &made), QUERN_BUSY, "captured");
    refused(quern_graph_launch(graph), QUERN_BUSY, "captured");
    refused(launch_mix(queue, N, QUERN_CONST_VIEW(y), QUERN_VIEW(y), 5), QUERN_OVERLAP, "'y'");
    /* The other queue works, and what was recorded has neither run nor used the buffer. */
    expect_numbers(other, y, 2);
    ok(launch_mix(other, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 7 */
    expect_numbers(other, y, 7);
    ok(quern_graph_abandon(queue));
    refused(quern_graph_abandon(queue), QUERN_INVALID_ARGUMENT, "not captured");
    expect_numbers(queue, y, 7);
    assert_int_equal(count_of(&calls), 0);
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 22 */
    expect_numbers(queue, y, 22);
    ok(quern_graph_release(graph));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(other));
}

static void test_busy_meanwhile(void **state)
{
    (void)state;
    for (int d = 0; d < DEVICES; ++d)
        busy_meanwhile(all_devices[d]);
}

/* ---- events ---- */

/* An event inside is a point of its graph and nothing else. */
static void test_events_inside(void **state)
{
    (void)state;
    quern_device *device = open_device("lazy:0");
    quern_queue *a = make_queue(device, 0, "a"), *b = make_queue(device, 0, "b"), *c = make_queue(device, 0, "c");
    quern_event *event = NULL, *real = NULL;
    quern_graph *graph = NULL;
    double seconds;
    ok(quern_event_record(c, &real));
    ok(quern_graph_begin((quern_queue *[]){a, b}, 2));
    ok(quern_graph_begin(&c, 1));
    ok(quern_event_record(a, &event));
    ok(quern_queue_wait(b, event));
    refused(quern_queue_wait(c, event), QUERN_INVALID_ARGUMENT, "event|point of that graph"); /* another capture */
    refused(quern_queue_wait(b, NULL), QUERN_INVALID_ARGUMENT, "event is NULL");
    ok(quern_graph_abandon(c));
    refused(quern_queue_wait(c, event), QUERN_INVALID_ARGUMENT, "event|point of that graph");
    refused(quern_event_wait(event), QUERN_INVALID_ARGUMENT, "event|point of that graph");
    refused(quern_event_query(event), QUERN_INVALID_ARGUMENT, "event|point of that graph");
    refused(quern_event_elapsed(event, real, &seconds), QUERN_INVALID_ARGUMENT, "begin|point of that graph");
    refused(quern_event_elapsed(real, event, &seconds), QUERN_INVALID_ARGUMENT, "end|point of that graph");
    ok(quern_event_retain(event));
    ok(quern_event_release(event));
    ok(quern_graph_end(a, &graph));
    refused(quern_event_wait(event), QUERN_INVALID_ARGUMENT, "event|point of that graph");
    ok(quern_event_release(event));
    ok(quern_graph_launch(graph));
    ok(quern_queue_synchronize(b));
    ok(quern_graph_release(graph));
    ok(quern_event_release(real));
    ok(quern_queue_release(a));
    ok(quern_queue_release(b));
    ok(quern_queue_release(c));
}

/* One from outside is waited for by every replay, and its failure is the queue's each time. */
static void waits_for_outside(const char *name)
{
    quern_device *device = open_device(name);
    quern_queue *queue = make_queue(device, 0, "captured"), *late = make_queue(open_device("full:0"), 0, "late");
    quern_event *event = NULL, *failed = NULL;
    quern_graph *graph = NULL, *failing = NULL;
    gate g;
    int calls = 0, idle = 1;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(late, gate_pass, &g));
    ok(quern_event_record(late, &event));
    ok(quern_graph_begin(&queue, 1));
    ok(quern_queue_wait(queue, event));
    ok(quern_queue_call(queue, count_up, &calls));
    ok(quern_graph_end(queue, &graph));
    ok(quern_event_release(event));
    ok(quern_graph_launch(graph));
    ok(quern_graph_launch(graph));
    gate_wait_entered(&g);
    ok(quern_queue_query(queue, &idle));
    assert_int_equal(idle, 0);
    assert_int_equal(count_of(&calls), 0);
    gate_open(&g);
    ok(quern_graph_launch(graph));
    ok(quern_queue_synchronize(queue));
    assert_int_equal(count_of(&calls), 3);

    ok(quern_queue_call(late, fail_with_sentence, NULL));
    ok(quern_event_record(late, &failed));
    ok(quern_graph_begin(&queue, 1));
    ok(quern_queue_call(queue, count_up, &calls));
    ok(quern_queue_wait(queue, failed));
    ok(quern_queue_call(queue, count_up, &calls));
    ok(quern_graph_end(queue, &failing));
    for (int k = 1; k <= 2; ++k) {
        ok(quern_graph_launch(failing));
        refused(quern_queue_synchronize(queue), QUERN_INVALID_ARGUMENT, "wait|event's queue failed");
        assert_int_equal(count_of(&calls), 3 + k);
    }
    ok(quern_event_release(failed));
    refused(quern_queue_synchronize(late), QUERN_INVALID_ARGUMENT, "host function");
    ok(quern_graph_release(graph));
    ok(quern_graph_release(failing));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(late));
    gate_destroy(&g);
}

static void test_waits_for_outside(void **state)
{
    (void)state;
    for (int d = 0; d < DEVICES; ++d)
        waits_for_outside(all_devices[d]);
}

/* ---- threads ---- */

typedef struct recording {
    quern_queue *queue;
    quern_buffer *x, *y;
    int calls;
} recording;

static void *record_some(void *argument)
{
    recording *self = argument;
    for (uint64_t k = 0; k < 20; ++k) {
        ok(launch_mix(self->queue, N, QUERN_CONST_VIEW(self->x), QUERN_VIEW(self->y), k));
        ok(quern_queue_call(self->queue, count_up, &self->calls));
    }
    return NULL;
}

/* Whoever submits to a captured queue records; two threads at once as well, and both queues are one graph. */
static void records_of_threads(const char *name)
{
    recording both[2];
    pthread_t threads[2];
    quern_graph *graph = NULL;
    quern_device *device = open_device(name);
    size_t count = 0;
    for (int i = 0; i < 2; ++i) {
        both[i].queue = make_queue(device, 0, "one of two");
        both[i].x = make_numbers(both[i].queue, device, (uint64_t)i + 1);
        both[i].y = make_numbers(both[i].queue, device, 5);
        both[i].calls = 0;
    }
    ok(quern_graph_begin((quern_queue *[]){both[0].queue, both[1].queue}, 2));
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, record_some, &both[i]), 0);
    for (int i = 0; i < 2; ++i)
        pthread_join(threads[i], NULL);
    ok(quern_graph_end(both[0].queue, &graph));
    ok(quern_graph_count(graph, &count));
    assert_int_equal(count, 80);
    ok(quern_graph_launch(graph));
    for (int i = 0; i < 2; ++i) {
        uint64_t y = 5;
        for (uint64_t k = 0; k < 20; ++k)
            y = 3 * y + (uint64_t)i + 1 + k;
        expect_numbers(both[i].queue, both[i].y, y);
        assert_int_equal(count_of(&both[i].calls), 20);
        ok(quern_buffer_release(both[i].x));
        ok(quern_buffer_release(both[i].y));
        ok(quern_queue_release(both[i].queue));
    }
    ok(quern_graph_release(graph));
}

static void test_records_of_threads(void **state)
{
    (void)state;
    records_of_threads("lazy:0");
    records_of_threads("tape_able:0");
}

/* ---- replays that are late ---- */

/* Two queues, of two devices or of two backends, held by a gate while replays come: the result is that of submitting.
 */
static void replays_behind_a_gate(const char *name, const char *other_name, int is_first_held)
{
    quern_device *device = open_device(name), *other = open_device(other_name);
    quern_queue *queue = make_queue(device, 0, "one"), *second = make_queue(other, 0, "two");
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2),
                 *far = make_numbers(second, other, 3), *near = make_numbers(second, other, 4);
    quern_graph *graph = NULL;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_synchronize(queue));
    ok(quern_graph_begin((quern_queue *[]){queue, second}, 2));
    for (uint64_t k = 0; k < 2; ++k) {
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), k));
        ok(launch_mix(second, N, QUERN_CONST_VIEW(near), QUERN_VIEW(far), k));
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(y), QUERN_VIEW(x), 1));
        ok(launch_mix(second, N, QUERN_CONST_VIEW(far), QUERN_VIEW(near), 1));
        ok(quern_copy(k ? queue : second, QUERN_VIEW(far), QUERN_CONST_VIEW(y)));
    }
    ok(quern_graph_end(second, &graph));
    uint64_t nx = 1, ny = 2, nfar = 3, nnear = 4;
    ok(quern_queue_call(is_first_held ? queue : second, gate_pass, &g));
    for (int r = 0; r < 3; ++r) {
        ok(quern_graph_launch(graph));
        for (uint64_t k = 0; k < 2; ++k) {
            ny = 3 * ny + nx + k;
            nfar = 3 * nfar + nnear + k;
            nx = 3 * nx + ny + 1;
            nnear = 3 * nnear + nfar + 1;
            nfar = ny;
        }
    }
    gate_wait_entered(&g);
    gate_open(&g);
    expect_numbers(queue, x, nx);
    expect_numbers(queue, y, ny);
    expect_numbers(second, far, nfar);
    expect_numbers(second, near, nnear);
    ok(quern_graph_release(graph));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_buffer_release(far));
    ok(quern_buffer_release(near));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(second));
    gate_destroy(&g);
}

static void test_behind_a_gate(void **state)
{
    (void)state;
    static const char *const others[] = {"full:1", "lazy:1", "tape_lazy:1", "tape_able:1"};
    for (int d = 0; d < DEVICES; ++d)
        for (int i = 0; i < 2; ++i)
            replays_behind_a_gate(all_devices[d], others[(d + 2 * i + 1) % 4], i);
}

/* The order of two queues that events inside alone make: steps of host functions. */
static int step_of[2], steps;

static quern_status take_step(void *argument)
{
    *(int *)argument = __atomic_add_fetch(&steps, 1, __ATOMIC_SEQ_CST);
    return QUERN_SUCCESS;
}

static void events_order(const char *name, const char *other_name)
{
    quern_queue *queue = make_queue(open_device(name), 0, "one"),
                *second = make_queue(open_device(other_name), 0, "two");
    quern_event *event = NULL;
    quern_graph *graph = NULL;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_graph_begin((quern_queue *[]){second, queue}, 2));
    ok(quern_queue_call(queue, gate_pass, &g));
    ok(quern_queue_call(queue, take_step, &step_of[0]));
    ok(quern_event_record(queue, &event));
    ok(quern_queue_wait(second, event));
    ok(quern_event_release(event));
    ok(quern_queue_call(second, take_step, &step_of[1]));
    ok(quern_event_record(second, &event)); /* that nobody waits for */
    ok(quern_event_release(event));
    ok(quern_graph_end(second, &graph));
    for (int k = 0; k < 2; ++k) {
        steps = 0;
        g.open = g.entered = 0;
        ok(quern_graph_launch(graph));
        gate_wait_entered(&g);
        gate_open(&g);
        ok(quern_queue_synchronize(second));
        assert_int_equal(step_of[0], 1);
        assert_int_equal(step_of[1], 2);
    }
    ok(quern_queue_synchronize(queue));
    ok(quern_graph_release(graph));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(second));
    gate_destroy(&g);
}

static void test_events_order(void **state)
{
    (void)state;
    for (int d = 0; d < DEVICES; ++d) {
        events_order(all_devices[d], all_devices[(d + 1) % DEVICES]);
        events_order(all_devices[d], all_devices[(d + 5) % DEVICES]);
    }
}

/* ---- failures ---- */

static int fails;

static quern_status fail_sometimes(void *argument)
{
    return fails ? fail_with_sentence(argument) : QUERN_SUCCESS;
}

/* The first failure of a replay sticks to its queue, and to what waits for it; then the graph works again. */
static void failure_sticks(const char *name)
{
    quern_device *device = open_device(name);
    quern_queue *queue = make_queue(device, 0, "one"), *second = make_queue(device, 0, "two");
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
    quern_event *event = NULL;
    quern_graph *graph = NULL;
    int calls = 0;
    ok(quern_queue_synchronize(queue));
    ok(quern_graph_begin((quern_queue *[]){queue, second}, 2));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
    ok(quern_queue_call(queue, fail_sometimes, NULL));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
    ok(quern_event_record(queue, &event));
    ok(quern_queue_wait(second, event));
    ok(quern_event_release(event));
    ok(quern_queue_call(second, count_up, &calls));
    ok(quern_graph_end(queue, &graph));
    fails = 1;
    ok(quern_graph_launch(graph));
    refused(quern_queue_synchronize(queue), QUERN_INVALID_ARGUMENT, "host function|'one'");
    refused(quern_queue_synchronize(second), QUERN_INVALID_ARGUMENT, "wait|event's queue failed");
    expect_numbers(queue, y, 7); /* nothing behind the failure */
    assert_int_equal(count_of(&calls), 0);
    fails = 0;
    ok(quern_graph_launch(graph));
    ok(quern_queue_synchronize(second));
    expect_numbers(queue, y, ((7 * 3 + 1) * 3 + 1) * 3 + 1);
    assert_int_equal(count_of(&calls), 1);
    ok(quern_graph_release(graph));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(second));
}

static void test_failure_sticks(void **state)
{
    (void)state;
    for (int d = 0; d < DEVICES; ++d)
        failure_sticks(all_devices[d]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begin_refuses),  cmocka_unit_test(test_busy_meanwhile),
        cmocka_unit_test(test_events_inside),  cmocka_unit_test(test_waits_for_outside),
        cmocka_unit_test(test_behind_a_gate),  cmocka_unit_test(test_events_order),
        cmocka_unit_test(test_failure_sticks), cmocka_unit_test(test_records_of_threads),
    };
    return cmocka_run_group_tests(tests, add_backends, shut_down);
}
