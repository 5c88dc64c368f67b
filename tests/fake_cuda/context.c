/* Primary contexts, which one is a thread's, and reaching each other's memory. */
#include "fake.h"

#include <stdlib.h>

enum { STACK = 64 };

/* Handles, since a context that is gone can still stand in a thread's stack. */
static _Thread_local struct {
    fc_context handles[STACK];
    int count;
} stack;

struct fake_context *fake_context_current(void)
{
    return stack.count ? fake_handle_find(FAKE_CONTEXT, stack.handles[stack.count - 1]) : NULL;
}

void fake_context_break(struct fake_context *context, fc_result error)
{
    if (!context->breaks_with)
        context->breaks_with = error;
    fake_schedule_still(context);
    context->error = context->breaks_with;
    fake_schedule_drop(context);
    fake_schedule_wake();
    pthread_cond_broadcast(&fake_changed);
}

/* ---- beginning and ending ---- */

static fc_result new_context(struct fake_device *device)
{
    struct fake_context *context = calloc(1, sizeof *context);
    if (!context)
        return FC_ERROR_OUT_OF_MEMORY;
    context->device = device;
    context->handle = fake_handle_make(FAKE_CONTEXT, context);
    if (!context->handle || fake_stream_new(context, FC_STREAM_DEFAULT, 0, &context->legacy) != FC_SUCCESS) {
        fake_handle_drop(context->handle);
        free(context);
        return FC_ERROR_OUT_OF_MEMORY;
    }
    device->context = context;
    return FC_SUCCESS;
}

/* Everything of the context goes with it. What a program should have given up before is counted. */
static void end_context(struct fake_context *context)
{
    size_t left = 0;
    if (!context->error)
        fake_wait_for_all(context);
    fake_schedule_settle(context);
    fake_schedule_wake();
    while (context->modules) {
        fake_module_free(context->modules);
        ++left;
    }
    while (context->events) {
        fake_event_free(context->events);
        ++left;
    }
    left += fake_graphs_drop(context);
    while (context->streams) {
        struct fake_stream *stream = context->streams;
        fake_capture_drop(stream);
        context->streams = stream->next;
        left += stream != context->legacy && !stream->is_destroyed;
        if (stream->handle)
            fake_handle_drop(stream->handle);
        free(stream);
    }
    left += fake_memory_drop(context);
    if (!context->error)
        fake_count_left(left);
    context->device->context = NULL;
    context->device->retained = 0;
    fake_handle_drop(context->handle);
    free(context);
}

static fc_result enter(const char *name, unsigned needs, fc_device device)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_INIT | needs);
    if (!error && (device < 0 || device >= fake_settings.devices))
        error = fake_leave(FC_ERROR_INVALID_DEVICE);
    return error;
}

fc_result cuDevicePrimaryCtxRetain(fc_context *context, fc_device device)
{
    fc_result error = enter("cuDevicePrimaryCtxRetain", 0, device);
    if (error)
        return error;
    if (!context)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    struct fake_device *owner = &fake_device_table[device];
    error = owner->context ? FC_SUCCESS : new_context(owner);
    if (!error) {
        ++owner->retained;
        *context = owner->context->handle;
    }
    return fake_leave(error);
}

fc_result cuDevicePrimaryCtxRelease_v2(fc_device device)
{
    fc_result error = enter("cuDevicePrimaryCtxRelease_v2", FAKE_RELEASES, device);
    if (error)
        return error;
    struct fake_device *owner = &fake_device_table[device];
    if (!owner->retained)
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    if (--owner->retained == 0)
        end_context(owner->context);
    return fake_leave(FC_SUCCESS);
}

fc_result cuDevicePrimaryCtxReset_v2(fc_device device)
{
    fc_result error = enter("cuDevicePrimaryCtxReset_v2", FAKE_RELEASES, device);
    if (error)
        return error;
    if (fake_device_table[device].context)
        end_context(fake_device_table[device].context);
    return fake_leave(FC_SUCCESS);
}

fc_result cuDevicePrimaryCtxSetFlags_v2(fc_device device, unsigned flags)
{
    fc_result error = enter("cuDevicePrimaryCtxSetFlags_v2", 0, device);
    if (error)
        return error;
    fake_device_table[device].flags = flags;
    return fake_leave((flags & FC_CTX_SCHED_MASK) == 3 || flags > 0xff ? FC_ERROR_INVALID_VALUE : FC_SUCCESS);
}

fc_result cuDevicePrimaryCtxGetState(fc_device device, unsigned *flags, int *active)
{
    fc_result error = enter("cuDevicePrimaryCtxGetState", 0, device);
    if (error)
        return error;
    if (!flags || !active)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    *flags = fake_device_table[device].flags;
    *active = fake_device_table[device].context != NULL;
    return fake_leave(FC_SUCCESS);
}

/* ---- a thread's ---- */

fc_result cuCtxSetCurrent(fc_context context)
{
    fc_result error = fake_enter("cuCtxSetCurrent", FAKE_NEEDS_INIT);
    if (error)
        return error;
    if (context && !fake_handle_find(FAKE_CONTEXT, context))
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    if (stack.count)
        --stack.count;
    if (context)
        stack.handles[stack.count++] = context;
    return fake_leave(FC_SUCCESS);
}

fc_result cuCtxGetCurrent(fc_context *context)
{
    fc_result error = fake_enter("cuCtxGetCurrent", FAKE_NEEDS_INIT);
    if (error)
        return error;
    if (context)
        *context = stack.count ? stack.handles[stack.count - 1] : NULL;
    return fake_leave(context ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuCtxPushCurrent_v2(fc_context context)
{
    fc_result error = fake_enter("cuCtxPushCurrent_v2", FAKE_NEEDS_INIT);
    if (error)
        return error;
    if (!fake_handle_find(FAKE_CONTEXT, context))
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    if (stack.count == STACK)
        return fake_leave(FC_ERROR_OUT_OF_MEMORY);
    stack.handles[stack.count++] = context;
    return fake_leave(FC_SUCCESS);
}

fc_result cuCtxPopCurrent_v2(fc_context *context)
{
    fc_result error = fake_enter("cuCtxPopCurrent_v2", FAKE_NEEDS_INIT | FAKE_RELEASES);
    if (error)
        return error;
    if (!stack.count)
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    --stack.count;
    if (context)
        *context = stack.handles[stack.count];
    return fake_leave(FC_SUCCESS);
}

fc_result cuCtxGetDevice(fc_device *device)
{
    fc_result error = fake_enter("cuCtxGetDevice", FAKE_NEEDS_INIT);
    if (error)
        return error;
    const struct fake_context *context = fake_context_current();
    if (!context || !device)
        return fake_leave(context ? FC_ERROR_INVALID_VALUE : FC_ERROR_INVALID_CONTEXT);
    *device = context->device->index;
    return fake_leave(FC_SUCCESS);
}

fc_result cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    fc_result error = fake_enter("cuCtxGetStreamPriorityRange", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return fake_leave(FC_SUCCESS);
}

fc_result cuCtxSynchronize(void)
{
    fc_result error = fake_enter("cuCtxSynchronize", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    struct fake_context *context = fake_context_current();
    fake_wait_for_all(context);
    return fake_leave(context->error);
}

/* ---- each other's memory ---- */

fc_result cuCtxEnablePeerAccess(fc_context peer, unsigned flags)
{
    fc_result error = fake_enter("cuCtxEnablePeerAccess", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    struct fake_context *context = fake_context_current(), *other = fake_handle_find(FAKE_CONTEXT, peer);
    if (!other || other == context)
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    if (flags)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    if (fake_settings.no_peer)
        return fake_leave(FC_ERROR_PEER_ACCESS_UNSUPPORTED);
    unsigned bit = 1u << other->device->index;
    if (context->peers & bit)
        return fake_leave(FC_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    context->peers |= bit;
    return fake_leave(FC_SUCCESS);
}

fc_result cuCtxDisablePeerAccess(fc_context peer)
{
    fc_result error = fake_enter("cuCtxDisablePeerAccess", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    struct fake_context *context = fake_context_current(), *other = fake_handle_find(FAKE_CONTEXT, peer);
    if (!other)
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    unsigned bit = 1u << other->device->index;
    if (!(context->peers & bit))
        return fake_leave(FC_ERROR_PEER_ACCESS_NOT_ENABLED);
    context->peers &= ~bit;
    return fake_leave(FC_SUCCESS);
}
