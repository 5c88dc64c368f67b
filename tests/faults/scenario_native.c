/* Scenarios on memory in a queue's order, and on native handles. */
#include <string.h>

#include "faults.k.h"
#include "scenario.h"

enum { N = 1021 };

/* ---- memory in a queue's order ---- */

quern_status scenario_pool(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *one = NULL, *two = NULL;
    quern_buffer *x = NULL, *y = NULL;
    quern_layout layout;
    quern_pool_statistics statistics;
    const float value = 3;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &one));
    TRY(quern_queue_create(device, NULL, &two));
    TRY(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    for (int i = 0; i < 3; ++i) {
        TRY(quern_buffer_create_on_queue(one, QUERN_TYPE(float), QUERN_EXTENTS(N), &x));
        TRY(quern_fill(one, QUERN_VIEW(x), QUERN_TYPE(float), &value));
        TRY(quern_buffer_create_on_queue_with_layout(two, &layout, &y));
        TRY(quern_copy(two, QUERN_VIEW(y), QUERN_CONST_VIEW(x)));
        RELEASE(quern_buffer_release(x));
        x = NULL;
        TRY(quern_queue_synchronize(two));
        REQUIRE(((const float *)QUERN_SPAN(y).address)[N - 1] == 3.0f);
        RELEASE(quern_buffer_release(y));
        y = NULL;
    }
    TRY(quern_device_trim(device));
    TRY(quern_device_get_pool_statistics(device, &statistics));
    REQUIRE(statistics.requests >= 6);
out:
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_buffer_release(y));
    RELEASE(quern_queue_release(one));
    RELEASE(quern_queue_release(two));
    RELEASE(quern_device_release(device));
    return status;
}

/* ---- native handles ---- */

enum { OF_DEVICE = 150, OF_QUEUE = 250, OF_MEMORY = 350, OF_KERNEL = 450 };

/* A loaded backend stays for the life of the process: from the second run on it is there already. */
static quern_status open_backend(quern_device **device)
{
    if (quern_device_open("native_handles:0", device) == QUERN_SUCCESS)
        return QUERN_SUCCESS;
    quern_status status = quern_backend_load(QUERN_PLUGINS "/native_handles.so");
    if (status != QUERN_SUCCESS && status != QUERN_INVALID_ARGUMENT)
        return status;
    return quern_device_open("native_handles:0", device);
}

static void count_release(void *context)
{
    ++*(int *)context;
}

quern_status scenario_native(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queue = NULL, *wrapped = NULL;
    quern_buffer *x = NULL, *y = NULL;
    quern_layout layout;
    static float numbers[N];
    const float value = 2;
    void *handle = NULL, *memory = NULL;
    size_t offset = 0;
    int released = 0;
    memset(numbers, 0, sizeof numbers);
    TRY(open_backend(&device));
    TRY(quern_device_get_native(device, (quern_native_kind)OF_DEVICE, &handle));
    TRY(quern_queue_create(device, NULL, &queue));
    TRY(quern_queue_get_native(queue, (quern_native_kind)OF_QUEUE, &handle));
    TRY(quern_queue_create_from_native(device, (quern_native_kind)OF_QUEUE, handle, NULL, &wrapped));
    TRY(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &x));
    TRY(quern_buffer_wrap_native(device, (quern_native_kind)OF_MEMORY, numbers, &layout, count_release, &released, &y));
    TRY(quern_fill(wrapped, QUERN_VIEW(x), QUERN_TYPE(float), &value));
    TRY(quern_view_get_native(queue, QUERN_VIEW(x), (quern_native_kind)OF_MEMORY, &memory, &offset));
    REQUIRE(((const float *)memory)[N - 1] == 2.0f);
    ((float *)memory)[N - 1] = 5;
    TRY(quern_queue_synchronize(queue));
    status = quern_kernel_prepare_from_native(&fault_saxpy_kernel, device, (quern_native_kind)OF_KERNEL, numbers);
    if (status != QUERN_BUSY) /* it was wrapped before */
        TRY(status);
    TRY(quern_kernel_get_native(&fault_saxpy_kernel, device, (quern_native_kind)OF_KERNEL, &handle));
    TRY(fault_saxpy(wrapped, QUERN_RANGE(N), QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f));
    TRY(quern_queue_synchronize(wrapped));
    REQUIRE(numbers[0] == 4.0f && numbers[N - 1] == 10.0f);
out:
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_buffer_release(y));
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_queue_release(wrapped));
    RELEASE(quern_device_release(device));
    REQUIRE(released == (y != NULL));
    return status;
}
