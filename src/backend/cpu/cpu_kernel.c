/* Choosing a kernel's machine code, and group sizes for kernels that leave them open. */
#include "cpu_kernel.h"

#include "base/cpu_level.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The best image that the processor runs, NULL when there is none. */
static const quern_kernel_image *choose_image(const quern_kernel *kernel, const char *level)
{
    const quern_kernel_image *best = NULL;
    int best_rank = -1, limit = quern_cpu_level_rank(level);
    for (size_t i = 0; i < kernel->image_count; ++i) {
        const quern_kernel_image *image = &kernel->images[i];
        if (strcmp(image->backend, "cpu") != 0 || !image->function)
            continue;
        int rank = quern_cpu_level_rank(image->target);
        if (rank > best_rank && rank <= limit) {
            best = image;
            best_rank = rank;
        }
    }
    return best;
}

quern_status quern_cpu_kernel_build(void *device, const quern_kernel *kernel, void **compiled,
                                    quern_kernel_limits *limits)
{
    (void)device;
    const char *level;
    quern_status status = quern_cpu_level(&level);
    if (status)
        return status;
    const quern_kernel_image *image = choose_image(kernel, level);
    if (!image)
        return quern_fail(
            QUERN_NOT_SUPPORTED,
            "kernel %s holds no code for a CPU of level %s; compile its file with that level or a lower one",
            kernel->name, level);
    if (kernel->local_bytes > QUERN_CPU_LOCAL_BYTES)
        return quern_fail(QUERN_LIMIT_EXCEEDED, "kernel %s has %llu bytes of LOCAL memory; the CPU gives a group %d",
                          kernel->name, (unsigned long long)kernel->local_bytes, QUERN_CPU_LOCAL_BYTES);
    struct quern_cpu_kernel *built = calloc(1, sizeof *built);
    if (!built)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for kernel %s", kernel->name);
    built->function = (quern_cpu_function *)image->function;
    limits->group_items = QUERN_CPU_GROUP_ITEMS;
    if (kernel->private_bytes > QUERN_CPU_PRIVATE_BYTES / QUERN_CPU_GROUP_ITEMS) {
        limits->group_items = (size_t)(QUERN_CPU_PRIVATE_BYTES / kernel->private_bytes);
        if (limits->group_items == 0)
            limits->group_items = 1;
    }
    limits->local_bytes = kernel->local_bytes;
    limits->private_bytes = kernel->private_bytes;
    *compiled = built;
    return QUERN_SUCCESS;
}

void quern_cpu_kernel_release(void *device, void *compiled)
{
    (void)device;
    free(compiled);
}

/* ---- group sizes ---- */

/* Items of a group beyond which a larger one brings nothing, groups that every thread should have at least, and the
 * granule of group sizes along x, a SIMD register's worth. */
enum { ENOUGH_ITEMS = 256, GROUPS_A_THREAD = 4, GRANULE = 16 };

/* The extent in equal parts of at most limit items: the size of one, so that little of the last is padding. */
static size_t even_part(size_t extent, size_t limit)
{
    size_t parts = (extent - 1) / limit + 1;
    return (extent - 1) / parts + 1;
}

quern_status quern_cpu_launch_configuration(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                            const size_t *extents, size_t max_items, size_t *group)
{
    (void)kernel;
    (void)compiled;
    const struct quern_cpu_device *cpu = device;
    size_t items = 1;
    for (uint32_t d = 0; d < rank; ++d)
        items *= extents[d];
    /* So many items a group that all threads have some groups. */
    size_t room = items / ((size_t)GROUPS_A_THREAD * cpu->thread_count);
    if (room > ENOUGH_ITEMS)
        room = ENOUGH_ITEMS;
    if (room > max_items)
        room = max_items;
    if (room == 0)
        room = 1;
    for (uint32_t d = rank; d-- > 0;) {
        size_t size = even_part(extents[d], room);
        size_t granules = (size + GRANULE - 1) / GRANULE * GRANULE;
        if (d == rank - 1 && size < extents[d] && granules <= room)
            size = granules;
        group[d] = size;
        room /= size;
        if (room == 0)
            room = 1;
    }
    return QUERN_SUCCESS;
}
