/* Memory in the order of a queue: given out again at once to the same queue, to others when its commands have finished.
 */
#include "pool_test.h"

/* A loop of temporaries on a queue that runs behind takes one block, and each has its values. */
static void test_same_queue(void **state)
{
    enum { TIMES = 300 };
    (void)state;
    for (int v = 0; v < DEVICES; ++v) {
        quern_device *device = fresh(devices[v]);
        quern_queue *queue = make_queue(device, 0, "loop");
        quern_buffer *sum = make_buffer(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(TIMES, N));
        quern_pool_statistics before = statistics_of(device);
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        ok(quern_queue_call(queue, gate_pass, &g));
        for (size_t i = 0; i < TIMES; ++i) {
            quern_buffer *one = make_on(queue, N);
            quern_view row, flat = QUERN_VIEW(one);
            fill(queue, one, i);
            ok(quern_view_sub(QUERN_VIEW(sum), (size_t[]){i, 0}, QUERN_EXTENTS(1, N), &row));
            flat.span.layout.rank = 2;
            flat.span.layout.extents[0] = 1;
            flat.span.layout.extents[1] = N;
            flat.span.layout.pitches[0] = N * 8;
            flat.span.layout.pitches[1] = 8;
            ok(quern_copy(queue, row, quern_view_as_const(flat)));
            ok(quern_buffer_release(one));
        }
        quern_pool_statistics after = statistics_of(device);
        assert_int_equal(after.requests - before.requests, TIMES);
        assert_int_equal(after.reused - before.reused, TIMES - 1);
        assert_int_equal(after.kept_blocks, 1);
        gate_open(&g);
        uint64_t *numbers = malloc(TIMES * N * sizeof *numbers);
        assert_non_null(numbers);
        ok(quern_copy_to_host(queue, span_of(numbers, QUERN_TYPE(uint64_t), QUERN_EXTENTS(TIMES, N)),
                              QUERN_CONST_VIEW(sum)));
        ok(quern_queue_synchronize(queue));
        for (size_t i = 0; i < TIMES * N; ++i)
            assert_int_equal(numbers[i], i / N);
        free(numbers);
        ok(quern_buffer_release(sum));
        ok(quern_queue_release(queue));
        gate_destroy(&g);
    }
}

/* Another queue gets no memory that commands still use, and gets it when they have finished. */
static void test_other_queue(void **state)
{
    (void)state;
    for (int v = 0; v < DEVICES; ++v) {
        quern_device *device = fresh(devices[v]);
        quern_queue *first = make_queue(device, 0, "first"), *second = make_queue(device, 0, "second");
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        quern_buffer *old = make_on(first, N);
        const void *address = address_of(old);
        ok(quern_queue_call(first, gate_pass, &g));
        fill(first, old, 1);
        ok(quern_buffer_release(old));
        quern_buffer *other = make_on(second, N), *same = make_on(first, N);
        assert_ptr_not_equal(address_of(other), address);
        assert_ptr_equal(address_of(same), address);
        ok(quern_buffer_release(same));
        fill(second, other, 2);
        expect_numbers(second, other, 2); /* and does not wait for the first one */
        gate_open(&g);
        ok(quern_queue_synchronize(first));
        quern_buffer *now = make_on(second, N);
        assert_ptr_equal(address_of(now), address);
        ok(quern_buffer_release(now));
        ok(quern_buffer_release(other));
        ok(quern_queue_release(first));
        ok(quern_queue_release(second));
        gate_destroy(&g);
    }
}

/* A backend that only tells what it is asked for is asked: by another queue that wants the memory, and by a trim. */
static void test_asking(void **state)
{
    enum { ATTEMPTS = 10000 };
    static quern_buffer *made[ATTEMPTS];
    (void)state;
    for (int v = 1; v < DEVICES; ++v) { /* the CPU tells all */
        quern_device *device = fresh(devices[v]);
        quern_queue *first = make_queue(device, 0, "first"), *second = make_queue(device, 0, "second");
        quern_buffer *old = make_on(first, N), *in = make_numbers(first, device, 1);
        const void *address = address_of(old), *found = NULL;
        int count = 0;
        /* Launches: nobody but the pool asks for them. */
        ok(launch_mix(first, N, QUERN_CONST_VIEW(in), QUERN_VIEW(old), 1));
        ok(quern_buffer_release(old));
        while (found != address && count < ATTEMPTS) {
            static const struct timespec moment = {0, 1000000};
            made[count] = make_on(second, N);
            found = address_of(made[count++]);
            if (found != address)
                nanosleep(&moment, NULL);
        }
        assert_ptr_equal(found, address);
        ok(launch_mix(second, N, QUERN_CONST_VIEW(in), QUERN_VIEW(made[count - 1]), 1));
        while (count-- > 0)
            ok(quern_buffer_release(made[count]));
        while (statistics_of(device).kept_blocks) { /* or this goes on for ever */
            ok(quern_device_trim(device));
            sched_yield();
        }
        ok(quern_buffer_release(in));
        ok(quern_queue_release(first));
        ok(quern_queue_release(second));
    }
}

/* The memory is the first queue's again, whose commands are not done with it: a second one that uses the new buffer
 * waits for them. */
static void test_first_write(void **state)
{
    (void)state;
    for (int v = 0; v < DEVICES; ++v) {
        quern_device *device = fresh(devices[v]);
        quern_queue *first = make_queue(device, 0, "first"), *second = make_queue(device, 0, "second");
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        quern_buffer *old = make_on(first, N);
        const void *address = address_of(old);
        ok(quern_queue_call(first, gate_pass, &g));
        fill(first, old, 1);
        ok(quern_buffer_release(old));
        quern_buffer *new = make_on(first, N);
        assert_ptr_equal(address_of(new), address);
        quern_event *event = NULL;
        fill(second, new, 2);
        ok(quern_event_record(second, &event));
        assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
        gate_open(&g);
        expect_numbers(second, new, 2);
        ok(quern_event_release(event));
        ok(quern_buffer_release(new));
        ok(quern_queue_release(first));
        ok(quern_queue_release(second));
        gate_destroy(&g);
    }
}

/* What two queues use goes back when both have finished, and release does not wait for that. */
static void test_two_users(void **state)
{
    (void)state;
    for (int v = 0; v < DEVICES; ++v) {
        quern_device *device = fresh(devices[v]);
        quern_queue *first = make_queue(device, 0, "first"), *second = make_queue(device, 0, "second");
        quern_buffer *in = make_on(first, N), *a = make_buffer(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N)),
                     *b = make_buffer(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
        const void *address = address_of(in);
        gate g, h;
        gate_init(&g, QUERN_SUCCESS);
        gate_init(&h, QUERN_SUCCESS);
        fill(first, in, 7);
        ok(quern_queue_synchronize(first));
        ok(quern_queue_call(first, gate_pass, &g));
        ok(quern_queue_call(second, gate_pass, &h));
        ok(quern_copy(first, QUERN_VIEW(a), QUERN_CONST_VIEW(in)));
        ok(quern_copy(second, QUERN_VIEW(b), QUERN_CONST_VIEW(in)));
        ok(quern_buffer_release(in));
        assert_int_equal(statistics_of(device).kept_blocks, 0);
        quern_buffer *one = make_on(first, N), *two = make_on(second, N);
        assert_ptr_not_equal(address_of(one), address);
        assert_ptr_not_equal(address_of(two), address);
        gate_open(&g);
        ok(quern_queue_synchronize(first));
        quern_buffer *three = make_on(first, N);
        assert_ptr_not_equal(address_of(three), address);
        gate_open(&h);
        expect_numbers(first, a, 7);
        expect_numbers(second, b, 7);
        while (statistics_of(device).kept_blocks == 0) /* its last command's notice may be on the way */
            sched_yield();
        quern_buffer *four = make_on(first, N);
        assert_ptr_equal(address_of(four), address);
        quern_buffer *const all[] = {one, two, three, four, a, b};
        for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
            ok(quern_buffer_release(all[i]));
        ok(quern_queue_release(first));
        ok(quern_queue_release(second));
        gate_destroy(&g);
        gate_destroy(&h);
    }
}

/* ---- many threads ---- */

typedef struct worker {
    quern_device *device;
    uint64_t number;
} worker;

/* Temporaries on a queue of its own and, at times, used by a queue that all share: each has what its owner put in. */
static quern_queue *shared_queue;

static void *work(void *argument)
{
    const worker *self = argument;
    quern_queue *queue = make_queue(self->device, 0, NULL);
    for (uint64_t i = 0; i < 200; ++i) {
        quern_buffer *a = make_on(queue, N), *b = make_on(i % 3 ? queue : shared_queue, N);
        fill(queue, a, self->number * 1000 + i);
        ok(quern_copy(i % 5 ? queue : shared_queue, QUERN_VIEW(b), QUERN_CONST_VIEW(a)));
        ok(quern_buffer_release(a));
        if (i % 7 == 0)
            expect_numbers(queue, b, self->number * 1000 + i);
        ok(quern_buffer_release(b));
    }
    ok(quern_queue_synchronize(queue));
    ok(quern_queue_release(queue));
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 4 };
    (void)state;
    for (int v = 0; v < DEVICES; ++v) {
        quern_device *device = fresh(devices[v]);
        pthread_t threads[THREADS];
        worker workers[THREADS];
        shared_queue = make_queue(device, 0, "shared");
        for (uint64_t t = 0; t < THREADS; ++t) {
            workers[t] = (worker){device, t + 1};
            assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
        }
        for (int t = 0; t < THREADS; ++t)
            assert_int_equal(pthread_join(threads[t], NULL), 0);
        ok(quern_queue_synchronize(shared_queue));
        ok(quern_queue_release(shared_queue));
    }
}

/* A buffer that outlives its queue, and one that is still held when the library is to stop. */
static void test_the_end(void **state)
{
    (void)state;
    for (int v = 0; v < DEVICES; ++v) {
        quern_device *device = fresh(devices[v]);
        quern_queue *queue = make_queue(device, 0, NULL), *second = make_queue(device, 0, NULL);
        quern_buffer *buffer = make_on(queue, N), *kept = make_on(queue, 2 * N);
        fill(queue, buffer, 8);
        ok(quern_queue_release(queue));
        expect_numbers(second, buffer, 8);
        ok(quern_buffer_release(kept));
        refused(quern_shutdown(), QUERN_BUSY, "held");
        ok(quern_buffer_release(buffer));
        ok(quern_queue_release(second));
        ok(quern_shutdown());
        assert_int_equal(atomic_load(&variant_allocations), 0);
    }
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_queue),  cmocka_unit_test(test_other_queue), cmocka_unit_test(test_asking),
        cmocka_unit_test(test_first_write), cmocka_unit_test(test_two_users),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_the_end),
    };
    return cmocka_run_group_tests(tests, add_backends, NULL);
}
