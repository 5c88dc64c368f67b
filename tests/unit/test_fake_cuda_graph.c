/* The fake CUDA driver: capturing streams, and graphs. */
#include "fake_cuda_fixture.h"

#include <pthread.h>

static unsigned read_number(fc_pointer pointer)
{
    unsigned number = 0;
    OK(cu.cuMemcpyDtoH_v2(&number, pointer, 4));
    return number;
}

/* Fills of number and number + 1, captured in the mode. */
static fc_graph_exec make_exec(fc_stream stream, int mode, fc_pointer pointer, unsigned number)
{
    fc_graph graph = NULL;
    fc_graph_exec exec = NULL;
    int status = 7;
    OK(cu.cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, 0);
    OK(cu.cuStreamBeginCapture_v2(stream, mode));
    OK(cu.cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, 1);
    OK(cu.cuMemsetD32Async(pointer, number, 1, stream));
    OK(cu.cuMemsetD32Async(pointer + 4, number + 1, 1, stream));
    OK(cu.cuStreamEndCapture(stream, &graph));
    assert_non_null(graph);
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu.cuGraphDestroy(graph));
    return exec;
}

static void test_capture_and_launch(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING), other = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(8);
    OK(cu.cuMemsetD32_v2(pointer, 1, 2));
    fc_graph_exec exec = make_exec(stream, FC_CAPTURE_GLOBAL, pointer, 5);
    assert_int_equal(read_number(pointer), 1); /* nothing has run */
    for (int i = 0; i < 3; ++i) {
        OK(cu.cuMemsetD32Async(pointer, 2, 2, other));
        OK(cu.cuGraphLaunch(exec, other));
        OK(cu.cuStreamSynchronize(other));
        assert_int_equal(read_number(pointer), 5);
        assert_int_equal(read_number(pointer + 4), 6);
    }
    OK(cu.cuGraphLaunch(exec, other)); /* in two streams: one after the other */
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuGraphExecDestroy(exec));
    assert_int_equal(cu.cuGraphExecDestroy(exec), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuGraphLaunch(exec, other), FC_ERROR_INVALID_HANDLE);
    OK(cu.cuMemFree_v2(pointer));
    OK(cu.cuStreamDestroy_v2(stream));
    OK(cu.cuStreamDestroy_v2(other));
}

/* What is wrong during a capture is refused, and spoils it. */
static void spoils(fc_stream stream, fc_pointer pointer, fc_result (*call)(fc_stream stream), fc_result wanted)
{
    fc_graph graph = &graph;
    int status = 0;
    OK(cu.cuStreamBeginCapture_v2(stream, FC_CAPTURE_THREAD_LOCAL));
    assert_int_equal(cu.cuStreamBeginCapture_v2(stream, FC_CAPTURE_THREAD_LOCAL), FC_ERROR_ILLEGAL_STATE);
    OK(cu.cuMemsetD32Async(pointer, 1, 1, stream));
    assert_int_equal(call(stream), wanted);
    OK(cu.cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, 2);
    assert_int_equal(cu.cuMemsetD32Async(pointer, 1, 1, stream), FC_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_int_equal(cu.cuStreamEndCapture(stream, &graph), FC_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_null(graph);
    assert_int_equal(cu.cuStreamEndCapture(stream, &graph), FC_ERROR_ILLEGAL_STATE);
}

static fc_result synchronize(fc_stream stream)
{
    return cu.cuStreamSynchronize(stream);
}

static fc_result query(fc_stream stream)
{
    return cu.cuStreamQuery(stream);
}

static fc_result allocate_meanwhile(fc_stream stream)
{
    fc_pointer pointer;
    (void)stream;
    return cu.cuMemAlloc_v2(&pointer, 4);
}

static fc_pointer somewhere;

static fc_result copy_pageable(fc_stream stream)
{
    static unsigned number;
    return cu.cuMemcpyHtoDAsync_v2(somewhere, &number, 4, stream);
}

static void test_what_a_capture_forbids(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(8), more = 0;
    spoils(stream, pointer, synchronize, FC_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    spoils(stream, pointer, query, FC_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    spoils(stream, pointer, allocate_meanwhile, FC_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    somewhere = pointer;
    spoils(stream, pointer, copy_pageable, FC_ERROR_NOT_SUPPORTED); /* by the fake */
    assert_int_equal(cu.cuStreamBeginCapture_v2(NULL, FC_CAPTURE_RELAXED), FC_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cu.cuStreamBeginCapture_v2(stream, 3), FC_ERROR_INVALID_VALUE);
    /* The relaxed mode lets everything but the stream itself be used. */
    fc_graph graph = NULL;
    OK(cu.cuStreamBeginCapture_v2(stream, FC_CAPTURE_RELAXED));
    OK(cu.cuMemAlloc_v2(&more, 4));
    OK(cu.cuMemFree_v2(more));
    OK(cu.cuStreamEndCapture(stream, &graph));
    /* One without commands is of no use. */
    fc_graph_exec exec = NULL;
    assert_int_equal(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), FC_ERROR_INVALID_VALUE);
    OK(cu.cuGraphDestroy(graph));
    assert_int_equal(cu.cuGraphDestroy(graph), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), FC_ERROR_INVALID_VALUE);
    may_be_wrong = 1;
    OK(cu.cuMemFree_v2(pointer));
    OK(cu.cuStreamDestroy_v2(stream));
}

static void *end_elsewhere(void *stream)
{
    fc_graph graph = NULL;
    OK(cu.cuCtxSetCurrent(context_of[0]));
    assert_int_equal(cu.cuStreamEndCapture(stream, &graph), FC_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_graph graph = NULL;
    pthread_t thread;
    OK(cu.cuStreamBeginCapture_v2(stream, FC_CAPTURE_THREAD_LOCAL));
    assert_int_equal(pthread_create(&thread, NULL, end_elsewhere, stream), 0);
    pthread_join(thread, NULL);
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuStreamDestroy_v2(stream));
}

/* Wrong uses that the real driver may not notice. */
static void test_violations(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(8);
    fc_graph_exec exec = make_exec(stream, FC_CAPTURE_RELAXED, pointer, 5);
    cu.fake_cuda_hold(1);
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuGraphExecDestroy(exec)); /* while it runs */
    cu.fake_cuda_hold(0);
    OK(cu.cuStreamSynchronize(stream));
    exec = make_exec(stream, FC_CAPTURE_RELAXED, pointer, 5);
    OK(cu.cuMemFree_v2(pointer));
    assert_int_equal(cu.cuGraphLaunch(exec, stream), FC_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cu.cuStreamSynchronize(stream), FC_ERROR_ILLEGAL_ADDRESS);
    may_be_wrong = 2;
}

static void test_left_behind(void **state)
{
    (void)state;
    fake_cuda_counts counts;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(8);
    (void)make_exec(stream, FC_CAPTURE_RELAXED, pointer, 5);
    cu.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.graphs, 1);
    OK(cu.cuMemFree_v2(pointer));
    OK(cu.cuStreamDestroy_v2(stream));
    may_be_left = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_capture_and_launch), TEST(test_what_a_capture_forbids),
                                       TEST(test_threads), TEST(test_violations), TEST(test_left_behind)};
    return cmocka_run_group_tests(tests, open_fake, NULL);
}
