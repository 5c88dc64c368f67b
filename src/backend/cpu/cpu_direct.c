/* Launches as the CPU runs them, and those of blocking queues, which run at once. */
#include "cpu_direct.h"

#include <stdio.h>
#include <string.h>

#include "cpu_kernel.h"

/* ---- running ---- */

static __attribute__((cold, noinline)) void report_no_scratch(struct quern_cpu_queue *queue, uint64_t number,
                                                              const char *kernel)
{
    char what[96];
    snprintf(what, sizeof what, "kernel %.80s", kernel);
    quern_cpu_pool.host->failed(queue->progress, number, QUERN_OUT_OF_MEMORY, what,
                                "no memory for the private and local variables of a group");
}

static inline void run(struct quern_cpu_queue *queue, struct quern_cpu_thread *self, uint64_t number, const char *name,
                       const struct quern_cpu_launch *launch)
{
    if (queue->is_failed(queue->progress))
        return;
    if (quern_cpu_launch_run(queue->device, self, launch))
        report_no_scratch(queue, number, name);
}

void quern_cpu_direct_run(struct quern_cpu_queue *queue, struct quern_cpu_thread *self, uint64_t number,
                          const char *name, const struct quern_cpu_launch *launch)
{
    run(queue, self, number, name, launch);
}

/* ---- what a launch is to the CPU ---- */

/* The dimensions of the range, fastest first. */
void quern_cpu_direct_set_dimensions(struct quern_cpu_dimension *dim, const quern_backend_launch *launch)
{
    int is_group = launch->kernel->is_group != 0;
    for (uint32_t d = 0; d < launch->rank; ++d) {
        uint32_t s = launch->rank - 1 - d;
        dim[d].begin = 0;
        dim[d].end = (ptrdiff_t)(is_group ? launch->groups[s] : launch->extents[s]);
        dim[d].extent = (ptrdiff_t)launch->extents[s];
        dim[d].offset = launch->offsets[s];
        dim[d].group = is_group ? (ptrdiff_t)launch->group[s] : 0;
        dim[d].groups = is_group ? (ptrdiff_t)launch->groups[s] : 0;
    }
}

void quern_cpu_direct_set(struct quern_cpu_launch *result, const struct quern_cpu_device *device,
                          const quern_backend_launch *launch)
{
    struct quern_cpu_kernel *kernel = launch->compiled;
    result->function = kernel->function;
    result->tuning = &kernel->tuning;
    result->rank = (int32_t)launch->rank;
    result->is_group = (int16_t)(launch->kernel->is_group != 0);
    result->weight = 1;
    result->units = (ptrdiff_t)launch->items;
    if (launch->kernel->is_group) {
        result->units = 1;
        for (uint32_t s = 0; s < launch->rank; ++s) {
            result->units *= (ptrdiff_t)launch->groups[s];
            result->weight *= (ptrdiff_t)launch->group[s];
        }
    }
    ptrdiff_t items = result->units * result->weight;
    result->experience =
        quern_cpu_launch_is_small(device, items) ? quern_cpu_tune_find(&kernel->tuning, (size_t)items) : NULL;
    result->alone = (int16_t)(result->units == 1 || device->thread_count == 1);
    result->part = 0;
}

/* ---- launches that run at once ---- */

/* Values up to this many bytes are put behind the arguments of a launch that runs at once, for the other threads to
 * fetch them together. */
enum { SMALL_VALUE = 16 };

/* A launch of a blocking queue, with what belongs to it. Mostly left as it is, so it costs nothing. */
struct direct_launch {
    struct quern_cpu_launch launch;
    struct quern_cpu_dimension dim[QUERN_MAX_RANK];
    _Alignas(64) char block[QUERN_MAX_PARAMETERS * (sizeof(struct quern_cpu_argument) + SMALL_VALUE)];
};

/* The same for one that the front end remembers: what lies in its memory from one time to the next. */
enum { KEPT_ARGUMENTS = 6 };
struct kept_launch {
    struct quern_cpu_launch launch; /* function is NULL until it is made */
    uint32_t value_count;
    struct {
        uint32_t index, size;
    } values[KEPT_ARGUMENTS]; /* of the arguments */
    struct quern_cpu_dimension dim;
    _Alignas(max_align_t) char block[KEPT_ARGUMENTS * (sizeof(struct quern_cpu_argument) + SMALL_VALUE)];
};

/* A call of memcpy takes longer than the copy of a float. */
static inline void copy_value(void *to, const void *from, uint32_t size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

/* Extents, pitches and larger values stay where they are: the caller's, until the launch has run. */
static void set_direct_arguments(struct quern_cpu_launch *to, struct quern_cpu_argument *arguments,
                                 const quern_backend_launch *launch)
{
    char *values = (char *)(arguments + launch->argument_count);
    to->arguments = arguments;
    for (size_t i = 0; i < launch->argument_count; ++i) {
        const quern_backend_argument *from = &launch->arguments[i];
        struct quern_cpu_argument *argument = &arguments[i];
        argument->address = from->address;
        argument->extents = from->extents;
        argument->pitches = from->pitches;
        argument->length = from->length;
        if (from->form == QUERN_PARAMETER_VALUE && from->size <= SMALL_VALUE) {
            copy_value(values, from->address, from->size);
            argument->address = values;
            values += SMALL_VALUE;
        }
    }
    to->argument_bytes = (size_t)(values - (char *)arguments);
}

static __attribute__((noinline)) void make_kept(struct kept_launch *kept, const struct quern_cpu_device *device,
                                                const quern_backend_launch *launch)
{
    quern_cpu_direct_set_dimensions(&kept->dim, launch);
    set_direct_arguments(&kept->launch, (struct quern_cpu_argument *)(void *)kept->block, launch);
    kept->launch.dim = &kept->dim;
    kept->value_count = 0;
    for (uint32_t i = 0; i < launch->argument_count; ++i)
        if (launch->arguments[i].form == QUERN_PARAMETER_VALUE) {
            kept->values[kept->value_count].index = i;
            kept->values[kept->value_count++].size = launch->arguments[i].size;
        }
    quern_cpu_direct_set(&kept->launch, device, launch);
    quern_cpu_launch_cut(&kept->launch);
}

/* The same value again stays as it is: other threads that have its line in their caches need not fetch it anew. */
static inline void renew_value(void *to, const void *from, uint32_t size)
{
    if (size == 4 ? memcmp(to, from, 4) : size == 8 ? memcmp(to, from, 8) : memcmp(to, from, size))
        copy_value(to, from, size);
}

/* Values anew: small ones lie where they did before. */
static inline void renew_values(struct kept_launch *kept, const quern_backend_launch *launch)
{
    struct quern_cpu_argument *arguments = (struct quern_cpu_argument *)(void *)kept->block;
    for (uint32_t k = 0; k < kept->value_count; ++k) {
        const uint32_t i = kept->values[k].index, size = kept->values[k].size;
        if (size <= SMALL_VALUE)
            renew_value(arguments[i].address, launch->arguments[i].address, size);
        else
            arguments[i].address = launch->arguments[i].address;
    }
}

/* 1 when the launch can be kept, and *kept is what is kept of it. */
static inline int keep(const struct quern_cpu_device *device, const quern_backend_launch *launch,
                       struct kept_launch **kept_)
{
    struct kept_launch *kept = *kept_ = launch->kept;
    if (!kept)
        return 0;
    if (kept->launch.function) {
        renew_values(kept, launch);
        return 1;
    }
    if (launch->kept_bytes < sizeof *kept || launch->rank != 1 || launch->argument_count > KEPT_ARGUMENTS)
        return 0;
    make_kept(kept, device, launch);
    return 1;
}

static __attribute__((noinline)) void run_direct(struct quern_cpu_queue *queue, struct quern_cpu_thread *self,
                                                 uint64_t number, const quern_backend_launch *launch)
{
    struct direct_launch direct;
    struct quern_cpu_argument *arguments = (struct quern_cpu_argument *)(void *)direct.block;
    for (size_t at = 0; at < launch->argument_count * sizeof(struct quern_cpu_argument); at += 64)
        quern_cpu_fetch_to_write(direct.block + at);
    quern_cpu_direct_set(&direct.launch, queue->device, launch);
    quern_cpu_direct_set_dimensions(direct.dim, launch);
    set_direct_arguments(&direct.launch, arguments, launch);
    direct.launch.dim = direct.dim;
    run(queue, self, number, launch->kernel->name, &direct.launch);
}

quern_status quern_cpu_direct_launch(struct quern_cpu_queue *queue, uint64_t number, const quern_backend_launch *launch)
{
    struct kept_launch *kept;
    struct quern_cpu_thread *self;
    quern_status status = quern_cpu_thread_self(&self);
    if (status != QUERN_SUCCESS)
        return status;
    if (keep(queue->device, launch, &kept))
        run(queue, self, number, launch->kernel->name, &kept->launch);
    else
        run_direct(queue, self, number, launch);
    queue->finished(queue->progress, number);
    return QUERN_SUCCESS;
}
