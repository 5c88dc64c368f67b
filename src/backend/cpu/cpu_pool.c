/* The pool's threads: their start and end, what they do when there is nothing to do, and how they are woken. */
#include "cpu_pool.h"

#include "base/error.h"
#include "base/thread.h"
#include "cpu_job.h"
#include "cpu_queue.h"
#include "cpu_spare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct quern_cpu_pool quern_cpu_pool;

enum { STACK_BYTES = 8 << 20 };

/* How long a worker without work looks around before it sleeps. */
enum { SPIN_NANOSECONDS = 50000, SPIN_NANOSECONDS_WHEN_CROWDED = 2000, YIELDS = 3 };

/* Between "asleep" and sleep a worker looks this many turns more: a leader that still took it for awake has posted by
 * then. */
enum { LAST_LOOKS = 40 };

int64_t quern_cpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* ---- a worker's life ---- */

static int is_ending(const struct quern_cpu_worker *worker)
{
    return atomic_load_explicit(&worker->device->ending, memory_order_relaxed) != 0;
}

static int has_work(struct quern_cpu_worker *worker)
{
    return quern_cpu_mailbox_look(&worker->mailbox) || quern_cpu_worker_sees_command(worker) ||
           atomic_load_explicit(&worker->device->ready_count, memory_order_relaxed) || is_ending(worker);
}

/* 1 as soon as there is work, 0 when the time is up. */
static int look_around(struct quern_cpu_worker *worker)
{
    int64_t start = quern_cpu_now(), limit;
    do {
        for (int i = 0; i < 32; ++i) {
            if (has_work(worker))
                return 1;
            quern_cpu_pause();
        }
        limit = quern_cpu_is_crowded() ? SPIN_NANOSECONDS_WHEN_CROWDED : SPIN_NANOSECONDS;
    } while (quern_cpu_now() - start < limit);
    for (int i = 0; i < YIELDS; ++i) {
        if (has_work(worker))
            return 1;
        sched_yield();
    }
    return has_work(worker);
}

/*
 * Sleeps until woken. What is ready cannot be missed: it is counted before a sleeper is looked for, and here "asleep"
 * comes before the count is read. A post could be: a leader does not pay for that order, it takes the
 * piece back. So a worker waits out the moment in which that can happen.
 */
static void sleep_until_called(struct quern_cpu_worker *worker)
{
    atomic_store(&worker->asleep, 1);
    atomic_fetch_sub(&quern_cpu_pool.awake, 1);
    int work = atomic_load(&worker->device->ready_count) || atomic_load(&worker->device->ending);
    for (int i = 0; i < LAST_LOOKS && !work; ++i) {
        work = has_work(worker);
        quern_cpu_pause();
    }
    if (work && atomic_exchange(&worker->asleep, 0)) {
        atomic_fetch_add(&quern_cpu_pool.awake, 1);
        return;
    }
    quern_parker_wait(&worker->parker); /* at once, when somebody was faster */
}

void quern_cpu_worker_wake(struct quern_cpu_worker *worker)
{
    if (atomic_load(&worker->asleep) && atomic_exchange(&worker->asleep, 0)) {
        atomic_fetch_add(&quern_cpu_pool.awake, 1);
        quern_parker_set(&worker->parker, 1);
    }
}

int quern_cpu_worker_work(struct quern_cpu_worker *worker, struct quern_cpu_thread *self)
{
    uint64_t number = quern_cpu_mailbox_look(&worker->mailbox);
    if (number) {
        quern_cpu_worker_stop_watching(worker);
        quern_cpu_job_serve(worker, self, number);
    } else if (quern_cpu_worker_sees_command(worker)) {
        quern_cpu_worker_lead_watched(worker, self);
    } else if (atomic_load_explicit(&worker->device->ready_count, memory_order_relaxed)) {
        quern_cpu_worker_stop_watching(worker);
        quern_cpu_worker_lead_next(worker, self);
    } else if (!look_around(worker)) {
        quern_cpu_worker_stop_watching(worker);
        return 0;
    }
    return 1;
}

enum { STARTED = 1, NOT_STARTED = 2 };

int quern_cpu_worker_begins(struct quern_cpu_worker *worker, struct quern_cpu_thread **self)
{
    quern_status status = quern_cpu_thread_self(self);
    if (status == QUERN_SUCCESS)
        (*self)->worker = worker;
    if (pthread_getcpuclockid(pthread_self(), &worker->clock))
        worker->clock = CLOCK_MONOTONIC; /* then it seems to compute always */
    quern_parker_set(worker->starter, status == QUERN_SUCCESS ? STARTED : NOT_STARTED);
    return status == QUERN_SUCCESS;
}

static void *worker_main(void *argument)
{
    struct quern_cpu_worker *worker = argument;
    struct quern_cpu_thread *self;
    if (!quern_cpu_worker_begins(worker, &self))
        return NULL;
    while (!is_ending(worker))
        if (!quern_cpu_worker_work(worker, self))
            sleep_until_called(worker);
    return NULL;
}

int quern_cpu_device_call_worker(struct quern_cpu_device *device)
{
    struct quern_cpu_worker *sleeper = NULL;
    for (unsigned i = 0; i < device->thread_count; ++i) {
        struct quern_cpu_worker *worker = &device->workers[i];
        if (atomic_load(&worker->asleep)) {
            if (!sleeper)
                sleeper = worker;
        } else if (!atomic_load(&worker->leading) && !quern_cpu_mailbox_is_busy(&worker->mailbox)) {
            return 1; /* it looks around */
        }
    }
    if (sleeper) {
        quern_cpu_worker_wake(sleeper);
        return 1;
    }
    return 0;
}

/* ---- start and stop ---- */

int quern_cpu_worker_start(struct quern_cpu_worker *worker, void *(*function)(void *argument), quern_parker *starter)
{
    char name[16];
    snprintf(name, sizeof name, "quern-%u.%u", worker->device->index % 1000, worker->index % 10000);
    worker->starter = starter;
    int error = quern_thread_create(&worker->thread, name, STACK_BYTES, function, worker);
    if (error)
        return error;
    if (quern_parker_wait(starter) == NOT_STARTED) {
        pthread_join(worker->thread, NULL);
        return QUERN_CPU_NO_MEMORY;
    }
    quern_cpu_topology_bind(&quern_cpu_pool.topology, worker->device->index, worker->index, worker->thread);
    return 0;
}

static quern_status start_thread(struct quern_cpu_worker *worker, quern_parker *starter)
{
    atomic_fetch_add(&quern_cpu_pool.awake, 1);
    int error = quern_cpu_worker_start(worker, worker_main, starter);
    if (!error)
        return QUERN_SUCCESS;
    atomic_fetch_sub(&quern_cpu_pool.awake, 1);
    if (error == QUERN_CPU_NO_MEMORY)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for thread %u of device cpu:%u", worker->index,
                          worker->device->index);
    return quern_fail(QUERN_SYSTEM_ERROR, "thread %u of device cpu:%u cannot be started: %s", worker->index,
                      worker->device->index, strerror(error));
}

static quern_status start_worker(struct quern_cpu_device *device, unsigned index, quern_parker *starter)
{
    struct quern_cpu_worker *worker = &device->workers[index];
    memset(worker, 0, sizeof *worker);
    quern_cpu_mailbox_make(&worker->mailbox);
    worker->index = index;
    worker->device = device;
    quern_status status = quern_parker_init(&worker->parker);
    if (status)
        return status;
    status = start_thread(worker, starter);
    if (status)
        quern_parker_destroy(&worker->parker);
    return status;
}

/* Ends the first count workers; ending is set. */
static void end_workers(struct quern_cpu_device *device, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        quern_cpu_worker_wake(&device->workers[i]);
    for (unsigned i = 0; i < count; ++i)
        pthread_join(device->workers[i].thread, NULL);
    atomic_fetch_sub(&quern_cpu_pool.awake, count);
    for (unsigned i = 0; i < count; ++i)
        quern_parker_destroy(&device->workers[i].parker);
}

static void drop_workers(struct quern_cpu_device *device)
{
    free(device->workers);
    device->workers = NULL;
}

static quern_status start_workers(struct quern_cpu_device *device)
{
    quern_parker starter;
    quern_status status = quern_parker_init(&starter);
    if (status)
        return status;
    device->workers = aligned_alloc(QUERN_CPU_LINES, device->thread_count * sizeof *device->workers);
    if (!device->workers)
        status = quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the threads of device cpu:%u", device->index);
    unsigned started = 0;
    while (!status && started < device->thread_count) {
        status = start_worker(device, started, &starter);
        started += status == QUERN_SUCCESS;
    }
    if (status && device->workers) {
        atomic_store(&device->ending, 1);
        end_workers(device, started);
        atomic_store(&device->ending, 0);
        drop_workers(device);
    }
    quern_parker_destroy(&starter);
    return status;
}

quern_status quern_cpu_device_start(struct quern_cpu_device *device)
{
    quern_status status = QUERN_SUCCESS;
    pthread_mutex_lock(&device->mutex);
    if (!device->workers)
        status = start_workers(device);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

void quern_cpu_pool_set_cpus(unsigned cpus)
{
    quern_cpu_pool.cpus = cpus;
}

static void drop_devices(unsigned count)
{
    for (unsigned d = 0; d < count; ++d)
        pthread_mutex_destroy(&quern_cpu_pool.devices[d].mutex);
    free(quern_cpu_pool.devices);
    quern_cpu_pool.devices = NULL;
}

static quern_status make_devices(void)
{
    unsigned count = quern_cpu_pool.topology.device_count;
    quern_cpu_pool.devices = aligned_alloc(QUERN_CPU_LINES, count * sizeof *quern_cpu_pool.devices);
    if (!quern_cpu_pool.devices)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %u CPU devices", count);
    memset(quern_cpu_pool.devices, 0, count * sizeof *quern_cpu_pool.devices);
    for (unsigned d = 0; d < count; ++d) {
        struct quern_cpu_device *device = &quern_cpu_pool.devices[d];
        device->index = d;
        device->thread_count = quern_cpu_pool.topology.devices[d].threads;
        int error = pthread_mutex_init(&device->mutex, NULL);
        if (error) {
            drop_devices(d);
            return quern_fail(QUERN_SYSTEM_ERROR, "no lock for device cpu:%u: %s", d, strerror(error));
        }
    }
    return QUERN_SUCCESS;
}

quern_status quern_cpu_pool_start(const quern_backend_host *host)
{
    quern_cpu_pool.host = host;
    quern_status status = quern_cpu_topology_read(&quern_cpu_pool.topology);
    if (status)
        return status;
    quern_cpu_pool.cpus = quern_cpu_pool.topology.cpu_count;
    status = quern_cpu_threads_start();
    if (!status) {
        status = make_devices();
        if (status)
            quern_cpu_threads_stop();
    }
    if (status)
        quern_cpu_topology_free(&quern_cpu_pool.topology);
    return status;
}

void quern_cpu_pool_stop(void)
{
    unsigned count = quern_cpu_pool.topology.device_count;
    /* First no thread runs any more, then what they might have looked at goes. */
    for (unsigned d = 0; d < count; ++d)
        atomic_store(&quern_cpu_pool.devices[d].ending, 1);
    for (unsigned d = 0; d < count; ++d)
        if (quern_cpu_pool.devices[d].workers)
            end_workers(&quern_cpu_pool.devices[d], quern_cpu_pool.devices[d].thread_count);
    for (unsigned d = 0; d < count; ++d)
        quern_cpu_spares_stop(&quern_cpu_pool.devices[d]);
    for (unsigned d = 0; d < count; ++d) {
        quern_cpu_queues_free(&quern_cpu_pool.devices[d]);
        drop_workers(&quern_cpu_pool.devices[d]);
    }
    drop_devices(count);
    quern_cpu_threads_stop();
    quern_cpu_topology_free(&quern_cpu_pool.topology);
}
