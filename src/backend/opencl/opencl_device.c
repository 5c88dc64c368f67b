/* What an OpenCL device says of itself, and its context. */
#include "opencl_device.h"

#include "opencl_error.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 16 }; /* more than any device has */

/* ---- asking ---- */

/* A device that is asked for one thing after another; the first failure sticks. */
struct asked {
    cl_platform_id platform;
    cl_device_id id;
    cl_int error;
    const char *what; /* that could not be told */
    int no_memory;    /* of this process, for the answer */
};

#define ASK(asked, name, value) ask(asked, name, #name, value, sizeof *(value))
#define ASK_TEXT(asked, name) ask_text(asked, device_text, name, #name)
#define ASK_PLATFORM_TEXT(asked, name) ask_text(asked, platform_text, name, #name)

static cl_int failed(struct asked *asked, cl_int error, const char *what)
{
    asked->error = error;
    asked->what = what;
    return error;
}

static void ask(struct asked *asked, cl_uint name, const char *what, void *value, size_t size)
{
    cl_int error = asked->error ? CL_SUCCESS : quern_cl.GetDeviceInfo(asked->id, name, size, value, NULL);
    if (error)
        failed(asked, error, what);
}

/* Something that not all devices know: 0 then. */
static cl_uint ask_optional_uint(cl_device_id id, cl_uint name)
{
    cl_uint value = 0;
    return quern_cl.GetDeviceInfo(id, name, sizeof value, &value, NULL) ? 0 : value;
}

static cl_bitfield ask_optional_bits(cl_device_id id, cl_uint name)
{
    cl_bitfield value = 0;
    return quern_cl.GetDeviceInfo(id, name, sizeof value, &value, NULL) ? 0 : value;
}

static cl_int device_text(struct asked *asked, cl_uint name, size_t size, void *value, size_t *result)
{
    return quern_cl.GetDeviceInfo(asked->id, name, size, value, result);
}

static cl_int platform_text(struct asked *asked, cl_uint name, size_t size, void *value, size_t *result)
{
    return quern_cl.GetPlatformInfo(asked->platform, name, size, value, result);
}

/* Without the blanks at both ends, which drivers like to leave. */
static void trim(char *text)
{
    size_t end = strlen(text), begin = 0;
    while (end && isspace((unsigned char)text[end - 1]))
        text[--end] = '\0';
    while (isspace((unsigned char)text[begin]))
        ++begin;
    memmove(text, text + begin, end - begin + 1);
}

/* A text of any length, malloc'ed; NULL when it cannot be had. */
static char *ask_text(struct asked *asked, cl_int (*get)(struct asked *, cl_uint, size_t, void *, size_t *),
                      cl_uint name, const char *what)
{
    size_t size = 0;
    cl_int error = asked->error ? asked->error : get(asked, name, 0, NULL, &size);
    char *text = error ? NULL : calloc(1, size + 1);
    if (!error && !text) {
        asked->no_memory = 1;
        error = CL_OUT_OF_HOST_MEMORY;
    }
    if (!error)
        error = get(asked, name, size, text, NULL);
    if (error) {
        failed(asked, error, asked->error ? asked->what : what);
        free(text);
        return NULL;
    }
    trim(text);
    return text;
}

/* The texts of a device; each may be NULL. */
struct texts {
    char *name, *vendor, *version, *driver, *extensions, *platform_name, *platform_version;
};

static void texts_ask(struct texts *texts, struct asked *asked)
{
    texts->name = ASK_TEXT(asked, CL_DEVICE_NAME);
    texts->vendor = ASK_TEXT(asked, CL_DEVICE_VENDOR);
    texts->version = ASK_TEXT(asked, CL_DEVICE_VERSION);
    texts->driver = ASK_TEXT(asked, CL_DRIVER_VERSION);
    texts->extensions = ASK_TEXT(asked, CL_DEVICE_EXTENSIONS);
    texts->platform_name = ASK_PLATFORM_TEXT(asked, CL_PLATFORM_NAME);
    texts->platform_version = ASK_PLATFORM_TEXT(asked, CL_PLATFORM_VERSION);
}

static void texts_free(struct texts *texts)
{
    free(texts->name);
    free(texts->vendor);
    free(texts->version);
    free(texts->driver);
    free(texts->extensions);
    free(texts->platform_name);
    free(texts->platform_version);
}

static char *make_identity(const struct texts *texts)
{
    const char *facts[] = {texts->platform_name, texts->platform_version, texts->vendor,
                           texts->name,          texts->version,          texts->driver};
    size_t size = 1, used = 0;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i)
        size += strlen(facts[i]) + 1;
    char *identity = malloc(size);
    for (size_t i = 0; identity && i < sizeof facts / sizeof *facts; ++i)
        used += (size_t)snprintf(identity + used, size - used, "%s\n", facts[i]);
    return identity;
}

/* 1 when the list of extensions, parted by blanks, has the name. */
static int has_extension(const struct texts *texts, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = texts->extensions; (at = strstr(at, name)) != NULL; at += length)
        if ((at == texts->extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

/* "OpenCL 3.0 PoCL …" is 30; 0 for anything else. */
static int parse_version(const char *text)
{
    unsigned major = 0, minor = 0;
    if (sscanf(text, "OpenCL %u.%u", &major, &minor) != 2 || major > 99 || minor > 9)
        return 0;
    return (int)(10 * major + minor);
}

/* ---- the info ---- */

/* Bytes of the widest register that the device has for arithmetic; 0 where vectors mean nothing. */
static uint32_t simd_bytes(cl_device_id id)
{
    uint32_t widest = 0;
    int scalar = 1;
    const struct {
        cl_uint name, size;
    } kinds[] = {{CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4},
                 {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4},
                 {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 8}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        cl_uint width = ask_optional_uint(id, kinds[i].name);
        scalar &= width <= 1;
        if (width * kinds[i].size > widest && width <= 1024)
            widest = width * kinds[i].size;
    }
    return scalar ? 0 : widest;
}

static uint32_t preferred_alignment(cl_device_id id)
{
    cl_uint bytes = ask_optional_uint(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    return bytes && (bytes & (bytes - 1)) == 0 ? bytes : 64;
}

static void describe(struct quern_opencl_device *device, const struct texts *texts, cl_ulong svm)
{
    quern_device_info *info = &device->info;
    snprintf(info->backend, sizeof info->backend, "opencl");
    snprintf(info->vendor, sizeof info->vendor, "%s", texts->vendor);
    snprintf(info->instruction_set, sizeof info->instruction_set, "OpenCL %d.%d", device->version / 10,
             device->version % 10);
    info->simd_bytes = simd_bytes(device->id);
    info->preferred_alignment = preferred_alignment(device->id);
    info->fp64 = ask_optional_bits(device->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info->fp16 = (uint32_t)has_extension(texts, "cl_khr_fp16");
    info->atomics64 =
        has_extension(texts, "cl_khr_int64_base_atomics") && has_extension(texts, "cl_khr_int64_extended_atomics");
    device->correctly_rounded =
        (ask_optional_bits(device->id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    device->has_priorities = has_extension(texts, "cl_khr_priority_hints") && device->version >= 20 &&
                             quern_cl.CreateCommandQueueWithProperties;
    device->has_unified = device->version >= 20 && (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) && quern_cl.SVMAlloc &&
                          quern_cl.SVMFree && quern_cl.SetKernelArgSVMPointer && quern_cl.EnqueueSVMMemcpy;
    info->unified_memory = device->has_unified != 0;
}

/* What has to be known. */
static void ask_all(struct asked *asked, struct quern_opencl_device *device)
{
    quern_device_info *info = &device->info;
    cl_uint units = 0, address_bits = 64;
    cl_ulong type = 0;
    size_t group = 0, sizes[DIMENSIONS] = {0};
    ASK(asked, CL_DEVICE_TYPE, &type);
    ASK(asked, CL_DEVICE_MAX_COMPUTE_UNITS, &units);
    ASK(asked, CL_DEVICE_ADDRESS_BITS, &address_bits);
    ASK(asked, CL_DEVICE_MAX_WORK_GROUP_SIZE, &group);
    ASK(asked, CL_DEVICE_MAX_WORK_ITEM_SIZES, &sizes);
    ASK(asked, CL_DEVICE_GLOBAL_MEM_SIZE, &info->memory_bytes);
    ASK(asked, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &info->largest_allocation);
    ASK(asked, CL_DEVICE_LOCAL_MEM_SIZE, &info->local_memory_bytes);
    ASK(asked, CL_DEVICE_MAX_PARAMETER_SIZE, &device->parameter_bytes);
    device->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    device->pointer_bytes = address_bits / 8;
    info->compute_units = units;
    info->largest_group_items = group;
    for (int d = 0; d < 3; ++d)
        info->largest_group[d] = sizes[2 - d];
}

/* ---- making ---- */

static quern_status cannot_tell(const struct asked *asked, size_t number, struct quern_device_reason *reason)
{
    char text[QUERN_OPENCL_ERROR_TEXT];
    if (asked->no_memory)
        return quern_device_leave_out(reason, QUERN_OUT_OF_MEMORY, "no memory for the answers of device %zu", number);
    return quern_device_leave_out(reason, QUERN_SYSTEM_ERROR,
                                  "asking device %zu for %s failed: the OpenCL driver says %s", number, asked->what,
                                  quern_opencl_error_text(asked->error, text));
}

static quern_status check_usable(const struct texts *texts, struct asked *asked, struct quern_opencl_device *device,
                                 size_t number, struct quern_device_reason *reason)
{
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    char who[QUERN_DEVICE_WHO];
    ASK(asked, CL_DEVICE_AVAILABLE, &available);
    ASK(asked, CL_DEVICE_COMPILER_AVAILABLE, &compiler);
    if (asked->error)
        return cannot_tell(asked, number, reason);
    quern_device_who(who, number, texts->name);
    if (!available)
        return quern_device_leave_out(reason, QUERN_NOT_PRESENT, "%s is not available, its driver says", who);
    if (!compiler)
        return quern_device_leave_out(reason, QUERN_NOT_SUPPORTED, "%s has no compiler, its driver says", who);
    if (device->version < 12)
        return quern_device_leave_out(reason, QUERN_NOT_SUPPORTED,
                                      "%s has version \"%.100s\", wanted OpenCL 1.2 or newer", who, texts->version);
    if (device->pointer_bytes != 4 && device->pointer_bytes != 8)
        return quern_device_leave_out(reason, QUERN_NOT_SUPPORTED,
                                      "%s has addresses of %" PRIu32 " bits, wanted 32 or 64", who,
                                      8 * device->pointer_bytes);
    return quern_device_check_info(&device->info, number, reason);
}

static quern_status make_context(const struct asked *asked, struct quern_opencl_device *device, size_t number,
                                 struct quern_device_reason *reason)
{
    cl_property properties[] = {CL_CONTEXT_PLATFORM, (cl_property)asked->platform, 0};
    cl_int error = CL_SUCCESS;
    char who[QUERN_DEVICE_WHO], text[QUERN_OPENCL_ERROR_TEXT];
    device->context = quern_cl.CreateContext(properties, 1, &device->id, NULL, NULL, &error);
    if (!error && device->context)
        return QUERN_SUCCESS;
    return quern_device_leave_out(reason, QUERN_SYSTEM_ERROR, "%s gets no context: the OpenCL driver says %s",
                                  quern_device_who(who, number, device->info.description),
                                  quern_opencl_error_text(error, text));
}

static quern_status make(const struct texts *texts, struct asked *asked, struct quern_opencl_device *device,
                         size_t number, struct quern_device_reason *reason)
{
    quern_device_info *info = &device->info;
    if (asked->error)
        return cannot_tell(asked, number, reason);
    snprintf(info->name, sizeof info->name, "opencl:%zu", number);
    snprintf(info->description, sizeof info->description, "%s", texts->name);
    device->version = parse_version(texts->version);
    ask_all(asked, device);
    quern_status status = check_usable(texts, asked, device, number, reason);
    if (status != QUERN_SUCCESS)
        return status;
    describe(device, texts, ask_optional_bits(device->id, CL_DEVICE_SVM_CAPABILITIES));
    device->identity = make_identity(texts);
    if (!device->identity)
        return quern_device_leave_out(reason, QUERN_OUT_OF_MEMORY, "no memory for the identity of device %zu", number);
    return make_context(asked, device, number, reason);
}

struct quern_opencl_device *quern_opencl_device_make(size_t number, cl_platform_id platform, cl_device_id id,
                                                     struct quern_device_reason *reason)
{
    struct asked asked = {.platform = platform, .id = id};
    struct texts texts;
    struct quern_opencl_device *device = calloc(1, sizeof *device);
    if (!device) {
        (void)quern_device_leave_out(reason, QUERN_OUT_OF_MEMORY, "no memory for device %zu", number);
        return NULL;
    }
    device->id = id;
    pthread_mutex_init(&device->lock, NULL);
    texts_ask(&texts, &asked);
    quern_status status = make(&texts, &asked, device, number, reason);
    texts_free(&texts);
    if (status == QUERN_SUCCESS)
        return device;
    quern_opencl_device_free(device);
    return NULL;
}

void quern_opencl_device_free(struct quern_opencl_device *device)
{
    if (device->map_queue) {
        quern_cl.Finish(device->map_queue);
        quern_cl.ReleaseCommandQueue(device->map_queue);
    }
    if (device->context)
        quern_cl.ReleaseContext(device->context);
    free(device->identity);
    pthread_mutex_destroy(&device->lock);
    free(device);
}
