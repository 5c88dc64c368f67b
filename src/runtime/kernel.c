/* Kernels on devices: one slot a device, filled at the first launch. */
#include "kernel.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

typedef struct kernel_state {
    quern_kernel *kernel;
    struct kernel_state *next, **link; /* in the list of all */
    quern_built_kernel slots[];        /* one a device */
} kernel_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list and all building */
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

/* The lock is held. */
static kernel_state *make_state(quern_kernel *kernel)
{
    kernel_state *state = calloc(1, sizeof *state + quern_devices_count() * sizeof state->slots[0]);
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

static quern_status build(quern_kernel *kernel, quern_device *device, const quern_built_kernel **built)
{
    quern_status status = QUERN_SUCCESS;
    pthread_mutex_lock(&lock);
    kernel_state *state = load_state(kernel);
    if (!state)
        state = make_state(kernel);
    if (!state) {
        status = quern_fail(QUERN_OUT_OF_MEMORY, "no memory for kernel '%s'", kernel->name);
    } else {
        quern_built_kernel *slot = &state->slots[device->index];
        if (!atomic_load(&slot->ready)) {
            status = device->backend->kernel_build(device->handle, kernel, &slot->compiled, &slot->limits);
            if (status == QUERN_SUCCESS)
                atomic_store_explicit(&slot->ready, 1, memory_order_release);
        }
        *built = slot;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

quern_status quern_kernel_on_device(quern_kernel *kernel, quern_device *device, const quern_built_kernel **built)
{
    kernel_state *state = load_state(kernel);
    if (state && atomic_load_explicit(&state->slots[device->index].ready, memory_order_acquire)) {
        *built = &state->slots[device->index];
        return QUERN_SUCCESS;
    }
    return build(kernel, device, built);
}

static void free_state(kernel_state *state)
{
    for (size_t i = 0; i < quern_devices_count(); ++i)
        if (atomic_load(&state->slots[i].ready)) {
            quern_device *device = quern_devices_at(i);
            device->backend->kernel_release(device->handle, state->slots[i].compiled);
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
