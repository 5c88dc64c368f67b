/* Platforms and devices that are not there: a handle is the address of a byte of its own. */
#include "opencl_shim_devices.h"

enum { MOST_PLATFORMS = 8, MOST_DEVICES = 8 };

static char platforms[MOST_PLATFORMS], devices[MOST_PLATFORMS][MOST_DEVICES];
static cl_platform_id real_platform; /* that has a device */
static cl_device_id real_device;

/* ---- handles ---- */

/* The number of the byte, or -1 when the handle is none of them. */
static long place_of(const void *handle, const char *bytes, size_t size)
{
    uintptr_t distance = (uintptr_t)handle - (uintptr_t)bytes;
    return distance < size ? (long)distance : -1;
}

cl_platform_id opencl_shim_platform_of(cl_platform_id platform)
{
    return place_of(platform, platforms, sizeof platforms) < 0 ? platform : real_platform;
}

cl_device_id opencl_shim_device_of(cl_device_id device)
{
    return place_of(device, devices[0], sizeof devices) < 0 ? device : real_device;
}

const cl_device_id *opencl_shim_devices_of(cl_uint count, const cl_device_id *list)
{
    static _Thread_local cl_device_id one;
    if (count != 1 || !list)
        return list;
    one = opencl_shim_device_of(*list);
    return &one;
}

const cl_property *opencl_shim_properties_of(const cl_property *properties)
{
    static _Thread_local cl_property copy[3];
    if (!properties || properties[0] != CL_CONTEXT_PLATFORM || properties[2])
        return properties;
    copy[0] = CL_CONTEXT_PLATFORM;
    copy[1] = (cl_property)opencl_shim_platform_of((cl_platform_id)properties[1]);
    return copy;
}

size_t opencl_shim_number_of(const struct quern_opencl_shim *shim, cl_device_id device)
{
    long place = place_of(device, devices[0], sizeof devices);
    return place < 0 ? 0 : (size_t)place / MOST_DEVICES * shim->devices + (size_t)place % MOST_DEVICES + 1;
}

/* ---- lists ---- */

/* Finds the real ones. Without one the error is the driver's. */
static cl_int find_real(const struct opencl_shim_real *real)
{
    cl_platform_id list[16];
    cl_uint count = 0;
    cl_int error = real->GetPlatformIDs(sizeof list / sizeof *list, list, &count);
    if (error)
        return error;
    error = CL_DEVICE_NOT_FOUND;
    for (cl_uint i = 0; error && i < count && i < sizeof list / sizeof *list; ++i) {
        real_platform = list[i];
        error = real->GetDeviceIDs(list[i], CL_DEVICE_TYPE_ALL, 1, &real_device, NULL);
    }
    return error;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

cl_int opencl_shim_list_platforms(const struct opencl_shim_real *real, const struct quern_opencl_shim *shim, cl_uint n,
                                  cl_platform_id *list, cl_uint *count)
{
    if (!shim->platforms)
        return real->GetPlatformIDs(n, list, count);
    cl_int error = find_real(real);
    if (error)
        return error;
    size_t most = smaller(shim->platforms, MOST_PLATFORMS);
    for (size_t i = 0; list && i < smaller(n, most); ++i)
        list[i] = (cl_platform_id)(void *)&platforms[i];
    if (count)
        *count = (cl_uint)most;
    return CL_SUCCESS;
}

cl_int opencl_shim_list_devices(const struct opencl_shim_real *real, const struct quern_opencl_shim *shim,
                                cl_platform_id platform, cl_bitfield type, cl_uint n, cl_device_id *list,
                                cl_uint *count)
{
    long place = place_of(platform, platforms, sizeof platforms);
    if (place < 0)
        return real->GetDeviceIDs(platform, type, n, list, count);
    size_t most = smaller(shim->devices, MOST_DEVICES);
    for (size_t i = 0; list && i < smaller(n, most); ++i)
        list[i] = (cl_device_id)(void *)&devices[place][i];
    if (count)
        *count = (cl_uint)most;
    return most ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}
