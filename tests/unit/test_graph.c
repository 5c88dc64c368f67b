/* Graphs on the devices that there are: the CPU, a backend with the required functions alone, OpenCL, and CUDA with a
 * fake driver, which replays by itself. A replay is what submitting is, to the bit. */
#include "graph.k.h"

#include "graph_work.h"

/* ---- replays ---- */

enum { REPLAYS = 4 };

static void replay_is_as_submitting(const char *name, const char *other)
{
    work w;
    make_work(&w, name, other);
    for (int k = 0; k < REPLAYS; ++k)
        submit_all(&w, 5);
    read_all(&w, wanted);
    assert_int_equal(w.calls, REPLAYS);
    start_values(&w);
    size_t launches = count_calls("cuGraphLaunch");
    quern_graph *graph = capture_all(&w, 5);
    assert_int_equal(w.calls, 0);
    read_all(&w, found);
    assert_int_equal(found[1][N - 1], w.host[N - 1]); /* nothing has run */
    for (int k = 0; k < REPLAYS; ++k)
        ok(quern_graph_launch(graph));
    read_all(&w, found);
    expect_same(wanted, found);
    assert_int_equal(w.calls, REPLAYS);
    if (is_cuda(name))
        assert_true(count_calls("cuGraphLaunch") >= launches + REPLAYS);
    else if (!is_cuda(other))
        assert_int_equal(count_calls("cuGraphLaunch"), launches);
    ok(quern_graph_release(graph));
    release_work(&w);
}

static void test_replay(void **state)
{
    (void)state;
    for (size_t i = 0; i < present_count; ++i)
        for (size_t j = 0; j < present_count; ++j)
            replay_is_as_submitting(present[i], present[j]);
}

/* The graph holds what it uses, and lets go when its last replay is through. */
static void test_graph_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < present_count; ++i) {
        work w;
        make_work(&w, present[i], "cpu:0");
        quern_buffer *copy = make_buffer(w.device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
        submit_all(&w, 9);
        read_all(&w, wanted);
        start_values(&w);
        quern_graph *graph = NULL;
        quern_queue *queues[2] = {w.second, w.queue};
        ok(quern_graph_begin(queues, 2));
        submit_all(&w, 9);
        ok(quern_copy(w.queue, QUERN_VIEW(copy), QUERN_CONST_VIEW(w.x)));
        ok(quern_graph_end(w.queue, &graph));
        ok(quern_buffer_retain(w.far));
        release_work(&w);
        ok(quern_graph_launch(graph));
        quern_queue *queue = make_queue(w.device, 0, "last"), *far_queue = make_queue(w.other, 0, "far");
        ok(quern_copy_to_host(queue, span_of(found[0]), QUERN_CONST_VIEW(copy))); /* after the graph's own queue */
        ok(quern_graph_retain(graph));
        ok(quern_graph_release(graph));
        ok(quern_graph_release(graph)); /* the replay runs on */
        ok(quern_queue_synchronize(queue));
        ok(quern_copy_to_host(far_queue, span_of(found[3]), QUERN_CONST_VIEW(w.far))); /* the last to use host memory */
        ok(quern_queue_synchronize(far_queue));
        assert_memory_equal(found[0], wanted[0], sizeof found[0]);
        assert_memory_equal(found[3], wanted[3], sizeof found[3]);
        ok(quern_buffer_release(copy));
        ok(quern_buffer_release(w.far));
        ok(quern_queue_release(queue));
        ok(quern_queue_release(far_queue));
    }
}

/* ---- arguments ---- */

static void replace_value(quern_graph *graph, size_t command, uint64_t a)
{
    quern_argument value = quern_argument_value(QUERN_TYPE(uint64_t), &a);
    ok(quern_graph_set_argument(graph, command, 2, &value));
    a = 0; /* it was copied */
}

static void arguments_are_replaced(const char *name)
{
    work w;
    make_work(&w, name, name);
    quern_graph *graph = capture_all(&w, 5);
    size_t first = w.launch, second = w.other_launch, count = 0;
    ok(quern_graph_count(graph, &count));
    assert_true(first == 0 && second < count);
    for (uint64_t k = 0; k < 4; ++k)
        submit_all(&w, 5 + k);
    read_all(&w, wanted);
    start_values(&w);
    for (uint64_t k = 0; k < 4; ++k) {
        if (k) { /* while the replay before may run */
            replace_value(graph, first, 5 + k);
            replace_value(graph, second, 5 + k);
        }
        ok(quern_graph_launch(graph));
    }
    read_all(&w, found);
    expect_same(wanted, found);

    /* Another buffer, which is used from then on and held; the old one is not. */
    quern_buffer *other = make_buffer(w.device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
    uint64_t zero = 0;
    ok(quern_fill(w.queue, QUERN_VIEW(other), QUERN_TYPE(uint64_t), &zero));
    quern_view view = QUERN_VIEW(other);
    quern_argument argument = quern_argument_view(&view);
    ok(quern_graph_set_argument(graph, first, 1, &argument));
    ok(quern_graph_launch(graph));
    ok(quern_copy_to_host(w.queue, span_of(wanted[0]), QUERN_CONST_VIEW(other)));
    ok(quern_queue_synchronize(w.queue));
    uint64_t x_before = found[0][N - 1];
    assert_true(wanted[0][N - 1] == x_before + 8);

    /* What does not fit is refused, and changes nothing. */
    double wrong = 1;
    quern_argument bad = quern_argument_value(QUERN_TYPE(double), &wrong);
    refused(quern_graph_set_argument(graph, first, 2, &bad), QUERN_INVALID_TYPE, "'a'|graph_mix|float64");
    refused(quern_graph_set_argument(graph, first, 0, &argument), QUERN_OVERLAP, "'y'|'x'");
    refused(quern_graph_set_argument(graph, first, 3, &argument), QUERN_INVALID_ARGUMENT, "argument is 3|3 of kernel");
    refused(quern_graph_set_argument(graph, count, 0, &argument), QUERN_INVALID_ARGUMENT, "command is");
    refused(quern_graph_set_argument(graph, first + 2, 0, &argument), QUERN_INVALID_ARGUMENT, "no launch");
    refused(quern_graph_set_argument(graph, first, 0, NULL), QUERN_INVALID_ARGUMENT, "value is NULL");
    refused(quern_graph_set_argument(NULL, first, 0, &argument), QUERN_INVALID_ARGUMENT, "graph is NULL|a graph");
    ok(quern_buffer_release(other));
    ok(quern_graph_launch(graph));
    read_all(&w, found);
    ok(quern_graph_release(graph));
    release_work(&w);
}

static void test_arguments(void **state)
{
    (void)state;
    for (size_t i = 0; i < present_count; ++i)
        arguments_are_replaced(present[i]);
}

/* ---- programs ---- */

/* A kernel of a loaded program outlives the program's release. */
static void test_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < present_count; ++i) {
        work w;
        quern_program *program = NULL;
        quern_kernel *kernel = NULL;
        quern_graph *graph = NULL;
        make_work(&w, present[i], "cpu:0");
        ok(quern_program_load(w.device, QUERN_SOURCE_DIR "/tests/kernels/graph.k.c", &program));
        ok(quern_program_kernel(program, "graph_mix", &kernel));
        quern_const_view x = QUERN_CONST_VIEW(w.x);
        quern_view y = QUERN_VIEW(w.y);
        uint64_t a = 2;
        quern_argument arguments[3] = {quern_argument_const_view(&x), quern_argument_view(&y),
                                       quern_argument_value(QUERN_TYPE(uint64_t), &a)};
        quern_range range = QUERN_RANGE(N);
        ok(quern_graph_begin(&w.queue, 1));
        for (int k = 0; k < 3; ++k)
            ok(quern_launch(w.queue, kernel, &range, arguments, 3));
        ok(quern_graph_end(w.queue, &graph));
        ok(quern_program_release(program));
        ok(quern_graph_launch(graph));
        ok(quern_copy_to_host(w.queue, span_of(found[1]), QUERN_CONST_VIEW(w.y)));
        ok(quern_graph_release(graph));
        ok(quern_queue_synchronize(w.queue));
        for (size_t k = 0; k < N; ++k) {
            uint64_t value = w.host[k];
            for (int n = 0; n < 3; ++n)
                value = 3 * value + w.host[k] + 2;
            assert_int_equal(found[1][k], value);
        }
        release_work(&w);
    }
}

/* ---- threads ---- */

static void *replay_often(void *graph)
{
    for (int k = 0; k < 8; ++k)
        ok(quern_graph_launch(graph));
    return NULL;
}

/* Replays of several threads come one after another; the host function counts them. */
static void test_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < present_count; ++i) {
        work w;
        pthread_t threads[3];
        make_work(&w, present[i], present[present_count - 1 - i]);
        for (int k = 0; k < 24; ++k)
            submit_all(&w, 1);
        read_all(&w, wanted);
        start_values(&w);
        quern_graph *graph = capture_all(&w, 1);
        for (int t = 0; t < 3; ++t)
            assert_int_equal(pthread_create(&threads[t], NULL, replay_often, graph), 0);
        for (int t = 0; t < 3; ++t)
            pthread_join(threads[t], NULL);
        read_all(&w, found);
        expect_same(wanted, found);
        assert_int_equal(w.calls, 24);
        ok(quern_graph_release(graph));
        release_work(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),  cmocka_unit_test(test_graph_holds), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_program), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, find_devices, nothing_is_left);
}
