/* Building kernels, and choosing group sizes for those that leave them open. */
#include "cuda_kernel.h"

#include "backend/device/grid.h"
#include "base/error.h"

#include <stdlib.h>

/* The local memory of an item, in CUDA's sense of the word, on every device. The driver says no more than that memory
 * is exhausted, and only at the launch. */
enum { MOST_PRIVATE = 512 * 1024 };

/* ---- what is known before it is compiled ---- */

static size_t align_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* The alignment that a value of that size has at most. */
static size_t alignment_of(size_t size)
{
    size_t alignment = size & (~size + 1);
    return alignment > 16 ? 16 : alignment ? alignment : 1;
}

static size_t words_of(const quern_parameter *parameter)
{
    if (parameter->form == QUERN_PARAMETER_VALUE)
        return 0;
    int is_nd = parameter->form >= QUERN_PARAMETER_IN_ND && parameter->form <= QUERN_PARAMETER_INOUT_ND;
    return is_nd ? 1 + 2 * (size_t)parameter->rank : 1;
}

/* Bytes of all arguments, with the words (dialect/device_abi.h). */
static size_t argument_bytes(const quern_kernel *kernel, int variant)
{
    size_t rank = kernel->rank < 0 ? QUERN_MAX_RANK : (size_t)kernel->rank, bytes = 3 + 4 * rank;
    for (uint32_t i = 0; i < kernel->parameter_count; ++i)
        bytes += words_of(&kernel->parameters[i]);
    bytes *= (size_t)quern_cuda_variant_bits(variant) / 8;
    for (uint32_t i = 0; i < kernel->parameter_count; ++i) {
        const quern_parameter *parameter = &kernel->parameters[i];
        if (parameter->form == QUERN_PARAMETER_VALUE)
            bytes = align_up(bytes, alignment_of(parameter->type.size)) + parameter->type.size;
        else if (parameter->form != QUERN_PARAMETER_LOCAL)
            bytes = align_up(bytes, sizeof(CUdeviceptr)) + sizeof(CUdeviceptr);
    }
    return bytes;
}

static quern_status check(const struct quern_cuda_device *device, const quern_kernel *kernel, int variant)
{
    size_t bytes = argument_bytes(kernel, variant);
    if (bytes > device->parameter_bytes)
        return quern_fail(QUERN_LIMIT_EXCEEDED,
                          "the arguments of kernel '%s' take %zu bytes with their layouts, wanted at most %zu on %s",
                          kernel->name, bytes, device->parameter_bytes, device->info.name);
    if (kernel->local_bytes > device->static_local)
        return quern_fail(QUERN_LIMIT_EXCEEDED,
                          "the LOCAL arrays of kernel '%s' take %llu bytes, wanted at most %zu on %s, where `local` "
                          "parameters may have more (%llu)",
                          kernel->name, (unsigned long long)kernel->local_bytes, device->static_local,
                          device->info.name, (unsigned long long)device->info.local_memory_bytes);
    return QUERN_SUCCESS;
}

/* ---- building ---- */

static int has_local_parameters(const quern_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->parameter_count; ++i)
        if (kernel->parameters[i].form == QUERN_PARAMETER_LOCAL)
            return 1;
    return 0;
}

static CUresult ask(CUfunction function, int attribute, size_t *value)
{
    int number = 0;
    CUresult error = quern_cu.FuncGetAttribute(&number, attribute, function);
    *value = !error && number > 0 ? (size_t)number : 0;
    return error;
}

/* Local memory beyond what is always to be had has to be asked for, once. */
static CUresult opt_in(const struct quern_cuda_kernel *kernel, CUfunction function, size_t static_local)
{
    const struct quern_cuda_device *device = kernel->device;
    size_t most = (size_t)device->info.local_memory_bytes;
    if (!has_local_parameters(kernel->kernel) || most <= device->static_local || most <= static_local)
        return CUDA_SUCCESS;
    return quern_cu.FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     (int)(most - static_local));
}

static quern_status describe(const struct quern_cuda_kernel *kernel, struct quern_cuda_kernel_variant *v,
                             CUfunction function)
{
    CUresult error = ask(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &v->group_items);
    if (!error)
        error = ask(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &v->static_local);
    if (!error)
        error = ask(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &v->private_bytes);
    if (!error)
        error = ask(function, CU_FUNC_ATTRIBUTE_NUM_REGS, &v->registers);
    if (error)
        return quern_cuda_device_fail(kernel->device, error, "asking for the limits of kernel '%s' on %s",
                                      kernel->kernel->name, kernel->device->info.name);
    if (v->group_items == 0)
        return quern_fail(QUERN_LIMIT_EXCEEDED,
                          "kernel '%s' needs %zu registers an item and %zu bytes of local memory, with which not one "
                          "item runs on %s",
                          kernel->kernel->name, v->registers, v->static_local, kernel->device->info.name);
    if (v->private_bytes > MOST_PRIVATE)
        return quern_fail(QUERN_LIMIT_EXCEEDED,
                          "the arrays that every item of kernel '%s' has by itself take %zu bytes, wanted at most %d "
                          "on %s",
                          kernel->kernel->name, v->private_bytes, (int)MOST_PRIVATE, kernel->device->info.name);
    error = opt_in(kernel, function, v->static_local);
    if (error)
        return quern_cuda_device_fail(kernel->device, error,
                                      "asking for %llu bytes of local memory for kernel '%s' on %s",
                                      (unsigned long long)kernel->device->info.local_memory_bytes, kernel->kernel->name,
                                      kernel->device->info.name);
    return QUERN_SUCCESS;
}

/* The build lock is held. */
static quern_status prepare(struct quern_cuda_kernel *kernel, int variant)
{
    struct quern_cuda_kernel_variant *v = &kernel->variants[variant];
    CUfunction function = NULL;
    quern_status status = check(kernel->device, kernel->kernel, variant);
    if (status == QUERN_SUCCESS)
        status = quern_cuda_module_kernel(kernel->device, kernel->kernel, variant, &v->module, &function);
    if (status != QUERN_SUCCESS)
        return status;
    status = describe(kernel, v, function);
    if (status == QUERN_SUCCESS) {
        atomic_store_explicit(&v->function, function, memory_order_release);
    } else {
        quern_cuda_module_release(kernel->device, v->module);
        v->module = NULL;
    }
    return status;
}

quern_status quern_cuda_kernel_prepare(struct quern_cuda_kernel *kernel, int variant,
                                       const struct quern_cuda_kernel_variant **result)
{
    quern_status status = QUERN_SUCCESS;
    *result = &kernel->variants[variant];
    if (atomic_load_explicit(&kernel->variants[variant].function, memory_order_acquire))
        return QUERN_SUCCESS;
    pthread_mutex_lock(&kernel->device->build_lock);
    if (!atomic_load_explicit(&kernel->variants[variant].function, memory_order_relaxed))
        status = prepare(kernel, variant);
    pthread_mutex_unlock(&kernel->device->build_lock);
    return status;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What the device uses; and what `quern compile` knows, which may be more where the compiler found a way. */
static void set_limits(const struct quern_cuda_kernel_variant *v, const quern_kernel *kernel,
                       quern_kernel_limits *limits)
{
    limits->group_items = v->group_items;
    limits->local_bytes = larger(v->static_local, kernel->local_bytes);
    limits->private_bytes = larger(v->private_bytes, kernel->private_bytes);
}

static struct quern_cuda_kernel *make(struct quern_cuda_device *device, const quern_kernel *kernel)
{
    struct quern_cuda_kernel *made = calloc(1, sizeof *made);
    if (made) {
        made->kernel = kernel;
        made->device = device;
    } else {
        (void)quern_fail(QUERN_OUT_OF_MEMORY, "no memory for kernel '%s'", kernel->name);
    }
    return made;
}

quern_status quern_cuda_kernel_build(void *device_, const quern_kernel *kernel, void **compiled,
                                     quern_kernel_limits *limits)
{
    struct quern_cuda_device *device = device_;
    const struct quern_cuda_kernel_variant *v = NULL;
    struct quern_cuda_kernel *built = make(device, kernel);
    if (!built)
        return QUERN_OUT_OF_MEMORY;
    quern_status status = quern_cuda_enter(device);
    if (status == QUERN_SUCCESS) {
        /* The variant of most launches: a range of more than three dimensions is never on the grid. */
        status = quern_cuda_kernel_prepare(built, quern_cuda_variant(32, kernel->rank > 3), &v);
        quern_cuda_leave();
    }
    if (status != QUERN_SUCCESS) {
        free(built);
        return status;
    }
    set_limits(v, kernel, limits);
    *compiled = built;
    return QUERN_SUCCESS;
}

/* The context is the thread's. */
static quern_status take_wrapped(struct quern_cuda_kernel *kernel, CUmodule module)
{
    struct quern_cuda_kernel_variant *v = &kernel->variants[QUERN_CUDA_WRAPPED_VARIANT];
    CUfunction function = NULL;
    kernel->is_wrapped = 1;
    kernel->wrapped = module;
    quern_status status = check(kernel->device, kernel->kernel, QUERN_CUDA_WRAPPED_VARIANT);
    if (status == QUERN_SUCCESS)
        status = quern_cuda_module_function_of(kernel->device, kernel->kernel, module, &function);
    if (status == QUERN_SUCCESS)
        status = describe(kernel, v, function);
    if (status == QUERN_SUCCESS)
        atomic_store_explicit(&v->function, function, memory_order_release);
    return status;
}

quern_status quern_cuda_kernel_wrap(void *device_, const quern_kernel *kernel, uint32_t kind, void *handle,
                                    void **compiled, quern_kernel_limits *limits)
{
    struct quern_cuda_device *device = device_;
    if (kind != QUERN_NATIVE_CUDA_MODULE)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "kernel '%s' was to be taken from a handle of kind %u, wanted a CUmodule", kernel->name,
                          (unsigned)kind);
    if (!handle)
        return quern_fail(QUERN_INVALID_ARGUMENT, "handle is NULL, wanted a CUmodule");
    struct quern_cuda_kernel *wrapped = make(device, kernel);
    if (!wrapped)
        return QUERN_OUT_OF_MEMORY;
    quern_status status = quern_cuda_enter(device);
    if (status == QUERN_SUCCESS) {
        status = take_wrapped(wrapped, handle);
        quern_cuda_leave();
    }
    if (status != QUERN_SUCCESS) {
        free(wrapped);
        return status;
    }
    set_limits(&wrapped->variants[QUERN_CUDA_WRAPPED_VARIANT], kernel, limits);
    *compiled = wrapped;
    return QUERN_SUCCESS;
}

quern_status quern_cuda_kernel_native(struct quern_cuda_kernel *kernel, CUmodule *module, CUfunction *function)
{
    const struct quern_cuda_kernel_variant *v = &kernel->variants[QUERN_CUDA_WRAPPED_VARIANT];
    quern_status status = QUERN_SUCCESS;
    if (!kernel->is_wrapped) {
        status = quern_cuda_enter(kernel->device);
        if (status == QUERN_SUCCESS) {
            status = quern_cuda_kernel_prepare(kernel, quern_cuda_variant(32, 0), &v);
            quern_cuda_leave();
        }
    }
    if (status != QUERN_SUCCESS)
        return status;
    *module = kernel->is_wrapped ? kernel->wrapped : v->module->handle;
    *function = atomic_load(&v->function);
    return QUERN_SUCCESS;
}

void quern_cuda_kernel_release(void *device_, void *compiled)
{
    struct quern_cuda_device *device = device_;
    struct quern_cuda_kernel *kernel = compiled;
    int entered = quern_cuda_enter_to_release(device);
    pthread_mutex_lock(&device->build_lock);
    for (int v = 0; v < QUERN_CUDA_VARIANTS; ++v)
        if (kernel->variants[v].module)
            quern_cuda_module_release(device, kernel->variants[v].module);
    pthread_mutex_unlock(&device->build_lock);
    if (entered)
        quern_cuda_leave();
    free(kernel);
}

/* ---- group sizes ---- */

/* A power of two, so of whole warps where there are that many items: a small group leaves most of a multiprocessor's
 * lanes empty. */
quern_status quern_cuda_launch_configuration(void *device_, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                             const size_t *extents, size_t max_items, size_t *group)
{
    (void)kernel, (void)compiled;
    const struct quern_cuda_device *device = device_;
    size_t room = max_items < QUERN_DEVICE_ENOUGH_ITEMS ? max_items : QUERN_DEVICE_ENOUGH_ITEMS;
    quern_device_group_choose(&device->info, rank, extents, room ? room : 1, group);
    return QUERN_SUCCESS;
}
