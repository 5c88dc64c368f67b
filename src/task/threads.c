/* The task threads as a whole: starting, stopping, counting. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/forked.h"
#include "base/thread.h"
#include "overflow.h"
#include "runtime/backends.h"
#include "runtime/shutdown.h"
#include "thread.h"

_Thread_local quern_task_thread *quern_task_thread_self;
quern_task_threads quern_task_pool;

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- one thread ---- */

static void *thread_main(void *argument)
{
    quern_task_thread *thread = argument;
    quern_task_thread_self = thread;
    quern_fibre_adopt(&thread->own);
    (void)quern_overflow_watch(); /* without memory for it an overrun is a plain fault */
    while (!quern_process_is_forked()) {
        quern_task_body *body = quern_task_thread_look(thread);
        if (!body)
            body = quern_task_thread_search(thread);
        if (!body)
            break;
        quern_task_run(thread, body);
    }
    quern_overflow_unwatch();
    return NULL;
}

/* ---- starting ---- */

static int start_thread(quern_task_thread *thread)
{
    return quern_thread_create(&thread->thread, "quern-tasks", 0, thread_main, thread);
}

/* As many as the CPU devices have threads. */
static quern_status count_wanted(uint32_t *wanted)
{
    quern_backend_slot *slot = quern_backends_find("cpu", 3);
    const char *why = "this build has no CPU backend";
    quern_status status = slot ? quern_backend_start(slot, 1, &why) : QUERN_NOT_PRESENT;
    if (status != QUERN_SUCCESS)
        return quern_fail(status, "tasks run on as many threads as the CPU devices have, and there are none: %s", why);
    *wanted = 0;
    for (size_t i = 0; i < slot->device_count; ++i)
        *wanted += slot->devices[i]->info.compute_units;
    return QUERN_SUCCESS;
}

static quern_status find_memory(uint32_t count)
{
    quern_task_block *blocks = atomic_load_explicit(&quern_task_pool.blocks, memory_order_relaxed);
    if (blocks && blocks->count >= count)
        return QUERN_SUCCESS;
    quern_task_block *block = malloc(sizeof *block);
    quern_task_thread *threads = block ? aligned_alloc(_Alignof(quern_task_thread), count * sizeof *threads) : NULL;
    if (!threads) {
        free(block);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %u task threads", count);
    }
    memset(threads, 0, count * sizeof *threads);
    for (uint32_t i = 0; i < count; ++i)
        threads[i].index = i;
    *block = (quern_task_block){threads, count, blocks};
    atomic_store_explicit(&quern_task_pool.blocks, block, memory_order_release);
    return QUERN_SUCCESS;
}

static quern_status stop(void);
static void free_all(void);
static quern_shutdown_part shutdown_part = {.stop = stop, .free = free_all};

/* Fewer threads than wanted will do. */
static quern_status create_threads(uint32_t wanted)
{
    uint32_t made = 0;
    int error = 0;
    quern_task_pool.all = atomic_load_explicit(&quern_task_pool.blocks, memory_order_relaxed)->threads;
    while (made < wanted && (error = start_thread(&quern_task_pool.all[made])) == 0)
        ++made;
    if (!made)
        return quern_fail(QUERN_SYSTEM_ERROR, "no thread for tasks can be started: %s", strerror(error));
    atomic_store_explicit(&quern_task_pool.count, made, memory_order_release);
    return QUERN_SUCCESS;
}

quern_status quern_task_threads_start_slow(void)
{
    uint32_t wanted = 0;
    quern_status status = QUERN_SUCCESS;
    pthread_mutex_lock(&start_lock);
    if (!atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed)) {
        status = quern_forked_watch();
        if (status == QUERN_SUCCESS)
            status = count_wanted(&wanted);
        if (status == QUERN_SUCCESS)
            status = find_memory(wanted);
        if (status == QUERN_SUCCESS)
            status = create_threads(wanted);
        if (status == QUERN_SUCCESS)
            quern_shutdown_add(&shutdown_part);
    }
    pthread_mutex_unlock(&start_lock);
    return status;
}

/* ---- stopping ---- */

static quern_status check_none_held(void)
{
    quern_task_sums sums = quern_task_sum();
    if (sums.spawned == sums.gone)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_BUSY,
                      "still held: %" PRIu64 " tasks, of which %" PRIu64 " have ended and not been joined, wanted none",
                      sums.spawned - sums.gone, sums.ended - sums.gone);
}

/* Before the library's shutdown. Should that fail later, threads are started again when a task is spawned. */
static quern_status stop(void)
{
    uint32_t count = atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed);
    quern_status status = count ? check_none_held() : QUERN_SUCCESS;
    if (status != QUERN_SUCCESS || !count)
        return status;
    atomic_store_explicit(&quern_task_pool.stopping, 1, memory_order_seq_cst);
    for (uint32_t i = 0; i < count; ++i)
        quern_task_thread_wake(&quern_task_pool.all[i]);
    for (uint32_t i = 0; i < count; ++i)
        pthread_join(quern_task_pool.all[i].thread, NULL);
    atomic_store_explicit(&quern_task_pool.count, 0, memory_order_relaxed);
    atomic_store_explicit(&quern_task_pool.stopping, 0, memory_order_relaxed);
    return QUERN_SUCCESS;
}

/* After it. */
static void free_all(void)
{
    for (quern_task_block *block = atomic_load(&quern_task_pool.blocks); block; block = block->before)
        for (uint32_t i = 0; i < block->count; ++i)
            block->threads[i].bodies = (quern_task_list){0};
    quern_task_bodies_free();
    quern_stacks_free();
    quern_overflow_stop();
}
