/* Allocating and freeing memory of a CUDA device, each kind in its own way. */
#include "cuda_memory.h"

#include "base/error.h"

#include <stdlib.h>

/* Memory that begins behind what the driver gave, for an alignment that the driver does not keep by itself. */
struct quern_cuda_aligned {
    struct quern_cuda_aligned *next;
    void *memory, *given;
};

/* That memory of a pool has. */
enum { POOL_ALIGNMENT = 256 };

/* ---- what the driver gives ---- */

static const char *name_of(quern_memory_kind kind)
{
    return kind == QUERN_MEMORY_PINNED ? "pinned memory" : kind == QUERN_MEMORY_UNIFIED ? "unified memory" : "memory";
}

/* The context is the thread's. */
static quern_status take(struct quern_cuda_device *device, size_t bytes, quern_memory_kind kind, void **given)
{
    CUdeviceptr pointer = 0;
    CUresult error;
    *given = NULL;
    if (kind == QUERN_MEMORY_PINNED)
        error = quern_cu.MemHostAlloc(given, bytes, CU_MEMHOSTALLOC_PORTABLE);
    else if (kind == QUERN_MEMORY_UNIFIED)
        error = quern_cu.MemAllocManaged(&pointer, bytes, CU_MEM_ATTACH_GLOBAL);
    else
        error = quern_cu.MemAlloc(&pointer, bytes);
    if (error)
        return quern_cuda_device_fail(device, error, "allocating %zu bytes of %s on %s", bytes, name_of(kind),
                                      device->info.name);
    if (kind != QUERN_MEMORY_PINNED)
        *given = (void *)(uintptr_t)pointer;
    return QUERN_SUCCESS;
}

/* The context is the thread's, unless it is gone. */
static void give_back(void *given, quern_memory_kind kind)
{
    if (kind == QUERN_MEMORY_PINNED)
        (void)quern_cu.MemFreeHost(given);
    else
        (void)quern_cu.MemFree(quern_cuda_pointer(given));
}

/* ---- alignment ---- */

/* The driver's own is at least 256 bytes, a page of pinned memory. For more, the memory begins later. */
static quern_status take_aligned(struct quern_cuda_device *device, size_t bytes, size_t alignment,
                                 quern_memory_kind kind, void **memory)
{
    size_t whole;
    void *given;
    struct quern_cuda_aligned *record = malloc(sizeof *record);
    if (!record || quern_add_overflows(bytes, alignment - 1, &whole)) {
        free(record);
        return quern_fail(QUERN_OUT_OF_MEMORY, "%zu bytes aligned to %zu on %s are not to be had", bytes, alignment,
                          device->info.name);
    }
    quern_status status = take(device, whole, kind, &given);
    if (status != QUERN_SUCCESS) {
        free(record);
        return status;
    }
    record->given = given;
    record->memory = *memory = (void *)(((uintptr_t)given + alignment - 1) & ~(uintptr_t)(alignment - 1));
    pthread_mutex_lock(&device->lock);
    record->next = device->aligned;
    device->aligned = record;
    pthread_mutex_unlock(&device->lock);
    return QUERN_SUCCESS;
}

/* What the driver gave for the memory. */
static void *given_for(struct quern_cuda_device *device, void *memory)
{
    void *given = memory;
    pthread_mutex_lock(&device->lock);
    for (struct quern_cuda_aligned **link = &device->aligned; *link; link = &(*link)->next)
        if ((*link)->memory == memory) {
            struct quern_cuda_aligned *record = *link;
            *link = record->next;
            given = record->given;
            free(record);
            break;
        }
    pthread_mutex_unlock(&device->lock);
    return given;
}

/* ---- the table's ---- */

static quern_status allocate_host(size_t bytes, size_t alignment, void **memory)
{
    *memory = NULL;
    if (posix_memalign(memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes) != 0)
        return quern_fail(QUERN_OUT_OF_MEMORY, "%zu bytes of host memory are not to be had", bytes);
    return QUERN_SUCCESS;
}

static quern_status allocate(struct quern_cuda_device *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                             void **memory)
{
    quern_status status = take(device, bytes, kind, memory);
    if (status != QUERN_SUCCESS || (uintptr_t)*memory % alignment == 0)
        return status;
    give_back(*memory, kind);
    return take_aligned(device, bytes, alignment, kind, memory);
}

quern_status quern_cuda_memory_allocate(void *device_, size_t bytes, size_t alignment, quern_memory_kind kind,
                                        void **result)
{
    struct quern_cuda_device *device = device_;
    void *memory = NULL;
    if (kind == QUERN_MEMORY_UNIFIED && !device->info.unified_memory)
        return quern_fail(
            QUERN_NOT_SUPPORTED,
            "unified memory is not to be had on %s, wanted a device whose managed memory the host may use "
            "while kernels run",
            device->info.name);
    quern_status status = kind == QUERN_MEMORY_HOST ? QUERN_SUCCESS : quern_cuda_enter(device);
    if (status != QUERN_SUCCESS)
        return status;
    if (kind == QUERN_MEMORY_HOST) {
        status = allocate_host(bytes, alignment, &memory);
    } else {
        status = allocate(device, bytes, alignment, kind, &memory);
        quern_cuda_leave();
    }
    if (status == QUERN_SUCCESS)
        *result = memory;
    return status;
}

void quern_cuda_memory_free(void *device_, void *memory, size_t bytes, quern_memory_kind kind)
{
    (void)bytes;
    struct quern_cuda_device *device = device_;
    if (kind == QUERN_MEMORY_HOST)
        free(memory);
    if (kind == QUERN_MEMORY_HOST || kind == QUERN_MEMORY_WRAPPED)
        return;
    void *given = given_for(device, memory);
    if (!quern_cuda_enter_to_release(device))
        return; /* the driver is gone, and the memory with it */
    give_back(given, kind);
    quern_cuda_leave();
}

/* In the stream's order, which holds nothing up; as usual memory where the driver has no pools, or where it takes
 * another alignment. On a failed queue too. The front end gives it back when no command uses it any more, so in no
 * order. */
quern_status quern_cuda_queue_allocate(void *queue_, uint64_t number, size_t bytes, size_t alignment, void **result)
{
    struct quern_cuda_queue *queue = queue_;
    struct quern_cuda_device *device = queue->device;
    struct quern_cuda_command command = {.queue = queue, .number = number, .what = "an allocation"};
    void *memory = NULL;
    quern_status status = quern_cuda_enter(device);
    if (status != QUERN_SUCCESS)
        return status;
    command.runs = 1;
    if (device->has_pools && alignment <= POOL_ALIGNMENT) {
        CUdeviceptr pointer = 0;
        CUresult error = quern_cu.MemAllocAsync(&pointer, bytes, queue->stream);
        memory = (void *)(uintptr_t)pointer;
        if (error)
            status = quern_cuda_device_fail(device, error, "allocating %zu bytes in the order of a queue of %s", bytes,
                                            device->info.name);
        else
            command.given = 1;
    } else {
        status = allocate(device, bytes, alignment, QUERN_MEMORY_DEVICE, &memory);
    }
    status = quern_cuda_command_end(&command, status);
    if (status == QUERN_SUCCESS)
        *result = memory;
    return status;
}
