/*
 * The backend "minimal": only the required functions of the contract, in a shared object of its own.
 *
 * It runs the kernels' machine code for the CPU, and makes itself hard to use in every way that the contract allows:
 * its commands begin late, on a thread of the queue; what has finished is told only when somebody asked (signal); and
 * the addresses of its memory are of no use to the host, so that whoever touches device memory directly is found at
 * once.
 */
#include <quern/backend.h>
#include <quern/dialect/cpu_abi.h>

#include "minimal_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    GROUP_ITEMS = 1024,
    LOCAL_BYTES = 64 << 10,
    SCRATCH_BYTES = 8 << 20, /* local parameters and PRIVATE of a group; pages that are not touched cost nothing */
    STACK_BYTES = 4 << 20,
    LATE_NANOSECONDS = 200000
};

static const quern_backend_host *host;

static quern_status start(const quern_backend_host *given)
{
    host = given;
    minimal_memory_begin(given);
    return QUERN_SUCCESS;
}

static void stop(void)
{
}

/* ---- the device ---- */

static quern_status device_count(size_t *count)
{
    *count = 1;
    return QUERN_SUCCESS;
}

static quern_status device_open(size_t index, void **device)
{
    (void)index;
    *device = NULL;
    return QUERN_SUCCESS;
}

static quern_status device_info(void *device, quern_device_info *info)
{
    static const uint64_t largest_group[3] = {64, 512, GROUP_ITEMS}; /* slowest first */
    (void)device;
    memset(info, 0, sizeof *info);
    strcpy(info->description, "one thread a queue");
    info->memory_bytes = (uint64_t)1 << 32;
    info->largest_allocation = (uint64_t)1 << 30;
    info->compute_units = 1;
    info->preferred_alignment = 32;
    info->local_memory_bytes = LOCAL_BYTES;
    info->largest_group_items = GROUP_ITEMS;
    memcpy(info->largest_group, largest_group, sizeof largest_group);
    info->fp64 = 1;
    info->atomics64 = 1;
    return QUERN_SUCCESS;
}

/* ---- commands ---- */

typedef struct argument_copy {
    size_t extents[QUERN_MAX_RANK];
    ptrdiff_t pitches[QUERN_MAX_RANK];
} argument_copy;

typedef struct command {
    struct command *next;
    uint64_t number;
    int is_launch;
    quern_backend_copy copy;
    /* a launch */
    const quern_kernel *kernel;
    quern_cpu_function *function;
    struct quern_cpu_piece piece;
    struct quern_cpu_argument *arguments; /* with what they point to, behind the command */
} command;

typedef struct queue {
    quern_progress *progress;
    int blocking;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    command *first, **end;
    uint64_t run;   /* the highest number that has run */
    uint64_t asked; /* the highest number that somebody wants to be told of */
    uint64_t told;
    int stopping;
} queue;

static void *refuse_to_grow(struct quern_cpu_scratch *scratch, size_t bytes)
{
    (void)scratch, (void)bytes;
    return NULL;
}

static void run_launch(queue *queue, command *command, char *memory)
{
    struct quern_cpu_scratch scratch = {.base = memory, .capacity = SCRATCH_BYTES, .grow = refuse_to_grow};
    command->piece.scratch = &scratch;
    command->function(&command->piece, command->arguments);
    if (command->piece.failed)
        host->failed(queue->progress, command->number, QUERN_OUT_OF_MEMORY, command->kernel->name,
                     "a group needs more than 8 MiB");
}

static void run_copy(const quern_backend_copy *copy)
{
    const int last = (int)copy->rank - 1;
    size_t index[QUERN_MAX_RANK] = {0};
    char *target = copy->target;
    const char *source = copy->source;
    int d;
    do {
        memcpy(target, source, copy->extents[last] * copy->element_size);
        for (d = last - 1; d >= 0; --d) { /* on to the next row, as an odometer does */
            target += copy->target_pitches[d];
            source += copy->source_pitches[d];
            if (++index[d] < copy->extents[d])
                break;
            target -= (ptrdiff_t)index[d] * copy->target_pitches[d];
            source -= (ptrdiff_t)index[d] * copy->source_pitches[d];
            index[d] = 0;
        }
    } while (d >= 0);
}

/* Tells of what has run, when somebody asked; the lock is held, but not while telling. 1 when it did: there may be more
 * to tell by then. */
static int tell(queue *queue)
{
    uint64_t number = queue->run;
    if (queue->first)
        number = queue->first->number - 1; /* numbers between two commands have none */
    else if (queue->asked > number)
        number = queue->asked;
    if (number <= queue->told || queue->asked <= queue->told)
        return 0;
    pthread_mutex_unlock(&queue->lock);
    host->finished(queue->progress, number);
    pthread_mutex_lock(&queue->lock);
    queue->told = number;
    pthread_cond_broadcast(&queue->changed);
    return 1;
}

static void run(queue *queue, command *command, char *memory)
{
    if (host->is_failed(queue->progress))
        return;
    if (!command->is_launch)
        run_copy(&command->copy);
    else if (memory)
        run_launch(queue, command, memory);
    else
        host->failed(queue->progress, command->number, QUERN_OUT_OF_MEMORY, command->kernel->name,
                     "no memory for the queue's thread");
}

static void *work(void *argument)
{
    static const struct timespec late = {0, LATE_NANOSECONDS};
    queue *queue = argument;
    char *memory = aligned_alloc(64, SCRATCH_BYTES);
    pthread_mutex_lock(&queue->lock);
    while (!queue->stopping) {
        command *command = queue->first;
        if (tell(queue))
            continue;
        if (command) {
            pthread_mutex_unlock(&queue->lock);
            run(queue, command, memory);
            pthread_mutex_lock(&queue->lock);
            queue->run = command->number;
            queue->first = command->next;
            if (!queue->first)
                queue->end = &queue->first;
            free(command);
        } else {
            pthread_cond_wait(&queue->changed, &queue->lock);
            pthread_mutex_unlock(&queue->lock);
            nanosleep(&late, NULL);
            pthread_mutex_lock(&queue->lock);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    free(memory);
    return NULL;
}

/* Has the number told of, and may wait for that. */
static void ask(queue *queue, uint64_t number, int wait)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->asked < number)
        queue->asked = number;
    pthread_cond_broadcast(&queue->changed);
    while (wait && queue->told < number)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

static void submit(queue *queue, command *command)
{
    uint64_t number = command->number;
    command->next = NULL;
    pthread_mutex_lock(&queue->lock);
    *queue->end = command;
    queue->end = &command->next;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    if (queue->blocking)
        ask(queue, number, 1);
}

static quern_status signal_number(void *queue, uint64_t number)
{
    ask(queue, number, 0);
    return QUERN_SUCCESS;
}

/* ---- queues ---- */

static void destroy(queue *queue)
{
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

static quern_status queue_create(void *device, const quern_queue_options *options, quern_progress *progress,
                                 void **made)
{
    (void)device;
    pthread_attr_t attributes;
    queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return host->fail(QUERN_OUT_OF_MEMORY, "no memory for a queue");
    queue->progress = progress;
    queue->blocking = options->blocking;
    queue->end = &queue->first;
    /* A queue's numbers go on where those of an earlier one with the same progress stopped. */
    queue->run = queue->asked = queue->told = host->finished_number(progress);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int failed = pthread_create(&queue->thread, &attributes, work, queue);
    pthread_attr_destroy(&attributes);
    if (failed) {
        destroy(queue);
        return host->fail(QUERN_SYSTEM_ERROR, "no thread for a queue: %s", strerror(failed));
    }
    *made = queue;
    return QUERN_SUCCESS;
}

static void queue_destroy(void *given)
{
    queue *queue = given;
    pthread_mutex_lock(&queue->lock);
    queue->stopping = 1;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    destroy(queue);
}

/* ---- copies ---- */

static quern_status copy_command(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    command *command = calloc(1, sizeof *command);
    if (!command)
        return host->fail(QUERN_OUT_OF_MEMORY, "no memory for a command");
    command->number = number;
    command->copy = *copy;
    void *source = (void *)copy->source;
    quern_status status = QUERN_SUCCESS;
    if (!copy->target_is_host)
        status = minimal_memory_resolve(copy->target_memory, copy->target, &command->copy.target);
    if (!copy->source_is_host && status == QUERN_SUCCESS)
        status = minimal_memory_resolve(copy->source_memory, copy->source, &source);
    command->copy.source = source;
    if (status == QUERN_SUCCESS)
        submit(queue, command);
    else
        free(command);
    return status;
}

/* ---- kernels ---- */

/* Does this processor run code of the level? 0 for code of levels that are not known here. */
static int runs_level(const char *level)
{
    if (strcmp(level, "generic") == 0)
        return 1;
#if defined(__x86_64__)
    if (strcmp(level, "x86-64-v2") == 0)
        return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    if (strcmp(level, "x86-64-v3") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (strcmp(level, "x86-64-v4") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return 0;
}

static quern_status kernel_build(void *device, const quern_kernel *kernel, void **compiled, quern_kernel_limits *limits)
{
    (void)device;
    for (size_t i = kernel->image_count; i-- > 0;) { /* the best level comes last */
        const quern_kernel_image *image = &kernel->images[i];
        if (strcmp(image->backend, "cpu") != 0 || !image->function || !runs_level(image->target))
            continue;
        *compiled = (void *)image;
        limits->group_items = GROUP_ITEMS;
        limits->local_bytes = kernel->local_bytes;
        limits->private_bytes = kernel->private_bytes;
        return QUERN_SUCCESS;
    }
    return host->fail(QUERN_NOT_SUPPORTED, "kernel '%s' has no code for this processor", kernel->name);
}

static void kernel_release(void *device, void *compiled)
{
    (void)device, (void)compiled;
}

/* The whole range as one piece: dim[0] is x, the last extent. */
static void describe_piece(const quern_backend_launch *launch, struct quern_cpu_piece *piece)
{
    const int is_group = (int)launch->kernel->is_group;
    piece->rank = (int32_t)launch->rank;
    for (uint32_t d = 0; d < launch->rank; ++d) {
        const uint32_t slow = launch->rank - 1 - d;
        struct quern_cpu_dimension *dim = &piece->dim[d];
        dim->extent = (ptrdiff_t)launch->extents[slow];
        dim->offset = launch->offsets[slow];
        dim->group = is_group ? (ptrdiff_t)launch->group[slow] : 0;
        dim->groups = is_group ? (ptrdiff_t)launch->groups[slow] : 0;
        dim->end = is_group ? dim->groups : dim->extent;
    }
}

/* Everything that an argument points to is read now: the launch runs later. */
static quern_status keep_argument(const quern_backend_argument *given, struct quern_cpu_argument *kept,
                                  argument_copy *shape, char **values)
{
    kept->length = given->length;
    if (given->form == QUERN_PARAMETER_VALUE) {
        kept->address = memcpy(*values, given->address, given->size);
        *values += (given->size + 63) / 64 * 64;
    } else if (given->memory) { /* a view, and not of a buffer without bytes */
        quern_status status = minimal_memory_resolve(given->memory, given->address, &kept->address);
        if (status != QUERN_SUCCESS)
            return status;
        memcpy(shape->extents, given->extents, given->rank * sizeof *given->extents);
        memcpy(shape->pitches, given->pitches, given->rank * sizeof *given->pitches);
        kept->extents = shape->extents;
        kept->pitches = shape->pitches;
    }
    return QUERN_SUCCESS;
}

static quern_status launch_command(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    const size_t count = launch->argument_count;
    size_t size = sizeof(command) + count * (sizeof(struct quern_cpu_argument) + sizeof(argument_copy)) + 64;
    for (size_t i = 0; i < count; ++i)
        if (launch->arguments[i].form == QUERN_PARAMETER_VALUE)
            size += (launch->arguments[i].size + 63) / 64 * 64;
    command *command = calloc(1, size);
    if (!command)
        return host->fail(QUERN_OUT_OF_MEMORY, "no memory for a command");
    command->number = number;
    command->is_launch = 1;
    command->kernel = launch->kernel;
    command->function = (quern_cpu_function *)((const quern_kernel_image *)launch->compiled)->function;
    describe_piece(launch, &command->piece);
    command->arguments = (struct quern_cpu_argument *)(command + 1);
    argument_copy *shapes = (argument_copy *)(command->arguments + count);
    char *values = (char *)(shapes + count);
    values += (64 - (uintptr_t)values % 64) % 64;
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; i < count && status == QUERN_SUCCESS; ++i)
        status = keep_argument(&launch->arguments[i], &command->arguments[i], &shapes[i], &values);
    if (status == QUERN_SUCCESS)
        submit(queue, command);
    else
        free(command);
    return status;
}

/* ---- the table ---- */

const quern_backend *quern_backend_entry(void)
{
    static const quern_backend table = {
        .version = QUERN_BACKEND_VERSION,
        .size = sizeof(quern_backend),
        .name = "minimal",
        .start = start,
        .stop = stop,
        .device_count = device_count,
        .device_open = device_open,
        .device_info = device_info,
        .allocate = minimal_memory_allocate,
        .free = minimal_memory_free,
        .queue_create = queue_create,
        .queue_destroy = queue_destroy,
        .kernel_build = kernel_build,
        .kernel_release = kernel_release,
        .copy = copy_command,
        .launch = launch_command,
        .signal = signal_number,
    };
    return &table;
}
