/*
 * Many queues of both kinds on two devices, used by several host threads at once: launches, waits in both
 * directions, events, host functions, failures in between, synchronising and polling.
 *
 * Every queue owns an array, whose elements all count the queue's launches. A wait for another queue is
 * followed by a host function that looks whether the other one really got as far.
 */
#include "cpu_fixture.h"

enum { HOSTS = 3, QUEUES = 9, STEPS = 1500, N = 331 };

struct stress_queue {
    struct fake_progress progress;
    pthread_mutex_t submit;              /* as the front end has it: one submitter at a time */
    _Atomic uint32_t elements[N];        /* only because others look at them while it goes on */
    _Atomic uint64_t launched;           /* launches submitted */
    _Atomic uint64_t submitted;          /* commands, for other threads */
    _Atomic uint64_t launches_at[16384]; /* launches up to a command */
    int blocking, device;
};

static struct stress_queue queues[QUEUES];
static struct fixture_kernel kernels[2];
static _Atomic int wrong;

static void add_one(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    _Atomic uint32_t *x = arguments[0].address;
    for (ptrdiff_t i = piece->dim[0].begin; i < piece->dim[0].end; ++i) /* lost updates stay visible */
        atomic_store_explicit(&x[i], atomic_load_explicit(&x[i], memory_order_relaxed) + 1, memory_order_relaxed);
}

/* What a host function is to find: an element of the queue at least so large. */
struct expectation {
    struct stress_queue *queue;
    size_t element;
    uint64_t least;
};

static quern_status look(void *argument)
{
    struct expectation *expectation = argument;
    uint64_t value = atomic_load_explicit(&expectation->queue->elements[expectation->element], memory_order_relaxed);
    if (value < expectation->least)
        atomic_store(&wrong, 1);
    free(expectation);
    return QUERN_SUCCESS;
}

static uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 10;
}

/* The number of the next command; its effect on launches is noted first. */
static uint64_t next_command(struct stress_queue *queue, int launches)
{
    uint64_t number = ++queue->progress.submitted;
    uint64_t so_far = atomic_fetch_add(&queue->launched, (uint64_t)launches) + (uint64_t)launches;
    atomic_store(&queue->launches_at[number], so_far);
    return number;
}

static void launch(struct stress_queue *queue)
{
    size_t n = N;
    quern_backend_argument argument = fixture_view((void *)queue->elements, 4);
    quern_backend_launch description = fixture_launch(&kernels[queue->device], 1, &n, NULL, &argument, 1);
    if (quern_cpu_backend.launch(queue->progress.queue, next_command(queue, 1), &description))
        atomic_store(&wrong, 2);
}

static void wait_and_look(struct stress_queue *queue, struct stress_queue *other, uint32_t *state)
{
    uint64_t number = atomic_load(&other->submitted);
    struct expectation *expectation = malloc(sizeof *expectation);
    if (!expectation)
        abort();
    expectation->queue = other;
    expectation->element = next_number(state) % N;
    expectation->least = atomic_load(&other->launches_at[number]);
    if (quern_cpu_backend.wait(queue->progress.queue, next_command(queue, 0), fake_handle(&other->progress), number,
                               NULL) ||
        quern_cpu_backend.call(queue->progress.queue, next_command(queue, 0), look, expectation))
        atomic_store(&wrong, 3);
}

static quern_status do_nothing(void *argument)
{
    return argument ? QUERN_INTERNAL : QUERN_SUCCESS;
}

static void step(uint32_t *state)
{
    struct stress_queue *queue = &queues[next_number(state) % QUEUES], *other = &queues[next_number(state) % QUEUES];
    uint32_t action = next_number(state) % 16;
    if (action < 2) { /* no lock: waiting is free for all */
        uint64_t number = atomic_load(&queue->submitted);
        if (quern_cpu_backend.help(queue->progress.queue, number) ||
            fake_finished_number(fake_handle(&queue->progress)) < number)
            atomic_store(&wrong, 4);
        return;
    }
    pthread_mutex_lock(&queue->submit);
    if (action < 11) {
        launch(queue);
    } else if (action < 14 && other != queue && (!queue->blocking || !other->blocking)) {
        wait_and_look(queue, other, state);
    } else if (action == 14) {
        (void)quern_cpu_backend.call(queue->progress.queue, next_command(queue, 0), do_nothing, NULL);
    } else {
        (void)quern_cpu_backend.signal(queue->progress.queue, next_command(queue, 0));
    }
    atomic_store(&queue->submitted, queue->progress.submitted);
    pthread_mutex_unlock(&queue->submit);
}

static void *host_main(void *argument)
{
    uint32_t state = (uint32_t)(uintptr_t)argument;
    for (int i = 0; i < STEPS; ++i)
        step(&state);
    return NULL;
}

static void make_queues(unsigned devices)
{
    for (int q = 0; q < QUEUES; ++q) {
        struct stress_queue *queue = &queues[q];
        for (size_t i = 0; i < N; ++i)
            atomic_store(&queue->elements[i], 0);
        atomic_store(&queue->launched, 0);
        atomic_store(&queue->submitted, 0);
        queue->blocking = q % 3 == 2;
        queue->device = q % (int)devices;
        pthread_mutex_init(&queue->submit, NULL);
        fixture_queue(&queue->progress, fixture_device((size_t)queue->device), queue->blocking);
    }
}

static void check_queues(void)
{
    for (int q = 0; q < QUEUES; ++q) {
        struct stress_queue *queue = &queues[q];
        fixture_synchronize(&queue->progress);
        for (size_t i = 0; i < N; ++i)
            assert_int_equal(atomic_load(&queue->elements[i]), atomic_load(&queue->launched));
        assert_int_equal(atomic_load(&queue->progress.status), 0);
        fixture_destroy(&queue->progress);
        pthread_mutex_destroy(&queue->submit);
    }
}

static void stress(unsigned threads, unsigned devices)
{
    pthread_t hosts[HOSTS];
    fixture_start(threads, devices);
    for (unsigned d = 0; d < devices; ++d)
        fixture_build(&kernels[d], fixture_device(d), "add_one", add_one, 0);
    make_queues(devices);
    for (uintptr_t h = 0; h < HOSTS; ++h)
        assert_int_equal(pthread_create(&hosts[h], NULL, host_main, (void *)(h * 7919 + threads)), 0);
    for (int h = 0; h < HOSTS; ++h)
        pthread_join(hosts[h], NULL);
    check_queues();
    for (unsigned d = 0; d < devices; ++d)
        fixture_release(&kernels[d]);
    quern_cpu_backend.stop();
    assert_int_equal(atomic_load(&wrong), 0);
}

static void on_one_device(void **state)
{
    (void)state;
    stress(1, 1);
    stress(2, 1);
    stress(4, 1);
}

static void on_two_devices(void **state)
{
    (void)state;
    stress(2, 2);
    stress(8, 2);
}

/* Failures in the middle: what was skipped is finished all the same, and after clearing all works again. */
static quern_status fails(void *argument)
{
    (void)argument;
    return quern_fail(QUERN_HOST_FUNCTION_FAILED, "as planned");
}

static void with_failures(void **state)
{
    (void)state;
    fixture_start(3, 1);
    fixture_build(&kernels[0], fixture_device(0), "add_one", add_one, 0);
    make_queues(1);
    uint32_t random = 99;
    for (int round = 0; round < 60; ++round) {
        uint64_t wanted[QUEUES];
        for (int q = 0; q < QUEUES; ++q) {
            struct stress_queue *queue = &queues[q];
            int good = (int)(next_number(&random) % 5), bad = (int)(next_number(&random) % 5);
            wanted[q] = atomic_load(&queue->elements[0]) + (uint64_t)good;
            for (int i = 0; i < good; ++i)
                launch(queue);
            assert_int_equal(quern_cpu_backend.call(queue->progress.queue, next_command(queue, 0), fails, NULL),
                             QUERN_SUCCESS);
            for (int i = 0; i < bad; ++i)
                launch(queue);
            /* The next queue waits for this one, which it does not mind having failed: no event. */
            struct stress_queue *next = &queues[(q + 1) % QUEUES];
            if (q + 1 < QUEUES)
                assert_int_equal(quern_cpu_backend.wait(next->progress.queue, next_command(next, 0),
                                                        fake_handle(&queue->progress), queue->progress.submitted, NULL),
                                 QUERN_SUCCESS);
        }
        for (int q = 0; q < QUEUES; ++q) {
            struct stress_queue *queue = &queues[q];
            fixture_synchronize(&queue->progress);
            assert_int_equal(atomic_load(&queue->progress.status), QUERN_HOST_FUNCTION_FAILED);
            assert_string_equal(queue->progress.sentence, "as planned");
            for (size_t i = 0; i < N; ++i)
                assert_int_equal(atomic_load(&queue->elements[i]), wanted[q]);
            atomic_store(&queue->progress.status, 0);
            atomic_store(&queue->launched, wanted[q]);
        }
    }
    check_queues();
    fixture_release(&kernels[0]);
    quern_cpu_backend.stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_one_device),
        cmocka_unit_test(on_two_devices),
        cmocka_unit_test(with_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
