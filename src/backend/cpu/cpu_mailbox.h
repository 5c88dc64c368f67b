/*
 * A worker's mailbox: how a leader hands it a piece of a launch, and learns that it is done.
 *
 * A post carries an even number. The leader takes an unstarted piece back when it has nothing else to do, and posts the
 * next odd number then. So a worker that sleeps, or that the system runs nowhere, never holds up a launch.
 *
 * The line that holds the number holds the whole piece of a plain launch: a piece starts after one line
 * has moved, and ends when another one has. Neither is moved for the worker to say that it begins: it writes that to a
 * line of its own, and looks then whether the post is still there; a leader that takes back posts first and looks at
 * that line then. So at least one of them sees the other. When both do, the worker declines, and the leader waits for
 * the answer. What only leaders write lies on a line of its own, too.
 */
#ifndef QUERN_BACKEND_CPU_MAILBOX_H
#define QUERN_BACKEND_CPU_MAILBOX_H

#include "base/park.h"
#include "cpu_processor.h"

#include <quern/dialect/cpu_abi.h>

#include <sched.h>
#include <stdatomic.h>

/*
 * What a worker is to do.
 *   PIECE   items begin to end of a range of one dimension without groups, in one call
 *   CHUNKS  the same, chunk by chunk: the first one is the worker's own, the others are given out by its cursor
 *   WORK    units begin to end of any range, likewise, as a struct quern_cpu_work says
 *
 * What the addresses point to is fetched while the letter is being taken, so they are read before it is known that it
 * is still the same letter.
 */
enum quern_cpu_letter_kind { QUERN_CPU_LETTER_PIECE, QUERN_CPU_LETTER_CHUNKS, QUERN_CPU_LETTER_WORK };

struct quern_cpu_letter {
    _Atomic uint32_t kind;
    _Atomic uint32_t lines;   /* cache lines of what */
    const void *_Atomic what; /* the arguments, or the work */
    _Atomic intptr_t bound;   /* PIECE: the end; else the address of the leader's cursor (the end is in the worker's) */
    quern_cpu_function *function; /* not for WORK, nor are extent and offset */
    ptrdiff_t begin;
    ptrdiff_t extent, offset; /* of the range */
};

struct quern_cpu_mailbox {
    _Alignas(QUERN_CPU_LINES) _Atomic uint64_t post;
    struct quern_cpu_letter letter;

    /* The worker's: the number of the last answered piece and 1, or the parker of a leader that sleeps until it is
     * answered; and whether memory was exhausted in it, or the piece is the leader's. */
    _Alignas(QUERN_CPU_LINES) _Atomic uint64_t done;
    int failed, declined;

    /* The worker's: the number of the last piece that it has begun with, or declined. */
    _Alignas(QUERN_CPU_LINES) _Atomic uint64_t begun;

    /* Written by the leader that has reserved the mailbox. */
    _Alignas(QUERN_CPU_LINES) _Atomic uint32_t reserved;
    uint32_t patience; /* how long to wait before an unstarted piece is taken back */
    uint64_t number;
};

enum { QUERN_CPU_PATIENCE = 40 };

static inline void quern_cpu_mailbox_make(struct quern_cpu_mailbox *mailbox)
{
    atomic_init(&mailbox->post, 1);
    atomic_init(&mailbox->done, 1);
    atomic_init(&mailbox->begun, 0);
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

/* 1 when the post of that number is the worker's to run; 0: it declines. Both answer it. Sequentially consistent, as is
 * the taking back. */
static inline int quern_cpu_mailbox_take(struct quern_cpu_mailbox *mailbox, uint64_t number)
{
    atomic_store(&mailbox->begun, number);
    return atomic_load(&mailbox->post) == number;
}

/* 1 when the last post is the leader's again; 0: the worker is going to answer it. */
static inline int quern_cpu_mailbox_take_back(struct quern_cpu_mailbox *mailbox)
{
    atomic_store(&mailbox->post, mailbox->number + 1);
    return atomic_load(&mailbox->begun) != mailbox->number;
}

/* The number of a piece that waits for the worker, who asks, else 0. */
static inline uint64_t quern_cpu_mailbox_look(struct quern_cpu_mailbox *mailbox)
{
    uint64_t number = atomic_load_explicit(&mailbox->post, memory_order_relaxed);
    return number & 1 || number == atomic_load_explicit(&mailbox->begun, memory_order_relaxed) ? 0 : number;
}

/* The letter's parts that are read early are written so. */
static inline void quern_cpu_mailbox_write(struct quern_cpu_mailbox *mailbox, uint32_t kind, const void *what,
                                           size_t bytes, intptr_t bound)
{
    atomic_store_explicit(&mailbox->letter.kind, kind, memory_order_relaxed);
    atomic_store_explicit(&mailbox->letter.lines, (uint32_t)((bytes + 63) / 64), memory_order_relaxed);
    atomic_store_explicit(&mailbox->letter.what, what, memory_order_relaxed);
    atomic_store_explicit(&mailbox->letter.bound, bound, memory_order_relaxed);
}

static inline uint32_t quern_cpu_mailbox_kind(struct quern_cpu_mailbox *mailbox)
{
    return atomic_load_explicit(&mailbox->letter.kind, memory_order_relaxed);
}

/* The worker is about to take the piece: what it needs is on its way. */
static inline void quern_cpu_mailbox_fetch(struct quern_cpu_mailbox *mailbox)
{
    const char *what = atomic_load_explicit(&mailbox->letter.what, memory_order_relaxed);
    uint32_t lines = atomic_load_explicit(&mailbox->letter.lines, memory_order_relaxed);
    /* No more than what is needed: the leader has to take back every line that it writes to again. */
    for (uint32_t line = 0; line < lines && line < 4; ++line)
        __builtin_prefetch(what + 64 * line);
    if (atomic_load_explicit(&mailbox->letter.kind, memory_order_relaxed) != QUERN_CPU_LETTER_PIECE)
        __builtin_prefetch((const void *)atomic_load_explicit(&mailbox->letter.bound, memory_order_relaxed));
}

/* The worker has run the piece, or declines it. The leader of one that was taken back without a look at this may be on
 * to the next one, and asleep on that: it looks again then. */
static inline void quern_cpu_mailbox_answer(struct quern_cpu_mailbox *mailbox, uint64_t number, int failed,
                                            int declined)
{
    mailbox->failed = failed;
    mailbox->declined = declined;
    uint64_t before = atomic_exchange_explicit(&mailbox->done, number + 1, memory_order_acq_rel);
    if (!(before & 1))
        quern_parker_set((quern_parker *)(uintptr_t)before, 1);
}

/* The leader sleeps until the piece, which the worker has begun with, is answered, or less long. Nobody else sets the
 * parker. */
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
