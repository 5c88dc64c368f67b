/* Allocating and freeing memory of an OpenCL device, each kind in its own way. */
#include "opencl_memory.h"

#include "base/error.h"

#include "opencl_error.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Room in front of the memory for the record. */
enum { RECORD = sizeof(struct quern_opencl_memory) };

static quern_status no_memory(size_t bytes, const char *of)
{
    return quern_fail(QUERN_OUT_OF_MEMORY, "%zu bytes of %s are not to be had", bytes, of);
}

static char *align_up(char *address, size_t alignment)
{
    return (char *)(((uintptr_t)address + alignment - 1) & ~(uintptr_t)(alignment - 1));
}

static size_t at_least(size_t alignment, size_t least)
{
    return alignment < least ? least : alignment;
}

/* ---- device memory ---- */

static quern_status reserve(size_t bytes, size_t alignment, struct quern_opencl_memory **record)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
    alignment = at_least(alignment, page);
    if (quern_add_overflows(bytes, alignment + 2 * page, &size))
        return no_memory(bytes, "address space");
    size -= size % page;
    char *block = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return no_memory(bytes, "address space");
    char *memory = align_up(block + page, alignment);
    if (mprotect(memory - page, page, PROT_READ | PROT_WRITE) != 0) {
        munmap(block, size);
        return no_memory(page, "host memory for a buffer's record");
    }
    *record = quern_opencl_memory_of(memory);
    (*record)->block = block;
    (*record)->block_size = size;
    return QUERN_SUCCESS;
}

static quern_status create_buffer(struct quern_opencl_device *device, size_t bytes, cl_bitfield flags, cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    *buffer = quern_cl.CreateBuffer(device->context, flags, bytes, NULL, &error);
    if (error)
        return quern_opencl_fail(error, "allocating %zu bytes on %s", bytes, device->info.name);
    return QUERN_SUCCESS;
}

quern_status quern_opencl_memory_make(cl_mem buffer, size_t bytes, size_t alignment, void **memory)
{
    struct quern_opencl_memory *record = NULL;
    quern_status status = reserve(bytes, alignment, &record);
    if (status != QUERN_SUCCESS) {
        quern_cl.ReleaseMemObject(buffer);
        return status;
    }
    record->kind = QUERN_MEMORY_DEVICE;
    record->buffer = buffer;
    *memory = record + 1;
    return QUERN_SUCCESS;
}

static quern_status allocate_device(struct quern_opencl_device *device, size_t bytes, size_t alignment,
                                    struct quern_opencl_memory **record)
{
    cl_mem buffer;
    void *memory = NULL;
    quern_status status = create_buffer(device, bytes, CL_MEM_READ_WRITE, &buffer);
    if (status == QUERN_SUCCESS)
        status = quern_opencl_memory_make(buffer, bytes, alignment, &memory);
    if (status == QUERN_SUCCESS)
        *record = quern_opencl_memory_of(memory);
    return status;
}

/* ---- memory that the host can reach ---- */

/* The memory in a block that was allocated with room for it and its record. */
static struct quern_opencl_memory *place(void *block, size_t alignment)
{
    struct quern_opencl_memory *record = quern_opencl_memory_of(align_up((char *)block + RECORD, alignment));
    record->block = block;
    record->block_size = 0;
    record->buffer = NULL;
    return record;
}

static quern_status allocate_host(size_t bytes, size_t alignment, struct quern_opencl_memory **record)
{
    size_t whole;
    if (quern_add_overflows(bytes, RECORD + alignment, &whole))
        return no_memory(bytes, "host memory");
    void *block = malloc(whole);
    if (!block)
        return no_memory(bytes, "host memory");
    *record = place(block, alignment);
    return QUERN_SUCCESS;
}

/* The queue that maps pinned memory. */
static quern_status map_queue(struct quern_opencl_device *device, cl_command_queue *queue)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&device->lock);
    if (!device->map_queue)
        device->map_queue = quern_cl.CreateCommandQueue(device->context, device->id, 0, &error);
    *queue = device->map_queue;
    pthread_mutex_unlock(&device->lock);
    return error ? quern_opencl_fail(error, "making a queue of %s to map memory", device->info.name) : QUERN_SUCCESS;
}

/* Host memory that the driver chose, so that copies need no detour; mapped for good. */
static quern_status allocate_pinned(struct quern_opencl_device *device, size_t bytes, size_t alignment,
                                    struct quern_opencl_memory **record)
{
    cl_command_queue queue;
    cl_mem buffer;
    size_t whole;
    cl_int error = CL_SUCCESS;
    if (quern_add_overflows(bytes, RECORD + alignment, &whole))
        return no_memory(bytes, "pinned host memory");
    quern_status status = map_queue(device, &queue);
    if (status == QUERN_SUCCESS)
        status = create_buffer(device, whole, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, &buffer);
    if (status != QUERN_SUCCESS)
        return status;
    void *block =
        quern_cl.EnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, whole, 0, NULL, NULL, &error);
    if (error) {
        quern_cl.ReleaseMemObject(buffer);
        return quern_opencl_fail(error, "mapping %zu bytes of pinned memory of %s", bytes, device->info.name);
    }
    *record = place(block, alignment);
    (*record)->buffer = buffer;
    return QUERN_SUCCESS;
}

static quern_status allocate_unified(struct quern_opencl_device *device, size_t bytes, size_t alignment,
                                     struct quern_opencl_memory **record)
{
    size_t whole;
    if (!device->has_unified)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "unified memory is not to be had on %s, wanted a device with fine-grained shared virtual "
                          "memory (OpenCL 2.0 or newer)",
                          device->info.name);
    if (quern_add_overflows(bytes, RECORD + alignment, &whole))
        return no_memory(bytes, "unified memory");
    void *block = quern_cl.SVMAlloc(device->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, whole, 0);
    if (!block)
        return no_memory(bytes, "unified memory");
    *record = place(block, alignment);
    return QUERN_SUCCESS;
}

/* ---- the table's ---- */

quern_status quern_opencl_memory_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                          void **memory)
{
    struct quern_opencl_memory *record = NULL;
    quern_status status;
    alignment = at_least(alignment, _Alignof(struct quern_opencl_memory));
    switch (kind) {
    case QUERN_MEMORY_DEVICE:
        status = allocate_device(device, bytes, alignment, &record);
        break;
    case QUERN_MEMORY_HOST:
        status = allocate_host(bytes, alignment, &record);
        break;
    case QUERN_MEMORY_PINNED:
        status = allocate_pinned(device, bytes, alignment, &record);
        break;
    default:
        status = allocate_unified(device, bytes, alignment, &record);
    }
    if (status != QUERN_SUCCESS)
        return status;
    record->kind = kind;
    *memory = record + 1;
    return QUERN_SUCCESS;
}

/* Waits for nothing: this may be a driver's callback. The driver keeps the buffer until it has been unmapped. */
static void free_pinned(struct quern_opencl_device *device, const struct quern_opencl_memory *record)
{
    cl_mem buffer = record->buffer; /* the record itself is unmapped */
    quern_cl.EnqueueUnmapMemObject(device->map_queue, buffer, record->block, 0, NULL, NULL);
    quern_cl.Flush(device->map_queue);
    quern_cl.ReleaseMemObject(buffer);
}

void quern_opencl_memory_free(void *device_, void *memory, size_t bytes, quern_memory_kind kind)
{
    (void)bytes;
    struct quern_opencl_device *device = device_;
    struct quern_opencl_memory *record = quern_opencl_memory_of(memory);
    switch (kind) {
    case QUERN_MEMORY_DEVICE:
    case QUERN_MEMORY_WRAPPED: /* whose buffer has been retained */
        quern_cl.ReleaseMemObject(record->buffer);
        munmap(record->block, record->block_size);
        break;
    case QUERN_MEMORY_HOST:
        free(record->block);
        break;
    case QUERN_MEMORY_PINNED:
        free_pinned(device, record);
        break;
    default:
        quern_cl.SVMFree(device->context, record->block);
    }
}
