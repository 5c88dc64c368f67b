/* Finding the CPU build of a kernel, and what its entry takes. */
#include "kernel.h"

#include "compiler/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- kernel files, compiled once ---- */

/* Kept for good, as a changed file gets a new one. */
static struct file {
    struct file *next;
    char *path;
    int floating;
    struct stat state;
    quern_module *module;
} * files;

static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;

enum { ARGUMENTS = 64 };

/* The words of QUERN_FAKE_CUDA_ARGUMENTS in text, a copy. */
static void split(char *text, const char **arguments)
{
    size_t count = 0;
    for (char *word, *rest = text; count < ARGUMENTS - 1 && (word = strtok_r(rest, " ", &rest));)
        arguments[count++] = word;
    arguments[count] = NULL;
}

static int is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct file *find_file(const char *path, int floating, const struct stat *state)
{
    for (struct file *file = files; file; file = file->next)
        if (file->floating == floating && strcmp(file->path, path) == 0 && is_same(&file->state, state))
            return file;
    return NULL;
}

static struct file *load_file(const char *path, int floating, const struct stat *state)
{
    const char *arguments[ARGUMENTS], *wanted = getenv("QUERN_FAKE_CUDA_ARGUMENTS");
    struct file *file = calloc(1, sizeof *file);
    char *words = strdup(wanted ? wanted : ""), *copy = strdup(path);
    quern_compile_options options = {.arguments = arguments, .fp = (quern_fp_mode)floating};
    int loaded = 0;
    if (file && words && copy) {
        split(words, arguments);
        *file = (struct file){files, copy, floating, *state, NULL};
        loaded = quern_module_load(path, &options, &file->module) == QUERN_SUCCESS;
        if (!loaded)
            fake_violation("the CPU build of the kernel file fails: %s", quern_last_error());
    }
    free(words);
    if (loaded)
        return files = file;
    free(copy);
    free(file);
    return NULL;
}

static const quern_kernel *find_kernel(const struct fake_image *image, const char *name)
{
    const quern_kernel *found = NULL;
    quern_kernel *const *kernels;
    struct stat state;
    size_t count;
    if (stat(image->path, &state)) {
        fake_violation("the kernel file '%s' that an image names is not there", image->path);
        return NULL;
    }
    pthread_mutex_lock(&files_lock);
    struct file *file = find_file(image->path, image->floating, &state);
    if (!file)
        file = load_file(image->path, image->floating, &state);
    if (file) {
        quern_module_kernels(file->module, &kernels, &count);
        for (size_t i = 0; i < count; ++i)
            if (strcmp(kernels[i]->name, name) == 0)
                found = kernels[i];
        if (!found)
            fake_violation("the kernel file '%s' has no kernel '%s' that an image has", image->path, name);
    }
    pthread_mutex_unlock(&files_lock);
    return found;
}

static quern_cpu_function *function_of(const quern_kernel *kernel)
{
    for (size_t i = 0; i < kernel->image_count; ++i)
        if (strcmp(kernel->images[i].backend, "cpu") == 0 && kernel->images[i].function)
            return (quern_cpu_function *)kernel->images[i].function;
    return NULL;
}

/* ---- what an entry takes: dialect/device_abi.h ---- */

static size_t words_of(const quern_parameter *parameter)
{
    if (parameter->form == QUERN_PARAMETER_VALUE)
        return 0;
    return parameter->form >= QUERN_PARAMETER_IN_ND && parameter->form <= QUERN_PARAMETER_INOUT_ND
               ? 1 + 2 * (size_t)parameter->rank
               : 1;
}

static void add_parameter(struct fake_kernel *kernel, size_t bytes, size_t alignment, int is_pointer)
{
    size_t offset = (kernel->parameter_bytes + alignment - 1) / alignment * alignment;
    kernel->parameters[kernel->parameter_count++] = (struct fake_parameter){offset, bytes, is_pointer};
    kernel->parameter_bytes = offset + bytes;
}

static void add_parameters(struct fake_kernel *kernel)
{
    const quern_kernel *descriptor = kernel->descriptor;
    size_t word_bytes = (size_t)kernel->index_bits / 8;
    size_t dimensions = descriptor->rank < 0 ? QUERN_MAX_RANK : (size_t)descriptor->rank;
    kernel->word_count = QUERN_WORD_DIMENSIONS + QUERN_WORDS_PER_DIMENSION * dimensions;
    for (uint32_t i = 0; i < descriptor->parameter_count; ++i)
        kernel->word_count += words_of(&descriptor->parameters[i]);
    add_parameter(kernel, kernel->word_count * word_bytes, word_bytes, 0);
    for (uint32_t i = 0; i < descriptor->parameter_count; ++i) {
        const quern_parameter *parameter = &descriptor->parameters[i];
        if (parameter->form == QUERN_PARAMETER_VALUE)
            add_parameter(kernel, parameter->type.size, parameter->type.alignment, 0);
        else if (parameter->form != QUERN_PARAMETER_LOCAL)
            add_parameter(kernel, sizeof(fc_pointer), sizeof(fc_pointer), 1);
    }
}

static void add_limits(struct fake_kernel *kernel)
{
    const quern_kernel *descriptor = kernel->descriptor;
    kernel->threads = fake_settings.threads;
    if (descriptor->is_group && descriptor->group[0]) {
        kernel->threads = 1; /* __launch_bounds__ */
        for (uint32_t d = 0; d < descriptor->group_rank; ++d)
            kernel->threads = descriptor->group[d] > 1024 ? 1024 : kernel->threads * (int)descriptor->group[d];
        if (kernel->threads > 1024)
            kernel->threads = 1024; /* no device has more */
    }
    kernel->shared_bytes = (size_t)descriptor->local_bytes;
    kernel->private_bytes = (size_t)descriptor->private_bytes;
}

/* What the assembler refuses. */
static fc_result check_limits(const struct fake_kernel *kernel, const char *entry, char *log, size_t log_size)
{
    if (kernel->shared_bytes > FAKE_SHARED)
        snprintf(log, log_size, "ptxas error   : Entry function '%s' uses too much shared data (0x%zx bytes, 0x%x max)",
                 entry, kernel->shared_bytes, FAKE_SHARED);
    else if (kernel->parameter_bytes > FAKE_PARAMETER_BYTES)
        snprintf(log, log_size,
                 "ptxas error   : Formal parameter space overflowed (%zu bytes required, max %d bytes allowed) in "
                 "function %s",
                 kernel->parameter_bytes, FAKE_PARAMETER_BYTES, entry);
    else
        return FC_SUCCESS;
    return FC_ERROR_INVALID_PTX;
}

fc_result fake_kernel_new(const struct fake_image *image, const char *entry, struct fake_kernel **kernel, char *log,
                          size_t log_size)
{
    static const char prefix[] = "quern_k_";
    *kernel = NULL;
    if (!image->path || strncmp(entry, prefix, sizeof prefix - 1) != 0)
        return FC_SUCCESS; /* somebody's own code, which cannot be run */
    const quern_kernel *descriptor = find_kernel(image, entry + sizeof prefix - 1);
    if (!descriptor)
        return FC_ERROR_INVALID_IMAGE;
    struct fake_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return FC_ERROR_OUT_OF_MEMORY;
    made->descriptor = descriptor;
    made->function = function_of(descriptor);
    made->index_bits = image->index_bits;
    made->is_linear = image->is_linear;
    add_parameters(made);
    add_limits(made);
    for (size_t i = 0; i < image->count; ++i)
        if (strcmp(image->names[i], entry) == 0 && image->item_bytes[i] > made->private_bytes)
            made->private_bytes = image->item_bytes[i];
    fc_result error = made->function ? check_limits(made, entry, log, log_size) : FC_ERROR_UNKNOWN;
    if (error)
        free(made);
    else
        *kernel = made;
    return error;
}
