/* Held commands: host functions of several queues, what lives how long, how much is held, and the end. */
#include "queue_test.h"

#include <unistd.h>

#include "runtime/queue.h"

/* ---- host functions of several queues ---- */

typedef struct two_gates {
    gate *wait_for, *open;
} two_gates;

static quern_status meet(void *argument)
{
    two_gates *self = argument;
    gate_open(self->open);
    return gate_pass(self->wait_for);
}

/* No queue waits for another one's host function: these two need each other. */
static void test_host_functions_run_side_by_side(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        quern_queue *queues[6];
        gate gates[6];
        two_gates meetings[6];
        for (int i = 0; i < 6; ++i) {
            queues[i] = make_queue(device, 0, NULL);
            gate_init(&gates[i], QUERN_SUCCESS);
            meetings[i] = (two_gates){&gates[i], &gates[(i + 1) % 6]};
        }
        for (int i = 0; i < 6; ++i)
            ok(quern_queue_call(queues[i], meet, &meetings[i]));
        for (int i = 0; i < 6; ++i)
            ok(quern_queue_synchronize(queues[i]));
        for (int i = 0; i < 6; ++i) {
            ok(quern_queue_release(queues[i]));
            gate_destroy(&gates[i]);
        }
    }
}

/* Nor for another one's command that the backend takes its time to accept. */
static void test_slow_backend_holds_up_no_other_queue(void **state)
{
    (void)state;
    typedef struct slow {
        char byte[SLOW_BYTES];
    } slow;
    quern_device *device = open_device("lazy:0");
    quern_queue *one = make_queue(device, 0, "slow"), *two = make_queue(device, 0, "other");
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(slow), QUERN_EXTENTS(1));
    slow value[1] = {{{0}}};
    gate first, second;
    int ran = 0;
    gate_init(&first, QUERN_SUCCESS);
    gate_init(&second, QUERN_SUCCESS);
    slow_gate = &second;
    ok(quern_queue_call(one, gate_pass, &first));
    ok(quern_copy_from_host(one, QUERN_VIEW(buffer),
                            quern_span_as_const(span_of(value, QUERN_TYPE(slow), QUERN_EXTENTS(1)))));
    gate_open(&first);
    gate_wait_entered(&second); /* a thread of the runtime is in the backend */
    ok(quern_queue_call(two, count_up, &ran));
    ok(quern_queue_synchronize(two));
    assert_int_equal(count_of(&ran), 1);
    gate_open(&second);
    ok(quern_queue_synchronize(one));
    ok(quern_buffer_release(buffer));
    ok(quern_queue_release(one));
    ok(quern_queue_release(two));
    gate_destroy(&first);
    gate_destroy(&second);
}

typedef struct nested {
    quern_queue *other, *own;
    quern_buffer *x, *y;
    quern_status own_call;
    int ran;
} nested;

/* Uses another queue, whose commands are held too, and waits for it. */
static quern_status use_other_queue(void *argument)
{
    nested *self = argument;
    self->own_call = quern_queue_call(self->own, count_up, &self->ran);
    quern_status status = quern_queue_call(self->other, count_up, &self->ran);
    if (status == QUERN_SUCCESS)
        status = launch_mix(self->other, N, QUERN_CONST_VIEW(self->x), QUERN_VIEW(self->y), 0);
    return status == QUERN_SUCCESS ? quern_queue_synchronize(self->other) : status;
}

static void test_host_function_uses_another_queue(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        nested self = {make_queue(device, 0, "other"), make_queue(device, 0, "own"), NULL, NULL, QUERN_SUCCESS, 0};
        self.x = make_numbers(self.other, device, 1);
        self.y = make_numbers(self.other, device, 2);
        ok(quern_queue_call(self.own, use_other_queue, &self));
        ok(quern_queue_synchronize(self.own));
        assert_int_equal(self.own_call, QUERN_INVALID_ARGUMENT);
        assert_int_equal(count_of(&self.ran), 1);
        expect_numbers(self.other, self.y, 7);
        ok(quern_buffer_release(self.x));
        ok(quern_buffer_release(self.y));
        ok(quern_queue_release(self.other));
        ok(quern_queue_release(self.own));
    }
}

/* ---- lifetimes ---- */

static void test_release_with_commands_held(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v)
        for (int order = 0; order < 2; ++order) {
            quern_device *device = open_device(variant_devices[v]);
            quern_queue *a = make_queue(device, 0, "a"), *b = make_queue(device, 0, "b");
            quern_buffer *x = make_numbers(a, device, 1), *y = make_numbers(a, device, 2);
            gate g;
            gate_init(&g, QUERN_SUCCESS);
            int ran = 0;
            uint64_t numbers[N] = {0};
            quern_event *event = NULL, *end = NULL;
            ok(quern_queue_call(a, gate_pass, &g));
            ok(launch_mix(a, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 7 */
            ok(quern_event_record(a, &event));
            ok(quern_queue_wait(b, event));
            ok(quern_queue_call(b, count_up, &ran));
            ok(launch_mix(b, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0)); /* 22 */
            ok(quern_copy_to_host(b, span_of(numbers, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N)), QUERN_CONST_VIEW(y)));
            ok(quern_event_record(b, &end));
            ok(quern_event_release(event));
            ok(quern_buffer_release(x));
            ok(quern_buffer_release(y));
            ok(quern_queue_release(order ? a : b));
            ok(quern_queue_release(order ? b : a));
            gate_open(&g);
            ok(quern_event_wait(end)); /* outlives its queue */
            assert_int_equal(count_of(&ran), 1);
            assert_int_equal(numbers[N - 1], 22);
            ok(quern_event_release(end));
            gate_destroy(&g);
        }
}

/* Nobody synchronises, and yet the memory goes when the commands have run. */
static void test_buffers_go_without_synchronising(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        quern_queue *queue = make_queue(device, 0, NULL);
        for (int i = 0; i < 20; ++i) {
            quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
            ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
            ok(quern_buffer_release(x));
            ok(quern_buffer_release(y));
        }
        while (atomic_load(&variant_allocations))
            sched_yield();
        int idle = 0;
        while (!idle)
            ok(quern_queue_query(queue, &idle));
        ok(quern_queue_release(queue));
    }
}

static void test_queues_become_idle_without_waiting(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_device *device = open_device(variant_devices[v]);
        quern_queue *queue = make_queue(device, 0, NULL);
        quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
        for (int i = 0; i < 3; ++i) {
            int idle = 0;
            ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
            while (!idle) {
                ok(quern_queue_query(queue, &idle));
                sched_yield();
            }
        }
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
        ok(quern_queue_release(queue));
    }
}

static void test_events_complete_without_waiting(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_queue *queue = make_queue(open_device(variant_devices[v]), 0, NULL);
        int ran = 0;
        quern_event *event = NULL;
        ok(quern_queue_call(queue, count_up, &ran));
        ok(quern_event_record(queue, &event));
        quern_status status;
        while ((status = quern_event_query(event)) == QUERN_NOT_READY)
            sched_yield();
        ok(status);
        assert_int_equal(count_of(&ran), 1);
        ok(quern_event_release(event));
        ok(quern_queue_release(queue));
    }
}

/* Events that complete at once, by one signal, do not run backwards. */
static void test_elapsed_is_never_negative(void **state)
{
    (void)state;
    for (int v = 0; v < VARIANTS; ++v) {
        quern_queue *queue = make_queue(open_device(variant_devices[v]), 0, NULL);
        for (int i = 0; i < 50; ++i) {
            quern_event *events[3] = {NULL, NULL, NULL};
            double seconds = -1;
            int ran = 0;
            if (i & 1)
                ok(quern_queue_call(queue, count_up, &ran));
            for (int k = 0; k < 3; ++k)
                ok(quern_event_record(queue, &events[k]));
            for (int k = 2; k >= 0; --k)
                ok(quern_event_wait(events[k]));
            for (int k = 0; k < 2; ++k) {
                ok(quern_event_elapsed(events[k], events[k + 1], &seconds));
                assert_true(seconds >= 0);
            }
            for (int k = 0; k < 3; ++k)
                ok(quern_event_release(events[k]));
        }
        ok(quern_queue_release(queue));
    }
}

/* ---- much is held ---- */

enum { MOST_HELD = 16 << 20 };

static size_t bytes_held(quern_queue *queue)
{
    ok(quern_lock_take(&queue->lock));
    size_t bytes = queue->held.bytes;
    quern_lock_release(&queue->lock);
    return bytes;
}

typedef struct full_opener {
    gate *gate;
    quern_queue *queue;
    pthread_t thread;
} full_opener;

static void *open_when_full(void *argument)
{
    full_opener *self = argument;
    while (bytes_held(self->queue) <= MOST_HELD)
        usleep(100);
    gate_open(self->gate);
    return NULL;
}

/* More than may be held: submitting waits, and goes on when what is held goes. */
static void test_much_is_held(void **state)
{
    (void)state;
    enum { LAUNCHES = 60000 };
    quern_device *device = open_device("lazy:0");
    quern_queue *queue = make_queue(device, 0, NULL);
    quern_buffer *x = make_numbers(queue, device, 1), *y = make_numbers(queue, device, 2);
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    full_opener opener = {&g, queue, 0};
    ok(quern_queue_call(queue, gate_pass, &g));
    assert_int_equal(pthread_create(&opener.thread, NULL, open_when_full, &opener), 0);
    uint64_t expected = 2;
    for (uint64_t i = 0; i < LAUNCHES; ++i) {
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), i));
        expected = 3 * expected + 1 + i;
        if (i % 1000 == 0)
            assert_true(bytes_held(queue) <= MOST_HELD + 4096);
    }
    expect_numbers(queue, y, expected);
    pthread_join(opener.thread, NULL);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    gate_destroy(&g);
}

/* The threads of the runtime end, and come again. */
static void test_shutdown(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        quern_queue *queue = make_queue(open_device("lazy:1"), 0, NULL);
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        ok(quern_queue_call(queue, gate_pass, &g));
        refused(quern_shutdown(), QUERN_BUSY, "held");
        ok(quern_queue_release(queue));
        gate_open(&g);
        ok(quern_shutdown());
        gate_destroy(&g);
    }
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_functions_run_side_by_side),
        cmocka_unit_test(test_slow_backend_holds_up_no_other_queue),
        cmocka_unit_test(test_host_function_uses_another_queue),
        cmocka_unit_test(test_release_with_commands_held),
        cmocka_unit_test(test_buffers_go_without_synchronising),
        cmocka_unit_test(test_queues_become_idle_without_waiting),
        cmocka_unit_test(test_events_complete_without_waiting),
        cmocka_unit_test(test_elapsed_is_never_negative),
        cmocka_unit_test(test_much_is_held),
        cmocka_unit_test(test_shutdown),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
