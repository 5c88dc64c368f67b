/*
 * For tests of queues of backends for devices: an array on the device that kernels add to, so that it tells which of
 * them have run. Who includes this defines adder_build, which builds the kernel axpy.
 */
#ifndef QUERN_TESTS_DEVICE_ADDER_H
#define QUERN_TESTS_DEVICE_ADDER_H

#include "device_fixture.h"

#include <sched.h>

static quern_status adder_build(struct fixture_kernel *kernel, void *device);

enum { COUNT = 1000, BYTES = COUNT * 4 };

struct adder {
    struct fake_progress progress;
    struct fixture_kernel kernel;
    void *device, *x, *y;
};

static inline void adder_make(struct adder *adder, int blocking)
{
    float zeros[COUNT] = {0}, ones[COUNT];
    for (int i = 0; i < COUNT; ++i)
        ones[i] = 1;
    adder->device = fixture_device();
    OK(adder_build(&adder->kernel, adder->device));
    fixture_queue(&adder->progress, adder->device, blocking);
    adder->x = fixture_memory(adder->device, BYTES);
    adder->y = fixture_memory(adder->device, BYTES);
    OK(fixture_write(&adder->progress, adder->x, ones, BYTES));
    OK(fixture_write(&adder->progress, adder->y, zeros, BYTES));
    OK(fixture_synchronize(&adder->progress));
}

static inline quern_status add(struct adder *adder, float a)
{
    return fixture_axpy(&adder->progress, &adder->kernel, adder->x, adder->y, a, COUNT);
}

static inline void adder_check(struct adder *adder, float wanted)
{
    float found[COUNT];
    OK(fixture_read(&adder->progress, found, adder->y, BYTES));
    OK(fixture_synchronize(&adder->progress));
    for (int i = 0; i < COUNT; ++i)
        assert_true(found[i] == wanted);
}

static inline void adder_free(struct adder *adder)
{
    fixture_queue_end(&adder->progress);
    fixture_free(adder->device, adder->x, BYTES);
    fixture_free(adder->device, adder->y, BYTES);
    fixture_release(&adder->kernel);
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
    OK(fixture_backend->record(progress->queue, ++progress->submitted, (quern_event *)(void *)event));
    return event;
}

#endif
