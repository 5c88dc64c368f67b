/* Queues of the CPU: order, waits, events, failures, host functions, full rings, who works along. */
#include "cpu_fixture.h"

#include <semaphore.h>

static const quern_backend *const cpu = &quern_cpu_backend;

/* ---- a log of what has run ---- */

enum { LOG = 64 };

static int log_entries[LOG];
static _Atomic int log_count;

static quern_status write_log(void *argument)
{
    log_entries[atomic_fetch_add(&log_count, 1)] = (int)(intptr_t)argument;
    return QUERN_SUCCESS;
}

static void log_clear(void)
{
    atomic_store(&log_count, 0);
}

static uint64_t call(struct fake_progress *queue, quern_status (*function)(void *), intptr_t argument)
{
    assert_int_equal(cpu->call(queue->queue, ++queue->submitted, function, (void *)argument), QUERN_SUCCESS);
    return queue->submitted;
}

static void wait_for_queue(struct fake_progress *queue, struct fake_progress *other, uint64_t number,
                           struct fake_event *event)
{
    assert_int_equal(
        cpu->wait(queue->queue, ++queue->submitted, fake_handle(other), number, (quern_event *)(void *)event),
        QUERN_SUCCESS);
}

static void record(struct fake_progress *queue, struct fake_event *event)
{
    memset(event, 0, sizeof *event);
    atomic_store(&event->references, 2); /* the test's, and the command's */
    event->progress = queue;
    assert_int_equal(cpu->record(queue->queue, ++queue->submitted, (quern_event *)(void *)event), QUERN_SUCCESS);
}

/* ---- a gate that holds up a queue ---- */

static sem_t gate;

static quern_status pass_gate(void *argument)
{
    (void)argument;
    while (sem_wait(&gate) != 0)
        ;
    return QUERN_SUCCESS;
}

/* ---- kernels ---- */

/* x[i] = 3 x[i] + a: the order of launches shows in the result. */
static void affine(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    uint32_t *x = arguments[0].address, a = *(const uint32_t *)arguments[1].address;
    for (ptrdiff_t i = piece->dim[0].begin; i < piece->dim[0].end; ++i)
        x[i] = 3 * x[i] + a;
}

/* ---- tests ---- */

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
        assert_string_equal(other.what, "wait for an event");
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

/* ---- working along ---- */

static struct fake_progress inner, middle;

/* A host function that queues work for other queues and waits for it, on what may be the only worker. */
static quern_status use_other_queues(void *argument)
{
    (void)argument;
    call(&inner, write_log, 1);
    wait_for_queue(&middle, &inner, inner.submitted, NULL);
    call(&middle, write_log, 2);
    return cpu->help(middle.queue, middle.submitted);
}

static void a_worker_that_waits_works_along(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; ++threads) {
        struct fake_progress outer;
        fixture_start(threads, 1);
        fixture_queue(&outer, fixture_device(0), 0);
        fixture_queue(&inner, fixture_device(0), 0);
        fixture_queue(&middle, fixture_device(0), 0);
        for (int turn = 0; turn < 200; ++turn) {
            log_clear();
            call(&outer, use_other_queues, 0);
            call(&outer, write_log, 3);
            fixture_synchronize(&outer);
            assert_int_equal(atomic_load(&log_count), 3);
            for (int i = 0; i < 3; ++i)
                assert_int_equal(log_entries[i], i + 1);
        }
        fixture_destroy(&outer);
        fixture_destroy(&middle);
        fixture_destroy(&inner);
        cpu->stop();
    }
}

/* The only worker sleeps in a host function, for a number that another backend finishes later. */
static struct fake_progress foreign_progress;
static sem_t asleep;

static quern_status wait_for_foreign(void *argument)
{
    (void)argument;
    wait_for_queue(&inner, &foreign_progress, 1, NULL);
    call(&inner, write_log, 1);
    sem_post(&asleep);
    return cpu->help(inner.queue, inner.submitted);
}

static void a_sleeping_worker_gets_up_for_what_it_waits_for(void **state)
{
    (void)state;
    for (int turn = 0; turn < 50; ++turn) {
        struct fake_progress outer;
        fixture_start(1, 1);
        fixture_queue(&outer, fixture_device(0), 0);
        fixture_queue(&inner, fixture_device(0), 0);
        fake_progress_make(&foreign_progress);
        sem_init(&asleep, 0, 0);
        log_clear();
        call(&outer, wait_for_foreign, 0);
        while (sem_wait(&asleep) != 0)
            ;
        if (turn % 2) /* mostly it sleeps by now; either way it has to come out right */
            quern_cpu_backend.device_info(fixture_device(0), &(quern_device_info){.name = ""});
        fake_finished(fake_handle(&foreign_progress), 1);
        fixture_synchronize(&outer);
        assert_int_equal(atomic_load(&log_count), 1);
        fixture_destroy(&outer);
        fixture_destroy(&inner);
        pthread_mutex_destroy(&foreign_progress.mutex);
        cpu->stop();
    }
}

static void *help_thread(void *argument)
{
    struct fake_progress *queue = argument;
    for (uint64_t number = 1; number <= queue->submitted; number += 7)
        if (cpu->help(queue->queue, number) || fake_finished_number(fake_handle(queue)) < number)
            return queue;
    return NULL;
}

static void several_threads_wait_for_one_queue(void **state)
{
    enum { HELPERS = 4, LAUNCHES = 700, N = 500 };
    (void)state;
    for (unsigned threads = 1; threads <= 3; ++threads) {
        static uint32_t x[N];
        struct fake_progress queue;
        struct fixture_kernel kernel;
        pthread_t helpers[HELPERS];
        size_t n = N;
        uint32_t wanted = 0;
        fixture_start(threads, 1);
        fixture_queue(&queue, fixture_device(0), 0);
        fixture_build(&kernel, fixture_device(0), "affine", affine, 0);
        memset(x, 0, sizeof x);
        sem_init(&gate, 0, 0);
        call(&queue, pass_gate, 0);
        for (uint32_t a = 0; a < LAUNCHES; ++a) {
            quern_backend_argument arguments[2] = {fixture_view(x, 4), fixture_value(&a, 4)};
            quern_backend_launch launch = fixture_launch(&kernel, 1, &n, NULL, arguments, 2);
            assert_int_equal(fixture_submit(&queue, &launch), QUERN_SUCCESS);
            wanted = 3 * wanted + a;
        }
        for (int h = 0; h < HELPERS; ++h)
            assert_int_equal(pthread_create(&helpers[h], NULL, help_thread, &queue), 0);
        sem_post(&gate);
        for (int h = 0; h < HELPERS; ++h) {
            void *wrong;
            pthread_join(helpers[h], &wrong);
            assert_null(wrong);
        }
        fixture_synchronize(&queue);
        for (size_t i = 0; i < N; ++i)
            assert_int_equal(x[i], wanted);
        fixture_destroy(&queue);
        fixture_release(&kernel);
        cpu->stop();
    }
}

/* ---- the rest ---- */

static void a_higher_priority_goes_first(void **state)
{
    (void)state;
    struct fake_progress held, low, normal, high;
    fixture_start(1, 1);
    fixture_queue(&held, fixture_device(0), 0);
    struct fake_progress *queues[3] = {&low, &normal, &high};
    for (int i = 0; i < 3; ++i) {
        quern_queue_options options = {0, i - 1, NULL};
        fake_progress_make(queues[i]);
        assert_int_equal(cpu->queue_create(fixture_device(0), &options, fake_handle(queues[i]), &queues[i]->queue),
                         QUERN_SUCCESS);
    }
    sem_init(&gate, 0, 0);
    sem_init(&asleep, 0, 0);
    log_clear();
    call(&held, (quern_status(*)(void *))sem_post, (intptr_t)&asleep);
    call(&held, pass_gate, 0);
    while (sem_wait(&asleep) != 0) /* the only worker is held now */
        ;
    for (int i = 0; i < 3; ++i)
        call(queues[i], write_log, i);
    sem_post(&gate);
    for (int i = 0; i < 3; ++i) /* not by helping, which would choose the order */
        while (fake_finished_number(fake_handle(queues[i])) < queues[i]->submitted)
            sched_yield();
    for (int i = 0; i < 3; ++i)
        assert_int_equal(log_entries[i], 2 - i);
    for (int i = 0; i < 3; ++i)
        fixture_destroy(queues[i]);
    fixture_destroy(&held);
    cpu->stop();
}

/* Destroyed as soon as the last command is known to be finished, while its leader may still be leaving. */
static void queues_come_and_go(void **state)
{
    (void)state;
    enum { TURNS = 3000 };
    /* A front end keeps a queue's progress: the leader may look at it still. */
    struct fake_progress *progresses = malloc(TURNS * sizeof *progresses);
    assert_non_null(progresses);
    fixture_start(2, 1);
    for (int turn = 0; turn < TURNS; ++turn) {
        struct fake_progress *queue = &progresses[turn];
        fixture_queue(queue, fixture_device(0), 0);
        log_clear();
        call(queue, write_log, 1);
        if (turn % 3 == 0)
            assert_int_equal(cpu->signal(queue->queue, ++queue->submitted), QUERN_SUCCESS);
        while (fake_finished_number(fake_handle(queue)) < queue->submitted)
            if (turn % 2)
                sched_yield();
        cpu->queue_destroy(queue->queue);
        assert_int_equal(atomic_load(&log_count), 1);
    }
    cpu->stop();
    for (int turn = 0; turn < TURNS; ++turn)
        pthread_mutex_destroy(&progresses[turn].mutex);
    free(progresses);
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
        cmocka_unit_test(a_worker_that_waits_works_along),
        cmocka_unit_test(a_sleeping_worker_gets_up_for_what_it_waits_for),
        cmocka_unit_test(several_threads_wait_for_one_queue),
        cmocka_unit_test(a_higher_priority_goes_first),
        cmocka_unit_test(queues_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
