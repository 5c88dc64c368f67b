/* The devices of all OpenCL platforms: found and asked once, at the start. */
#ifndef QUERN_BACKEND_OPENCL_DEVICE_H
#define QUERN_BACKEND_OPENCL_DEVICE_H

#include "opencl_library.h"

#include "backend/device/device_list.h"

#include <quern/backend.h>

#include <pthread.h>

struct quern_opencl_program;

struct quern_opencl_device {
    cl_device_id id;
    cl_context context;
    quern_device_info info;
    int version;            /* of OpenCL: 12, 20, 30 */
    int is_cpu;             /* its items take contiguous pieces */
    int correctly_rounded;  /* it has the option for division and square root */
    int has_priorities;     /* cl_khr_priority_hints */
    int has_unified;        /* fine-grained shared virtual memory */
    uint32_t pointer_bytes; /* of an argument that is a pointer */
    size_t parameter_bytes; /* of all arguments of a kernel, at most */
    char *identity;         /* all that a compiled program depends on, one fact a line; malloc'ed */

    pthread_mutex_t lock;                  /* guards the rest */
    cl_command_queue map_queue;            /* maps pinned memory; made when it is first needed */
    struct quern_opencl_program *programs; /* that some kernel uses */
};

/* Asks the device, which is to have that number of the backend's, and makes its context. NULL: reason says why it
 * cannot be used. */
struct quern_opencl_device *quern_opencl_device_make(size_t number, cl_platform_id platform, cl_device_id id,
                                                     struct quern_device_reason *reason);
/* Releases all; nothing uses the device any more. */
void quern_opencl_device_free(struct quern_opencl_device *device);

#endif
