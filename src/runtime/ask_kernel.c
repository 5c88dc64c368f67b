/* Calling a backend's functions of kernels and native handles; see ask.h. */
#include "ask.h"
#include "ask_run.h"

/* ---- building ---- */

typedef struct building {
    quern_asking asking;
    void *device;
    const quern_kernel *kernel;
    uint32_t kind; /* of the native handle */
    void *handle;
    void **compiled;
    quern_kernel_limits *limits;
} building;

static quern_status call_kernel_build(const quern_asking *asking)
{
    const building *own = (const building *)asking;
    return asking->backend->kernel_build(own->device, own->kernel, own->compiled, own->limits);
}

static quern_status call_kernel_wrap(const quern_asking *asking)
{
    const building *own = (const building *)asking;
    return asking->backend->kernel_wrap(own->device, own->kernel, own->kind, own->handle, own->compiled, own->limits);
}

quern_status quern_ask_kernel_build(const quern_device *device, const quern_kernel *kernel, void **compiled,
                                    quern_kernel_limits *limits)
{
    building own = {.asking = {.call = call_kernel_build, .function = "kernel_build", .backend = device->backend},
                    .device = device->handle,
                    .kernel = kernel,
                    .compiled = compiled,
                    .limits = limits};
    return quern_asking_run(&own.asking);
}

quern_status quern_ask_kernel_wrap(const quern_device *device, const quern_kernel *kernel, uint32_t kind, void *handle,
                                   void **compiled, quern_kernel_limits *limits)
{
    building own = {.asking = {.call = call_kernel_wrap, .function = "kernel_wrap", .backend = device->backend},
                    .device = device->handle,
                    .kernel = kernel,
                    .kind = kind,
                    .handle = handle,
                    .compiled = compiled,
                    .limits = limits};
    return quern_asking_run(&own.asking);
}

typedef struct releasing {
    const quern_device *device;
    void *compiled;
} releasing;

static void run_kernel_release(void *argument)
{
    const releasing *own = argument;
    own->device->backend->kernel_release(own->device->handle, own->compiled);
}

void quern_ask_kernel_release(const quern_device *device, void *compiled)
{
    releasing own = {device, compiled};
    quern_call_on_thread_stack(run_kernel_release, &own);
}

/* ---- group sizes ---- */

typedef struct configuring {
    quern_asking asking;
    void *device;
    const quern_kernel *kernel;
    void *compiled;
    uint32_t rank;
    const size_t *extents;
    size_t max_items;
    size_t *group;
} configuring;

static quern_status call_launch_configuration(const quern_asking *asking)
{
    const configuring *own = (const configuring *)asking;
    return asking->backend->launch_configuration(own->device, own->kernel, own->compiled, own->rank, own->extents,
                                                 own->max_items, own->group);
}

quern_status quern_ask_launch_configuration(const quern_device *device, const quern_kernel *kernel, void *compiled,
                                            uint32_t rank, const size_t *extents, size_t max_items, size_t *group)
{
    configuring own = {
        .asking = {.call = call_launch_configuration, .function = "launch_configuration", .backend = device->backend},
        .device = device->handle,
        .kernel = kernel,
        .compiled = compiled,
        .rank = rank,
        .extents = extents,
        .max_items = max_items,
        .group = group};
    return quern_asking_run(&own.asking);
}

/* ---- native handles ---- */

typedef struct native {
    quern_asking asking;
    void *device;
    uint32_t kind;
    void *object, *address;
    void **handle;
    size_t *offset;
} native;

static quern_status call_native(const quern_asking *asking)
{
    const native *own = (const native *)asking;
    return asking->backend->native(own->device, own->kind, own->object, own->address, own->handle, own->offset);
}

quern_status quern_ask_native(const quern_device *device, uint32_t kind, void *object, void *address, void **handle,
                              size_t *offset)
{
    native own = {.asking = {.call = call_native, .function = "native", .backend = device->backend},
                  .device = device->handle,
                  .kind = kind,
                  .object = object,
                  .address = address,
                  .handle = handle,
                  .offset = offset};
    return quern_asking_run(&own.asking);
}
