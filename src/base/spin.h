/*
 * A lock for a few instructions: no call when it is free, and where the kernel may take the holder's
 * processor away meanwhile, those who wait give up theirs. Whatever may block uses a mutex instead.
 */
#ifndef QUERN_BASE_SPIN_H
#define QUERN_BASE_SPIN_H

#include <sched.h>
#include <stdatomic.h>

typedef struct quern_spin {
    _Atomic int held;
} quern_spin;

enum { QUERN_SPINS_BEFORE_YIELD = 64 };

/* Apart: a call of the system's in the middle would make every function that locks save its registers first. */
static __attribute__((noinline, cold, unused)) void quern_spin_wait_(quern_spin *spin)
{
    int tries = 0;
    do
        while (atomic_load_explicit(&spin->held, memory_order_relaxed))
            if (++tries >= QUERN_SPINS_BEFORE_YIELD)
                sched_yield();
    while (atomic_exchange_explicit(&spin->held, 1, memory_order_acquire));
}

static inline void quern_spin_lock(quern_spin *spin)
{
    if (__builtin_expect(atomic_exchange_explicit(&spin->held, 1, memory_order_acquire), 0))
        quern_spin_wait_(spin);
}

static inline void quern_spin_unlock(quern_spin *spin)
{
    atomic_store_explicit(&spin->held, 0, memory_order_release);
}

#endif
