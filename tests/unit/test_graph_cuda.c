/* Graphs on CUDA with a fake driver: one that has none, and one whose functions fail. */
#include "graph.k.h"

#include "graph_work.h"

#include "backend/cuda/cuda_library.h"

/* A driver without graphs gets the commands one by one. */
static void test_old_driver(void **state)
{
    (void)state;
    work w;
    make_work(&w, "cuda:0", "cuda:1");
    submit_all(&w, 5);
    read_all(&w, wanted);
    start_values(&w);
    size_t launches = count_calls("cuGraphLaunch");
    const struct quern_cuda_functions driver = quern_cu;
    quern_cu.StreamBeginCapture = NULL;
    quern_graph *graph = capture_all(&w, 5);
    quern_cu = driver;
    ok(quern_graph_launch(graph));
    read_all(&w, found);
    expect_same(wanted, found);
    assert_int_equal(count_calls("cuGraphLaunch"), launches);
    ok(quern_graph_release(graph));
    release_work(&w);
}

/* The whole life of a graph, which ends early when something fails; all is released. */
static quern_status live(work *w)
{
    uint64_t six = 6, odd = 0x0123456789abcdef;
    quern_argument value = quern_argument_value(QUERN_TYPE(uint64_t), &six);
    quern_graph *graph = NULL;
    ok(quern_graph_begin(&w->queue, 1));
    ok(graph_mix(w->queue, QUERN_RANGE(N), QUERN_CONST_VIEW(w->x), QUERN_VIEW(w->y), 5));
    ok(quern_fill(w->queue, part_of(w->z, 3, 700), QUERN_TYPE(uint64_t), &odd));
    ok(quern_copy(w->queue, QUERN_VIEW(w->x), QUERN_CONST_VIEW(w->z)));
    quern_status status = quern_graph_end(w->queue, &graph);
    if (status != QUERN_SUCCESS) {
        ok(quern_graph_abandon(w->queue));
        return status;
    }
    status = quern_graph_launch(graph);
    if (status == QUERN_SUCCESS)
        status = quern_graph_set_argument(graph, 0, 2, &value);
    if (status == QUERN_SUCCESS)
        status = quern_graph_launch(graph);
    quern_status stuck = quern_queue_synchronize(w->queue);
    ok(quern_graph_release(graph));
    return status == QUERN_SUCCESS ? stuck : status;
}

/* Every call of a function that has to do with graphs fails once: said, with CUDA's number, and all works on. */
static void test_driver_fails(void **state)
{
    static const char *const functions[] = {
        "cuStreamCreateWithPriority",  "cuStreamBeginCapture_v2", "cuLaunchKernel",
        "cuMemsetD2D32Async",          "cuMemcpyDtoDAsync_v2",    "cuStreamEndCapture",
        "cuGraphInstantiateWithFlags", "cuGraphLaunch",           "cuGraphDestroy",
        "cuGraphExecDestroy",          "cuCtxPushCurrent_v2"};
    (void)state;
    work w;
    fake_cuda_counts counts;
    make_work(&w, "cuda:0", "cuda:0");
    ok(live(&w));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        int was_made_to_fail = 1;
        for (size_t at = 1; was_made_to_fail; ++at) {
            fail_at(functions[i], at, 2); /* out of memory */
            quern_status status = live(&w);
            was_made_to_fail = has_failed();
            fail_at(NULL, 0, 0);
            int is_silent = strstr(functions[i], "Destroy") || strstr(functions[i], "Push");
            if (was_made_to_fail && !is_silent)
                refused(status, QUERN_OUT_OF_MEMORY, "(2)");
            assert_true(at > 1 || was_made_to_fail);
            ok(live(&w));
            get_counts(&counts);
            assert_int_equal(counts.graphs, 0);
            assert_int_equal(counts.streams, 2);
        }
    }
    /* What the driver does not take into a graph is given to it without. */
    fail_at("cuStreamEndCapture", 1, 901);
    ok(live(&w));
    assert_true(has_failed());
    fail_at(NULL, 0, 0);
    release_work(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_driver),
        cmocka_unit_test(test_driver_fails),
    };
    return cmocka_run_group_tests(tests, find_devices, nothing_is_left);
}
