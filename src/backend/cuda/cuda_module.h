/*
 * Modules: what the driver made of an image.
 *
 * A kernel file's kernels share their images, and so their modules. Each is loaded when a launch needs it first. The
 * device's build lock is held by whoever calls these, and its context is the thread's.
 */
#ifndef QUERN_BACKEND_CUDA_MODULE_H
#define QUERN_BACKEND_CUDA_MODULE_H

#include "cuda_image.h"

struct quern_cuda_module {
    struct quern_cuda_module *next; /* of the device */
    const void *data;               /* of the image; not ours */
    int variant;
    int from_cache; /* what the text became was taken from the cache */
    size_t users;   /* kernels */
    CUmodule handle;
};

/* The kernel of that variant, and its module with one more user. PTX if the driver takes it, else the text.
 * NOT_SUPPORTED with the reasons, COMPILE_FAILED with the whole log. */
quern_status quern_cuda_module_kernel(struct quern_cuda_device *device, const quern_kernel *kernel, int variant,
                                      struct quern_cuda_module **module, CUfunction *function);

/* The kernel's function in a module of the caller's. NOT_FOUND; INVALID_ARGUMENT for what is no module. */
quern_status quern_cuda_module_function_of(struct quern_cuda_device *device, const quern_kernel *kernel,
                                           CUmodule handle, CUfunction *function);

/* The last user has it unloaded. */
void quern_cuda_module_release(struct quern_cuda_device *device, struct quern_cuda_module *module);

#endif
