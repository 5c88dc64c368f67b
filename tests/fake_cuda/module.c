/* Modules, their functions, and what functions are asked and told. */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

void fake_module_free(struct fake_module *module)
{
    if (module->handle) {
        struct fake_module **link = &module->context->modules;
        while (*link != module)
            link = &(*link)->next;
        *link = module->next;
        fake_handle_drop(module->handle);
    }
    while (module->functions) {
        struct fake_function *function = module->functions;
        module->functions = function->next;
        if (function->handle)
            fake_handle_drop(function->handle);
        free(function->kernel);
        free(function);
    }
    fake_image_free(module->image);
    free(module);
}

/* Every entry's function, so that what the assembler would refuse is refused now. Without the lock. */
static fc_result add_functions(struct fake_module *module, char *log, size_t log_size)
{
    for (size_t i = 0; i < module->image->count; ++i) {
        struct fake_function *function = calloc(1, sizeof *function);
        if (!function)
            return FC_ERROR_OUT_OF_MEMORY;
        function->module = module;
        function->next = module->functions;
        module->functions = function;
        snprintf(function->name, sizeof function->name, "%s", module->image->names[i]);
        fc_result error = fake_kernel_new(module->image, function->name, &function->kernel, log, log_size);
        if (error)
            return error;
        function->largest_dynamic = FAKE_SHARED - (int)(function->kernel ? function->kernel->shared_bytes : 0);
        function->carveout = -1;
    }
    return FC_SUCCESS;
}

static fc_result enrol(struct fake_module *module, struct fake_context *context)
{
    for (struct fake_function *function = module->functions; function; function = function->next) {
        function->handle = fake_handle_make(FAKE_FUNCTION, function);
        if (!function->handle)
            return FC_ERROR_OUT_OF_MEMORY;
    }
    module->handle = fake_handle_make(FAKE_MODULE, module);
    if (!module->handle)
        return FC_ERROR_OUT_OF_MEMORY;
    module->context = context;
    module->next = context->modules;
    context->modules = module;
    return FC_SUCCESS;
}

static fc_result load(fc_module *handle, const char *data, char *log, size_t log_size)
{
    struct fake_context *context = fake_context_current();
    struct fake_module *module = calloc(1, sizeof *module);
    if (!module)
        return FC_ERROR_OUT_OF_MEMORY;
    pthread_mutex_unlock(&fake_lock); /* compilers take their time */
    fc_result error = fake_image_read(data, &module->image, log, log_size);
    if (!error)
        error = add_functions(module, log, log_size);
    pthread_mutex_lock(&fake_lock);
    if (!error)
        error = context->error ? context->error : enrol(module, context);
    if (error)
        fake_module_free(module);
    else
        *handle = module->handle;
    return error;
}

/* ---- the log ---- */

struct log_options {
    char *text;
    size_t size;
    void **size_value; /* gets the bytes that were written */
};

static fc_result read_options(unsigned count, const int *options, void **values, struct log_options *log)
{
    void *ignored_size;
    if (count && (!options || !values))
        return FC_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] < 0 || options[i] > FC_JIT_LAST)
            return FC_ERROR_INVALID_VALUE;
        if (options[i] == FC_JIT_ERROR_LOG_BUFFER)
            log->text = values[i];
        if (options[i] == FC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            log->size_value = &values[i];
            log->size = (size_t)values[i];
        }
        ignored_size = values[i];
        if (options[i] == FC_JIT_INFO_LOG_BUFFER_SIZE_BYTES && ignored_size)
            values[i] = NULL; /* nothing to say */
    }
    return log->text && !log->size ? FC_ERROR_INVALID_VALUE : FC_SUCCESS;
}

static void write_log(const struct log_options *log, const char *text)
{
    size_t written = 0;
    if (log->text)
        written = (size_t)snprintf(log->text, log->size, "%s", text);
    if (written >= log->size)
        written = log->size;
    if (log->size_value)
        *log->size_value = (void *)written;
}

static fc_result load_with_options(const char *name, fc_module *module, const void *image, unsigned count,
                                   const int *options, void **values)
{
    char text[1024] = "";
    struct log_options log = {NULL, 0, NULL};
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    error = module && image ? read_options(count, options, values, &log) : FC_ERROR_INVALID_VALUE;
    if (error)
        return fake_leave(error);
    error = load(module, image, text, sizeof text);
    write_log(&log, text);
    return fake_leave(error);
}

fc_result cuModuleLoadData(fc_module *module, const void *image)
{
    return load_with_options("cuModuleLoadData", module, image, 0, NULL, NULL);
}

fc_result cuModuleLoadDataEx(fc_module *module, const void *image, unsigned count, int *options, void **values)
{
    return load_with_options("cuModuleLoadDataEx", module, image, count, options, values);
}

/* ---- modules ---- */

static fc_result enter_module(const char *name, unsigned needs, fc_module handle, struct fake_module **module)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT | needs);
    if (error)
        return error;
    *module = fake_handle_find(FAKE_MODULE, handle);
    error = *module ? (*module)->context->error : FC_ERROR_INVALID_HANDLE;
    if (!error && (*module)->context != fake_context_current())
        error = FC_ERROR_INVALID_CONTEXT;
    return error ? fake_leave(error) : FC_SUCCESS;
}

/* Kernels that are queued still have to run: the driver waits for them. */
fc_result cuModuleUnload(fc_module handle)
{
    struct fake_module *module = NULL;
    fc_result error = enter_module("cuModuleUnload", FAKE_RELEASES, handle, &module);
    if (error)
        return error;
    struct fake_context *context = module->context;
    fake_wait_for_all(context);
    if (context->error)
        return fake_leave(context->error);
    if (fake_handle_find(FAKE_MODULE, handle) == module)
        fake_module_free(module);
    return fake_leave(FC_SUCCESS);
}

fc_result cuModuleGetFunction(fc_function *found, fc_module handle, const char *name)
{
    struct fake_module *module = NULL;
    fc_result error = enter_module("cuModuleGetFunction", 0, handle, &module);
    if (error)
        return error;
    if (!found || !name || !*name)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    for (const struct fake_function *function = module->functions; function; function = function->next)
        if (strcmp(function->name, name) == 0) {
            *found = function->handle;
            return fake_leave(FC_SUCCESS);
        }
    return fake_leave(FC_ERROR_NOT_FOUND);
}

/* ---- functions ---- */

static fc_result enter_function(const char *name, fc_function handle, struct fake_function **function)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    *function = fake_handle_find(FAKE_FUNCTION, handle);
    error = *function ? (*function)->module->context->error : FC_ERROR_INVALID_HANDLE;
    return error ? fake_leave(error) : FC_SUCCESS;
}

fc_result cuFuncGetAttribute(int *value, int attribute, fc_function handle)
{
    struct fake_function *function = NULL;
    fc_result error = enter_function("cuFuncGetAttribute", handle, &function);
    if (error)
        return error;
    const struct fake_kernel *kernel = function->kernel;
    const int values[] = {
        [FC_FUNC_MAX_THREADS_PER_BLOCK] = kernel ? kernel->threads : 1024,
        [FC_FUNC_SHARED_SIZE_BYTES] = kernel ? (int)kernel->shared_bytes : 0,
        [FC_FUNC_CONST_SIZE_BYTES] = 0,
        [FC_FUNC_LOCAL_SIZE_BYTES] = kernel ? (int)kernel->private_bytes : 0,
        [FC_FUNC_NUM_REGS] = 32,
        [FC_FUNC_PTX_VERSION] = 80,
        [FC_FUNC_BINARY_VERSION] = fake_settings.architecture,
        [FC_FUNC_CACHE_MODE_CA] = 0,
        [FC_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES] = function->largest_dynamic,
        [FC_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT] = function->carveout,
    };
    if (!value || attribute < 0 || attribute >= (int)(sizeof values / sizeof values[0]))
        return fake_leave(FC_ERROR_INVALID_VALUE);
    *value = values[attribute];
    return fake_leave(FC_SUCCESS);
}

fc_result cuFuncSetAttribute(fc_function handle, int attribute, int value)
{
    struct fake_function *function = NULL;
    fc_result error = enter_function("cuFuncSetAttribute", handle, &function);
    if (error)
        return error;
    int fixed = function->kernel ? (int)function->kernel->shared_bytes : 0;
    if (attribute == FC_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 && value <= FAKE_SHARED_OPTIN - fixed)
        function->largest_dynamic = value;
    else if (attribute == FC_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT && value >= -1 && value <= 100)
        function->carveout = value;
    else
        return fake_leave(FC_ERROR_INVALID_VALUE);
    return fake_leave(FC_SUCCESS);
}

fc_result cuFuncSetCacheConfig(fc_function handle, int configuration)
{
    struct fake_function *function = NULL;
    fc_result error = enter_function("cuFuncSetCacheConfig", handle, &function);
    if (error)
        return error;
    return fake_leave(configuration >= 0 && configuration <= 3 ? FC_SUCCESS : FC_ERROR_INVALID_VALUE);
}
