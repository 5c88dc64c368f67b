/* Engaging workers, and waiting for them. */
#include "cpu_team.h"

/* How long a leader waits for a worker that runs a piece: turns of pausing, then of yielding, then it sleeps. */
enum { PAUSES = 2000, PAUSES_WHEN_CROWDED = 100, YIELDS = 50 };

/* 1 when the leader may wake one more worker: there is a CPU for it. */
static int may_wake(const struct quern_cpu_thread *self)
{
    unsigned running = atomic_load_explicit(&quern_cpu_pool.awake, memory_order_relaxed) + (self->worker ? 0 : 1);
    return running < quern_cpu_pool.cpus;
}

static int is_asleep(struct quern_cpu_worker *worker)
{
    return atomic_load_explicit(&worker->asleep, memory_order_relaxed) != 0;
}

/* What will be written next comes over from the worker's cache meanwhile. */
static struct quern_cpu_worker **add(struct quern_cpu_worker **link, struct quern_cpu_worker *worker)
{
    quern_cpu_fetch_to_write(&worker->mailbox.post);
    quern_cpu_fetch_to_write(&worker->cursor);
    *link = worker;
    return &worker->cursor.following;
}

/* Those that are awake before those that sleep. */
unsigned quern_cpu_team_engage(struct quern_cpu_device *device, const struct quern_cpu_thread *self, unsigned wanted,
                               struct quern_cpu_worker **first)
{
    unsigned count = 0, asleep = 0;
    struct quern_cpu_worker **link = first;
    for (unsigned i = 0; i < device->thread_count && count < wanted; ++i) {
        struct quern_cpu_worker *worker = &device->workers[i];
        if (is_asleep(worker)) {
            ++asleep;
        } else if (worker != self->worker && !atomic_load_explicit(&worker->leading, memory_order_relaxed) &&
                   quern_cpu_mailbox_reserve(&worker->mailbox)) {
            link = add(link, worker);
            ++count;
        }
    }
    for (unsigned i = 0; asleep && count < wanted && i < device->thread_count && may_wake(self); ++i) {
        struct quern_cpu_worker *worker = &device->workers[i];
        if (is_asleep(worker) && quern_cpu_mailbox_reserve(&worker->mailbox)) {
            quern_cpu_worker_wake(worker);
            link = add(link, worker);
            ++count;
        }
    }
    *link = NULL;
    return count;
}

/* Until the worker has finished the piece that it runs. */
static void wait_for(struct quern_cpu_mailbox *mailbox, struct quern_cpu_thread *self)
{
    int pauses = quern_cpu_is_crowded() ? PAUSES_WHEN_CROWDED : PAUSES;
    for (int i = 0; i < pauses; ++i) {
        if (quern_cpu_mailbox_is_done(mailbox))
            return;
        quern_cpu_pause();
    }
    for (int i = 0; i < YIELDS; ++i) {
        if (quern_cpu_mailbox_is_done(mailbox))
            return;
        sched_yield();
    }
    while (!quern_cpu_mailbox_is_done(mailbox))
        quern_cpu_mailbox_sleep(mailbox, &self->parker);
}

int quern_cpu_team_settle(struct quern_cpu_worker *worker, uint32_t patience, struct quern_cpu_thread *self)
{
    struct quern_cpu_mailbox *mailbox = &worker->mailbox;
    for (uint32_t i = 0;; ++i) {
        if (quern_cpu_mailbox_is_done(mailbox))
            return 1;
        if (i >= patience)
            break;
        quern_cpu_pause();
    }
    if (quern_cpu_mailbox_take_back(mailbox))
        return 0;
    wait_for(mailbox, self);
    return !mailbox->declined;
}
