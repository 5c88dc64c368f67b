/* Released queues and programs, until their commands have finished. */
#include "graveyard.h"

#include <sched.h>

#include "base/forked.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static quern_queue *queues;     /* linked by next_buried */
static quern_program *programs; /* linked by next_buried */
static _Atomic int anything;    /* keeps the sweep of an empty graveyard free */

void quern_graveyard_bury_queue(quern_queue *queue)
{
    pthread_mutex_lock(&lock);
    queue->next_buried = queues;
    queues = queue;
    atomic_store(&anything, 1);
    pthread_mutex_unlock(&lock);
}

void quern_graveyard_bury_program(quern_program *program)
{
    pthread_mutex_lock(&lock);
    program->next_buried = programs;
    programs = program;
    atomic_store(&anything, 1);
    pthread_mutex_unlock(&lock);
}

static int queue_is_done(quern_queue *queue)
{
    /* Not while it is pinned: the thread that has it may be this one, further up. */
    return quern_progress_finished(queue->progress) >= quern_progress_submitted(queue->progress) &&
           !quern_progress_is_pinned(queue->progress);
}

/* A later look at what runs covers all that an earlier one would have. */
static int program_is_done(quern_program *program)
{
    if (program->undated)
        program->undated = quern_queues_snapshot(&program->last_uses) != QUERN_SUCCESS;
    if (program->undated)
        return 0;
    for (size_t i = 0; i < program->last_uses.count; ++i)
        if (quern_progress_finished(program->last_uses.entries[i].progress) < program->last_uses.entries[i].number)
            return 0;
    return 1;
}

/* Takes out what has finished; the destroying happens outside the lock. */
static void take_done(quern_queue **done_queues, quern_program **done_programs)
{
    *done_queues = NULL;
    *done_programs = NULL;
    pthread_mutex_lock(&lock);
    for (quern_queue **link = &queues; *link;) {
        quern_queue *queue = *link;
        if (!queue_is_done(queue)) {
            link = &queue->next_buried;
            continue;
        }
        *link = queue->next_buried;
        queue->next_buried = *done_queues;
        *done_queues = queue;
    }
    for (quern_program **link = &programs; *link;) {
        quern_program *program = *link;
        if (!program_is_done(program)) {
            link = &program->next_buried;
            continue;
        }
        *link = program->next_buried;
        program->next_buried = *done_programs;
        *done_programs = program;
    }
    atomic_store(&anything, queues != NULL || programs != NULL);
    pthread_mutex_unlock(&lock);
}

void quern_graveyard_sweep(void)
{
    if (!atomic_load_explicit(&anything, memory_order_acquire) || quern_process_is_forked())
        return;
    quern_queue *done_queues;
    quern_program *done_programs;
    take_done(&done_queues, &done_programs);
    while (done_programs) {
        quern_program *next = done_programs->next_buried;
        quern_program_destroy(done_programs);
        done_programs = next;
    }
    while (done_queues) {
        quern_queue *next = done_queues->next_buried;
        quern_queue_destroy(done_queues);
        done_queues = next;
    }
}

void quern_graveyard_drain(void)
{
    for (;;) {
        quern_graveyard_sweep();
        pthread_mutex_lock(&lock);
        quern_progress *progress = queues ? queues->progress : NULL;
        uint64_t number = progress ? quern_progress_submitted(progress) : 0;
        if (!progress && programs)
            for (size_t i = 0; i < programs->last_uses.count && !progress; ++i)
                if (quern_progress_finished(programs->last_uses.entries[i].progress) <
                    programs->last_uses.entries[i].number) {
                    progress = programs->last_uses.entries[i].progress;
                    number = programs->last_uses.entries[i].number;
                }
        int empty = !queues && !programs;
        int stuck = !queues && programs && programs->undated; /* no memory, still */
        pthread_mutex_unlock(&lock);
        if (empty || stuck)
            return;
        if (progress)
            (void)quern_progress_wait(progress, number);
        sched_yield(); /* a thread may be about to let go of a finished queue */
    }
}
