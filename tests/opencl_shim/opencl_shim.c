/* The stand-in for the OpenCL loader. Every function asks `refuses` first; most do nothing else. */
#include "opencl_shim_devices.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static struct quern_opencl_shim shim;

static struct opencl_shim_real real;

/* ---- loading ---- */

static long number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 0) : 0;
}

static void load(void)
{
    const char *path = getenv("QUERN_SHIM_REAL");
    void *library = dlopen(path ? path : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "opencl_shim: there is no real OpenCL loader: %s\n", dlerror());
        exit(77);
    }
    void *found;
#define LOOK_UP(name, result, arguments)                                                                               \
    found = dlsym(library, "cl" #name);                                                                                \
    memcpy(&real.name, &found, sizeof found);
    QUERN_OPENCL_FUNCTIONS(LOOK_UP)
    QUERN_OPENCL_NEWER_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    shim.fail_function = getenv("QUERN_SHIM_FAIL_FUNCTION");
    shim.fail_at = number_of("QUERN_SHIM_FAIL_AT");
    shim.fail_error =
        getenv("QUERN_SHIM_FAIL_ERROR") ? (cl_int)number_of("QUERN_SHIM_FAIL_ERROR") : CL_OUT_OF_RESOURCES;
    shim.vanish_at = number_of("QUERN_SHIM_VANISH_AT");
    shim.no_platform = (int)number_of("QUERN_SHIM_NO_PLATFORM");
    shim.no_device = (int)number_of("QUERN_SHIM_NO_DEVICE");
    shim.no_fp64 = (int)number_of("QUERN_SHIM_NO_FP64");
    shim.parameter_bytes = (size_t)number_of("QUERN_SHIM_PARAMETER_BYTES");
    shim.allocation_bytes = (size_t)number_of("QUERN_SHIM_ALLOCATION_BYTES");
    shim.group_items = (size_t)number_of("QUERN_SHIM_GROUP_ITEMS");
    shim.platforms = (size_t)number_of("QUERN_SHIM_PLATFORMS");
    shim.devices = (size_t)number_of("QUERN_SHIM_DEVICES");
    shim.sick = (size_t)number_of("QUERN_SHIM_SICK");
    shim.fail_question = (cl_uint)number_of("QUERN_SHIM_FAIL_QUESTION");
    shim.zero_question = (cl_uint)number_of("QUERN_SHIM_ZERO_QUESTION");
}

EXPORT quern_opencl_shim_function quern_opencl_shim;
EXPORT struct quern_opencl_shim *quern_opencl_shim(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &shim;
}

static int has_vanished(void)
{
    return shim.vanish_at && shim.calls >= shim.vanish_at;
}

/* What the call is to give instead of being made; CL_SUCCESS: it is made. */
static cl_int refuses(const char *name)
{
    (void)quern_opencl_shim();
    long call = ++shim.calls;
    if (shim.vanish_at && call >= shim.vanish_at)
        return CL_DEVICE_NOT_AVAILABLE;
    const char *function = shim.fail_function;
    if (function && strcmp(function, name) != 0)
        return CL_SUCCESS;
    if (++shim.matching_calls != shim.fail_at)
        return CL_SUCCESS;
    shim.failed = name;
    return shim.fail_error;
}

static void count_command(cl_event event)
{
    ++shim.events;
    if (event == shim.broken) /* another one at the same place */
        shim.broken = NULL;
    if (++shim.commands == shim.broken_at)
        shim.broken = event;
}

/* ---- the plain ones ---- */

/* A call that gives its error. */
#define PASS(name, parameters, arguments)                                                                              \
    EXPORT cl_int cl##name parameters;                                                                                 \
    EXPORT cl_int cl##name parameters                                                                                  \
    {                                                                                                                  \
        cl_int refused = refuses(#name);                                                                               \
        return refused ? refused : real.name arguments;                                                                \
    }

/* One more reference, which is released like the first. */
#define PASS_RETAIN(name, type, counter)                                                                               \
    EXPORT cl_int cl##name(type object);                                                                               \
    EXPORT cl_int cl##name(type object)                                                                                \
    {                                                                                                                  \
        cl_int refused = refuses(#name), error = refused ? refused : real.name(object);                                \
        shim.counter += !error;                                                                                        \
        return error;                                                                                                  \
    }

/* A release: made in any case, since what a test made has to go. */
#define PASS_RELEASE(name, type, counter)                                                                              \
    EXPORT cl_int cl##name(type object);                                                                               \
    EXPORT cl_int cl##name(type object)                                                                                \
    {                                                                                                                  \
        cl_int refused = refuses(#name), error = real.name(object);                                                    \
        --shim.counter;                                                                                                \
        return refused ? refused : error;                                                                              \
    }

/* A call that gives an object, and its error in the last argument. total counts without releases. */
#define PASS_MAKE(name, type, counter, total, parameters, arguments)                                                   \
    EXPORT type cl##name parameters;                                                                                   \
    EXPORT type cl##name parameters                                                                                    \
    {                                                                                                                  \
        cl_int refused = refuses(#name);                                                                               \
        if (refused) {                                                                                                 \
            *error = refused;                                                                                          \
            return NULL;                                                                                               \
        }                                                                                                              \
        type made = real.name arguments;                                                                               \
        shim.counter += made != NULL;                                                                                  \
        shim.total += made != NULL;                                                                                    \
        return made;                                                                                                   \
    }

/* A call that enqueues; its event counts. */
#define EVENTS_PARAMETERS cl_uint count, const cl_event *list, cl_event *event
#define EVENTS_ARGUMENTS count, list, event
#define PASS_ENQUEUE(name, parameters, arguments)                                                                      \
    EXPORT cl_int cl##name parameters;                                                                                 \
    EXPORT cl_int cl##name parameters                                                                                  \
    {                                                                                                                  \
        cl_int refused = refuses(#name);                                                                               \
        if (refused)                                                                                                   \
            return refused;                                                                                            \
        cl_int error = real.name arguments;                                                                            \
        if (!error && event)                                                                                           \
            count_command(*event);                                                                                     \
        return error;                                                                                                  \
    }

PASS(GetPlatformInfo, (cl_platform_id p, cl_uint n, size_t s, void *v, size_t *r),
     (opencl_shim_platform_of(p), n, s, v, r))
PASS(Flush, (cl_command_queue queue), (queue))
PASS(GetProgramInfo, (cl_program p, cl_uint n, size_t s, void *v, size_t *r), (p, n, s, v, r))
PASS(GetProgramBuildInfo, (cl_program p, cl_device_id d, cl_uint n, size_t s, void *v, size_t *r),
     (p, opencl_shim_device_of(d), n, s, v, r))
PASS(SetKernelArg, (cl_kernel k, cl_uint i, size_t s, const void *v), (k, i, s, v))
PASS(GetEventProfilingInfo, (cl_event e, cl_uint n, size_t s, void *v, size_t *r), (e, n, s, v, r))
PASS(SetKernelArgSVMPointer, (cl_kernel k, cl_uint i, const void *v), (k, i, v))

PASS(GetCommandQueueInfo, (cl_command_queue q, cl_uint n, size_t s, void *v, size_t *r), (q, n, s, v, r))
PASS(GetMemObjectInfo, (cl_mem m, cl_uint n, size_t s, void *v, size_t *r), (m, n, s, v, r))

PASS_RETAIN(RetainCommandQueue, cl_command_queue, queues)
PASS_RETAIN(RetainMemObject, cl_mem, buffers)

PASS_RELEASE(ReleaseContext, cl_context, contexts)
PASS_RELEASE(ReleaseCommandQueue, cl_command_queue, queues)
PASS_RELEASE(ReleaseMemObject, cl_mem, buffers)
PASS_RELEASE(ReleaseProgram, cl_program, programs)
PASS_RELEASE(ReleaseKernel, cl_kernel, kernels)
PASS_RELEASE(ReleaseEvent, cl_event, events)

PASS_MAKE(CreateContext, cl_context, contexts, others,
          (const cl_property *p, cl_uint n, const cl_device_id *d,
           void (*f)(const char *, const void *, size_t, void *), void *u, cl_int *error),
          (opencl_shim_properties_of(p), n, opencl_shim_devices_of(n, d), f, u, error))
PASS_MAKE(CreateCommandQueue, cl_command_queue, queues, others,
          (cl_context c, cl_device_id d, cl_bitfield b, cl_int *error), (c, opencl_shim_device_of(d), b, error))
PASS_MAKE(CreateBuffer, cl_mem, buffers, others, (cl_context c, cl_bitfield f, size_t s, void *h, cl_int *error),
          (c, f, s, h, error))
PASS_MAKE(CreateProgramWithSource, cl_program, programs, texts,
          (cl_context c, cl_uint n, const char **t, const size_t *s, cl_int *error), (c, n, t, s, error))
PASS_MAKE(CreateProgramWithBinary, cl_program, programs, binaries,
          (cl_context c, cl_uint n, const cl_device_id *d, const size_t *s, const unsigned char **b, cl_int *accepted,
           cl_int *error),
          (c, n, opencl_shim_devices_of(n, d), s, b, accepted, error))
PASS_MAKE(CreateKernel, cl_kernel, kernels, others, (cl_program p, const char *name, cl_int *error), (p, name, error))

PASS_ENQUEUE(EnqueueReadBuffer,
             (cl_command_queue q, cl_mem b, cl_bool w, size_t o, size_t s, void *p, EVENTS_PARAMETERS),
             (q, b, w, o, s, p, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueWriteBuffer,
             (cl_command_queue q, cl_mem b, cl_bool w, size_t o, size_t s, const void *p, EVENTS_PARAMETERS),
             (q, b, w, o, s, p, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueCopyBuffer,
             (cl_command_queue q, cl_mem a, cl_mem b, size_t i, size_t o, size_t s, EVENTS_PARAMETERS),
             (q, a, b, i, o, s, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueReadBufferRect,
             (cl_command_queue q, cl_mem b, cl_bool w, const size_t *o, const size_t *h, const size_t *r, size_t br,
              size_t bs, size_t hr, size_t hs, void *p, EVENTS_PARAMETERS),
             (q, b, w, o, h, r, br, bs, hr, hs, p, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueWriteBufferRect,
             (cl_command_queue q, cl_mem b, cl_bool w, const size_t *o, const size_t *h, const size_t *r, size_t br,
              size_t bs, size_t hr, size_t hs, const void *p, EVENTS_PARAMETERS),
             (q, b, w, o, h, r, br, bs, hr, hs, p, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueCopyBufferRect,
             (cl_command_queue q, cl_mem a, cl_mem b, const size_t *i, const size_t *o, const size_t *r, size_t ar,
              size_t as, size_t br, size_t bs, EVENTS_PARAMETERS),
             (q, a, b, i, o, r, ar, as, br, bs, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueFillBuffer,
             (cl_command_queue q, cl_mem b, const void *v, size_t n, size_t o, size_t s, EVENTS_PARAMETERS),
             (q, b, v, n, o, s, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueUnmapMemObject, (cl_command_queue q, cl_mem b, void *p, EVENTS_PARAMETERS),
             (q, b, p, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueNDRangeKernel,
             (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l,
              EVENTS_PARAMETERS),
             (q, k, d, o, g, l, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueMarkerWithWaitList, (cl_command_queue q, EVENTS_PARAMETERS), (q, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueSVMMemcpy, (cl_command_queue q, cl_bool w, void *t, const void *f, size_t s, EVENTS_PARAMETERS),
             (q, w, t, f, s, EVENTS_ARGUMENTS))
PASS_ENQUEUE(EnqueueSVMMemFill, (cl_command_queue q, void *t, const void *v, size_t n, size_t s, EVENTS_PARAMETERS),
             (q, t, v, n, s, EVENTS_ARGUMENTS))

/* ---- those that lie, count or hold back ---- */

EXPORT cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *list, cl_uint *count);
EXPORT cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *list, cl_uint *count)
{
    cl_int refused = refuses("GetPlatformIDs");
    if (!refused && shim.no_platform)
        refused = CL_PLATFORM_NOT_FOUND_KHR;
    return refused ? refused : opencl_shim_list_platforms(&real, &shim, n, list, count);
}

EXPORT cl_int clGetDeviceIDs(cl_platform_id p, cl_bitfield type, cl_uint n, cl_device_id *list, cl_uint *count);
EXPORT cl_int clGetDeviceIDs(cl_platform_id p, cl_bitfield type, cl_uint n, cl_device_id *list, cl_uint *count)
{
    cl_int refused = refuses("GetDeviceIDs");
    if (!refused && shim.no_device)
        refused = CL_DEVICE_NOT_FOUND;
    return refused ? refused : opencl_shim_list_devices(&real, &shim, p, type, n, list, count);
}

static void lie_number(void *value, size_t size, cl_ulong lie)
{
    if (!value)
        return;
    if (size == sizeof(cl_uint))
        *(cl_uint *)value = (cl_uint)lie;
    else
        *(cl_ulong *)value = lie;
}

/* The device's answer, made worse. */
static void lie(cl_uint name, size_t size, void *value)
{
    if (name == CL_DEVICE_TYPE && shim.is_gpu)
        lie_number(value, size, 1 << 2);
    if (name == CL_DEVICE_AVAILABLE && shim.unavailable)
        lie_number(value, size, CL_FALSE);
    if (name == CL_DEVICE_COMPILER_AVAILABLE && shim.no_compiler)
        lie_number(value, size, CL_FALSE);
    if (name == CL_DEVICE_DOUBLE_FP_CONFIG && shim.no_fp64)
        lie_number(value, size, 0);
    if (name == CL_DEVICE_MAX_PARAMETER_SIZE && shim.parameter_bytes)
        lie_number(value, size, shim.parameter_bytes);
    if (name == CL_DEVICE_MAX_MEM_ALLOC_SIZE && shim.allocation_bytes)
        lie_number(value, size, shim.allocation_bytes);
    if (name == CL_DEVICE_MAX_WORK_GROUP_SIZE && shim.group_items)
        lie_number(value, size, shim.group_items);
    if (name == CL_DEVICE_VERSION && shim.old_version && value)
        memcpy(value, "OpenCL 1.1", 10);
}

/* The real one may know no priorities: they are noted, and left out. */
EXPORT cl_command_queue clCreateCommandQueueWithProperties(cl_context c, cl_device_id d, const cl_bitfield *p,
                                                           cl_int *error);
EXPORT cl_command_queue clCreateCommandQueueWithProperties(cl_context c, cl_device_id d, const cl_bitfield *p,
                                                           cl_int *error)
{
    cl_bitfield properties = 0;
    for (; p && *p; p += 2)
        if (*p == CL_QUEUE_PROPERTIES)
            properties = p[1];
        else if (*p == CL_QUEUE_PRIORITY_KHR)
            shim.priority = p[1];
    return clCreateCommandQueue(c, d, properties, error);
}

EXPORT cl_int clGetDeviceInfo(cl_device_id d, cl_uint name, size_t size, void *value, size_t *result);
EXPORT cl_int clGetDeviceInfo(cl_device_id d, cl_uint name, size_t size, void *value, size_t *result)
{
    cl_int refused = refuses("GetDeviceInfo");
    if (!refused && name == CL_DEVICE_EXTENSIONS && shim.extensions) {
        if (value)
            snprintf(value, size, "%s", shim.extensions);
        if (result)
            *result = strlen(shim.extensions) + 1;
        return CL_SUCCESS;
    }
    const int is_sick = shim.sick && opencl_shim_number_of(&shim, d) == shim.sick;
    if (!refused && is_sick && name == shim.fail_question)
        refused = shim.fail_error;
    cl_int error = refused ? refused : real.GetDeviceInfo(opencl_shim_device_of(d), name, size, value, result);
    if (!error)
        lie(name, size, value);
    if (!error && value && is_sick && name == shim.zero_question)
        memset(value, 0, size);
    return error;
}

EXPORT cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_uint name, size_t size, void *value,
                                       size_t *result);
EXPORT cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_uint name, size_t size, void *value,
                                       size_t *result)
{
    cl_int refused = refuses("GetKernelWorkGroupInfo");
    cl_int error =
        refused ? refused : real.GetKernelWorkGroupInfo(k, opencl_shim_device_of(d), name, size, value, result);
    if (!error && name == CL_KERNEL_WORK_GROUP_SIZE && shim.group_items)
        lie_number(value, size, shim.group_items);
    return error;
}

EXPORT cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                             void (*f)(cl_program, void *), void *u);
EXPORT cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                             void (*f)(cl_program, void *), void *u)
{
    cl_int refused = refuses("BuildProgram");
    return refused ? refused : real.BuildProgram(p, n, opencl_shim_devices_of(n, d), options, f, u);
}

EXPORT cl_int clGetEventInfo(cl_event e, cl_uint name, size_t size, void *value, size_t *result);
EXPORT cl_int clGetEventInfo(cl_event e, cl_uint name, size_t size, void *value, size_t *result)
{
    cl_int refused = refuses("GetEventInfo"),
           error = refused ? refused : real.GetEventInfo(e, name, size, value, result);
    if (!error && name == CL_EVENT_COMMAND_EXECUTION_STATUS && e == shim.broken && *(cl_int *)value == CL_COMPLETE)
        *(cl_int *)value = shim.broken_status;
    if (!error && name == CL_EVENT_COMMAND_EXECUTION_STATUS && shim.is_frozen)
        *(cl_int *)value = CL_COMPLETE + 1;
    return error;
}

EXPORT cl_int clFinish(cl_command_queue queue);
EXPORT cl_int clFinish(cl_command_queue queue)
{
    cl_int refused = refuses("Finish");
    if (!refused && shim.is_frozen)
        refused = CL_OUT_OF_RESOURCES;
    return refused ? refused : real.Finish(queue);
}

EXPORT cl_int clWaitForEvents(cl_uint n, const cl_event *list);
EXPORT cl_int clWaitForEvents(cl_uint n, const cl_event *list)
{
    cl_int refused = refuses("WaitForEvents");
    if (!refused && shim.is_frozen)
        refused = CL_OUT_OF_RESOURCES;
    cl_int error = refused ? refused : real.WaitForEvents(n, list);
    for (cl_uint i = 0; !error && i < n; ++i)
        if (list[i] == shim.broken)
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return error;
}

EXPORT cl_int clRetainEvent(cl_event event);
EXPORT cl_int clRetainEvent(cl_event event)
{
    cl_int refused = refuses("RetainEvent"), error = refused ? refused : real.RetainEvent(event);
    shim.events += !error;
    return error;
}

EXPORT void *clEnqueueMapBuffer(cl_command_queue q, cl_mem b, cl_bool w, cl_bitfield f, size_t o, size_t s,
                                EVENTS_PARAMETERS, cl_int *error);
EXPORT void *clEnqueueMapBuffer(cl_command_queue q, cl_mem b, cl_bool w, cl_bitfield f, size_t o, size_t s,
                                EVENTS_PARAMETERS, cl_int *error)
{
    *error = refuses("EnqueueMapBuffer");
    return *error ? NULL : real.EnqueueMapBuffer(q, b, w, f, o, s, EVENTS_ARGUMENTS, error);
}

EXPORT void *clSVMAlloc(cl_context c, cl_bitfield f, size_t s, cl_uint a);
EXPORT void *clSVMAlloc(cl_context c, cl_bitfield f, size_t s, cl_uint a)
{
    void *made = refuses("SVMAlloc") ? NULL : real.SVMAlloc(c, f, s, a);
    shim.unified += made != NULL;
    return made;
}

EXPORT void clSVMFree(cl_context c, void *memory);
EXPORT void clSVMFree(cl_context c, void *memory)
{
    (void)refuses("SVMFree");
    shim.unified -= memory != NULL;
    real.SVMFree(c, memory);
}

/* ---- callbacks ---- */

struct callback {
    quern_opencl_event_callback *function;
    void *data;
};

/* A device that has vanished calls nobody. */
static void call_back(cl_event event, cl_int status, void *data)
{
    struct callback callback = *(struct callback *)data;
    free(data);
    if (shim.callback_delay)
        usleep((useconds_t)shim.callback_delay);
    if (!has_vanished() && !shim.is_frozen)
        callback.function(event, event == shim.broken ? shim.broken_status : status, callback.data);
}

EXPORT cl_int clSetEventCallback(cl_event event, cl_int type, quern_opencl_event_callback *function, void *data);
EXPORT cl_int clSetEventCallback(cl_event event, cl_int type, quern_opencl_event_callback *function, void *data)
{
    cl_int refused = refuses("SetEventCallback");
    struct callback *callback = refused ? NULL : malloc(sizeof *callback);
    if (refused || !callback)
        return refused ? refused : CL_OUT_OF_HOST_MEMORY;
    *callback = (struct callback){function, data};
    return real.SetEventCallback(event, type, call_back, callback);
}
