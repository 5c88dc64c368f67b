/* Order as tasks need it: what a spawner gives its task, uses that are covered, and nothing that grows. */
#include "queue_test.h"

#include "runtime/current.h"
#include "runtime/event.h"
#include "runtime/queue.h"
#include "storage/buffer.h"

static quern_queue_statistics statistics_of(quern_queue *queue)
{
    quern_queue_statistics statistics;
    ok(quern_queue_get_statistics(queue, &statistics));
    return statistics;
}

static int is_idle(quern_queue *queue)
{
    int idle = 0;
    ok(quern_queue_query(queue, &idle));
    return idle;
}

static quern_queue *current_queue(void)
{
    quern_queue *queue = NULL;
    ok(quern_queue_current(&queue));
    return queue;
}

static quern_device *current_device(void)
{
    quern_device *device = NULL;
    ok(quern_device_current(&device));
    return device;
}

static float first_of(quern_buffer *buffer)
{
    return *(const float *)QUERN_SPAN(buffer).address;
}

static quern_buffer *make_floats(quern_queue *queue, quern_device *device, float value)
{
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    fill_float(queue, QUERN_VIEW(buffer), value);
    ok(quern_queue_synchronize(queue));
    return buffer;
}

/* ---- the protocol ---- */

/* The task goes on from where its spawner was, on its queue and not on the host; what the spawner queues afterwards
 * delays it only by a write of what it uses. */
static void test_begins_after_the_spawner(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_current parent = {.device = NULL}, child;
    gate before, after;
    gate_init(&before, QUERN_SUCCESS);
    gate_init(&after, QUERN_SUCCESS);

    assert_null(quern_current_use(&parent));
    ok(quern_device_set_current(device));
    quern_queue *parents = current_queue();
    quern_buffer *x = make_floats(parents, device, 1), *y = make_floats(parents, device, 1);
    ok(quern_queue_call(parents, gate_pass, &before));
    fill_float(parents, QUERN_VIEW(x), 2);
    ok(quern_current_fork(NULL, &child));
    assert_non_null(child.begin);
    assert_ptr_equal(child.device, device);
    ok(quern_queue_call(parents, gate_pass, &after));
    fill_float(parents, QUERN_VIEW(y), 7); /* behind the spawn */

    assert_ptr_equal(quern_current_use(&child), &parent);
    quern_queue *childs = current_queue();
    assert_ptr_not_equal(childs, parents);
    assert_ptr_equal(current_queue(), childs);
    assert_int_equal(statistics_of(childs).waits, 1); /* for the begin; and the host is here already */
    fill_float(childs, QUERN_VIEW(x), 3);
    assert_int_equal(statistics_of(childs).waits, 1);
    assert_int_equal(statistics_of(childs).skipped_waits, 1);
    assert_false(is_idle(childs));
    gate_open(&before);
    ok(quern_queue_synchronize(childs)); /* while its parent's queue is held */
    assert_false(is_idle(parents));
    assert_true(first_of(x) == 3);
    ok(launch_axpy(childs, N, QUERN_CONST_VIEW(y), QUERN_VIEW(x), 1)); /* reads what the parent writes */
    assert_int_equal(statistics_of(childs).waits, 2);
    gate_open(&after);
    ok(quern_current_end(&child, 1));
    assert_true(first_of(x) == 10);

    assert_ptr_equal(quern_current_use(&parent), &child);
    ok(quern_current_end(&parent, 1));
    assert_ptr_equal(quern_current_use(NULL), &parent);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    gate_destroy(&before);
    gate_destroy(&after);
}

typedef struct following {
    gate gate;
    int ran; /* on the spawner's queue, behind the gate */
} following;

static quern_status pass_and_count(void *argument)
{
    following *self = argument;
    quern_status status = gate_pass(&self->gate);
    (void)count_up(&self->ran);
    return status;
}

static quern_status expect_count(void *argument)
{
    return count_of(&((following *)argument)->ran) == 1 ? QUERN_SUCCESS : QUERN_INTERNAL;
}

/* Between any two devices, of whatever backends; the host goes on in between. */
static void expect_follows(const char *from, const char *to)
{
    following self = {.ran = 0};
    quern_current parent = {.device = NULL}, child;
    gate_init(&self.gate, QUERN_SUCCESS);
    (void)quern_current_use(&parent);
    ok(quern_device_set_current(open_device(from)));
    ok(quern_queue_call(current_queue(), pass_and_count, &self));
    ok(quern_current_fork(open_device(to), &child));
    (void)quern_current_use(&child);
    assert_ptr_equal(current_device(), open_device(to));
    ok(quern_queue_call(current_queue(), expect_count, &self));
    assert_false(is_idle(current_queue()));
    gate_open(&self.gate);
    ok(quern_current_end(&child, 1));
    (void)quern_current_use(&parent);
    ok(quern_current_end(&parent, 1));
    (void)quern_current_use(NULL);
    gate_destroy(&self.gate);
}

static void test_between_devices(void **state)
{
    static const char *const names[] = {"cpu:0", "cpu:1", "lazy:0", "lazy:1", "waits:0", "calls:0", "full:1"};
    enum { NAMES = sizeof names / sizeof *names };
    (void)state;
    for (int i = 0; i < NAMES; ++i)
        for (int k = 0; k < NAMES; ++k)
            expect_follows(names[i], names[k]);
}

static void test_no_event_without_need(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_current parent = {.device = NULL}, child;
    (void)quern_current_use(&parent);
    ok(quern_device_set_current(device));
    ok(quern_current_fork(NULL, &child)); /* no queue yet */
    assert_null(child.begin);
    assert_ptr_equal(child.device, device);
    ok(quern_current_end(&child, 0));
    quern_queue *queue = current_queue();
    quern_buffer *x = make_floats(queue, device, 1);
    ok(quern_current_fork(NULL, &child)); /* all has finished */
    assert_null(child.begin);
    assert_int_equal(statistics_of(queue).commands, 1);
    ok(quern_current_end(&child, 0));
    ok(quern_current_end(&parent, 1));
    (void)quern_current_use(NULL);
    ok(quern_buffer_release(x));
}

static quern_status lose(void *argument)
{
    (void)argument;
    return QUERN_DEVICE_LOST;
}

/* A failure that sticks is the child's as well, and its end's, with a sentence. */
static void test_failure_of_the_spawner(void **state)
{
    (void)state;
    quern_current parent = {.device = NULL}, child;
    (void)quern_current_use(&parent);
    ok(quern_device_set_current(open_device("cpu:0")));
    quern_queue *queue = current_queue();
    ok(quern_queue_call(queue, lose, NULL));
    while (!is_idle(queue))
        sched_yield();
    ok(quern_current_fork(NULL, &child));
    assert_non_null(child.begin);
    (void)quern_current_use(&child);
    (void)current_queue();
    refused(quern_current_end(&child, 1), QUERN_DEVICE_LOST, "event|failed");
    (void)quern_current_use(&parent);
    refused(quern_current_end(&parent, 1), QUERN_DEVICE_LOST, "host function|failed");
    (void)quern_current_use(NULL);
}

/* A task that spawns before it has a queue of its own hands on where it began itself. */
static void test_begin_is_handed_on(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_current parent = {.device = NULL}, middle, child;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    (void)quern_current_use(&parent);
    ok(quern_device_set_current(device));
    quern_queue *queue = current_queue();
    quern_buffer *x = make_floats(queue, device, 1);
    ok(quern_queue_call(queue, gate_pass, &g));
    fill_float(queue, QUERN_VIEW(x), 2);
    ok(quern_current_fork(NULL, &middle));
    (void)quern_current_use(&middle);
    ok(quern_current_fork(NULL, &child));
    assert_ptr_equal(child.begin, middle.begin);
    ok(quern_current_end(&middle, 1));
    (void)quern_current_use(&child);
    int idle = 1;
    ok(quern_queue_query(current_queue(), &idle));
    assert_int_equal(idle, 0);
    gate_open(&g);
    ok(quern_current_end(&child, 1));
    assert_true(first_of(x) == 2);
    (void)quern_current_use(&parent);
    ok(quern_current_end(&parent, 1));
    (void)quern_current_use(NULL);
    ok(quern_buffer_release(x));
    gate_destroy(&g);
}

/* ---- devices, queues, ends ---- */

static void test_devices(void **state)
{
    (void)state;
    quern_device *first = open_device("cpu:0"), *second = open_device("cpu:1"), *threads = current_device();
    quern_queue *threads_queue = current_queue();
    quern_current task;
    static gate g; /* nobody waits for who passes it */
    gate_init(&g, QUERN_SUCCESS);
    assert_int_equal(threads_queue->blocking, 1);
    ok(quern_current_fork(second, &task));
    (void)quern_current_use(&task);
    assert_ptr_equal(current_device(), second);
    quern_queue *on_second = current_queue();
    assert_ptr_equal(on_second->device, second);
    assert_int_equal(on_second->blocking, 0);
    ok(quern_device_set_current(first));
    quern_queue *on_first = current_queue();
    assert_ptr_equal(on_first->device, first);
    assert_ptr_not_equal(on_first, threads_queue);
    (void)quern_current_use(NULL);
    assert_ptr_equal(current_device(), threads);
    assert_ptr_equal(current_queue(), threads_queue);

    /* An end that does not synchronise waits for nothing. */
    (void)quern_current_use(&task);
    ok(quern_queue_call(on_first, gate_pass, &g));
    ok(quern_current_end(&task, 0));
    (void)quern_current_use(NULL);
    assert_null(task.queues);
    gate_wait_entered(&g);
    gate_open(&g);
}

static quern_status refuse_memory(void *argument)
{
    (void)argument;
    return QUERN_OUT_OF_MEMORY;
}

/* All queues are synchronised; what is told is the first failure, with its own sentence. */
static void test_first_failure(void **state)
{
    (void)state;
    quern_current task;
    int ran = 0;
    ok(quern_current_fork(open_device("cpu:1"), &task));
    (void)quern_current_use(&task);
    ok(quern_queue_call(current_queue(), lose, NULL));
    ok(quern_device_set_current(open_device("cpu:0")));
    ok(quern_queue_call(current_queue(), refuse_memory, &ran));
    quern_status status = quern_current_end(&task, 1);
    (void)quern_current_use(NULL);
    assert_true(status == QUERN_DEVICE_LOST || status == QUERN_OUT_OF_MEMORY);
    assert_non_null(strstr(quern_last_error(), quern_status_text(status)));
}

/* ---- covered uses ---- */

typedef struct synchronising {
    quern_queue *queue;
} synchronising;

static void *synchronise(void *argument)
{
    ok(quern_queue_synchronize(((synchronising *)argument)->queue));
    return NULL;
}

/* Whoever it is that synchronises the queue of the last use: the next one on another queue needs no wait, although the
 * first has more to do by then; and that is counted. */
static void test_synchronise_covers(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *first = make_queue(device, 0, "first"), *second = make_queue(device, 0, "second");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    synchronising other = {first};
    pthread_t thread;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    fill_float(first, QUERN_VIEW(x), 1);
    assert_int_equal(pthread_create(&thread, NULL, synchronise, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ok(quern_queue_call(first, gate_pass, &g));
    fill_float(second, QUERN_VIEW(x), 2);
    assert_int_equal(statistics_of(second).waits, 0);
    assert_int_equal(statistics_of(second).skipped_waits, 1);
    ok(quern_queue_synchronize(second)); /* and for nothing else */
    assert_false(is_idle(first));
    assert_true(first_of(x) == 2);
    gate_open(&g);
    ok(quern_queue_synchronize(first));
    /* Two reads are no conflict, done or not. */
    quern_buffer *y = make_floats(first, device, 0), *z = make_floats(second, device, 0);
    quern_queue *third = make_queue(device, 0, "third");
    ok(launch_axpy(first, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    ok(quern_queue_synchronize(first));
    ok(quern_queue_synchronize(second));
    ok(launch_axpy(third, N, QUERN_CONST_VIEW(x), QUERN_VIEW(z), 1));
    assert_int_equal(statistics_of(third).waits, 0);
    assert_int_equal(statistics_of(third).skipped_waits, 1); /* the fill of z, which has finished */
    ok(quern_queue_synchronize(third));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_buffer_release(z));
    ok(quern_queue_release(first));
    ok(quern_queue_release(second));
    ok(quern_queue_release(third));
    gate_destroy(&g);
}

/* ---- growth ---- */

enum { MANY_QUEUES = 10000, MOST_PROGRESSES = 64 };

/* 1 when it has not been seen before. */
static int is_new(const quern_progress **seen, size_t count, const quern_progress *progress)
{
    for (size_t i = 0; i < count; ++i)
        if (seen[i] == progress)
            return 0;
    return 1;
}

/* One queue and one buffer outlive very many queues that they have to do with. */
static void test_many_queues(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *lasting = make_queue(device, 0, "lasting");
    quern_buffer *x = make_floats(lasting, device, 0);
    const quern_progress *seen[MOST_PROGRESSES];
    size_t seen_count = 0;
    for (int i = 0; i < MANY_QUEUES; ++i) {
        quern_queue *queue = make_queue(device, 0, "passing");
        quern_event *event = NULL;
        fill_float(queue, QUERN_VIEW(x), (float)i);
        ok(quern_event_record(queue, &event));
        ok(quern_queue_wait(lasting, event));
        fill_float(lasting, QUERN_VIEW(x), (float)-i);
        if (is_new(seen, seen_count, queue->progress)) {
            assert_true(seen_count < MOST_PROGRESSES);
            seen[seen_count++] = queue->progress;
        }
        ok(quern_queue_synchronize(lasting));
        ok(quern_event_release(event));
        ok(quern_queue_release(queue));
        assert_true(x->uses.count <= 2);
    }
    assert_true(lasting->order.capacity <= 16);
    assert_true(lasting->waits.capacity <= 16);
    assert_true(first_of(x) == (float)(1 - MANY_QUEUES));
    ok(quern_buffer_release(x));
    ok(quern_queue_release(lasting));
}

/* Queues that all live on: the table holds those that have not finished. */
static void test_many_live_queues(void **state)
{
    enum { LIVE = 100 };
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *by_event = make_queue(device, 0, "by events"), *by_use = make_queue(device, 0, "by uses");
    quern_queue *queues[LIVE];
    quern_buffer *x = make_floats(by_use, device, 0);
    for (int i = 0; i < LIVE; ++i) {
        quern_event *event = NULL;
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        queues[i] = make_queue(device, 0, "live");
        ok(quern_queue_call(queues[i], gate_pass, &g));
        fill_float(queues[i], QUERN_VIEW(x), (float)i);
        ok(quern_event_record(queues[i], &event));
        ok(quern_queue_wait(by_event, event));
        fill_float(by_use, QUERN_VIEW(x), (float)-i);
        gate_open(&g);
        ok(quern_queue_synchronize(by_event));
        ok(quern_queue_synchronize(by_use));
        ok(quern_event_release(event));
        gate_destroy(&g);
    }
    assert_int_equal(statistics_of(by_event).waits, LIVE);
    assert_int_equal(statistics_of(by_use).waits, LIVE);
    assert_true(by_event->order.capacity <= 16);
    assert_true(by_use->order.capacity <= 16);
    for (int i = 0; i < LIVE; ++i)
        ok(quern_queue_release(queues[i]));
    ok(quern_buffer_release(x));
    ok(quern_queue_release(by_event));
    ok(quern_queue_release(by_use));
}

static void test_the_end(void **state)
{
    (void)state;
    ok(quern_shutdown());
}

int main(void)
{
    setenv("QUERN_CPU_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins_after_the_spawner),
        cmocka_unit_test(test_between_devices),
        cmocka_unit_test(test_no_event_without_need),
        cmocka_unit_test(test_failure_of_the_spawner),
        cmocka_unit_test(test_begin_is_handed_on),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_first_failure),
        cmocka_unit_test(test_synchronise_covers),
        cmocka_unit_test(test_many_queues),
        cmocka_unit_test(test_many_live_queues),
        cmocka_unit_test(test_the_end),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
