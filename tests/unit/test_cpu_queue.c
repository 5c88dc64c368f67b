/* Queues of the CPU: order, waits, events, failures, host functions, full rings. */
#include "cpu_commands.h"

static void check_order(unsigned threads, int blocking)
{
    enum { N = 1009, LAUNCHES = 3000 };
    static uint32_t x[N];
    struct fake_progress queue;
    struct fixture_kernel kernel;
    size_t n = N;
    uint32_t wanted = 0;
    fixture_start(threads, 1);
    fixture_queue(&queue, fixture_device(0), blocking);
    fixture_build(&kernel, fixture_device(0), "affine", affine, 0);
    memset(x, 0, sizeof x);
    for (uint32_t a = 0; a < LAUNCHES; ++a) {
        quern_backend_argument arguments[2] = {fixture_view(x, 4), fixture_value(&a, 4)};
        quern_backend_launch launch = fixture_launch(&kernel, 1, &n, NULL, arguments, 2);
        assert_int_equal(fixture_submit(&queue, &launch), QUERN_SUCCESS);
        wanted = 3 * wanted + a;
    }
    fixture_synchronize(&queue);
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(x[i], wanted);
    fixture_destroy(&queue);
    fixture_release(&kernel);
    cpu->stop();
}

static void commands_run_in_order(void **state)
{
    (void)state;
    check_order(1, 0);
    check_order(2, 0);
    check_order(4, 0);
    check_order(2, 1);
    check_order(8, 1);
}

static void a_queue_starts_without_a_further_call(void **state)
{
    (void)state;
    struct fake_progress queue;
    fixture_start(2, 1);
    fixture_queue(&queue, fixture_device(0), 0);
    sem_init(&gate, 0, 0);
    assert_int_equal(cpu->call(queue.queue, ++queue.submitted, (quern_status(*)(void *))sem_post, &gate),
                     QUERN_SUCCESS);
    pass_gate(NULL); /* hangs when nobody has begun */
    fixture_destroy(&queue);
    cpu->stop();
}

static void queues_wait_for_each_other(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; ++threads) {
        struct fake_progress a, b, c;
        fixture_start(threads, threads > 1 ? 2 : 1);
        fixture_queue(&a, fixture_device(0), 0);
        fixture_queue(&b, fixture_device(threads > 1), 0);
        fixture_queue(&c, fixture_device(0), 1);
        sem_init(&gate, 0, 0);
        log_clear();
        call(&a, pass_gate, 0);
        uint64_t a1 = call(&a, write_log, 1);
        wait_for_queue(&b, &a, a1, NULL);
        uint64_t b1 = call(&b, write_log, 2);
        wait_for_queue(&a, &b, b1, NULL);
        uint64_t a2 = call(&a, write_log, 3);
        assert_int_equal(atomic_load(&log_count), 0);
        sem_post(&gate);
        wait_for_queue(&c, &a, a2, NULL); /* blocking: returns when it is so */
        assert_int_equal(atomic_load(&log_count), 3);
        for (int i = 0; i < 3; ++i)
            assert_int_equal(log_entries[i], i + 1);
        fixture_synchronize(&b);
        fixture_destroy(&b);
        fixture_destroy(&a);
        fixture_destroy(&c);
        cpu->stop();
    }
}

static void a_long_chain_of_waits_ends(void **state)
{
    enum { QUEUES = 37 };
    static struct fake_progress queues[QUEUES];
    (void)state;
    for (unsigned threads = 1; threads <= 3; ++threads) {
        fixture_start(threads, 1);
        for (int q = 0; q < QUEUES; ++q)
            fixture_queue(&queues[q], fixture_device(0), 0);
        log_clear();
        sem_init(&gate, 0, 0);
        call(&queues[0], pass_gate, 0);
        for (int q = 0; q < QUEUES; ++q) {
            if (q)
                wait_for_queue(&queues[q], &queues[q - 1], queues[q - 1].submitted, NULL);
            call(&queues[q], write_log, q);
        }
        sem_post(&gate);
        fixture_synchronize(&queues[QUEUES - 1]);
        assert_int_equal(atomic_load(&log_count), QUEUES);
        for (int q = 0; q < QUEUES; ++q)
            assert_int_equal(log_entries[q], q);
        for (int q = 0; q < QUEUES; ++q)
            fixture_destroy(&queues[q]);
        cpu->stop();
    }
}

/* A foreign queue: of no backend of ours. */
static void a_queue_waits_for_another_backend(void **state)
{
    (void)state;
    struct fake_progress queue, foreign;
    fixture_start(1, 1);
    fixture_queue(&queue, fixture_device(0), 0);
    fake_progress_make(&foreign);
    log_clear();
    wait_for_queue(&queue, &foreign, 5, NULL);
    call(&queue, write_log, 1);
    fake_finished(fake_handle(&foreign), 4);
    assert_int_equal(atomic_load(&log_count), 0);
    fake_finished(fake_handle(&foreign), 6);
    fixture_synchronize(&queue);
    assert_int_equal(atomic_load(&log_count), 1);
    fixture_destroy(&queue);
    pthread_mutex_destroy(&foreign.mutex);
    cpu->stop();
}

static void events_tell_when_they_were_reached(void **state)
{
    (void)state;
    for (int blocking = 0; blocking < 2; ++blocking) {
        struct fake_progress queue;
        struct fake_event first, second;
        fixture_start(2, 1);
        fixture_queue(&queue, fixture_device(0), blocking);
        record(&queue, &first);
        call(&queue, write_log, (log_clear(), 1));
        record(&queue, &second);
        fixture_synchronize(&queue);
        assert_int_equal(atomic_load(&first.reached), 1);
        assert_int_equal(atomic_load(&second.reached), 1);
        assert_true(atomic_load(&second.nanoseconds) >= atomic_load(&first.nanoseconds));
        assert_true(atomic_load(&first.nanoseconds) > 0);
        assert_int_equal(atomic_load(&first.references), 1);
        fixture_destroy(&queue);
        cpu->stop();
    }
}

static quern_status fail_with_sentence(void *argument)
{
    (void)argument;
    return quern_fail(QUERN_FILE_ERROR, "the file is eaten");
}

static quern_status fail_silently(void *argument)
{
    (void)argument;
    return QUERN_HOST_FUNCTION_FAILED;
}

static void a_failure_stops_the_commands_behind_it(void **state)
{
    (void)state;
    for (int blocking = 0; blocking < 2; ++blocking) {
        struct fake_progress queue, other;
        struct fake_event event;
        fixture_start(2, 1);
        fixture_queue(&queue, fixture_device(0), blocking);
        fixture_queue(&other, fixture_device(0), 0);
        log_clear();
        uint64_t number = call(&queue, fail_with_sentence, 0);
        call(&queue, write_log, 1);
        record(&queue, &event);
        fixture_synchronize(&queue);
        assert_int_equal(atomic_load(&log_count), 0);
        assert_int_equal(atomic_load(&queue.status), QUERN_FILE_ERROR);
        assert_int_equal(queue.failed_number, number);
        assert_string_equal(queue.sentence, "the file is eaten");
        assert_int_equal(atomic_load(&event.reached), 1);
        /* The one that waits for the event fails too, and only that one. */
        atomic_fetch_add(&event.references, 1);
        wait_for_queue(&other, &queue, queue.submitted, &event);
        number = other.submitted;
        call(&other, write_log, 2);
        fixture_synchronize(&other);
        assert_int_equal(atomic_load(&other.status), QUERN_FILE_ERROR);
        assert_int_equal(other.failed_number, number);
        assert_string_equal(other.what, "a wait for an event");
        assert_int_equal(atomic_load(&log_count), 0);
        assert_int_equal(atomic_load(&event.references), 1);
        /* Cleared, the queues work again. */
        atomic_store(&queue.status, 0);
        atomic_store(&other.status, 0);
        call(&queue, write_log, 3);
        call(&other, fail_silently, 0);
        fixture_synchronize(&queue);
        fixture_synchronize(&other);
        assert_int_equal(atomic_load(&log_count), 1);
        assert_int_equal(atomic_load(&queue.status), 0);
        assert_int_equal(atomic_load(&other.status), QUERN_HOST_FUNCTION_FAILED);
        assert_string_equal(other.sentence, "");
        fixture_destroy(&queue);
        fixture_destroy(&other);
        cpu->stop();
    }
}

/* A host function that succeeds leaves the sentence of a blocking queue's caller as it was. */
static void the_callers_sentence_is_kept(void **state)
{
    (void)state;
    struct fake_progress queue;
    fixture_start(1, 1);
    fixture_queue(&queue, fixture_device(0), 1);
    (void)quern_fail(QUERN_INTERNAL, "mine");
    log_clear();
    call(&queue, write_log, 1);
    assert_string_equal(quern_last_error(), "mine");
    call(&queue, fail_silently, 0);
    assert_string_equal(queue.sentence, "");
    fixture_destroy(&queue);
    cpu->stop();
}

static void has_no_scratch(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    (void)arguments;
    if (piece->dim[0].begin == 0 && !quern_cpu_scratch_take(piece, SIZE_MAX - 63))
        return;
}

static void exhausted_scratch_fails_the_launch(void **state)
{
    (void)state;
    for (int blocking = 0; blocking < 2; ++blocking) {
        for (int is_group = 0; is_group < 2; ++is_group) {
            struct fake_progress queue;
            struct fixture_kernel kernel;
            size_t n = 1000, group = 10;
            fixture_start(4, 1);
            fixture_queue(&queue, fixture_device(0), blocking);
            fixture_build(&kernel, fixture_device(0), "hungry", has_no_scratch, is_group);
            quern_backend_launch launch = fixture_launch(&kernel, 1, &n, is_group ? &group : NULL, NULL, 0);
            assert_int_equal(fixture_submit(&queue, &launch), QUERN_SUCCESS);
            fixture_synchronize(&queue);
            assert_int_equal(atomic_load(&queue.status), QUERN_OUT_OF_MEMORY);
            assert_string_equal(queue.what, "kernel hungry");
            fixture_destroy(&queue);
            fixture_release(&kernel);
            cpu->stop();
        }
    }
}

static void a_full_ring_holds_up_the_producer(void **state)
{
    enum { CLOSED = 3000, ALL = 30000, N = 7 };
    (void)state;
    for (unsigned threads = 1; threads <= 2; ++threads) {
        static uint32_t x[N];
        struct fake_progress queue;
        struct fixture_kernel kernel;
        uint32_t wanted = 0;
        size_t n = N;
        fixture_start(threads, 1);
        fixture_queue(&queue, fixture_device(0), 0);
        fixture_build(&kernel, fixture_device(0), "affine", affine, 0);
        sem_init(&gate, 0, 0);
        memset(x, 0, sizeof x);
        call(&queue, pass_gate, 0);
        for (uint32_t a = 0; a < ALL; ++a) {
            quern_backend_argument arguments[2] = {fixture_view(x, 4), fixture_value(&a, 4)};
            quern_backend_launch launch = fixture_launch(&kernel, 1, &n, NULL, arguments, 2);
            assert_int_equal(fixture_submit(&queue, &launch), QUERN_SUCCESS);
            wanted = 3 * wanted + a;
            if (a == CLOSED) { /* the ring has grown up to here */
                assert_int_equal(fake_finished_number(fake_handle(&queue)), 0);
                sem_post(&gate);
            }
        }
        fixture_synchronize(&queue);
        for (size_t i = 0; i < N; ++i)
            assert_int_equal(x[i], wanted);
        fixture_destroy(&queue);
        fixture_release(&kernel);
        cpu->stop();
    }
}

/* A command larger than the ring's first segments. */
static void sum_value(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    (void)piece;
    const unsigned char *bytes = arguments[1].address;
    unsigned sum = 0;
    for (size_t i = 0; i < 100000; ++i)
        sum += bytes[i];
    *(unsigned *)arguments[0].address += sum;
}

static void a_large_value_fits(void **state)
{
    (void)state;
    static unsigned char value[100000];
    struct fake_progress queue;
    struct fixture_kernel kernel;
    unsigned sum = 0, wanted = 0;
    fixture_start(2, 1);
    fixture_queue(&queue, fixture_device(0), 0);
    fixture_build(&kernel, fixture_device(0), "sum", sum_value, 0);
    for (int turn = 0; turn < 50; ++turn) {
        size_t n = 1;
        quern_backend_argument arguments[2] = {fixture_view(&sum, 4), fixture_value(value, sizeof value)};
        quern_backend_launch launch = fixture_launch(&kernel, 1, &n, NULL, arguments, 2);
        memset(value, turn, sizeof value);
        wanted += 100000u * (unsigned)turn;
        assert_int_equal(fixture_submit(&queue, &launch), QUERN_SUCCESS);
    }
    fixture_synchronize(&queue);
    assert_int_equal(sum, wanted);
    fixture_destroy(&queue);
    fixture_release(&kernel);
    cpu->stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_run_in_order),
        cmocka_unit_test(a_queue_starts_without_a_further_call),
        cmocka_unit_test(queues_wait_for_each_other),
        cmocka_unit_test(a_long_chain_of_waits_ends),
        cmocka_unit_test(a_queue_waits_for_another_backend),
        cmocka_unit_test(events_tell_when_they_were_reached),
        cmocka_unit_test(a_failure_stops_the_commands_behind_it),
        cmocka_unit_test(the_callers_sentence_is_kept),
        cmocka_unit_test(exhausted_scratch_fails_the_launch),
        cmocka_unit_test(a_full_ring_holds_up_the_producer),
        cmocka_unit_test(a_large_value_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
