/* Steps: host functions that note in which order they were called. */
#ifndef QUERN_CONFORMANCE_STEPS_H
#define QUERN_CONFORMANCE_STEPS_H

#include "trial.h"

enum { QUERN_MOST_STEPS = 256 };

typedef struct quern_steps quern_steps;

/* NULL when there is no memory for them. */
quern_steps *quern_steps_make(quern_trial *trial);

/* Queues a host function that notes step (from 0) when it runs. */
quern_status quern_steps_call(quern_steps *steps, quern_queue *queue, int step);

/* When the step ran: 1 for the first one that did, 0 for one that has not. */
int quern_steps_at(const quern_steps *steps, int step);

/* How many have run. */
int quern_steps_count(const quern_steps *steps);

/* A failure unless steps first to last have run, in this order. */
quern_verdict quern_steps_check(quern_trial *trial, const quern_steps *steps, int first, int last);

#endif
