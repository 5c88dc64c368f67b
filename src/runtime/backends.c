/* The list of backends, their starting and stopping. */
#include "backends.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/opencl/opencl_backend.h"
#include "base/error.h"
#include "base/forked.h"
#include "host.h"

/* The backends of this build, best first for quern_device_default. Behind them come the loaded ones. */
#define BACKENDS_OF_THIS_BUILD(each) each(quern_cpu_backend) each(quern_cuda_backend) each(quern_opencl_backend)

#define SLOT(backend) {.table = &(backend), .identity = &(backend), .lock = PTHREAD_MUTEX_INITIALIZER},
#define ONE(backend) +1
static quern_backend_slot slots[QUERN_MOST_BACKENDS] = {BACKENDS_OF_THIS_BUILD(SLOT)};
enum { OF_THIS_BUILD = BACKENDS_OF_THIS_BUILD(ONE) };
#undef SLOT
#undef ONE

/* More than that is a backend gone wild. */
enum { MOST_DEVICES = 1024 };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; /* guards adding; reading needs no lock */
static _Atomic size_t loaded;                                 /* slots behind those of this build */
static _Atomic size_t next_device; /* a number for every device that was started since the last quern_shutdown */

size_t quern_backends_count(void)
{
    return OF_THIS_BUILD + atomic_load_explicit(&loaded, memory_order_acquire);
}

quern_backend_slot *quern_backends_at(size_t index)
{
    return &slots[index];
}

quern_backend_slot *quern_backends_find(const char *name, size_t length)
{
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        if (strlen(slots[i].table->name) == length && memcmp(slots[i].table->name, name, length) == 0)
            return &slots[i];
    return NULL;
}

const quern_backend *quern_backends_table(const void *identity)
{
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        if (slots[i].identity == identity)
            return slots[i].table;
    return NULL;
}

/* ---- starting ---- */

/* Sentences that were given away as pointers have to last, also when a later start fails in another way. */
struct reason {
    struct reason *next;
    char text[];
};

static const char *keep_reason(quern_backend_slot *slot, const char *text)
{
    for (struct reason *known = slot->reasons; known; known = known->next)
        if (strcmp(known->text, text) == 0)
            return known->text;
    size_t length = strlen(text) + 1;
    struct reason *made = malloc(sizeof *made + length);
    if (!made)
        return quern_status_text(slot->status);
    memcpy(made->text, text, length);
    made->next = slot->reasons;
    slot->reasons = made;
    return made->text;
}

static void free_devices(quern_backend_slot *slot)
{
    for (size_t i = 0; i < slot->device_count; ++i)
        free(slot->devices[i]);
    free(slot->devices);
    free(slot->unusable);
    slot->devices = NULL;
    slot->unusable = NULL;
    slot->device_count = slot->unusable_count = 0;
}

/* One line that ends. */
static void settle_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text; ++text)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = ' ';
}

/* What a backend says of a device, as far as the runtime stands on it. */
static void settle_info(quern_device_info *info, const quern_backend *backend, size_t index)
{
    snprintf(info->name, sizeof info->name, "%.15s:%u", backend->name, (unsigned)index);
    snprintf(info->backend, sizeof info->backend, "%.15s", backend->name);
    settle_text(info->description, sizeof info->description);
    settle_text(info->vendor, sizeof info->vendor);
    settle_text(info->instruction_set, sizeof info->instruction_set);
}

/* What the runtime computes with has to be sound. */
static quern_status check_info(const quern_device_info *info, const quern_backend *backend, size_t index)
{
    const uint32_t alignment = info->preferred_alignment;
    if (alignment & (alignment - 1))
        return quern_fail(QUERN_INTERNAL,
                          "backend \"%s\" gives device %zu the preferred alignment %u, wanted a power of two, or 0 "
                          "where it has none",
                          backend->name, index, alignment);
    return QUERN_SUCCESS;
}

/* The others go on without the device, unless there may be memory for it the next time. */
static quern_status leave_out(quern_backend_slot *slot, size_t index, quern_status status)
{
    quern_unusable *unusable = &slot->unusable[slot->unusable_count];
    if (status == QUERN_OUT_OF_MEMORY)
        return status;
    snprintf(unusable->name, sizeof unusable->name, "%.15s:%u", slot->table->name, (unsigned)index);
    unusable->status = status;
    unusable->reason = keep_reason(slot, quern_last_error());
    ++slot->unusable_count;
    return QUERN_SUCCESS;
}

static quern_status open_device(quern_backend_slot *slot, size_t index)
{
    quern_device *device = calloc(1, sizeof *device);
    if (!device)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for device %s:%zu", slot->table->name, index);
    atomic_init(&device->object.mark, QUERN_MARK_DEVICE);
    atomic_init(&device->object.references, 1); /* the process's own: handles are never freed while it uses Quern */
    device->backend = slot->table;
    quern_status status = quern_ask_device_open(slot->table, index, &device->handle);
    if (status != QUERN_SUCCESS) {
        free(device);
        return leave_out(slot, index, status);
    }
    status = quern_ask_device_info(device, &device->info);
    if (status == QUERN_SUCCESS)
        status = check_info(&device->info, slot->table, index);
    if (status != QUERN_SUCCESS) {
        free(device);
        return status;
    }
    settle_info(&device->info, slot->table, index);
    slot->devices[slot->device_count++] = device;
    return QUERN_SUCCESS;
}

static quern_status open_devices(quern_backend_slot *slot)
{
    size_t count = 0;
    quern_status status;
    status = quern_ask_device_count(slot->table, &count);
    if (status != QUERN_SUCCESS)
        return status;
    if (count == 0)
        return quern_fail(QUERN_NOT_PRESENT, "the %s backend works but finds no device", slot->table->name);
    if (count > MOST_DEVICES)
        return quern_fail(QUERN_INTERNAL, "the %s backend says it has %zu devices, wanted at most %d",
                          slot->table->name, count, MOST_DEVICES);
    slot->devices = calloc(count, sizeof *slot->devices);
    slot->unusable = calloc(count, sizeof *slot->unusable);
    if (!slot->devices || !slot->unusable)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a list of %zu devices", count);
    for (size_t i = 0; status == QUERN_SUCCESS && i < count; ++i)
        status = open_device(slot, i);
    if (status != QUERN_SUCCESS)
        return status;
    if (!slot->device_count)
        return quern_fail(slot->unusable[0].status, "%s", slot->unusable[0].reason);
    count = slot->device_count;
    size_t first = atomic_fetch_add(&next_device, count);
    for (size_t i = 0; i < count; ++i)
        slot->devices[i]->index = first + i;
    return QUERN_SUCCESS;
}

/* The lock is held. */
static void start(quern_backend_slot *slot)
{
    quern_backend_phase phase = QUERN_BACKEND_WORKS;
    quern_status status;
    status = quern_ask_start(slot->table, &quern_host);
    int started = status == QUERN_SUCCESS;
    if (started)
        status = open_devices(slot);
    if (status != QUERN_SUCCESS) {
        phase = QUERN_BACKEND_FAILED;
        slot->status = status;
        slot->reason = keep_reason(slot, quern_last_error());
        free_devices(slot);
        if (started)
            quern_ask_stop(slot->table);
    }
    atomic_store_explicit(&slot->phase, phase, memory_order_release);
}

quern_status quern_backend_start(quern_backend_slot *slot, int retry, const char **reason)
{
    if (atomic_load_explicit(&slot->phase, memory_order_acquire) == QUERN_BACKEND_WORKS)
        return QUERN_SUCCESS;
    quern_status watch = quern_forked_check("starting a backend");
    if (watch == QUERN_SUCCESS)
        watch = quern_forked_watch();
    if (watch != QUERN_SUCCESS) {
        if (reason)
            *reason = watch == QUERN_NOT_SUPPORTED ? "this process was made by fork" : "no memory to notice a fork";
        return watch;
    }
    pthread_mutex_lock(&slot->lock);
    int phase = atomic_load(&slot->phase);
    if (phase == QUERN_BACKEND_IDLE || (retry && phase == QUERN_BACKEND_FAILED && slot->status == QUERN_OUT_OF_MEMORY))
        start(slot);
    quern_status status = atomic_load(&slot->phase) == QUERN_BACKEND_WORKS ? QUERN_SUCCESS : slot->status;
    if (status != QUERN_SUCCESS && reason)
        *reason = slot->reason;
    pthread_mutex_unlock(&slot->lock);
    return status;
}

void quern_backends_start_all(int retry)
{
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        (void)quern_backend_start(&slots[i], retry, NULL);
}

/* ---- loaded ones ---- */

/* A copy, so that what the table lacks is NULL or 0 and nobody changes it any more. */
static void copy_table(quern_backend_slot *slot, const quern_backend *table)
{
    size_t size = table->size < sizeof slot->own ? table->size : sizeof slot->own;
    size -= (size - offsetof(quern_backend, start)) % sizeof slot->own.start; /* whole entries */
    memcpy(&slot->own, table, size);
    snprintf(slot->name, sizeof slot->name, "%s", table->name);
    slot->own.size = sizeof slot->own;
    slot->own.name = slot->name;
}

quern_status quern_backends_add(const quern_backend *table, void *module, const char *path)
{
    quern_status status = QUERN_SUCCESS;
    pthread_mutex_lock(&list_lock);
    size_t count = quern_backends_count();
    if (quern_backends_find(table->name, strlen(table->name))) {
        status = quern_fail(QUERN_INVALID_ARGUMENT, "'%s' has a backend \"%s\", a name that another backend has", path,
                            table->name);
    } else if (count == QUERN_MOST_BACKENDS) {
        status = quern_fail(QUERN_LIMIT_EXCEEDED, "'%s' would be backend number %zu, wanted at most %d", path,
                            count + 1, QUERN_MOST_BACKENDS);
    } else {
        quern_backend_slot *slot = &slots[count];
        copy_table(slot, table);
        slot->table = &slot->own;
        slot->identity = table;
        slot->module = module;
        pthread_mutex_init(&slot->lock, NULL);
        atomic_fetch_add_explicit(&loaded, 1, memory_order_release);
    }
    pthread_mutex_unlock(&list_lock);
    return status;
}

/* ---- stopping ---- */

static int stop(quern_backend_slot *slot)
{
    int phase = atomic_load(&slot->phase);
    if (phase == QUERN_BACKEND_WORKS)
        quern_ask_stop(slot->table);
    free_devices(slot);
    while (slot->reasons) {
        struct reason *next = slot->reasons->next;
        free(slot->reasons);
        slot->reasons = next;
    }
    slot->reason = NULL;
    slot->status = QUERN_SUCCESS;
    atomic_store(&slot->phase, QUERN_BACKEND_IDLE);
    return phase != QUERN_BACKEND_IDLE;
}

int quern_backends_stop(void)
{
    int stopped = 0;
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        stopped |= stop(&slots[i]);
    atomic_store(&next_device, 0);
    return stopped;
}
