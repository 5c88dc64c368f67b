/* Scenarios on devices, queues, events, copies and their order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario.h"

/* A loaded backend stays for the life of the process: from the second run on it is there already. */
static quern_status load_backend(void)
{
    static int is_loaded;
    quern_status status = quern_backend_load(QUERN_PLUGINS "/minimal.so");
    if (!is_loaded) {
        is_loaded = status == QUERN_SUCCESS;
        return status;
    }
    return status == QUERN_INVALID_ARGUMENT ? QUERN_SUCCESS : status;
}

quern_status scenario_devices(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *opened = NULL, *foreign = NULL, *standard = NULL, *current = NULL;
    quern_device_info info;
    quern_status state;
    const char *name, *reason;
    size_t count;
    TRY(quern_backend_count(&count));
    REQUIRE(count >= 1);
    TRY(quern_backend_status(0, &name, &state, &reason));
    /* A backend that could not start for lack of memory says so, and is tried again by the undisturbed run. */
    REQUIRE(state == QUERN_SUCCESS || scenario_is_disturbed());
    for (size_t i = 0; i < count; ++i) {
        TRY(quern_backend_status(i, &name, &state, &reason));
        REQUIRE(!strstr(reason, "CL_OUT_OF_HOST_MEMORY")); /* the want is this process's, which may try again */
    }
    TRY(quern_device_count(&count));
    REQUIRE(count >= 1 || scenario_is_disturbed());
    if (count >= 1)
        TRY(quern_device_name(0, &name));
    TRY(quern_device_unusable_count(&count));
    if (count >= 1)
        TRY(quern_device_unusable(0, &name, &state, &reason));
    TRY(quern_device_open("cpu:0", &opened));
    TRY(quern_device_get_info(opened, &info));
    REQUIRE(strcmp(info.name, "cpu:0") == 0);
    TRY(load_backend());
    TRY(quern_device_open("minimal:0", &foreign));
    TRY(quern_device_default(&standard));
    TRY(quern_device_set_current(standard));
    TRY(quern_device_current(&current));
    REQUIRE(current == standard);
out:
    RELEASE(quern_device_release(opened));
    RELEASE(quern_device_release(foreign));
    RELEASE(quern_device_release(standard));
    return status;
}

quern_status scenario_queues(void)
{
    quern_status status = QUERN_SUCCESS;
    const quern_queue_options options = {.blocking = 1, .priority = 1, .name = "a blocking queue"};
    quern_device *device = NULL, *same = NULL;
    quern_queue *queue = NULL, *blocking = NULL, *retained = NULL;
    quern_queue_statistics statistics;
    int calls = 0, idle = 0;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &queue));
    TRY(quern_queue_create(device, &options, &blocking));
    TRY(quern_queue_retain(queue));
    retained = queue;
    TRY(quern_queue_device(queue, &same));
    REQUIRE(same == device);
    for (int i = 0; i < 5; ++i)
        TRY(quern_queue_call(queue, scenario_count_call, &calls));
    TRY(quern_queue_synchronize(queue));
    REQUIRE(calls == 5);
    TRY(quern_queue_call(blocking, scenario_count_call, &calls));
    REQUIRE(calls == 6);
    TRY(quern_queue_query(blocking, &idle));
    REQUIRE(idle);
    TRY(quern_queue_get_statistics(queue, &statistics));
    REQUIRE(statistics.commands >= 5 && statistics.finished >= 5);
out:
    if (queue)
        (void)quern_queue_synchronize(queue); /* calls lies on this stack */
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_queue_release(retained));
    RELEASE(quern_queue_release(blocking));
    RELEASE(quern_device_release(device));
    return status;
}

quern_status scenario_current(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device;
    quern_queue *queue, *again;
    int calls = 0;
    TRY(quern_device_current(&device));
    TRY(quern_queue_current(&queue));
    TRY(quern_queue_current(&again));
    REQUIRE(queue == again);
    TRY(quern_queue_call(queue, scenario_count_call, &calls));
    REQUIRE(calls == 1);
out:
    return status;
}

quern_status scenario_copies(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_buffer *first = NULL, *second = NULL;
    static int16_t host[7][3];
    const int16_t value = 11;
    const size_t offset[2] = {1, 1};
    quern_layout layout;
    quern_span span;
    quern_view view;
    quern_const_view const_view;
    memset(host, 0, sizeof host);
    TRY(quern_layout_packed(QUERN_TYPE(int16_t), QUERN_EXTENTS(7, 3), &layout));
    TRY(quern_span_make(host, &layout, &span));
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &queue));
    TRY(quern_buffer_create(device, QUERN_TYPE(int16_t), QUERN_EXTENTS(7, 3), &first));
    TRY(quern_buffer_create(device, QUERN_TYPE(int16_t), QUERN_EXTENTS(7, 3), &second));
    TRY(quern_copy_from_host(queue, QUERN_VIEW(first), QUERN_CONST_SPAN(span)));
    TRY(quern_fill(queue, QUERN_VIEW(second), QUERN_TYPE(int16_t), &value));
    TRY(quern_view_sub(QUERN_VIEW(first), offset, QUERN_EXTENTS(5, 2), &view));
    TRY(quern_const_view_sub(QUERN_CONST_VIEW(second), offset, QUERN_EXTENTS(5, 2), &const_view));
    TRY(quern_copy(queue, view, const_view));
    TRY(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(first)));
    TRY(quern_queue_synchronize(queue));
    REQUIRE(host[0][0] == 0 && host[1][0] == 0 && host[1][1] == 11 && host[5][2] == 11 && host[6][2] == 0);
out:
    if (queue)
        (void)quern_queue_synchronize(queue); /* host must not change under the next scenario */
    RELEASE(quern_buffer_release(first));
    RELEASE(quern_buffer_release(second));
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_device_release(device));
    return status;
}

/* A program whose threads run no coroutine at present. */
static void *no_coroutine(void *user)
{
    return user;
}

static quern_status no_park(void *user, void *self)
{
    (void)user;
    (void)self;
    return QUERN_INTERNAL;
}

static void no_unpark(void *user, void *self)
{
    (void)user;
    (void)self;
}

quern_status scenario_events(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *first = NULL, *second = NULL;
    quern_event *begin = NULL, *end = NULL, *retained = NULL;
    const quern_wait_hooks hooks = {NULL, no_coroutine, no_park, no_unpark};
    int calls = 0, fd = -1;
    double seconds = -1;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &first));
    TRY(quern_queue_create(device, NULL, &second));
    TRY(quern_event_record(first, &begin));
    TRY(quern_queue_call(first, scenario_count_call, &calls));
    TRY(quern_event_record(first, &end));
    TRY(quern_event_retain(end));
    retained = end;
    TRY(quern_event_fd(end, &fd));
    TRY(quern_wait_hooks_set(&hooks));
    TRY(quern_queue_wait(second, end));
    TRY(quern_queue_call(second, scenario_count_call, &calls)); /* after the first: no race on calls */
    TRY(quern_queue_synchronize(second));
    REQUIRE(calls == 2);
    TRY(quern_event_wait(end));
    TRY(quern_event_query(begin));
    TRY(quern_event_elapsed(begin, end, &seconds));
    REQUIRE(seconds >= 0);
out:
    if (second)
        (void)quern_queue_synchronize(second);
    if (first)
        (void)quern_queue_synchronize(first);
    if (fd >= 0)
        close(fd);
    RELEASE(quern_wait_hooks_set(NULL));
    RELEASE(quern_event_release(begin));
    RELEASE(quern_event_release(end));
    RELEASE(quern_event_release(retained));
    RELEASE(quern_queue_release(first));
    RELEASE(quern_queue_release(second));
    RELEASE(quern_device_release(device));
    return status;
}

/* Many boxes of one buffer used by several queues: the record of uses and the tables of order have to grow. */
quern_status scenario_order(void)
{
    enum { QUEUES = 5, ROWS = 61 };
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queues[QUEUES] = {NULL};
    quern_buffer *buffer = NULL;
    static int32_t host[ROWS][3];
    quern_layout layout;
    quern_span span;
    memset(host, 0, sizeof host);
    TRY(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, 3), &layout));
    TRY(quern_span_make(host, &layout, &span));
    TRY(quern_device_open("cpu:0", &device));
    for (int q = 0; q < QUEUES; ++q)
        TRY(quern_queue_create(device, NULL, &queues[q]));
    TRY(quern_buffer_create(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, 3), &buffer));
    for (int32_t row = 0; row < ROWS; ++row) {
        const size_t offset[2] = {(size_t)row, 0};
        quern_view view;
        TRY(quern_view_sub(QUERN_VIEW(buffer), offset, QUERN_EXTENTS(1, 3), &view));
        TRY(quern_fill(queues[row % QUEUES], view, QUERN_TYPE(int32_t), &row));
    }
    /* Reads all rows, so it waits for every queue; then the rows are written again, which waits for the read. */
    TRY(quern_copy_to_host(queues[0], span, QUERN_CONST_VIEW(buffer)));
    for (int q = 1; q < QUEUES; ++q) {
        const int32_t value = -q;
        const size_t offset[2] = {(size_t)q, 0};
        quern_view view;
        TRY(quern_view_sub(QUERN_VIEW(buffer), offset, QUERN_EXTENTS(1, 3), &view));
        TRY(quern_fill(queues[q], view, QUERN_TYPE(int32_t), &value));
    }
    for (int q = 0; q < QUEUES; ++q)
        TRY(quern_queue_synchronize(queues[q]));
    for (int32_t row = 0; row < ROWS; ++row)
        REQUIRE(host[row][0] == row && host[row][2] == row);
out:
    for (int q = 0; q < QUEUES; ++q)
        if (queues[q])
            (void)quern_queue_synchronize(queues[q]);
    for (int q = 0; q < QUEUES; ++q)
        RELEASE(quern_queue_release(queues[q]));
    RELEASE(quern_buffer_release(buffer));
    RELEASE(quern_device_release(device));
    return status;
}

static quern_status refuse(void *argument)
{
    (void)argument;
    return QUERN_HOST_FUNCTION_FAILED;
}

/* The host function's failure; in a disturbed run also whatever failed before it. */
static int is_told(quern_status status)
{
    return status == QUERN_HOST_FUNCTION_FAILED || (scenario_is_disturbed() && status == QUERN_OUT_OF_MEMORY);
}

/* A synchronise that tells of the failure. One that fails by itself does not lose it: the next one tells. */
static quern_status synchronize_failed(quern_queue *queue)
{
    quern_status status = quern_queue_synchronize(queue);
    REQUIRE(is_told(status));
    if (status == QUERN_OUT_OF_MEMORY) {
        REQUIRE(is_told(quern_queue_synchronize(queue)));
        return status;
    }
    return QUERN_SUCCESS;
}

/* A queue whose command fails by itself: said once, and whoever waits for it is told; then the queue goes on. */
quern_status scenario_failing_queue(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *failing = NULL, *waiting = NULL;
    quern_event *event = NULL;
    int skipped = 0, later = 0;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &failing));
    TRY(quern_queue_create(device, NULL, &waiting));
    TRY(quern_queue_call(failing, refuse, NULL));
    TRY(quern_queue_call(failing, scenario_count_call, &skipped));
    TRY(quern_event_record(failing, &event));
    TRY(quern_queue_wait(waiting, event));
    TRY(quern_queue_call(waiting, scenario_count_call, &skipped));
    TRY(synchronize_failed(failing));
    REQUIRE(is_told(quern_event_wait(event)));
    TRY(synchronize_failed(waiting));
    REQUIRE(skipped == 0);
    TRY(quern_queue_call(failing, scenario_count_call, &later));
    TRY(quern_queue_synchronize(failing));
    REQUIRE(later == 1);
out:
    if (failing)
        (void)quern_queue_synchronize(failing);
    if (waiting)
        (void)quern_queue_synchronize(waiting);
    RELEASE(quern_event_release(event));
    RELEASE(quern_queue_release(failing));
    RELEASE(quern_queue_release(waiting));
    RELEASE(quern_device_release(device));
    return status;
}
