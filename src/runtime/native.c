/* Native handles out and in: which kinds there are, and the objects that are made of them. */
#include <quern/native.h>

#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "copy_side.h"
#include "kernel.h"
#include "memory.h"
#include "native_use.h"
#include "order.h"
#include "storage/host_access.h"

/* ---- kinds ---- */

typedef enum noun { OF_A_DEVICE = 1, OF_A_QUEUE, OF_MEMORY, OF_A_KERNEL } noun;

static const char *const nouns[] = {"nothing", "a device", "a queue", "memory", "a kernel"};

static const struct {
    quern_native_kind kind;
    const char *name;
} known_kinds[] = {
#define KIND(name)                                                                                                     \
    {                                                                                                                  \
        name, #name                                                                                                    \
    }
    KIND(QUERN_NATIVE_CUDA_DEVICE),    KIND(QUERN_NATIVE_CUDA_CONTEXT),  KIND(QUERN_NATIVE_OPENCL_DEVICE),
    KIND(QUERN_NATIVE_OPENCL_CONTEXT), KIND(QUERN_NATIVE_CUDA_STREAM),   KIND(QUERN_NATIVE_OPENCL_QUEUE),
    KIND(QUERN_NATIVE_ADDRESS),        KIND(QUERN_NATIVE_CUDA_POINTER),  KIND(QUERN_NATIVE_OPENCL_MEMORY),
    KIND(QUERN_NATIVE_CUDA_MODULE),    KIND(QUERN_NATIVE_CUDA_FUNCTION),
#undef KIND
};

static const char *name_of(uint32_t kind, char text[16])
{
    for (size_t i = 0; i < sizeof known_kinds / sizeof *known_kinds; ++i)
        if ((uint32_t)known_kinds[i].kind == kind)
            return known_kinds[i].name;
    snprintf(text, 16, "%u", (unsigned)kind);
    return text;
}

/* The kinds of the noun that the device's backend has, "A, B"; "" without any. 1 when kind is among them. */
static int list_kinds(const quern_device *device, noun of, uint32_t kind, char *text, size_t size)
{
    int found = 0;
    char name[16];
    text[0] = '\0';
    for (const uint32_t *at = device->backend->native_kinds; at && *at; ++at) {
        size_t used = strlen(text);
        if (*at / 100 != (uint32_t)of)
            continue;
        found |= *at == kind;
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", name_of(*at, name));
    }
    return found;
}

static quern_status check_noun(quern_native_kind kind, noun of)
{
    char name[16];
    uint32_t hundreds = (uint32_t)kind / 100;
    if (hundreds == (uint32_t)of)
        return QUERN_SUCCESS;
    if (hundreds >= 1 && hundreds <= 4)
        return quern_fail(QUERN_INVALID_ARGUMENT, "kind is %s, a handle of %s, wanted a kind of %s",
                          name_of((uint32_t)kind, name), nouns[hundreds], nouns[of]);
    return quern_fail(QUERN_INVALID_ARGUMENT, "kind is %d, which is no kind of native handle, wanted one of %s",
                      (int)kind, nouns[of]);
}

/* A kind of the noun, which the backend has, and does with it what is wanted (can). */
static quern_status check_kind(const quern_device *device, quern_native_kind kind, noun of, int can)
{
    char name[16], kinds[256];
    quern_status status = check_noun(kind, of);
    if (status != QUERN_SUCCESS)
        return status;
    int has = list_kinds(device, of, (uint32_t)kind, kinds, sizeof kinds);
    if (!kinds[0] || (has && !can))
        return quern_fail(QUERN_NOT_SUPPORTED, "kind is %s, but %s has no native handle of %s for that",
                          name_of((uint32_t)kind, name), device->info.name, nouns[of]);
    if (!has)
        return quern_fail(QUERN_NOT_SUPPORTED, "kind is %s, wanted one that %s has of %s: %s",
                          name_of((uint32_t)kind, name), device->info.name, nouns[of], kinds);
    return QUERN_SUCCESS;
}

static quern_status check_place(void **handle)
{
    return handle ? QUERN_SUCCESS : quern_fail(QUERN_INVALID_ARGUMENT, "handle is NULL, wanted a place for the result");
}

static quern_status check_handle(const void *handle)
{
    return handle ? QUERN_SUCCESS : quern_fail(QUERN_INVALID_ARGUMENT, "handle is NULL, wanted a native handle");
}

/* ---- out ---- */

/* Asks the backend; *handle is set on SUCCESS only. */
static quern_status ask(const quern_device *device, quern_native_kind kind, void *object, void *address, void **handle,
                        size_t *offset)
{
    void *found = NULL;
    *offset = 0;
    quern_status status = quern_ask_native(device, (uint32_t)kind, object, address, &found, offset);
    if (status == QUERN_SUCCESS)
        *handle = found;
    return status;
}

quern_status quern_device_get_native(quern_device *device, quern_native_kind kind, void **handle)
{
    size_t offset;
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = check_place(handle);
    if (status == QUERN_SUCCESS)
        status = check_kind(device, kind, OF_A_DEVICE, device->backend->native != NULL);
    return status == QUERN_SUCCESS ? ask(device, kind, NULL, NULL, handle, &offset) : status;
}

quern_status quern_queue_get_native(quern_queue *queue, quern_native_kind kind, void **handle)
{
    size_t offset;
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = check_place(handle);
    if (status == QUERN_SUCCESS)
        status = check_kind(queue->device, kind, OF_A_QUEUE, queue->backend->native != NULL);
    if (status == QUERN_SUCCESS)
        status = ask(queue->device, kind, queue->handle, NULL, handle, &offset);
    if (status == QUERN_SUCCESS)
        atomic_store(&queue->is_native, 1);
    return status;
}

static quern_status check_view(const quern_queue *queue, const quern_copy_side *side)
{
    if (!side->buffer)
        return quern_copy_side_no_buffer(side->name);
    quern_status status = quern_copy_side_check(side);
    if (status != QUERN_SUCCESS)
        return status;
    if (side->device != queue->device || side->buffer->device != queue->device)
        return quern_fail(QUERN_WRONG_DEVICE, "view is of %s, wanted one of %s, the queue's device",
                          side->device->info.name, queue->device->info.name);
    if (quern_copy_is_empty(side->layout))
        return quern_fail(QUERN_INVALID_SHAPE, "view has no elements, wanted memory");
    return QUERN_SUCCESS;
}

/* The handle of the side's memory, and the bytes to its first element. */
static quern_status find_memory(const quern_copy_side *side, quern_native_kind kind, void **handle, size_t *offset)
{
    if (kind == QUERN_NATIVE_ADDRESS) {
        if (!quern_copy_side_reaches_host(side))
            return quern_fail(QUERN_NOT_SUPPORTED,
                              "kind is QUERN_NATIVE_ADDRESS, but the host does not reach the memory of this view of %s",
                              side->device->info.name);
        *handle = (void *)side->address;
        *offset = 0;
        return QUERN_SUCCESS;
    }
    quern_status status = check_kind(side->device, kind, OF_MEMORY, side->device->backend->native != NULL);
    return status == QUERN_SUCCESS
               ? ask(side->device, kind, side->buffer->address, (void *)side->address, handle, offset)
               : status;
}

quern_status quern_view_get_native(quern_queue *queue, quern_view view, quern_native_kind kind, void **handle,
                                   size_t *offset)
{
    quern_copy_side side = {"view", view.span.address, &view.span.layout, view.buffer, view.device};
    void *found = NULL;
    size_t from_begin = 0;
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = check_place(handle);
    if (status == QUERN_SUCCESS)
        status = check_view(queue, &side);
    if (status == QUERN_SUCCESS)
        status = find_memory(&side, kind, &found, &from_begin);
    if (status == QUERN_SUCCESS && from_begin && !offset)
        status = quern_fail(QUERN_NOT_SUPPORTED,
                            "offset is NULL, but the view begins %zu bytes behind the begin of its native memory, "
                            "wanted a place for that",
                            from_begin);
    if (status != QUERN_SUCCESS)
        return status;
    const quern_buffer_use use = {view.buffer, 1, quern_copy_side_box(&side)};
    status = quern_native_begin_use(queue, &use);
    if (status != QUERN_SUCCESS)
        return status;
    *handle = found;
    if (offset)
        *offset = from_begin;
    return QUERN_SUCCESS;
}

quern_status quern_kernel_get_native(quern_kernel *kernel, quern_device *device, quern_native_kind kind, void **handle)
{
    const quern_built_kernel *built;
    size_t offset;
    quern_status status = quern_kernel_check(kernel);
    if (status == QUERN_SUCCESS)
        status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = check_place(handle);
    if (status == QUERN_SUCCESS)
        status = check_kind(device, kind, OF_A_KERNEL, device->backend->native != NULL);
    if (status == QUERN_SUCCESS)
        status = quern_kernel_on_device(kernel, device, &built);
    return status == QUERN_SUCCESS ? ask(device, kind, built->compiled, NULL, handle, &offset) : status;
}

/* ---- in ---- */

quern_status quern_queue_create_from_native(quern_device *device, quern_native_kind kind, void *handle,
                                            const quern_queue_options *options, quern_queue **queue)
{
    const quern_queue_handle given = {(uint32_t)kind, handle};
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = check_kind(device, kind, OF_A_QUEUE, device->backend->queue_wrap != NULL);
    if (status == QUERN_SUCCESS && options && options->priority)
        status = quern_fail(QUERN_INVALID_ARGUMENT,
                            "options.priority is %d, wanted 0: the native queue has the priority that it has",
                            options->priority);
    return status == QUERN_SUCCESS ? quern_queue_make(device, options, &given, queue) : status;
}

static quern_status wrap_memory(quern_device *device, quern_native_kind kind, void *handle, const quern_layout *layout,
                                size_t bytes, quern_buffer **buffer)
{
    void *memory = NULL;
    quern_status status = quern_ask_memory_wrap(device, (uint32_t)kind, handle, bytes, &memory);
    if (status != QUERN_SUCCESS)
        return status;
    if (layout->type.alignment && (uintptr_t)memory % layout->type.alignment)
        status = quern_fail(QUERN_INVALID_ARGUMENT,
                            "handle is memory at %p, wanted a multiple of %u, the elements' "
                            "alignment",
                            memory, (unsigned)layout->type.alignment);
    if (status == QUERN_SUCCESS)
        status = quern_buffer_make(device, memory, bytes, layout, QUERN_MEMORY_WRAPPED, quern_memory_free, buffer);
    if (status != QUERN_SUCCESS)
        quern_ask_free(device, memory, bytes, QUERN_MEMORY_WRAPPED);
    return status;
}

quern_status quern_buffer_wrap_native(quern_device *device, quern_native_kind kind, void *handle,
                                      const quern_layout *layout, void (*release)(void *context), void *context,
                                      quern_buffer **buffer)
{
    size_t bytes, alignment;
    if (kind == QUERN_NATIVE_ADDRESS)
        return quern_buffer_wrap(device, handle, layout, release, context, buffer);
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = check_kind(device, kind, OF_MEMORY, device->backend->memory_wrap != NULL);
    if (status == QUERN_SUCCESS)
        status = check_handle(handle);
    if (status == QUERN_SUCCESS)
        status = quern_memory_plan(device, layout, buffer, &bytes, &alignment);
    if (status == QUERN_SUCCESS && bytes == 0)
        status = quern_fail(QUERN_INVALID_SHAPE, "layout has no elements, wanted memory");
    if (status == QUERN_SUCCESS)
        status = wrap_memory(device, kind, handle, layout, bytes, buffer);
    if (status == QUERN_SUCCESS) {
        (*buffer)->release = release;
        (*buffer)->context = context;
    }
    return status;
}

quern_status quern_kernel_prepare_from_native(quern_kernel *kernel, quern_device *device, quern_native_kind kind,
                                              void *handle)
{
    quern_status status = quern_kernel_check(kernel);
    if (status == QUERN_SUCCESS)
        status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = check_kind(device, kind, OF_A_KERNEL, device->backend->kernel_wrap != NULL);
    if (status == QUERN_SUCCESS)
        status = check_handle(handle);
    return status == QUERN_SUCCESS ? quern_kernel_wrap_on_device(kernel, device, (uint32_t)kind, handle) : status;
}
