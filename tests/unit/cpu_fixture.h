/* What the tests of the CPU backend have in common: starting it with so many threads, queues, kernels and launches. */
#ifndef QUERN_TESTS_CPU_FIXTURE_H
#define QUERN_TESTS_CPU_FIXTURE_H

#include "cpu_fake_host.h"

#include "backend/cpu/cpu_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Starts the backend. As many workers as there are take part in launches, whatever the machine has. */
static inline void fixture_start(unsigned threads, unsigned devices)
{
    char text[16];
    snprintf(text, sizeof text, "%u", threads);
    setenv("QUERN_CPU_THREADS", text, 1);
    snprintf(text, sizeof text, "%u", devices);
    setenv("QUERN_CPU_DEVICES", text, 1);
    assert_int_equal(quern_cpu_backend.start(&fake_host), QUERN_SUCCESS);
    quern_cpu_pool_set_cpus(threads + 1);
}

static inline void *fixture_device(size_t index)
{
    void *device = NULL;
    assert_int_equal(quern_cpu_backend.device_open(index, &device), QUERN_SUCCESS);
    return device;
}

static inline void fixture_queue(struct fake_progress *progress, void *device, int blocking)
{
    quern_queue_options options = {blocking, 0, NULL};
    fake_progress_make(progress);
    assert_int_equal(quern_cpu_backend.queue_create(device, &options, fake_handle(progress), &progress->queue),
                     QUERN_SUCCESS);
}

/* A kernel of one image. */
struct fixture_kernel {
    quern_kernel kernel;
    quern_kernel_image image;
    void *compiled, *device;
};

static inline void fixture_build(struct fixture_kernel *kernel, void *device, const char *name,
                                 quern_cpu_function *function, int is_group)
{
    quern_kernel_limits limits;
    memset(kernel, 0, sizeof *kernel);
    kernel->image = (quern_kernel_image){"cpu", "generic", (void (*)(void))function, NULL, 0};
    kernel->kernel.version = QUERN_KERNEL_VERSION;
    kernel->kernel.name = name;
    kernel->kernel.is_group = (uint32_t)is_group;
    kernel->kernel.images = &kernel->image;
    kernel->kernel.image_count = 1;
    kernel->device = device;
    assert_int_equal(quern_cpu_backend.kernel_build(device, &kernel->kernel, &kernel->compiled, &limits),
                     QUERN_SUCCESS);
}

static inline void fixture_release(struct fixture_kernel *kernel)
{
    quern_cpu_backend.kernel_release(kernel->device, kernel->compiled);
}

/* A launch over extents, slowest first; group may be NULL. */
static inline quern_backend_launch fixture_launch(const struct fixture_kernel *kernel, uint32_t rank,
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

static inline quern_backend_argument fixture_view(void *address, uint32_t size)
{
    quern_backend_argument argument;
    memset(&argument, 0, sizeof argument);
    argument.form = QUERN_PARAMETER_INOUT;
    argument.size = size;
    argument.address = address;
    argument.rank = 1;
    return argument;
}

static inline quern_backend_argument fixture_value(void *address, uint32_t size)
{
    quern_backend_argument argument = fixture_view(address, size);
    argument.form = QUERN_PARAMETER_VALUE;
    argument.rank = 0;
    return argument;
}

static inline quern_status fixture_submit(struct fake_progress *progress, const quern_backend_launch *launch)
{
    return quern_cpu_backend.launch(progress->queue, ++progress->submitted, launch);
}

static inline void fixture_synchronize(struct fake_progress *progress)
{
    assert_int_equal(quern_cpu_backend.help(progress->queue, progress->submitted), QUERN_SUCCESS);
    assert_true(atomic_load(&progress->finished) >= progress->submitted);
}

static inline void fixture_destroy(struct fake_progress *progress)
{
    fixture_synchronize(progress);
    quern_cpu_backend.queue_destroy(progress->queue);
    pthread_mutex_destroy(&progress->mutex);
}

#endif
