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

static inline void quern_spin_lock(quern_spin *spin)
{
    int tries = 0;
    while (atomic_exchange_explicit(&spin->held, 1, memory_order_acquire))
        while (atomic_load_explicit(&spin->held, memory_order_relaxed))
            if (++tries >= QUERN_SPINS_BEFORE_YIELD)
                sched_yield();
}

static inline void quern_spin_unlock(quern_spin *spin)
{
    atomic_store_explicit(&spin->held, 0, memory_order_release);
}

#endif
