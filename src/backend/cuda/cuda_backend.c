/* The CUDA backend's table: finding the devices at the start, and letting them go. */
#include "cuda_backend.h"

#include "base/error.h"

#include "cuda_copy.h"
#include "cuda_device.h"
#include "cuda_error.h"
#include "cuda_graph.h"
#include "cuda_kernel.h"
#include "cuda_launch.h"
#include "cuda_memory.h"
#include "cuda_native.h"
#include "cuda_peer.h"
#include "cuda_queue.h"

/* What the functions that are used have been in since. */
enum { OLDEST_DRIVER = 11000 };

const quern_backend_host *quern_cuda_host;

static struct quern_device_list list = {.backend = "cuda", .api = "CUDA"};

/* ---- starting ---- */

/* A driver's failure at the start is no want of memory of this process. */
static quern_status driver_failed(CUresult error, const char *what)
{
    char text[QUERN_CUDA_ERROR_TEXT];
    return quern_fail(QUERN_SYSTEM_ERROR, "%s failed: the CUDA driver says %s", what,
                      quern_cuda_error_text(error, text));
}

static quern_status no_device(void)
{
    return quern_fail(QUERN_NOT_PRESENT, "the CUDA driver %s finds no device", quern_cuda_library_name());
}

static quern_status initialize(int *version)
{
    CUresult error = quern_cu.Init(0);
    if (error == CUDA_ERROR_NO_DEVICE)
        return no_device();
    if (error == CUDA_ERROR_STUB_LIBRARY)
        return quern_fail(QUERN_NOT_PRESENT, "%s only stands in for the CUDA driver when programs are linked",
                          quern_cuda_library_name());
    if (error)
        return driver_failed(error, "starting the CUDA driver");
    error = quern_cu.DriverGetVersion(version);
    if (error)
        return driver_failed(error, "asking the CUDA driver for its version");
    if (*version < OLDEST_DRIVER)
        return quern_fail(QUERN_NOT_SUPPORTED, "the CUDA driver is of CUDA %d.%d, wanted 11.0 or newer",
                          *version / 1000, *version % 1000 / 10);
    return QUERN_SUCCESS;
}

static quern_status find_devices(int version)
{
    int count = 0;
    CUresult error = quern_cu.DeviceGetCount(&count);
    if (error)
        return driver_failed(error, "asking the CUDA driver for its devices");
    if (count < 1)
        return no_device();
    quern_status status = quern_device_list_grow(&list, (size_t)count);
    if (status != QUERN_SUCCESS)
        return status;
    for (int i = 0; i < count; ++i)
        list.devices[i] = quern_cuda_device_make(i, version, &list.reasons[i]);
    quern_cuda_peers_find(&list);
    return quern_device_list_check(&list);
}

static void stop(void)
{
    for (size_t i = 0; i < list.count; ++i)
        if (list.devices[i])
            quern_cuda_device_free(list.devices[i]);
    quern_device_list_free(&list);
    quern_cuda_library_close();
}

static quern_status start(const quern_backend_host *host)
{
    int version = 0;
    quern_cuda_host = host;
    quern_status status = quern_cuda_library_open();
    if (status != QUERN_SUCCESS)
        return status;
    status = initialize(&version);
    if (status == QUERN_SUCCESS)
        status = find_devices(version);
    if (status != QUERN_SUCCESS)
        stop();
    return status;
}

/* ---- devices ---- */

static quern_status device_count(size_t *count)
{
    *count = list.count;
    return QUERN_SUCCESS;
}

static quern_status device_open(size_t index, void **device)
{
    return quern_device_list_open(&list, index, device);
}

static quern_status device_info(void *device, quern_device_info *info)
{
    *info = ((struct quern_cuda_device *)device)->info;
    return QUERN_SUCCESS;
}

/* There is no `call`: CUDA calls host functions in a stream's turn, but lets them call no CUDA. */
const quern_backend quern_cuda_backend = {
    .version = QUERN_BACKEND_VERSION,
    .size = sizeof(quern_backend),
    .name = "cuda",
    .start = start,
    .stop = stop,
    .device_count = device_count,
    .device_open = device_open,
    .device_info = device_info,
    .allocate = quern_cuda_memory_allocate,
    .free = quern_cuda_memory_free,
    .queue_create = quern_cuda_queue_create,
    .queue_destroy = quern_cuda_queue_destroy,
    .kernel_build = quern_cuda_kernel_build,
    .kernel_release = quern_cuda_kernel_release,
    .copy = quern_cuda_copy,
    .launch = quern_cuda_launch,
    .signal = quern_cuda_signal,
    .fill = quern_cuda_fill,
    .wait = quern_cuda_wait,
    .record = quern_cuda_record,
    .help = quern_cuda_help,
    .launch_configuration = quern_cuda_launch_configuration,
    .peer_reach = quern_cuda_peer_reach,
    .peer_copy = quern_cuda_peer_copy,
    .queue_allocate = quern_cuda_queue_allocate,
    .native_kinds = quern_cuda_native_kinds,
    .native = quern_cuda_native,
    .queue_wrap = quern_cuda_queue_wrap,
    .memory_wrap = quern_cuda_memory_wrap,
    .kernel_wrap = quern_cuda_kernel_wrap,
    .graph_begin = quern_cuda_graph_begin,
    .graph_end = quern_cuda_graph_end,
    .graph_launch = quern_cuda_graph_launch,
    .graph_release = quern_cuda_graph_release,
    .declines_waits = 1,
};
