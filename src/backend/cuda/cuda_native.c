/* CUDA's own handles. Those of the caller's are his: nothing is retained, as CUDA does not count. */
#include "cuda_native.h"

#include "base/error.h"

#include "cuda_kernel.h"
#include "cuda_memory.h"
#include "cuda_queue.h"

const uint32_t quern_cuda_native_kinds[] = {QUERN_NATIVE_CUDA_DEVICE,
                                            QUERN_NATIVE_CUDA_CONTEXT,
                                            QUERN_NATIVE_CUDA_STREAM,
                                            QUERN_NATIVE_CUDA_POINTER,
                                            QUERN_NATIVE_CUDA_MODULE,
                                            QUERN_NATIVE_CUDA_FUNCTION,
                                            0};

/* ---- out ---- */

static quern_status context_of(struct quern_cuda_device *device, void **handle)
{
    CUcontext context = NULL;
    quern_status status = quern_cuda_context(device, &context);
    if (status == QUERN_SUCCESS)
        *handle = context;
    return status;
}

/* Device, pinned and unified memory have one address for host and device; of other memory the driver knows nothing. */
static quern_status pointer_of(struct quern_cuda_device *device, void *address, void **handle)
{
    int ordinal = 0;
    quern_status status = quern_cuda_enter(device);
    if (status != QUERN_SUCCESS)
        return status;
    CUresult error =
        quern_cu.PointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, quern_cuda_pointer(address));
    quern_cuda_leave();
    if (error == CUDA_ERROR_INVALID_VALUE)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "memory of the kind HOST is no CUdeviceptr on %s, wanted memory of the device, or pinned or "
                          "unified memory",
                          device->info.name);
    if (error)
        return quern_cuda_device_fail(device, error, "asking %s for the memory at an address", device->info.name);
    *handle = address;
    return QUERN_SUCCESS;
}

static quern_status code_of(struct quern_cuda_kernel *kernel, uint32_t kind, void **handle)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    quern_status status = quern_cuda_kernel_native(kernel, &module, &function);
    if (status == QUERN_SUCCESS)
        *handle = kind == QUERN_NATIVE_CUDA_MODULE ? (void *)module : (void *)function;
    return status;
}

quern_status quern_cuda_native(void *device_, uint32_t kind, void *object, void *address, void **handle, size_t *offset)
{
    (void)offset; /* an address is itself where the memory begins */
    struct quern_cuda_device *device = device_;
    switch (kind) {
    case QUERN_NATIVE_CUDA_DEVICE:
        *handle = (void *)(intptr_t)device->id;
        return QUERN_SUCCESS;
    case QUERN_NATIVE_CUDA_CONTEXT:
        return context_of(device, handle);
    case QUERN_NATIVE_CUDA_STREAM:
        *handle = ((struct quern_cuda_queue *)object)->stream;
        return QUERN_SUCCESS;
    case QUERN_NATIVE_CUDA_POINTER:
        return pointer_of(device, address, handle);
    default:
        return code_of(object, kind, handle);
    }
}

/* ---- queues ---- */

/* The context is the thread's. */
static quern_status check_stream(struct quern_cuda_device *device, CUstream stream)
{
    CUcontext context = NULL;
    CUresult error = quern_cu.StreamGetCtx(stream, &context);
    if (error)
        return quern_cuda_handle_fail(device, error, "a CUstream");
    if (context != atomic_load(&device->context))
        return quern_fail(QUERN_WRONG_DEVICE,
                          "handle is a stream of another context, wanted one of the context that "
                          "quern_device_get_native gives for %s",
                          device->info.name);
    return QUERN_SUCCESS;
}

/* NULL is a stream as well, the context's own. */
quern_status quern_cuda_queue_wrap(void *device_, uint32_t kind, void *handle, const quern_queue_options *options,
                                   quern_progress *progress, void **queue)
{
    (void)kind;
    struct quern_cuda_device *device = device_;
    quern_status status = quern_cuda_enter(device);
    if (status != QUERN_SUCCESS)
        return status;
    status = check_stream(device, handle);
    if (status == QUERN_SUCCESS)
        status = quern_cuda_queue_make(device, handle, 1, options && options->blocking, progress, queue);
    quern_cuda_leave();
    return status;
}

/* ---- memory ---- */

/* The context is the thread's. By the device, not by the context, which memory of a pool does not have. */
static quern_status check_memory(struct quern_cuda_device *device, CUdeviceptr pointer, size_t bytes)
{
    int ordinal = -1;
    CUdeviceptr begin = 0;
    size_t size = 0;
    CUresult error = quern_cu.PointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer);
    if (!error && ordinal != device->ordinal)
        return quern_fail(QUERN_WRONG_DEVICE,
                          "handle is memory of CUDA's device %d, wanted memory of %s, its device %d", ordinal,
                          device->info.name, device->id);
    if (!error)
        error = quern_cu.MemGetAddressRange(&begin, &size, pointer);
    if (error)
        return quern_cuda_handle_fail(device, error, "a CUdeviceptr");
    if (size - (pointer - begin) < bytes)
        return quern_fail(QUERN_INVALID_SHAPE, "layout takes %zu bytes, wanted at most the %zu of the native memory",
                          bytes, (size_t)(size - (pointer - begin)));
    return QUERN_SUCCESS;
}

quern_status quern_cuda_memory_wrap(void *device_, uint32_t kind, void *handle, size_t bytes, void **memory)
{
    (void)kind;
    struct quern_cuda_device *device = device_;
    quern_status status = quern_cuda_enter(device);
    if (status != QUERN_SUCCESS)
        return status;
    status = check_memory(device, quern_cuda_pointer(handle), bytes);
    quern_cuda_leave();
    if (status == QUERN_SUCCESS)
        *memory = handle;
    return status;
}
