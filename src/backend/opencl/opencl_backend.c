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

const quern_backend_host *quern_opencl_host;

static struct quern_device_list list = {.backend = "opencl", .api = "OpenCL"};

/* ---- finding devices ---- */

/* The platform's number and, if it tells, its name. */
static const char *name_platform(cl_platform_id platform, cl_uint number, char text[QUERN_DEVICE_WHO])
{
    char name[128] = "";
    if (quern_cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL))
        name[0] = '\0';
    snprintf(text, QUERN_DEVICE_WHO, "platform %u%s%s%s", number, name[0] ? ", " : "", name, name[0] ? "," : "");
    return text;
}

/* A platform that does not list its devices: those that it has counted, or one device for all where it has not, cannot
 * be used. */
static void leave_out_platform(cl_platform_id platform, cl_uint number, size_t first, cl_int error)
{
    char name[QUERN_DEVICE_WHO], text[QUERN_OPENCL_ERROR_TEXT];
    name_platform(platform, number, name);
    for (size_t i = first; i < list.count; ++i)
        (void)quern_device_leave_out(&list.reasons[i], QUERN_SYSTEM_ERROR,
                                     "asking %s for its devices failed: the OpenCL driver says %s", name,
                                     quern_opencl_error_text(error, text));
}

/* The devices of one platform come behind those that are there. OUT_OF_MEMORY; a platform without any is no failure. */
static quern_status add_platform(cl_platform_id platform, cl_uint number)
{
    const size_t first = list.count;
    cl_uint count = 0;
    cl_int error = quern_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (error == CL_DEVICE_NOT_FOUND || (!error && count == 0))
        return QUERN_SUCCESS;
    quern_status status = quern_device_list_grow(&list, error ? 1 : count);
    if (status != QUERN_SUCCESS)
        return status;
    cl_device_id *ids = error ? NULL : calloc(count, sizeof(cl_device_id));
    if (!error && !ids)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the list of OpenCL devices");
    if (!error)
        error = quern_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    if (error)
        leave_out_platform(platform, number, first, error);
    for (size_t i = first; !error && i < list.count; ++i)
        list.devices[i] = quern_opencl_device_make(i, platform, ids[i - first], &list.reasons[i]);
    free(ids);
    return QUERN_SUCCESS;
}

static quern_status no_platform(void)
{
    return quern_fail(QUERN_NOT_PRESENT, "the OpenCL loader %s knows no platform: no OpenCL driver is installed",
                      quern_opencl_library_name());
}

/* Not OUT_OF_MEMORY, whatever the error: it is no want of memory of this process. */
static quern_status loader_failed(cl_int error)
{
    char text[QUERN_OPENCL_ERROR_TEXT];
    return quern_fail(QUERN_SYSTEM_ERROR,
                      "asking the OpenCL loader for its platforms failed: the OpenCL driver says %s",
                      quern_opencl_error_text(error, text));
}

static quern_status find_devices(void)
{
    cl_uint count = 0;
    cl_int error = quern_cl.GetPlatformIDs(0, NULL, &count);
    if (error == CL_PLATFORM_NOT_FOUND_KHR || (!error && count == 0))
        return no_platform();
    cl_platform_id *platforms = error ? NULL : calloc(count, sizeof(cl_platform_id));
    if (!error && !platforms)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the list of OpenCL platforms");
    if (!error)
        error = quern_cl.GetPlatformIDs(count, platforms, NULL);
    quern_status status = error ? loader_failed(error) : QUERN_SUCCESS;
    for (cl_uint i = 0; status == QUERN_SUCCESS && i < count; ++i)
        status = add_platform(platforms[i], i);
    free(platforms);
    if (status != QUERN_SUCCESS)
        return status;
    if (list.count)
        return quern_device_list_check(&list);
    return quern_fail(QUERN_NOT_PRESENT, "OpenCL has %u platform%s, but no device", count, count == 1 ? "" : "s");
}

static void stop(void)
{
    for (size_t i = 0; i < list.count; ++i)
        if (list.devices[i])
            quern_opencl_device_free(list.devices[i]);
    quern_device_list_free(&list);
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
    *count = list.count;
    return QUERN_SUCCESS;
}

static quern_status device_open(size_t index, void **device)
{
    return quern_device_list_open(&list, index, device);
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
