/* What the tests of CPU queues have in common: commands, a log of what has run, a gate that holds up a queue. */
#ifndef QUERN_TESTS_CPU_COMMANDS_H
#define QUERN_TESTS_CPU_COMMANDS_H

#include "cpu_fixture.h"

#include <semaphore.h>

static const quern_backend *const cpu = &quern_cpu_backend;

/* ---- a log of what has run ---- */

enum { LOG = 64 };

static int log_entries[LOG];
static _Atomic int log_count;

static inline quern_status write_log(void *argument)
{
    log_entries[atomic_fetch_add(&log_count, 1)] = (int)(intptr_t)argument;
    return QUERN_SUCCESS;
}

static inline void log_clear(void)
{
    atomic_store(&log_count, 0);
}

static inline uint64_t call(struct fake_progress *queue, quern_status (*function)(void *), intptr_t argument)
{
    assert_int_equal(cpu->call(queue->queue, ++queue->submitted, function, (void *)argument), QUERN_SUCCESS);
    return queue->submitted;
}

static inline void wait_for_queue(struct fake_progress *queue, struct fake_progress *other, uint64_t number,
                                  struct fake_event *event)
{
    assert_int_equal(
        cpu->wait(queue->queue, ++queue->submitted, fake_handle(other), number, (quern_event *)(void *)event),
        QUERN_SUCCESS);
}

static inline void record(struct fake_progress *queue, struct fake_event *event)
{
    memset(event, 0, sizeof *event);
    atomic_store(&event->references, 2); /* the test's, and the command's */
    event->progress = queue;
    assert_int_equal(cpu->record(queue->queue, ++queue->submitted, (quern_event *)(void *)event), QUERN_SUCCESS);
}

/* ---- a gate that holds up a queue ---- */

static sem_t gate;

static inline quern_status pass_gate(void *argument)
{
    (void)argument;
    while (sem_wait(&gate) != 0)
        ;
    return QUERN_SUCCESS;
}

/* ---- kernels ---- */

/* x[i] = 3 x[i] + a: the order of launches shows in the result. */
static inline void affine(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    uint32_t *x = arguments[0].address, a = *(const uint32_t *)arguments[1].address;
    for (ptrdiff_t i = piece->dim[0].begin; i < piece->dim[0].end; ++i)
        x[i] = 3 * x[i] + a;
}

#endif
