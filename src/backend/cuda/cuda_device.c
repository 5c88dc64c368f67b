/* What a CUDA device says of itself. */
#include "cuda_device.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* The oldest architecture that the dialect's atomics and math are made for: NVRTC's oldest is newer. And what no
 * compute capability comes near: it is written as 10 times its major number and the minor one. */
enum { OLDEST_ARCHITECTURE = 50, MOST_MAJOR = 999, MOST_MINOR = 9 };

/* ---- asking ---- */

/* A device that is asked for one thing after another; the first failure sticks. */
struct asked {
    CUdevice id;
    CUresult error;
    const char *what; /* that could not be told */
};

#define ASK(asked, name) ask(asked, CU_DEVICE_ATTRIBUTE_##name, #name)

static size_t ask(struct asked *asked, int attribute, const char *what)
{
    int value = 0;
    if (asked->error)
        return 0;
    asked->error = quern_cu.DeviceGetAttribute(&value, attribute, asked->id);
    if (asked->error)
        asked->what = what;
    return value > 0 && !asked->error ? (size_t)value : 0;
}

static void ask_limits(struct asked *asked, struct quern_cuda_device *device)
{
    quern_device_info *info = &device->info;
    size_t optional;
    info->compute_units = (uint32_t)ASK(asked, MULTIPROCESSOR_COUNT);
    info->subgroup_width = (uint32_t)ASK(asked, WARP_SIZE);
    info->largest_group_items = ASK(asked, MAX_THREADS_PER_BLOCK);
    info->largest_group[2] = ASK(asked, MAX_BLOCK_DIM_X);
    info->largest_group[1] = ASK(asked, MAX_BLOCK_DIM_Y);
    info->largest_group[0] = ASK(asked, MAX_BLOCK_DIM_Z);
    device->largest_grid[0] = ASK(asked, MAX_GRID_DIM_X);
    device->largest_grid[1] = ASK(asked, MAX_GRID_DIM_Y);
    device->largest_grid[2] = ASK(asked, MAX_GRID_DIM_Z);
    device->static_local = ASK(asked, MAX_SHARED_MEMORY_PER_BLOCK);
    optional = ASK(asked, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->local_memory_bytes = optional > device->static_local ? optional : device->static_local;
    device->registers = ASK(asked, MAX_REGISTERS_PER_BLOCK);
    device->largest_pitch = ASK(asked, MAX_PITCH);
}

static void ask_memory(struct asked *asked, struct quern_cuda_device *device)
{
    quern_device_info *info = &device->info;
    size_t bytes = 0, alignment = ASK(asked, TEXTURE_ALIGNMENT);
    int managed = ASK(asked, MANAGED_MEMORY) != 0;
    int concurrent = ASK(asked, CONCURRENT_MANAGED_ACCESS) != 0;
    if (!asked->error) {
        asked->error = quern_cu.DeviceTotalMem(&bytes, asked->id);
        asked->what = "its memory";
    }
    info->memory_bytes = info->largest_allocation = bytes;
    info->preferred_alignment = alignment && (alignment & (alignment - 1)) == 0 ? (uint32_t)alignment : 256;
    /* Without the second, the host may not touch it while any kernel runs. */
    info->unified_memory = managed && concurrent;
}

/* A driver older than the attribute calls it invalid. */
static void ask_pools(struct asked *asked, struct quern_cuda_device *device)
{
    int pools = 0;
    if (asked->error || !quern_cu.MemAllocAsync)
        return;
    CUresult error = quern_cu.DeviceGetAttribute(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, asked->id);
    device->has_pools = !error && pools;
    if (error && error != CUDA_ERROR_INVALID_VALUE) {
        asked->error = error;
        asked->what = "MEMORY_POOLS_SUPPORTED";
    }
}

static void ask_architecture(struct asked *asked, struct quern_cuda_device *device)
{
    quern_device_info *info = &device->info;
    size_t major = ASK(asked, COMPUTE_CAPABILITY_MAJOR), minor = ASK(asked, COMPUTE_CAPABILITY_MINOR);
    device->architecture = major > MOST_MAJOR || minor > MOST_MINOR ? INT_MAX : (int)(10 * major + minor);
    snprintf(info->instruction_set, sizeof info->instruction_set, "sm_%d", device->architecture);
    info->fp64 = 1;
    info->fp16 = device->architecture >= 53;
    info->atomics64 = 1;
    /* The larger space for arguments came with CUDA 12.1. */
    device->parameter_bytes = device->driver_version >= 12010 && device->architecture >= 70 ? 32764 : 4096;
}

/* ---- making ---- */

static quern_status make(struct quern_cuda_device *device, int ordinal, struct quern_device_reason *reason)
{
    quern_device_info *info = &device->info;
    struct asked asked = {0, CUDA_SUCCESS, "its handle"};
    char text[QUERN_CUDA_ERROR_TEXT], who[QUERN_DEVICE_WHO];
    asked.error = quern_cu.DeviceGet(&asked.id, ordinal);
    if (!asked.error) {
        asked.what = "its name";
        asked.error = quern_cu.DeviceGetName(info->description, sizeof info->description, asked.id);
    }
    device->id = asked.id;
    ask_limits(&asked, device);
    ask_memory(&asked, device);
    ask_pools(&asked, device);
    ask_architecture(&asked, device);
    size_t mode = ASK(&asked, COMPUTE_MODE);
    if (asked.error)
        return quern_device_leave_out(reason, QUERN_SYSTEM_ERROR,
                                      "asking device %d for %s failed: the CUDA driver says %s", ordinal, asked.what,
                                      quern_cuda_error_text(asked.error, text));
    quern_device_who(who, (size_t)ordinal, info->description);
    if (mode == CU_COMPUTEMODE_PROHIBITED)
        return quern_device_leave_out(reason, QUERN_NOT_PRESENT, "%s is in the mode that prohibits computing", who);
    if (device->architecture == INT_MAX)
        return quern_device_leave_out(reason, QUERN_NOT_SUPPORTED,
                                      "%s gives a compute capability that cannot be, wanted at most %d.%d", who,
                                      (int)MOST_MAJOR, (int)MOST_MINOR);
    if (device->architecture < OLDEST_ARCHITECTURE)
        return quern_device_leave_out(reason, QUERN_NOT_SUPPORTED, "%s is of %s, wanted sm_%d or newer", who,
                                      info->instruction_set, OLDEST_ARCHITECTURE);
    snprintf(info->name, sizeof info->name, "cuda:%d", ordinal);
    snprintf(info->backend, sizeof info->backend, "cuda");
    snprintf(info->vendor, sizeof info->vendor, "NVIDIA");
    return quern_device_check_info(info, (size_t)ordinal, reason);
}

struct quern_cuda_device *quern_cuda_device_make(int ordinal, int driver_version, struct quern_device_reason *reason)
{
    struct quern_cuda_device *device = calloc(1, sizeof *device);
    if (!device) {
        (void)quern_device_leave_out(reason, QUERN_OUT_OF_MEMORY, "no memory for device %d", ordinal);
        return NULL;
    }
    device->ordinal = ordinal;
    device->driver_version = driver_version;
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->build_lock, NULL);
    pthread_mutex_init(&device->clock_lock, NULL);
    quern_cuda_completion_init(&device->completion, device);
    if (make(device, ordinal, reason) == QUERN_SUCCESS)
        return device;
    quern_cuda_device_free(device);
    return NULL;
}

void quern_cuda_device_free(struct quern_cuda_device *device)
{
    quern_cuda_completion_stop(&device->completion);
    quern_cuda_clock_stop(device);
    quern_cuda_context_release(device);
    quern_cuda_completion_free(&device->completion);
    while (device->kept) {
        struct quern_cuda_owned *owned = device->kept;
        device->kept = owned->next;
        free(owned);
    }
    pthread_mutex_destroy(&device->clock_lock);
    pthread_mutex_destroy(&device->build_lock);
    pthread_mutex_destroy(&device->lock);
    free(device);
}
