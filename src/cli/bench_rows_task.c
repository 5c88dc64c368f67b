/*
 * quern bench, rows: tasks.
 *
 *     spawn     spawn and join of an empty task, in a task; thread: the same with a thread of the system
 *     switch    from one task of a thread to another one; ucontext: swapcontext
 *     waits     many tasks on one thread, each of which waits for a kernel of its own; queued: the kernels alone
 *     counts    a task that counts while another one waits for a kernel; alone: while nobody waits
 *     readers   two queues whose kernels read one buffer; in turn: one after the other
 *
 * The kernels take milliseconds on one thread without touching memory, so that what is seen is who waits for whom.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/error.h"
#include "bench.h"
#include "bench.k.h"

#define SPIN_SECONDS 0.01
#define QUICK_SPIN_SECONDS 0.0005

/* ---- spawn, switch ---- */

typedef struct loop {
    size_t count;
    double seconds;
} loop;

static quern_status nothing(void *argument)
{
    (void)argument;
    return QUERN_SUCCESS;
}

/* Runs function(loop) in a task: the seconds of one round. */
static quern_status in_task(quern_task_function *function, const quern_bench_work *work, double *seconds)
{
    loop loop = {.count = work->batch};
    quern_task *task;
    quern_status status = quern_spawn(NULL, function, &loop, &task);
    if (!status)
        status = quern_join(task);
    *seconds = loop.seconds / (double)loop.count;
    return status;
}

static quern_status prepare_many(const quern_bench *bench, quern_bench_work *work)
{
    work->batch = bench->quick ? 10 : 1000;
    return QUERN_SUCCESS;
}

static quern_status spawn_many(void *argument)
{
    loop *loop = argument;
    quern_status status = QUERN_SUCCESS;
    double begin = quern_bench_now();
    for (size_t i = 0; !status && i < loop->count; ++i) {
        quern_task *task;
        status = quern_spawn(NULL, nothing, NULL, &task);
        if (!status)
            status = quern_join(task);
    }
    loop->seconds = quern_bench_now() - begin;
    return status;
}

static quern_status timed_spawn(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    (void)bench;
    return in_task(spawn_many, work, seconds);
}

static void *thread_nothing(void *argument)
{
    return argument;
}

static quern_status once_thread(const quern_bench *bench, quern_bench_work *work)
{
    (void)bench, (void)work;
    pthread_t thread;
    int error = pthread_create(&thread, NULL, thread_nothing, NULL);
    if (error)
        return quern_fail(QUERN_SYSTEM_ERROR, "no thread: %s", strerror(error));
    pthread_join(thread, NULL);
    return QUERN_SUCCESS;
}

/* The two tasks of one thread have it in turn. */
static quern_status yield_many(void *argument)
{
    const loop *loop = argument;
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; !status && i < loop->count; ++i)
        status = quern_yield();
    return status;
}

static quern_status switch_many(void *argument)
{
    loop *loop = argument;
    quern_task *other;
    quern_status status = quern_spawn(NULL, yield_many, loop, &other);
    if (status)
        return status;
    double begin = quern_bench_now();
    status = yield_many(loop);
    loop->seconds = (quern_bench_now() - begin) / 2;
    quern_status joined = quern_join(other);
    return status ? status : joined;
}

static quern_status timed_switch(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    (void)bench;
    return in_task(switch_many, work, seconds);
}

/* The same by the C library: two switches a round. */
static ucontext_t swap_here, swap_there;

static void swap_back(void)
{
    for (;;)
        swapcontext(&swap_there, &swap_here);
}

static quern_status timed_swap(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    (void)bench;
    enum { STACK = 64 * 1024 };
    void *stack = malloc(STACK);
    if (!stack || getcontext(&swap_there)) {
        free(stack);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a stack of %d bytes", STACK);
    }
    swap_there.uc_stack.ss_sp = stack;
    swap_there.uc_stack.ss_size = STACK;
    swap_there.uc_link = NULL;
    makecontext(&swap_there, swap_back, 0);
    double begin = quern_bench_now();
    for (size_t i = 0; i < work->batch; ++i)
        swapcontext(&swap_here, &swap_there);
    *seconds = (quern_bench_now() - begin) / (2 * (double)work->batch);
    free(stack);
    return QUERN_SUCCESS;
}

/* ---- kernels that take their time ---- */

typedef struct spins {
    size_t count;
    int32_t rounds; /* of a kernel */
    quern_queue **queues;
    quern_buffer **results;
    quern_buffer *input;
    _Atomic int stop;
} spins;

static quern_status launch_spin(const spins *spins, quern_queue *queue, size_t index)
{
    quern_const_view in;
    quern_view out;
    quern_status status = quern_buffer_const_view(spins->input, &in);
    if (!status)
        status = quern_buffer_view(spins->results[index], &out);
    return status ? status : bench_spin(queue, QUERN_RANGE(1), in, out, spins->rounds);
}

static quern_status make_all(const quern_bench *bench, spins *spins)
{
    const float begin = 1;
    quern_status status = quern_buffer_create(bench->device, QUERN_TYPE(float), QUERN_EXTENTS(1), &spins->input);
    quern_view view;
    if (!status)
        status = quern_buffer_view(spins->input, &view);
    if (!status)
        status = quern_fill(bench->blocking, view, QUERN_TYPE(float), &begin);
    for (size_t i = 0; !status && i < spins->count; ++i) {
        status = quern_queue_create(bench->device, NULL, &spins->queues[i]);
        if (!status)
            status = quern_buffer_create(bench->device, QUERN_TYPE(float), QUERN_EXTENTS(1), &spins->results[i]);
    }
    return status;
}

/* How many rounds take the time that a kernel is to take. */
static quern_status calibrate(const quern_bench *bench, spins *spins)
{
    double wanted = bench->quick ? QUICK_SPIN_SECONDS : SPIN_SECONDS, took = 0;
    quern_status status = QUERN_SUCCESS;
    spins->rounds = 1000;
    while (!status && took < wanted / 4) {
        spins->rounds *= 2;
        double begin = quern_bench_now();
        status = launch_spin(spins, bench->blocking, 0);
        took = quern_bench_now() - begin;
    }
    if (!status)
        spins->rounds = (int32_t)(spins->rounds * (wanted / took));
    return status;
}

static quern_status prepare_spins(const quern_bench *bench, quern_bench_work *work, size_t count)
{
    spins *made = calloc(1, sizeof *made);
    work->own = made;
    if (made) {
        made->queues = calloc(count, sizeof *made->queues);
        made->results = calloc(count, sizeof *made->results);
    }
    if (!made || !made->queues || !made->results)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu queues", count);
    made->count = count;
    quern_status status = make_all(bench, made);
    return status ? status : calibrate(bench, made);
}

static quern_status prepare_crowd(const quern_bench *bench, quern_bench_work *work)
{
    return prepare_spins(bench, work, bench->quick ? 4 : 100);
}

static quern_status prepare_two(const quern_bench *bench, quern_bench_work *work)
{
    return prepare_spins(bench, work, 2);
}

static void release_spins(quern_bench_work *work)
{
    spins *spins = work->own;
    for (size_t i = 0; spins && spins->queues && spins->results && i < spins->count; ++i) {
        (void)quern_queue_release(spins->queues[i]);
        (void)quern_buffer_release(spins->results[i]);
    }
    if (spins) {
        (void)quern_buffer_release(spins->input);
        free(spins->queues);
        free(spins->results);
    }
    free(spins);
}

/* ---- waits ---- */

typedef struct waiter {
    spins *spins;
    size_t index;
    quern_task *task;
} waiter;

static quern_status wait_in_task(void *argument)
{
    const waiter *self = argument;
    quern_queue *queue = self->spins->queues[self->index];
    quern_status status = launch_spin(self->spins, queue, self->index);
    return status ? status : quern_queue_synchronize(queue);
}

static quern_status once_waits(const quern_bench *bench, quern_bench_work *work)
{
    (void)bench;
    spins *spins = work->own;
    waiter *waiters = calloc(spins->count, sizeof *waiters);
    quern_status status = waiters ? QUERN_SUCCESS : quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the tasks");
    size_t begun = 0;
    for (; !status && begun < spins->count; ++begun) {
        waiters[begun] = (waiter){.spins = spins, .index = begun};
        status = quern_spawn(NULL, wait_in_task, &waiters[begun], &waiters[begun].task);
        if (status)
            break;
    }
    for (size_t i = 0; i < begun; ++i) {
        quern_status joined = quern_join(waiters[i].task);
        status = status ? status : joined;
    }
    free(waiters);
    return status;
}

static quern_status once_queued(const quern_bench *bench, quern_bench_work *work)
{
    spins *spins = work->own;
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; !status && i < spins->count; ++i)
        status = launch_spin(spins, bench->queue, i);
    return status ? status : quern_queue_synchronize(bench->queue);
}

/* ---- counts ---- */

/* Counts up to a number by yields: the time that this takes is what another task's wait would add to. */
static quern_status count_up(void *argument)
{
    loop *loop = argument;
    quern_status status = QUERN_SUCCESS;
    double begin = quern_bench_now();
    for (size_t i = 0; !status && i < loop->count; ++i)
        status = quern_yield();
    loop->seconds = quern_bench_now() - begin;
    return status;
}

/* A task that waits for one kernel after the other until it is told to stop. */
static quern_status wait_on(void *argument)
{
    spins *spins = argument;
    quern_status status = QUERN_SUCCESS;
    while (!status && !atomic_load(&spins->stop)) {
        status = launch_spin(spins, spins->queues[0], 0);
        if (!status)
            status = quern_queue_synchronize(spins->queues[0]);
    }
    return status;
}

static quern_status timed_counts_alone(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    work->batch = bench->quick ? 1000 : 200000;
    return in_task(count_up, work, seconds);
}

static quern_status timed_counts(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    spins *spins = work->own;
    quern_task *task;
    atomic_store(&spins->stop, 0);
    quern_status status = quern_spawn(NULL, wait_on, spins, &task);
    if (status)
        return status;
    status = timed_counts_alone(bench, work, seconds);
    atomic_store(&spins->stop, 1);
    quern_status joined = quern_join(task);
    return status ? status : joined;
}

/* ---- readers ---- */

static quern_status once_readers(const quern_bench *bench, quern_bench_work *work)
{
    (void)bench;
    spins *spins = work->own;
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; !status && i < 2; ++i)
        status = launch_spin(spins, spins->queues[i], i);
    for (size_t i = 0; !status && i < 2; ++i)
        status = quern_queue_synchronize(spins->queues[i]);
    return status;
}

static quern_status once_in_turn(const quern_bench *bench, quern_bench_work *work)
{
    (void)bench;
    spins *spins = work->own;
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; !status && i < 2; ++i) {
        status = launch_spin(spins, spins->queues[i], i);
        if (!status)
            status = quern_queue_synchronize(spins->queues[i]);
    }
    return status;
}

/* clang-format off */
const quern_bench_row quern_bench_task_rows[] = {
    {.name = "spawn", .what = "spawn and join of an empty task, in a task; thread: pthread_create and pthread_join",
     .unit = QUERN_BENCH_MICROSECONDS, .where = QUERN_BENCH_ON_CPU, .rounds = 10, .runs = 10, .prepare = prepare_many,
     .timed = {[QUERN_BENCH_OURS] = timed_spawn}, .once = {[QUERN_BENCH_OTHER] = once_thread}, .other = "thread"},
    {.name = "switch", .what = "from one task of a thread to another one, which yield in turn; ucontext: swapcontext",
     .unit = QUERN_BENCH_MICROSECONDS, .where = QUERN_BENCH_ON_CPU, .one_thread = 1, .rounds = 10, .runs = 10,
     .prepare = prepare_many, .timed = {[QUERN_BENCH_OURS] = timed_switch, [QUERN_BENCH_OTHER] = timed_swap},
     .other = "ucontext"},
    {.name = "waits", .what = "100 tasks on one thread, each waits for a kernel of 10 ms; queued: the kernels alone",
     .unit = QUERN_BENCH_MILLISECONDS, .where = QUERN_BENCH_ON_CPU, .one_thread = 1, .cold = 1, .rounds = 3, .runs = 1,
     .prepare = prepare_crowd, .release = release_spins,
     .once = {[QUERN_BENCH_OURS] = once_waits, [QUERN_BENCH_OTHER] = once_queued}, .other = "queued"},
    {.name = "counts", .what = "a task that counts and yields while another one waits for kernels; alone: without it",
     .unit = QUERN_BENCH_MICROSECONDS, .where = QUERN_BENCH_ON_CPU, .rounds = 10, .runs = 3, .prepare = prepare_two,
     .release = release_spins, .timed = {[QUERN_BENCH_OURS] = timed_counts, [QUERN_BENCH_OTHER] = timed_counts_alone},
     .other = "alone"},
    {.name = "readers", .what = "two queues whose kernels read one buffer; in turn: one after the other",
     .unit = QUERN_BENCH_MILLISECONDS, .where = QUERN_BENCH_ON_CPU, .rounds = 5, .runs = 3, .prepare = prepare_two,
     .release = release_spins, .once = {[QUERN_BENCH_OURS] = once_readers, [QUERN_BENCH_OTHER] = once_in_turn},
     .other = "in turn"},
};
/* clang-format on */
const size_t quern_bench_task_row_count = sizeof quern_bench_task_rows / sizeof quern_bench_task_rows[0];
