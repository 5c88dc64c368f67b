/*
 * For tests of queues of the OpenCL backend: an array on the device that kernels add to, so that it tells which of them
 * have run.
 */
#ifndef QUERN_TESTS_OPENCL_ADDER_H
#define QUERN_TESTS_OPENCL_ADDER_H

#include "opencl_fixture.h"

#include <sched.h>

enum { COUNT = 1000, BYTES = COUNT * 4 };

struct adder {
    struct fake_progress progress;
    struct opencl_kernel kernel;
    void *device, *x, *y;
};

static inline void adder_make(struct adder *adder, int blocking)
{
    float zeros[COUNT] = {0}, ones[COUNT];
    for (int i = 0; i < COUNT; ++i)
        ones[i] = 1;
    adder->device = opencl_device();
    OK(opencl_build(&adder->kernel, adder->device, "axpy", axpy_text, 1, 0));
    opencl_queue(&adder->progress, adder->device, blocking);
    adder->x = opencl_memory(adder->device, BYTES);
    adder->y = opencl_memory(adder->device, BYTES);
    OK(opencl_write(&adder->progress, adder->x, ones, BYTES));
    OK(opencl_write(&adder->progress, adder->y, zeros, BYTES));
    OK(opencl_synchronize(&adder->progress));
}

static inline quern_status add(struct adder *adder, float a)
{
    return opencl_axpy(&adder->progress, &adder->kernel, adder->x, adder->y, a, COUNT);
}

static inline void adder_check(struct adder *adder, float wanted)
{
    float found[COUNT];
    OK(opencl_read(&adder->progress, found, adder->y, BYTES));
    OK(opencl_synchronize(&adder->progress));
    for (int i = 0; i < COUNT; ++i)
        assert_true(found[i] == wanted);
}

static inline void adder_free(struct adder *adder)
{
    opencl_queue_end(&adder->progress);
    opencl_free(adder->device, adder->x, BYTES);
    opencl_free(adder->device, adder->y, BYTES);
    opencl_release(&adder->kernel);
}

/* Until the number has finished, without a call of the backend. */
static inline void wait_idly(struct fake_progress *progress, uint64_t number)
{
    while (atomic_load(&progress->finished) < number)
        sched_yield();
}

static inline struct fake_event *record(struct fake_progress *progress, struct fake_event *event)
{
    memset(event, 0, sizeof *event);
    event->references = 1;
    event->progress = progress;
    OK(quern_opencl_backend.record(progress->queue, ++progress->submitted, (quern_event *)(void *)event));
    return event;
}

#endif
