/*
 * Small backends for the tests of the runtime's queues: a thread a queue, which takes one command after another.
 *
 * They differ in which optional functions they have and in whether they say of every command that it has finished or
 * only of those they are asked for, so that each default of the front end is met. Device memory is memory that the host
 * is told not to touch. What the front end must not do ends the process: two command functions of a queue at once,
 * numbers that do not grow, a signal for a number that was never given, memory of another kind than it was said to be.
 */
#ifndef QUERN_TEST_QUEUE_BACKEND_H
#define QUERN_TEST_QUEUE_BACKEND_H

#include <sched.h>

#include "runtime_test.h"

#include "runtime/backends.h"

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- what a backend is ---- */

typedef struct queue_variant {
    int speaks;     /* says of every command that it has finished; else of those it is asked for */
    int all;        /* and says that it does */
    size_t devices; /* of whose memory none is the host's */
} queue_variant;

enum { VARIANT_ALIGNMENT = 64, MOST_ARGUMENTS = 6 };

typedef struct variant_device {
    const queue_variant *variant;
} variant_device;

static const quern_backend_host *_Atomic variant_host;   /* a backend may start while another one runs */
static _Atomic long variant_allocations, variant_queues; /* that live */

/* Memory knows that it is one, and of what kind. */
typedef struct variant_memory {
    uint64_t mark;
    quern_memory_kind kind;
    size_t bytes;
} variant_memory;
enum { MEMORY_MARK = 0x7e57, MEMORY_DEAD = 0xdead };

static const variant_memory *memory_at(const void *memory)
{
    return (const variant_memory *)(const void *)((const char *)memory - VARIANT_ALIGNMENT);
}

static inline int is_device_memory(const void *memory, const void *address)
{
    const variant_memory *found = memory_at(memory);
    return found->mark == MEMORY_MARK &&
           (found->kind == QUERN_MEMORY_DEVICE || found->kind == QUERN_MEMORY_QUEUE ||
            found->kind == QUERN_MEMORY_WRAPPED) &&
           (const char *)address >= (const char *)memory &&
           (const char *)address <= (const char *)memory + found->bytes;
}

/* ---- commands ---- */

typedef enum variant_kind { COPY, FILL, LAUNCH, SIGNAL, CALL, WAIT, RECORD } variant_kind;

typedef struct variant_command {
    struct variant_command *next;
    uint64_t number;
    variant_kind kind;
    quern_backend_copy copy;
    char value[64]; /* of a fill */
    quern_backend_launch launch;
    quern_backend_argument arguments[MOST_ARGUMENTS];
    char values[MOST_ARGUMENTS][64];
    size_t shapes[MOST_ARGUMENTS][2 * QUERN_MAX_RANK];
    quern_status (*function)(void *argument);
    void *argument;
    quern_progress *other;
    uint64_t other_number;
    quern_event *event;
} variant_command;

typedef struct variant_queue {
    const queue_variant *variant;
    quern_progress *progress;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    variant_command *first, **last;
    int ending;
    _Atomic int entered; /* a command function is being called */
    uint64_t given;      /* the highest number so far */
    uint64_t run, told;  /* by the thread */
    uint64_t asked;      /* by a thread that helps */
} variant_queue;

/* A kernel for these backends: what a launch does, on the queue's thread. */
typedef void variant_function(const quern_backend_launch *launch);

static void run_copy(const quern_backend_copy *copy, int is_fill)
{
    size_t index[QUERN_MAX_RANK] = {0};
    for (;;) {
        char *target = copy->target;
        const char *source = copy->source;
        for (uint32_t d = 0; d < copy->rank; ++d) {
            target += (ptrdiff_t)index[d] * copy->target_pitches[d];
            source += is_fill ? 0 : (ptrdiff_t)index[d] * copy->source_pitches[d];
        }
        memcpy(target, source, copy->element_size);
        uint32_t d = copy->rank;
        while (d-- > 0 && ++index[d] == copy->extents[d])
            index[d] = 0;
        if (d == UINT32_MAX)
            return;
    }
}

typedef struct variant_sleeper {
    quern_waiter waiter;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int done;
} variant_sleeper;

static void wake_variant(quern_waiter *waiter)
{
    variant_sleeper *self = waiter->data;
    pthread_mutex_lock(&self->lock);
    self->done = 1;
    pthread_cond_signal(&self->wake);
    pthread_mutex_unlock(&self->lock);
}

static void sleep_for(quern_progress *progress, uint64_t number)
{
    variant_sleeper self = {.done = 0};
    self.waiter.notify = wake_variant;
    self.waiter.data = &self;
    pthread_mutex_init(&self.lock, NULL);
    pthread_cond_init(&self.wake, NULL);
    if (!variant_host->when_finished(progress, number, &self.waiter)) {
        pthread_mutex_lock(&self.lock);
        while (!self.done)
            pthread_cond_wait(&self.wake, &self.lock);
        pthread_mutex_unlock(&self.lock);
    }
    pthread_cond_destroy(&self.wake);
    pthread_mutex_destroy(&self.lock);
}

static void run_variant_wait(variant_queue *queue, variant_command *command)
{
    sleep_for(command->other, command->other_number);
    if (!command->event)
        return;
    quern_status status = variant_host->event_status(command->event);
    if (status && !variant_host->is_failed(queue->progress))
        variant_host->failed(queue->progress, command->number, status, "wait", quern_last_error());
    variant_host->event_release(command->event);
}

static void run_variant(variant_queue *queue, variant_command *command)
{
    int skipped = variant_host->is_failed(queue->progress);
    switch (command->kind) {
    case COPY:
    case FILL:
        if (!skipped)
            run_copy(&command->copy, command->kind == FILL);
        break;
    case LAUNCH:
        if (!skipped)
            ((variant_function *)((const quern_kernel_image *)command->launch.compiled)->function)(&command->launch);
        break;
    case SIGNAL:
        break;
    case CALL: {
        if (skipped)
            break;
        quern_status status = command->function(command->argument);
        if (status)
            variant_host->failed(queue->progress, command->number, status, "host function", quern_last_error());
        break;
    }
    case WAIT:
        run_variant_wait(queue, command);
        break;
    case RECORD:
        variant_host->event_reached(command->event, 0);
        variant_host->event_release(command->event);
        break;
    }
}

static void tell(variant_queue *queue, uint64_t number)
{
    MUST(number >= queue->told);
    queue->told = number;
    variant_host->finished(queue->progress, number);
}

static void *variant_thread(void *argument)
{
    variant_queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        int is_asked = queue->asked > queue->told && queue->run > queue->told;
        variant_command *command = queue->first;
        if (is_asked) {
            pthread_mutex_unlock(&queue->lock);
            tell(queue, queue->run);
            pthread_mutex_lock(&queue->lock);
            continue;
        }
        if (!command && queue->ending)
            break;
        if (!command) {
            pthread_cond_wait(&queue->changed, &queue->lock);
            continue;
        }
        queue->first = command->next;
        if (!queue->first)
            queue->last = &queue->first;
        pthread_mutex_unlock(&queue->lock);
        if (command->number % 3 == 0)
            sched_yield(); /* so that the order of things differs */
        run_variant(queue, command);
        queue->run = command->number;
        if (queue->variant->speaks || command->kind == SIGNAL)
            tell(queue, command->number);
        free(command);
        pthread_mutex_lock(&queue->lock);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* ---- command functions ---- */

static variant_command *new_command(variant_queue *queue, uint64_t number, variant_kind kind)
{
    MUST(atomic_fetch_add(&queue->entered, 1) == 0);
    MUST(kind == SIGNAL && !queue->variant->all ? number >= queue->given : number > queue->given);
    queue->given = number;
    variant_command *command = calloc(1, sizeof *command);
    if (!command) {
        (void)(variant_host->fail)(QUERN_OUT_OF_MEMORY, "no memory for a command");
        atomic_fetch_sub(&queue->entered, 1);
        return NULL;
    }
    command->number = number;
    command->kind = kind;
    return command;
}

static quern_status push_command(variant_queue *queue, variant_command *command)
{
    pthread_mutex_lock(&queue->lock);
    *queue->last = command;
    queue->last = &command->next;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    sched_yield(); /* a second command function would be seen */
    MUST(atomic_fetch_sub(&queue->entered, 1) == 1);
    return QUERN_SUCCESS;
}

/* A command function that takes long: a copy of elements of so many bytes passes the gate. */
enum { SLOW_BYTES = 13 };
static gate *slow_gate;

static quern_status variant_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (copy->element_size == SLOW_BYTES)
        (void)gate_pass(slow_gate);
    variant_command *command = new_command(queue, number, COPY);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    MUST(copy->target_is_host ? !copy->target_memory : is_device_memory(copy->target_memory, copy->target));
    MUST(copy->source_is_host ? !copy->source_memory : is_device_memory(copy->source_memory, copy->source));
    MUST(!copy->target_is_host || !copy->source_is_host);
    command->copy = *copy;
    return push_command(queue, command);
}

static quern_status variant_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    variant_command *command = new_command(queue, number, FILL);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    MUST(is_device_memory(fill->target_memory, fill->target) && fill->element_size <= sizeof command->value);
    command->copy = *fill;
    command->copy.source = memcpy(command->value, fill->source, fill->element_size);
    return push_command(queue, command);
}

static quern_status variant_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    variant_command *command = new_command(queue, number, LAUNCH);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    MUST(launch->argument_count <= MOST_ARGUMENTS);
    command->launch = *launch;
    command->launch.arguments = command->arguments;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *from = &launch->arguments[i];
        quern_backend_argument *to = &command->arguments[i];
        *to = *from;
        if (from->form == QUERN_PARAMETER_VALUE) {
            MUST(from->size <= sizeof command->values[i]);
            to->address = memcpy(command->values[i], from->address, from->size);
        } else if (from->form != QUERN_PARAMETER_LOCAL) {
            MUST(is_device_memory(from->memory, from->address));
            to->extents = memcpy(command->shapes[i], from->extents, from->rank * sizeof(size_t));
            to->pitches = memcpy(command->shapes[i] + QUERN_MAX_RANK, from->pitches, from->rank * sizeof(ptrdiff_t));
        }
    }
    return push_command(queue, command);
}

static quern_status variant_signal(void *queue, uint64_t number)
{
    variant_command *command = new_command(queue, number, SIGNAL);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    return push_command(queue, command);
}

static quern_status variant_call(void *queue, uint64_t number, quern_status (*function)(void *argument), void *argument)
{
    variant_command *command = new_command(queue, number, CALL);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    command->function = function;
    command->argument = argument;
    return push_command(queue, command);
}

static quern_status variant_wait(void *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                                 quern_event *event)
{
    variant_command *command = new_command(queue, number, WAIT);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    command->other = other;
    command->other_number = other_number;
    command->event = event;
    return push_command(queue, command);
}

static quern_status variant_record(void *queue, uint64_t number, quern_event *event)
{
    variant_command *command = new_command(queue, number, RECORD);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    command->event = event;
    return push_command(queue, command);
}

static quern_status variant_help(void *queue_, uint64_t number)
{
    variant_queue *queue = queue_;
    pthread_mutex_lock(&queue->lock);
    if (queue->asked < number)
        queue->asked = number;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    sleep_for(queue->progress, number);
    return QUERN_SUCCESS;
}

/* ---- devices ---- */

static quern_status variant_start(const quern_backend_host *host)
{
    variant_host = host;
    return QUERN_SUCCESS;
}

static void variant_stop(void)
{
    MUST(atomic_load(&variant_allocations) == 0 && atomic_load(&variant_queues) == 0);
}

static quern_status variant_info(void *device, quern_device_info *info)
{
    (void)device;
    memset(info, 0, sizeof *info);
    info->preferred_alignment = VARIANT_ALIGNMENT;
    info->largest_group_items = 256;
    return QUERN_SUCCESS;
}

static quern_status variant_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                     void **memory)
{
    (void)device;
    MUST(bytes > 0 && alignment <= VARIANT_ALIGNMENT);
    if (kind == QUERN_MEMORY_UNIFIED)
        return (variant_host->fail)(QUERN_NOT_SUPPORTED, "no unified memory");
    size_t rounded = (bytes + 2 * VARIANT_ALIGNMENT - 1) / VARIANT_ALIGNMENT * VARIANT_ALIGNMENT;
    char *made = aligned_alloc(VARIANT_ALIGNMENT, rounded);
    if (!made)
        return (variant_host->fail)(QUERN_OUT_OF_MEMORY, "no memory of %zu bytes", bytes);
    *(variant_memory *)(void *)made = (variant_memory){MEMORY_MARK, kind, bytes};
    atomic_fetch_add(&variant_allocations, 1);
    *memory = made + VARIANT_ALIGNMENT;
    return QUERN_SUCCESS;
}

static void variant_free(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    (void)device;
    variant_memory *found = (variant_memory *)memory_at(memory);
    MUST(found->mark == MEMORY_MARK && found->bytes == bytes && found->kind == kind);
    found->mark = MEMORY_DEAD;
    free(found);
    atomic_fetch_sub(&variant_allocations, 1);
}

static quern_status variant_queue_create(void *device, const quern_queue_options *options, quern_progress *progress,
                                         void **queue)
{
    (void)options;
    variant_queue *made = calloc(1, sizeof *made);
    if (!made)
        return (variant_host->fail)(QUERN_OUT_OF_MEMORY, "no memory for a queue");
    made->variant = ((variant_device *)device)->variant;
    made->progress = progress;
    made->last = &made->first;
    made->given = made->run = made->told = variant_host->finished_number(progress);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    MUST(pthread_create(&made->thread, NULL, variant_thread, made) == 0);
    atomic_fetch_add(&variant_queues, 1);
    *queue = made;
    return QUERN_SUCCESS;
}

static void variant_queue_destroy(void *queue_)
{
    variant_queue *queue = queue_;
    MUST(variant_host->finished_number(queue->progress) >= queue->given);
    pthread_mutex_lock(&queue->lock);
    queue->ending = 1;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
    atomic_fetch_sub(&variant_queues, 1);
}

static quern_status variant_build(void *device, const quern_kernel *kernel, void **compiled,
                                  quern_kernel_limits *limits)
{
    (void)device;
    *compiled = (void *)&kernel->images[0];
    *limits = (quern_kernel_limits){256, 0, 0};
    return QUERN_SUCCESS;
}

static void variant_kernel_release(void *device, void *compiled)
{
    (void)device;
    (void)compiled;
}

/* What all have; counting and opening devices is each one's own, as they are told apart by that. */
#define VARIANT_COMMON                                                                                                 \
    .version = QUERN_BACKEND_VERSION, .size = sizeof(quern_backend), .start = variant_start, .stop = variant_stop,     \
    .device_info = variant_info, .allocate = variant_allocate, .free = variant_free,                                   \
    .queue_create = variant_queue_create, .queue_destroy = variant_queue_destroy, .kernel_build = variant_build,       \
    .kernel_release = variant_kernel_release, .copy = variant_copy, .launch = variant_launch, .signal = variant_signal

#define VARIANT(NAME, SPEAKS, ALL, DEVICES, ...)                                                                       \
    static const queue_variant NAME##_variant = {SPEAKS, ALL, DEVICES};                                                \
    static quern_status NAME##_count(size_t *count)                                                                    \
    {                                                                                                                  \
        *count = NAME##_variant.devices;                                                                               \
        return QUERN_SUCCESS;                                                                                          \
    }                                                                                                                  \
    static quern_status NAME##_open(size_t index, void **device)                                                       \
    {                                                                                                                  \
        static variant_device devices[DEVICES];                                                                        \
        devices[index].variant = &NAME##_variant;                                                                      \
        *device = &devices[index];                                                                                     \
        return QUERN_SUCCESS;                                                                                          \
    }                                                                                                                  \
    static const quern_backend NAME##_backend = {VARIANT_COMMON, .name = #NAME, .device_count = NAME##_count,          \
                                                 .device_open = NAME##_open, __VA_ARGS__}

#endif
