/* Spares: when they are called, what they do, and their end. */
#include "cpu_spare.h"

#include "cpu_queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Nanoseconds after which the guard looks again. It wakes no more often than that however often it is wanted. */
enum { PERIOD = 1000000 };

/* The parker's reason. */
enum { CALLED = 1 };

struct quern_cpu_spare {
    struct quern_cpu_worker worker; /* first; not of the device's workers, so nobody posts in its mailbox */
    _Atomic uint32_t serving;       /* changed under the device's mutex */
    struct quern_cpu_spare *next;
    struct quern_cpu_spare *next_idle; /* under the device's mutex */
};

static int is_ending(const struct quern_cpu_device *device)
{
    return atomic_load(&device->ending) != 0;
}

/* ---- who is inside a host function ---- */

/* 1 when all who serve the device's queues, but for one spare or NULL, are so far in host functions. */
static int all_call(struct quern_cpu_device *device, uint32_t calling, const struct quern_cpu_spare *except)
{
    for (unsigned i = 0; i < device->thread_count; ++i)
        if (atomic_load(&device->workers[i].calling) < calling)
            return 0;
    for (struct quern_cpu_spare *spare = atomic_load(&device->spares); spare; spare = spare->next)
        if (spare != except && atomic_load(&spare->serving) && atomic_load(&spare->worker.calling) < calling)
            return 0;
    return 1;
}

/* 1 when queues are ready and nobody comes to them. */
static int is_starved(struct quern_cpu_device *device)
{
    return atomic_load(&device->ready_count) && !is_ending(device) && all_call(device, QUERN_CPU_CALL_BEGUN, NULL);
}

/* 1 when the thread has hardly computed since the last look at it. */
static int waits(struct quern_cpu_worker *worker)
{
    struct timespec time;
    if (clock_gettime(worker->clock, &time))
        return 1;
    int64_t now = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec, computed = now - worker->computed;
    worker->computed = now;
    return computed < PERIOD / 4;
}

static void note_call(struct quern_cpu_worker *worker)
{
    uint32_t calling = atomic_load(&worker->calling), next;
    if (calling == QUERN_CPU_CALL_NONE || calling == QUERN_CPU_CALL_LONG)
        return;
    next = calling + (waits(worker) ? QUERN_CPU_LOOK_WAITS : QUERN_CPU_LOOK_COMPUTES);
    (void)atomic_compare_exchange_strong(&worker->calling, &calling,
                                         next < QUERN_CPU_CALL_LONG ? next : QUERN_CPU_CALL_LONG);
}

static void note_calls(struct quern_cpu_device *device)
{
    for (unsigned i = 0; i < device->thread_count; ++i)
        note_call(&device->workers[i]);
    for (struct quern_cpu_spare *spare = atomic_load(&device->spares); spare; spare = spare->next)
        note_call(&spare->worker);
}

/* ---- a spare's life ---- */

/* Under the device's mutex. */
static void lay_idle(struct quern_cpu_spare *spare)
{
    spare->next_idle = spare->worker.device->idle_spares;
    spare->worker.device->idle_spares = spare;
}

/* One look of the guard. 1 when it is on guard no longer: it serves now, or is idle. */
static int leave_guard(struct quern_cpu_spare *spare)
{
    struct quern_cpu_device *device = spare->worker.device;
    note_calls(device);
    pthread_mutex_lock(&device->mutex);
    /* Not guarded before it is looked: who comes in between and still saw the guard is seen. */
    atomic_store(&device->guarded, 0);
    int starved = is_starved(device);
    if (!starved)
        lay_idle(spare);
    else if (all_call(device, QUERN_CPU_CALL_LONG, NULL))
        atomic_store(&spare->serving, 1);
    else
        atomic_store(&device->guarded, 1);
    int leaves = !atomic_load(&device->guarded);
    pthread_mutex_unlock(&device->mutex);
    return leaves;
}

static void keep_guard(struct quern_cpu_spare *spare)
{
    note_calls(spare->worker.device);
    do
        (void)quern_parker_wait_for(&spare->worker.parker, PERIOD);
    while (!leave_guard(spare));
}

/* 1 when the spare is idle; 0 when it has to serve on. */
static int leave_service(struct quern_cpu_spare *spare)
{
    struct quern_cpu_device *device = spare->worker.device;
    pthread_mutex_lock(&device->mutex);
    atomic_store(&spare->serving, 0);
    int starved = is_starved(device);
    if (starved)
        atomic_store(&spare->serving, 1);
    else
        lay_idle(spare);
    pthread_mutex_unlock(&device->mutex);
    return !starved;
}

static void serve(struct quern_cpu_spare *spare, struct quern_cpu_thread *self)
{
    struct quern_cpu_worker *worker = &spare->worker;
    do {
        while (!is_ending(worker->device) && all_call(worker->device, QUERN_CPU_CALL_BEGUN, spare) &&
               quern_cpu_worker_work(worker, self))
            ;
        quern_cpu_worker_stop_watching(worker);
    } while (!leave_service(spare));
}

static void *spare_main(void *argument)
{
    struct quern_cpu_spare *spare = argument;
    struct quern_cpu_thread *self;
    if (!quern_cpu_worker_begins(&spare->worker, &self))
        return NULL;
    /* Ending is looked at each time, as the guard's look takes the reason away. */
    while (!is_ending(spare->worker.device)) {
        (void)quern_parker_wait(&spare->worker.parker);
        if (is_ending(spare->worker.device))
            break;
        if (!atomic_load(&spare->serving))
            keep_guard(spare);
        if (atomic_load(&spare->serving))
            serve(spare, self);
    }
    return NULL;
}

/* ---- start and stop ---- */

/* The thread does nothing until it is called. 0 when it cannot be started. */
static int make_parkers_and_start(struct quern_cpu_spare *spare)
{
    quern_parker starter;
    if (quern_parker_init(&spare->worker.parker))
        return 0;
    int started = 0;
    if (quern_parker_init(&starter) == QUERN_SUCCESS) {
        started = quern_cpu_worker_start(&spare->worker, spare_main, &starter) == 0;
        quern_parker_destroy(&starter);
    }
    if (!started)
        quern_parker_destroy(&spare->worker.parker);
    return started;
}

/* Under the device's mutex. NULL when there is no memory or no thread: nobody has asked for one, so nobody is told. */
static struct quern_cpu_spare *start_spare(struct quern_cpu_device *device)
{
    struct quern_cpu_spare *spare = aligned_alloc(QUERN_CPU_LINES, sizeof *spare);
    if (!spare)
        return NULL;
    memset(spare, 0, sizeof *spare);
    quern_cpu_mailbox_make(&spare->worker.mailbox);
    spare->worker.device = device;
    spare->worker.index = device->thread_count + device->spare_count;
    if (!make_parkers_and_start(spare)) {
        free(spare);
        return NULL;
    }
    spare->next = atomic_load(&device->spares);
    atomic_store(&device->spares, spare);
    ++device->spare_count;
    return spare;
}

void quern_cpu_spare_call(struct quern_cpu_device *device)
{
    if (atomic_load(&device->guarded) || !is_starved(device))
        return;
    pthread_mutex_lock(&device->mutex);
    if (!atomic_load(&device->guarded) && is_starved(device)) {
        struct quern_cpu_spare *spare = device->idle_spares;
        if (spare)
            device->idle_spares = spare->next_idle;
        else
            spare = start_spare(device);
        if (spare) {
            atomic_store(all_call(device, QUERN_CPU_CALL_LONG, NULL) ? &spare->serving : &device->guarded, 1);
            quern_parker_set(&spare->worker.parker, CALLED);
        }
    }
    pthread_mutex_unlock(&device->mutex);
}

void quern_cpu_spares_stop(struct quern_cpu_device *device)
{
    for (struct quern_cpu_spare *spare = atomic_load(&device->spares), *next; spare; spare = next) {
        next = spare->next;
        quern_parker_set(&spare->worker.parker, CALLED);
        pthread_join(spare->worker.thread, NULL);
        quern_parker_destroy(&spare->worker.parker);
    }
    while (atomic_load(&device->spares)) {
        struct quern_cpu_spare *spare = atomic_load(&device->spares);
        atomic_store(&device->spares, spare->next);
        free(spare);
    }
    device->idle_spares = NULL;
}
