/*
 * Compiled texts.
 *
 * A kernel file's kernels share one text, and a text becomes up to four programs: for 32- and 64-bit
 * indices, on the grid and linear. Each is compiled when a launch needs it first, or taken from the cache.
 */
#ifndef QUERN_BACKEND_OPENCL_PROGRAM_H
#define QUERN_BACKEND_OPENCL_PROGRAM_H

#include "opencl_device.h"

enum { QUERN_OPENCL_VARIANTS = 4 };

/* The number of the variant. */
static inline int quern_opencl_variant(uint32_t index_bits, uint32_t linear)
{
    return (index_bits == 64 ? 2 : 0) + (linear ? 1 : 0);
}

struct quern_opencl_program {
    struct quern_opencl_program *next; /* of the device */
    struct quern_opencl_device *device;
    const char *text; /* of the kernel file; not ours */
    size_t size;
    const char *target;   /* "opencl-c-1.2 strict"; not ours */
    const char *file;     /* the author's; not ours */
    size_t users;         /* kernels; under the device's lock */
    pthread_mutex_t lock; /* guards the rest */
    struct {
        cl_program program;
        int from_cache;
    } variants[QUERN_OPENCL_VARIANTS];
};

/* The program of the kernel's text, with one more user. NOT_SUPPORTED without a text for OpenCL, OUT_OF_MEMORY. */
quern_status quern_opencl_program_acquire(struct quern_opencl_device *device, const quern_kernel *kernel,
                                          struct quern_opencl_program **program);
/* The last user releases what was compiled. */
void quern_opencl_program_release(struct quern_opencl_program *program);

/* The kernel of that name of the variant, compiled if need be. COMPILE_FAILED with the driver's whole log. */
quern_status quern_opencl_program_kernel(struct quern_opencl_program *program, int variant, const char *name,
                                         cl_kernel *kernel);

#endif
