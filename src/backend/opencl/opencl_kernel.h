/* Kernels on an OpenCL device: their variants, limits and group sizes. */
#ifndef QUERN_BACKEND_OPENCL_KERNEL_H
#define QUERN_BACKEND_OPENCL_KERNEL_H

#include "opencl_program.h"

struct quern_opencl_kernel {
    const quern_kernel *kernel;
    struct quern_opencl_program *program;
    struct quern_opencl_kernel_variant {
        /* Held while arguments are set and the kernel is enqueued with them: OpenCL keeps them in the kernel. */
        pthread_mutex_t lock;
        cl_kernel handle;   /* NULL until a launch needs it */
        size_t group_items; /* the largest group */
        size_t multiple;    /* that group sizes should be multiples of */
        uint64_t set_by;    /* whose arguments it has (opencl_launch.c); 0: nobody's who would know */
    } variants[QUERN_OPENCL_VARIANTS];
};

/* The lock of the variant is held. Compiles it unless it is there. */
quern_status quern_opencl_kernel_prepare(struct quern_opencl_kernel *kernel, int variant);

/* Functions of the backend's table. */
quern_status quern_opencl_kernel_build(void *device, const quern_kernel *kernel, void **compiled,
                                       quern_kernel_limits *limits);
void quern_opencl_kernel_release(void *device, void *compiled);
quern_status quern_opencl_launch_configuration(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                               const size_t *extents, size_t max_items, size_t *group);

#endif
