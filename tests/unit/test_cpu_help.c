/* Queues of the CPU: who works along while waiting, priorities, queues that come and go. */
#include "cpu_commands.h"

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

/* Commands that come just when the worker goes from looking to sleeping. A lost one hangs. */
static void no_command_is_overlooked(void **state)
{
    (void)state;
    fixture_start(1, 1);
    struct fake_progress queue;
    fixture_queue(&queue, fixture_device(0), 0);
    uint32_t random = 1;
    for (int turn = 0; turn < 3000; ++turn) {
        log_clear();
        call(&queue, write_log, 1);
        while (fake_finished_number(fake_handle(&queue)) < queue.submitted)
            sched_yield();
        random = random * 1664525u + 1013904223u;
        int64_t end = quern_cpu_now() + (int64_t)(random >> 8) % 60000; /* workers look around for about 50000 */
        while (quern_cpu_now() < end)
            quern_cpu_pause();
    }
    fixture_destroy(&queue);
    cpu->stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_waits_works_along),
        cmocka_unit_test(a_sleeping_worker_gets_up_for_what_it_waits_for),
        cmocka_unit_test(several_threads_wait_for_one_queue),
        cmocka_unit_test(a_higher_priority_goes_first),
        cmocka_unit_test(queues_come_and_go),
        cmocka_unit_test(no_command_is_overlooked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
