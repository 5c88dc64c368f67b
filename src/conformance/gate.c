/* Gates: how they hold, and when they give way. */
#include "gate.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct quern_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t submitter;
    int submitting; /* 1 while quern_queue_call runs */
    int open, passed, gave_way;
    quern_status status;
};

/* Long enough for a thread to submit a few commands, short enough to be spent some dozen times. */
static const long patience = 100 * 1000 * 1000; /* nanoseconds */

static struct timespec deadline(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += patience;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static quern_status pass(void *argument)
{
    quern_gate *gate = argument;
    struct timespec end = deadline();
    pthread_mutex_lock(&gate->lock);
    int hold = !(gate->submitting && pthread_equal(gate->submitter, pthread_self()));
    while (hold && !gate->open)
        hold = pthread_cond_timedwait(&gate->changed, &gate->lock, &end) == 0;
    gate->gave_way = !gate->open;
    gate->passed = 1;
    quern_status status = gate->status;
    pthread_mutex_unlock(&gate->lock);
    return status;
}

int quern_gate_is_closed(quern_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    int closed = !gate->open && !gate->passed;
    pthread_mutex_unlock(&gate->lock);
    return closed;
}

void quern_gate_open(quern_gate *gate)
{
    static const struct timespec chance = {0, 3000000};
    if (quern_gate_is_closed(gate))
        nanosleep(&chance, NULL);
    pthread_mutex_lock(&gate->lock);
    gate->open = 1;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

int quern_gate_gave_way(quern_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    int gave_way = gate->gave_way;
    pthread_mutex_unlock(&gate->lock);
    return gave_way;
}

static void open_early(void *gate)
{
    quern_gate_open(gate);
}

static void destroy(void *argument)
{
    quern_gate *gate = argument;
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
    free(gate);
}

quern_verdict quern_gate_make(quern_trial *trial, quern_queue *queue, quern_status status, quern_gate **result)
{
    quern_gate *gate = calloc(1, sizeof *gate);
    *result = gate;
    QUERN_WANT(trial, gate, "no memory for a gate");
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
    gate->submitter = pthread_self();
    gate->status = status;
    quern_trial_keep(trial, gate, open_early, destroy);
    pthread_mutex_lock(&gate->lock);
    gate->submitting = 1;
    pthread_mutex_unlock(&gate->lock);
    quern_status called = quern_queue_call(queue, pass, gate);
    pthread_mutex_lock(&gate->lock);
    gate->submitting = 0;
    pthread_mutex_unlock(&gate->lock);
    QUERN_TRY(trial, called);
    return QUERN_PASSED;
}
