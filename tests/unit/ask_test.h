/*
 * What the tests of calls from tasks share: a task that is none, and a backend that looks where it is called.
 *
 * The task is a coroutine of the test's own: `call` notes that it was used, `park` lets another one of the thread run
 * and sleeps until unpark.
 */
#ifndef QUERN_TEST_ASK_TEST_H
#define QUERN_TEST_ASK_TEST_H

#include "queue_test.h"

#include "base/coroutine.h"

/* ---- a coroutine ---- */

typedef struct fake {
    quern_coroutine coroutine;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int unparked;
    int calls, parks;
    void (*meanwhile)(void); /* another task of the thread, which runs during the next park */
} fake;

static void fake_call(quern_coroutine *self, void (*function)(void *argument), void *argument)
{
    ++((fake *)self)->calls;
    MUST(quern_coroutine_self == self);
    quern_coroutine_self = NULL;
    function(argument);
    MUST(!quern_coroutine_self);
    quern_coroutine_self = self;
}

static void fake_park(quern_coroutine *coroutine)
{
    fake *self = (fake *)coroutine;
    ++self->parks;
    void (*meanwhile)(void) = self->meanwhile;
    self->meanwhile = NULL;
    if (meanwhile)
        meanwhile();
    pthread_mutex_lock(&self->lock);
    while (!self->unparked)
        pthread_cond_wait(&self->changed, &self->lock);
    --self->unparked;
    pthread_mutex_unlock(&self->lock);
}

static void fake_unpark(quern_coroutine *coroutine)
{
    fake *self = (fake *)coroutine;
    pthread_mutex_lock(&self->lock);
    ++self->unparked;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

static void fake_yield(quern_coroutine *self)
{
    (void)self;
    sched_yield();
}

#define FAKE                                                                                                           \
    {                                                                                                                  \
        .coroutine = {.park = fake_park, .unpark = fake_unpark, .yield = fake_yield, .call = fake_call},               \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER                                         \
    }

static gate held; /* what a driver or a host function waits for */
static fake task = FAKE, other_task = FAKE;

static void enter(fake *which)
{
    quern_coroutine_self = &which->coroutine;
}

static void leave(void)
{
    quern_coroutine_self = NULL;
}

/* ---- a backend that has everything, and looks where it is called ---- */

/*
 * Every function of the table: what it gives (a status, an int, nothing), its parameters, and how they are passed on.
 * One that is new has to be added here, and to be called by the first test.
 */
#define FUNCTIONS(a, i, v)                                                                                             \
    a(start, (const quern_backend_host *host), (host)) v(stop, (void), ()) a(                                          \
        device_count, (size_t * count),                                                                                \
        (count)) a(device_open, (size_t index, void **device),                                                         \
                   (index, device)) a(device_info, (void *device, quern_device_info *info),                            \
                                      (device, info)) a(allocate,                                                      \
                                                        (void *device, size_t bytes, size_t alignment,                 \
                                                         quern_memory_kind kind, void **memory),                       \
                                                        (device, bytes, alignment, kind, memory))                      \
        v(free, (void *device, void *memory, size_t bytes, quern_memory_kind kind), (device, memory, bytes, kind)) a(  \
            queue_create,                                                                                              \
            (void *device, const quern_queue_options *options, quern_progress *progress, void **queue),                \
            (device, options, progress, queue)) v(queue_destroy, (void *queue), (queue))                               \
            a(kernel_build, (void *device, const quern_kernel *kernel, void **compiled, quern_kernel_limits *limits),  \
              (device, kernel, compiled,                                                                               \
               limits)) v(kernel_release, (void *device, void *compiled), (device, compiled))                          \
                a(copy, (void *queue, uint64_t number, const quern_backend_copy *copy), (queue, number, copy)) a(      \
                    launch,                                                                                            \
                    (void *queue, uint64_t number, const quern_backend_launch *launch),                                \
                    (queue, number, launch)) a(signal, (void *queue, uint64_t number), (queue, number))                \
                    a(fill, (void *queue, uint64_t number, const quern_backend_copy *copy), (queue, number, copy)) a(  \
                        call,                                                                                          \
                        (void *queue, uint64_t number, quern_status (*function)(void *argument), void *argument),      \
                        (queue, number, function, argument))                                                           \
                        a(wait,                                                                                        \
                          (void *queue, uint64_t number, quern_progress *other, uint64_t other_number,                 \
                           quern_event *event),                                                                        \
                          (queue, number, other, other_number,                                                         \
                           event)) a(record, (void *queue, uint64_t number, quern_event *event),                       \
                                     (queue, number, event)) a(help, (void *queue, uint64_t number), (queue, number))  \
                            a(launch_configuration,                                                                    \
                              (void *device, const quern_kernel *kernel, void *compiled,                               \
                               uint32_t rank, const size_t *extents, size_t max_items, size_t *group),                 \
                              (device, kernel, compiled, rank, extents, max_items,                                     \
                               group)) i(peer_reach, (void *device, void *other), (device, other))                     \
                                a(peer_copy,                                                                           \
                                  (void *queue, uint64_t number, const quern_backend_copy *copy, void *target_device,  \
                                   void *source_device),                                                               \
                                  (queue, number, copy, target_device, source_device))                                 \
                                    a(queue_allocate,                                                                  \
                                      (void *queue, uint64_t number, size_t bytes, size_t alignment, void **memory),   \
                                      (queue, number, bytes, alignment, memory))                                       \
                                        a(native,                                                                      \
                                          (void *device, uint32_t kind, void *object, void *address, void **handle,    \
                                           size_t *offset),                                                            \
                                          (device, kind, object, address, handle, offset))                             \
                                            a(queue_wrap,                                                              \
                                              (void *device, uint32_t kind, void *handle,                              \
                                               const quern_queue_options *options, quern_progress *progress,           \
                                               void **queue),                                                          \
                                              (device, kind, handle, options, progress,                                \
                                               queue)) a(memory_wrap,                                                  \
                                                         (void *device, uint32_t kind, void *handle, size_t bytes,     \
                                                          void **memory),                                              \
                                                         (device, kind, handle, bytes, memory))                        \
                                                a(kernel_wrap,                                                         \
                                                  (void *device, const quern_kernel *kernel, uint32_t kind,            \
                                                   void *handle, void **compiled, quern_kernel_limits *limits),        \
                                                  (device, kernel, kind, handle, compiled, limits))                    \
                                                    a(graph_begin, (void *queue, void **recorder),                     \
                                                      (queue, recorder)) a(graph_end, (void *recorder, void **graph),  \
                                                                           (recorder, graph))                          \
                                                        a(graph_launch, (void *queue, uint64_t number, void *graph),   \
                                                          (queue, number, graph))                                      \
                                                            v(graph_release, (void *device, void *graph),              \
                                                              (device, graph))
#define FOR_ALL(each) FUNCTIONS(each, each, each)

#define PLACE(name, parameters, arguments) AT_##name,
enum { FOR_ALL(PLACE) PLACES, NO_FUNCTIONS = 3 /* finishes_all, native_kinds, declines_waits */ };
_Static_assert(PLACES + NO_FUNCTIONS ==
                   (sizeof(quern_backend) - offsetof(quern_backend, start)) / sizeof(void (*)(void)),
               "a function of quern_backend is missing in FUNCTIONS");

#define NAME(name, parameters, arguments) #name,
static const char *const names[] = {FOR_ALL(NAME)};

static _Atomic int seen[PLACES], on_a_task[PLACES], elsewhere[PLACES];
static pthread_t tasks_thread;

static void note(int place)
{
    atomic_fetch_add(&seen[place], 1);
    atomic_fetch_add(&on_a_task[place], quern_coroutine_self != NULL);
    if (pthread_equal(pthread_self(), tasks_thread))
        MUST(!task.meanwhile); /* else it would wait here for what another task is to do */
    else
        atomic_fetch_add(&elsewhere[place], 1);
}

static void forget(void)
{
    for (int i = 0; i < PLACES; ++i) {
        atomic_store(&seen[i], 0);
        atomic_store(&on_a_task[i], 0);
        atomic_store(&elsewhere[i], 0);
    }
    task.calls = task.parks = other_task.calls = other_task.parks = 0;
}

/* What is behind the watch. */
static _Atomic int refused_place = PLACES; /* the function that fails */
static gate *build_gate;                   /* that the next build of a kernel passes */

static quern_status watch_build(void *device, const quern_kernel *kernel, void **compiled, quern_kernel_limits *limits)
{
    gate *g = build_gate;
    build_gate = NULL;
    if (g)
        (void)gate_pass(g);
    return variant_build(device, kernel, compiled, limits);
}

static quern_status watch_configuration(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                        const size_t *extents, size_t max_items, size_t *group)
{
    (void)device, (void)kernel, (void)compiled, (void)extents, (void)max_items;
    for (uint32_t d = 0; d < rank; ++d)
        group[d] = 1;
    return QUERN_SUCCESS;
}

static int watch_peer_reach(void *device, void *other)
{
    (void)device, (void)other;
    return 1;
}

static quern_status watch_peer_copy(void *queue, uint64_t number, const quern_backend_copy *copy, void *target_device,
                                    void *source_device)
{
    (void)target_device, (void)source_device;
    return variant_copy(queue, number, copy);
}

static quern_status watch_queue_allocate(void *queue, uint64_t number, size_t bytes, size_t alignment, void **memory)
{
    variant_command *command = new_command(queue, number, SIGNAL); /* a command that does nothing */
    MUST(command);
    ok(variant_allocate(NULL, bytes, alignment, QUERN_MEMORY_QUEUE, memory));
    return push_command(queue, command);
}

enum { A_DEVICE = 150, A_QUEUE = 250, A_MEMORY = 350, A_MODULE = 450 };
static const uint32_t kinds[] = {A_DEVICE, A_QUEUE, A_MEMORY, A_MODULE, 0};

static quern_status watch_native(void *device, uint32_t kind, void *object, void *address, void **handle,
                                 size_t *offset)
{
    (void)kind, (void)address;
    *handle = object ? object : device;
    *offset = 0;
    return QUERN_SUCCESS;
}

static quern_status watch_queue_wrap(void *device, uint32_t kind, void *handle, const quern_queue_options *options,
                                     quern_progress *progress, void **queue)
{
    (void)kind, (void)handle;
    return variant_queue_create(device, options, progress, queue);
}

static quern_status watch_memory_wrap(void *device, uint32_t kind, void *handle, size_t bytes, void **memory)
{
    (void)kind, (void)handle;
    return variant_allocate(device, bytes, VARIANT_ALIGNMENT, QUERN_MEMORY_WRAPPED, memory);
}

static quern_status watch_kernel_wrap(void *device, const quern_kernel *kernel, uint32_t kind, void *handle,
                                      void **compiled, quern_kernel_limits *limits)
{
    (void)kind, (void)handle;
    return variant_build(device, kernel, compiled, limits);
}

/* A recorder, that copies and fills come to instead of a queue, and what it has recorded: no more than that. */
static char recorder_place, recorded_place;

static quern_status watch_graph_begin(void *queue, void **recorder)
{
    (void)queue;
    *recorder = &recorder_place;
    return QUERN_SUCCESS;
}

static quern_status watch_graph_end(void *recorder, void **graph)
{
    MUST(recorder == &recorder_place);
    if (graph)
        *graph = &recorded_place;
    return QUERN_SUCCESS;
}

static quern_status watch_graph_launch(void *queue, uint64_t number, void *graph)
{
    MUST(graph == &recorded_place);
    variant_command *command = new_command(queue, number, SIGNAL); /* a command that does nothing */
    MUST(command);
    return push_command(queue, command);
}

static void watch_graph_release(void *device, void *graph)
{
    (void)device;
    MUST(graph == &recorded_place);
}

static quern_status watch_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    return queue == &recorder_place ? QUERN_SUCCESS : variant_fill(queue, number, fill);
}

VARIANT(watch, 0, 0, 2, .fill = watch_fill, .call = variant_call, .wait = variant_wait, .record = variant_record,
        .help = variant_help, .launch_configuration = watch_configuration, .peer_reach = watch_peer_reach,
        .peer_copy = watch_peer_copy, .queue_allocate = watch_queue_allocate, .native_kinds = kinds,
        .native = watch_native, .queue_wrap = watch_queue_wrap, .memory_wrap = watch_memory_wrap,
        .kernel_wrap = watch_kernel_wrap, .graph_begin = watch_graph_begin, .graph_end = watch_graph_end,
        .graph_launch = watch_graph_launch, .graph_release = watch_graph_release);

/* The same with the watch in front. A driver's queues have no help: their commands on a blocking queue are waits. */
static quern_backend behind, watched, driver;

#define GIVES(name, parameters, arguments)                                                                             \
    static quern_status watched_##name parameters                                                                      \
    {                                                                                                                  \
        note(AT_##name);                                                                                               \
        return atomic_load(&refused_place) == AT_##name ? refuse() : behind.name arguments;                            \
    }
#define GIVES_INT(name, parameters, arguments)                                                                         \
    static int watched_##name parameters                                                                               \
    {                                                                                                                  \
        note(AT_##name);                                                                                               \
        return behind.name arguments;                                                                                  \
    }
#define GIVES_NOTHING(name, parameters, arguments)                                                                     \
    static void watched_##name parameters                                                                              \
    {                                                                                                                  \
        note(AT_##name);                                                                                               \
        behind.name arguments;                                                                                         \
    }

static quern_status refuse(void)
{
    atomic_store(&refused_place, PLACES);
    return (variant_host->fail)(QUERN_DEVICE_LOST, "%600s: the mill is gone", "so that the sentence is long");
}

FUNCTIONS(GIVES, GIVES_INT, GIVES_NOTHING)

static int add_watched(void **state)
{
#define WATCH(name, parameters, arguments) watched.name = watched_##name;
    tasks_thread = pthread_self();
    behind = watch_backend;
    behind.kernel_build = watch_build;
    watched = watch_backend;
    FOR_ALL(WATCH)
    driver = watched;
    driver.name = "driver";
    driver.help = NULL;
    ok(quern_backends_add(&watched, NULL, "the test"));
    ok(quern_backends_add(&driver, NULL, "the test"));
    return add_variants(state);
}

#endif
