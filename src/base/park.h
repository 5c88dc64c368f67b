/*
 * A parker: one thread sleeps on it until another one sets it, for one or several reasons (bits).
 *
 * The set is remembered, so it does not matter which of the two comes first; a wait takes all reasons
 * away. One thread waits at a time, any number may set. Once a wait has given a reason, whoever set it
 * is done with the parker, so that its memory may go when no other reason can come.
 */
#ifndef QUERN_BASE_PARK_H
#define QUERN_BASE_PARK_H

#include <quern/status.h>

#include <pthread.h>

typedef struct quern_parker {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    unsigned reasons;
} quern_parker;

/* SYSTEM_ERROR when the system has no more of what it takes; then there is nothing to destroy. */
quern_status quern_parker_init(quern_parker *parker);

/* Nobody waits and nobody will set it any more. */
void quern_parker_destroy(quern_parker *parker);

/* reasons is not 0. */
void quern_parker_set(quern_parker *parker, unsigned reasons);

/* Sleeps until set, and takes the reasons away. */
unsigned quern_parker_wait(quern_parker *parker);

/* The same, for at most so many nanoseconds: 0 when the time was up. */
unsigned quern_parker_wait_for(quern_parker *parker, int64_t nanoseconds);

#endif
