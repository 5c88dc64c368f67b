/* OpenCL's own handles. Those of the caller's are retained, so that they last as long as commands use them. */
#include "opencl_native.h"

#include "base/error.h"

#include "opencl_error.h"
#include "opencl_memory.h"
#include "opencl_queue.h"

const uint32_t quern_opencl_native_kinds[] = {QUERN_NATIVE_OPENCL_DEVICE, QUERN_NATIVE_OPENCL_CONTEXT,
                                              QUERN_NATIVE_OPENCL_QUEUE, QUERN_NATIVE_OPENCL_MEMORY, 0};

/* ---- out ---- */

/* The buffer that the address lies in, and the bytes from its begin. */
static quern_status find_buffer(struct quern_opencl_device *device, void *memory, const char *address, void **handle,
                                size_t *offset)
{
    const struct quern_opencl_memory *record = quern_opencl_memory_of(memory);
    if (!record->buffer)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "memory of the kind %s is no cl_mem on %s, wanted memory of the device or pinned memory",
                          record->kind == QUERN_MEMORY_UNIFIED ? "UNIFIED" : "HOST", device->info.name);
    *handle = record->buffer;
    *offset = (size_t)(address - (record->kind == QUERN_MEMORY_PINNED ? (char *)record->block : (char *)memory));
    return QUERN_SUCCESS;
}

quern_status quern_opencl_native(void *device_, uint32_t kind, void *object, void *address, void **handle,
                                 size_t *offset)
{
    struct quern_opencl_device *device = device_;
    switch (kind) {
    case QUERN_NATIVE_OPENCL_DEVICE:
        *handle = device->id;
        return QUERN_SUCCESS;
    case QUERN_NATIVE_OPENCL_CONTEXT:
        *handle = device->context;
        return QUERN_SUCCESS;
    case QUERN_NATIVE_OPENCL_QUEUE: {
        struct quern_opencl_queue *queue = object;
        queue->is_native = 1;
        *handle = queue->handle;
        return QUERN_SUCCESS;
    }
    default:
        return find_buffer(device, object, address, handle, offset);
    }
}

/* ---- in ---- */

/* What the driver says when it is asked for a handle of the caller's: that there is no such thing is his mistake. */
static quern_status handle_fail(const struct quern_opencl_device *device, cl_int error, const char *wanted)
{
    char text[QUERN_OPENCL_ERROR_TEXT];
    switch (error) {
    case CL_INVALID_VALUE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_MEM_OBJECT:
        return quern_fail(QUERN_INVALID_ARGUMENT, "handle is nothing that OpenCL knows (it says %s), wanted %s of %s",
                          quern_opencl_error_text(error, text), wanted, device->info.name);
    default:
        return quern_opencl_fail(error, "asking for what handle is, wanted %s of %s,", wanted, device->info.name);
    }
}

/* ---- queues ---- */

static quern_status check_queue(struct quern_opencl_device *device, cl_command_queue queue)
{
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_bitfield properties = 0;
    cl_int error = quern_cl.GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL);
    if (!error)
        error = quern_cl.GetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &id, NULL);
    if (!error)
        error = quern_cl.GetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (error)
        return handle_fail(device, error, "a cl_command_queue");
    if (context != device->context || id != device->id)
        return quern_fail(QUERN_WRONG_DEVICE,
                          "handle is a command queue of another context or device, wanted one of the context and the "
                          "device that quern_device_get_native gives for %s",
                          device->info.name);
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "handle is a command queue that runs out of order, wanted one that keeps its order");
    return QUERN_SUCCESS;
}

quern_status quern_opencl_queue_wrap(void *device_, uint32_t kind, void *handle, const quern_queue_options *options,
                                     quern_progress *progress, void **queue)
{
    (void)kind;
    struct quern_opencl_device *device = device_;
    if (!handle)
        return quern_fail(QUERN_INVALID_ARGUMENT, "handle is NULL, wanted a cl_command_queue");
    quern_status status = check_queue(device, handle);
    if (status != QUERN_SUCCESS)
        return status;
    cl_int error = quern_cl.RetainCommandQueue(handle);
    if (error)
        return handle_fail(device, error, "a cl_command_queue");
    status = quern_opencl_queue_make(device, handle, options->blocking, progress, queue);
    if (status == QUERN_SUCCESS)
        ((struct quern_opencl_queue *)*queue)->is_native = 1;
    return status;
}

/* ---- memory ---- */

static quern_status check_buffer(struct quern_opencl_device *device, cl_mem buffer, size_t bytes)
{
    cl_context context = NULL;
    cl_uint type = 0;
    size_t size = 0;
    cl_int error = quern_cl.GetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof(cl_context), &context, NULL);
    if (!error)
        error = quern_cl.GetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (!error)
        error = quern_cl.GetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (error)
        return handle_fail(device, error, "a cl_mem");
    if (context != device->context)
        return quern_fail(QUERN_WRONG_DEVICE,
                          "handle is memory of another context, wanted the one that quern_device_get_native gives for "
                          "%s",
                          device->info.name);
    if (type != CL_MEM_OBJECT_BUFFER)
        return quern_fail(QUERN_INVALID_ARGUMENT, "handle is a memory object of the type %#x, wanted a buffer (%#x)",
                          (unsigned)type, (unsigned)CL_MEM_OBJECT_BUFFER);
    if (size < bytes)
        return quern_fail(QUERN_INVALID_SHAPE, "layout takes %zu bytes, wanted at most the %zu of the native memory",
                          bytes, size);
    return QUERN_SUCCESS;
}

quern_status quern_opencl_memory_wrap(void *device_, uint32_t kind, void *handle, size_t bytes, void **memory)
{
    (void)kind;
    struct quern_opencl_device *device = device_;
    quern_status status = check_buffer(device, handle, bytes);
    if (status != QUERN_SUCCESS)
        return status;
    cl_int error = quern_cl.RetainMemObject(handle);
    if (error)
        return handle_fail(device, error, "a cl_mem");
    return quern_opencl_memory_make(handle, bytes, device->info.preferred_alignment, memory);
}
