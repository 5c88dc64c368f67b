/* OpenCL's own handles of devices, queues and memory, out and in; see quern/native.h. */
#ifndef QUERN_BACKEND_OPENCL_NATIVE_H
#define QUERN_BACKEND_OPENCL_NATIVE_H

#include <quern/backend.h>

/* The kinds that there are. */
extern const uint32_t quern_opencl_native_kinds[];

/* Functions of the backend's table. */
quern_status quern_opencl_native(void *device, uint32_t kind, void *object, void *address, void **handle,
                                 size_t *offset);
quern_status quern_opencl_queue_wrap(void *device, uint32_t kind, void *handle, const quern_queue_options *options,
                                     quern_progress *progress, void **queue);
quern_status quern_opencl_memory_wrap(void *device, uint32_t kind, void *handle, size_t bytes, void **memory);

#endif
