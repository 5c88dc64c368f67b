/* Choosing an image, and compiling text through the cache. */
#include "cuda_image.h"

#include "base/error.h"
#include "base/nvrtc.h"

#include "cuda_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- images ---- */

/* "ptx strict 75 32 grid": 1 when it is one, with what it says. */
static int parse_ptx(const char *target, int *architecture, int *bits, int *linear)
{
    char layout[8];
    if (sscanf(target, "ptx %*15s %d %d %7s", architecture, bits, layout) != 3)
        return 0;
    *linear = strcmp(layout, "linear") == 0;
    return *linear || strcmp(layout, "grid") == 0;
}

static int is_cuda(const quern_kernel_image *image)
{
    return strcmp(image->backend, "cuda") == 0 && image->data && image->target;
}

const quern_kernel_image *quern_cuda_image_ptx(const quern_kernel *kernel, int variant, int limit, int *best)
{
    const quern_kernel_image *found = NULL;
    int architecture, bits, linear;
    *best = 0;
    for (size_t i = 0; i < kernel->image_count; ++i) {
        const quern_kernel_image *image = &kernel->images[i];
        if (!is_cuda(image) || !parse_ptx(image->target, &architecture, &bits, &linear))
            continue;
        /* Groups lie on the grid in either layout. */
        if (bits != quern_cuda_variant_bits(variant) ||
            (linear != quern_cuda_variant_is_linear(variant) && !kernel->is_group))
            continue;
        if (architecture <= limit && architecture > *best) {
            found = image;
            *best = architecture;
        }
    }
    return found;
}

const quern_kernel_image *quern_cuda_image_text(const quern_kernel *kernel)
{
    for (size_t i = 0; i < kernel->image_count; ++i)
        if (is_cuda(&kernel->images[i]) && strncmp(kernel->images[i].target, "cuda-c++ ", 9) == 0)
            return &kernel->images[i];
    return NULL;
}

/* ---- what NVRTC is to make ---- */

/* Machine code runs on later minor versions of its architecture; PTX on all later ones. */
static quern_status choose(const struct quern_cuda_device *device, const quern_nvrtc_info *info, int *architecture,
                           quern_nvrtc_form *form)
{
    *architecture = 0;
    for (size_t i = 0; i < info->architecture_count; ++i)
        if (info->architectures[i] <= device->architecture)
            *architecture = info->architectures[i];
    if (*architecture == 0)
        return quern_fail(QUERN_NOT_SUPPORTED, "NVRTC %d.%d (%s) compiles for sm_%d and newer, %s is of sm_%d",
                          info->major, info->minor, info->path, info->architecture_count ? info->architectures[0] : 0,
                          device->info.name, device->architecture);
    *form = *architecture / 10 == device->architecture / 10 ? QUERN_NVRTC_CUBIN : QUERN_NVRTC_PTX;
    return QUERN_SUCCESS;
}

/* How floating point is meant is the last word of the text's target. */
static const char *floating_of(const quern_kernel_image *text)
{
    const char *blank = strrchr(text->target, ' ');
    return blank ? blank + 1 : "strict";
}

/* ---- the cache ---- */

/* All that the result depends on, malloc'ed; NULL without memory. */
static char *make_key(const struct quern_cuda_device *device, const quern_nvrtc_info *info,
                      const quern_nvrtc_target *target, quern_nvrtc_form form, const char *file,
                      const quern_kernel_image *text, size_t *size)
{
    char facts[256];
    int length = snprintf(facts, sizeof facts, "cuda\ndriver %d\nnvrtc %d.%d\n%s sm_%d %s %d %d\n",
                          device->driver_version, info->major, info->minor, form == QUERN_NVRTC_CUBIN ? "cubin" : "ptx",
                          target->architecture, target->floating, target->index_bits, target->linear);
    if (length < 0 || (size_t)length >= sizeof facts)
        return NULL;
    size_t used = (size_t)length, file_size = strlen(file) + 1;
    char *key = malloc(used + file_size + text->size);
    if (!key)
        return NULL;
    memcpy(key, facts, used);
    memcpy(key + used, file, file_size);
    memcpy(key + used + file_size, text->data, text->size);
    *size = used + file_size + text->size;
    return key;
}

static int load_cached(const char *key, size_t key_size, void **data, size_t *size)
{
    if (!key || !quern_cuda_host->cache_load || quern_cuda_host->cache_load(key, key_size, data, size) != QUERN_SUCCESS)
        return 0;
    if (*size)
        return 1;
    free(*data);
    return 0;
}

/* The compiler's log is the thread's sentence: says in front of it what was compiled. */
static quern_status name_what_failed(const struct quern_cuda_device *device, const char *file, quern_status status)
{
    const char *log = quern_last_error();
    size_t size = strlen(log) + 1;
    char *copy = status == QUERN_COMPILE_FAILED ? malloc(size) : NULL;
    if (!copy)
        return status;
    memcpy(copy, log, size);
    status = quern_fail(status, "%s did not compile for %s: NVRTC says\n%s", file, device->info.name, copy);
    free(copy);
    return status;
}

quern_status quern_cuda_text_compile(const struct quern_cuda_device *device, const quern_kernel *kernel,
                                     const quern_kernel_image *text, int variant, int may_be_cached, void **data,
                                     size_t *size, int *from_cache)
{
    const quern_nvrtc_info *info;
    const char *file = kernel->file ? kernel->file : "kernels";
    quern_nvrtc_target target = {.floating = floating_of(text),
                                 .index_bits = quern_cuda_variant_bits(variant),
                                 .linear = quern_cuda_variant_is_linear(variant)};
    quern_nvrtc_form form = QUERN_NVRTC_CUBIN;
    size_t key_size = 0;
    *from_cache = 0;
    quern_status status = quern_nvrtc_open(&info);
    if (status == QUERN_SUCCESS)
        status = choose(device, info, &target.architecture, &form);
    if (status != QUERN_SUCCESS)
        return status;
    char *key = make_key(device, info, &target, form, file, text, &key_size);
    *from_cache = may_be_cached && load_cached(key, key_size, data, size);
    if (!*from_cache) {
        status = quern_nvrtc_compile(text->data, text->size, file, &target, form, data, size);
        if (status == QUERN_SUCCESS && key && quern_cuda_host->cache_store)
            (void)quern_cuda_host->cache_store(key, key_size, *data, *size);
        if (status != QUERN_SUCCESS)
            status = name_what_failed(device, file, status);
    }
    free(key);
    return status;
}
