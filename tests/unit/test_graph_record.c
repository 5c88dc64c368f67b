/* A backend that records graphs by itself: what it gets to record, when that is done anew, and when it is released. */
#include "graph_backend.h"

/* Whoever finishes a number lets go a moment later. */
static void wait_for_tapes(long count)
{
    while (atomic_load(&tapes) != count)
        sched_yield();
}

typedef struct taped {
    quern_device *device;
    quern_queue *queue, *second;
    quern_buffer *x, *y, *a, *b;
} taped;

static taped make_taped(const char *name)
{
    taped t;
    t.device = open_device(name);
    t.queue = make_queue(t.device, 0, "one");
    t.second = make_queue(t.device, 0, "two");
    t.x = make_numbers(t.queue, t.device, 1);
    t.y = make_numbers(t.queue, t.device, 2);
    t.a = make_numbers(t.second, t.device, 3);
    t.b = make_numbers(t.second, t.device, 4);
    ok(quern_queue_synchronize(t.queue));
    ok(quern_queue_synchronize(t.second));
    atomic_store(&tapes_made, 0);
    return t;
}

static void release_taped(taped *t)
{
    ok(quern_buffer_release(t->x));
    ok(quern_buffer_release(t->y));
    ok(quern_buffer_release(t->a));
    ok(quern_buffer_release(t->b));
    ok(quern_queue_release(t->queue));
    ok(quern_queue_release(t->second));
}

/* Queues that have nothing to do with each other make one recording each, however they take turns. */
static void capture_two(taped *t)
{
    ok(quern_graph_begin((quern_queue *[]){t->queue, t->second}, 2));
    for (uint64_t k = 0; k < 3; ++k) {
        ok(launch_mix(t->queue, N, QUERN_CONST_VIEW(t->x), QUERN_VIEW(t->y), k));
        ok(launch_mix(t->second, N, QUERN_CONST_VIEW(t->a), QUERN_VIEW(t->b), k));
    }
}

static void recorded_and_renewed(const char *name)
{
    taped t = make_taped(name);
    quern_graph *graph = NULL;
    quern_queue_statistics before, after;
    capture_two(&t);
    ok(quern_graph_end(t.queue, &graph));
    assert_int_equal(atomic_load(&tapes_made), 2);
    ok(quern_queue_get_statistics(t.queue, &before));
    ok(quern_graph_launch(graph));
    ok(quern_graph_launch(graph));
    ok(quern_queue_get_statistics(t.queue, &after));
    assert_int_equal(after.commands - before.commands, 2); /* one each */
    assert_int_equal(after.waits, before.waits);
    /* One argument: the other queue's recording is kept. */
    uint64_t ten = 10;
    quern_argument value = quern_argument_value(QUERN_TYPE(uint64_t), &ten);
    ok(quern_graph_set_argument(graph, 4, 2, &value)); /* the third launch of the first queue */
    assert_int_equal(atomic_load(&tapes_made), 2);
    ok(quern_graph_launch(graph));
    assert_int_equal(atomic_load(&tapes_made), 3);
    uint64_t y = 2, b = 4;
    for (int r = 0; r < 3; ++r)
        for (uint64_t k = 0; k < 3; ++k) {
            y = 3 * y + 1 + (r == 2 && k == 2 ? 10 : k);
            b = 3 * b + 3 + k;
        }
    expect_numbers(t.queue, t.y, y);
    expect_numbers(t.second, t.b, b);
    wait_for_tapes(2);
    ok(quern_graph_release(graph));
    wait_for_tapes(0);
    release_taped(&t);
}

/* A buffer that makes the queues depend on each other parts the recordings. */
static void parted_by_an_argument(const char *name)
{
    taped t = make_taped(name);
    quern_graph *graph = NULL;
    capture_two(&t);
    ok(quern_graph_end(t.queue, &graph));
    quern_const_view b = QUERN_CONST_VIEW(t.b);
    quern_argument view = quern_argument_const_view(&b);
    ok(quern_graph_set_argument(graph, 4, 0, &view)); /* y = 3 y + b + 2, behind the second launch of the other queue */
    uint64_t y = 2, nb = 4;
    for (int r = 0; r < 4; ++r) {
        ok(quern_graph_launch(graph));
        y = 3 * y + 1;
        nb = 3 * nb + 3;
        y = 3 * y + 1 + 1;
        nb = 3 * nb + 3 + 1;
        y = 3 * y + nb + 2;
        nb = 3 * nb + 3 + 2;
    }
    expect_numbers(t.queue, t.y, y);
    expect_numbers(t.second, t.b, nb);
    ok(quern_graph_release(graph));
    release_taped(&t);
}

static void recorder_refuses(const char *name)
{
    taped t = make_taped(name);
    quern_graph *graph = NULL;
    /* This cannot be recorded: command by command, and no sentence is left behind. */
    refused(quern_queue_retain(NULL), QUERN_INVALID_ARGUMENT, "queue is NULL");
    atomic_store(&refuse_begin, QUERN_NOT_SUPPORTED);
    capture_two(&t);
    ok(quern_graph_end(t.queue, &graph));
    assert_non_null(strstr(quern_last_error(), "queue is NULL"));
    atomic_store(&refuse_begin, 0);
    ok(quern_graph_launch(graph));
    assert_int_equal(atomic_load(&tapes_made), 0);
    expect_numbers(t.queue, t.y, ((2 * 3 + 1) * 3 + 1 + 1) * 3 + 1 + 2);
    ok(quern_graph_release(graph));
    /* This has failed: the capture goes on, and can be abandoned, or tried again. */
    atomic_store(&refuse_end, 1);
    capture_two(&t);
    refused(quern_graph_end(t.queue, &graph), QUERN_SYSTEM_ERROR, "the tape is torn");
    ok(launch_mix(t.queue, N, QUERN_CONST_VIEW(t.x), QUERN_VIEW(t.y), 3));
    refused(quern_graph_end(t.queue, &graph), QUERN_SYSTEM_ERROR, "the tape is torn");
    atomic_store(&refuse_end, 0);
    ok(quern_graph_end(t.queue, &graph));
    assert_int_equal(atomic_load(&tapes_made), 2);
    size_t count = 0;
    ok(quern_graph_count(graph, &count));
    assert_int_equal(count, 7);
    /* A replay of which a part is not taken: it says so, and the failure sticks to the queue. */
    ok(quern_queue_synchronize(t.second));
    atomic_store(&refuse_tape, 1);
    quern_status status = quern_graph_launch(graph);
    atomic_store(&refuse_tape, 0);
    if (status != QUERN_SUCCESS) /* else the queue was held, and it came later */
        assert_int_equal(status, QUERN_SYSTEM_ERROR);
    refused(quern_queue_synchronize(t.queue), QUERN_SYSTEM_ERROR, "a graph|the tape does not run");
    ok(quern_graph_launch(graph));
    ok(quern_queue_synchronize(t.queue));
    ok(quern_graph_release(graph));
    release_taped(&t);
    wait_for_tapes(0);
}

static void test_recording(void **state)
{
    (void)state;
    static const char *const names[] = {"tape_lazy:0", "tape_able:1"};
    for (int i = 0; i < 2; ++i) {
        recorded_and_renewed(names[i]);
        parted_by_an_argument(names[i]);
        recorder_refuses(names[i]);
    }
}

/* What a replay uses is there until it is through, although the graph and the buffers are released, and also when an
 * argument has been replaced meanwhile. */
static void released_while_it_runs(const char *name)
{
    taped t = make_taped(name);
    quern_graph *graph = NULL;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    capture_two(&t);
    ok(quern_graph_end(t.queue, &graph));
    ok(quern_queue_call(t.queue, gate_pass, &g));
    ok(quern_graph_launch(graph));
    uint64_t ten = 10;
    quern_argument value = quern_argument_value(QUERN_TYPE(uint64_t), &ten);
    ok(quern_graph_set_argument(graph, 0, 2, &value));
    ok(quern_graph_launch(graph));
    ok(quern_graph_release(graph));
    long there = atomic_load(&tapes);
    gate_wait_entered(&g);
    gate_open(&g);
    uint64_t y = 2;
    for (int r = 0; r < 2; ++r)
        for (uint64_t k = 0; k < 3; ++k)
            y = 3 * y + 1 + (r == 1 && k == 0 ? 10 : k);
    expect_numbers(t.queue, t.y, y);
    ok(quern_queue_synchronize(t.second));
    release_taped(&t);
    gate_destroy(&g);
    assert_true(there >= 2); /* both of the held queue */
    wait_for_tapes(0);
}

static void test_released_while_it_runs(void **state)
{
    (void)state;
    released_while_it_runs("tape_lazy:0");
    released_while_it_runs("tape_able:0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_released_while_it_runs),
    };
    return cmocka_run_group_tests(tests, add_backends, shut_down);
}
