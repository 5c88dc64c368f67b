/* Waits in tasks and in a program's own coroutines: others have their turn meanwhile; hooks that fail; the lock. */
#include "turns.h"

#include <unistd.h>

#include "runtime/lock.h"
#include "runtime/queue.h"
#include "runtime/wait.h"

/* ---- waits let others run ---- */

static const char *const devices[] = {"cpu:0", "lazy:0", "all:0", "helps:0", "waits:0", "full:0"};
enum { DEVICES = sizeof devices / sizeof *devices, MANY = 2500, MANY_OF_DRIVERS = 200 };

typedef struct gated {
    const char *device_name;
    void (*wait)(struct gated *self); /* for what is behind the gate */
    quern_device *device;
    quern_queue *queue;
    gate gate;
    int ran;
    _Atomic int has_waited;
} gated;

static void wait_by_synchronise(gated *self)
{
    fine(quern_queue_synchronize(self->queue));
}

static void wait_by_event(gated *self)
{
    quern_event *event = NULL;
    fine(quern_event_record(self->queue, &event));
    fine(quern_event_wait(event));
    MUST(quern_event_query(event) == QUERN_SUCCESS);
    fine(quern_event_release(event));
}

/* A blocking queue that goes on after the event, and its own commands. */
static void wait_by_blocking(gated *self)
{
    const quern_queue_options options = {1, 0, "blocking"};
    quern_queue *blocking = NULL;
    quern_event *event = NULL;
    int ran = 0;
    fine(quern_queue_create(self->device, &options, &blocking));
    fine(quern_event_record(self->queue, &event));
    fine(quern_queue_wait(blocking, event));
    MUST(count_of(&self->ran) != 0);
    fine(quern_queue_call(blocking, count_up, &ran));
    MUST(count_of(&ran) == 1);
    fine(quern_event_release(event));
    fine(quern_queue_release(blocking));
}

static int is_open(gate *g)
{
    pthread_mutex_lock(&g->lock);
    int open = g->open;
    pthread_mutex_unlock(&g->lock);
    return open;
}

/* More than a queue takes. */
static void wait_for_room(gated *self)
{
    const int many =
        strcmp(self->device_name, "cpu:0") == 0 || strcmp(self->device_name, "all:0") == 0 ? MANY : MANY_OF_DRIVERS;
    for (int i = 0; i < many; ++i)
        fine(quern_queue_call(self->queue, count_up, &self->ran));
    MUST(is_open(&self->gate)); /* meanwhile; a wait for the queue's lock may have been enough for that */
    fine(quern_queue_synchronize(self->queue));
    MUST(count_of(&self->ran) == many + 1);
}

static void waiter(void *argument)
{
    gated *self = argument;
    fine(quern_queue_call(self->queue, gate_pass, &self->gate));
    fine(quern_queue_call(self->queue, count_up, &self->ran));
    self->wait(self);
    MUST(count_of(&self->ran) != 0);
    atomic_store(&self->has_waited, 1);
}

static void opener(void *argument)
{
    gated *self = argument;
    turns_until_parked();
    MUST(!atomic_load(&self->has_waited));
    gate_open(&self->gate);
}

static void expect_others_run(const char *device, turns_mode mode, void (*wait)(gated *self))
{
    gated self = {.device_name = device, .wait = wait, .device = open_device(device)};
    gate_init(&self.gate, QUERN_SUCCESS);
    self.queue = make_queue(self.device, 0, "gated");
    turns_add(waiter, &self);
    turns_add(opener, &self);
    turns_run(mode);
    assert_true(turns.parks > 0);
    assert_int_equal(turns.parks, turns.unparks);
    ok(quern_queue_release(self.queue));
    gate_destroy(&self.gate);
}

static void test_others_run(void **state)
{
    static void (*const waits[])(gated * self) = {wait_by_synchronise, wait_by_event, wait_by_blocking, wait_for_room};
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i)
        for (size_t k = 0; k < sizeof waits / sizeof *waits; ++k) {
            expect_others_run(devices[i], AS_HOOKS, waits[k]);
            expect_others_run(devices[i], AS_TASKS, waits[k]);
        }
}

/* A blocking queue whose command is waited for is not kept from others. */
static void call_blocking(void *argument)
{
    gated *self = argument;
    fine(quern_queue_call(self->queue, gate_pass, &self->gate));
}

static void use_meanwhile(void *argument)
{
    gated *self = argument;
    turns_until_parked();
    gate_wait_entered(&self->gate);
    for (int taken = 0; !taken; turns_yield()) /* another one has just been handed the command, perhaps */
        if ((taken = quern_lock_try(&self->queue->lock)) != 0)
            quern_lock_release(&self->queue->lock);
    gate_open(&self->gate);
}

static void test_blocking_queue_is_shared(void **state)
{
    (void)state;
    for (turns_mode mode = AS_HOOKS; mode <= AS_TASKS; ++mode) {
        gated self = {.queue = make_queue(open_device("full:0"), 1, "shared")};
        gate_init(&self.gate, QUERN_SUCCESS);
        turns_add(call_blocking, &self);
        turns_add(use_meanwhile, &self);
        turns_run(mode);
        ok(quern_queue_release(self.queue));
        gate_destroy(&self.gate);
    }
}

/* ---- a blocking queue that was made in a coroutine ---- */

static void pause_function(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    gate *g;
    (void)piece;
    memcpy(&g, arguments[0].address, sizeof g);
    (void)gate_pass(g);
}

static const quern_kernel_image pause_image = CPU_IMAGE(pause_function);
static quern_kernel pause_kernel = {
    QUERN_KERNEL_VERSION, 1, "pause", "pause.k.c", 1, 1, 0, 0, {0, 0, 0}, 0, 0, stop_parameters,
    &pause_image,         1, 0,       NULL};

/* The kernel runs on another thread than the coroutine's. */
static void launch_blocking(void *argument)
{
    gated *self = argument;
    const quern_queue_options options = {1, 0, "made inside"};
    const uint64_t value = (uintptr_t)&self->gate;
    const quern_range range = QUERN_RANGE(1);
    const quern_argument gate_argument = quern_argument_value(QUERN_TYPE(uint64_t), &value);
    fine(quern_queue_create(self->device, &options, &self->queue));
    fine(quern_launch(self->queue, &pause_kernel, &range, &gate_argument, 1));
    int idle = 0;
    fine(quern_queue_query(self->queue, &idle));
    MUST(idle);
    fine(quern_queue_release(self->queue));
}

static void test_blocking_queue_made_inside(void **state)
{
    (void)state;
    for (turns_mode mode = AS_HOOKS; mode <= AS_TASKS; ++mode) {
        gated self = {.device = open_device("cpu:0")};
        gate_init(&self.gate, QUERN_SUCCESS);
        turns_add(launch_blocking, &self);
        turns_add(opener, &self);
        turns_run(mode);
        gate_destroy(&self.gate);
    }
}

/* ---- work ---- */

typedef struct computing {
    const char *device_name;
    uint64_t result;
} computing;

static void compute(void *argument)
{
    computing *self = argument;
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_buffer *x = NULL, *y = NULL;
    uint64_t numbers[N], one = 1;
    fine(quern_device_open(self->device_name, &device));
    fine(quern_queue_create(device, NULL, &queue));
    fine(quern_buffer_create(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &x));
    fine(quern_buffer_create(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &y));
    fine(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &one));
    fine(quern_fill(queue, QUERN_VIEW(y), QUERN_TYPE(uint64_t), &one));
    for (int i = 0; i < 4; ++i) {
        fine(quern_copy(queue, QUERN_VIEW(x), QUERN_CONST_VIEW(y)));
        fine(quern_queue_synchronize(queue));
    }
    fine(quern_copy_to_host(queue, span_of(numbers, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N)), QUERN_CONST_VIEW(x)));
    fine(quern_queue_synchronize(queue));
    self->result = numbers[N - 1];
    fine(quern_buffer_release(x));
    fine(quern_buffer_release(y));
    fine(quern_queue_release(queue));
    fine(quern_device_release(device));
}

static void test_work(void **state)
{
    (void)state;
    for (turns_mode mode = AS_HOOKS; mode <= AS_TASKS; ++mode) {
        computing all[2 * DEVICES];
        for (size_t i = 0; i < 2 * DEVICES; ++i) {
            all[i] = (computing){devices[i % DEVICES], 0};
            turns_add(compute, &all[i]);
        }
        turns_run(mode);
        for (size_t i = 0; i < 2 * DEVICES; ++i)
            assert_int_equal(all[i].result, 1);
        assert_int_equal(turns.parks, turns.unparks);
    }
}

/* A thread that runs no coroutine waits as ever. */
static void test_threads_without_coroutines(void **state)
{
    (void)state;
    const quern_wait_hooks hooks = {&turns, hook_self, hook_park, hook_unpark};
    quern_queue *queue = make_queue(open_device("cpu:0"), 0, "plain");
    int ran = 0;
    turns.parks = 0;
    ok(quern_wait_hooks_set(&hooks));
    ok(quern_queue_call(queue, count_up, &ran));
    ok(quern_queue_synchronize(queue));
    assert_int_equal(count_of(&ran), 1);
    assert_int_equal(turns.parks, 0);
    ok(quern_wait_hooks_set(NULL));
    ok(quern_queue_release(queue));
}

/* ---- hooks that fail ---- */

static void test_hooks_are_checked(void **state)
{
    (void)state;
    const quern_wait_hooks no_self = {NULL, NULL, hook_park, hook_unpark};
    const quern_wait_hooks no_park = {NULL, hook_self, NULL, hook_unpark};
    const quern_wait_hooks no_unpark = {NULL, hook_self, hook_park, NULL};
    refused(quern_wait_hooks_set(&no_self), QUERN_INVALID_ARGUMENT, "hooks.self|NULL|wanted");
    refused(quern_wait_hooks_set(&no_park), QUERN_INVALID_ARGUMENT, "hooks.park|NULL|wanted");
    refused(quern_wait_hooks_set(&no_unpark), QUERN_INVALID_ARGUMENT, "hooks.unpark|NULL|wanted");
    ok(quern_wait_hooks_set(NULL));
}

static gated *refusing; /* whose wait the hook refuses */
static quern_status refusal;

static quern_status refuse_at_once(routine *self)
{
    MUST(self == turns_me);
    return refusal;
}

/* By then the waiter is being told, or has been. */
static quern_status refuse_late(routine *self)
{
    (void)self;
    gate_open(&refusing->gate);
    while (!atomic_load(&turns.begun))
        usleep(100);
    return refusal;
}

static void wait_refused(void *argument)
{
    gated *self = argument;
    quern_event *event = NULL;
    const quern_status wanted = refusal == QUERN_DEVICE_LOST ? refusal : QUERN_HOST_FUNCTION_FAILED;
    fine(quern_queue_call(self->queue, gate_pass, &self->gate));
    fine(quern_event_record(self->queue, &event));
    const quern_status given = quern_queue_synchronize(self->queue);
    MUST(given == wanted);
    MUST(!atomic_load(&turns.telling)); /* nobody comes for a coroutine that has gone on */
    MUST(strstr(quern_last_error(), "the hook park"));
    MUST(turns.refuse != refuse_at_once || quern_event_wait(event) == wanted);
    fine(quern_event_release(event));
}

static void expect_refused(const char *device, quern_status (*refuse)(routine *self), quern_status status)
{
    gated self = {.device_name = device, .device = open_device(device)};
    gate_init(&self.gate, QUERN_SUCCESS);
    self.queue = make_queue(self.device, 0, "refused");
    refusing = &self;
    refusal = status;
    turns.refuse = refuse;
    turns.is_slow = refuse == refuse_late;
    turns_add(wait_refused, &self);
    turns_run(AS_HOOKS);
    turns.refuse = NULL;
    turns.is_slow = 0;
    assert_int_equal(turns.unparks, refuse == refuse_late);
    gate_open(&self.gate);
    ok(quern_queue_synchronize(self.queue)); /* and nothing is told to the one that gave up */
    assert_int_equal(turns.unparks, refuse == refuse_late);
    ok(quern_queue_release(self.queue));
    gate_destroy(&self.gate);
}

static void test_failing_hook(void **state)
{
    static const quern_status statuses[] = {QUERN_DEVICE_LOST, QUERN_NOT_READY, (quern_status)12345};
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i)
        for (size_t k = 0; k < sizeof statuses / sizeof *statuses; ++k) {
            expect_refused(devices[i], refuse_at_once, statuses[k]);
            expect_refused(devices[i], refuse_late, statuses[k]);
        }
}

/* A waiter that gives up while another thread is about to wake it: both go on, and nobody comes too late. */
static void *finish_late(void *argument)
{
    gate_open(argument);
    return NULL;
}

static quern_status refuse_soon(routine *self)
{
    pthread_t thread;
    (void)self;
    MUST(pthread_create(&thread, NULL, finish_late, &refusing->gate) == 0);
    MUST(pthread_detach(thread) == 0);
    sched_yield();
    return QUERN_DEVICE_LOST;
}

static void give_up_once(void *argument)
{
    gated *self = argument;
    fine(quern_queue_call(self->queue, gate_pass, &self->gate));
    quern_status status = quern_queue_synchronize(self->queue);
    MUST(status == QUERN_SUCCESS || status == QUERN_DEVICE_LOST);
}

static void test_giving_up_in_time(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        gated self = {.device = open_device(devices[i % DEVICES])};
        gate_init(&self.gate, QUERN_SUCCESS);
        self.queue = make_queue(self.device, 0, "given up");
        refusing = &self;
        turns.refuse = refuse_soon;
        turns_add(give_up_once, &self);
        turns_run(AS_HOOKS);
        turns.refuse = NULL;
        ok(quern_queue_synchronize(self.queue));
        ok(quern_queue_release(self.queue));
        gate_destroy(&self.gate);
    }
}

/* ---- the lock ---- */

enum { LOCKERS = 4, ROUNDS = 400 };
static quern_lock shared;
static long sum; /* under the lock */
static _Atomic long taken;

static void add_under_lock(int may_wait)
{
    quern_status status = quern_lock_take(&shared);
    if (status != QUERN_SUCCESS)
        return; /* a hook that refused */
    atomic_fetch_add(&taken, 1);
    long before = sum;
    if (may_wait)
        turns_yield(); /* a holder that lets others run */
    sum = before + 1;
    quern_lock_release(&shared);
}

static void lock_in_turn(void *argument)
{
    (void)argument;
    for (int i = 0; i < ROUNDS; ++i)
        add_under_lock(i % 8 == 0);
}

static void *lock_in_thread(void *argument)
{
    for (int i = 0; i < ROUNDS; ++i)
        add_under_lock(0);
    return argument;
}

/* One third not at all, one third when it has been told: what that one was told has to be passed on. */
static quern_status refuse_now_and_then(routine *self)
{
    static int turn;
    if (++turn % 3 == 0)
        return QUERN_DEVICE_LOST;
    turns_park(self);
    return turn % 3 == 1 ? QUERN_DEVICE_LOST : QUERN_SUCCESS;
}

static void test_lock(void **state)
{
    (void)state;
    for (int round = 0; round < 3; ++round) { /* as tasks, as hooks, as hooks that fail */
        pthread_t threads[2];
        sum = 0;
        atomic_store(&taken, 0);
        turns.refuse = round == 2 ? refuse_now_and_then : NULL;
        for (int i = 0; i < LOCKERS; ++i)
            turns_add(lock_in_turn, NULL);
        for (int i = 0; i < 2; ++i)
            assert_int_equal(pthread_create(&threads[i], NULL, lock_in_thread, NULL), 0);
        turns_run(round == 0 ? AS_TASKS : AS_HOOKS);
        turns.refuse = NULL;
        for (int i = 0; i < 2; ++i)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(sum, atomic_load(&taken));
        if (round < 2)
            assert_int_equal(sum, (LOCKERS + 2) * ROUNDS);
        assert_true(quern_lock_try(&shared)); /* free, and nobody waits */
        quern_lock_release(&shared);
        assert_null(shared.first);
    }
}

static void test_the_end(void **state)
{
    (void)state;
    ok(quern_shutdown());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_run),
        cmocka_unit_test(test_blocking_queue_is_shared),
        cmocka_unit_test(test_blocking_queue_made_inside),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_threads_without_coroutines),
        cmocka_unit_test(test_hooks_are_checked),
        cmocka_unit_test(test_failing_hook),
        cmocka_unit_test(test_giving_up_in_time),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_the_end),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
