/*
 * Backends with one fault each: FAULT_… and its name FAULT_NAME come from the compiler's command line. Those that work
 * otherwise are the backend of docs/writing-a-backend.md under that name. One, native_handles, has no fault, but native
 * handles beyond what that has.
 */
#include <quern/backend.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const quern_backend quern_serial_backend;

/* A table that is longer than the library knows, with something behind it that is none of the library's business. */
static struct {
    quern_backend known;
    size_t more[2];
} table;

static const quern_backend_host *host __attribute__((unused));

#if defined(FAULT_start_fails)
static quern_status start(const quern_backend_host *given)
{
    return given->fail(QUERN_SYSTEM_ERROR, "the mill %s has no water", "minimal:0");
}
#elif defined(FAULT_no_sentence)
static quern_status start(const quern_backend_host *given)
{
    (void)given;
    return QUERN_NOT_PRESENT;
}
#elif defined(FAULT_odd_status)
static quern_status start(const quern_backend_host *given)
{
    return given->fail((quern_status)4711, "it is Sunday");
}
#elif defined(FAULT_hungry)
/* The first two starts of a process have no memory. */
static quern_status start(const quern_backend_host *given)
{
    static int starts;
    if (++starts <= 2)
        return given->fail(QUERN_OUT_OF_MEMORY, "no memory for the mill, at start %d", starts);
    return quern_serial_backend.start(given);
}
#elif defined(FAULT_start_crashes)
static quern_status start(const quern_backend_host *given)
{
    (void)given;
    raise(SIGSEGV);
    return QUERN_SUCCESS;
}
#elif defined(FAULT_start_overflows)
/* Goes down until the stack has an end. */
static __attribute__((noinline)) int descend(volatile int *depth)
{
    volatile char frame[4096];
    frame[0] = (char)++*depth;
    return *depth < 0 ? frame[0] : descend(depth) + frame[0];
}

static quern_status start(const quern_backend_host *given)
{
    volatile int depth = 0;
    return descend(&depth) == 4711 ? QUERN_SUCCESS : given->fail(QUERN_SYSTEM_ERROR, "there is no bottom");
}
#elif defined(FAULT_start_hangs)
static quern_status start(const quern_backend_host *given)
{
    (void)given;
    while (pause() != 0)
        ;
    return QUERN_SUCCESS;
}
#elif defined(FAULT_start_exits)
static quern_status start(const quern_backend_host *given)
{
    (void)given;
    exit(0);
}
#elif defined(FAULT_launch_crashes)
static quern_status launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    volatile int *volatile nowhere = (volatile int *)4096; /* NULL would be found by a sanitizer */
    (void)queue, (void)number, (void)launch;
    *nowhere = 1;
    return QUERN_SUCCESS;
}
#elif defined(FAULT_slow_first)
/* No fault, but what drivers do: by the clock of its own the first launch takes a second, the others 2 microseconds. */
static int64_t clock_now;

static quern_status start(const quern_backend_host *given)
{
    host = given;
    return quern_serial_backend.start(given);
}

static quern_status launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    clock_now += clock_now ? 2000 : 1000000000;
    return quern_serial_backend.launch(queue, number, launch);
}

static quern_status record(void *queue, uint64_t number, quern_event *event)
{
    host->event_reached(event, clock_now);
    host->event_release(event);
    return quern_serial_backend.signal(queue, number);
}
#elif defined(FAULT_no_group_limit)
/* The device does not say how large groups may be; its kernels do. */
static quern_status device_info(void *device, quern_device_info *info)
{
    quern_status status = quern_serial_backend.device_info(device, info);
    info->largest_group_items = 0;
    memset(info->largest_group, 0, sizeof info->largest_group);
    info->preferred_alignment = 0;
    return status;
}
#elif defined(FAULT_no_local_memory)
/* The device does not say how much local memory it has, which means none. */
static quern_status device_info(void *device, quern_device_info *info)
{
    quern_status status = quern_serial_backend.device_info(device, info);
    info->local_memory_bytes = 0;
    return status;
}
#elif defined(FAULT_start_vanishes)
static quern_status start(const quern_backend_host *given)
{
    (void)given;
    _exit(0);
}
#elif defined(FAULT_load_crashes)
__attribute__((constructor)) static void load(void)
{
    abort();
}
#elif defined(FAULT_no_devices)
/* A start that did not lead to devices has to be undone: the second one sees. */
static int running;

static quern_status start(const quern_backend_host *given)
{
    if (running++)
        abort();
    return quern_serial_backend.start(given);
}

static void stop(void)
{
    --running;
}

static quern_status device_count(size_t *count)
{
    *count = 0;
    return QUERN_SUCCESS;
}
#elif defined(FAULT_many_devices) || defined(FAULT_wild_devices)
static quern_status device_count(size_t *count)
{
#if defined(FAULT_wild_devices)
    *count = (size_t)-1;
#else
    *count = 21;
#endif
    return QUERN_SUCCESS;
}

/* A device and the kernel that was built for it: once, and released for the same device. */
static const quern_kernel *built[32];

static quern_status device_open(size_t index, void **device)
{
    *device = &built[index];
    return QUERN_SUCCESS;
}

static quern_status kernel_build(void *device, const quern_kernel *kernel, void **compiled, quern_kernel_limits *limits)
{
    const quern_kernel **place = device;
    if (*place)
        abort();
    quern_status status = quern_serial_backend.kernel_build(NULL, kernel, compiled, limits);
    if (status == QUERN_SUCCESS)
        *place = kernel;
    return status;
}

static void kernel_release(void *device, void *compiled)
{
    const quern_kernel **place = device;
    if (!*place)
        abort();
    *place = NULL;
    quern_serial_backend.kernel_release(NULL, compiled);
}
#elif defined(FAULT_lost_device)
static quern_status device_count(size_t *count)
{
    *count = 2;
    return QUERN_SUCCESS;
}

static quern_status start(const quern_backend_host *given)
{
    host = given;
    return quern_serial_backend.start(given);
}

static quern_status device_open(size_t index, void **device)
{
    *device = NULL;
    return index == 0 ? QUERN_SUCCESS : host->fail(QUERN_NOT_PRESENT, "device %zu has been unplugged", index);
}
#elif defined(FAULT_native_handles)
/* Its queues and its memory are their own handles. */
enum { OF_DEVICE = 150, OF_QUEUE = 250, OF_MEMORY = 350, OF_KERNEL = 450 };
static const uint32_t native_kinds[] = {OF_DEVICE, OF_QUEUE, OF_MEMORY, OF_KERNEL, 0};

static quern_status native(void *device, uint32_t kind, void *object, void *address, void **handle, size_t *offset)
{
    (void)device;
    *handle = kind == OF_DEVICE ? &table : kind == OF_MEMORY ? address : object;
    *offset = 0;
    return QUERN_SUCCESS;
}

static quern_status queue_wrap(void *device, uint32_t kind, void *handle, const quern_queue_options *options,
                               quern_progress *progress, void **queue)
{
    (void)device, (void)kind, (void)handle, (void)options;
    *queue = progress;
    return QUERN_SUCCESS;
}

static quern_status memory_wrap(void *device, uint32_t kind, void *handle, size_t bytes, void **memory)
{
    (void)device, (void)kind, (void)bytes;
    *memory = handle;
    return QUERN_SUCCESS;
}

static void free_memory(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    if (kind != QUERN_MEMORY_WRAPPED)
        quern_serial_backend.free(device, memory, bytes, kind);
}

static quern_status kernel_wrap(void *device, const quern_kernel *kernel, uint32_t kind, void *handle, void **compiled,
                                quern_kernel_limits *limits)
{
    (void)kind, (void)handle;
    return quern_serial_backend.kernel_build(device, kernel, compiled, limits);
}
#endif

const quern_backend *quern_backend_entry(void)
{
    quern_backend *known = &table.known;
    *known = quern_serial_backend;
    known->name = FAULT_NAME;
#if defined(FAULT_other_version)
    known->version = QUERN_BACKEND_VERSION + 1;
    known->size = 0; /* nothing else of another version is looked at */
#elif defined(FAULT_null_table)
    known = NULL;
#elif defined(FAULT_lacks_functions)
    known->launch = NULL;
    known->kernel_release = NULL;
#elif defined(FAULT_null_name)
    known->name = NULL;
#elif defined(FAULT_empty_name)
    known->name = "";
#elif defined(FAULT_upper_case_name)
    known->name = "Mill";
#elif defined(FAULT_digit_name)
    known->name = "2mills";
#elif defined(FAULT_all_name)
    known->name = "all"; /* as in --device all */
#elif defined(FAULT_lines_name)
    known->name = "mi\nll\x1b[1m";
#elif defined(FAULT_colon_name)
    known->name = "mill:0";
#elif defined(FAULT_long_name)
    known->name = "mill_of_sixteen_";
#elif defined(FAULT_longest_name)
    known->name = "mill_of_fifteen";
#elif defined(FAULT_taken_name)
    known->name = "cpu";
#elif defined(FAULT_short_table)
    known->size = offsetof(quern_backend, signal);
#elif defined(FAULT_old_table)
    /* Of a time without optional functions; what lies behind is something else, and half of one is none. */
    known->size = offsetof(quern_backend, fill) + 4;
    memset((char *)known + offsetof(quern_backend, fill), 0x5a, sizeof *known - offsetof(quern_backend, fill));
#elif defined(FAULT_new_table)
    known->size = sizeof table;
    table.more[0] = table.more[1] = (size_t)-1;
#elif defined(FAULT_start_fails) || defined(FAULT_no_sentence) || defined(FAULT_odd_status) ||                         \
    defined(FAULT_hungry) || defined(FAULT_start_crashes) || defined(FAULT_start_overflows) ||                         \
    defined(FAULT_start_hangs) || defined(FAULT_start_exits) || defined(FAULT_start_vanishes)
    known->start = start;
#elif defined(FAULT_no_devices)
    known->start = start;
    known->stop = stop;
    known->device_count = device_count;
#elif defined(FAULT_many_devices) || defined(FAULT_wild_devices)
    known->device_count = device_count;
    known->device_open = device_open;
    known->kernel_build = kernel_build;
    known->kernel_release = kernel_release;
#elif defined(FAULT_native_handles)
    known->free = free_memory;
    known->native_kinds = native_kinds;
    known->native = native;
    known->queue_wrap = queue_wrap;
    known->memory_wrap = memory_wrap;
    known->kernel_wrap = kernel_wrap;
#elif defined(FAULT_lost_device)
    known->start = start;
    known->device_count = device_count;
    known->device_open = device_open;
#elif defined(FAULT_slow_first)
    known->start = start;
    known->launch = launch;
    known->record = record;
#elif defined(FAULT_no_group_limit) || defined(FAULT_no_local_memory)
    known->device_info = device_info;
#elif defined(FAULT_launch_crashes)
    known->launch = launch;
#elif defined(FAULT_load_crashes)
#else
#error "there is no such fault"
#endif
    return known;
}
