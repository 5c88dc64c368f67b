/* The CUDA backend: the numbers of a queue, host functions, threads, events. */
#include "device.k.h"

#include "cuda_adder.h"

#include "device_queue_tests.h"

static int fixture_is_here(void)
{
    cuda_begin();
    return 1;
}

static void fixture_stop(void)
{
    cuda_end();
}

/* Where the driver takes no host function, the thread that asked waits. */
static void numbers_finish_where_no_host_function_can_be_had(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event event;
    cuda_begin();
    adder_make(&adder, 0);
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 10; ++k)
            OK(add(&adder, 1));
        cuda_fake.fake_cuda_fail_at("cuLaunchHostFunc", 1, CUDA_ERROR_OUT_OF_MEMORY);
        if (i % 2)
            record(&adder.progress, &event);
        else
            OK(quern_cuda_backend.signal(adder.progress.queue, adder.progress.submitted));
        assert_true(cuda_fake.fake_cuda_has_failed());
        wait_idly(&adder.progress, adder.progress.submitted);
        assert_true(i % 2 == 0 || event.reached);
    }
    adder_check(&adder, 50);
    adder_free(&adder);
    cuda_end();
}

/* A number that nobody asks for costs nothing; one that is asked for twice, one host function. */
static void a_launch_is_no_more_than_the_drivers_launch(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct adder adder;
    fake_cuda_counts before, after;
    cuda_begin();
    adder_make(&adder, 0);
    OK(add(&adder, 1)); /* what is made once */
    OK(fixture_synchronize(&adder.progress));
    size_t functions = cuda_fake.fake_cuda_calls("cuLaunchHostFunc"),
           events = cuda_fake.fake_cuda_calls("cuEventRecord");
    cuda_fake.fake_cuda_get_counts(&before);
    for (int i = 0; i < MANY; ++i)
        OK(add(&adder, 1));
    cuda_fake.fake_cuda_get_counts(&after);
    assert_int_equal(cuda_fake.fake_cuda_calls("cuLaunchHostFunc"), functions);
    assert_int_equal(cuda_fake.fake_cuda_calls("cuEventRecord"), events);
    assert_true(after.calls - before.calls <= 3 * MANY); /* the context, the launch, the context */
    for (int i = 0; i < 3; ++i)
        OK(quern_cuda_backend.signal(adder.progress.queue, adder.progress.submitted));
    wait_idly(&adder.progress, adder.progress.submitted);
    assert_true(cuda_fake.fake_cuda_calls("cuLaunchHostFunc") <= functions + 1);
    adder_check(&adder, MANY + 1);
    adder_free(&adder);
    cuda_end();
}

/* Nobody waits, and there are more numbers to tell of than a queue keeps. */
static void any_number_of_signals(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    struct adder adder;
    cuda_begin();
    adder_make(&adder, 0);
    for (int i = 0; i < MANY; ++i) {
        OK(add(&adder, 1));
        OK(quern_cuda_backend.signal(adder.progress.queue, adder.progress.submitted));
    }
    wait_idly(&adder.progress, adder.progress.submitted);
    adder_check(&adder, MANY);
    adder_free(&adder);
    cuda_end();
}

static void any_number_of_events(void **state)
{
    (void)state;
    enum { MANY = 600 };
    static struct fake_event events[MANY];
    struct adder adder;
    cuda_begin();
    adder_make(&adder, 0);
    for (int i = 0; i < MANY; ++i) {
        if (i % 3 == 0)
            OK(add(&adder, 1));
        record(&adder.progress, &events[i]);
    }
    wait_idly(&adder.progress, adder.progress.submitted);
    for (int i = 0; i < MANY; ++i) {
        assert_int_equal(events[i].reached, 1);
        assert_int_equal(events[i].references, 0);
        assert_true(i == 0 || events[i].nanoseconds >= events[i - 1].nanoseconds);
    }
    adder_check(&adder, MANY / 3);
    adder_free(&adder);
    cuda_end();
}

/* Times are told from a reference that moves on: the difference of two stays right across that. */
static void times_go_on_when_the_reference_moves(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event events[6];
    int64_t host[6];
    cuda_begin();
    adder_make(&adder, 1);
    for (int i = 0; i < 6; ++i) {
        struct timespec now;
        usleep(i % 2 ? 120000 : 1000);
        record(&adder.progress, &events[i]);
        clock_gettime(CLOCK_MONOTONIC, &now);
        host[i] = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    for (int i = 1; i < 6; ++i) {
        int64_t told = events[i].nanoseconds - events[i - 1].nanoseconds;
        assert_true(told > 0);
        /* As long as the sleep at least; the host's own time between the two is no bound on a busy machine. */
        assert_true(told > (i % 2 ? 100000000 : 500000));
        assert_true(host[i] > host[i - 1]);
    }
    int64_t all = events[5].nanoseconds - events[0].nanoseconds, parts = 0;
    for (int i = 1; i < 6; ++i)
        parts += events[i].nanoseconds - events[i - 1].nanoseconds;
    assert_true(all == parts);
    adder_free(&adder);
    cuda_end();
}

static void priorities_are_passed_on(void **state)
{
    (void)state;
    cuda_begin();
    for (int priority = -1; priority <= 1; ++priority) {
        struct fake_progress progress;
        quern_queue_options options = {0, priority, NULL};
        fake_progress_make(&progress);
        size_t asked = cuda_fake.fake_cuda_calls("cuCtxGetStreamPriorityRange");
        OK(quern_cuda_backend.queue_create(fixture_device(), &options, fake_handle(&progress), &progress.queue));
        assert_int_equal(cuda_fake.fake_cuda_calls("cuCtxGetStreamPriorityRange") - asked, priority != 0);
        fixture_queue_end(&progress);
    }
    cuda_end();
}

/* Two queues, and a thread of its own for each, at once. */
static void *use_a_queue(void *argument)
{
    struct adder *adder = argument;
    for (int i = 0; i < 200; ++i) {
        (void)add(adder, 1);
        if (i % 7 == 0)
            quern_cuda_backend.signal(adder->progress.queue, adder->progress.submitted);
        if (i % 31 == 0)
            (void)fixture_synchronize(&adder->progress);
    }
    return NULL;
}

static void queues_are_used_at_once(void **state)
{
    (void)state;
    struct adder adders[3];
    pthread_t threads[3];
    cuda_begin();
    for (int i = 0; i < 3; ++i)
        adder_make(&adders[i], i == 2);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, use_a_queue, &adders[i]), 0);
    for (int i = 0; i < 3; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; ++i) {
        adder_check(&adders[i], 200);
        adder_free(&adders[i]);
    }
    cuda_end();
}

/* The context that a thread of the user's has stays its own. */
static void the_threads_context_is_left_alone(void **state)
{
    (void)state;
    struct adder adder;
    CUresult (*get)(CUcontext *), (*set)(CUcontext), (*retain)(CUcontext *, CUdevice), (*release)(CUdevice);
    CUcontext mine = NULL, now = NULL;
    cuda_fake_set("DEVICES", "2");
    cuda_begin();
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL), *found;
    memcpy(&get, (found = dlsym(library, "cuCtxGetCurrent"), &found), sizeof get);
    memcpy(&set, (found = dlsym(library, "cuCtxSetCurrent"), &found), sizeof set);
    memcpy(&retain, (found = dlsym(library, "cuDevicePrimaryCtxRetain"), &found), sizeof retain);
    memcpy(&release, (found = dlsym(library, "cuDevicePrimaryCtxRelease_v2"), &found), sizeof release);
    for (int with = 0; with < 2; ++with) {
        if (with) {
            assert_int_equal(retain(&mine, 1), 0);
            assert_int_equal(set(mine), 0);
        }
        adder_make(&adder, 0);
        OK(add(&adder, 1));
        adder_check(&adder, 1);
        assert_int_equal(get(&now), 0);
        assert_ptr_equal(now, mine);
        adder_free(&adder);
    }
    assert_int_equal(set(NULL), 0);
    assert_int_equal(release(1), 0);
    cuda_fake_set("DEVICES", NULL);
    cuda_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_QUEUE_TESTS,
        cmocka_unit_test(numbers_finish_where_no_host_function_can_be_had),
        cmocka_unit_test(a_launch_is_no_more_than_the_drivers_launch),
        cmocka_unit_test(any_number_of_signals),
        cmocka_unit_test(any_number_of_events),
        cmocka_unit_test(times_go_on_when_the_reference_moves),
        cmocka_unit_test(priorities_are_passed_on),
        cmocka_unit_test(queues_are_used_at_once),
        cmocka_unit_test(the_threads_context_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
