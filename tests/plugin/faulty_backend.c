/*
 * Backends with one fault each: FAULT_… and its name FAULT_NAME come from the compiler's command line. Those that work
 * otherwise are the backend of docs/writing-a-backend.md under that name.
 */
#include <quern/backend.h>

#include <stdlib.h>
#include <string.h>

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
#elif defined(FAULT_start_fails) || defined(FAULT_no_sentence) || defined(FAULT_odd_status) || defined(FAULT_hungry)
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
#elif defined(FAULT_lost_device)
    known->start = start;
    known->device_count = device_count;
    known->device_open = device_open;
#else
#error "there is no such fault"
#endif
    return known;
}
