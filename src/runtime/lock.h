/*
 * A lock that is waited for as everything else is (wait.h): a task or a coroutine of the program parks, a thread
 * sleeps.
 *
 * It belongs to nobody's thread, so it may be held over a wait, during which other tasks of the thread run; and it
 * costs no call while nobody else wants it. All zeros: free. Who has waited competes for it again, so that a holder
 * that takes it again at once, as in a loop of launches, need not wait for another one to get up.
 */
#ifndef QUERN_RUNTIME_LOCK_H
#define QUERN_RUNTIME_LOCK_H

#include <stdatomic.h>

#include <quern/status.h>

#include "base/spin.h"

enum { QUERN_LOCK_FREE, QUERN_LOCK_HELD, QUERN_LOCK_WANTED /* held, and somebody waits */ };

typedef struct quern_lock {
    _Atomic uint32_t state;
    quern_spin guard; /* of the list, and of the state's way to and from WANTED */
    struct quern_lock_waiter *first, *last;
} quern_lock;

quern_status quern_lock_take_slow(quern_lock *lock);
void quern_lock_release_slow(quern_lock *lock);

static inline int quern_lock_try(quern_lock *lock)
{
    uint32_t state = QUERN_LOCK_FREE;
    return atomic_compare_exchange_strong_explicit(&lock->state, &state, QUERN_LOCK_HELD, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* Not SUCCESS only where a hook of the program's failed (wait.h), and then the lock is not held: never in a thread of
 * the runtime. */
static inline quern_status quern_lock_take(quern_lock *lock)
{
    return quern_lock_try(lock) ? QUERN_SUCCESS : quern_lock_take_slow(lock);
}

static inline void quern_lock_release(quern_lock *lock)
{
    uint32_t state = QUERN_LOCK_HELD;
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &state, QUERN_LOCK_FREE, memory_order_release,
                                                 memory_order_relaxed))
        quern_lock_release_slow(lock);
}

#endif
