/* Allocations: what there is, and the functions that make it and give it up. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table of what is alive, by address ---- */

static struct fake_memory **table;
static size_t count, capacity;

/* The index of the first one that ends behind the address. */
static size_t first_behind(uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle]->begin + table[middle]->bytes > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct fake_memory *fake_memory_first_from(uintptr_t address)
{
    size_t index = first_behind(address);
    return index < count ? table[index] : NULL;
}

struct fake_memory *fake_memory_find(uintptr_t address)
{
    size_t index = first_behind(address);
    return index < count && table[index]->begin <= address ? table[index] : NULL;
}

static int insert(struct fake_memory *memory)
{
    if (count == capacity) {
        size_t more = capacity ? 2 * capacity : 64;
        struct fake_memory **grown = realloc(table, more * sizeof *grown);
        if (!grown)
            return 0;
        table = grown;
        capacity = more;
    }
    size_t index = first_behind(memory->begin);
    memmove(table + index + 1, table + index, (count - index) * sizeof *table);
    table[index] = memory;
    ++count;
    return 1;
}

int fake_memory_is_device(uintptr_t address)
{
    return fake_place_is_device(address);
}

void *fake_memory_host(uintptr_t address)
{
    return fake_place_is_device(address) ? fake_place_host(address) : (void *)address;
}

int fake_memory_is_reachable(const struct fake_memory *memory, const struct fake_context *context)
{
    if (memory->kind == FAKE_OF_HOST || memory->kind == FAKE_MANAGED || memory->context == context)
        return 1;
    return (context->peers >> memory->context->device->index) & 1;
}

void fake_memory_count(fake_cuda_counts *counts)
{
    for (size_t i = 0; i < count; ++i) {
        counts->device_allocations += table[i]->kind <= FAKE_OF_STREAM;
        counts->device_bytes += table[i]->kind <= FAKE_OF_STREAM ? table[i]->bytes : 0;
        counts->host_allocations += table[i]->kind == FAKE_OF_HOST;
        counts->managed_allocations += table[i]->kind == FAKE_MANAGED;
    }
}

void fake_memory_unuse(struct fake_memory *memory)
{
    if (memory && --memory->uses == 0 && memory->is_detached)
        free(memory);
}

/* Takes it out of the table and gives its bytes back; the record stays while a command holds it. */
fc_result fake_memory_release(struct fake_memory *memory)
{
    fc_result error = FC_SUCCESS;
    size_t index = first_behind(memory->begin);
    memmove(table + index, table + index + 1, (count - index - 1) * sizeof *table);
    --count;
    if (memory->kind <= FAKE_OF_STREAM) {
        memory->context->device->used -= memory->bytes;
        error = fake_place_check(memory);
        fake_place_give_back(memory);
    }
    free(memory->block);
    memory->is_detached = 1;
    ++memory->uses;
    fake_memory_unuse(memory);
    return error;
}

size_t fake_memory_drop(const struct fake_context *context)
{
    size_t dropped = 0;
    for (size_t i = count; i-- > 0;)
        if (table[i]->context == context) {
            dropped += !table[i]->given_up;
            (void)fake_memory_release(table[i]);
        }
    return dropped;
}

/* ---- allocating ---- */

static fc_result take_block(struct fake_memory *memory)
{
    size_t offset = 256, alignment = 512; /* so that nothing is aligned to more than 256 */
    if (memory->bytes > SIZE_MAX - 2 * alignment)
        return FC_ERROR_OUT_OF_MEMORY;
    size_t bytes = (offset + memory->bytes + alignment - 1) / alignment * alignment;
    memory->block = aligned_alloc(alignment, bytes);
    if (!memory->block)
        return FC_ERROR_OUT_OF_MEMORY;
    memory->begin = (uintptr_t)memory->block + offset;
    fake_place_fill((void *)memory->begin, memory->bytes);
    return FC_SUCCESS;
}

/* The call's SUCCESS and *memory. */
static fc_result allocate(size_t bytes, enum fake_memory_kind kind, struct fake_memory **memory)
{
    struct fake_context *context = fake_context_current();
    size_t *used = &context->device->used;
    int is_device = kind <= FAKE_OF_STREAM;
    if (bytes == 0)
        return FC_ERROR_INVALID_VALUE;
    if (is_device && (bytes > fake_settings.memory || *used > fake_settings.memory - bytes))
        return FC_ERROR_OUT_OF_MEMORY;
    struct fake_memory *made = calloc(1, sizeof *made);
    if (!made)
        return FC_ERROR_OUT_OF_MEMORY;
    *made = (struct fake_memory){.bytes = bytes, .kind = kind, .context = context, .there = kind != FAKE_OF_STREAM};
    fc_result error = is_device ? fake_place_take(made) : take_block(made);
    if (!error && !insert(made)) {
        if (is_device)
            fake_place_give_back(made);
        error = FC_ERROR_OUT_OF_MEMORY;
    }
    if (error) {
        free(made->block);
        free(made);
        return error;
    }
    if (is_device)
        *used += bytes;
    *memory = made;
    return FC_SUCCESS;
}

fc_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    fc_result error = fake_enter("cuMemGetInfo_v2", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (!free_bytes || !total)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    *total = fake_settings.memory;
    *free_bytes = fake_settings.memory - fake_context_current()->device->used;
    return fake_leave(FC_SUCCESS);
}

fc_result cuMemAlloc_v2(fc_pointer *pointer, size_t bytes)
{
    struct fake_memory *memory = NULL;
    fc_result error = fake_enter("cuMemAlloc_v2", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    error = pointer ? allocate(bytes, FAKE_OF_DEVICE, &memory) : FC_ERROR_INVALID_VALUE;
    if (!error)
        *pointer = memory->begin;
    return fake_leave(error);
}

static fc_result host_alloc(const char *name, void **pointer, size_t bytes, unsigned flags)
{
    struct fake_memory *memory = NULL;
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (!pointer || flags & ~(unsigned)(FC_HOST_PORTABLE | FC_HOST_DEVICEMAP | FC_HOST_WRITECOMBINED))
        return fake_leave(FC_ERROR_INVALID_VALUE);
    error = allocate(bytes, FAKE_OF_HOST, &memory);
    if (!error)
        *pointer = (void *)memory->begin;
    return fake_leave(error);
}

fc_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    return host_alloc("cuMemHostAlloc", pointer, bytes, flags);
}

fc_result cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    return host_alloc("cuMemAllocHost_v2", pointer, bytes, 0);
}

fc_result cuMemAllocManaged(fc_pointer *pointer, size_t bytes, unsigned flags)
{
    struct fake_memory *memory = NULL;
    fc_result error = fake_enter("cuMemAllocManaged", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (fake_settings.no_managed == 1)
        return fake_leave(FC_ERROR_NOT_SUPPORTED);
    if (!pointer || (flags != FC_ATTACH_GLOBAL && flags != FC_ATTACH_HOST))
        return fake_leave(FC_ERROR_INVALID_VALUE);
    error = allocate(bytes, FAKE_MANAGED, &memory);
    if (!error)
        *pointer = memory->begin;
    return fake_leave(error);
}

/* ---- giving up ---- */

/* As the driver does it: when everything queued has run. */
static fc_result give_up(uintptr_t address, int is_host)
{
    struct fake_memory *memory = fake_memory_find(address);
    if (!memory || memory->begin != address || (memory->kind == FAKE_OF_HOST) != is_host || memory->given_up)
        return FC_ERROR_INVALID_VALUE;
    if (memory->context->error)
        return memory->context->error;
    if (memory->uses)
        fake_count_freed_in_use();
    struct fake_context *context = memory->context;
    memory->given_up = 1;
    fake_wait_for_all(context);
    if (context->error) { /* broken meanwhile */
        memory->given_up = 0;
        return context->error;
    }
    fc_result error = fake_memory_release(memory);
    if (error)
        fake_context_break(context, error);
    return error;
}

fc_result cuMemFree_v2(fc_pointer pointer)
{
    fc_result error = fake_enter("cuMemFree_v2", FAKE_NEEDS_CONTEXT | FAKE_RELEASES);
    if (error)
        return error;
    return fake_leave(pointer ? give_up((uintptr_t)pointer, 0) : FC_SUCCESS);
}

fc_result cuMemFreeHost(void *pointer)
{
    fc_result error = fake_enter("cuMemFreeHost", FAKE_NEEDS_CONTEXT | FAKE_RELEASES);
    if (error)
        return error;
    return fake_leave(give_up((uintptr_t)pointer, 1));
}

/* ---- in a stream's order ---- */

static fc_result submit(struct fake_stream *stream, struct fake_memory *memory, enum fake_what what)
{
    struct fake_command *command = calloc(1, sizeof *command);
    if (!command)
        return FC_ERROR_OUT_OF_MEMORY;
    command->what = what;
    command->memory = memory;
    ++memory->uses;
    return fake_submit(stream, command);
}

fc_result cuMemAllocAsync(fc_pointer *pointer, size_t bytes, fc_stream handle)
{
    struct fake_memory *memory = NULL;
    struct fake_stream *stream = NULL;
    fc_result error = fake_enter("cuMemAllocAsync", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (fake_settings.no_pools)
        return fake_leave(FC_ERROR_NOT_SUPPORTED);
    error = pointer ? fake_stream_of(handle, &stream) : FC_ERROR_INVALID_VALUE;
    if (!error && stream->context != fake_context_current())
        error = FC_ERROR_INVALID_HANDLE;
    if (!error)
        error = allocate(bytes, FAKE_OF_STREAM, &memory);
    if (error)
        return fake_leave(error);
    error = submit(stream, memory, FAKE_BEGIN_MEMORY);
    if (error)
        (void)fake_memory_release(memory);
    else
        *pointer = memory->begin;
    return fake_leave(error);
}

fc_result cuMemFreeAsync(fc_pointer pointer, fc_stream handle)
{
    struct fake_stream *stream = NULL;
    fc_result error = fake_enter("cuMemFreeAsync", FAKE_NEEDS_CONTEXT | FAKE_RELEASES);
    if (error)
        return error;
    struct fake_memory *memory = fake_memory_find((uintptr_t)pointer);
    error = fake_stream_of(handle, &stream);
    if (!error && (!memory || memory->begin != pointer || memory->kind != FAKE_OF_STREAM || memory->given_up))
        error = FC_ERROR_INVALID_VALUE;
    if (!error && !fake_memory_is_reachable(memory, stream->context))
        error = FC_ERROR_INVALID_VALUE;
    if (!error)
        error = submit(stream, memory, FAKE_END_MEMORY);
    if (!error)
        memory->given_up = 1;
    return fake_leave(error);
}

/* ---- pools, which the fake has one of a device ---- */

static fc_result enter_pool(const char *name, fc_pool pool, const void *value)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_INIT);
    if (!error && (!fake_handle_find(FAKE_POOL, pool) || !value))
        error = fake_leave(FC_ERROR_INVALID_VALUE);
    return error;
}

fc_result cuMemPoolSetAttribute(fc_pool pool, int attribute, void *value)
{
    fc_result error = enter_pool("cuMemPoolSetAttribute", pool, value);
    if (error)
        return error;
    return fake_leave(attribute >= 1 && attribute <= 8 ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuMemPoolGetAttribute(fc_pool pool, int attribute, void *value)
{
    fc_result error = enter_pool("cuMemPoolGetAttribute", pool, value);
    if (error)
        return error;
    memset(value, 0, attribute <= 3 ? sizeof(int) : sizeof(uint64_t));
    return fake_leave(attribute >= 1 && attribute <= 8 ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuMemPoolTrimTo(fc_pool pool, size_t bytes)
{
    (void)bytes;
    fc_result error = enter_pool("cuMemPoolTrimTo", pool, pool);
    return error ? error : fake_leave(FC_SUCCESS);
}

/* ---- asking ---- */

fc_result cuMemHostGetDevicePointer_v2(fc_pointer *device, void *host, unsigned flags)
{
    fc_result error = fake_enter("cuMemHostGetDevicePointer_v2", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    const struct fake_memory *memory = fake_memory_find((uintptr_t)host);
    if (!device || flags || !memory || memory->kind != FAKE_OF_HOST)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    *device = (uintptr_t)host;
    return fake_leave(FC_SUCCESS);
}

fc_result cuMemGetAddressRange_v2(fc_pointer *begin, size_t *bytes, fc_pointer pointer)
{
    fc_result error = fake_enter("cuMemGetAddressRange_v2", FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    const struct fake_memory *memory = fake_memory_find((uintptr_t)pointer);
    if (!memory)
        return fake_leave(FC_ERROR_NOT_FOUND);
    if (begin)
        *begin = memory->begin;
    if (bytes)
        *bytes = memory->bytes;
    return fake_leave(FC_SUCCESS);
}

fc_result cuPointerGetAttribute(void *value, int attribute, fc_pointer pointer)
{
    fc_result error = fake_enter("cuPointerGetAttribute", FAKE_NEEDS_INIT);
    if (error)
        return error;
    const struct fake_memory *memory = fake_memory_find((uintptr_t)pointer);
    if (!value || !memory)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    unsigned type = memory->kind == FAKE_OF_HOST ? FC_MEMORY_HOST : FC_MEMORY_DEVICE,
             managed = memory->kind == FAKE_MANAGED;
    if (attribute == FC_POINTER_CONTEXT)
        memcpy(value, &memory->context->handle, sizeof memory->context->handle);
    else if (attribute == FC_POINTER_MEMORY_TYPE)
        memcpy(value, &type, sizeof type);
    else if (attribute == FC_POINTER_IS_MANAGED)
        memcpy(value, &managed, sizeof managed);
    else if (attribute == FC_POINTER_DEVICE_ORDINAL)
        memcpy(value, &memory->context->device->index, sizeof(int));
    else
        return fake_leave(FC_ERROR_INVALID_VALUE);
    return fake_leave(FC_SUCCESS);
}
