/* The CUDA backend: commands that fail, at once or later, and a device that is lost. */
#include "device.k.h"

#include "cuda_adder.h"

#include "backend/cuda/cuda_memory.h"
#include "backend/cuda/cuda_queue.h"

/* ---- failures ---- */

static void a_failed_queue_runs_nothing_but_finishes_its_numbers(void **state)
{
    (void)state;
    struct adder adder;
    struct fake_event event;
    cuda_begin();
    for (int blocking = 0; blocking < 2; ++blocking) {
        adder_make(&adder, blocking);
        OK(add(&adder, 1));
        OK(fixture_synchronize(&adder.progress));
        fake_failed(fake_handle(&adder.progress), adder.progress.submitted, QUERN_HOST_FUNCTION_FAILED, "a test", "");
        OK(add(&adder, 1));
        OK(fixture_write(&adder.progress, adder.y, &adder, sizeof(float)));
        record(&adder.progress, &event);
        assert_int_equal(quern_cuda_backend.help(adder.progress.queue, adder.progress.submitted), QUERN_SUCCESS);
        assert_int_equal(event.reached, 1);
        assert_int_equal(event.status, QUERN_HOST_FUNCTION_FAILED);
        REFUSED(fixture_synchronize(&adder.progress), QUERN_HOST_FUNCTION_FAILED, "a test");
        adder_check(&adder, 1);
        adder_free(&adder);
    }
    cuda_end();
}

static void a_command_that_is_refused_is_reported_at_once(void **state)
{
    (void)state;
    struct adder adder;
    float found[COUNT];
    struct fake_event event = {.references = 1};
    cuda_begin();
    adder_make(&adder, 0);
    OK(add(&adder, 1));
    cuda_fake.fake_cuda_fail_at("cuLaunchKernel", 1, CUDA_ERROR_OUT_OF_MEMORY);
    REFUSED(add(&adder, 1), QUERN_OUT_OF_MEMORY, "kernel axpy on cuda:0|CUDA_ERROR_OUT_OF_MEMORY (2)");
    REFUSED(fixture_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
    cuda_fake.fake_cuda_fail_at("cuMemcpyDtoHAsync_v2", 1, CUDA_ERROR_INVALID_VALUE);
    REFUSED(fixture_read(&adder.progress, found, adder.y, BYTES), QUERN_INTERNAL,
            "a copy on cuda:0|CUDA_ERROR_INVALID_VALUE (1)");
    REFUSED(fixture_synchronize(&adder.progress), QUERN_INTERNAL, "");
    cuda_fake.fake_cuda_fail_at("cuEventRecord", 1, CUDA_ERROR_OUT_OF_MEMORY);
    ++adder.progress.submitted;
    REFUSED(fixture_end(&adder.progress, quern_cuda_backend.record(adder.progress.queue, adder.progress.submitted,
                                                                   (quern_event *)(void *)&event)),
            QUERN_OUT_OF_MEMORY, "an event record on cuda:0|CUDA_ERROR_OUT_OF_MEMORY");
    assert_int_equal(event.references, 1); /* still the caller's */
    REFUSED(fixture_synchronize(&adder.progress), QUERN_OUT_OF_MEMORY, "");
    adder_check(&adder, 1);
    adder_free(&adder);
    cuda_end();
}

/* A copy of many rows of which one is refused: the others leave nothing behind. */
static void a_copy_that_fails_in_the_middle_leaves_nothing_queued(void **state)
{
    (void)state;
    struct adder adder;
    cuda_begin();
    adder_make(&adder, 0);
    quern_backend_copy box = {.rank = 2, .element_size = 1, .extents = {50, 3}};
    box.target_pitches[0] = 5;
    box.source_pitches[0] = 0; /* row by row */
    box.target_pitches[1] = box.source_pitches[1] = 1;
    box.source = adder.x;
    box.target = (char *)adder.x + 1000;
    box.source_memory = box.target_memory = adder.x;
    for (int i = 0; i < 100; ++i) /* so that the first rows are not copied yet when a later one fails */
        OK(add(&adder, 0));
    cuda_fake.fake_cuda_fail_at("cuMemcpyDtoDAsync_v2", 30, CUDA_ERROR_OUT_OF_MEMORY);
    REFUSED(fixture_copy(&adder.progress, &box), QUERN_OUT_OF_MEMORY, "a copy|CUDA_ERROR_OUT_OF_MEMORY");
    assert_int_equal(adder.progress.finished, adder.progress.submitted);
    (void)fixture_synchronize(&adder.progress);
    adder_free(&adder);
    cuda_end();
}

/* ---- a device that is lost ---- */

static const CUresult sticky[] = {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_MISALIGNED_ADDRESS,
                                  CUDA_ERROR_ECC_UNCORRECTABLE};

/* After an error that sticks, every call on the device says so, and a start after a stop works. */
static void check_lost(struct adder *adder)
{
    void *memory = NULL, *queue = NULL;
    struct fixture_kernel kernel;
    struct fake_progress progress;
    float one[COUNT];
    fake_progress_make(&progress);
    REFUSED(quern_cuda_backend.allocate(adder->device, 100, 64, QUERN_MEMORY_DEVICE, &memory), QUERN_DEVICE_LOST,
            "cuda:0 is lost|the CUDA driver said");
    REFUSED(quern_cuda_backend.queue_create(adder->device, NULL, fake_handle(&progress), &queue), QUERN_DEVICE_LOST,
            "cuda:0 is lost");
    REFUSED(cuda_build(&kernel, adder->device, &mark_kernel), QUERN_DEVICE_LOST, "cuda:0 is lost");
    REFUSED(add(adder, 1), QUERN_DEVICE_LOST, "cuda:0 is lost");
    (void)fixture_synchronize(&adder->progress);
    REFUSED(fixture_read(&adder->progress, one, adder->y, BYTES), QUERN_DEVICE_LOST, "cuda:0 is lost");
    (void)fixture_synchronize(&adder->progress);
    pthread_mutex_destroy(&progress.mutex);
}

/* Found by the thread that waits; by the device's own, when nobody does; on a blocking queue; by a command. */
static void a_command_that_ends_the_context_loses_the_device(void **state)
{
    (void)state;
    struct adder adder;
    for (int way = 0; way < 4; ++way)
        for (size_t e = 0; e < sizeof sticky / sizeof *sticky; ++e) {
            char number[32];
            struct fake_event event = {.references = 1};
            cuda_begin();
            adder_make(&adder, way == 2);
            event.progress = &adder.progress;
            cuda_fake.fake_cuda_break_at(2, sticky[e]);
            OK(add(&adder, 1));
            (void)add(&adder, 1); /* on a blocking queue the front end looks at once */
            (void)add(&adder, 1);
            ++adder.progress.submitted;
            quern_status recorded = quern_cuda_backend.record(adder.progress.queue, adder.progress.submitted,
                                                              (quern_event *)(void *)&event);
            (void)fixture_end(&adder.progress, recorded);
            if (way == 1) {
                OK(quern_cuda_backend.signal(adder.progress.queue, adder.progress.submitted));
                wait_idly(&adder.progress, adder.progress.submitted);
            }
            if (way == 3)
                while (add(&adder, 1) == QUERN_SUCCESS && !atomic_load(&adder.progress.status))
                    usleep(1000);
            snprintf(number, sizeof number, "cuda:0|(%d)", sticky[e]);
            REFUSED(fixture_synchronize(&adder.progress), QUERN_DEVICE_LOST, number);
            assert_true(adder.progress.failed_number > 2); /* the two copies of adder_make went well */
            if (recorded == QUERN_SUCCESS) {
                assert_int_equal(event.reached, 1);
                assert_int_equal(event.references, 0);
                assert_int_equal(event.status, QUERN_DEVICE_LOST);
            }
            check_lost(&adder);
            adder_free(&adder);
            cuda_end();
            /* And the next start has a device that works. */
            OK(cuda_start());
            adder_make(&adder, 0);
            OK(add(&adder, 1));
            adder_check(&adder, 1);
            adder_free(&adder);
            cuda_end();
        }
}

/* Several queues, each waited for by a thread of its own, and one by nobody. */
static void *synchronize(void *argument)
{
    struct adder *adder = argument;
    quern_cuda_backend.help(adder->progress.queue, adder->progress.submitted);
    return NULL;
}

static void all_queues_of_a_lost_device_hear_of_it(void **state)
{
    (void)state;
    enum { QUEUES = 4 };
    struct adder adders[QUEUES];
    pthread_t threads[QUEUES];
    cuda_begin();
    for (int i = 0; i < QUEUES; ++i)
        adder_make(&adders[i], 0);
    cuda_fake.fake_cuda_hold(1);
    cuda_fake.fake_cuda_break_at(3, CUDA_ERROR_ILLEGAL_ADDRESS);
    for (int k = 0; k < 10; ++k)
        for (int i = 0; i < QUEUES; ++i)
            OK(add(&adders[i], 1));
    OK(quern_cuda_backend.signal(adders[0].progress.queue, adders[0].progress.submitted));
    for (int i = 1; i < QUEUES; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, synchronize, &adders[i]), 0);
    cuda_fake.fake_cuda_hold(0);
    for (int i = 1; i < QUEUES; ++i)
        pthread_join(threads[i], NULL);
    wait_idly(&adders[0].progress, adders[0].progress.submitted);
    for (int i = 0; i < QUEUES; ++i) {
        REFUSED(fixture_synchronize(&adders[i].progress), QUERN_DEVICE_LOST, "kernel axpy|cuda:0|(700)");
        adder_free(&adders[i]);
    }
    cuda_end();
}

static void another_device_goes_on(void **state)
{
    (void)state;
    struct adder lost, other;
    cuda_fake_set("DEVICES", "2");
    cuda_begin();
    adder_make(&lost, 0);
    /* The other one's, with all that adder_make does on the first. */
    other = lost;
    OK(quern_cuda_backend.device_open(1, &other.device));
    OK(cuda_build(&other.kernel, other.device, &axpy_kernel));
    fixture_queue(&other.progress, other.device, 0);
    other.x = fixture_memory(other.device, BYTES);
    other.y = fixture_memory(other.device, BYTES);
    float ones[COUNT], zeros[COUNT] = {0};
    for (int i = 0; i < COUNT; ++i)
        ones[i] = 1;
    OK(fixture_write(&other.progress, other.x, ones, BYTES));
    OK(fixture_write(&other.progress, other.y, zeros, BYTES));
    OK(fixture_synchronize(&other.progress));
    cuda_fake.fake_cuda_break_at(1, CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(add(&lost, 1));
    REFUSED(fixture_synchronize(&lost.progress), QUERN_DEVICE_LOST, "kernel axpy|cuda:0");
    OK(add(&other, 3));
    adder_check(&other, 3);
    check_lost(&lost);
    adder_free(&lost);
    OK(add(&other, 1));
    adder_check(&other, 4);
    adder_free(&other);
    cuda_fake_set("DEVICES", NULL);
    cuda_end();
}

static void *open_the_gate(void *unused)
{
    usleep(20000);
    cuda_fake.fake_cuda_hold(0);
    return unused;
}

static int is_lost(struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    int lost = queue->lost;
    pthread_mutex_unlock(&queue->lock);
    return lost;
}

/* A command that was begun before the device was lost and is given to the stream after the stream was waited for: the
 * driver took it, so it has run when it counts as finished. */
static void what_is_given_as_the_device_is_lost_is_waited_for(void **state)
{
    (void)state;
    struct adder adder;
    struct quern_cuda_command command;
    pthread_t opener;
    float found[COUNT];
    cuda_begin();
    adder_make(&adder, 0);
    struct quern_cuda_queue *queue = adder.progress.queue;
    memset(found, 0x7f, BYTES);
    OK(quern_cuda_command_begin(&command, queue, ++adder.progress.submitted, "a copy", NULL));
    assert_true(command.runs);
    quern_cuda_device_lose(adder.device, CUDA_ERROR_UNKNOWN);
    while (!is_lost(queue))
        usleep(100);
    cuda_fake.fake_cuda_hold(1);
    assert_int_equal(quern_cu.MemcpyDtoHAsync(found, quern_cuda_pointer(adder.y), BYTES, queue->stream), 0);
    assert_int_equal(pthread_create(&opener, NULL, open_the_gate, NULL), 0);
    OK(quern_cuda_command_given(&command, CUDA_SUCCESS));
    OK(quern_cuda_command_end(&command, QUERN_SUCCESS));
    quern_cuda_queue_wait(queue, command.number);
    for (int i = 0; i < COUNT; ++i)
        assert_true(found[i] == 0);
    pthread_join(opener, NULL);
    REFUSED(fixture_synchronize(&adder.progress), QUERN_DEVICE_LOST, "a copy|cuda:0|(999)");
    adder_free(&adder);
    cuda_end();
}

/* A wait that the driver refuses, though the context is sound. */
static void a_wait_that_fails_once_is_done_in_another_way(void **state)
{
    (void)state;
    struct adder adder;
    cuda_begin();
    adder_make(&adder, 0);
    OK(add(&adder, 1));
    cuda_fake.fake_cuda_fail_at("cuEventSynchronize", 1, CUDA_ERROR_OUT_OF_MEMORY);
    OK(fixture_synchronize(&adder.progress));
    adder_check(&adder, 1);
    adder_free(&adder);
    cuda_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_queue_runs_nothing_but_finishes_its_numbers),
        cmocka_unit_test(a_command_that_is_refused_is_reported_at_once),
        cmocka_unit_test(a_copy_that_fails_in_the_middle_leaves_nothing_queued),
        cmocka_unit_test(a_command_that_ends_the_context_loses_the_device),
        cmocka_unit_test(all_queues_of_a_lost_device_hear_of_it),
        cmocka_unit_test(another_device_goes_on),
        cmocka_unit_test(what_is_given_as_the_device_is_lost_is_waited_for),
        cmocka_unit_test(a_wait_that_fails_once_is_done_in_another_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
