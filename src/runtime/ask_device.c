/* Calling a backend's functions of backends, devices and memory; see ask.h. */
#include "ask.h"
#include "ask_run.h"

#define ASKING(name, backend_)                                                                                         \
    {                                                                                                                  \
        .call = call_##name, .function = #name, .backend = (backend_)                                                  \
    }

/* ---- backends ---- */

typedef struct starting {
    quern_asking asking;
    const quern_backend_host *host;
    size_t *count;
    size_t index;
    void **device;
} starting;

static quern_status call_start(const quern_asking *asking)
{
    return asking->backend->start(((const starting *)asking)->host);
}

static quern_status call_device_count(const quern_asking *asking)
{
    return asking->backend->device_count(((const starting *)asking)->count);
}

static quern_status call_device_open(const quern_asking *asking)
{
    const starting *own = (const starting *)asking;
    return asking->backend->device_open(own->index, own->device);
}

quern_status quern_ask_start(const quern_backend *backend, const quern_backend_host *host)
{
    starting own = {.asking = ASKING(start, backend), .host = host};
    return quern_asking_run(&own.asking);
}

quern_status quern_ask_device_count(const quern_backend *backend, size_t *count)
{
    starting own = {.asking = ASKING(device_count, backend), .count = count};
    return quern_asking_run(&own.asking);
}

quern_status quern_ask_device_open(const quern_backend *backend, size_t index, void **device)
{
    starting own = {.asking = ASKING(device_open, backend), .index = index, .device = device};
    return quern_asking_run(&own.asking);
}

static void run_stop(void *argument)
{
    const quern_backend *const *backend = argument;
    (*backend)->stop();
}

void quern_ask_stop(const quern_backend *backend)
{
    quern_call_on_thread_stack(run_stop, &backend);
}

/* ---- devices ---- */

typedef struct information {
    quern_asking asking;
    void *device;
    quern_device_info *info;
} information;

static quern_status call_device_info(const quern_asking *asking)
{
    const information *own = (const information *)asking;
    return asking->backend->device_info(own->device, own->info);
}

quern_status quern_ask_device_info(const quern_device *device, quern_device_info *info)
{
    information own = {.asking = ASKING(device_info, device->backend), .device = device->handle, .info = info};
    return quern_asking_run(&own.asking);
}

typedef struct reaching {
    const quern_device *device, *other;
    int reaches;
} reaching;

static void run_peer_reach(void *argument)
{
    reaching *own = argument;
    own->reaches = own->device->backend->peer_reach(own->device->handle, own->other->handle);
}

int quern_ask_peer_reach(const quern_device *device, const quern_device *other)
{
    reaching own = {device, other, 0};
    quern_call_on_thread_stack(run_peer_reach, &own);
    return own.reaches;
}

/* ---- memory ---- */

typedef struct allocation {
    quern_asking asking;
    void *device;
    uint32_t native; /* the kind of a native handle */
    void *handle;
    size_t bytes, alignment;
    quern_memory_kind kind;
    void **memory;
} allocation;

static quern_status call_allocate(const quern_asking *asking)
{
    const allocation *own = (const allocation *)asking;
    return asking->backend->allocate(own->device, own->bytes, own->alignment, own->kind, own->memory);
}

static quern_status call_memory_wrap(const quern_asking *asking)
{
    const allocation *own = (const allocation *)asking;
    return asking->backend->memory_wrap(own->device, own->native, own->handle, own->bytes, own->memory);
}

quern_status quern_ask_allocate(const quern_device *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                void **memory)
{
    allocation own = {.asking = ASKING(allocate, device->backend),
                      .device = device->handle,
                      .bytes = bytes,
                      .alignment = alignment,
                      .kind = kind,
                      .memory = memory};
    return quern_asking_run(&own.asking);
}

quern_status quern_ask_memory_wrap(const quern_device *device, uint32_t kind, void *handle, size_t bytes, void **memory)
{
    allocation own = {.asking = ASKING(memory_wrap, device->backend),
                      .device = device->handle,
                      .native = kind,
                      .handle = handle,
                      .bytes = bytes,
                      .memory = memory};
    return quern_asking_run(&own.asking);
}

typedef struct freeing {
    const quern_device *device;
    void *memory;
    size_t bytes;
    quern_memory_kind kind;
} freeing;

static void run_free(void *argument)
{
    const freeing *own = argument;
    own->device->backend->free(own->device->handle, own->memory, own->bytes, own->kind);
}

void quern_ask_free(const quern_device *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    freeing own = {device, memory, bytes, kind};
    quern_call_on_thread_stack(run_free, &own);
}
