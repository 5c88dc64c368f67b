/* Kernels on a CUDA device: their variants, limits and group sizes. */
#ifndef QUERN_BACKEND_CUDA_KERNEL_H
#define QUERN_BACKEND_CUDA_KERNEL_H

#include "cuda_module.h"

struct quern_cuda_kernel {
    const quern_kernel *kernel;
    struct quern_cuda_device *device;
    int is_wrapped; /* of the user's module, which has one variant: 64 bits, linear */
    CUmodule wrapped;
    struct quern_cuda_kernel_variant {
        _Atomic(CUfunction) function; /* NULL until a launch needs it; set last */
        struct quern_cuda_module *module;
        size_t group_items;  /* the largest group */
        size_t static_local; /* bytes of the kernel's own arrays in local memory */
        size_t private_bytes;
        size_t registers; /* of an item */
    } variants[QUERN_CUDA_VARIANTS];
};

/* The variant, compiled and loaded unless it is there. The context is the thread's. */
quern_status quern_cuda_kernel_prepare(struct quern_cuda_kernel *kernel, int variant,
                                       const struct quern_cuda_kernel_variant **result);

/* The module and the function of the variant for 32-bit indices on the grid, or of the user's. */
quern_status quern_cuda_kernel_native(struct quern_cuda_kernel *kernel, CUmodule *module, CUfunction *function);

/* Functions of the backend's table. */
quern_status quern_cuda_kernel_wrap(void *device, const quern_kernel *kernel, uint32_t kind, void *handle,
                                    void **compiled, quern_kernel_limits *limits);
quern_status quern_cuda_kernel_build(void *device, const quern_kernel *kernel, void **compiled,
                                     quern_kernel_limits *limits);
void quern_cuda_kernel_release(void *device, void *compiled);
quern_status quern_cuda_launch_configuration(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                             const size_t *extents, size_t max_items, size_t *group);

#endif
