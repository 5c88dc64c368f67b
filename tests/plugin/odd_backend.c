/*
 * The backend "odd": that of docs/writing-a-backend.md, whose functions answer what a test wants of them: the one that
 * odd_function names gives odd_status, and leaves odd_sentence unless that is NULL. The optional functions are there
 * for that alone.
 */
#include <quern/backend.h>

#include <string.h>

extern const quern_backend quern_serial_backend;

#define FOR_THE_TEST __attribute__((visibility("default")))
FOR_THE_TEST extern const char *odd_function, *odd_sentence;
FOR_THE_TEST extern int odd_status;
FOR_THE_TEST extern int odd_late;                     /* copies succeed, and fail later */
FOR_THE_TEST extern uint64_t odd_largest_group_items; /* of the device, and of its kernels */
FOR_THE_TEST extern uint32_t odd_preferred_alignment;
FOR_THE_TEST extern size_t odd_group, odd_kernel_items;
FOR_THE_TEST extern const char *odd_memory; /* what allocate gives: "right", "none" or "crooked" */

const char *odd_function, *odd_sentence, *odd_memory = "right";
int odd_status, odd_late;
uint64_t odd_largest_group_items = 1024;
uint32_t odd_preferred_alignment = 64;
size_t odd_group = 1, odd_kernel_items = 1024;

static const quern_backend_host *host;
#define serial quern_serial_backend

/* 1 when the function is to fail, with *status. */
static int is_odd(const char *function, quern_status *status)
{
    if (!odd_function || strcmp(odd_function, function) != 0)
        return 0;
    if (odd_sentence)
        host->fail(QUERN_SUCCESS, "%s", odd_sentence);
    *status = (quern_status)odd_status;
    return 1;
}

#define UNLESS_ODD(name, call)                                                                                         \
    do {                                                                                                               \
        quern_status unless;                                                                                           \
        return is_odd(name, &unless) ? unless : (call);                                                                \
    } while (0)

static quern_status odd_start(const quern_backend_host *given)
{
    host = given;
    UNLESS_ODD("start", serial.start(given));
}

static quern_status odd_device_count(size_t *count)
{
    UNLESS_ODD("device_count", serial.device_count(count));
}

static quern_status odd_device_open(size_t index, void **device)
{
    UNLESS_ODD("device_open", serial.device_open(index, device));
}

static quern_status odd_device_info(void *device, quern_device_info *info)
{
    quern_status status = serial.device_info(device, info);
    info->preferred_alignment = odd_preferred_alignment;
    info->largest_group_items = odd_largest_group_items;
    strcpy(info->description, "two\nlines");
    UNLESS_ODD("device_info", status);
}

static quern_status odd_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind, void **memory)
{
    quern_status status;
    if (is_odd("allocate", &status))
        return status;
    if (strcmp(odd_memory, "none") == 0)
        return QUERN_SUCCESS;
    status = serial.allocate(device, bytes + 1, alignment, kind, memory);
    if (status == QUERN_SUCCESS && strcmp(odd_memory, "crooked") == 0)
        *memory = (char *)*memory + 1;
    return status;
}

static void odd_free(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    serial.free(device, (char *)memory - (uintptr_t)memory % 2, bytes + 1, kind);
}

static quern_status odd_queue_create(void *device, const quern_queue_options *options, quern_progress *progress,
                                     void **queue)
{
    UNLESS_ODD("queue_create", serial.queue_create(device, options, progress, queue));
}

static quern_status odd_kernel_build(void *device, const quern_kernel *kernel, void **compiled,
                                     quern_kernel_limits *limits)
{
    quern_status status = serial.kernel_build(device, kernel, compiled, limits);
    limits->group_items = odd_kernel_items;
    UNLESS_ODD("kernel_build", status);
}

static quern_status odd_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (odd_late) {
        host->failed(queue, number, (quern_status)odd_status, "a copy", odd_sentence ? odd_sentence : "");
        return serial.signal(queue, number);
    }
    UNLESS_ODD("copy", serial.copy(queue, number, copy));
}

static quern_status odd_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    UNLESS_ODD("launch", serial.launch(queue, number, launch));
}

static quern_status odd_signal(void *queue, uint64_t number)
{
    UNLESS_ODD("signal", serial.signal(queue, number));
}

static quern_status odd_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    (void)fill;
    UNLESS_ODD("fill", serial.signal(queue, number));
}

static quern_status odd_call(void *queue, uint64_t number, quern_status (*function)(void *argument), void *argument)
{
    (void)function, (void)argument;
    UNLESS_ODD("call", serial.signal(queue, number));
}

static quern_status odd_record(void *queue, uint64_t number, quern_event *event)
{
    quern_status status;
    if (is_odd("record", &status))
        return status;
    host->event_reached(event, 0);
    host->event_release(event);
    return serial.signal(queue, number);
}

static quern_status odd_launch_configuration(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                             const size_t *extents, size_t max_items, size_t *group)
{
    (void)device, (void)kernel, (void)compiled, (void)extents, (void)max_items;
    for (uint32_t d = 0; d < rank; ++d)
        group[d] = odd_group;
    UNLESS_ODD("launch_configuration", QUERN_SUCCESS);
}

const quern_backend *quern_backend_entry(void)
{
    static quern_backend table;
    table = serial;
    table.name = "odd";
    table.start = odd_start;
    table.device_count = odd_device_count;
    table.device_open = odd_device_open;
    table.device_info = odd_device_info;
    table.allocate = odd_allocate;
    table.free = odd_free;
    table.queue_create = odd_queue_create;
    table.kernel_build = odd_kernel_build;
    table.copy = odd_copy;
    table.launch = odd_launch;
    table.signal = odd_signal;
    table.fill = odd_fill;
    table.call = odd_call;
    table.record = odd_record;
    table.launch_configuration = odd_launch_configuration;
    return &table;
}
