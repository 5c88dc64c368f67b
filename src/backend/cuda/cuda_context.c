/* The context of a device: making it, having it on the calling thread, losing it. */
#include "cuda_device.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- making ---- */

/* The device's lock is held. */
static quern_status make_context(struct quern_cuda_device *device)
{
    CUcontext context = NULL;
    CUresult error = quern_cu.DevicePrimaryCtxRetain(&context, device->id);
    if (error)
        return quern_cuda_fail(error, "making a context of %s", device->info.name);
    atomic_store_explicit(&device->context, context, memory_order_release);
    return QUERN_SUCCESS;
}

quern_status quern_cuda_context(struct quern_cuda_device *device, CUcontext *context)
{
    quern_status status = QUERN_SUCCESS;
    *context = atomic_load_explicit(&device->context, memory_order_acquire);
    if (*context)
        return QUERN_SUCCESS;
    pthread_mutex_lock(&device->lock);
    if (!atomic_load_explicit(&device->context, memory_order_relaxed))
        status = make_context(device);
    *context = atomic_load_explicit(&device->context, memory_order_relaxed);
    pthread_mutex_unlock(&device->lock);
    return status;
}

void quern_cuda_context_release(struct quern_cuda_device *device)
{
    if (atomic_load(&device->context))
        (void)quern_cu.DevicePrimaryCtxRelease(device->id);
    atomic_store(&device->context, NULL);
}

/* ---- on the thread ---- */

static quern_status is_lost(const struct quern_cuda_device *device, CUresult error)
{
    char text[QUERN_CUDA_ERROR_TEXT];
    return quern_fail(QUERN_DEVICE_LOST, "%s is lost: the CUDA driver said %s", device->info.name,
                      quern_cuda_error_text(error, text));
}

/* Pushed and popped instead of set: a thread of the user's keeps the context that it had, and forgets this one. */
quern_status quern_cuda_enter(struct quern_cuda_device *device)
{
    CUcontext context;
    CUresult error = atomic_load_explicit(&device->lost, memory_order_acquire);
    if (error)
        return is_lost(device, error);
    quern_status status = quern_cuda_context(device, &context);
    if (status != QUERN_SUCCESS)
        return status;
    error = quern_cu.CtxPushCurrent(context);
    return error ? quern_cuda_device_fail(device, error, "entering the context of %s", device->info.name)
                 : QUERN_SUCCESS;
}

void quern_cuda_leave(void)
{
    CUcontext context;
    (void)quern_cu.CtxPopCurrent(&context);
}

int quern_cuda_enter_to_release(struct quern_cuda_device *device)
{
    CUcontext context = atomic_load_explicit(&device->context, memory_order_acquire);
    /* Twice, since what is not released now would be there for good. */
    return context && (!quern_cu.CtxPushCurrent(context) || !quern_cu.CtxPushCurrent(context));
}

/* ---- losing ---- */

void quern_cuda_device_lose(struct quern_cuda_device *device, CUresult error)
{
    CUresult none = CUDA_SUCCESS;
    if (atomic_compare_exchange_strong(&device->lost, &none, error))
        quern_cuda_completion_wake(&device->completion);
}

quern_status quern_cuda_device_fail(struct quern_cuda_device *device, CUresult error, const char *what, ...)
{
    char begin[256];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(begin, sizeof begin, what, arguments);
    va_end(arguments);
    if (quern_cuda_error_is_sticky(error))
        quern_cuda_device_lose(device, error);
    return quern_cuda_fail(error, "%s", begin);
}

quern_status quern_cuda_handle_fail(struct quern_cuda_device *device, CUresult error, const char *wanted)
{
    char text[QUERN_CUDA_ERROR_TEXT];
    switch (error) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    /* A context that is not there is the handle's: the device's own was entered just before. */
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        return quern_fail(QUERN_INVALID_ARGUMENT, "handle is nothing that CUDA knows (it says %s), wanted %s of %s",
                          quern_cuda_error_text(error, text), wanted, device->info.name);
    default:
        return quern_cuda_device_fail(device, error, "asking for what handle is, wanted %s of %s,", wanted,
                                      device->info.name);
    }
}
