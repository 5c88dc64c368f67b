/* The driver itself and its devices. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_device fake_device_table[FAKE_DEVICES];
int fake_is_initialised;

/* ---- the driver ---- */

static fc_result start(void)
{
    if (fake_is_initialised)
        return FC_SUCCESS;
    fake_settings_read();
    if (fake_settings.devices <= 0)
        return FC_ERROR_NO_DEVICE;
    fc_result error = fake_schedule_start();
    if (error)
        return error;
    for (int i = 0; i < fake_settings.devices; ++i) {
        struct fake_device *device = &fake_device_table[i];
        if (!device->pool)
            *device = (struct fake_device){.index = i, .pool = fake_handle_make(FAKE_POOL, device)};
        if (!device->pool)
            return FC_ERROR_OUT_OF_MEMORY;
    }
    fake_is_initialised = 1;
    return FC_SUCCESS;
}

fc_result cuInit(unsigned flags)
{
    fc_result error = fake_enter("cuInit", FAKE_NEEDS_NOTHING);
    if (error)
        return error;
    return fake_leave(flags ? FC_ERROR_INVALID_VALUE : start());
}

/* May be asked before cuInit. */
fc_result cuDriverGetVersion(int *version)
{
    fc_result error = fake_enter("cuDriverGetVersion", FAKE_NEEDS_NOTHING);
    if (error)
        return error;
    if (!fake_is_initialised)
        fake_settings_read();
    if (version)
        *version = fake_settings.version;
    return fake_leave(version ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

static const struct {
    fc_result error;
    const char *name, *text;
} errors[] = {
#define ERROR(name, value, text) {value, "CUDA_" #name, text},
    FC_ERRORS(ERROR)
#undef ERROR
};

fc_result cuGetErrorName(fc_result error, const char **name)
{
    if (!name)
        return FC_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i)
        if (errors[i].error == error)
            *name = errors[i].name;
    return *name ? FC_SUCCESS : FC_ERROR_INVALID_VALUE;
}

fc_result cuGetErrorString(fc_result error, const char **text)
{
    if (!text)
        return FC_ERROR_INVALID_VALUE;
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i)
        if (errors[i].error == error)
            *text = errors[i].text;
    return *text ? FC_SUCCESS : FC_ERROR_INVALID_VALUE;
}

/* ---- devices ---- */

static int is_device(fc_device device)
{
    return device >= 0 && device < fake_settings.devices;
}

/* The begin of a function that asks for something of a device. */
static fc_result enter(const char *name, const void *result, fc_device device)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_INIT);
    if (!error && (!result || !is_device(device)))
        error = fake_leave(result ? FC_ERROR_INVALID_DEVICE : FC_ERROR_INVALID_VALUE);
    return error;
}

fc_result cuDeviceGetCount(int *count)
{
    fc_result error = enter("cuDeviceGetCount", count, 0);
    if (error)
        return error;
    *count = fake_settings.devices;
    return fake_leave(FC_SUCCESS);
}

fc_result cuDeviceGet(fc_device *device, int ordinal)
{
    fc_result error = enter("cuDeviceGet", device, ordinal);
    if (error)
        return error;
    *device = ordinal;
    return fake_leave(FC_SUCCESS);
}

fc_result cuDeviceGetName(char *name, int length, fc_device device)
{
    fc_result error = enter("cuDeviceGetName", name, device);
    if (error)
        return error;
    if (length > 0)
        snprintf(name, (size_t)length, "Fake CUDA device (tests)");
    return fake_leave(length > 0 ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

static fc_result get_uuid(const char *function, fc_uuid *uuid, fc_device device)
{
    fc_result error = enter(function, uuid, device);
    if (error)
        return error;
    memcpy(uuid->bytes, "fake CUDA device", sizeof uuid->bytes);
    uuid->bytes[15] = (char)device;
    return fake_leave(FC_SUCCESS);
}

fc_result cuDeviceGetUuid(fc_uuid *uuid, fc_device device)
{
    return get_uuid("cuDeviceGetUuid", uuid, device);
}

fc_result cuDeviceGetUuid_v2(fc_uuid *uuid, fc_device device)
{
    return get_uuid("cuDeviceGetUuid_v2", uuid, device);
}

fc_result cuDeviceGetPCIBusId(char *text, int length, fc_device device)
{
    fc_result error = enter("cuDeviceGetPCIBusId", text, device);
    if (error)
        return error;
    int needed = snprintf(text, length > 0 ? (size_t)length : 0, "0000:FA:%02X.0", (unsigned)device);
    return fake_leave(needed < length ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}

fc_result cuDeviceTotalMem_v2(size_t *bytes, fc_device device)
{
    fc_result error = enter("cuDeviceTotalMem_v2", bytes, device);
    if (error)
        return error;
    *bytes = fake_settings.memory;
    return fake_leave(FC_SUCCESS);
}

static int attribute_of(int attribute, int *value)
{
    static const struct {
        int attribute, value;
    } fixed[] = {
        {FC_DEVICE_MAX_THREADS_PER_BLOCK, 1024},
        {FC_DEVICE_MAX_BLOCK_DIM_X, 1024},
        {FC_DEVICE_MAX_BLOCK_DIM_Y, 1024},
        {FC_DEVICE_MAX_BLOCK_DIM_Z, 64},
        {FC_DEVICE_MAX_GRID_DIM_X, 0x7fffffff},
        {FC_DEVICE_MAX_GRID_DIM_Y, 65535},
        {FC_DEVICE_MAX_GRID_DIM_Z, 65535},
        {FC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK, FAKE_SHARED},
        {FC_DEVICE_TOTAL_CONSTANT_MEMORY, 65536},
        {FC_DEVICE_WARP_SIZE, 32},
        {FC_DEVICE_MAX_PITCH, 0x7fffffff},
        {FC_DEVICE_MAX_REGISTERS_PER_BLOCK, 65536},
        {FC_DEVICE_CLOCK_RATE, 1000000},
        {FC_DEVICE_TEXTURE_ALIGNMENT, 512},
        {FC_DEVICE_MULTIPROCESSOR_COUNT, 4},
        {FC_DEVICE_KERNEL_EXEC_TIMEOUT, 0},
        {FC_DEVICE_INTEGRATED, 0},
        {FC_DEVICE_CAN_MAP_HOST_MEMORY, 1},
        {FC_DEVICE_COMPUTE_MODE, 0},
        {FC_DEVICE_CONCURRENT_KERNELS, 1},
        {FC_DEVICE_ECC_ENABLED, 0},
        {FC_DEVICE_PCI_BUS_ID, 0xfa},
        {FC_DEVICE_PCI_DEVICE_ID, 0},
        {FC_DEVICE_PCI_DOMAIN_ID, 0},
        {FC_DEVICE_TCC_DRIVER, 0},
        {FC_DEVICE_MEMORY_CLOCK_RATE, 1000000},
        {FC_DEVICE_GLOBAL_MEMORY_BUS_WIDTH, 64},
        {FC_DEVICE_L2_CACHE_SIZE, 1 << 20},
        {FC_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {FC_DEVICE_ASYNC_ENGINE_COUNT, 2},
        {FC_DEVICE_UNIFIED_ADDRESSING, 1},
        {FC_DEVICE_TEXTURE_PITCH_ALIGNMENT, 32},
        {FC_DEVICE_STREAM_PRIORITIES_SUPPORTED, 1},
        {FC_DEVICE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 * 1024},
        {FC_DEVICE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {FC_DEVICE_HOST_NATIVE_ATOMIC_SUPPORTED, 0},
        {FC_DEVICE_PAGEABLE_MEMORY_ACCESS, 0},
        {FC_DEVICE_COOPERATIVE_LAUNCH, 0},
        {FC_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, FAKE_SHARED_OPTIN},
        {FC_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
        {FC_DEVICE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i)
        if (fixed[i].attribute == attribute) {
            *value = fixed[i].value;
            return 1;
        }
    switch (attribute) {
    case FC_DEVICE_COMPUTE_CAPABILITY_MAJOR:
        *value = fake_settings.architecture / 10;
        return 1;
    case FC_DEVICE_COMPUTE_CAPABILITY_MINOR:
        *value = fake_settings.architecture % 10;
        return 1;
    case FC_DEVICE_MANAGED_MEMORY:
        *value = fake_settings.no_managed != 1;
        return 1;
    case FC_DEVICE_CONCURRENT_MANAGED_ACCESS:
        *value = !fake_settings.no_managed;
        return 1;
    case FC_DEVICE_MEMORY_POOLS_SUPPORTED:
        *value = !fake_settings.no_pools;
        return 1;
    }
    return 0;
}

fc_result cuDeviceGetAttribute(int *value, int attribute, fc_device device)
{
    fc_result error = enter("cuDeviceGetAttribute", value, device);
    if (error)
        return error;
    if (attribute_of(attribute, value))
        return fake_leave(FC_SUCCESS);
    fprintf(stderr, "fake_cuda: attribute %d of a device is not known to the fake; add it to device.c\n", attribute);
    return fake_leave(FC_ERROR_INVALID_VALUE);
}

static fc_result get_pool(const char *function, fc_pool *pool, fc_device device)
{
    fc_result error = enter(function, pool, device);
    if (error)
        return error;
    if (fake_settings.no_pools)
        return fake_leave(FC_ERROR_NOT_SUPPORTED);
    *pool = fake_device_table[device].pool;
    return fake_leave(FC_SUCCESS);
}

fc_result cuDeviceGetDefaultMemPool(fc_pool *pool, fc_device device)
{
    return get_pool("cuDeviceGetDefaultMemPool", pool, device);
}

fc_result cuDeviceGetMemPool(fc_pool *pool, fc_device device)
{
    return get_pool("cuDeviceGetMemPool", pool, device);
}

fc_result cuDeviceCanAccessPeer(int *can, fc_device device, fc_device peer)
{
    fc_result error = enter("cuDeviceCanAccessPeer", can, device);
    if (error)
        return error;
    if (!is_device(peer))
        return fake_leave(FC_ERROR_INVALID_DEVICE);
    *can = device != peer && !fake_settings.no_peer;
    return fake_leave(FC_SUCCESS);
}

/* ---- other ways to a function ---- */

fc_result cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
#define ENTRY(name, parameters) {#name, (void (*)(void))name},
        FC_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    (void)version;
    if (!name || !function || flags)
        return FC_ERROR_INVALID_VALUE;
    *function = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i)
        if (strncmp(functions[i].name, name, length) == 0 &&
            (!functions[i].name[length] || strncmp(functions[i].name + length, "_v", 2) == 0))
            memcpy(function, &functions[i].function, sizeof *function);
    if (status)
        *status = *function ? 0 : 1; /* found; not found */
    return *function ? FC_SUCCESS : FC_ERROR_NOT_FOUND;
}
