/* In a task a backend's functions run on the thread's own stack, or on a thread of the runtime when they would block.
 */
#include "ask_test.h"

/* ---- stacks ---- */

static void use_queues(quern_queue *queue, quern_device *device, quern_queue *far, quern_device *far_device)
{
    quern_buffer *x = make_numbers(queue, device, 2), *y = make_numbers(queue, device, 5);
    quern_buffer *z = make_numbers(far, far_device, 7), *ordered = NULL;
    quern_event *event = NULL;
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    gate_init(&held, QUERN_SUCCESS);
    ok(quern_queue_call(queue, gate_pass, &held));
    ok(quern_event_record(queue, &event));
    ok(quern_queue_wait(far, event));
    ok(quern_event_release(event));
    gate_open(&held);
    ok(quern_copy(far, QUERN_VIEW(z), QUERN_CONST_VIEW(y)));
    expect_numbers(far, z, 18);
    ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &ordered));
    ok(quern_copy(queue, QUERN_VIEW(ordered), QUERN_CONST_VIEW(x)));
    expect_numbers(queue, ordered, 2);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_buffer_release(z));
    ok(quern_buffer_release(ordered));
}

static void use_natives(quern_device *device)
{
    static char memory[64];
    static quern_kernel wrapped;
    void *handle = NULL;
    quern_queue *queue = NULL;
    quern_buffer *buffer = NULL;
    quern_layout layout;
    wrapped = mix_kernel;
    wrapped.state = NULL;
    ok(quern_device_get_native(device, (quern_native_kind)A_DEVICE, &handle));
    assert_non_null(handle);
    ok(quern_queue_create_from_native(device, (quern_native_kind)A_QUEUE, memory, NULL, &queue));
    ok(quern_queue_release(queue));
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(16), &layout));
    ok(quern_buffer_wrap_native(device, (quern_native_kind)A_MEMORY, memory, &layout, NULL, NULL, &buffer));
    ok(quern_buffer_release(buffer));
    ok(quern_kernel_prepare_from_native(&wrapped, device, (quern_native_kind)A_MODULE, memory));
}

/* Two commands that the backend records. */
static void use_graphs(quern_queue *queue, quern_device *device)
{
    const uint64_t value = 3;
    quern_buffer *x = make_numbers(queue, device, 2);
    quern_graph *graph = NULL;
    ok(quern_graph_begin(&queue, 1));
    ok(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &value));
    ok(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(uint64_t), &value));
    ok(quern_graph_end(queue, &graph));
    ok(quern_graph_launch(graph));
    ok(quern_queue_synchronize(queue));
    ok(quern_graph_release(graph));
    ok(quern_buffer_release(x));
}

/* From start to stop, all by a task. */
static void every_function_has_a_stack(void **state)
{
    (void)state;
    ok(quern_shutdown());
    forget();
    enter(&task);
    quern_device *device = open_device("watch:0"), *far_device = open_device("watch:1");
    quern_queue *queue = make_queue(device, 0, "own"), *far = make_queue(far_device, 0, "far");
    quern_range range = QUERN_RANGE(N), chosen;
    use_queues(queue, device, far, far_device);
    use_natives(device);
    use_graphs(queue, device);
    ok(quern_launch_configuration(device, &group_any_kernel, &range, &chosen));
    assert_int_equal(chosen.group[0], 1);
    ok(quern_queue_release(queue));
    ok(quern_queue_release(far));
    ok(quern_shutdown());
    leave();
    for (int i = 0; i < PLACES; ++i) {
        const int wanted = i != AT_help; /* a task does not work along, it waits */
        if (atomic_load(&on_a_task[i]) || (atomic_load(&seen[i]) != 0) != wanted)
            fprintf(stderr, "%s: called %d times, of those %d on a task's stack\n", names[i], seen[i], on_a_task[i]);
        assert_int_equal(on_a_task[i], 0);
        assert_int_equal(seen[i] != 0, wanted);
    }
    assert_true(task.calls > PLACES);
    assert_int_equal(elsewhere[AT_allocate], 0);
    assert_true(elsewhere[AT_kernel_build] > 0); /* compilers run where they do not keep the thread */
}

/* A plain thread calls directly. */
static void threads_have_a_stack(void **state)
{
    (void)state;
    forget();
    quern_device *device = open_device("driver:0");
    quern_queue *queue = make_queue(device, 1, "blocking");
    quern_buffer *x = make_numbers(queue, device, 2), *y = make_numbers(queue, device, 5);
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    expect_numbers(queue, y, 18);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    assert_int_equal(task.calls + task.parks, 0);
    assert_true(seen[AT_launch] > 0);
    assert_int_equal(elsewhere[AT_launch] + elsewhere[AT_fill] + elsewhere[AT_copy], 0);
}

/* ---- what would block ---- */

static quern_queue *others_queue;
static quern_buffer *others_buffer;
static int others_turns;

/* The other task of the thread goes on while the driver is busy. */
static void go_on(void)
{
    gate_wait_entered(&held);
    enter(&other_task);
    expect_numbers(others_queue, others_buffer, 3);
    enter(&task);
    ++others_turns;
    gate_open(&held);
}

static void blocking_commands_free_the_thread(void **state)
{
    (void)state;
    typedef struct thirteen {
        char byte[SLOW_BYTES];
    } thirteen;
    static const thirteen value = {"hello, miller"};
    thirteen read[2];
    const quern_type type = QUERN_TYPE(thirteen);
    forget();
    gate_init(&held, QUERN_SUCCESS);
    slow_gate = &held;
    quern_device *device = open_device("driver:0");
    quern_queue *queue = make_queue(device, 1, "blocking");
    others_queue = make_queue(device, 0, "others");
    others_buffer = make_numbers(others_queue, device, 3);
    quern_buffer *buffer = make_buffer(device, type, QUERN_EXTENTS(2));
    enter(&task);
    ok(quern_fill(queue, QUERN_VIEW(buffer), type, &value));
    task.meanwhile = go_on;
    ok(quern_copy_to_host(queue, span_of(read, type, QUERN_EXTENTS(2)), QUERN_CONST_VIEW(buffer)));
    assert_memory_equal(&read[1], &value, sizeof value);
    assert_int_equal(others_turns, 1);
    assert_true(elsewhere[AT_fill] > 0 && elsewhere[AT_copy] > 0);

    /* A failure comes with its sentence, and the task has it. */
    atomic_store(&refused_place, AT_fill);
    refused(quern_fill(queue, QUERN_VIEW(buffer), type, &value), QUERN_DEVICE_LOST, "the mill is gone");
    refused(quern_queue_synchronize(queue), QUERN_DEVICE_LOST, "a fill|the mill is gone");
    leave();
    ok(quern_buffer_release(buffer));
    ok(quern_buffer_release(others_buffer));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(others_queue));
    gate_destroy(&held);
}

/* ---- a coroutine of the program ---- */

static _Thread_local int is_foreign;
static int foreign_parks;
static quern_status foreign_answer; /* of the next park */

static void *foreign_self(void *user)
{
    return is_foreign ? user : NULL;
}

static quern_status foreign_park(void *user, void *self)
{
    MUST(user == self && is_foreign);
    ++foreign_parks;
    const quern_status answer = foreign_answer;
    foreign_answer = QUERN_SUCCESS;
    if (answer == QUERN_SUCCESS)
        fake_park(self);
    return answer;
}

static void foreign_unpark(void *user, void *self)
{
    (void)user;
    fake_unpark(self);
}

/* The program's coroutine is suspended in the same way; one whose park fails in a command waits all the same. */
static void foreign_coroutines_are_suspended(void **state)
{
    static const quern_wait_hooks hooks = {&other_task, foreign_self, foreign_park, foreign_unpark};
    (void)state;
    quern_device *device = open_device("driver:0");
    quern_queue *queue = make_queue(device, 1, "blocking");
    quern_buffer *x = make_numbers(queue, device, 2), *y = make_numbers(queue, device, 5);
    ok(quern_wait_hooks_set(&hooks));
    for (int i = 0; i < 2; ++i) {
        forget();
        foreign_parks = 0;
        foreign_answer = i ? QUERN_SYSTEM_ERROR : QUERN_SUCCESS;
        is_foreign = 1;
        ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
        is_foreign = 0;
        assert_int_equal(elsewhere[AT_launch], 1);
        assert_true(foreign_parks > 0);
    }
    ok(quern_wait_hooks_set(NULL));
    expect_numbers(queue, y, 3 * 18 + 2 + 1);
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
}

/* ---- compilers ---- */

static quern_kernel slow_kernel;

static void compilers_free_the_thread(void **state)
{
    (void)state;
    forget();
    others_turns = 0;
    gate_init(&held, QUERN_SUCCESS);
    quern_device *device = open_device("driver:0");
    others_queue = make_queue(device, 0, "others");
    others_buffer = make_numbers(others_queue, device, 3);
    slow_kernel = mix_kernel;
    slow_kernel.state = NULL;
    build_gate = &held;
    enter(&task);
    task.meanwhile = go_on;
    ok(quern_kernel_prepare(&slow_kernel, device));
    assert_int_equal(others_turns, 1);
    assert_int_equal(seen[AT_kernel_build], 1);

    quern_program *program = NULL;
    int parks = task.parks;
    refused(quern_program_load(device, "no/such/file.k.c", &program), QUERN_FILE_ERROR, "no/such/file.k.c");
    assert_int_equal(task.parks, parks + 1);
    leave();
    ok(quern_buffer_release(others_buffer));
    ok(quern_queue_release(others_queue));
    gate_destroy(&held);
}

/* Commands that are held back are the runtime's own, on any stack. */
static void held_commands_stay(void **state)
{
    (void)state;
    gate g;
    gate_init(&g, QUERN_SUCCESS);
    quern_device *device = open_device("lazy:0"), *far_device = open_device("watch:0");
    quern_queue *queue = make_queue(device, 0, "holding"), *far = make_queue(far_device, 0, "far");
    quern_buffer *x = make_numbers(queue, device, 2), *y = make_numbers(queue, device, 5);
    quern_event *event = NULL;
    ok(quern_queue_call(far, gate_pass, &g));
    ok(quern_event_record(far, &event));
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 0));
    ok(quern_queue_synchronize(queue));
    enter(&task);
    ok(quern_queue_wait(queue, event));
    forget();
    ok(launch_mix(queue, N, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    ok(quern_copy(queue, QUERN_VIEW(x), QUERN_CONST_VIEW(y)));
    assert_int_equal(task.calls, 0); /* it may have waited for the queue's lock */
    gate_open(&g);
    expect_numbers(queue, x, 3 * 17 + 2 + 1);
    leave();
    ok(quern_event_release(event));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(queue));
    ok(quern_queue_release(far));
    ok(quern_shutdown());
    gate_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_has_a_stack),
        cmocka_unit_test(threads_have_a_stack),
        cmocka_unit_test(blocking_commands_free_the_thread),
        cmocka_unit_test(compilers_free_the_thread),
        cmocka_unit_test(held_commands_stay),
        cmocka_unit_test(foreign_coroutines_are_suspended),
    };
    return cmocka_run_group_tests(tests, add_watched, NULL);
}
