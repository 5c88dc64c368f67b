/*
 * Does it pay to give a small launch to several threads?
 *
 * Handing out a piece and learning that it is done takes the time in which one thread computes a few hundred to some
 * thousand items, depending on the kernel and on how far apart the processors are. So a kernel's small launches are
 * timed, some with several threads and some with one, and the faster way is taken for the next ones; from time to time
 * both are tried again. A launch that takes longer than a few microseconds is always shared out.
 *
 * Large launches are shared out in any case. Of those it is remembered whether they are over in some microseconds: then
 * every thread has one piece, while longer ones are given out in chunks, which evens out what one thread does faster
 * than another.
 */
#ifndef QUERN_BACKEND_CPU_TUNE_H
#define QUERN_BACKEND_CPU_TUNE_H

#include "cpu_processor.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* So many times of each way are compared. */
enum { QUERN_CPU_TIMES = 9 };

/* Launches of about the same number of items. Threads that launch one kernel at once may overwrite each other's
 * numbers here: a decision may then be less good, never wrong. */
struct quern_cpu_experience {
    _Atomic uint32_t phase, launches, samples; /* of the phase */
    _Atomic uint32_t shared, alone;            /* ticks: the middle one of the times seen */
    _Atomic uint32_t times[QUERN_CPU_TIMES];   /* of the phase */
    _Atomic uint32_t limit;                    /* so many launches use the result of the last trials */
    _Atomic uint32_t result, repeated;         /* that result, and how often in a row it has come again */
    _Atomic uint64_t since;                    /* the phase's begin, ticks */
};

enum { QUERN_CPU_SIZES = 40 };

/* A kernel's, by the logarithm of the number of items; all zero at first. */
struct quern_cpu_tuning {
    struct quern_cpu_experience sizes[QUERN_CPU_SIZES];
};

struct quern_cpu_trial {
    struct quern_cpu_experience *experience; /* NULL when this launch is not timed */
    int patient;                             /* 1: workers are given time to come, both ways being tried out */
    uint64_t begin;
};

/* A phase: trying out one way or the other, or using the faster one. */
enum quern_cpu_phase { QUERN_CPU_TRY_SHARED, QUERN_CPU_TRY_ALONE, QUERN_CPU_SHARED, QUERN_CPU_ALONE };

/* What is known of a kernel's launches of about so many items. */
static inline struct quern_cpu_experience *quern_cpu_tune_find(struct quern_cpu_tuning *tuning, size_t items)
{
    int size = 63 - __builtin_clzll(items | 1);
    return &tuning->sizes[size < QUERN_CPU_SIZES ? size : QUERN_CPU_SIZES - 1];
}

/* 1 when such a launch is one of many that one thread is to run: it is counted, and nothing else is to be done. 0: ask
 * quern_cpu_tune_begin. */
static inline int quern_cpu_tune_is_alone(struct quern_cpu_experience *experience)
{
    uint32_t launches = atomic_load_explicit(&experience->launches, memory_order_relaxed);
    if (atomic_load_explicit(&experience->phase, memory_order_relaxed) != QUERN_CPU_ALONE ||
        launches >= atomic_load_explicit(&experience->limit, memory_order_relaxed))
        return 0;
    atomic_store_explicit(&experience->launches, launches + 1, memory_order_relaxed);
    return 1;
}

/* 1 when such a launch is to be shared out, 0 when one thread is to run it. */
int quern_cpu_tune_begin(struct quern_cpu_experience *experience, struct quern_cpu_trial *trial);

/* 1 when a large launch of so many items is known to be short. */
int quern_cpu_tune_is_short(struct quern_cpu_tuning *tuning, size_t items, struct quern_cpu_trial *trial);

/* The launch of such a trial has run. */
void quern_cpu_tune_end_large(struct quern_cpu_trial *trial);

/* The launch of the trial has run; shared is 1 when another thread took part. */
void quern_cpu_tune_end(struct quern_cpu_trial *trial, int shared);

#endif
