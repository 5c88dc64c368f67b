/*
 * A worker's mailbox: how a leader hands it a piece of a launch, and learns that it is done.
 *
 * A post carries a number: even while the piece lies there, the next odd one once somebody has taken
 * it: the worker, or the leader, who takes an unstarted piece back when it has nothing else to do.
 * So a worker that sleeps, or that the system runs nowhere, never holds up a launch.
 *
 * The line that holds the number holds the whole piece of a plain launch: a piece starts after one line
 * has moved, and ends when another one has. What only leaders write lies on a third.
 */
#ifndef QUERN_BACKEND_CPU_MAILBOX_H
#define QUERN_BACKEND_CPU_MAILBOX_H

#include "base/park.h"

#include <quern/dialect/cpu_abi.h>

#include <sched.h>
#include <stdatomic.h>

struct quern_cpu_worker;
struct quern_cpu_job;

/* function NULL: a part of the job. Otherwise a piece of one dimension without groups. */
struct quern_cpu_letter {
    quern_cpu_function *function;
    union {
        const struct quern_cpu_argument *arguments;
        struct quern_cpu_job *job;
    } of;
    _Atomic int *failed;
    ptrdiff_t begin, end, extent, offset;
};

/* Pairs of lines, as processors fetch them by two. */
enum { QUERN_CPU_LINES = 128 };

struct quern_cpu_mailbox {
    _Alignas(QUERN_CPU_LINES) _Atomic uint64_t post;
    struct quern_cpu_letter letter;

    /* The number of the last finished piece (odd); or the parker of a leader that sleeps until it is finished. */
    _Alignas(QUERN_CPU_LINES) _Atomic uint64_t done;

    /* Written by the leader that has reserved the mailbox. */
    _Alignas(QUERN_CPU_LINES) _Atomic uint32_t reserved;
    uint32_t patience; /* how long to wait before an unstarted piece is taken back */
    uint64_t number;
    struct quern_cpu_worker *next; /* engaged for the same launch */
};

enum { QUERN_CPU_PATIENCE = 16 };

static inline void quern_cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

static inline void quern_cpu_mailbox_make(struct quern_cpu_mailbox *mailbox)
{
    atomic_init(&mailbox->post, 1);
    atomic_init(&mailbox->done, 1);
    atomic_init(&mailbox->reserved, 0);
    mailbox->patience = QUERN_CPU_PATIENCE;
    mailbox->number = 0;
}

/* 1 when the mailbox is now the caller's to post in. */
static inline int quern_cpu_mailbox_reserve(struct quern_cpu_mailbox *mailbox)
{
    return !atomic_load_explicit(&mailbox->reserved, memory_order_relaxed) &&
           !atomic_exchange_explicit(&mailbox->reserved, 1, memory_order_acquire);
}

/* 1 while some leader has it. */
static inline int quern_cpu_mailbox_is_busy(struct quern_cpu_mailbox *mailbox)
{
    return atomic_load_explicit(&mailbox->reserved, memory_order_relaxed) != 0;
}

static inline void quern_cpu_mailbox_give_back(struct quern_cpu_mailbox *mailbox)
{
    atomic_store_explicit(&mailbox->reserved, 0, memory_order_release);
}

/* The letter has been filled in. */
static inline void quern_cpu_mailbox_post(struct quern_cpu_mailbox *mailbox)
{
    mailbox->number += 2;
    atomic_store_explicit(&mailbox->post, mailbox->number, memory_order_release);
}

/* 1 when the post of that (even) number is now the caller's to run: the worker's, or the leader's again. */
static inline int quern_cpu_mailbox_take(struct quern_cpu_mailbox *mailbox, uint64_t number)
{
    return atomic_compare_exchange_strong_explicit(&mailbox->post, &number, number + 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* The number of a piece that waits for the worker, else 0. */
static inline uint64_t quern_cpu_mailbox_look(struct quern_cpu_mailbox *mailbox)
{
    uint64_t number = atomic_load_explicit(&mailbox->post, memory_order_relaxed);
    return number & 1 ? 0 : number;
}

/* The worker has run the piece. */
static inline void quern_cpu_mailbox_finish(struct quern_cpu_mailbox *mailbox, uint64_t number)
{
    uint64_t before = atomic_exchange_explicit(&mailbox->done, number + 1, memory_order_acq_rel);
    if (!(before & 1))
        quern_parker_set((quern_parker *)(uintptr_t)before, 1);
}

/* The leader sleeps until the piece, which the worker has taken, is finished. Nobody else sets the parker. */
static inline void quern_cpu_mailbox_sleep(struct quern_cpu_mailbox *mailbox, quern_parker *parker)
{
    uint64_t last = atomic_load_explicit(&mailbox->done, memory_order_relaxed);
    if (last != mailbox->number + 1 &&
        atomic_compare_exchange_strong(&mailbox->done, &last, (uint64_t)(uintptr_t)parker))
        quern_parker_wait(parker);
}

static inline int quern_cpu_mailbox_is_done(struct quern_cpu_mailbox *mailbox)
{
    return atomic_load_explicit(&mailbox->done, memory_order_acquire) == mailbox->number + 1;
}

#endif
