/* The OpenCL backend's table: finding the devices at the start, and letting them go. */
#include "opencl_backend.h"

#include "base/error.h"

#include "opencl_copy.h"
#include "opencl_device.h"
#include "opencl_error.h"
#include "opencl_kernel.h"
#include "opencl_launch.h"
#include "opencl_memory.h"
#include "opencl_native.h"
#include "opencl_queue.h"
#include "opencl_tickets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const quern_backend_host *quern_opencl_host;

static struct quern_opencl_device **devices;
static size_t device_total;

/* ---- finding devices ---- */

/* A driver's failure, which is no want of memory of this process. */
static quern_status driver_failed(struct quern_opencl_reason *reason, cl_int error, const char *what)
{
    char text[QUERN_OPENCL_ERROR_TEXT];
    reason->status = QUERN_SYSTEM_ERROR;
    snprintf(reason->text, sizeof reason->text, "%s failed: the OpenCL driver says %s", what,
             quern_opencl_error_text(error, text));
    return reason->status;
}

/* The devices of one platform that can be used come behind those that are there. OUT_OF_MEMORY; a platform without any
 * is no failure. */
static quern_status add_platform(cl_platform_id platform, struct quern_opencl_reason *reason)
{
    cl_uint count = 0;
    cl_int error = quern_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (error == CL_DEVICE_NOT_FOUND || (!error && count == 0))
        return QUERN_SUCCESS;
    if (error) {
        (void)driver_failed(reason, error, "asking an OpenCL platform for its devices");
        return QUERN_SUCCESS;
    }
    cl_device_id *ids = calloc(count, sizeof(cl_device_id));
    struct quern_opencl_device **grown = realloc(devices, (device_total + count) * sizeof *grown);
    if (grown)
        devices = grown;
    if (!ids || !grown) {
        free(ids);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the list of OpenCL devices");
    }
    error = quern_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    if (error)
        (void)driver_failed(reason, error, "asking an OpenCL platform for its devices");
    for (cl_uint i = 0; !error && i < count; ++i)
        if (quern_opencl_device_make(platform, ids[i], &devices[device_total], reason) == QUERN_SUCCESS)
            ++device_total;
    free(ids);
    return QUERN_SUCCESS;
}

static quern_status no_platform(void)
{
    return quern_fail(QUERN_NOT_PRESENT, "the OpenCL loader %s knows no platform: no OpenCL driver is installed",
                      quern_opencl_library_name());
}

static quern_status find_devices(void)
{
    static const char asking[] = "asking the OpenCL loader for its platforms";
    struct quern_opencl_reason reason = {QUERN_SUCCESS, ""};
    cl_uint count = 0;
    cl_int error = quern_cl.GetPlatformIDs(0, NULL, &count);
    if (error == CL_PLATFORM_NOT_FOUND_KHR || (!error && count == 0))
        return no_platform();
    cl_platform_id *platforms = error ? NULL : calloc(count, sizeof(cl_platform_id));
    if (!error && !platforms)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the list of OpenCL platforms");
    if (!error)
        error = quern_cl.GetPlatformIDs(count, platforms, NULL);
    if (error) {
        free(platforms);
        return quern_fail_text(driver_failed(&reason, error, asking), reason.text);
    }
    quern_status status = QUERN_SUCCESS;
    for (cl_uint i = 0; status == QUERN_SUCCESS && i < count; ++i)
        status = add_platform(platforms[i], &reason);
    free(platforms);
    if (status != QUERN_SUCCESS || device_total)
        return status;
    if (reason.status != QUERN_SUCCESS)
        return quern_fail(reason.status, "no OpenCL device can be used: %s", reason.text);
    return quern_fail(QUERN_NOT_PRESENT, "OpenCL has %u platform%s, but no device", count, count == 1 ? "" : "s");
}

static void stop(void)
{
    for (size_t i = 0; i < device_total; ++i)
        quern_opencl_device_free(devices[i]);
    free(devices);
    devices = NULL;
    device_total = 0;
    quern_opencl_tickets_free();
    quern_opencl_library_close();
}

static quern_status start(const quern_backend_host *host)
{
    quern_opencl_host = host;
    quern_status status = quern_opencl_library_open();
    if (status != QUERN_SUCCESS)
        return status;
    status = find_devices();
    if (status != QUERN_SUCCESS)
        stop();
    return status;
}

/* ---- devices ---- */

static quern_status device_count(size_t *count)
{
    *count = device_total;
    return QUERN_SUCCESS;
}

static quern_status device_open(size_t index, void **device)
{
    if (index >= device_total)
        return quern_fail(QUERN_NOT_PRESENT, "device opencl:%zu is not there; there are %zu", index, device_total);
    *device = devices[index];
    snprintf(devices[index]->info.name, sizeof devices[index]->info.name, "opencl:%zu", index);
    return QUERN_SUCCESS;
}

static quern_status device_info(void *device, quern_device_info *info)
{
    *info = ((struct quern_opencl_device *)device)->info;
    return QUERN_SUCCESS;
}

const quern_backend quern_opencl_backend = {
    .version = QUERN_BACKEND_VERSION,
    .size = sizeof(quern_backend),
    .name = "opencl",
    .start = start,
    .stop = stop,
    .device_count = device_count,
    .device_open = device_open,
    .device_info = device_info,
    .allocate = quern_opencl_memory_allocate,
    .free = quern_opencl_memory_free,
    .queue_create = quern_opencl_queue_create,
    .queue_destroy = quern_opencl_queue_destroy,
    .kernel_build = quern_opencl_kernel_build,
    .kernel_release = quern_opencl_kernel_release,
    .copy = quern_opencl_copy,
    .launch = quern_opencl_launch,
    .signal = quern_opencl_signal,
    .fill = quern_opencl_fill,
    .record = quern_opencl_record,
    .help = quern_opencl_help,
    .launch_configuration = quern_opencl_launch_configuration,
    .native_kinds = quern_opencl_native_kinds,
    .native = quern_opencl_native,
    .queue_wrap = quern_opencl_queue_wrap,
    .memory_wrap = quern_opencl_memory_wrap,
};
