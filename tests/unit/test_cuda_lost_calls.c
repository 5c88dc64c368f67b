/* A CUDA device that is lost, as a program sees it: what says so, what goes on, and that the host's memory is at rest.
 * On the fake driver. */
#include "runtime_test.h"

#include "fake_cuda_look_up.h"

#include <unistd.h>

enum { N = 1000, ILLEGAL_ADDRESS = 700 };

static fake_cuda_break_at_function *break_at;
static fake_cuda_get_counts_function *get_counts;
static fake_cuda_hold_function *hold;
static fake_cuda_reset_function *reset;

static int begin(void **state)
{
    (void)state;
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    setenv("QUERN_FAKE_CUDA_DEVICES", "2", 1);
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    look_up(library, "fake_cuda_break_at", &break_at);
    look_up(library, "fake_cuda_get_counts", &get_counts);
    look_up(library, "fake_cuda_hold", &hold);
    look_up(library, "fake_cuda_reset", &reset);
    return 0;
}

/* Events and host functions of a lost device may still be on their way. */
static int end(void **state)
{
    (void)state;
    break_at(0, 0);
    int tries = 0;
    while (quern_shutdown() != QUERN_SUCCESS && ++tries < 1000)
        usleep(1000);
    return tries == 1000 || reset() != 0;
}

static void fill(quern_queue *queue, quern_buffer *buffer)
{
    const int32_t one = 1;
    (void)quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(int32_t), &one);
}

static void lose(quern_queue *queue, quern_buffer *buffer)
{
    break_at(1, ILLEGAL_ADDRESS);
    fill(queue, buffer);
    refused(quern_queue_synchronize(queue), QUERN_DEVICE_LOST, "a fill failed: while it ran, cuda:|(700)");
}

/* ---- what says so ---- */

struct pair {
    quern_device *devices[2];
    quern_queue *queues[2];
    quern_buffer *buffers[2];
};

static void pair_make(struct pair *pair)
{
    for (int i = 0; i < 2; ++i) {
        pair->devices[i] = open_device(i ? "cuda:1" : "cuda:0");
        pair->queues[i] = make_queue(pair->devices[i], 0, NULL);
        pair->buffers[i] = make_buffer(pair->devices[i], QUERN_TYPE(int32_t), QUERN_EXTENTS(N));
    }
}

static void pair_free(struct pair *pair)
{
    for (int i = 0; i < 2; ++i) {
        ok(quern_queue_release(pair->queues[i]));
        ok(quern_buffer_release(pair->buffers[i]));
    }
}

/* Through the host: of all that the copy is made of, only the copy is named. */
static void a_copy_with_a_lost_device_names_the_copy(void **state)
{
    (void)state;
    setenv("QUERN_FAKE_CUDA_NO_PEER", "1", 1);
    for (int way = 0; way < 8; ++way) {
        const int to = way & 1, on = way >> 1 & 1, meanwhile = way >> 2;
        struct pair pair;
        pair_make(&pair);
        if (meanwhile)
            break_at(to ? 2 : 1, ILLEGAL_ADDRESS); /* the part on cuda:1 */
        else
            lose(pair.queues[1], pair.buffers[1]);
        hold(meanwhile); /* so that it is not heard of before all is submitted */
        quern_status status =
            quern_copy(pair.queues[on], QUERN_VIEW(pair.buffers[to]), QUERN_CONST_VIEW(pair.buffers[!to]));
        hold(0);
        assert_int_equal(status, meanwhile ? QUERN_SUCCESS : QUERN_DEVICE_LOST);
        if (!meanwhile && !on) /* the queue was given nothing */
            ok(quern_queue_synchronize(pair.queues[0]));
        else if (!meanwhile)
            refused(quern_queue_synchronize(pair.queues[1]), QUERN_DEVICE_LOST, "a copy failed: cuda:1 is lost");
        else if (on)
            refused(quern_queue_synchronize(pair.queues[1]), QUERN_DEVICE_LOST, "a copy failed: |cuda:1|(700)");
        else
            refused(quern_queue_synchronize(pair.queues[0]), QUERN_DEVICE_LOST,
                    "a copy failed: the part of a copy on cuda:1 failed: |(700)");
        pair_free(&pair);
        assert_int_equal(end(state), 0);
    }
    unsetenv("QUERN_FAKE_CUDA_NO_PEER");
}

static void there_is_no_time_of_a_lost_device(void **state)
{
    (void)state;
    struct pair pair;
    quern_event *before = NULL, *bad = NULL, *last = NULL;
    double seconds = -77;
    pair_make(&pair);
    ok(quern_event_record(pair.queues[0], &before));
    ok(quern_queue_synchronize(pair.queues[0]));
    break_at(1, ILLEGAL_ADDRESS);
    hold(1);
    fill(pair.queues[0], pair.buffers[0]);
    ok(quern_event_record(pair.queues[0], &bad));
    ok(quern_event_record(pair.queues[0], &last));
    hold(0);
    (void)quern_queue_synchronize(pair.queues[0]);
    refused(quern_event_elapsed(before, bad, &seconds), QUERN_DEVICE_LOST, "failed before it|(700)");
    refused(quern_event_elapsed(bad, before, &seconds), QUERN_DEVICE_LOST, "failed before it|(700)");
    refused(quern_event_elapsed(bad, last, &seconds), QUERN_DEVICE_LOST, "failed before it|(700)");
    assert_true(seconds == -77);
    ok(quern_event_elapsed(before, before, &seconds));
    ok(quern_event_release(before));
    ok(quern_event_release(bad));
    ok(quern_event_release(last));
    pair_free(&pair);
}

/* ---- what goes on ---- */

static quern_status count(void *calls)
{
    ++*(int *)calls;
    return QUERN_SUCCESS;
}

/* As docs/gpu.md has it. */
static void what_the_device_need_not_do_goes_on(void **state)
{
    (void)state;
    struct pair pair;
    quern_event *before = NULL, *after = NULL;
    quern_buffer *host = NULL, *other = NULL;
    quern_queue *queue = NULL;
    quern_device *again = NULL;
    quern_device_info info;
    quern_layout layout;
    double seconds = -77;
    int idle = 0, calls = 0;
    pair_make(&pair);
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(N), &layout));
    ok(quern_event_record(pair.queues[0], &before));
    ok(quern_queue_synchronize(pair.queues[0]));
    lose(pair.queues[0], pair.buffers[0]);
    ok(quern_queue_synchronize(pair.queues[0])); /* it was told */
    ok(quern_queue_query(pair.queues[0], &idle));
    assert_int_equal(idle, 1);
    ok(quern_device_open("cuda:0", &again));
    ok(quern_device_get_info(again, &info));
    ok(quern_device_release(again));
    ok(quern_event_wait(before));
    ok(quern_event_query(before));
    ok(quern_event_elapsed(before, before, &seconds));
    ok(quern_queue_wait(pair.queues[1], before));
    ok(quern_queue_call(pair.queues[0], count, &calls));
    ok(quern_queue_synchronize(pair.queues[0]));
    assert_int_equal(calls, 1);
    ok(quern_buffer_create_with_layout(pair.devices[0], &layout, QUERN_MEMORY_HOST, &host));
    fill(pair.queues[0], host);
    ok(quern_queue_synchronize(pair.queues[0]));
    assert_int_equal(*(const int32_t *)QUERN_SPAN(host).address, 1);
    /* And the others do as ever. */
    fill(pair.queues[1], pair.buffers[1]);
    ok(quern_queue_synchronize(pair.queues[1]));
    /* What is of the device says so. */
    refused(quern_queue_create(pair.devices[0], NULL, &queue), QUERN_DEVICE_LOST, "cuda:0 is lost");
    refused(quern_buffer_create(pair.devices[0], QUERN_TYPE(int32_t), QUERN_EXTENTS(N), &other), QUERN_DEVICE_LOST,
            "cuda:0 is lost");
    refused(quern_event_record(pair.queues[0], &after), QUERN_DEVICE_LOST, "cuda:0 is lost");
    refused(quern_queue_synchronize(pair.queues[0]), QUERN_DEVICE_LOST, "an event record failed: cuda:0 is lost");
    ok(quern_buffer_release(host));
    ok(quern_event_release(before));
    pair_free(&pair);
}

/* ---- the host's memory ---- */

/* A copy to the host is under way when another queue's command ends the context: once the wait has said so, nobody
 * writes there any more. */
static void the_hosts_memory_is_at_rest(void **state)
{
    enum { BYTES = 16 << 20, PAGE = 4096 };
    static char host[BYTES], seen[BYTES / PAGE];
    fake_cuda_counts before, now;
    quern_layout layout;
    quern_span span;
    struct pair pair;
    const char two = 2;
    (void)state;
    pair_make(&pair);
    quern_queue *other = make_queue(pair.devices[0], 0, NULL);
    quern_buffer *large = make_buffer(pair.devices[0], QUERN_TYPE(char), QUERN_EXTENTS(BYTES));
    ok(quern_fill(other, QUERN_VIEW(large), QUERN_TYPE(char), &two));
    ok(quern_queue_synchronize(other));
    ok(quern_layout_packed(QUERN_TYPE(char), QUERN_EXTENTS(BYTES), &layout));
    ok(quern_span_make(host, &layout, &span));
    get_counts(&before);
    ok(quern_copy_to_host(other, span, QUERN_CONST_VIEW(large)));
    do
        get_counts(&now);
    while (now.commands == before.commands);
    lose(pair.queues[0], pair.buffers[0]);
    (void)quern_queue_synchronize(other);
    for (size_t i = 0; i < sizeof seen; ++i)
        seen[i] = host[i * PAGE];
    usleep(20000);
    for (size_t i = 0; i < sizeof seen; ++i)
        assert_int_equal(seen[i], host[i * PAGE]);
    ok(quern_buffer_release(large));
    ok(quern_queue_release(other));
    pair_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_copy_with_a_lost_device_names_the_copy, end),
        cmocka_unit_test_teardown(there_is_no_time_of_a_lost_device, end),
        cmocka_unit_test_teardown(what_the_device_need_not_do_goes_on, end),
        cmocka_unit_test_teardown(the_hosts_memory_is_at_rest, end),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
