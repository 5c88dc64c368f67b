/*
 * What the tests of graphs on real devices share: which there are, and work that has every kind of command. Who
 * includes this has included graph.k.h, by which the build knows that the file is needed.
 */
#ifndef QUERN_TEST_GRAPH_WORK_H
#define QUERN_TEST_GRAPH_WORK_H

#include "runtime_test.h"

#include <unistd.h>

#include "fake_cuda_look_up.h"

enum { N = 1003, ROWS = 17, COLUMNS = 59 }; /* as many elements */

/* ---- devices ---- */

static const char *const names[] = {"cpu:0", "minimal:0", "cuda:0", "cuda:1", "opencl:0"};
enum { NAMES = sizeof names / sizeof *names };
static const char *present[NAMES];
static size_t present_count;

static fake_cuda_get_counts_function *get_counts;
static fake_cuda_calls_function *count_calls;
static fake_cuda_fail_at_function *fail_at;
static fake_cuda_has_failed_function *has_failed;

static int find_devices(void **state)
{
    (void)state;
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    look_up(library, "fake_cuda_get_counts", &get_counts);
    look_up(library, "fake_cuda_calls", &count_calls);
    look_up(library, "fake_cuda_fail_at", &fail_at);
    look_up(library, "fake_cuda_has_failed", &has_failed);
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    setenv("QUERN_NVRTC_LIBRARY", QUERN_FAKE_NVRTC, 1);
    setenv("QUERN_FAKE_CUDA_DEVICES", "2", 1);
    ok(quern_backend_load(QUERN_PLUGINS "/minimal.so"));
    for (size_t i = 0; i < NAMES; ++i) {
        quern_device *device = NULL;
        if (quern_device_open(names[i], &device) == QUERN_SUCCESS) {
            ok(quern_device_release(device));
            present[present_count++] = names[i];
        } else {
            assert_string_equal(names[i], "opencl:0"); /* all others are there */
            print_message("without %s: %s\n", names[i], quern_last_error());
        }
    }
    return 0;
}

static int nothing_is_left(void **state)
{
    (void)state;
    fake_cuda_counts counts;
    ok(quern_shutdown());
    get_counts(&counts);
    assert_int_equal(counts.left_behind, 0);
    assert_int_equal(counts.violations, 0);
    assert_int_equal(counts.contexts, 0);
    return 0;
}

static inline int is_cuda(const char *name)
{
    return strncmp(name, "cuda", 4) == 0;
}

/* ---- work: what is captured, and what is submitted to compare with ---- */

typedef struct work {
    quern_device *device, *other;
    quern_queue *queue, *second; /* of device, and of other */
    quern_buffer *x, *y, *z;     /* of device */
    quern_buffer *far;           /* of other */
    uint64_t host[N], back[N];
    int calls;
    size_t launch; /* the command that is one of graph_mix(x, y, 5) */
    size_t other_launch;
} work;

static quern_status count_up(void *argument)
{
    __atomic_fetch_add((int *)argument, 1, __ATOMIC_SEQ_CST);
    return QUERN_SUCCESS;
}

static quern_span span_of(uint64_t *memory)
{
    quern_layout layout;
    quern_span span;
    ok(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &layout));
    ok(quern_span_make(memory, &layout, &span));
    return span;
}

static void start_values(work *w)
{
    for (size_t i = 0; i < N; ++i) {
        w->host[i] = 7 * i + 1;
        w->back[i] = 0;
    }
    quern_const_span span = quern_span_as_const(span_of(w->host));
    ok(quern_copy_from_host(w->queue, QUERN_VIEW(w->x), span));
    ok(quern_copy_from_host(w->queue, QUERN_VIEW(w->y), span));
    ok(quern_copy_from_host(w->queue, QUERN_VIEW(w->z), span));
    ok(quern_copy_from_host(w->second, QUERN_VIEW(w->far), span));
    ok(quern_queue_synchronize(w->queue));
    ok(quern_queue_synchronize(w->second));
    w->calls = 0;
}

static void make_work(work *w, const char *name, const char *other)
{
    w->device = open_device(name);
    w->other = open_device(other);
    w->queue = make_queue(w->device, 0, "first");
    w->second = make_queue(w->other, 0, "second");
    w->x = make_buffer(w->device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
    w->y = make_buffer(w->device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
    w->z = make_buffer(w->device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
    w->far = make_buffer(w->other, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
    start_values(w);
}

static void release_work(work *w)
{
    ok(quern_buffer_release(w->x));
    ok(quern_buffer_release(w->y));
    ok(quern_buffer_release(w->z));
    ok(quern_buffer_release(w->far));
    ok(quern_queue_release(w->queue));
    ok(quern_queue_release(w->second));
}

/* A part of a buffer that begins at an odd place. */
static quern_view part_of(quern_buffer *buffer, size_t begin, size_t count)
{
    quern_view part;
    ok(quern_view_sub(QUERN_VIEW(buffer), &begin, QUERN_EXTENTS(count), &part));
    return part;
}

static void note_last(quern_queue *queue, size_t *command)
{
    if (quern_graph_last_command(queue, command) != QUERN_SUCCESS)
        *command = SIZE_MAX; /* it was submitted */
}

/* Every kind of command, on both queues, with dependencies in both directions. a is the value of two launches. */
static void submit_all(work *w, uint64_t a)
{
    quern_event *event = NULL;
    uint64_t odd = 0x0123456789abcdef, same = 0x1111111111111111;
    ok(graph_mix(w->queue, QUERN_RANGE(N), QUERN_CONST_VIEW(w->x), QUERN_VIEW(w->y), a));
    note_last(w->queue, &w->launch);
    ok(graph_turn(w->queue, quern_range_with_group(QUERN_RANGE(N), QUERN_EXTENTS(64)), QUERN_VIEW(w->x), 64));
    ok(quern_fill(w->queue, part_of(w->z, 3, 700), QUERN_TYPE(uint64_t), &odd)); /* a value that is read again */
    ok(quern_fill(w->queue, part_of(w->z, 801, 7), QUERN_TYPE(uint64_t), &same));
    ok(quern_copy(w->queue, part_of(w->z, 5, 90), quern_view_as_const(part_of(w->y, 11, 90))));
    odd = same = 0;
    ok(graph_mix(w->queue, QUERN_RANGE(0), QUERN_CONST_VIEW(w->x), QUERN_VIEW(w->y), a)); /* nothing */
    ok(quern_copy(w->second, QUERN_VIEW(w->far), QUERN_CONST_VIEW(w->y)));                /* after the first queue */
    refused(graph_mix(w->second, QUERN_RANGE(N), QUERN_CONST_VIEW(w->far), QUERN_VIEW(w->far), a), QUERN_OVERLAP,
            "'y'");
    ok(graph_turn(w->second, quern_range_with_group(QUERN_RANGE(N), QUERN_EXTENTS(32)), QUERN_VIEW(w->far), 32));
    ok(quern_copy(w->queue, QUERN_VIEW(w->x), QUERN_CONST_VIEW(w->far))); /* after the second */
    ok(graph_mix(w->queue, QUERN_RANGE(N), QUERN_CONST_VIEW(w->z), QUERN_VIEW(w->x), a));
    note_last(w->queue, &w->other_launch);
    ok(quern_queue_call(w->queue, count_up, &w->calls));
    ok(quern_copy_to_host(w->queue, span_of(w->back), QUERN_CONST_VIEW(w->x)));
    ok(quern_event_record(w->queue, &event));
    ok(quern_queue_wait(w->second, event)); /* for host memory, of which order knows nothing */
    ok(quern_queue_wait(w->queue, event));
    ok(quern_copy_from_host(w->second, QUERN_VIEW(w->far), quern_span_as_const(span_of(w->back))));
    ok(quern_event_release(event));
}

static void read_all(work *w, uint64_t result[5][N])
{
    quern_buffer *buffers[4] = {w->x, w->y, w->z, w->far};
    ok(quern_queue_synchronize(w->queue));
    ok(quern_queue_synchronize(w->second));
    for (int i = 0; i < 4; ++i) {
        quern_queue *queue = i == 3 ? w->second : w->queue;
        ok(quern_copy_to_host(queue, span_of(result[i]), QUERN_CONST_VIEW(buffers[i])));
        ok(quern_queue_synchronize(queue));
    }
    memcpy(result[4], w->back, sizeof w->back);
}

static void expect_same(uint64_t wanted[5][N], uint64_t found[5][N])
{
    for (size_t i = 0; i < 5; ++i)
        for (size_t k = 0; k < N; ++k)
            if (wanted[i][k] != found[i][k])
                fail_msg("array %zu has %llx at %zu, wanted %llx", i, (unsigned long long)found[i][k], k,
                         (unsigned long long)wanted[i][k]);
}

static quern_graph *capture_all(work *w, uint64_t a)
{
    quern_graph *graph = NULL;
    quern_queue *queues[2] = {w->queue, w->second};
    ok(quern_graph_begin(queues, 2));
    submit_all(w, a);
    ok(quern_graph_end(w->second, &graph));
    return graph;
}

static __attribute__((unused)) uint64_t wanted[5][N], found[5][N];

#endif
