/* Scenarios on launches and on programs that are loaded at run time. */
#include <string.h>

#include "fault.h"
#include "faults.k.h"
#include "scenario.h"

quern_status scenario_launches(void)
{
    enum { N = 1009 };
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_buffer *x = NULL, *y = NULL, *a = NULL, *b = NULL;
    const float one = 1, two = 2;
    const int32_t five = 5;
    static float host[N];
    static int32_t rows[7][3];
    const quern_range range = QUERN_RANGE(N);
    quern_layout layout;
    quern_span span;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &queue));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &x));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &y));
    TRY(quern_buffer_create(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 3), &a));
    TRY(quern_buffer_create(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 3), &b));
    TRY(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(float), &one));
    TRY(quern_fill(queue, QUERN_VIEW(y), QUERN_TYPE(float), &one));
    TRY(quern_fill(queue, QUERN_VIEW(a), QUERN_TYPE(int32_t), &five));
    TRY(fault_saxpy(queue, range, QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f)); /* 3 */
    const quern_const_view x_view = QUERN_CONST_VIEW(x);
    const quern_view y_view = QUERN_VIEW(y);
    const quern_argument arguments[3] = {quern_argument_const_view(&x_view), quern_argument_view(&y_view),
                                         quern_argument_value(QUERN_TYPE(float), &two)};
    TRY(quern_launch(queue, &fault_saxpy_kernel, &range, arguments, 3)); /* 5 */
    TRY(fault_rows(queue, QUERN_RANGE(7, 3), QUERN_CONST_VIEW(a), QUERN_VIEW(b)));
    TRY(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    TRY(quern_span_make(host, &layout, &span));
    TRY(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(y)));
    TRY(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 3), &layout));
    TRY(quern_span_make(rows, &layout, &span));
    TRY(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(b)));
    TRY(quern_queue_synchronize(queue));
    REQUIRE(host[0] == 5.0f && host[N - 1] == 5.0f);
    REQUIRE(rows[0][0] == 6 && rows[6][2] == 6);
out:
    if (queue)
        (void)quern_queue_synchronize(queue);
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_buffer_release(y));
    RELEASE(quern_buffer_release(a));
    RELEASE(quern_buffer_release(b));
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_device_release(device));
    return status;
}

/* Launches of a plain and a pitched kernel, so many of each. (A group kernel's scratch memory belongs to the thread
 * that runs it, and a thread may come to its first group at any time.) */
static quern_status launch_all(quern_queue *queue, quern_buffer *x, quern_buffer *y, quern_buffer *rows,
                               quern_buffer *more_rows, int times)
{
    quern_status status = QUERN_SUCCESS;
    for (int k = 0; k < times && status == QUERN_SUCCESS; ++k) {
        status = fault_saxpy(queue, QUERN_RANGE(1009), QUERN_CONST_VIEW(x), QUERN_VIEW(y), 1.0f);
        if (status == QUERN_SUCCESS)
            status = fault_rows(queue, QUERN_RANGE(7, 3), QUERN_CONST_VIEW(rows), QUERN_VIEW(more_rows));
        if (status == QUERN_SUCCESS && k % 8 == 7)
            status = quern_queue_synchronize(queue);
    }
    return status == QUERN_SUCCESS ? quern_queue_synchronize(queue) : status;
}

/* A launch allocates nothing once the first ones have been made. */
quern_status scenario_warm_launches(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_buffer *x = NULL, *y = NULL, *rows = NULL, *more_rows = NULL;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(1009), &x));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(1009), &y));
    TRY(quern_buffer_create(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 3), &rows));
    TRY(quern_buffer_create(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 3), &more_rows));
    for (int blocking = 0; blocking < 2; ++blocking) {
        const quern_queue_options options = {blocking, 0, NULL};
        TRY(quern_queue_create(device, &options, &queue));
        TRY(launch_all(queue, x, y, rows, more_rows, 64));
        size_t before = fault_calls();
        TRY(launch_all(queue, x, y, rows, more_rows, 64));
        /* A failed growth is tried again. */
        REQUIRE(fault_calls() == before || scenario_is_disturbed());
        TRY(quern_queue_release(queue));
        queue = NULL;
    }
out:
    if (queue)
        (void)quern_queue_synchronize(queue);
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_buffer_release(y));
    RELEASE(quern_buffer_release(rows));
    RELEASE(quern_buffer_release(more_rows));
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_device_release(device));
    return status;
}

/* A group kernel whose local memory and private variables need a thread's scratch to grow. */
quern_status scenario_groups(void)
{
    enum { GROUP = 128, N = 5 * GROUP, LOCAL_LENGTH = 32768 /* as much as a device may be asked for */ };
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_buffer *x = NULL;
    static double host[N];
    quern_range range = QUERN_RANGE(N), chosen;
    quern_layout layout;
    quern_span span;
    for (int i = 0; i < N; ++i)
        host[i] = i;
    TRY(quern_layout_packed(QUERN_TYPE(double), QUERN_EXTENTS(N), &layout));
    TRY(quern_span_make(host, &layout, &span));
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &queue));
    TRY(quern_launch_configuration(device, &fault_reverse_kernel, &range, &chosen));
    REQUIRE(chosen.group_rank == 1 && chosen.group[0] >= 1);
    range = quern_range_with_group(range, QUERN_EXTENTS(GROUP));
    TRY(quern_buffer_create(device, QUERN_TYPE(double), QUERN_EXTENTS(N), &x));
    TRY(quern_copy_from_host(queue, QUERN_VIEW(x), QUERN_CONST_SPAN(span)));
    TRY(fault_reverse(queue, range, QUERN_VIEW(x), LOCAL_LENGTH));
    TRY(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(x)));
    TRY(quern_queue_synchronize(queue));
    REQUIRE(host[0] == GROUP - 1 && host[GROUP] == 2 * GROUP - 1 && host[N - 1] == N - GROUP);
out:
    if (queue)
        (void)quern_queue_synchronize(queue);
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_device_release(device));
    return status;
}

quern_status scenario_programs(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_program *program = NULL, *retained = NULL;
    quern_kernel *kernel = NULL, *first = NULL;
    quern_buffer *x = NULL, *y = NULL;
    size_t count = 0;
    const quern_range range = QUERN_RANGE(13);
    const float one = 1;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_program_load(device, QUERN_SOURCE_DIR "/tests/faults/faults.k.c", &program));
    TRY(quern_program_retain(program));
    retained = program;
    TRY(quern_program_kernel_count(program, &count));
    REQUIRE(count == 3);
    TRY(quern_program_kernel_at(program, 0, &first));
    TRY(quern_kernel_prepare(first, device));
    TRY(quern_program_kernel(program, "fault_saxpy", &kernel));
    REQUIRE(kernel == first);
    TRY(quern_queue_create(device, NULL, &queue));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(13), &x));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(13), &y));
    TRY(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(float), &one));
    TRY(quern_fill(queue, QUERN_VIEW(y), QUERN_TYPE(float), &one));
    const quern_const_view x_view = QUERN_CONST_VIEW(x);
    const quern_view y_view = QUERN_VIEW(y);
    const quern_argument arguments[3] = {quern_argument_const_view(&x_view), quern_argument_view(&y_view),
                                         quern_argument_value(QUERN_TYPE(float), &one)};
    TRY(quern_launch(queue, kernel, &range, arguments, 3));
    TRY(quern_queue_synchronize(queue));
    REQUIRE(((const float *)y_view.span.address)[12] == 2.0f);
out:
    RELEASE(quern_program_release(program)); /* perhaps with the launch still queued: release never waits */
    RELEASE(quern_program_release(retained));
    if (queue)
        (void)quern_queue_synchronize(queue);
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_buffer_release(y));
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_device_release(device));
    return status;
}
