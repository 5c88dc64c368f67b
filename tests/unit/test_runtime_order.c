/* Order between queues by the use of buffers, by events, and the life of buffers that are in use. */
#include "runtime_test.h"

#include "storage/buffer.h"
#include "storage/use.h"

enum { N = 1009 };

static uint64_t waits_of(quern_queue *queue)
{
    quern_queue_statistics statistics;
    ok(quern_queue_get_statistics(queue, &statistics));
    return statistics.waits;
}

static uint64_t skipped_of(quern_queue *queue)
{
    quern_queue_statistics statistics;
    ok(quern_queue_get_statistics(queue, &statistics));
    return statistics.skipped_waits;
}

static quern_view part(quern_buffer *buffer, size_t begin, size_t count)
{
    quern_view view = QUERN_VIEW(buffer), sub;
    ok(quern_view_sub(view, &begin, QUERN_EXTENTS(count), &sub));
    return sub;
}

/* A queue that is held behind a gate while others use what it will write. */
static void test_conflicting_use_waits(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *first = make_queue(device, 0, "first"), *second = make_queue(device, 0, "second");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_buffer *y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    gate g;
    gate_init(&g, QUERN_SUCCESS);

    fill_float(first, QUERN_VIEW(x), 1);
    fill_float(first, QUERN_VIEW(y), 0);
    ok(quern_queue_synchronize(first));
    ok(quern_queue_call(first, gate_pass, &g));
    fill_float(first, QUERN_VIEW(x), 3); /* behind the gate */

    assert_int_equal(waits_of(second), 0);
    ok(launch_axpy(second, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f)); /* reads x: after the fill */
    assert_int_equal(waits_of(second), 1);
    int idle = 1;
    ok(quern_queue_query(second, &idle));
    assert_int_equal(idle, 0);
    gate_open(&g);
    ok(quern_queue_synchronize(second));
    const float *values = QUERN_SPAN(y).address;
    for (int i = 0; i < N; ++i)
        assert_true(values[i] == 6.0f);

    ok(quern_queue_synchronize(first));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(first));
    ok(quern_queue_release(second));
    gate_destroy(&g);
}

static quern_status refuse(void *argument)
{
    (void)argument;
    return QUERN_DEVICE_LOST;
}

static void *open_late(void *argument)
{
    struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    gate_open(argument);
    return NULL;
}

/* A wait holds although its queue has failed: what is launched after the failure was cleared counts on it. */
static void test_failed_queue_waits(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *first = make_queue(device, 0, "first"), *second = make_queue(device, 0, "second");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_buffer *y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    fill_float(first, QUERN_VIEW(x), 1);
    fill_float(first, QUERN_VIEW(y), 0);
    ok(quern_queue_synchronize(first));
    ok(quern_queue_call(first, gate_pass, &g));
    fill_float(first, QUERN_VIEW(x), 5); /* behind the gate */

    pthread_t opener;
    assert_int_equal(pthread_create(&opener, NULL, open_late, &g), 0);
    ok(quern_queue_call(second, refuse, NULL));
    ok(launch_axpy(second, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1)); /* waits, and is not run */
    assert_int_equal(quern_queue_synchronize(second), QUERN_DEVICE_LOST);
    ok(launch_axpy(second, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    ok(quern_queue_synchronize(second));
    const float *values = QUERN_SPAN(y).address;
    for (int i = 0; i < N; ++i)
        assert_true(values[i] == 5.0f);

    assert_int_equal(pthread_join(opener, NULL), 0);
    ok(quern_queue_synchronize(first));
    gate_destroy(&g);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(first));
    ok(quern_queue_release(second));
}

static void test_disjoint_and_reading_uses_do_not_wait(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *held = make_queue(device, 0, "held"), *free_queue = make_queue(device, 1, "free");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_buffer *y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(2 * N));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    fill_float(free_queue, QUERN_VIEW(x), 1);
    fill_float(free_queue, QUERN_VIEW(y), 0);
    ok(quern_queue_call(held, gate_pass, &g));
    /* The held queue reads x and writes the lower half of y. */
    ok(launch_axpy(held, N, QUERN_CONST_VIEW(x), part(y, 0, N), 1.0f));
    /* Reading x too, writing the upper half: runs although the other is held. */
    ok(launch_axpy(free_queue, N, QUERN_CONST_VIEW(x), part(y, N, N), 5.0f));
    assert_int_equal(waits_of(free_queue), 0);
    ok(quern_queue_synchronize(free_queue));
    const float *values = QUERN_SPAN(y).address;
    assert_true(values[N] == 5.0f && values[2 * N - 1] == 5.0f && values[0] == 0.0f);
    gate_open(&g);
    ok(quern_queue_synchronize(held));
    assert_true(values[0] == 1.0f && values[N - 1] == 1.0f && values[N] == 5.0f);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(held));
    ok(quern_queue_release(free_queue));
    gate_destroy(&g);
}

/* A loop of launches on one queue remembers one use of each buffer, whatever wrote it before: else each launch would
 * look at old ones again. */
static void test_finished_uses_are_forgotten(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *queue = make_queue(device, 1, "loop");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_buffer *y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    fill_float(queue, QUERN_VIEW(x), 1);
    fill_float(queue, QUERN_VIEW(y), 0);
    for (int i = 0; i < 3; ++i) {
        ok(launch_axpy(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f));
        assert_int_equal(x->uses.count, 1);
        assert_int_equal(x->uses.entries[0].write, 0);
        assert_int_equal(y->uses.count, 1);
    }
    /* The same launch again after one that used less: the use is of all again. */
    ok(launch_axpy(queue, 10, QUERN_CONST_VIEW(x), part(y, 0, 10), 2.0f));
    assert_int_equal(y->uses.entries[0].box.whole, 0);
    ok(launch_axpy(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f));
    assert_int_equal(y->uses.count, 1);
    assert_int_equal(y->uses.entries[0].box.whole, 1);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
}

/* A loop of launches reads what a queue that is held reads, too: that one's use stays as it is. */
static void test_others_uses_stay(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *held = make_queue(device, 0, "held"), *loop = make_queue(device, 1, "loop");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_buffer *y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_buffer *z = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    fill_float(loop, QUERN_VIEW(x), 1);
    fill_float(loop, QUERN_VIEW(y), 0);
    fill_float(loop, QUERN_VIEW(z), 0);
    ok(quern_queue_call(held, gate_pass, &g));
    ok(launch_axpy(held, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1.0f));
    assert_int_equal(x->uses.count, 1);
    const quern_use before = x->uses.entries[0];
    for (int i = 0; i < 4; ++i)
        ok(launch_axpy(loop, N, QUERN_CONST_VIEW(x), QUERN_VIEW(z), 1.0f));
    assert_int_equal(x->uses.count, 2);
    const quern_use *after = &x->uses.entries[x->uses.entries[0].progress != before.progress];
    assert_ptr_equal(after->progress, before.progress);
    assert_true(after->number == before.number);
    gate_open(&g);
    ok(quern_queue_synchronize(held));
    assert_true(*(const float *)QUERN_SPAN(z).address == 4.0f);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_buffer_release(z));
    ok(quern_queue_release(held));
    ok(quern_queue_release(loop));
    gate_destroy(&g);
}

/* An interior and its halo row, two boxes of one pitched buffer, do not wait for each other; overlapping ones do. */
static void test_boxes_of_a_plane(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *held = make_queue(device, 0, "held"), *other = make_queue(device, 0, "other");
    quern_buffer *plane = make_buffer(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(13, 17));
    quern_view whole = QUERN_VIEW(plane), interior, halo, column;
    size_t one[2] = {1, 1}, zero[2] = {0, 0}, last[2] = {0, 16};
    ok(quern_view_sub(whole, one, QUERN_EXTENTS(11, 15), &interior));
    ok(quern_view_sub(whole, zero, QUERN_EXTENTS(1, 17), &halo));
    ok(quern_view_sub(whole, last, QUERN_EXTENTS(13, 1), &column));
    int32_t zero_value = 0, seven = 7, nine = 9;
    ok(quern_fill(held, whole, QUERN_TYPE(int32_t), &zero_value));
    ok(quern_queue_synchronize(held));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(held, gate_pass, &g));
    ok(quern_fill(held, interior, QUERN_TYPE(int32_t), &seven));
    ok(quern_fill(other, halo, QUERN_TYPE(int32_t), &nine));
    ok(quern_fill(other, column, QUERN_TYPE(int32_t), &nine));
    assert_int_equal(waits_of(other), 0);
    ok(quern_queue_synchronize(other));
    ok(quern_fill(other, whole, QUERN_TYPE(int32_t), &nine));
    assert_int_equal(waits_of(other), 1);
    gate_open(&g);
    ok(quern_queue_synchronize(other));
    const int32_t *first = whole.span.address;
    assert_int_equal(first[0], 9);
    assert_int_equal(*(const int32_t *)interior.span.address, 9);
    ok(quern_queue_synchronize(held));
    ok(quern_buffer_release(plane));
    ok(quern_queue_release(held));
    ok(quern_queue_release(other));
    gate_destroy(&g);
}

/* A use that an event or a synchronise covers adds no wait, although the other queue goes on. */
static void test_ordered_uses_skip_the_wait(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *parent = make_queue(device, 0, "parent"), *child = make_queue(device, 0, "child");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    gate before, after;
    gate_init(&before, QUERN_SUCCESS);
    gate_init(&after, QUERN_SUCCESS);
    ok(quern_queue_call(parent, gate_pass, &before));
    fill_float(parent, QUERN_VIEW(x), 1);
    quern_event *event = NULL;
    ok(quern_event_record(parent, &event));
    assert_int_equal(quern_event_query(event), QUERN_NOT_READY);
    ok(quern_queue_wait(child, event));
    assert_int_equal(waits_of(child), 1);
    ok(quern_queue_call(parent, gate_pass, &after)); /* the parent keeps queueing */
    fill_float(child, QUERN_VIEW(x), 2);             /* covered by the event */
    assert_int_equal(waits_of(child), 1);
    assert_int_equal(skipped_of(child), 1);
    gate_open(&before);
    ok(quern_queue_synchronize(child)); /* although the parent is still held */
    const float *values = QUERN_SPAN(x).address;
    assert_true(values[0] == 2.0f && values[N - 1] == 2.0f);
    int idle = 1;
    ok(quern_queue_query(parent, &idle));
    assert_int_equal(idle, 0);
    gate_open(&after);
    ok(quern_queue_synchronize(parent));
    fill_float(parent, QUERN_VIEW(x), 3); /* the child's use is finished */
    assert_int_equal(waits_of(parent), 0);
    ok(quern_queue_synchronize(parent));
    ok(quern_event_release(event));
    ok(quern_buffer_release(x));
    ok(quern_queue_release(parent));
    ok(quern_queue_release(child));
    gate_destroy(&before);
    gate_destroy(&after);
}

/* What an event's queue was ordered after is passed on: a -> b by an event, b -> c by another, so c is after a. */
static void test_events_carry_their_table(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *a = make_queue(device, 0, "a"), *b = make_queue(device, 0, "b"), *c = make_queue(device, 0, "c");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(a, gate_pass, &g));
    fill_float(a, QUERN_VIEW(x), 1);
    quern_event *first = NULL, *second = NULL;
    ok(quern_event_record(a, &first));
    ok(quern_queue_wait(b, first));
    ok(quern_event_record(b, &second));
    ok(quern_queue_wait(c, second));
    fill_float(c, QUERN_VIEW(x), 2);
    assert_int_equal(waits_of(c), 1); /* the event's own */
    assert_int_equal(skipped_of(c), 1);
    gate_open(&g);
    ok(quern_queue_synchronize(c));
    assert_true(*(const float *)QUERN_SPAN(x).address == 2.0f);
    ok(quern_queue_synchronize(a));
    ok(quern_queue_synchronize(b));
    ok(quern_event_release(first));
    ok(quern_event_release(second));
    ok(quern_buffer_release(x));
    ok(quern_queue_release(a));
    ok(quern_queue_release(b));
    ok(quern_queue_release(c));
    gate_destroy(&g);
}

static void count_release(void *context)
{
    __atomic_fetch_add((int *)context, 1, __ATOMIC_SEQ_CST);
}

static void test_memory_lives_until_its_last_use(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    quern_queue *queue = make_queue(device, 0, "queue");
    float memory[N] = {0};
    int released = 0;
    quern_layout layout;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    quern_buffer *x = NULL;
    ok(quern_buffer_wrap(device, memory, &layout, count_release, &released, &x));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(queue, gate_pass, &g));
    fill_float(queue, QUERN_VIEW(x), 4);
    ok(quern_buffer_release(x));
    assert_int_equal(__atomic_load_n(&released, __ATOMIC_SEQ_CST), 0);
    gate_open(&g);
    ok(quern_queue_synchronize(queue));
    /* The notice goes out with the number, at most a moment after the synchronise. */
    while (__atomic_load_n(&released, __ATOMIC_SEQ_CST) == 0)
        sched_yield();
    assert_int_equal(released, 1);
    assert_true(memory[0] == 4.0f && memory[N - 1] == 4.0f);
    ok(quern_queue_release(queue));
    gate_destroy(&g);
}

static void test_many_tiles_stay_bounded_and_right(void **state)
{
    (void)state;
    enum { TILES = 211, TILE = 7 };
    quern_device *device = open_device("cpu:0");
    quern_queue *queue = make_queue(device, 0, "tiles"), *reader = make_queue(device, 0, "reader");
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(TILES * TILE));
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    ok(quern_queue_call(queue, gate_pass, &g));
    for (size_t t = 0; t < TILES; ++t)
        fill_float(queue, part(x, t * TILE, TILE), (float)t);
    float copy[TILES * TILE];
    quern_layout layout;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(TILES * TILE), &layout));
    quern_span span;
    ok(quern_span_make(copy, &layout, &span));
    ok(quern_copy_to_host(reader, span, QUERN_CONST_VIEW(x)));
    assert_int_equal(waits_of(reader), 1);
    gate_open(&g);
    ok(quern_queue_synchronize(reader));
    for (int i = 0; i < TILES * TILE; ++i)
        assert_true(copy[i] == (float)(i / TILE));
    ok(quern_queue_synchronize(queue));
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(reader));
    gate_destroy(&g);
}

/* Two threads whose commands use two buffers in opposite order never wait for each other. */
typedef struct crossing {
    quern_queue *queue;
    quern_buffer *first, *second;
} crossing;

static void *cross(void *argument)
{
    crossing *c = argument;
    for (int i = 0; i < 500; ++i)
        if (launch_axpy(c->queue, N, QUERN_CONST_VIEW(c->first), QUERN_VIEW(c->second), 0.0f) != QUERN_SUCCESS)
            return argument;
    return quern_queue_synchronize(c->queue) == QUERN_SUCCESS ? NULL : argument;
}

static void test_crossing_threads(void **state)
{
    (void)state;
    quern_device *device = open_device("cpu:0");
    for (int blocking = 0; blocking < 2; ++blocking) {
        quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
        quern_buffer *y = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
        crossing a = {make_queue(device, blocking, "a"), x, y}, b = {make_queue(device, blocking, "b"), y, x};
        fill_float(a.queue, QUERN_VIEW(x), 1);
        fill_float(a.queue, QUERN_VIEW(y), 2);
        ok(quern_queue_synchronize(a.queue));
        pthread_t threads[2];
        assert_int_equal(pthread_create(&threads[0], NULL, cross, &a), 0);
        assert_int_equal(pthread_create(&threads[1], NULL, cross, &b), 0);
        for (int i = 0; i < 2; ++i) {
            void *failed;
            pthread_join(threads[i], &failed);
            assert_null(failed);
        }
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
        ok(quern_queue_release(a.queue));
        ok(quern_queue_release(b.queue));
    }
}

static void test_boxes(void **state)
{
    (void)state;
    quern_layout layout;
    ok(quern_layout_aligned(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 32, &layout));
    char *base = (char *)4096;
    size_t extents[2] = {2, 3};
    quern_box box, whole, top, columns, wide_row;
    quern_box_set(&box, &layout, base, base + 40, 2, extents);
    assert_int_equal(box.whole, 0);
    assert_int_equal(box.lo[0], 1);
    assert_int_equal(box.lo[1], 2);
    assert_int_equal(box.hi[0], 3);
    assert_int_equal(box.hi[1], 5);
    size_t all[2] = {3, 5};
    quern_box_set(&whole, &layout, base, base, 2, all);
    assert_int_equal(whole.whole, 1);
    size_t row[2] = {1, 5}, left[2] = {3, 2};
    quern_box_set(&top, &layout, base, base, 2, row);
    quern_box_set(&columns, &layout, base, base, 2, left);
    assert_int_equal(quern_boxes_intersect(&box, &top), 0);
    assert_int_equal(quern_boxes_intersect(&box, &columns), 0);
    assert_int_equal(quern_boxes_intersect(&top, &columns), 1);
    assert_int_equal(quern_boxes_intersect(&whole, &box), 1);
    assert_int_equal(quern_box_covers(&whole, &box), 1);
    assert_int_equal(quern_box_covers(&box, &top), 0);
    /* what reaches past a row is no box of this layout */
    size_t wide[2] = {1, 6};
    quern_box_set(&wide_row, &layout, base, base, 2, wide);
    assert_int_equal(wide_row.whole, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_conflicting_use_waits),
        cmocka_unit_test(test_failed_queue_waits),
        cmocka_unit_test(test_disjoint_and_reading_uses_do_not_wait),
        cmocka_unit_test(test_finished_uses_are_forgotten),
        cmocka_unit_test(test_others_uses_stay),
        cmocka_unit_test(test_boxes_of_a_plane),
        cmocka_unit_test(test_ordered_uses_skip_the_wait),
        cmocka_unit_test(test_events_carry_their_table),
        cmocka_unit_test(test_memory_lives_until_its_last_use),
        cmocka_unit_test(test_many_tiles_stay_bounded_and_right),
        cmocka_unit_test(test_crossing_threads),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (quern_shutdown() != QUERN_SUCCESS) {
        fprintf(stderr, "shutdown: %s\n", quern_last_error());
        return 1;
    }
    return failed;
}
