/* Backends are started at first use; their devices live until quern_shutdown. */
#include "device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"
#include "runtime/host.h"
#include "storage/host_access.h"

/* The backends of this build, best first for quern_device_default. */
static const quern_backend *const backends[] = {&quern_cpu_backend};
enum { BACKENDS = sizeof backends / sizeof *backends };

typedef struct backend_state {
    quern_status state;
    char *reason; /* malloc'ed; NULL when it works */
    int started;
} backend_state;

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int started;
static backend_state states[BACKENDS];
static quern_device **devices;
static size_t device_count;
static _Atomic unsigned generation; /* of the devices: another one after each quern_shutdown */

static void free_devices(void)
{
    for (size_t i = 0; i < device_count; ++i)
        free(devices[i]);
    free(devices);
    devices = NULL;
    device_count = 0;
}

static void stop_backends(void)
{
    for (size_t i = 0; i < BACKENDS; ++i) {
        if (states[i].started)
            backends[i]->stop();
        free(states[i].reason);
        states[i] = (backend_state){QUERN_SUCCESS, NULL, 0};
    }
}

static quern_status add_device(const quern_backend *backend, size_t index)
{
    quern_device **grown = realloc(devices, (device_count + 1) * sizeof *grown);
    quern_device *device = calloc(1, sizeof *device);
    if (grown)
        devices = grown;
    if (!grown || !device) {
        free(device);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the list of devices");
    }
    atomic_init(&device->object.mark, QUERN_MARK_DEVICE);
    atomic_init(&device->object.references, 1); /* the process's own: handles are never freed while it uses Quern */
    device->backend = backend;
    device->index = device_count;
    quern_status status = backend->device_open(index, &device->handle);
    if (status == QUERN_SUCCESS)
        status = backend->device_info(device->handle, &device->info);
    if (status != QUERN_SUCCESS) {
        free(device);
        return status;
    }
    snprintf(device->info.name, sizeof device->info.name, "%s:%zu", backend->name, index);
    snprintf(device->info.backend, sizeof device->info.backend, "%s", backend->name);
    devices[device_count++] = device;
    return QUERN_SUCCESS;
}

static quern_status start_backend(size_t i)
{
    quern_status status = backends[i]->start(&quern_host);
    if (status != QUERN_SUCCESS)
        return status;
    states[i].started = 1;
    size_t count = 0;
    status = backends[i]->device_count(&count);
    if (status == QUERN_SUCCESS && count == 0)
        status = quern_fail(QUERN_NOT_PRESENT, "the %s backend works but finds no device", backends[i]->name);
    for (size_t d = 0; status == QUERN_SUCCESS && d < count; ++d)
        status = add_device(backends[i], d);
    return status;
}

/* A backend that cannot work is no failure: it has its reason. Only memory is. */
static quern_status start_all(void)
{
    for (size_t i = 0; i < BACKENDS; ++i) {
        states[i].state = start_backend(i);
        if (states[i].state == QUERN_SUCCESS)
            continue;
        states[i].reason = strdup(quern_last_error());
        if (states[i].state == QUERN_OUT_OF_MEMORY || !states[i].reason) {
            free_devices();
            stop_backends();
            return quern_fail(QUERN_OUT_OF_MEMORY, "no memory to start the %s backend", backends[i]->name);
        }
    }
    return QUERN_SUCCESS;
}

quern_status quern_devices_start(void)
{
    if (atomic_load_explicit(&started, memory_order_acquire))
        return QUERN_SUCCESS;
    pthread_mutex_lock(&start_lock);
    quern_status status = QUERN_SUCCESS;
    if (!atomic_load(&started)) {
        status = start_all();
        if (status == QUERN_SUCCESS)
            atomic_store(&started, 1);
    }
    pthread_mutex_unlock(&start_lock);
    return status;
}

void quern_devices_stop(void)
{
    pthread_mutex_lock(&start_lock);
    if (atomic_load(&started)) {
        stop_backends();
        free_devices();
        atomic_fetch_add(&generation, 1);
        atomic_store(&started, 0);
    }
    pthread_mutex_unlock(&start_lock);
}

unsigned quern_devices_generation(void)
{
    return atomic_load(&generation);
}

size_t quern_devices_count(void)
{
    return device_count;
}

quern_device *quern_devices_at(size_t index)
{
    return devices[index];
}

int quern_device_host_accessible(const quern_device *device)
{
    return device && device->info.host_accessible != 0;
}

/* ---- public ---- */

quern_status quern_backend_count(size_t *count)
{
    if (!count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is NULL, wanted a place for the result");
    *count = BACKENDS;
    return QUERN_SUCCESS;
}

quern_status quern_backend_status(size_t index, const char **name, quern_status *state, const char **reason)
{
    quern_status status = quern_devices_start();
    if (status != QUERN_SUCCESS)
        return status;
    if (index >= BACKENDS)
        return quern_fail(QUERN_INVALID_ARGUMENT, "index is %zu, wanted less than the %d backends of this build", index,
                          (int)BACKENDS);
    if (name)
        *name = backends[index]->name;
    if (state)
        *state = states[index].state;
    if (reason)
        *reason = states[index].reason ? states[index].reason : "";
    return QUERN_SUCCESS;
}

quern_status quern_device_count(size_t *count)
{
    if (!count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is NULL, wanted a place for the result");
    quern_status status = quern_devices_start();
    if (status == QUERN_SUCCESS)
        *count = device_count;
    return status;
}

quern_status quern_device_name(size_t index, const char **name)
{
    if (!name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "name is NULL, wanted a place for the result");
    quern_status status = quern_devices_start();
    if (status != QUERN_SUCCESS)
        return status;
    if (index >= device_count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "index is %zu, wanted less than the %zu devices of this machine",
                          index, device_count);
    *name = devices[index]->info.name;
    return QUERN_SUCCESS;
}

/* The names of all devices, "cpu:0, cpu:1", for messages. */
static void list_names(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < device_count && used + 1 < size; ++i) {
        int written = snprintf(text + used, size - used, "%s%s", i ? ", " : "", devices[i]->info.name);
        used += written > 0 ? (size_t)written : 0;
    }
    if (!device_count)
        snprintf(text, size, "none");
}

/* Why no device has that name. */
static quern_status explain_missing(const char *name)
{
    char names[256];
    list_names(names, sizeof names);
    const char *colon = strchr(name, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!colon || colon == name || digits == 0 || colon[1 + digits] != '\0')
        return quern_fail(QUERN_NOT_FOUND,
                          "device name is \"%s\", wanted a backend, a colon and a number, as \"cpu:0\"; present: %s",
                          name, names);
    for (size_t i = 0; i < BACKENDS; ++i)
        if (strlen(backends[i]->name) == (size_t)(colon - name) &&
            strncmp(backends[i]->name, name, (size_t)(colon - name)) == 0) {
            if (states[i].state != QUERN_SUCCESS)
                return quern_fail(QUERN_NOT_PRESENT, "device \"%s\" is not present: %s", name, states[i].reason);
            return quern_fail(QUERN_NOT_PRESENT, "device \"%s\" is not present; present: %s", name, names);
        }
    return quern_fail(QUERN_NOT_PRESENT,
                      "device \"%s\" is not present: this build has no backend \"%.*s\"; present: %s", name,
                      (int)(colon - name), name, names);
}

quern_status quern_device_open(const char *name, quern_device **device)
{
    if (!name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "name is NULL, wanted a device's name as \"cpu:0\"");
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    quern_status status = quern_devices_start();
    if (status != QUERN_SUCCESS)
        return status;
    for (size_t i = 0; i < device_count; ++i)
        if (strcmp(devices[i]->info.name, name) == 0) {
            quern_object_retain(&devices[i]->object);
            *device = devices[i];
            return QUERN_SUCCESS;
        }
    return explain_missing(name);
}

quern_status quern_device_default(quern_device **device)
{
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    const char *name = getenv("QUERN_DEVICE");
    if (name && *name)
        return quern_device_open(name, device);
    quern_status status = quern_devices_start();
    if (status != QUERN_SUCCESS)
        return status;
    if (device_count == 0)
        return quern_fail(QUERN_NOT_PRESENT, "no device is present: %s",
                          states[0].reason ? states[0].reason : "no backend works");
    quern_object_retain(&devices[0]->object);
    *device = devices[0];
    return QUERN_SUCCESS;
}

quern_status quern_device_release(quern_device *device)
{
    if (!device)
        return QUERN_SUCCESS;
    quern_status status = quern_device_check(device, "device");
    if (status != QUERN_SUCCESS)
        return status;
    /* The process's own reference stays, so a release too many is found here. */
    uint32_t references = atomic_load(&device->object.references);
    do {
        if (references <= 1)
            return quern_fail(QUERN_RELEASED, "device %s is released more often than it was opened", device->info.name);
    } while (!atomic_compare_exchange_weak(&device->object.references, &references, references - 1));
    return QUERN_SUCCESS;
}

quern_status quern_device_get_info(quern_device *device, quern_device_info *info)
{
    quern_status status = quern_device_check(device, "device");
    if (status != QUERN_SUCCESS)
        return status;
    if (!info)
        return quern_fail(QUERN_INVALID_ARGUMENT, "info is NULL, wanted a place for the result");
    *info = device->info;
    return QUERN_SUCCESS;
}
