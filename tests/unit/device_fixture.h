/*
 * What the tests of the backends for devices have in common: a small front end with a cache, queues, memory, arguments
 * and launches, on the backend that fixture_backend is.
 */
#ifndef QUERN_TESTS_DEVICE_FIXTURE_H
#define QUERN_TESTS_DEVICE_FIXTURE_H

#include "cpu_fake_host.h"

#include "runtime/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static const quern_backend *fixture_backend;

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

static quern_backend_host fixture_host;

static inline quern_status fixture_start(const quern_backend *backend)
{
    fixture_backend = backend;
    fixture_host = fake_host;
    fixture_host.layout = quern_launch_choose_layout;
    fixture_host.group_size = quern_launch_default_group;
    fixture_host.cache_load = fake_cache_load;
    fixture_host.cache_store = fake_cache_store;
    return backend->start(&fixture_host);
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

/* ---- devices, queues, memory ---- */

/* The first that can be used. */
static inline void *fixture_device(void)
{
    void *device = NULL;
    size_t count = 0;
    quern_status status = QUERN_NOT_PRESENT;
    OK(fixture_backend->device_count(&count));
    for (size_t i = 0; status != QUERN_SUCCESS && i < count; ++i)
        status = fixture_backend->device_open(i, &device);
    OK(status);
    return device;
}

static inline void fixture_queue(struct fake_progress *progress, void *device, int blocking)
{
    quern_queue_options options = {blocking, 0, NULL};
    fake_progress_make(progress);
    OK(fixture_backend->queue_create(device, &options, fake_handle(progress), &progress->queue));
}

/* As the front end does: a command that failed still finishes its number. */
static inline quern_status fixture_end(struct fake_progress *progress, quern_status status)
{
    if (status != QUERN_SUCCESS) {
        fake_failed(fake_handle(progress), progress->submitted, status, "a command", quern_last_error());
        assert_int_equal(fixture_backend->signal(progress->queue, progress->submitted), QUERN_SUCCESS);
    }
    return status;
}

/* Waits, and takes the failure that sticks off the queue. */
static inline quern_status fixture_synchronize(struct fake_progress *progress)
{
    assert_int_equal(fixture_backend->help(progress->queue, progress->submitted), QUERN_SUCCESS);
    assert_true(atomic_load(&progress->finished) >= progress->submitted);
    quern_status status = (quern_status)atomic_exchange(&progress->status, 0);
    return status ? quern_fail(status, "%s: %s", progress->what, progress->sentence) : QUERN_SUCCESS;
}

static inline void fixture_queue_end(struct fake_progress *progress)
{
    (void)fixture_synchronize(progress);
    fixture_backend->queue_destroy(progress->queue);
    pthread_mutex_destroy(&progress->mutex);
}

static inline void *fixture_memory(void *device, size_t bytes)
{
    void *memory = NULL;
    OK(fixture_backend->allocate(device, bytes, 64, QUERN_MEMORY_DEVICE, &memory));
    return memory;
}

static inline void fixture_free(void *device, void *memory, size_t bytes)
{
    fixture_backend->free(device, memory, bytes, QUERN_MEMORY_DEVICE);
}

/* A copy of packed bytes between device memory and the host; exactly one of memory and host is the target. */
static inline quern_backend_copy fixture_bytes(void *target, void *target_memory, const void *source,
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

static inline quern_status fixture_copy(struct fake_progress *progress, const quern_backend_copy *copy)
{
    return fixture_end(progress, fixture_backend->copy(progress->queue, ++progress->submitted, copy));
}

static inline quern_status fixture_write(struct fake_progress *progress, void *memory, const void *host, size_t bytes)
{
    quern_backend_copy copy = fixture_bytes(memory, memory, host, NULL, bytes);
    return fixture_copy(progress, &copy);
}

static inline quern_status fixture_read(struct fake_progress *progress, void *host, void *memory, size_t bytes)
{
    quern_backend_copy copy = fixture_bytes(host, NULL, memory, memory, bytes);
    return fixture_copy(progress, &copy);
}

/* ---- kernels ---- */

struct fixture_kernel {
    quern_kernel kernel;
    quern_kernel_image image;
    quern_kernel_limits limits;
    void *compiled, *device;
};

static inline void fixture_release(struct fixture_kernel *kernel)
{
    fixture_backend->kernel_release(kernel->device, kernel->compiled);
}

static inline quern_backend_launch fixture_launch_of(const struct fixture_kernel *kernel, uint32_t rank,
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

static inline quern_backend_argument fixture_view(void *memory, size_t offset, size_t elements, uint32_t size)
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

static inline quern_backend_argument fixture_value(void *value, uint32_t size)
{
    quern_backend_argument argument;
    memset(&argument, 0, sizeof argument);
    argument.form = QUERN_PARAMETER_VALUE;
    argument.size = size;
    argument.address = value;
    return argument;
}

static inline quern_backend_argument fixture_local(size_t length, uint32_t size)
{
    quern_backend_argument argument;
    memset(&argument, 0, sizeof argument);
    argument.form = QUERN_PARAMETER_LOCAL;
    argument.size = size;
    argument.length = length;
    return argument;
}

static inline quern_status fixture_launch(struct fake_progress *progress, const quern_backend_launch *launch)
{
    return fixture_end(progress, fixture_backend->launch(progress->queue, ++progress->submitted, launch));
}

/* y += a x over n floats. */
static inline quern_status fixture_axpy(struct fake_progress *progress, const struct fixture_kernel *kernel, void *x,
                                        void *y, float a, size_t n)
{
    quern_backend_argument arguments[3] = {fixture_view(x, 0, n, 4), fixture_view(y, 0, n, 4), fixture_value(&a, 4)};
    arguments[0].form = QUERN_PARAMETER_IN;
    quern_backend_launch launch = fixture_launch_of(kernel, 1, &n, NULL, arguments, 3);
    return fixture_launch(progress, &launch);
}

#endif
