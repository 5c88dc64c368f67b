/* Devices, found by name or number: asking for one starts its backend and no other. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends.h"
#include "base/error.h"
#include "storage/host_access.h"

static _Atomic unsigned generation; /* of the devices: another one after each quern_shutdown */

void quern_devices_stop(void)
{
    if (quern_backends_stop())
        atomic_fetch_add(&generation, 1);
}

unsigned quern_devices_generation(void)
{
    return atomic_load(&generation);
}

int quern_device_host_accessible(const quern_device *device)
{
    return device && device->info.host_accessible != 0;
}

static int works(quern_backend_slot *slot)
{
    return atomic_load_explicit(&slot->phase, memory_order_acquire) == QUERN_BACKEND_WORKS;
}

/* ---- all backends, all devices ---- */

quern_status quern_backend_count(size_t *count)
{
    if (!count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is NULL, wanted a place for the result");
    *count = quern_backends_count();
    return QUERN_SUCCESS;
}

quern_status quern_backend_status(size_t index, const char **name, quern_status *state, const char **reason)
{
    size_t count = quern_backends_count();
    if (index >= count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "index is %zu, wanted less than the %zu backends of this process",
                          index, count);
    quern_backend_slot *slot = quern_backends_at(index);
    const char *why = "";
    quern_status status = quern_backend_start(slot, 1, &why);
    if (name)
        *name = slot->table->name;
    if (state)
        *state = status;
    if (reason)
        *reason = why;
    return QUERN_SUCCESS;
}

/* The devices of the backends that work at this moment. */
static size_t count_devices(void)
{
    size_t devices = 0, count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        if (works(quern_backends_at(i)))
            devices += quern_backends_at(i)->device_count;
    return devices;
}

quern_status quern_device_count(size_t *count)
{
    if (!count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is NULL, wanted a place for the result");
    quern_backends_start_all(1);
    *count = count_devices();
    return QUERN_SUCCESS;
}

quern_status quern_device_name(size_t index, const char **name)
{
    if (!name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "name is NULL, wanted a place for the result");
    /* Nothing is tried again here: the numbers are those of the count. */
    quern_backends_start_all(0);
    size_t left = index, count = quern_backends_count();
    for (size_t i = 0; i < count; ++i) {
        quern_backend_slot *slot = quern_backends_at(i);
        if (!works(slot))
            continue;
        if (left < slot->device_count) {
            *name = slot->devices[left]->info.name;
            return QUERN_SUCCESS;
        }
        left -= slot->device_count;
    }
    return quern_fail(QUERN_INVALID_ARGUMENT, "index is %zu, wanted less than the %zu devices of this machine", index,
                      count_devices());
}

/* ---- devices that cannot be used ---- */

/* The index-th of all, or NULL; *count gets how many there are. */
static const quern_unusable *find_unusable(size_t index, size_t *count)
{
    const quern_unusable *found = NULL;
    size_t backends = quern_backends_count();
    *count = 0;
    for (size_t i = 0; i < backends; ++i) {
        quern_backend_slot *slot = quern_backends_at(i);
        if (!works(slot))
            continue;
        if (!found && index - *count < slot->unusable_count)
            found = &slot->unusable[index - *count];
        *count += slot->unusable_count;
    }
    return found;
}

quern_status quern_device_unusable_count(size_t *count)
{
    if (!count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is NULL, wanted a place for the result");
    quern_backends_start_all(1);
    (void)find_unusable(SIZE_MAX, count);
    return QUERN_SUCCESS;
}

quern_status quern_device_unusable(size_t index, const char **name, quern_status *state, const char **reason)
{
    size_t count;
    quern_backends_start_all(0);
    const quern_unusable *unusable = find_unusable(index, &count);
    if (!unusable)
        return quern_fail(QUERN_INVALID_ARGUMENT, "index is %zu, wanted less than the %zu devices that cannot be used",
                          index, count);
    if (name)
        *name = unusable->name;
    if (state)
        *state = unusable->status;
    if (reason)
        *reason = unusable->reason;
    return QUERN_SUCCESS;
}

/* ---- one device ---- */

/* Adds the names of the backend's devices, "cpu:0, cpu:1", to a text for messages. */
static void add_names(quern_backend_slot *slot, char *text, size_t size)
{
    if (!works(slot))
        return;
    for (size_t i = 0; i < slot->device_count; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", slot->devices[i]->info.name);
    }
}

/* The name's backend is unknown, or the name is none: whoever is wrong about that is told of all devices. */
static quern_status explain_unknown(const char *name)
{
    char names[256] = "";
    quern_backends_start_all(1);
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        add_names(quern_backends_at(i), names, sizeof names);
    const char *present = *names ? names : "none";
    const char *colon = strchr(name, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!colon || colon == name || digits == 0 || colon[1 + digits] != '\0')
        return quern_fail(QUERN_NOT_FOUND,
                          "device name is \"%s\", wanted a backend, a colon and a number, as \"cpu:0\"; present: %s",
                          name, present);
    return quern_fail(QUERN_NOT_PRESENT,
                      "device \"%s\" is not present: this process has no backend \"%.*s\"; present: %s", name,
                      (int)(colon - name), name, present);
}

static int is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

quern_status quern_device_open(const char *name, quern_device **device)
{
    if (!name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "name is NULL, wanted a device's name as \"cpu:0\"");
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    const char *colon = strchr(name, ':');
    quern_backend_slot *slot = colon ? quern_backends_find(name, (size_t)(colon - name)) : NULL;
    if (!slot || !is_number(colon + 1))
        return explain_unknown(name);
    const char *why = "";
    quern_status status = quern_backend_start(slot, 1, &why);
    if (status == QUERN_OUT_OF_MEMORY)
        return quern_fail(status, "device \"%s\" cannot be had: %s", name, why);
    if (status != QUERN_SUCCESS)
        return quern_fail(QUERN_NOT_PRESENT, "device \"%s\" is not present: %s", name, why);
    for (size_t i = 0; i < slot->device_count; ++i)
        if (strcmp(slot->devices[i]->info.name, name) == 0) {
            quern_object_retain(&slot->devices[i]->object);
            *device = slot->devices[i];
            return QUERN_SUCCESS;
        }
    for (size_t i = 0; i < slot->unusable_count; ++i)
        if (strcmp(slot->unusable[i].name, name) == 0)
            return quern_fail(QUERN_NOT_PRESENT, "device \"%s\" cannot be used: %s", name, slot->unusable[i].reason);
    char names[256] = "";
    add_names(slot, names, sizeof names);
    return quern_fail(QUERN_NOT_PRESENT, "device \"%s\" is not present; the %s backend has %s", name, slot->table->name,
                      names);
}

/* No backend works: all reasons, as far as they fit a message. */
static quern_status explain_none(void)
{
    char reasons[2048] = "";
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i) {
        const char *why = "";
        size_t used = strlen(reasons);
        if (quern_backend_start(quern_backends_at(i), 0, &why) != QUERN_SUCCESS)
            snprintf(reasons + used, sizeof reasons - used, "%s%s: %s", used ? "; " : "",
                     quern_backends_at(i)->table->name, why);
    }
    return quern_fail(QUERN_NOT_PRESENT, "no device is present: %s", reasons);
}

quern_status quern_device_default(quern_device **device)
{
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    const char *name = getenv("QUERN_DEVICE");
    if (name && *name)
        return quern_device_open(name, device);
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i) {
        quern_backend_slot *slot = quern_backends_at(i);
        const char *why = "";
        quern_status status = quern_backend_start(slot, 1, &why);
        if (status == QUERN_SUCCESS) {
            quern_object_retain(&slot->devices[0]->object);
            *device = slot->devices[0];
            return QUERN_SUCCESS;
        }
        /* It may work the next time, or with a setting put right: to take another device would be a silent change. */
        if (status == QUERN_OUT_OF_MEMORY || status == QUERN_INVALID_ARGUMENT)
            return quern_fail(status, "the %s backend does not start: %s", slot->table->name, why);
    }
    return explain_none();
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
