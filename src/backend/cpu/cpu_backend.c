/* The CPU backend's table, and what a CPU device says of itself. */
#include "cpu_backend.h"

#include "base/cpu_level.h"
#include "base/error.h"

#include "cpu_command.h"
#include "cpu_kernel.h"
#include "cpu_memory.h"

#include <stdio.h>
#include <string.h>

static quern_status start(const quern_backend_host *host)
{
    const char *level;
    quern_status status = quern_cpu_level(&level);
    return status ? status : quern_cpu_pool_start(host);
}

static quern_status device_count(size_t *count)
{
    *count = quern_cpu_pool.topology.device_count;
    return QUERN_SUCCESS;
}

static quern_status device_open(size_t index, void **device)
{
    if (index >= quern_cpu_pool.topology.device_count)
        return quern_fail(QUERN_NOT_PRESENT, "device cpu:%zu is not there; there are %u", index,
                          quern_cpu_pool.topology.device_count);
    *device = &quern_cpu_pool.devices[index];
    return QUERN_SUCCESS;
}

/* The rest of a line of /proc/cpuinfo that begins with key, without the blanks and the colon; "" without it. */
static void read_cpuinfo(const char *key, char *text, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    text[0] = 0;
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !value)
            continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
    }
    if (file)
        fclose(file);
}

/* Bytes of the registers that code of the level uses. */
static uint32_t simd_bytes(const char *level)
{
    static const uint32_t bytes[] = {16, 0, 16, 32, 64};
    return bytes[quern_cpu_level_rank(level)];
}

static quern_status device_info(void *device, quern_device_info *info)
{
    const struct quern_cpu_device *cpu = device;
    const char *level;
    quern_status status = quern_cpu_level(&level);
    if (status)
        return status;
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "cpu:%u", cpu->index);
    snprintf(info->backend, sizeof info->backend, "cpu");
    snprintf(info->instruction_set, sizeof info->instruction_set, "%s", level);
    read_cpuinfo("model name", info->description, sizeof info->description);
    read_cpuinfo("vendor_id", info->vendor, sizeof info->vendor);
    info->memory_bytes = info->largest_allocation = quern_cpu_memory_total();
    info->compute_units = cpu->thread_count;
    info->simd_bytes = simd_bytes(level);
    info->preferred_alignment = 64;
    info->local_memory_bytes = QUERN_CPU_LOCAL_BYTES;
    info->largest_group_items = QUERN_CPU_GROUP_ITEMS;
    for (int d = 0; d < 3; ++d)
        info->largest_group[d] = QUERN_CPU_GROUP_ITEMS;
    info->fp64 = info->atomics64 = info->unified_memory = info->host_accessible = 1;
    return QUERN_SUCCESS;
}

static quern_status queue_create(void *device, const quern_queue_options *options, quern_progress *progress,
                                 void **queue)
{
    struct quern_cpu_queue *created;
    quern_status status = quern_cpu_queue_create(device, options, progress, &created);
    if (!status)
        *queue = created;
    return status;
}

static void queue_destroy(void *queue)
{
    quern_cpu_queue_destroy(queue);
}

static quern_status help(void *queue_, uint64_t number)
{
    struct quern_cpu_queue *queue = queue_;
    return quern_cpu_help(queue, queue->progress, number);
}

const quern_backend quern_cpu_backend = {
    .version = QUERN_BACKEND_VERSION,
    .size = sizeof(quern_backend),
    .name = "cpu",
    .start = start,
    .stop = quern_cpu_pool_stop,
    .device_count = device_count,
    .device_open = device_open,
    .device_info = device_info,
    .allocate = quern_cpu_memory_allocate,
    .free = quern_cpu_memory_free,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .kernel_build = quern_cpu_kernel_build,
    .kernel_release = quern_cpu_kernel_release,
    .copy = quern_cpu_copy,
    .launch = quern_cpu_launch,
    .signal = quern_cpu_signal,
    .fill = quern_cpu_fill,
    .call = quern_cpu_call,
    .wait = quern_cpu_wait,
    .record = quern_cpu_record_event,
    .help = help,
    .launch_configuration = quern_cpu_launch_configuration,
    .finishes_all = 1,
};
