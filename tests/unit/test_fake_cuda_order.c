/* The fake CUDA driver: order of streams and events, host functions, errors that stick, failures that a test wants. */
#include "fake_cuda_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

/* A host function that keeps its stream until it is let go. */
static atomic_int gate_is_open, gate_calls;

static void gate(void *data)
{
    (void)data;
    atomic_fetch_add(&gate_calls, 1);
    while (!atomic_load(&gate_is_open))
        usleep(100);
}

static void close_gate(fc_stream stream)
{
    atomic_store(&gate_is_open, 0);
    OK(cu.cuLaunchHostFunc(stream, gate, NULL));
}

static void open_gate(void)
{
    atomic_store(&gate_is_open, 1);
}

/* ---- order ---- */

static void test_a_stream_is_in_order(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(4);
    unsigned numbers[50];
    for (unsigned i = 0; i < 50; ++i) {
        OK(cu.cuMemsetD32Async(pointer, i, 1, stream));
        OK(cu.cuMemcpyDtoHAsync_v2(&numbers[i], pointer, 4, stream));
    }
    OK(cu.cuStreamSynchronize(stream));
    for (unsigned i = 0; i < 50; ++i)
        assert_int_equal(numbers[i], i);
    OK(cu.cuMemFree_v2(pointer));
    OK(cu.cuStreamDestroy_v2(stream));
}

/* What the second stream reads of what the first one writes, with and without an event between them. */
static unsigned read_behind(fc_stream first, fc_stream second, fc_pointer pointer, fc_event event)
{
    unsigned number = 0;
    cu.fake_cuda_hold(1); /* all is queued before anything runs */
    OK(cu.cuMemsetD32Async(pointer, 1, 1, first));
    if (event) {
        OK(cu.cuEventRecord(event, first));
        OK(cu.cuStreamWaitEvent(second, event, 0));
    }
    OK(cu.cuMemcpyDtoHAsync_v2(&number, pointer, 4, second));
    cu.fake_cuda_hold(0);
    OK(cu.cuCtxSynchronize());
    OK(cu.cuMemsetD32_v2(pointer, 0, 1));
    OK(cu.cuCtxSynchronize());
    return number;
}

static void test_a_forgotten_wait_is_seen(void **state)
{
    (void)state;
    fc_stream first = new_stream(FC_STREAM_NON_BLOCKING), second = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(4);
    int seen[2] = {0, 0};
    OK(cu.cuMemsetD32_v2(pointer, 0, 1));
    OK(cu.cuCtxSynchronize());
#ifdef __SANITIZE_THREAD__
    print_message("ThreadSanitizer would be right about a forgotten wait: only the one that is made is tested\n");
    seen[0] = seen[1] = 1;
#endif
    for (int i = 0; i < 10000 && !(seen[0] && seen[1]); ++i)
        seen[read_behind(first, second, pointer, NULL)] = 1;
    assert_true(seen[0] && seen[1]);
    fc_event event;
    OK(cu.cuEventCreate(&event, 0));
    for (int i = 0; i < 200; ++i)
        assert_int_equal(read_behind(first, second, pointer, event), 1);
    OK(cu.cuEventDestroy_v2(event));
    OK(cu.cuMemFree_v2(pointer));
    OK(cu.cuStreamDestroy_v2(first));
    OK(cu.cuStreamDestroy_v2(second));
}

/* The stream NULL comes behind every blocking stream and before what they hold afterwards; the others do not care. */
static void test_the_stream_without_a_handle(void **state)
{
    (void)state;
    fc_stream blocking = new_stream(FC_STREAM_DEFAULT), free_one = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(4);
    close_gate(blocking);
    OK(cu.cuMemsetD32_v2(pointer, 1, 1));
    assert_int_equal(cu.cuStreamQuery(NULL), FC_ERROR_NOT_READY);
    OK(cu.cuMemsetD32Async(pointer, 2, 1, free_one));
    OK(cu.cuStreamSynchronize(free_one));
    assert_int_equal(*(unsigned *)cu.fake_cuda_look(pointer), 2);
    assert_int_equal(cu.cuStreamQuery(FC_STREAM_LEGACY), FC_ERROR_NOT_READY);
    open_gate();
    OK(cu.cuStreamSynchronize(NULL));
    assert_int_equal(*(unsigned *)cu.fake_cuda_look(pointer), 1);
    OK(cu.cuStreamQuery(blocking));
    OK(cu.cuMemFree_v2(pointer));
    OK(cu.cuStreamDestroy_v2(blocking));
    OK(cu.cuStreamDestroy_v2(free_one));
}

static void test_pageable_memory_is_read_late(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(4);
    int number = 1;
    cu.fake_cuda_hold(1);
    OK(cu.cuMemcpyHtoDAsync_v2(pointer, &number, 4, stream));
    number = 2;
    cu.fake_cuda_hold(0);
    OK(cu.cuStreamSynchronize(stream));
    assert_int_equal(*(int *)cu.fake_cuda_look(pointer), 2);
    OK(cu.cuMemFree_v2(pointer));
    OK(cu.cuStreamDestroy_v2(stream));
}

static void test_streams_are_checked(void **state)
{
    (void)state;
    fc_stream stream, other;
    fc_pointer pointer = allocate(4);
    int least, greatest, priority;
    unsigned number;
    assert_int_equal(cu.cuStreamCreate(&stream, 2), FC_ERROR_INVALID_VALUE);
    OK(cu.cuCtxGetStreamPriorityRange(&least, &greatest));
    OK(cu.cuStreamCreateWithPriority(&stream, FC_STREAM_NON_BLOCKING, greatest - 3));
    OK(cu.cuStreamGetPriority(stream, &priority));
    assert_int_equal(priority, greatest);
    cu.fake_cuda_hold(1);
    OK(cu.cuMemsetD32Async(pointer, 9, 1, stream));
    OK(cu.cuStreamDestroy_v2(stream)); /* what is queued still runs */
    cu.fake_cuda_hold(0);
    assert_int_equal(cu.cuStreamDestroy_v2(stream), FC_ERROR_INVALID_HANDLE);
    assert_int_equal(cu.cuStreamQuery(stream), FC_ERROR_INVALID_HANDLE);
    assert_int_equal(cu.cuMemsetD32Async(pointer, 0, 1, stream), FC_ERROR_INVALID_HANDLE);
    assert_int_equal(cu.cuStreamDestroy_v2(NULL), FC_ERROR_INVALID_HANDLE);
    OK(cu.cuCtxSynchronize()); /* a non-blocking stream is not ordered against the copy by itself */
    assert_int_equal(*(unsigned *)cu.fake_cuda_look(pointer), 9);
    OK(cu.cuMemcpyDtoH_v2(&number, pointer, 4));
    assert_int_equal(number, 9);
    other = new_stream(0);
    assert_ptr_not_equal(other, stream);
    OK(cu.cuStreamDestroy_v2(other));
    OK(cu.cuMemFree_v2(pointer));
}

static void test_events_are_checked(void **state)
{
    (void)state;
    fc_event event, untimed, elsewhere;
    float time;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    assert_int_equal(cu.cuEventCreate(&event, 8), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuEventCreate(&event, FC_EVENT_INTERPROCESS), FC_ERROR_INVALID_VALUE);
    OK(cu.cuEventCreate(&event, 0));
    OK(cu.cuEventCreate(&untimed, FC_EVENT_DISABLE_TIMING));
    OK(cu.cuCtxSetCurrent(context_of[1]));
    OK(cu.cuEventCreate(&elsewhere, 0));
    OK(cu.cuCtxSetCurrent(context_of[0]));
    OK(cu.cuEventQuery(event));
    OK(cu.cuStreamWaitEvent(stream, event, 0));
    assert_int_equal(cu.cuEventElapsedTime(&time, event, event), FC_ERROR_INVALID_HANDLE);
    assert_int_equal(cu.cuEventRecord(elsewhere, stream), FC_ERROR_INVALID_HANDLE);
    assert_int_equal(cu.cuStreamWaitEvent(stream, event, 2), FC_ERROR_INVALID_VALUE);
    cu.fake_cuda_hold(1);
    OK(cu.cuEventRecord(event, stream));
    OK(cu.cuEventRecord(untimed, stream));
    assert_int_equal(cu.cuEventQuery(event), FC_ERROR_NOT_READY);
    assert_int_equal(cu.cuEventElapsedTime(&time, event, event), FC_ERROR_NOT_READY);
    cu.fake_cuda_hold(0);
    OK(cu.cuEventSynchronize(event));
    OK(cu.cuEventElapsedTime(&time, event, event));
    assert_true(time == 0.0f);
    assert_int_equal(cu.cuEventElapsedTime(&time, event, untimed), FC_ERROR_INVALID_HANDLE);
    OK(cu.cuEventDestroy_v2(event));
    assert_int_equal(cu.cuEventDestroy_v2(event), FC_ERROR_INVALID_HANDLE);
    assert_int_equal(cu.cuStreamWaitEvent(stream, event, 0), FC_ERROR_INVALID_HANDLE);
    assert_int_equal(cu.cuStreamWaitEvent(stream, stream, 0), FC_ERROR_INVALID_HANDLE); /* of another kind */
    OK(cu.cuEventDestroy_v2(untimed));
    OK(cu.cuEventDestroy_v2(elsewhere));
    OK(cu.cuStreamDestroy_v2(stream));
}

/* ---- host functions ---- */

static fc_result result_within;

static void call_the_driver(void *data)
{
    (void)data;
    size_t free_bytes, total;
    result_within = cu.cuMemGetInfo_v2(&free_bytes, &total);
}

static void test_a_host_function_may_call_nothing(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    OK(cu.cuLaunchHostFunc(stream, call_the_driver, NULL));
    OK(cu.cuStreamSynchronize(stream));
    assert_int_equal(result_within, FC_ERROR_NOT_PERMITTED);
    assert_int_equal(cu.cuLaunchHostFunc(stream, NULL, NULL), FC_ERROR_INVALID_VALUE);
    may_be_wrong = 1;
    OK(cu.cuStreamDestroy_v2(stream));
}

/* ---- memory that is in use ---- */

static void *open_gate_when_freeing(void *data)
{
    (void)data;
    while (cu.fake_cuda_calls("cuMemFree_v2") == 0)
        usleep(100);
    open_gate();
    return NULL;
}

static void test_freeing_waits_and_is_counted(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer = allocate(4);
    fake_cuda_counts counts;
    unsigned number = 0;
    pthread_t thread;
    close_gate(stream);
    OK(cu.cuMemsetD32Async(pointer, 3, 1, stream));
    OK(cu.cuMemcpyDtoHAsync_v2(&number, pointer, 4, stream));
    assert_int_equal(pthread_create(&thread, NULL, open_gate_when_freeing, NULL), 0);
    OK(cu.cuMemFree_v2(pointer));
    assert_int_equal(number, 3);
    pthread_join(thread, NULL);
    cu.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.freed_in_use, 1);
    OK(cu.cuStreamDestroy_v2(stream));
}

static void test_memory_that_is_not_there_yet(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING), other = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer;
    close_gate(stream);
    OK(cu.cuMemAllocAsync(&pointer, 4, stream));
    OK(cu.cuMemsetD32Async(pointer, 1, 1, other));
    assert_int_equal(cu.cuStreamSynchronize(other), FC_ERROR_ILLEGAL_ADDRESS);
    may_be_wrong = 1;
    open_gate();
}

static void test_memory_that_is_gone(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING), other = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer;
    OK(cu.cuMemAllocAsync(&pointer, 4, stream));
    OK(cu.cuStreamSynchronize(stream));
    close_gate(other);
    OK(cu.cuMemsetD32Async(pointer, 1, 1, other));
    OK(cu.cuMemFreeAsync(pointer, stream));
    OK(cu.cuStreamSynchronize(stream));
    open_gate();
    assert_int_equal(cu.cuStreamSynchronize(other), FC_ERROR_ILLEGAL_ADDRESS);
    may_be_wrong = 1;
}

/* ---- errors that stick ---- */

static void test_an_error_sticks(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING), there;
    fc_event event;
    fc_pointer pointer = allocate(4), other;
    OK(cu.cuEventCreate(&event, 0));
    OK(cu.cuCtxSetCurrent(context_of[1]));
    there = new_stream(FC_STREAM_NON_BLOCKING);
    OK(cu.cuCtxSetCurrent(context_of[0]));
    cu.fake_cuda_break_at(2, FC_ERROR_ILLEGAL_ADDRESS);
    atomic_store(&gate_calls, 0);
    open_gate();
    cu.fake_cuda_hold(1);
    OK(cu.cuMemsetD32Async(pointer, 1, 1, stream));
    OK(cu.cuMemsetD32Async(pointer, 2, 1, stream)); /* this one */
    OK(cu.cuMemsetD32Async(pointer, 3, 1, stream));
    OK(cu.cuLaunchHostFunc(stream, gate, NULL));
    OK(cu.cuEventRecord(event, stream));
    OK(cu.cuCtxSetCurrent(context_of[1]));
    OK(cu.cuStreamWaitEvent(there, event, 0));
    OK(cu.cuCtxSetCurrent(context_of[0]));
    cu.fake_cuda_hold(0);
    assert_int_equal(cu.cuStreamSynchronize(stream), FC_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cu.cuStreamQuery(stream), FC_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cu.cuMemFree_v2(pointer), FC_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cu.cuStreamDestroy_v2(stream), FC_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cu.cuMemAlloc_v2(&other, 4), FC_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cu.cuEventQuery(event), FC_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(atomic_load(&gate_calls), 0); /* its host functions are not called */
    assert_int_equal(*(unsigned *)cu.fake_cuda_look(pointer), 1);
    OK(cu.cuCtxSetCurrent(context_of[1])); /* the other device goes on */
    OK(cu.cuStreamSynchronize(there));
    OK(cu.cuStreamDestroy_v2(there));
    other = allocate(4);
    OK(cu.cuMemFree_v2(other));
}

/* ---- failures that a test wants ---- */

/* A long fill is under way when another stream's command breaks the context: who hears of that finds the memory at
 * rest, and what came behind it is never run. */
static void test_nothing_goes_on_in_a_broken_context(void **state)
{
    enum { BYTES = 8 << 20, PAGE = 4096 };
    static char seen[BYTES / PAGE];
    (void)state;
    fake_cuda_counts before, now;
    fc_stream fills = new_stream(FC_STREAM_NON_BLOCKING), breaks = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer large = allocate(BYTES), other;
    cu.fake_cuda_get_counts(&before);
    OK(cu.cuMemsetD8Async(large, 2, BYTES, fills));
    do
        cu.fake_cuda_get_counts(&now);
    while (now.commands == before.commands);
    cu.fake_cuda_break_at(1, FC_ERROR_ILLEGAL_ADDRESS);
    OK(cu.cuMemsetD8Async(large, 3, 1, breaks));
    (void)cu.cuMemsetD8Async(large, 4, BYTES, fills);
    assert_int_equal(cu.cuStreamSynchronize(breaks), FC_ERROR_ILLEGAL_ADDRESS);
    const char *bytes = cu.fake_cuda_look(large);
    for (size_t i = 0; i < sizeof seen; ++i)
        seen[i] = bytes[i * PAGE];
    cu.fake_cuda_get_counts(&before);
    usleep(20000);
    for (size_t i = 0; i < sizeof seen; ++i)
        assert_int_equal(seen[i], bytes[i * PAGE]);
    assert_int_equal(seen[0], 2);
    cu.fake_cuda_get_counts(&now);
    assert_int_equal(now.commands, before.commands);
    assert_int_equal(cu.cuMemAlloc_v2(&other, 4), FC_ERROR_ILLEGAL_ADDRESS);
}

static void test_the_nth_call_fails(void **state)
{
    (void)state;
    fc_pointer pointer = allocate(4), other;
    cu.fake_cuda_fail_at("cuMemAlloc_v2", 2, FC_ERROR_OUT_OF_MEMORY);
    other = allocate(4);
    assert_int_equal(cu.fake_cuda_has_failed(), 0);
    fc_pointer third = 0;
    assert_int_equal(cu.cuMemAlloc_v2(&third, 4), FC_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cu.fake_cuda_has_failed(), 1);
    assert_int_equal(third, 0);
    third = allocate(4);
    assert_int_equal(cu.fake_cuda_calls("cuMemAlloc_v2"), 4);
    cu.fake_cuda_fail_at(NULL, 1, FC_ERROR_UNKNOWN);
    assert_int_equal(cu.cuMemFree_v2(third), FC_ERROR_UNKNOWN); /* made all the same */
    assert_int_equal(cu.cuMemFree_v2(third), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFree_v2(other));
    OK(cu.cuMemFree_v2(pointer));
}

static void test_what_is_left_is_told(void **state)
{
    (void)state;
    fake_cuda_counts counts;
    fc_event event;
    fc_pointer pointer = allocate(1000);
    (void)new_stream(0);
    OK(cu.cuEventCreate(&event, 0));
    cu.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.contexts, 2);
    assert_int_equal(counts.streams, 1);
    assert_int_equal(counts.events, 1);
    assert_int_equal(counts.device_allocations, 1);
    assert_int_equal(counts.device_bytes, 1000);
    assert_int_not_equal(cu.fake_cuda_reset(), 0);
    may_be_left = 3;
    (void)pointer;
}

static void test_what_the_environment_wants(void **state)
{
    static const char *const wanted[][2] = {
        {"QUERN_FAKE_CUDA_NO_OP", "1"},    {"QUERN_FAKE_CUDA_FAIL_FUNCTION", "cuMemAlloc_v2"},
        {"QUERN_FAKE_CUDA_FAIL_AT", "2"},  {"QUERN_FAKE_CUDA_FAIL_ERROR", "2"},
        {"QUERN_FAKE_CUDA_BREAK_AT", "1"}, {"QUERN_FAKE_CUDA_BREAK_ERROR", "719"}};
    for (int i = 0; i < 6; ++i)
        setenv(wanted[i][0], wanted[i][1], 1);
    begin(state);
    for (int i = 0; i < 6; ++i)
        unsetenv(wanted[i][0]);
    OK(cu.cuLaunchKernel(NULL, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL)); /* nothing at all is done */
    fc_pointer pointer = allocate(4), other;
    assert_int_equal(cu.cuMemAlloc_v2(&other, 4), FC_ERROR_OUT_OF_MEMORY);
    OK(cu.cuMemsetD8_v2(pointer, 1, 4));
    assert_int_equal(cu.cuCtxSynchronize(), FC_ERROR_LAUNCH_FAILED);
    end(state);
}

/* Of the first function of all, too; the wish is one call's. */
static void test_the_environment_fails_the_start(void **state)
{
    static const char *const functions[] = {"cuInit", "cuDriverGetVersion", ""};
    int version;
    for (int i = 0; i < 3; ++i) {
        setenv("QUERN_FAKE_CUDA_FAIL_FUNCTION", functions[i], 1);
        setenv("QUERN_FAKE_CUDA_FAIL_AT", "1", 1);
        setenv("QUERN_FAKE_CUDA_FAIL_ERROR", "803", 1);
        assert_int_equal(i == 1 ? cu.cuDriverGetVersion(&version) : cu.cuInit(0), FC_ERROR_SYSTEM_DRIVER_MISMATCH);
        OK(cu.cuDriverGetVersion(&version));
        begin(state);
        unsetenv("QUERN_FAKE_CUDA_FAIL_FUNCTION");
        unsetenv("QUERN_FAKE_CUDA_FAIL_AT");
        unsetenv("QUERN_FAKE_CUDA_FAIL_ERROR");
        end(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_stream_is_in_order),
        TEST(test_a_forgotten_wait_is_seen),
        TEST(test_the_stream_without_a_handle),
        TEST(test_pageable_memory_is_read_late),
        TEST(test_streams_are_checked),
        TEST(test_events_are_checked),
        TEST(test_a_host_function_may_call_nothing),
        TEST(test_freeing_waits_and_is_counted),
        TEST(test_memory_that_is_not_there_yet),
        TEST(test_memory_that_is_gone),
        TEST(test_an_error_sticks),
        TEST(test_nothing_goes_on_in_a_broken_context),
        TEST(test_the_nth_call_fails),
        TEST(test_what_is_left_is_told),
        cmocka_unit_test(test_what_the_environment_wants),
        cmocka_unit_test(test_the_environment_fails_the_start),
    };
    return cmocka_run_group_tests(tests, open_fake, NULL);
}
