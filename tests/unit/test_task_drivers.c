/* Backends called from tasks: as much stack as they want, and the thread's other tasks go on while they are busy. */
#include "queue_test.h"

#undef MUST /* the same of tasks */
#include "task_test.h"

/* ---- a backend whose functions want a large stack, and whose compiler takes its time ---- */

enum { DEEP_BYTES = 1 << 20, PAGE_BYTES = 4096 };

/* Four stacks of a task. */
static __attribute__((noinline)) unsigned use_stack(unsigned value)
{
    volatile unsigned char deep[DEEP_BYTES];
    for (size_t i = 0; i < DEEP_BYTES; i += PAGE_BYTES)
        deep[i] = (unsigned char)(value + i / PAGE_BYTES);
    unsigned sum = 0;
    for (size_t i = 0; i < DEEP_BYTES; i += PAGE_BYTES)
        sum += deep[i];
    return sum;
}

static _Atomic int depths;
static gate *build_gate;

static void go_deep(void)
{
    MUST(use_stack(1) == DEEP_BYTES / PAGE_BYTES / 256 * (255 * 256 / 2));
    atomic_fetch_add(&depths, 1);
}

static quern_status deep_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    go_deep();
    return variant_fill(queue, number, fill);
}

static quern_status deep_configuration(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                       const size_t *extents, size_t max_items, size_t *group)
{
    (void)device, (void)kernel, (void)compiled, (void)extents, (void)max_items;
    go_deep();
    for (uint32_t d = 0; d < rank; ++d)
        group[d] = 1;
    return QUERN_SUCCESS;
}

static quern_status slow_build(void *device, const quern_kernel *kernel, void **compiled, quern_kernel_limits *limits)
{
    go_deep();
    gate *g = build_gate;
    build_gate = NULL;
    if (g)
        (void)gate_pass(g);
    return variant_build(device, kernel, compiled, limits);
}

VARIANT(deep, 0, 0, 1, .fill = deep_fill, .launch_configuration = deep_configuration);

static int add_backends(void **state)
{
    static quern_backend deep;
    deep = deep_backend;
    deep.kernel_build = slow_build;
    ok(quern_backends_add(&deep, NULL, "the test"));
    ok(quern_backend_load(QUERN_PLUGINS "/minimal.so"));
    return add_variants(state);
}

/* ---- stacks ---- */

static quern_status call_deep_functions(void *unused)
{
    (void)unused;
    const uint64_t value = 9;
    uint64_t numbers[N];
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_buffer *buffer = NULL;
    quern_layout layout;
    quern_span span;
    quern_range range = QUERN_RANGE(N), chosen;
    SURE(quern_device_open("deep:0", &device));
    SURE(quern_queue_create(device, NULL, &queue));
    SURE(quern_buffer_create(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &buffer));
    SURE(quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(uint64_t), &value));
    SURE(quern_launch_configuration(device, &group_any_kernel, &range, &chosen));
    SURE(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &layout));
    SURE(quern_span_make(numbers, &layout, &span));
    SURE(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(buffer)));
    SURE(quern_queue_synchronize(queue));
    MUST(numbers[0] == value && numbers[N - 1] == value);
    SURE(quern_buffer_release(buffer));
    SURE(quern_queue_release(queue));
    SURE(quern_device_release(device));
    return QUERN_SUCCESS;
}

static void backends_have_large_stacks(void **state)
{
    (void)state;
    ok(quern_join(spawn("deep", call_deep_functions, NULL)));
    assert_int_equal(atomic_load(&depths), 3);
}

/* ---- one thread, two tasks: one is in a driver until the other one has run ---- */

typedef struct errand {
    gate gate;
    quern_device *device;
    _Atomic int opened;
} errand;

static int is_entered(gate *g)
{
    pthread_mutex_lock(&g->lock);
    int entered = g->entered;
    pthread_mutex_unlock(&g->lock);
    return entered;
}

/* The other task of the thread. */
static quern_status open_the_gate(void *argument)
{
    errand *own = argument;
    while (!is_entered(&own->gate))
        SURE(quern_yield());
    atomic_store(&own->opened, 1);
    gate_open(&own->gate);
    return QUERN_SUCCESS;
}

static void run_errand(const char *device, quern_task_function *function)
{
    errand own = {.opened = 0};
    gate_init(&own.gate, QUERN_SUCCESS);
    own.device = open_device(device);
    quern_task *first = spawn("errand", function, &own);
    quern_task *second = spawn("other", open_the_gate, &own);
    ok(quern_join(first));
    ok(quern_join(second));
    gate_destroy(&own.gate);
}

static void stop_piece(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    gate *g;
    (void)piece;
    memcpy(&g, arguments[0].address, sizeof g);
    (void)gate_pass(g);
}

static const quern_kernel_image piece_image = CPU_IMAGE(stop_piece);
static quern_kernel piece_kernel = {
    QUERN_KERNEL_VERSION, 1, "piece", "stop.k.c", 1, 1, 0, 0, {0, 0, 0}, 0, 0, stop_parameters,
    &piece_image,         1, 0,       NULL};

/* The driver returns when the kernel has run. */
static quern_status launch_blocking(void *argument)
{
    errand *own = argument;
    const uint64_t value = (uintptr_t)&own->gate;
    quern_queue_options options = {1, 0, "blocking"};
    quern_range range = QUERN_RANGE(1);
    quern_argument given = quern_argument_value(QUERN_TYPE(uint64_t), &value);
    quern_queue *queue = NULL;
    SURE(quern_queue_create(own->device, &options, &queue));
    SURE(quern_launch(queue, &piece_kernel, &range, &given, 1));
    MUST(atomic_load(&own->opened));
    SURE(quern_queue_release(queue));
    return QUERN_SUCCESS;
}

static void blocking_commands_leave_the_thread(void **state)
{
    (void)state;
    run_errand("minimal:0", launch_blocking);
}

/* The function runs when it is queued, and waits for another task. */
static quern_status call_blocking(void *argument)
{
    errand *own = argument;
    quern_queue_options options = {1, 0, "blocking"};
    quern_queue *queue = NULL;
    SURE(quern_queue_create(own->device, &options, &queue));
    SURE(quern_queue_call(queue, gate_pass, &own->gate));
    MUST(atomic_load(&own->opened));
    SURE(quern_queue_release(queue));
    return QUERN_SUCCESS;
}

static void host_functions_leave_the_thread(void **state)
{
    (void)state;
    run_errand("cpu:0", call_blocking);
    run_errand("minimal:0", call_blocking);
}

static quern_status build_for_long(void *argument)
{
    errand *own = argument;
    build_gate = &own->gate;
    SURE(quern_kernel_prepare(&mix_kernel, own->device));
    MUST(atomic_load(&own->opened));
    return QUERN_SUCCESS;
}

static void compilers_leave_the_thread(void **state)
{
    (void)state;
    run_errand("deep:0", build_for_long);
}

/* ---- many at once ---- */

enum { MANY = 100 };

/* All of them want the same kernel, which is built once, and have a queue of their own. */
static quern_status use_a_queue(void *argument)
{
    errand *own = argument;
    uint64_t numbers[4] = {1, 2, 3, 4}, read[4] = {0};
    quern_queue_options options = {1, 0, NULL};
    quern_layout layout;
    quern_span from, to;
    quern_queue *queue = NULL;
    quern_buffer *x = NULL, *y = NULL;
    SURE(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(4), &layout));
    SURE(quern_span_make(numbers, &layout, &from));
    SURE(quern_span_make(read, &layout, &to));
    SURE(quern_queue_create(own->device, &options, &queue));
    SURE(quern_buffer_create(own->device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(4), &x));
    SURE(quern_buffer_create(own->device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(4), &y));
    SURE(quern_copy_from_host(queue, QUERN_VIEW(x), quern_span_as_const(from)));
    SURE(quern_copy(queue, QUERN_VIEW(y), QUERN_CONST_VIEW(x)));
    SURE(launch_mix(queue, 4, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1));
    SURE(quern_copy_to_host(queue, to, QUERN_CONST_VIEW(y)));
    for (int i = 0; i < 4; ++i)
        MUST(read[i] == 4 * numbers[i] + 1);
    SURE(quern_buffer_release(x));
    SURE(quern_buffer_release(y));
    SURE(quern_queue_release(queue));
    return QUERN_SUCCESS;
}

static void many_tasks_share_a_driver(void **state)
{
    (void)state;
    ok(quern_shutdown()); /* what was built is forgotten */
    atomic_store(&depths, 0);
    errand own = {.device = open_device("deep:0")};
    quern_task *tasks[MANY];
    for (int i = 0; i < MANY; ++i)
        tasks[i] = spawn(NULL, use_a_queue, &own);
    for (int i = 0; i < MANY; ++i)
        ok(quern_join(tasks[i]));
    assert_int_equal(atomic_load(&depths), 1);
    ok(quern_shutdown());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backends_have_large_stacks),      cmocka_unit_test(blocking_commands_leave_the_thread),
        cmocka_unit_test(host_functions_leave_the_thread), cmocka_unit_test(compilers_leave_the_thread),
        cmocka_unit_test(many_tasks_share_a_driver),
    };
    setenv("QUERN_CPU_THREADS", "1", 1); /* one task thread */
    return cmocka_run_group_tests(tests, add_backends, NULL);
}
