/* Buffers on devices: allocating, wrapping, and freeing after the last use. */
#include <stdint.h>
#include <string.h>

#include "ask.h"
#include "base/forked.h"
#include "completion.h"
#include "memory.h"
#include "order.h"
#include "pool.h"

void quern_memory_free(quern_buffer *buffer)
{
    if (buffer->address)
        quern_ask_free(buffer->device, buffer->address, buffer->bytes, buffer->kind);
}

static quern_status check_arguments(const quern_device *device, const quern_layout *layout, quern_buffer **buffer)
{
    quern_status status = quern_device_check(device, "device");
    if (status != QUERN_SUCCESS)
        return status;
    if (!layout)
        return quern_fail(QUERN_INVALID_ARGUMENT, "layout is NULL, wanted a layout");
    if (!buffer)
        return quern_fail(QUERN_INVALID_ARGUMENT, "buffer is NULL, wanted a place for the result");
    return quern_layout_check(layout);
}

quern_status quern_memory_plan(const quern_device *device, const quern_layout *layout, quern_buffer **buffer,
                               size_t *bytes, size_t *alignment)
{
    quern_status status = check_arguments(device, layout, buffer);
    if (status == QUERN_SUCCESS)
        status = quern_layout_bytes(layout, bytes);
    if (status != QUERN_SUCCESS)
        return status;
    if (device->info.largest_allocation && *bytes > device->info.largest_allocation)
        return quern_fail(QUERN_LIMIT_EXCEEDED, "the buffer takes %zu bytes, wanted at most %llu, the largest of %s",
                          *bytes, (unsigned long long)device->info.largest_allocation, device->info.name);
    *alignment = device->info.preferred_alignment ? device->info.preferred_alignment : 1;
    if (*alignment < layout->type.alignment)
        *alignment = layout->type.alignment;
    return QUERN_SUCCESS;
}

/* What a backend gives for success has to be an address that can be used. */
static quern_status ask_for_memory(quern_device *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                   void **memory)
{
    quern_status status = quern_ask_allocate(device, bytes, alignment, kind, memory);
    return status == QUERN_SUCCESS ? quern_memory_check(device, "allocate", bytes, alignment, kind, *memory) : status;
}

quern_status quern_memory_check(quern_device *device, const char *function, size_t bytes, size_t alignment,
                                quern_memory_kind kind, void *memory)
{
    if (memory && (uintptr_t)memory % alignment == 0)
        return QUERN_SUCCESS;
    if (!memory)
        return quern_fail(QUERN_INTERNAL, "backend \"%s\" gave NULL from %s for %zu bytes, wanted an address",
                          device->backend->name, function, bytes);
    quern_status status =
        quern_fail(QUERN_INTERNAL, "backend \"%s\" gave the address %p from %s for %zu bytes, wanted a multiple of %zu",
                   device->backend->name, memory, function, bytes, alignment);
    quern_ask_free(device, memory, bytes, kind);
    return status;
}

/* What the pool keeps is given up before memory is found wanting. */
static quern_status allocate(quern_device *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                             void **memory)
{
    quern_status status = ask_for_memory(device, bytes, alignment, kind, memory);
    if (status == QUERN_OUT_OF_MEMORY && quern_pool_trim(device))
        status = ask_for_memory(device, bytes, alignment, kind, memory);
    return status;
}

static quern_status check_kind(quern_memory_kind kind)
{
    if (kind >= QUERN_MEMORY_DEVICE && kind <= QUERN_MEMORY_UNIFIED)
        return QUERN_SUCCESS;
    if (kind == QUERN_MEMORY_QUEUE)
        return quern_fail(
            QUERN_INVALID_ARGUMENT,
            "kind is QUERN_MEMORY_QUEUE, which quern_buffer_create_on_queue gives, wanted one of the first "
            "four of quern_memory_kind");
    return quern_fail(QUERN_INVALID_ARGUMENT, "kind is %d, wanted one of the first four of quern_memory_kind",
                      (int)kind);
}

quern_status quern_buffer_create_with_layout(quern_device *device, const quern_layout *layout, quern_memory_kind kind,
                                             quern_buffer **buffer)
{
    size_t bytes, alignment;
    void *memory = NULL;
    quern_status status = check_arguments(device, layout, buffer);
    if (status == QUERN_SUCCESS)
        status = check_kind(kind);
    if (status == QUERN_SUCCESS)
        status = quern_memory_plan(device, layout, buffer, &bytes, &alignment);
    if (status != QUERN_SUCCESS)
        return status;
    quern_graveyard_sweep();
    if (bytes)
        status = allocate(device, bytes, alignment, kind, &memory);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_buffer_make(device, memory, bytes, layout, kind, quern_memory_free, buffer);
    if (status != QUERN_SUCCESS && memory)
        quern_ask_free(device, memory, bytes, kind);
    return status;
}

quern_status quern_memory_default_layout(const quern_device *device, quern_type type, quern_extents extents,
                                         quern_layout *layout)
{
    size_t alignment = device->info.preferred_alignment ? device->info.preferred_alignment : 1;
    /* A struct's size may be no multiple of a power of two; its rows then begin where its alignment allows. */
    return quern_layout_aligned(type, extents, alignment, layout);
}

quern_status quern_buffer_create(quern_device *device, quern_type type, quern_extents extents, quern_buffer **buffer)
{
    quern_layout layout;
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        status = quern_memory_default_layout(device, type, extents, &layout);
    if (status != QUERN_SUCCESS)
        return status;
    return quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_DEVICE, buffer);
}

quern_status quern_buffer_wrap(quern_device *device, void *address, const quern_layout *layout,
                               void (*release)(void *context), void *context, quern_buffer **buffer)
{
    quern_status status = check_arguments(device, layout, buffer);
    if (status != QUERN_SUCCESS)
        return status;
    size_t bytes = 0;
    status = quern_layout_bytes(layout, &bytes);
    if (status != QUERN_SUCCESS)
        return status;
    if (!device->info.host_accessible)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "device is %s, which does not share the host's memory, wanted one that does (copy the "
                          "elements to a buffer of %s with quern_copy_from_host)",
                          device->info.name, device->info.name);
    if (!address && bytes)
        return quern_fail(QUERN_INVALID_ARGUMENT, "address is NULL, wanted memory of %zu bytes", bytes);
    if (layout->type.alignment && (uintptr_t)address % layout->type.alignment)
        return quern_fail(QUERN_INVALID_ARGUMENT, "address is %p, wanted a multiple of %u, the elements' alignment",
                          address, (unsigned)layout->type.alignment);
    status = quern_buffer_make(device, address, bytes, layout, QUERN_MEMORY_HOST, NULL, buffer);
    if (status == QUERN_SUCCESS) {
        (*buffer)->release = release;
        (*buffer)->context = context;
    }
    return status;
}

/* ---- the end ---- */

static void settle(quern_buffer *buffer);

static void use_finished(quern_waiter *waiter)
{
    settle(waiter->data);
}

/* Destroys the buffer, or comes again when one of its uses has finished. */
static void settle(quern_buffer *buffer)
{
    quern_progress *progress;
    uint64_t number;
    buffer->waiter.notify = use_finished;
    buffer->waiter.data = buffer;
    while (quern_order_pending_use(buffer, &progress, &number))
        if (!quern_progress_when_finished(progress, number, &buffer->waiter))
            return;
    quern_buffer_destroy(buffer);
}

/* Backends that only say what they are asked for are asked now, as later there may be no thread that may do so. What
 * cannot be asked for is freed with the next number that finishes. */
static void ask_for_uses(quern_buffer *buffer)
{
    quern_progress *progress;
    uint64_t number;
    for (uint32_t i = 0; quern_order_use_at(buffer, i, &progress, &number); ++i)
        (void)quern_progress_ask(progress, number);
}

quern_status quern_buffer_release(quern_buffer *buffer)
{
    if (!buffer)
        return QUERN_SUCCESS;
    quern_status status = quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer");
    if (status != QUERN_SUCCESS || !quern_object_release(&buffer->object) || quern_process_is_forked())
        return status; /* what a fork has left of a buffer's uses is nobody's to look at */
    if (buffer->block && quern_memory_return_block(buffer)) {
        quern_buffer_destroy(buffer);
    } else {
        ask_for_uses(buffer);
        settle(buffer);
    }
    return QUERN_SUCCESS;
}
