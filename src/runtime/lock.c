/* Waiting for a lock; see lock.h. */
#include "lock.h"

#include "wait.h"

enum { LOOKS = 64 }; /* before a wait: most locks are held for a moment */

/* On the stack of one who waits. */
typedef struct quern_lock_waiter {
    quern_wait_cell cell;
    struct quern_lock_waiter *next;
} quern_lock_waiter;

static int look(quern_lock *lock)
{
    for (int i = 0; i < LOOKS; ++i)
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == QUERN_LOCK_FREE && quern_lock_try(lock))
            return 1;
    return 0;
}

/* 1: the lock is the caller's. Whatever it was, whoever releases it now looks at the list. */
static int take_wanted(quern_lock *lock)
{
    return atomic_exchange_explicit(&lock->state, QUERN_LOCK_WANTED, memory_order_acquire) == QUERN_LOCK_FREE;
}

/* Takes the lock, or puts the waiter at the end of the list: 0. */
static int take_or_list(quern_lock *lock, quern_lock_waiter *waiter)
{
    quern_spin_lock(&lock->guard);
    int taken = take_wanted(lock);
    if (!taken) {
        waiter->next = NULL;
        *(lock->first ? &lock->last->next : &lock->first) = waiter;
        lock->last = waiter;
    }
    quern_spin_unlock(&lock->guard);
    return taken;
}

/* 1 when the waiter was in the list still. */
static int take_off(quern_lock *lock, const quern_lock_waiter *waiter)
{
    quern_lock_waiter *before = NULL;
    quern_spin_lock(&lock->guard);
    quern_lock_waiter *at = lock->first;
    while (at && at != waiter) {
        before = at;
        at = at->next;
    }
    if (at) {
        *(before ? &before->next : &lock->first) = at->next;
        if (lock->last == at)
            lock->last = before;
    }
    quern_spin_unlock(&lock->guard);
    return at != NULL;
}

/* The waiter could not be parked. If it has been told of a release all the same, that is another one's to hear. */
static void give_up(quern_lock *lock, quern_lock_waiter *waiter)
{
    if (take_off(lock, waiter)) {
        quern_wait_end(&waiter->cell);
        return;
    }
    quern_wait_settle(&waiter->cell);
    quern_spin_lock(&lock->guard);
    int taken = take_wanted(lock);
    quern_spin_unlock(&lock->guard);
    if (taken)
        quern_lock_release_slow(lock);
}

quern_status quern_lock_take_slow(quern_lock *lock)
{
    if (look(lock))
        return QUERN_SUCCESS;
    for (;;) {
        quern_lock_waiter waiter;
        quern_wait_begin(&waiter.cell);
        if (take_or_list(lock, &waiter)) {
            quern_wait_end(&waiter.cell);
            return QUERN_SUCCESS;
        }
        quern_status status = quern_wait_park(&waiter.cell);
        if (status != QUERN_SUCCESS) {
            give_up(lock, &waiter);
            return status;
        }
    }
}

/* WANTED stays only in the hands of one who was woken: he does not know whether others wait too. */
void quern_lock_release_slow(quern_lock *lock)
{
    quern_spin_lock(&lock->guard);
    quern_lock_waiter *first = lock->first;
    if (first)
        lock->first = first->next;
    atomic_store_explicit(&lock->state, QUERN_LOCK_FREE, memory_order_release);
    quern_spin_unlock(&lock->guard);
    if (first)
        quern_wait_wake(&first->cell);
}
