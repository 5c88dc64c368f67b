/*
 * Kernels on devices: one slot a device, filled at the first launch.
 *
 * Devices appear whenever their backend is started, so a kernel cannot know how many there will be: the first few have
 * a slot by their number, which a launch finds at once, the others are in a list.
 */
#include "kernel.h"

#include <pthread.h>
#include <stdlib.h>

#include "ask.h"
#include "base/forked.h"
#include "needs.h"
#include "offload.h"

enum { NUMBERED_SLOTS = 8 };

typedef struct slot {
    quern_built_kernel built;
    quern_device *device;
    struct slot *_Atomic next; /* of a slot in the list */
} slot;

typedef struct kernel_state {
    quern_kernel *kernel;
    struct kernel_state *next, **link; /* in the list of all */
    slot *_Atomic further;             /* of the devices from NUMBERED_SLOTS on; slots are only ever added */
    slot slots[NUMBERED_SLOTS];
} kernel_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list of all, and adding states and slots */
static kernel_state *all_states;

quern_status quern_kernel_check(const quern_kernel *kernel)
{
    if (!kernel)
        return quern_fail(QUERN_INVALID_ARGUMENT, "kernel is NULL, wanted a kernel");
    if (kernel->version != QUERN_KERNEL_VERSION)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "kernel has version %u, wanted %u: it was made by another `quern compile`", kernel->version,
                          QUERN_KERNEL_VERSION);
    return QUERN_SUCCESS;
}

static kernel_state *load_state(quern_kernel *kernel)
{
    return __atomic_load_n(&kernel->state, __ATOMIC_ACQUIRE);
}

/* ---- slots ---- */

static slot *find_slot(kernel_state *state, const quern_device *device)
{
    if (device->index < NUMBERED_SLOTS)
        return &state->slots[device->index];
    slot *found = atomic_load_explicit(&state->further, memory_order_acquire);
    while (found && found->device != device)
        found = atomic_load_explicit(&found->next, memory_order_acquire);
    return found;
}

/* The lock is held. */
static kernel_state *make_state(quern_kernel *kernel)
{
    kernel_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->kernel = kernel;
    state->next = all_states;
    state->link = &all_states;
    if (all_states)
        all_states->link = &state->next;
    all_states = state;
    __atomic_store_n(&kernel->state, state, __ATOMIC_RELEASE);
    return state;
}

/* The lock is held. */
static slot *make_slot(kernel_state *state, quern_device *device)
{
    slot *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->device = device;
    atomic_init(&made->next, atomic_load(&state->further));
    atomic_store_explicit(&state->further, made, memory_order_release);
    return made;
}

/* The kernel's slot for the device, made when it is missing; NULL when memory is exhausted. */
static slot *demand_slot(quern_kernel *kernel, quern_device *device)
{
    pthread_mutex_lock(&lock);
    kernel_state *state = load_state(kernel);
    if (!state)
        state = make_state(kernel);
    slot *found = state ? find_slot(state, device) : NULL;
    if (state && !found)
        found = make_slot(state, device);
    if (found && !found->device)
        found->device = device;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- building ---- */

/* How many items a group may have is known afterwards, of a kernel with groups at least. */
static quern_status settle_limits(const quern_kernel *kernel, const quern_device *device, quern_built_kernel *built)
{
    const uint64_t largest = device->info.largest_group_items;
    if (built->limits.group_items == 0)
        built->limits.group_items = largest < SIZE_MAX ? (size_t)largest : SIZE_MAX;
    if (built->limits.group_items > 0 || !kernel->is_group)
        return QUERN_SUCCESS;
    quern_ask_kernel_release(device, built->compiled);
    return quern_fail(
        QUERN_INTERNAL,
        "backend \"%s\" built kernel '%s' for %s without a limit of a group's items (group_items), wanted "
        "at least 1",
        device->backend->name, kernel->name, device->info.name);
}

typedef struct building {
    const quern_kernel *kernel;
    quern_device *device;
    quern_built_kernel *built;
} building;

/* The device's lock is held. */
static quern_status build_now(void *argument)
{
    const building *own = argument;
    quern_built_kernel *built = own->built;
    quern_status status = quern_kernel_check_needs(own->kernel, &own->device->info);
    built->limits = (quern_kernel_limits){0}; /* a build that failed may have left some */
    if (status == QUERN_SUCCESS)
        status = quern_ask_kernel_build(own->device, own->kernel, &built->compiled, &built->limits);
    if (status == QUERN_SUCCESS)
        status = settle_limits(own->kernel, own->device, built);
    if (status == QUERN_SUCCESS)
        atomic_store_explicit(&built->ready, 1, memory_order_release);
    return status;
}

static quern_status build(quern_kernel *kernel, quern_device *device, const quern_built_kernel **built)
{
    quern_status status = quern_forked_check("building a kernel");
    if (status != QUERN_SUCCESS)
        return status;
    slot *own = demand_slot(kernel, device);
    if (!own)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for kernel '%s'", kernel->name);
    /* A device's lock: the compiler of one device does not hold up the launches on another. In a task the compiler runs
     * elsewhere, and who waits for the lock is suspended, so other tasks go on. */
    status = quern_lock_take(&device->building);
    if (status != QUERN_SUCCESS)
        return status;
    building building = {kernel, device, &own->built};
    if (!atomic_load(&own->built.ready))
        status = quern_offload(build_now, &building);
    quern_lock_release(&device->building);
    *built = &own->built;
    return status;
}

quern_status quern_kernel_wrap_on_device(quern_kernel *kernel, quern_device *device, uint32_t kind, void *handle)
{
    slot *own = demand_slot(kernel, device);
    if (!own)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for kernel '%s'", kernel->name);
    quern_status status = quern_lock_take(&device->building);
    if (status != QUERN_SUCCESS)
        return status;
    quern_built_kernel *built = &own->built;
    status = atomic_load(&built->ready)
                 ? quern_fail(QUERN_BUSY,
                              "kernel '%s' has been built for %s already, wanted one that has not been "
                              "launched there nor prepared",
                              kernel->name, device->info.name)
                 : quern_kernel_check_needs(kernel, &device->info);
    if (status == QUERN_SUCCESS)
        status = quern_ask_kernel_wrap(device, kernel, kind, handle, &built->compiled, &built->limits);
    if (status == QUERN_SUCCESS)
        atomic_store_explicit(&built->ready, 1, memory_order_release);
    quern_lock_release(&device->building);
    return status;
}

quern_status quern_kernel_on_device(quern_kernel *kernel, quern_device *device, const quern_built_kernel **built)
{
    kernel_state *state = load_state(kernel);
    slot *found = state ? find_slot(state, device) : NULL;
    if (found && atomic_load_explicit(&found->built.ready, memory_order_acquire)) {
        *built = &found->built;
        return QUERN_SUCCESS;
    }
    return build(kernel, device, built);
}

/* ---- the end ---- */

static void release_built(slot *slot)
{
    if (atomic_load(&slot->built.ready))
        quern_ask_kernel_release(slot->device, slot->built.compiled);
}

static void free_state(kernel_state *state)
{
    for (size_t i = 0; i < NUMBERED_SLOTS; ++i)
        release_built(&state->slots[i]);
    for (slot *next, *at = atomic_load(&state->further); at; at = next) {
        next = atomic_load(&at->next);
        release_built(at);
        free(at);
    }
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    __atomic_store_n(&state->kernel->state, NULL, __ATOMIC_RELEASE);
    free(state);
}

void quern_kernel_forget(quern_kernel *kernel)
{
    pthread_mutex_lock(&lock);
    kernel_state *state = load_state(kernel);
    if (state)
        free_state(state);
    pthread_mutex_unlock(&lock);
}

void quern_kernels_forget_all(void)
{
    pthread_mutex_lock(&lock);
    while (all_states)
        free_state(all_states);
    pthread_mutex_unlock(&lock);
}
