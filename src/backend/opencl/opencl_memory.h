/*
 * Memory of an OpenCL device.
 *
 * OpenCL 1.2 has no device addresses. So device memory is given as a range of address space that nothing
 * lies in: views do their arithmetic with it, the host faults when it touches it, and a difference of two addresses is
 * an offset in the buffer. The record of every allocation lies right in front of its first byte.
 */
#ifndef QUERN_BACKEND_OPENCL_MEMORY_H
#define QUERN_BACKEND_OPENCL_MEMORY_H

#include "opencl_device.h"

#include <quern/buffer.h>

struct quern_opencl_memory {
    quern_memory_kind kind;
    cl_mem buffer;     /* of device and pinned memory */
    void *block;       /* what was reserved, mapped or allocated */
    size_t block_size; /* of what was reserved */
};

static inline struct quern_opencl_memory *quern_opencl_memory_of(const void *memory)
{
    return (struct quern_opencl_memory *)(uintptr_t)memory - 1;
}

/* An address for device memory that is the buffer, whose reference is taken over, whatever becomes of it.
 * OUT_OF_MEMORY. */
quern_status quern_opencl_memory_make(cl_mem buffer, size_t bytes, size_t alignment, void **memory);

/* Functions of the backend's table. */
quern_status quern_opencl_memory_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                          void **memory);
void quern_opencl_memory_free(void *device, void *memory, size_t bytes, quern_memory_kind kind);

#endif
