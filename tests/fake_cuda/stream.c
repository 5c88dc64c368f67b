/* Streams, and what is queued on them beside kernels and copies. */
#include "fake.h"

#include <stdlib.h>

/* ---- finding and making ---- */

fc_result fake_stream_of(fc_stream handle, struct fake_stream **stream)
{
    struct fake_context *context = fake_context_current();
    if (handle == FC_STREAM_PER_THREAD)
        return FC_ERROR_NOT_SUPPORTED; /* by the fake */
    if (!handle || handle == FC_STREAM_LEGACY) {
        *stream = context ? context->legacy : NULL;
        return context ? FC_SUCCESS : FC_ERROR_INVALID_CONTEXT;
    }
    *stream = fake_handle_find(FAKE_STREAM, handle);
    return *stream ? (*stream)->context->error : FC_ERROR_INVALID_HANDLE;
}

/* A destroyed one that is through serves again: its numbers go on, so that nobody mistakes the old ones. */
static struct fake_stream *take_spare(struct fake_context *context)
{
    struct fake_stream *stream = context->streams;
    while (stream && !(stream->is_destroyed && stream->completed == stream->submitted))
        stream = stream->next;
    if (stream)
        stream->is_destroyed = 0;
    return stream;
}

fc_result fake_stream_new(struct fake_context *context, unsigned flags, int priority, struct fake_stream **stream)
{
    struct fake_stream *made = take_spare(context);
    if (!made) {
        made = calloc(1, sizeof *made);
        if (!made)
            return FC_ERROR_OUT_OF_MEMORY;
        made->context = context;
        made->next = context->streams;
        context->streams = made;
    }
    made->flags = flags;
    made->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority; /* as the driver does it */
    *stream = made;
    return FC_SUCCESS;
}

static fc_result create(const char *name, fc_stream *stream, unsigned flags, int priority)
{
    struct fake_stream *made = NULL;
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (!stream || flags > FC_STREAM_NON_BLOCKING)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    error = fake_stream_new(fake_context_current(), flags, priority, &made);
    if (error)
        return fake_leave(error);
    made->handle = fake_handle_make(FAKE_STREAM, made);
    made->is_destroyed = !made->handle;
    *stream = made->handle;
    return fake_leave(made->handle ? FC_SUCCESS : FC_ERROR_OUT_OF_MEMORY);
}

fc_result cuStreamCreate(fc_stream *stream, unsigned flags)
{
    return create("cuStreamCreate", stream, flags, 0);
}

fc_result cuStreamCreateWithPriority(fc_stream *stream, unsigned flags, int priority)
{
    return create("cuStreamCreateWithPriority", stream, flags, priority);
}

/* ---- with one stream ---- */

/* The begin of a function on a stream. */
static fc_result enter(const char *name, unsigned needs, fc_stream handle, struct fake_stream **stream)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT | needs);
    if (!error) {
        error = fake_stream_of(handle, stream);
        if (error)
            error = fake_leave(error);
    }
    return error;
}

/* What is queued still runs. */
fc_result cuStreamDestroy_v2(fc_stream handle)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamDestroy_v2", FAKE_RELEASES, handle, &stream);
    if (error)
        return error;
    if (!stream->handle)
        return fake_leave(FC_ERROR_INVALID_HANDLE);
    if (stream->capture)
        fake_violation("a stream is destroyed while it is captured");
    fake_capture_drop(stream);
    fake_handle_drop(handle);
    stream->handle = NULL;
    stream->is_destroyed = 1;
    return fake_leave(FC_SUCCESS);
}

fc_result cuStreamGetPriority(fc_stream handle, int *priority)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamGetPriority", 0, handle, &stream);
    if (error)
        return error;
    if (priority)
        *priority = stream->priority;
    return fake_leave(priority ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuStreamGetFlags(fc_stream handle, unsigned *flags)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamGetFlags", 0, handle, &stream);
    if (error)
        return error;
    if (flags)
        *flags = stream->flags;
    return fake_leave(flags ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuStreamGetCtx(fc_stream handle, fc_context *context)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamGetCtx", 0, handle, &stream);
    if (error)
        return error;
    if (context)
        *context = stream->context->handle;
    return fake_leave(context ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuStreamSynchronize(fc_stream handle)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamSynchronize", 0, handle, &stream);
    if (error)
        return error;
    struct fake_context *context = stream->context;
    error = fake_capture_touch(stream);
    if (error)
        return fake_leave(error);
    fake_schedule_wait(stream, stream->submitted);
    return fake_leave(context->error);
}

fc_result cuStreamQuery(fc_stream handle)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuStreamQuery", 0, handle, &stream);
    if (error)
        return error;
    error = fake_capture_touch(stream);
    if (error)
        return fake_leave(error);
    return fake_leave(stream->completed < stream->submitted ? FC_ERROR_NOT_READY : FC_SUCCESS);
}

/* ---- host functions and events ---- */

static fc_result submit(struct fake_stream *stream, const struct fake_command *like)
{
    struct fake_command *command = calloc(1, sizeof *command);
    if (!command)
        return FC_ERROR_OUT_OF_MEMORY;
    *command = *like;
    if (command->point)
        ++command->point->references;
    return fake_submit(stream, command);
}

fc_result cuLaunchHostFunc(fc_stream handle, fc_host_function *function, void *data)
{
    struct fake_stream *stream = NULL;
    fc_result error = enter("cuLaunchHostFunc", 0, handle, &stream);
    if (error)
        return error;
    struct fake_command like = {.what = FAKE_CALL, .function = function, .data = data};
    return fake_leave(function ? submit(stream, &like) : FC_ERROR_INVALID_VALUE);
}

static fc_result find_event(fc_event handle, struct fake_event **event)
{
    *event = fake_handle_find(FAKE_EVENT, handle);
    return *event ? (*event)->context->error : FC_ERROR_INVALID_HANDLE;
}

/* One that was never recorded is nothing to wait for. */
fc_result cuStreamWaitEvent(fc_stream handle, fc_event event_handle, unsigned flags)
{
    struct fake_stream *stream = NULL;
    struct fake_event *event = NULL;
    fc_result error = enter("cuStreamWaitEvent", 0, handle, &stream);
    if (error)
        return error;
    error = find_event(event_handle, &event);
    if (!error && flags > 1)
        error = FC_ERROR_INVALID_VALUE;
    if (error || !event->point)
        return fake_leave(error);
    struct fake_command like = {.what = FAKE_WAIT, .point = event->point};
    return fake_leave(submit(stream, &like));
}

fc_result cuEventCreate(fc_event *handle, unsigned flags)
{
    fc_result error = fake_enter("cuEventCreate", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    unsigned known = FC_EVENT_BLOCKING_SYNC | FC_EVENT_DISABLE_TIMING | FC_EVENT_INTERPROCESS;
    if (!handle || flags & ~known || (flags & FC_EVENT_INTERPROCESS && !(flags & FC_EVENT_DISABLE_TIMING)))
        return fake_leave(FC_ERROR_INVALID_VALUE);
    struct fake_event *event = calloc(1, sizeof *event);
    if (event)
        event->handle = fake_handle_make(FAKE_EVENT, event);
    if (!event || !event->handle) {
        free(event);
        return fake_leave(FC_ERROR_OUT_OF_MEMORY);
    }
    event->context = fake_context_current();
    event->flags = flags;
    event->next = event->context->events;
    event->context->events = event;
    *handle = event->handle;
    return fake_leave(FC_SUCCESS);
}

void fake_event_free(struct fake_event *event)
{
    struct fake_event **link = &event->context->events;
    while (*link != event)
        link = &(*link)->next;
    *link = event->next;
    fake_handle_drop(event->handle);
    fake_point_unref(event->point);
    free(event);
}

static fc_result enter_event(const char *name, unsigned needs, fc_event handle, struct fake_event **event)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT | needs);
    if (!error) {
        error = find_event(handle, event);
        if (error)
            error = fake_leave(error);
    }
    return error;
}

fc_result cuEventRecord(fc_event event_handle, fc_stream handle)
{
    struct fake_event *event = NULL;
    struct fake_stream *stream = NULL;
    fc_result error = enter_event("cuEventRecord", 0, event_handle, &event);
    if (error)
        return error;
    error = fake_stream_of(handle, &stream);
    if (!error && stream->context != event->context)
        error = FC_ERROR_INVALID_HANDLE;
    struct fake_point *point = error ? NULL : fake_point_new();
    if (!point)
        return fake_leave(error ? error : FC_ERROR_OUT_OF_MEMORY);
    struct fake_command like = {.what = FAKE_RECORD, .point = point};
    error = submit(stream, &like);
    if (error) {
        fake_point_unref(point);
    } else {
        fake_point_unref(event->point);
        event->point = point;
    }
    return fake_leave(error);
}

fc_result cuEventQuery(fc_event handle)
{
    struct fake_event *event = NULL;
    fc_result error = enter_event("cuEventQuery", 0, handle, &event);
    if (error)
        return error;
    return fake_leave(event->point && !event->point->is_done ? FC_ERROR_NOT_READY : FC_SUCCESS);
}

fc_result cuEventSynchronize(fc_event handle)
{
    struct fake_event *event = NULL;
    fc_result error = enter_event("cuEventSynchronize", 0, handle, &event);
    if (error)
        return error;
    struct fake_point *point = event->point; /* another record does not lengthen the wait */
    const struct fake_context *context = event->context;
    if (!point)
        return fake_leave(FC_SUCCESS);
    ++point->references;
    while (!point->is_done && !context->error)
        pthread_cond_wait(&fake_changed, &fake_lock);
    fake_point_unref(point);
    return fake_leave(context->error);
}

fc_result cuEventDestroy_v2(fc_event handle)
{
    struct fake_event *event = NULL;
    fc_result error = enter_event("cuEventDestroy_v2", FAKE_RELEASES, handle, &event);
    if (error)
        return error;
    fake_event_free(event);
    return fake_leave(FC_SUCCESS);
}

static fc_result elapsed(const char *name, float *milliseconds, fc_event begin_handle, fc_event end_handle)
{
    struct fake_event *begin = NULL, *end = NULL;
    fc_result error = enter_event(name, 0, begin_handle, &begin);
    if (error)
        return error;
    error = find_event(end_handle, &end);
    if (error || !milliseconds)
        return fake_leave(error ? error : FC_ERROR_INVALID_VALUE);
    if (begin->context != end->context || (begin->flags | end->flags) & FC_EVENT_DISABLE_TIMING || !begin->point ||
        !end->point)
        return fake_leave(FC_ERROR_INVALID_HANDLE);
    if (!begin->point->is_done || !end->point->is_done)
        return fake_leave(FC_ERROR_NOT_READY);
    *milliseconds = (float)((double)(end->point->nanoseconds - begin->point->nanoseconds) * 1e-6);
    return fake_leave(FC_SUCCESS);
}

fc_result cuEventElapsedTime(float *milliseconds, fc_event begin, fc_event end)
{
    return elapsed("cuEventElapsedTime", milliseconds, begin, end);
}

fc_result cuEventElapsedTime_v2(float *milliseconds, fc_event begin, fc_event end)
{
    return elapsed("cuEventElapsedTime_v2", milliseconds, begin, end);
}
