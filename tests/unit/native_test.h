/* What the tests of native handles share: backends that give and take handles, and the caller's own commands in their
 * queues. */
#ifndef QUERN_TEST_NATIVE_TEST_H
#define QUERN_TEST_NATIVE_TEST_H

#include "queue_test.h"

/* Kinds of a backend that was loaded. */
enum { WIRE_DEVICE = 150, WIRE_QUEUE = 250, WIRE_MEMORY = 350, WIRE_MODULE = 450 };
static const uint32_t wire_kinds[] = {WIRE_DEVICE, WIRE_QUEUE, WIRE_MEMORY, WIRE_MODULE, 0};

/* ---- out ---- */

static quern_status wire_native(void *device, uint32_t kind, void *object, void *address, void **handle, size_t *offset)
{
    MUST(*offset == 0);
    switch (kind) {
    case WIRE_DEVICE:
        MUST(!object && !address);
        *handle = device;
        return QUERN_SUCCESS;
    case WIRE_QUEUE:
        MUST(object && !address && ((variant_queue *)object)->variant == ((variant_device *)device)->variant);
        *handle = object;
        return QUERN_SUCCESS;
    case WIRE_MEMORY:
        if (memory_at(object)->kind == QUERN_MEMORY_PINNED)
            return (variant_host->fail)(QUERN_NOT_SUPPORTED, "pinned memory is no wire");
        MUST(is_device_memory(object, address));
        *handle = object;
        *offset = (size_t)((char *)address - (char *)object);
        return QUERN_SUCCESS;
    default:
        MUST(kind == WIRE_MODULE && object && !address);
        *handle = object;
        return QUERN_SUCCESS;
    }
}

/* ---- in ---- */

static void *last_wrapped, *last_made; /* the handle, and the backend's queue for it */

static quern_status wire_queue_wrap(void *device, uint32_t kind, void *handle, const quern_queue_options *options,
                                    quern_progress *progress, void **queue)
{
    MUST(kind == WIRE_QUEUE);
    if (!handle)
        return (variant_host->fail)(QUERN_INVALID_ARGUMENT, "handle is NULL, wanted a wire");
    last_wrapped = handle;
    quern_status status = variant_queue_create(device, options, progress, queue);
    last_made = status == QUERN_SUCCESS ? *queue : NULL;
    return status;
}

static _Atomic int wraps; /* of memory, that live */

/* The caller's memory: room for the backend's mark in front, which is the backend's to set. */
static quern_status wire_memory_wrap(void *device, uint32_t kind, void *handle, size_t bytes, void **memory)
{
    (void)device;
    MUST(kind == WIRE_MEMORY && bytes > 0);
    atomic_fetch_add(&wraps, 1);
    *memory = (char *)handle + VARIANT_ALIGNMENT;
    if ((uintptr_t)handle % VARIANT_ALIGNMENT)
        return QUERN_SUCCESS; /* the front end finds that */
    *(variant_memory *)handle = (variant_memory){MEMORY_MARK, QUERN_MEMORY_WRAPPED, bytes};
    return QUERN_SUCCESS;
}

static void wire_free(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    variant_memory *found = (variant_memory *)memory_at(memory);
    if (kind != QUERN_MEMORY_WRAPPED) {
        variant_free(device, memory, bytes, kind);
        return;
    }
    atomic_fetch_sub(&wraps, 1);
    if ((uintptr_t)memory % VARIANT_ALIGNMENT)
        return;
    MUST(found->mark == MEMORY_MARK && found->bytes == bytes && found->kind == kind);
    found->mark = MEMORY_DEAD;
}

static quern_status wire_kernel_wrap(void *device, const quern_kernel *kernel, uint32_t kind, void *handle,
                                     void **compiled, quern_kernel_limits *limits)
{
    (void)device;
    MUST(kind == WIRE_MODULE);
    if (strcmp(((const quern_kernel_image *)handle)->target, kernel->name) != 0)
        return (variant_host->fail)(QUERN_NOT_FOUND, "the module has no kernel '%s'", kernel->name);
    *compiled = handle;
    *limits = (quern_kernel_limits){256, 0, 0};
    return QUERN_SUCCESS;
}

/* One whose device waits and calls, one that holds commands back, and one that gives and takes nothing. */
#define WIRE                                                                                                           \
    .record = variant_record, .native_kinds = wire_kinds, .native = wire_native, .queue_wrap = wire_queue_wrap,        \
    .memory_wrap = wire_memory_wrap, .kernel_wrap = wire_kernel_wrap
VARIANT(wire, 0, 0, 2, .wait = variant_wait, .call = variant_call, WIRE);
VARIANT(slow, 0, 0, 1, WIRE);
VARIANT(mute, 0, 0, 1, .native_kinds = wire_kinds);

static int add_backends(void **state)
{
    static quern_backend tables[3];
    tables[0] = wire_backend;
    tables[1] = slow_backend;
    tables[2] = mute_backend;
    for (int i = 0; i < 3; ++i) {
        tables[i].free = wire_free;
        ok(quern_backends_add(&tables[i], NULL, "the test"));
    }
    return add_variants(state);
}

/* ---- the caller's own commands ---- */

/* Puts a command into the native queue, of which the front end knows nothing. */
static inline void put_in(void *native, quern_status (*function)(void *argument), void *argument)
{
    variant_queue *queue = native;
    variant_command *command = calloc(1, sizeof *command);
    assert_non_null(command);
    command->kind = CALL;
    command->function = function;
    command->argument = argument;
    pthread_mutex_lock(&queue->lock);
    command->number = queue->given; /* behind that, and before the next */
    *queue->last = command;
    queue->last = &command->next;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

/* Adds one to every number, when the gate is open. */
typedef struct addition {
    uint64_t *numbers;
    gate *g;
    _Atomic int done;
} addition;

static inline quern_status add_one(void *argument)
{
    addition *self = argument;
    if (self->g)
        (void)gate_pass(self->g);
    for (int i = 0; i < N; ++i)
        ++self->numbers[i];
    atomic_store(&self->done, 1);
    return QUERN_SUCCESS;
}

/* Opens the gate a while later. */
static inline void *open_late(void *g)
{
    static const struct timespec late = {0, 20000000};
    nanosleep(&late, NULL);
    gate_open(g);
    return NULL;
}

#endif
