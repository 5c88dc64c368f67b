/* Steps: noting and checking. */
#include "steps.h"

#include <stdatomic.h>

typedef struct step {
    quern_steps *steps;
    _Atomic int at;
} step;

struct quern_steps {
    _Atomic int count;
    step all[QUERN_MOST_STEPS];
};

quern_steps *quern_steps_make(quern_trial *trial)
{
    quern_steps *steps = quern_trial_memory(trial, sizeof *steps);
    for (int i = 0; steps && i < QUERN_MOST_STEPS; ++i)
        steps->all[i].steps = steps;
    return steps;
}

static quern_status note(void *argument)
{
    step *s = argument;
    atomic_store(&s->at, atomic_fetch_add(&s->steps->count, 1) + 1);
    return QUERN_SUCCESS;
}

quern_status quern_steps_call(quern_steps *steps, quern_queue *queue, int number)
{
    return quern_queue_call(queue, note, &steps->all[number]);
}

int quern_steps_at(const quern_steps *steps, int number)
{
    return atomic_load(&steps->all[number].at);
}

int quern_steps_count(const quern_steps *steps)
{
    return atomic_load(&steps->count);
}

quern_verdict quern_steps_check(quern_trial *trial, const quern_steps *steps, int first, int last)
{
    for (int i = first; i <= last; ++i) {
        QUERN_WANT(trial, quern_steps_at(steps, i) > 0, "step %d of %d to %d has not run", i, first, last);
        QUERN_WANT(trial, i == first || quern_steps_at(steps, i) > quern_steps_at(steps, i - 1),
                   "step %d ran as number %d, before step %d, which was number %d", i, quern_steps_at(steps, i), i - 1,
                   quern_steps_at(steps, i - 1));
    }
    return QUERN_PASSED;
}
