/* The table of a device's programs, and compiling them. */
#include "opencl_program.h"

#include "base/error.h"

#include "opencl_backend.h"
#include "opencl_binary.h"
#include "opencl_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static const quern_kernel_image *find_image(const quern_kernel *kernel)
{
    for (size_t i = 0; i < kernel->image_count; ++i)
        if (strcmp(kernel->images[i].backend, "opencl") == 0 && kernel->images[i].data)
            return &kernel->images[i];
    return NULL;
}

/* The device's lock is held. */
static struct quern_opencl_program *find(struct quern_opencl_device *device, const quern_kernel_image *image)
{
    for (struct quern_opencl_program *p = device->programs; p; p = p->next)
        if (p->text == image->data && p->size == image->size && strcmp(p->target, image->target) == 0)
            return p;
    return NULL;
}

/* The device's lock is held. NULL without memory. */
static struct quern_opencl_program *add(struct quern_opencl_device *device, const quern_kernel *kernel,
                                        const quern_kernel_image *image)
{
    struct quern_opencl_program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->device = device;
    program->text = image->data;
    program->size = image->size;
    program->target = image->target;
    program->file = kernel->file;
    pthread_mutex_init(&program->lock, NULL);
    program->next = device->programs;
    device->programs = program;
    return program;
}

quern_status quern_opencl_program_acquire(struct quern_opencl_device *device, const quern_kernel *kernel,
                                          struct quern_opencl_program **result)
{
    const quern_kernel_image *image = find_image(kernel);
    if (!image)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "kernel '%s' holds no text for OpenCL, wanted one that `quern compile` made for it",
                          kernel->name);
    pthread_mutex_lock(&device->lock);
    struct quern_opencl_program *program = find(device, image);
    if (!program)
        program = add(device, kernel, image);
    if (program)
        ++program->users;
    pthread_mutex_unlock(&device->lock);
    if (!program)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the program of kernel '%s'", kernel->name);
    *result = program;
    return QUERN_SUCCESS;
}

void quern_opencl_program_release(struct quern_opencl_program *program)
{
    struct quern_opencl_device *device = program->device;
    pthread_mutex_lock(&device->lock);
    int last = --program->users == 0;
    for (struct quern_opencl_program **link = &device->programs; last && *link; link = &(*link)->next)
        if (*link == program) {
            *link = program->next;
            break;
        }
    pthread_mutex_unlock(&device->lock);
    if (!last)
        return;
    for (int v = 0; v < QUERN_OPENCL_VARIANTS; ++v)
        if (program->variants[v].program)
            quern_cl.ReleaseProgram(program->variants[v].program);
    pthread_mutex_destroy(&program->lock);
    free(program);
}

/* ---- compiling ---- */

enum { OPTIONS = 256 };

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* How floating point is meant is the text's own; the options keep the compiler to it. */
static void write_options(const struct quern_opencl_program *program, int variant, char options[OPTIONS])
{
    const char *floating = "";
    if (ends_with(program->target, " fast"))
        floating = " -cl-fast-relaxed-math";
    else if (program->device->correctly_rounded)
        floating = " -cl-fp32-correctly-rounded-divide-sqrt";
    snprintf(options, OPTIONS, "-cl-std=CL1.2 -DQUERN_INDEX_BITS=%d -DQUERN_LINEAR=%d -DQUERN_CONTIGUOUS=%d%s",
             variant & 2 ? 64 : 32, variant & 1, program->device->is_cpu, floating);
}

/* The compiler's log, malloc'ed; NULL when there is none to be had. */
static char *take_log(struct quern_opencl_device *device, cl_program built)
{
    size_t size = 0;
    if (quern_cl.GetProgramBuildInfo(built, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || size <= 1)
        return NULL;
    char *log = calloc(1, size + 1);
    if (log && quern_cl.GetProgramBuildInfo(built, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL)) {
        free(log);
        return NULL;
    }
    return log;
}

static quern_status build_failed(const struct quern_opencl_program *program, cl_int error, cl_program built)
{
    struct quern_opencl_device *device = program->device;
    if (quern_opencl_error_status(error) != QUERN_COMPILE_FAILED)
        return quern_opencl_fail(error, "compiling %s for %s", program->file, device->info.name);
    char *log = take_log(device, built), text[QUERN_OPENCL_ERROR_TEXT];
    quern_status status =
        quern_fail(QUERN_COMPILE_FAILED, "%s did not compile for %s: %s%s", program->file, device->info.name,
                   log ? "the OpenCL driver's compiler says\n" : quern_opencl_error_text(error, text), log ? log : "");
    free(log);
    return status;
}

static quern_status build_text(const struct quern_opencl_program *program, const char *options, cl_program *result)
{
    struct quern_opencl_device *device = program->device;
    const char *text = program->text;
    cl_int error = CL_SUCCESS;
    cl_program built = quern_cl.CreateProgramWithSource(device->context, 1, &text, &program->size, &error);
    if (error)
        return build_failed(program, error, NULL);
    error = quern_cl.BuildProgram(built, 1, &device->id, options, NULL, NULL);
    if (error) {
        quern_status status = build_failed(program, error, built);
        quern_cl.ReleaseProgram(built);
        return status;
    }
    *result = built;
    return QUERN_SUCCESS;
}

/* The lock is held. The variant's program is there afterwards. */
static quern_status provide(struct quern_opencl_program *program, int variant, int may_be_cached)
{
    char options[OPTIONS];
    write_options(program, variant, options);
    cl_program built = may_be_cached ? quern_opencl_binary_load(program, options) : NULL;
    program->variants[variant].from_cache = built != NULL;
    if (!built) {
        quern_status status = build_text(program, options, &built);
        if (status != QUERN_SUCCESS)
            return status;
        quern_opencl_binary_store(program, options, built);
    }
    program->variants[variant].program = built;
    return QUERN_SUCCESS;
}

/* The lock is held. */
static quern_status make_kernel(struct quern_opencl_program *program, int variant, const char *name, cl_kernel *kernel)
{
    char entry[256];
    cl_int error = CL_SUCCESS;
    snprintf(entry, sizeof entry, "quern_k_%s", name);
    *kernel = quern_cl.CreateKernel(program->variants[variant].program, entry, &error);
    if (!error)
        return QUERN_SUCCESS;
    return quern_opencl_fail(error, "taking kernel '%s' out of what %s became for %s", name, program->file,
                             program->device->info.name);
}

quern_status quern_opencl_program_kernel(struct quern_opencl_program *program, int variant, const char *name,
                                         cl_kernel *kernel)
{
    quern_status status = QUERN_SUCCESS;
    pthread_mutex_lock(&program->lock);
    if (!program->variants[variant].program)
        status = provide(program, variant, 1);
    if (status == QUERN_SUCCESS)
        status = make_kernel(program, variant, name, kernel);
    /* A driver may have accepted a binary and still not find the kernel in it. */
    if (status != QUERN_SUCCESS && program->variants[variant].program && program->variants[variant].from_cache) {
        quern_cl.ReleaseProgram(program->variants[variant].program);
        program->variants[variant].program = NULL;
        status = provide(program, variant, 0);
        if (status == QUERN_SUCCESS)
            status = make_kernel(program, variant, name, kernel);
    }
    pthread_mutex_unlock(&program->lock);
    return status;
}
