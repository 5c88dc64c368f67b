/*
 * Platforms and devices that are not there: as many as a test wants, which all are the first real one under handles of
 * their own. What the driver itself answers with a device (of a queue, say) is the real one.
 */
#ifndef QUERN_TESTS_OPENCL_SHIM_DEVICES_H
#define QUERN_TESTS_OPENCL_SHIM_DEVICES_H

#include "opencl_shim.h"

/* The real loader's functions. */
struct opencl_shim_real {
#define MEMBER(name, result, arguments) result(*name) arguments;
    QUERN_OPENCL_FUNCTIONS(MEMBER)
    QUERN_OPENCL_NEWER_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* clGetPlatformIDs and clGetDeviceIDs as the controls want them. */
cl_int opencl_shim_list_platforms(const struct opencl_shim_real *real, const struct quern_opencl_shim *shim, cl_uint n,
                                  cl_platform_id *list, cl_uint *count);
cl_int opencl_shim_list_devices(const struct opencl_shim_real *real, const struct quern_opencl_shim *shim,
                                cl_platform_id platform, cl_bitfield type, cl_uint n, cl_device_id *list,
                                cl_uint *count);

/* What a handle stands for: itself unless it is one of these. */
cl_platform_id opencl_shim_platform_of(cl_platform_id platform);
cl_device_id opencl_shim_device_of(cl_device_id device);

/* The same for lists; of devices that are not there only a list of one, of properties three words. The result is good
 * until the thread's next call. */
const cl_device_id *opencl_shim_devices_of(cl_uint count, const cl_device_id *devices);
const cl_property *opencl_shim_properties_of(const cl_property *properties);

/* The number of the device that is not there, from 1 and across all platforms; 0 for a real one. */
size_t opencl_shim_number_of(const struct quern_opencl_shim *shim, cl_device_id device);

#endif
