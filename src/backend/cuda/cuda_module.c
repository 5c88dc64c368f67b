/* Loading modules, from PTX or from text. */
#include "cuda_module.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The driver's compiler says no more than that; untouched pages of it cost nothing. */
enum { LOG_BYTES = 1 << 20 };

/* ---- loading ---- */

static quern_status load_failed(struct quern_cuda_device *device, const quern_kernel *kernel, CUresult error,
                                const char *log)
{
    char text[QUERN_CUDA_ERROR_TEXT];
    if (quern_cuda_error_status(error) != QUERN_COMPILE_FAILED || !log || !*log)
        return quern_cuda_device_fail(device, error, "loading %s on %s", kernel->file, device->info.name);
    return quern_fail(QUERN_COMPILE_FAILED, "%s did not compile for %s: the CUDA driver says %s\n%s", kernel->file,
                      device->info.name, quern_cuda_error_text(error, text), log);
}

/* data is machine code, or PTX that ends with a NUL. */
static quern_status load(struct quern_cuda_device *device, const quern_kernel *kernel, const void *data,
                         CUmodule *handle)
{
    char *log = malloc(LOG_BYTES);
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)LOG_BYTES};
    if (log)
        log[0] = '\0';
    CUresult error = quern_cu.ModuleLoadDataEx(handle, data, log ? 2 : 0, options, values);
    if (log)
        log[LOG_BYTES - 1] = '\0';
    quern_status status = error ? load_failed(device, kernel, error, log) : QUERN_SUCCESS;
    free(log);
    return status;
}

static quern_status load_ptx(struct quern_cuda_device *device, const quern_kernel *kernel,
                             const quern_kernel_image *image, CUmodule *handle)
{
    const char *text = image->data;
    if (image->size && text[image->size - 1] == '\0')
        return load(device, kernel, text, handle);
    char *ended = malloc(image->size + 1);
    if (!ended)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the PTX of %s", kernel->file);
    memcpy(ended, text, image->size);
    ended[image->size] = '\0';
    quern_status status = load(device, kernel, ended, handle);
    free(ended);
    return status;
}

static quern_status load_text(struct quern_cuda_device *device, const quern_kernel *kernel,
                              const quern_kernel_image *image, struct quern_cuda_module *module, int may_be_cached)
{
    void *data = NULL;
    size_t size = 0;
    quern_status status = quern_cuda_text_compile(device, kernel, image, module->variant, may_be_cached, &data, &size,
                                                  &module->from_cache);
    if (status != QUERN_SUCCESS)
        return status;
    status = load(device, kernel, data, &module->handle);
    free(data);
    if (status != QUERN_SUCCESS && module->from_cache)
        return load_text(device, kernel, image, module, 0); /* the entry was broken */
    return status;
}

/* ---- the table ---- */

static struct quern_cuda_module *find(struct quern_cuda_device *device, const void *data, int variant)
{
    struct quern_cuda_module *module = device->modules;
    while (module && (module->data != data || module->variant != variant))
        module = module->next;
    return module;
}

/* The image's module with one more user. */
static quern_status acquire(struct quern_cuda_device *device, const quern_kernel *kernel,
                            const quern_kernel_image *image, int is_text, int variant,
                            struct quern_cuda_module **result)
{
    struct quern_cuda_module *module = find(device, image->data, variant);
    if (!module) {
        module = calloc(1, sizeof *module);
        if (!module)
            return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the module of %s", kernel->file);
        module->data = image->data;
        module->variant = variant;
        quern_status status =
            is_text ? load_text(device, kernel, image, module, 1) : load_ptx(device, kernel, image, &module->handle);
        if (status != QUERN_SUCCESS) {
            free(module);
            return status;
        }
        module->next = device->modules;
        device->modules = module;
    }
    ++module->users;
    *result = module;
    return QUERN_SUCCESS;
}

void quern_cuda_module_release(struct quern_cuda_device *device, struct quern_cuda_module *module)
{
    if (--module->users)
        return;
    for (struct quern_cuda_module **link = &device->modules; *link; link = &(*link)->next)
        if (*link == module) {
            *link = module->next;
            break;
        }
    (void)quern_cu.ModuleUnload(module->handle);
    free(module);
}

/* ---- kernels ---- */

enum { ENTRY_BYTES = 256 };

static CUresult find_entry(const quern_kernel *kernel, CUmodule module, char entry[ENTRY_BYTES], CUfunction *function)
{
    snprintf(entry, ENTRY_BYTES, "quern_k_%s", kernel->name);
    return quern_cu.ModuleGetFunction(function, module, entry);
}

quern_status quern_cuda_module_function_of(struct quern_cuda_device *device, const quern_kernel *kernel,
                                           CUmodule handle, CUfunction *function)
{
    char entry[ENTRY_BYTES];
    CUresult error = find_entry(kernel, handle, entry, function);
    if (error == CUDA_ERROR_NOT_FOUND)
        return quern_fail(QUERN_NOT_FOUND,
                          "handle is a module of %s without '%s', wanted one made of the CUDA text of kernel '%s'",
                          device->info.name, entry, kernel->name);
    return error ? quern_cuda_handle_fail(device, error, "a CUmodule") : QUERN_SUCCESS;
}

/* In a module of ours. */
static quern_status function_of(struct quern_cuda_device *device, const quern_kernel *kernel, CUmodule module,
                                CUfunction *function)
{
    char entry[ENTRY_BYTES];
    CUresult error = find_entry(kernel, module, entry, function);
    if (!error)
        return QUERN_SUCCESS;
    return quern_cuda_device_fail(device, error, "taking kernel '%s' out of what %s became for %s", kernel->name,
                                  kernel->file, device->info.name);
}

static quern_status kernel_of(struct quern_cuda_device *device, const quern_kernel *kernel,
                              const quern_kernel_image *image, int is_text, int variant,
                              struct quern_cuda_module **result, CUfunction *function)
{
    struct quern_cuda_module *module = NULL;
    quern_status status = acquire(device, kernel, image, is_text, variant, &module);
    if (status != QUERN_SUCCESS)
        return status;
    status = function_of(device, kernel, module->handle, function);
    /* A driver may have accepted what lay in the cache and still not find the kernel in it. */
    if (status != QUERN_SUCCESS && is_text && module->from_cache && module->users == 1) {
        CUmodule broken = module->handle;
        status = load_text(device, kernel, image, module, 0);
        if (status == QUERN_SUCCESS) {
            (void)quern_cu.ModuleUnload(broken);
            status = function_of(device, kernel, module->handle, function);
        }
    }
    if (status != QUERN_SUCCESS)
        quern_cuda_module_release(device, module);
    else
        *result = module;
    return status;
}

/* ---- PTX or text ---- */

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* 1 for a failure that the text may be spared. */
static int text_may_do(quern_status status)
{
    return status == QUERN_NOT_SUPPORTED || status == QUERN_COMPILE_FAILED || status == QUERN_NOT_FOUND;
}

/* Of the images of PTX that the device could take, the newest that the driver does. *reason is why not, malloc'ed; NULL
 * when there is none. */
static quern_status kernel_from_ptx(struct quern_cuda_device *device, const quern_kernel *kernel, int variant,
                                    struct quern_cuda_module **module, CUfunction *function, char **reason)
{
    quern_status status = QUERN_NOT_SUPPORTED, first = QUERN_NOT_SUPPORTED;
    const quern_kernel_image *image;
    int limit = device->architecture, architecture;
    *reason = NULL;
    while ((image = quern_cuda_image_ptx(kernel, variant, limit, &architecture)) != NULL) {
        status = kernel_of(device, kernel, image, 0, variant, module, function);
        if (!text_may_do(status))
            return status;
        if (!*reason) {
            *reason = copy_of(quern_last_error());
            first = status;
        }
        limit = architecture - 1;
    }
    return first;
}

/* Neither does: both reasons. */
static quern_status nothing_serves(const struct quern_cuda_device *device, const quern_kernel *kernel, int variant,
                                   quern_status status, const char *ptx_reason, const char *text_reason)
{
    char none[128];
    snprintf(none, sizeof none, "it holds no PTX of sm_%d or older for %d-bit indices in the %s layout",
             device->architecture, quern_cuda_variant_bits(variant),
             quern_cuda_variant_is_linear(variant) ? "linear" : "grid");
    return quern_fail(status, "kernel '%s' cannot be had on %s: %s; and %s", kernel->name, device->info.name,
                      ptx_reason ? ptx_reason : none, text_reason);
}

quern_status quern_cuda_module_kernel(struct quern_cuda_device *device, const quern_kernel *kernel, int variant,
                                      struct quern_cuda_module **module, CUfunction *function)
{
    const quern_kernel_image *text = quern_cuda_image_text(kernel);
    char *ptx_reason, *text_reason = NULL;
    quern_status ptx = kernel_from_ptx(device, kernel, variant, module, function, &ptx_reason), status = ptx;
    if (text_may_do(ptx) && text)
        status = kernel_of(device, kernel, text, 1, variant, module, function);
    if (status != QUERN_SUCCESS && text_may_do(ptx) &&
        (!text || status == QUERN_NOT_PRESENT || status == QUERN_NOT_SUPPORTED)) {
        text_reason = text ? copy_of(quern_last_error()) : NULL;
        status = nothing_serves(device, kernel, variant, ptx, ptx_reason,
                                text_reason ? text_reason
                                : text      ? "its text cannot be compiled here"
                                            : "it holds no text for CUDA, wanted what `quern compile` makes");
    }
    free(text_reason);
    free(ptx_reason);
    return status;
}
