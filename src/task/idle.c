/*
 * Threads without a task: searching, sleeping, waking.
 *
 * A thread that has nothing to do searches for a moment and then sleeps, in the list of idle threads. A fresh task that
 * is the only one of its thread is left to it for a while: a task that spawns another one mostly waits for it next, and
 * then it is begun at once, where its memory is in the cache, with no system call. Lest it waits for ever behind a task
 * that computes, one idle thread watches: it looks from time to time and takes what nobody has come to since it looked
 * last. It stops when nothing is spawned any more. Where several fresh tasks wait, idle threads come for them at once.
 *
 * Nobody oversleeps, as each of the two does first what the other looks for, all with sequential consistency: who adds
 * a task changes its queue's count (or the inbox) and then looks for searching, watching and sleeping threads; who goes
 * to sleep says that he does (and searches and watches no more) and then looks at the counts and his inbox.
 */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "thread.h"

enum {
    SPINS = 40,         /* looks, before sleep */
    FIRST_LOOK = 50000, /* nanoseconds; each further look after twice as long, up to */
    MOST_DOUBLINGS = 4, /* so many times */
    LOOKS = 16,         /* that find nothing, before the watch ends when nothing fresh is there */
    FOR_EVER = -1,
    NOT_AT_ALL = 0
};

static struct {
    quern_spin lock;
    quern_task_thread *first; /* asleep or about to be */
    _Atomic uint32_t count;
    _Atomic uint32_t searching; /* threads that look for fresh tasks, or were woken to do so */
    _Atomic uint32_t watching;  /* 1: one of the idle ones */
} idle;

/* ---- sleeping and waking ---- */

static void sleep_while_asleep(quern_task_thread *thread, int64_t nanoseconds)
{
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    (void)syscall(SYS_futex, &thread->asleep, FUTEX_WAIT_PRIVATE, 1, nanoseconds == FOR_EVER ? NULL : &time, NULL, 0);
}

void quern_task_thread_wake(quern_task_thread *thread)
{
    if (atomic_load_explicit(&thread->asleep, memory_order_seq_cst) &&
        atomic_exchange_explicit(&thread->asleep, 0, memory_order_seq_cst))
        (void)syscall(SYS_futex, &thread->asleep, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void enter_list(quern_task_thread *thread)
{
    quern_spin_lock(&idle.lock);
    thread->next_idle = idle.first;
    thread->idle_link = &idle.first;
    if (idle.first)
        idle.first->idle_link = &thread->next_idle;
    idle.first = thread;
    thread->is_listed = 1;
    atomic_fetch_add_explicit(&idle.count, 1, memory_order_seq_cst);
    quern_spin_unlock(&idle.lock);
}

/* Under the lock. */
static void unlink_idle(quern_task_thread *thread)
{
    *thread->idle_link = thread->next_idle;
    if (thread->next_idle)
        thread->next_idle->idle_link = thread->idle_link;
    thread->is_listed = 0;
    atomic_fetch_sub_explicit(&idle.count, 1, memory_order_seq_cst);
}

/* A thread that was taken off the list by another one has been counted among the searching ones by it. */
static void leave_list(quern_task_thread *thread)
{
    quern_spin_lock(&idle.lock);
    if (thread->is_listed)
        unlink_idle(thread);
    else
        thread->is_searching = 1;
    quern_spin_unlock(&idle.lock);
}

/* Sends an idle thread to search, if there is one. */
static void call_one(void)
{
    quern_spin_lock(&idle.lock);
    quern_task_thread *thread = idle.first;
    if (thread) {
        unlink_idle(thread);
        atomic_fetch_add_explicit(&idle.searching, 1, memory_order_seq_cst);
    }
    quern_spin_unlock(&idle.lock);
    if (thread)
        quern_task_thread_wake(thread);
}

void quern_task_call_for(size_t count, int is_own)
{
    if (!atomic_load_explicit(&idle.count, memory_order_seq_cst) ||
        atomic_load_explicit(&idle.searching, memory_order_seq_cst))
        return;
    if (is_own && count == 1 && atomic_load_explicit(&idle.watching, memory_order_seq_cst))
        return;
    call_one();
}

/* ---- fresh tasks of other threads ---- */

/* 1 when some thread, or the queue for all, has so many fresh ones. */
static int somebody_has(size_t least)
{
    uint32_t count = atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed);
    if (quern_task_fresh_count(&quern_task_pool.fresh))
        return 1;
    for (uint32_t i = 0; i < count; ++i)
        if (quern_task_fresh_count(&quern_task_pool.all[i].fresh) >= least)
            return 1;
    return 0;
}

static quern_task_body *take_from_others(quern_task_thread *thread)
{
    quern_task_body *body = NULL;
    uint32_t count = atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed);
    for (uint32_t i = 1; i < count && !body; ++i)
        body = quern_task_fresh_take(&quern_task_pool.all[(thread->index + i) % count].fresh, 2);
    return body;
}

/* The watcher's: one that has waited since its last look, which this is now. */
static quern_task_body *take_waiting(void)
{
    quern_task_body *body = NULL;
    uint32_t count = atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; ++i) {
        quern_task_fresh *fresh = &quern_task_pool.all[i].fresh;
        uint64_t taken = atomic_load_explicit(&fresh->taken, memory_order_relaxed);
        if (!body && taken == fresh->seen)
            body = quern_task_fresh_take(fresh, 1);
        /* What is put into an empty queue later has not waited. */
        fresh->seen = quern_task_fresh_count(fresh) ? taken : UINT64_MAX;
    }
    return body;
}

/* ---- the watch ---- */

/* 1 when the thread watches now. */
static int begin_watch(quern_task_thread *thread)
{
    if (atomic_exchange_explicit(&idle.watching, 1, memory_order_seq_cst))
        return 0;
    thread->is_watching = 1;
    thread->calm = 0;
    for (uint32_t i = 0; i < atomic_load_explicit(&quern_task_pool.count, memory_order_relaxed); ++i)
        quern_task_pool.all[i].fresh.seen =
            atomic_load_explicit(&quern_task_pool.all[i].fresh.taken, memory_order_relaxed);
    return 1;
}

static void end_watch(quern_task_thread *thread)
{
    thread->is_watching = 0;
    atomic_store_explicit(&idle.watching, 0, memory_order_seq_cst);
}

/* For how long a thread that has said that it sleeps may do so. */
static int64_t time_to_sleep(quern_task_thread *thread)
{
    if (atomic_load_explicit(&quern_task_pool.stopping, memory_order_seq_cst) || quern_task_thread_has_any(thread) ||
        somebody_has(2))
        return NOT_AT_ALL;
    if (thread->is_watching && thread->calm >= LOOKS && !somebody_has(1))
        end_watch(thread);
    if (!thread->is_watching && !(somebody_has(1) && begin_watch(thread)))
        return FOR_EVER;
    return (int64_t)FIRST_LOOK << (thread->calm < MOST_DOUBLINGS ? thread->calm : MOST_DOUBLINGS);
}

/* ---- all together ---- */

static inline void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

static quern_task_body *search_a_while(quern_task_thread *thread)
{
    quern_task_body *body = NULL;
    if (!thread->is_searching) {
        thread->is_searching = 1;
        atomic_fetch_add_explicit(&idle.searching, 1, memory_order_seq_cst);
    }
    for (int i = 0; i < SPINS && !body; ++i) {
        body = quern_task_thread_look(thread);
        if (!body)
            body = take_from_others(thread);
        if (!body)
            rest();
    }
    return body;
}

/* The thread has found a task, or gives up for now. Whoever relied on it as the last one that searches or watches, may
 * have fresh tasks: another one takes its place. */
static void end_search(quern_task_thread *thread, int has_found)
{
    thread->is_searching = 0;
    int was_last = atomic_fetch_sub_explicit(&idle.searching, 1, memory_order_seq_cst) == 1;
    if (!has_found)
        return;
    if (thread->is_watching) {
        end_watch(thread);
        was_last = 1;
    }
    if (was_last && atomic_load_explicit(&idle.count, memory_order_seq_cst) && somebody_has(1))
        call_one();
}

/* Says that the thread sleeps, and does so unless there is something to do. */
static void doze(quern_task_thread *thread)
{
    atomic_store_explicit(&thread->asleep, 1, memory_order_seq_cst);
    enter_list(thread);
    int64_t nanoseconds = time_to_sleep(thread);
    if (nanoseconds != NOT_AT_ALL)
        sleep_while_asleep(thread, nanoseconds);
    atomic_store_explicit(&thread->asleep, 0, memory_order_seq_cst);
    leave_list(thread);
    thread->calm += thread->is_watching != 0;
}

quern_task_body *quern_task_thread_search(quern_task_thread *thread)
{
    for (;;) {
        quern_task_body *body = search_a_while(thread);
        if (!body && thread->is_watching)
            body = take_waiting();
        end_search(thread, body != NULL);
        if (body)
            return body;
        if (atomic_load_explicit(&quern_task_pool.stopping, memory_order_acquire)) {
            if (thread->is_watching)
                end_watch(thread);
            return NULL;
        }
        doze(thread);
    }
}
