/* Building kernels, and choosing group sizes for those that leave them open. */
#include "opencl_kernel.h"

#include "backend/device/grid.h"
#include "base/error.h"

#include "opencl_error.h"

#include <stdlib.h>

/* ---- building ---- */

static cl_int ask(const struct quern_opencl_kernel *kernel, int variant, cl_uint name, void *value, size_t size)
{
    return quern_cl.GetKernelWorkGroupInfo(kernel->variants[variant].handle, kernel->program->device->id, name, size,
                                           value, NULL);
}

quern_status quern_opencl_kernel_prepare(struct quern_opencl_kernel *kernel, int variant)
{
    struct quern_opencl_kernel_variant *v = &kernel->variants[variant];
    if (v->handle)
        return QUERN_SUCCESS;
    quern_status status = quern_opencl_program_kernel(kernel->program, variant, kernel->kernel->name, &v->handle);
    if (status != QUERN_SUCCESS)
        return status;
    cl_int error = ask(kernel, variant, CL_KERNEL_WORK_GROUP_SIZE, &v->group_items, sizeof v->group_items);
    if (error) {
        quern_cl.ReleaseKernel(v->handle);
        v->handle = NULL;
        return quern_opencl_fail(error, "asking for the largest group of kernel '%s'", kernel->kernel->name);
    }
    if (ask(kernel, variant, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, &v->multiple, sizeof v->multiple) ||
        v->multiple == 0)
        v->multiple = 1;
    return QUERN_SUCCESS;
}

/* What the device uses, as far as it tells; else what `quern compile` knows. */
static void set_limits(const struct quern_opencl_kernel *kernel, int variant, quern_kernel_limits *limits)
{
    cl_ulong bytes = 0;
    limits->group_items = kernel->variants[variant].group_items;
    limits->local_bytes = kernel->kernel->local_bytes;
    limits->private_bytes = kernel->kernel->private_bytes;
    if (!ask(kernel, variant, CL_KERNEL_LOCAL_MEM_SIZE, &bytes, sizeof bytes) && bytes > limits->local_bytes)
        limits->local_bytes = bytes;
    if (!ask(kernel, variant, CL_KERNEL_PRIVATE_MEM_SIZE, &bytes, sizeof bytes) && bytes > limits->private_bytes)
        limits->private_bytes = bytes;
}

quern_status quern_opencl_kernel_build(void *device, const quern_kernel *kernel, void **compiled,
                                       quern_kernel_limits *limits)
{
    struct quern_opencl_kernel *built = calloc(1, sizeof *built);
    if (!built)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for kernel '%s'", kernel->name);
    quern_status status = quern_opencl_program_acquire(device, kernel, &built->program);
    if (status != QUERN_SUCCESS) {
        free(built);
        return status;
    }
    built->kernel = kernel;
    for (int v = 0; v < QUERN_OPENCL_VARIANTS; ++v)
        pthread_mutex_init(&built->variants[v].lock, NULL);
    /* The variant of most launches: a range of more than three dimensions is never on the grid. */
    int variant = quern_opencl_variant(32, kernel->rank > 3);
    status = quern_opencl_kernel_prepare(built, variant);
    if (status != QUERN_SUCCESS) {
        quern_opencl_kernel_release(device, built);
        return status;
    }
    set_limits(built, variant, limits);
    *compiled = built;
    return QUERN_SUCCESS;
}

void quern_opencl_kernel_release(void *device, void *compiled)
{
    (void)device;
    struct quern_opencl_kernel *kernel = compiled;
    for (int v = 0; v < QUERN_OPENCL_VARIANTS; ++v) {
        if (kernel->variants[v].handle)
            quern_cl.ReleaseKernel(kernel->variants[v].handle);
        pthread_mutex_destroy(&kernel->variants[v].lock);
    }
    quern_opencl_program_release(kernel->program);
    free(kernel);
}

/* ---- group sizes ---- */

/* Groups that every compute unit of a CPU should have. */
enum { GROUPS_A_UNIT = 4 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Powers of two, x first: a driver may compile a kernel anew for every size that it meets, so sizes should be few. As
 * large as the padding allows and all compute units have some groups.
 */
quern_status quern_opencl_launch_configuration(void *device_, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                               const size_t *extents, size_t max_items, size_t *group)
{
    (void)kernel, (void)compiled;
    const struct quern_opencl_device *device = device_;
    size_t units = device->info.compute_units ? device->info.compute_units : 1, items = 1;
    for (uint32_t d = 0; d < rank; ++d)
        items *= extents[d];
    size_t room = smaller(items / (GROUPS_A_UNIT * units), QUERN_DEVICE_ENOUGH_ITEMS);
    if (!device->is_cpu) /* a small group leaves most of a multiprocessor's lanes empty */
        room = smaller(items, QUERN_DEVICE_ENOUGH_ITEMS);
    quern_device_group_choose(&device->info, rank, extents, smaller(room ? room : 1, max_items ? max_items : 1), group);
    return QUERN_SUCCESS;
}
