/* CUDA's own handles, out and in. */
#ifndef QUERN_BACKEND_CUDA_NATIVE_H
#define QUERN_BACKEND_CUDA_NATIVE_H

#include <quern/backend.h>

/* Functions of the backend's table; kernels are cuda_kernel.h's. */
extern const uint32_t quern_cuda_native_kinds[];
quern_status quern_cuda_native(void *device, uint32_t kind, void *object, void *address, void **handle, size_t *offset);
quern_status quern_cuda_queue_wrap(void *device, uint32_t kind, void *handle, const quern_queue_options *options,
                                   quern_progress *progress, void **queue);
quern_status quern_cuda_memory_wrap(void *device, uint32_t kind, void *handle, size_t bytes, void **memory);

#endif
