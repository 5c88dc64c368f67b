/* What the tests of memory in the order of a queue share: backends that count and refuse allocations, and helpers. */
#ifndef QUERN_TEST_POOL_TEST_H
#define QUERN_TEST_POOL_TEST_H

#include <time.h>

#include "queue_test.h"

#include "runtime/pool.h"

/* ---- backends ---- */

static _Atomic long ordered, plain; /* allocations by queue_allocate and by allocate */
static _Atomic long scarce_left = 1000000;
static _Atomic int refuse_ordered;

static quern_status counting_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                      void **memory)
{
    if (atomic_fetch_sub(&scarce_left, 1) <= 0) {
        atomic_fetch_add(&scarce_left, 1);
        return (variant_host->fail)(QUERN_OUT_OF_MEMORY, "the device has no %zu bytes left", bytes);
    }
    quern_status status = variant_allocate(device, bytes, alignment, kind, memory);
    atomic_fetch_add(&plain, status == QUERN_SUCCESS && kind == QUERN_MEMORY_DEVICE);
    return status;
}

static void counting_free(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    variant_free(device, memory, bytes, kind);
    atomic_fetch_add(&scarce_left, 1);
}

static quern_status queue_allocate(void *queue, uint64_t number, size_t bytes, size_t alignment, void **memory)
{
    variant_command *command = new_command(queue, number, SIGNAL); /* a command that does nothing */
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    quern_status status = atomic_load(&refuse_ordered)
                              ? (variant_host->fail)(QUERN_OUT_OF_MEMORY, "the stream has no %zu bytes left", bytes)
                              : counting_allocate(NULL, bytes, alignment, QUERN_MEMORY_QUEUE, memory);
    if (status != QUERN_SUCCESS) {
        free(command);
        atomic_fetch_sub(&((variant_queue *)queue)->entered, 1);
        return status;
    }
    atomic_fetch_add(&ordered, 1);
    return push_command(queue, command);
}

VARIANT(scarce, 0, 0, 1, .help = NULL);
VARIANT(ordering, 0, 0, 1, .wait = variant_wait, .call = variant_call, .queue_allocate = queue_allocate);
VARIANT(holding, 0, 0, 1, .queue_allocate = queue_allocate);

static const char *const devices[] = {"cpu:0", "scarce:0", "ordering:0", "holding:0"};
enum { DEVICES = sizeof devices / sizeof *devices };

static int add_backends(void **state)
{
    static quern_backend tables[3];
    tables[0] = scarce_backend;
    tables[1] = ordering_backend;
    tables[2] = holding_backend;
    for (int i = 0; i < 3; ++i) {
        tables[i].allocate = counting_allocate;
        tables[i].free = counting_free;
        ok(quern_backends_add(&tables[i], NULL, "the test"));
    }
    return add_variants(state);
}

/* ---- helpers ---- */

static inline quern_buffer *make_on(quern_queue *queue, size_t n)
{
    quern_buffer *buffer = NULL;
    ok(quern_buffer_create_on_queue(queue, QUERN_TYPE(uint64_t), QUERN_EXTENTS(n), &buffer));
    return buffer;
}

static inline void fill(quern_queue *queue, quern_buffer *buffer, uint64_t value)
{
    ok(quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(uint64_t), &value));
}

static inline const void *address_of(quern_buffer *buffer)
{
    return QUERN_VIEW(buffer).span.address;
}

static quern_pool_statistics statistics_of(quern_device *device)
{
    quern_pool_statistics statistics;
    ok(quern_device_get_pool_statistics(device, &statistics));
    return statistics;
}

/* Nothing is kept of the tests before: their queues, which nobody holds any more, may still be finishing. */
static inline quern_device *fresh(const char *name)
{
    quern_device *device = open_device(name);
    ok(quern_device_trim(device));
    for (int tries = 0; tries < 10000 && statistics_of(device).kept_blocks; ++tries) {
        const struct timespec moment = {.tv_nsec = 1000000};
        nanosleep(&moment, NULL);
        ok(quern_device_trim(device));
    }
    assert_int_equal(statistics_of(device).kept_blocks, 0);
    assert_int_equal(statistics_of(device).kept_bytes, 0);
    return device;
}

#endif
