/* Memory of a CUDA device: its addresses are what the front end gets, so a view's address is what a kernel uses. */
#ifndef QUERN_BACKEND_CUDA_MEMORY_H
#define QUERN_BACKEND_CUDA_MEMORY_H

#include "cuda_queue.h"

#include <quern/buffer.h>

static inline CUdeviceptr quern_cuda_pointer(const void *address)
{
    return (CUdeviceptr)(uintptr_t)address;
}

/* Functions of the backend's table. */
quern_status quern_cuda_memory_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                        void **memory);
quern_status quern_cuda_queue_allocate(void *queue, uint64_t number, size_t bytes, size_t alignment, void **memory);
void quern_cuda_memory_free(void *device, void *memory, size_t bytes, quern_memory_kind kind);

#endif
