/*
 * What the tests of the OpenCL backend have in common: starting it under a small front end, with the real loader or the
 * stand-in of tests/opencl_shim; queues, memory, and kernels whose text is written by hand after
 * dialect/device_abi.h.
 */
#ifndef QUERN_TESTS_OPENCL_FIXTURE_H
#define QUERN_TESTS_OPENCL_FIXTURE_H

#include "cpu_fake_host.h"

#include "../opencl_shim/opencl_shim.h"
#include "backend/opencl/opencl_backend.h"
#include "runtime/layout.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the cache: one entry, kept in memory ---- */

struct fake_cache {
    void *key, *data;
    size_t key_size, size;
    int loads, hits, stores;
    int refuse_store;
};
static struct fake_cache fake_cache;

static inline void fake_cache_clear(void)
{
    free(fake_cache.key);
    free(fake_cache.data);
    memset(&fake_cache, 0, sizeof fake_cache);
}

static inline quern_status fake_cache_load(const char *key, size_t key_size, void **data, size_t *size)
{
    ++fake_cache.loads;
    if (!fake_cache.key || fake_cache.key_size != key_size || memcmp(fake_cache.key, key, key_size) != 0)
        return quern_fail(QUERN_NOT_FOUND, "no entry");
    ++fake_cache.hits;
    *size = fake_cache.size;
    *data = malloc(fake_cache.size ? fake_cache.size : 1);
    memcpy(*data, fake_cache.data, fake_cache.size);
    return QUERN_SUCCESS;
}

static inline quern_status fake_cache_store(const char *key, size_t key_size, const void *data, size_t size)
{
    ++fake_cache.stores;
    if (fake_cache.refuse_store)
        return quern_fail(QUERN_FILE_ERROR, "the disk is full");
    free(fake_cache.key);
    free(fake_cache.data);
    fake_cache.key = memcpy(malloc(key_size), key, key_size);
    fake_cache.data = memcpy(malloc(size), data, size);
    fake_cache.key_size = key_size;
    fake_cache.size = size;
    return QUERN_SUCCESS;
}

/* ---- starting ---- */

static quern_backend_host opencl_host;

static inline quern_status opencl_start(void)
{
    opencl_host = fake_host;
    opencl_host.layout = quern_launch_choose_layout;
    opencl_host.group_size = quern_launch_default_group;
    opencl_host.cache_load = fake_cache_load;
    opencl_host.cache_store = fake_cache_store;
    /* ctest has said so; run by hand, what PoCL compiles goes where the build is, not to the user's home. */
    setenv("POCL_CACHE_DIR", QUERN_BINARY_DIR "/test-cache/pocl", 0);
    return quern_opencl_backend.start(&opencl_host);
}

/* 1 when this machine has a device for the tests; else the reason is printed, and the test has to call skip(). */
static inline int opencl_is_here(void)
{
    quern_status status = opencl_start();
    if (status == QUERN_SUCCESS)
        return 1;
    if (status != QUERN_NOT_PRESENT)
        fail_msg("%s: %s", quern_status_name(status), quern_last_error());
    print_message("skipped: %s\n", quern_last_error());
    return 0;
}

static inline void opencl_stop(void)
{
    quern_opencl_backend.stop();
}

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        quern_status ok_status = (call);                                                                               \
        if (ok_status != QUERN_SUCCESS)                                                                                \
            fail_msg("%s: %s: %s", #call, quern_status_name(ok_status), quern_last_error());                           \
    } while (0)

/* The call gives that status and a sentence with the words in it, parted by |. */
static inline void refused_at(quern_status status, quern_status wanted, const char *words, const char *file, int line)
{
    char copy[256];
    if (status != wanted) {
        print_error("gave %s (%s), wanted %s\n", quern_status_name(status), quern_last_error(),
                    quern_status_name(wanted));
        _fail(file, line);
    }
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(quern_last_error(), word)) {
            print_error("the sentence \"%s\" lacks \"%s\"\n", quern_last_error(), word);
            _fail(file, line);
        }
}
#define REFUSED(call, wanted, words) refused_at((call), wanted, words, __FILE__, __LINE__)

/* ---- the stand-in ---- */

/* Everything as it really is, from now on. */
static inline void opencl_shim_rest(struct quern_opencl_shim *shim)
{
    if (!shim) /* skip() does not return, but the compiler does not know */
        return;
    shim->fail_function = NULL;
    shim->fail_at = shim->vanish_at = 0;
    shim->fail_error = CL_OUT_OF_RESOURCES;
    shim->no_platform = shim->no_device = shim->unavailable = shim->no_compiler = shim->no_fp64 = shim->is_gpu = 0;
    shim->old_version = 0;
    shim->is_frozen = 0;
    shim->callback_delay = 0;
    shim->parameter_bytes = shim->allocation_bytes = shim->group_items = 0;
    shim->extensions = NULL;
    shim->priority = 0;
    shim->broken_at = 0;
    shim->broken = NULL;
    shim->calls = shim->matching_calls = shim->commands = shim->texts = shim->binaries = 0;
}

/* Has start load the stand-in; NULL when there is no OpenCL, with the reason printed. All its controls are at rest. */
static inline struct quern_opencl_shim *opencl_shim(void)
{
    const char *path = QUERN_BINARY_DIR "/tests/bin/opencl_shim.so";
    void *real = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!real) {
        print_message("skipped: there is no OpenCL loader: %s\n", dlerror());
        return NULL;
    }
    dlclose(real);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("the stand-in for the loader is not there: %s", dlerror());
    quern_opencl_shim_function *function;
    void *found = dlsym(library, QUERN_OPENCL_SHIM);
    memcpy(&function, &found, sizeof found);
    struct quern_opencl_shim *shim = function();
    setenv("QUERN_OPENCL_LIBRARY", path, 1);
    opencl_shim_rest(shim);
    if (!opencl_is_here())
        return NULL;
    opencl_stop();
    return shim; /* it stays loaded, so that its counters last */
}

/* The call number at from now of that function (NULL: of any) fails. */
static inline void opencl_shim_fail(struct quern_opencl_shim *shim, const char *function, long at, cl_int error)
{
    shim->matching_calls = 0;
    shim->failed = NULL;
    shim->fail_function = function;
    shim->fail_error = error;
    shim->fail_at = at;
}

/* The command number at from now ends with the status. */
static inline void opencl_shim_break(struct quern_opencl_shim *shim, long at, cl_int status)
{
    shim->commands = 0;
    shim->broken = NULL;
    shim->broken_status = status;
    shim->broken_at = at;
}

/* From the call number at from now on every call fails. */
static inline void opencl_shim_vanish(struct quern_opencl_shim *shim, long at)
{
    shim->calls = 0;
    shim->vanish_at = at;
}

static inline void opencl_shim_nothing_left(struct quern_opencl_shim *shim)
{
    assert_int_equal(shim->contexts, 0);
    assert_int_equal(shim->queues, 0);
    assert_int_equal(shim->buffers, 0);
    assert_int_equal(shim->programs, 0);
    assert_int_equal(shim->kernels, 0);
    assert_int_equal(shim->events, 0);
    assert_int_equal(shim->unified, 0);
}

/* Stops, with nothing left over; later starts have the real loader. */
static inline void opencl_shim_end(struct quern_opencl_shim *shim)
{
    opencl_stop();
    opencl_shim_nothing_left(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* ---- devices, queues, memory ---- */

static inline void *opencl_device(void)
{
    void *device = NULL;
    OK(quern_opencl_backend.device_open(0, &device));
    return device;
}

static inline void opencl_queue(struct fake_progress *progress, void *device, int blocking)
{
    quern_queue_options options = {blocking, 0, NULL};
    fake_progress_make(progress);
    OK(quern_opencl_backend.queue_create(device, &options, fake_handle(progress), &progress->queue));
}

/* As the front end does: a command that failed still finishes its number. */
static inline quern_status opencl_end(struct fake_progress *progress, quern_status status)
{
    if (status != QUERN_SUCCESS) {
        fake_failed(fake_handle(progress), progress->submitted, status, "a command", quern_last_error());
        assert_int_equal(quern_opencl_backend.signal(progress->queue, progress->submitted), QUERN_SUCCESS);
    }
    return status;
}

/* Waits, and takes the failure that sticks off the queue. */
static inline quern_status opencl_synchronize(struct fake_progress *progress)
{
    assert_int_equal(quern_opencl_backend.help(progress->queue, progress->submitted), QUERN_SUCCESS);
    assert_true(atomic_load(&progress->finished) >= progress->submitted);
    quern_status status = (quern_status)atomic_exchange(&progress->status, 0);
    return status ? quern_fail(status, "%s: %s", progress->what, progress->sentence) : QUERN_SUCCESS;
}

static inline void opencl_queue_end(struct fake_progress *progress)
{
    (void)opencl_synchronize(progress);
    quern_opencl_backend.queue_destroy(progress->queue);
    pthread_mutex_destroy(&progress->mutex);
}

static inline void *opencl_memory(void *device, size_t bytes)
{
    void *memory = NULL;
    OK(quern_opencl_backend.allocate(device, bytes, 64, QUERN_MEMORY_DEVICE, &memory));
    return memory;
}

static inline void opencl_free(void *device, void *memory, size_t bytes)
{
    quern_opencl_backend.free(device, memory, bytes, QUERN_MEMORY_DEVICE);
}

/* A copy of packed bytes between device memory and the host; exactly one of memory and host is the target. */
static inline quern_backend_copy opencl_bytes(void *target, void *target_memory, const void *source,
                                              const void *source_memory, size_t bytes)
{
    quern_backend_copy copy;
    memset(&copy, 0, sizeof copy);
    copy.target = target;
    copy.source = source;
    copy.target_memory = target_memory;
    copy.source_memory = source_memory;
    copy.rank = 1;
    copy.element_size = 1;
    copy.extents[0] = bytes;
    copy.target_pitches[0] = copy.source_pitches[0] = 1;
    copy.target_is_host = !target_memory;
    copy.source_is_host = !source_memory;
    return copy;
}

static inline quern_status opencl_copy(struct fake_progress *progress, const quern_backend_copy *copy)
{
    return opencl_end(progress, quern_opencl_backend.copy(progress->queue, ++progress->submitted, copy));
}

static inline quern_status opencl_write(struct fake_progress *progress, void *memory, const void *host, size_t bytes)
{
    quern_backend_copy copy = opencl_bytes(memory, memory, host, NULL, bytes);
    return opencl_copy(progress, &copy);
}

static inline quern_status opencl_read(struct fake_progress *progress, void *host, void *memory, size_t bytes)
{
    quern_backend_copy copy = opencl_bytes(host, NULL, memory, memory, bytes);
    return opencl_copy(progress, &copy);
}

/* ---- kernels ---- */

#define FIXTURE_TEXT_TYPES                                                                                             \
    "#if QUERN_INDEX_BITS == 32\n"                                                                                     \
    "typedef int quern_index;\n"                                                                                       \
    "#else\n"                                                                                                          \
    "typedef long quern_index;\n"                                                                                      \
    "#endif\n"                                                                                                         \
    "#pragma OPENCL FP_CONTRACT OFF\n"

/* The items that an item of the grid takes along dimension k: a loop of i from begin to end by step. */
#define FIXTURE_TEXT_LOOP                                                                                              \
    "#if QUERN_CONTIGUOUS\n"                                                                                           \
    "#define LOOP(i, k, extent, piece) \\\n"                                                                           \
    "  for (quern_index i = min((long)get_global_id(k) * (piece), (long)(extent)), \\\n"                               \
    "                   i##_end = min((long)i + (piece), (long)(extent)); i < i##_end; ++i)\n"                         \
    "#else\n"                                                                                                          \
    "#define LOOP(i, k, extent, piece) \\\n"                                                                           \
    "  for (quern_index i = get_global_id(k); i < (extent); i += get_global_size(k))\n"                                \
    "#endif\n"

/* axpy: y[i] += a * x[i], over a range of rank 1. */
static const char axpy_text[] = FIXTURE_TEXT_TYPES FIXTURE_TEXT_LOOP
    "typedef struct { quern_index w[9]; } axpy_words;\n"
    "__kernel void quern_k_axpy(axpy_words q, __global const char *xm, __global char *ym, float a)\n"
    "{\n"
    "  __global const float *x = (__global const float *)(xm + q.w[7]);\n"
    "  __global float *y = (__global float *)(ym + q.w[8]);\n"
    "  LOOP (i, 0, q.w[0], q.w[1])\n"
    "    y[i + q.w[4]] += a * x[i + q.w[4]];\n"
    "}\n";

/* mark: out[y][x] = 1000 y + x + the width of an index, with the offsets, over a range of rank 2. */
static const char mark_text[] = FIXTURE_TEXT_TYPES FIXTURE_TEXT_LOOP
    "typedef struct { quern_index w[16]; } mark_words;\n"
    "__kernel void quern_k_mark(mark_words q, __global char *out)\n"
    "{\n"
    "#if QUERN_LINEAR\n"
    "  LOOP (i, 0, q.w[0], q.w[1]) {\n"
    "    quern_index y = i / q.w[3] + q.w[8], x = i % q.w[3] + q.w[4];\n"
    "#else\n"
    "  LOOP (j, 1, q.w[7], q.w[9]) LOOP (i, 0, q.w[3], q.w[5]) {\n"
    "    quern_index y = j + q.w[8], x = i + q.w[4];\n"
    "#endif\n"
    "    *(__global int *)(out + q.w[11] + y * q.w[14] + x * q.w[15]) = 1000 * y + x + QUERN_INDEX_BITS;\n"
    "  }\n"
    "}\n";

/* sums: the sum of each group's elements, over a range of rank 1, with groups of any size. */
static const char sums_text[] = FIXTURE_TEXT_TYPES
    "typedef struct { quern_index w[9]; } sums_words;\n"
    "__kernel void quern_k_sums(sums_words q, __global const char *in, __global char *out, __local int *tile)\n"
    "{\n"
    "  int i = get_local_id(0), n = get_local_size(0);\n"
    "  long item = get_global_id(0);\n"
    "  tile[i] = item < q.w[3] ? ((__global const int *)(in + q.w[7]))[item] : 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (i == 0) {\n"
    "    int sum = 0;\n"
    "    for (int k = 0; k < n; ++k)\n"
    "      sum += tile[k];\n"
    "    ((__global int *)(out + q.w[8]))[get_group_id(0)] = sum + 1000000 * (q.w[6] != get_num_groups(0));\n"
    "  }\n"
    "}\n";

struct opencl_kernel {
    quern_kernel kernel;
    quern_kernel_image image;
    quern_kernel_limits limits;
    void *compiled, *device;
};

static inline quern_status opencl_build(struct opencl_kernel *kernel, void *device, const char *name, const char *text,
                                        int rank, int group_rank)
{
    memset(kernel, 0, sizeof *kernel);
    kernel->image = (quern_kernel_image){"opencl", "opencl-c-1.2 strict", NULL, text, strlen(text)};
    kernel->kernel.version = QUERN_KERNEL_VERSION;
    kernel->kernel.name = name;
    kernel->kernel.file = "author.k.c";
    kernel->kernel.rank = rank;
    kernel->kernel.is_group = group_rank != 0;
    kernel->kernel.group_rank = (uint32_t)group_rank;
    kernel->kernel.images = &kernel->image;
    kernel->kernel.image_count = 1;
    kernel->device = device;
    return quern_opencl_backend.kernel_build(device, &kernel->kernel, &kernel->compiled, &kernel->limits);
}

static inline void opencl_release(struct opencl_kernel *kernel)
{
    quern_opencl_backend.kernel_release(kernel->device, kernel->compiled);
}

static inline quern_backend_launch opencl_launch_of(const struct opencl_kernel *kernel, uint32_t rank,
                                                    const size_t *extents, const size_t *group,
                                                    const quern_backend_argument *arguments, size_t count)
{
    quern_backend_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.kernel = &kernel->kernel;
    launch.compiled = kernel->compiled;
    launch.rank = rank;
    launch.items = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        launch.extents[d] = extents[d];
        launch.items *= extents[d];
        if (group) {
            launch.group[d] = group[d];
            launch.groups[d] = (extents[d] + group[d] - 1) / group[d];
        }
    }
    launch.argument_count = count;
    launch.arguments = arguments;
    return launch;
}

static inline quern_backend_argument opencl_view(void *memory, size_t offset, size_t elements, uint32_t size)
{
    static const ptrdiff_t four = 4;
    static _Thread_local size_t lengths[16];
    static _Thread_local unsigned turn;
    quern_backend_argument argument;
    memset(&argument, 0, sizeof argument);
    argument.form = QUERN_PARAMETER_INOUT;
    argument.size = size;
    argument.memory = memory;
    argument.address = (char *)memory + offset;
    argument.rank = 1;
    argument.length = elements;
    lengths[++turn % 16] = elements;
    argument.extents = &lengths[turn % 16];
    argument.pitches = &four;
    return argument;
}

static inline quern_backend_argument opencl_value(void *value, uint32_t size)
{
    quern_backend_argument argument;
    memset(&argument, 0, sizeof argument);
    argument.form = QUERN_PARAMETER_VALUE;
    argument.size = size;
    argument.address = value;
    return argument;
}

static inline quern_backend_argument opencl_local(size_t length, uint32_t size)
{
    quern_backend_argument argument;
    memset(&argument, 0, sizeof argument);
    argument.form = QUERN_PARAMETER_LOCAL;
    argument.size = size;
    argument.length = length;
    return argument;
}

static inline quern_status opencl_launch(struct fake_progress *progress, const quern_backend_launch *launch)
{
    return opencl_end(progress, quern_opencl_backend.launch(progress->queue, ++progress->submitted, launch));
}

/* y += a x over n floats. */
static inline quern_status opencl_axpy(struct fake_progress *progress, const struct opencl_kernel *kernel, void *x,
                                       void *y, float a, size_t n)
{
    quern_backend_argument arguments[3] = {opencl_view(x, 0, n, 4), opencl_view(y, 0, n, 4), opencl_value(&a, 4)};
    arguments[0].form = QUERN_PARAMETER_IN;
    quern_backend_launch launch = opencl_launch_of(kernel, 1, &n, NULL, arguments, 3);
    return opencl_launch(progress, &launch);
}

#endif
