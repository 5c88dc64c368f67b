/* A parker, of a mutex and a condition variable. */
#include "park.h"

#include "error.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* The condition variable counts time by the clock that nobody sets. */
static int make_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error)
        return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error)
        error = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return error;
}

quern_status quern_parker_init(quern_parker *parker)
{
    parker->reasons = 0;
    int error = pthread_mutex_init(&parker->mutex, NULL);
    if (!error) {
        error = make_condition(&parker->condition);
        if (error)
            pthread_mutex_destroy(&parker->mutex);
    }
    if (error)
        return quern_fail(QUERN_SYSTEM_ERROR, "a thread's place to sleep cannot be made: %s", strerror(error));
    return QUERN_SUCCESS;
}

void quern_parker_destroy(quern_parker *parker)
{
    pthread_cond_destroy(&parker->condition);
    pthread_mutex_destroy(&parker->mutex);
}

void quern_parker_set(quern_parker *parker, unsigned reasons)
{
    pthread_mutex_lock(&parker->mutex);
    parker->reasons |= reasons;
    /* Within the lock: once it is free, the waiting thread may destroy the parker. */
    pthread_cond_signal(&parker->condition);
    pthread_mutex_unlock(&parker->mutex);
}

unsigned quern_parker_wait(quern_parker *parker)
{
    pthread_mutex_lock(&parker->mutex);
    while (!parker->reasons)
        pthread_cond_wait(&parker->condition, &parker->mutex);
    unsigned reasons = parker->reasons;
    parker->reasons = 0;
    pthread_mutex_unlock(&parker->mutex);
    return reasons;
}

/* The time by the clock that nobody sets, nanoseconds from now. */
static struct timespec time_after(int64_t nanoseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    if (nanoseconds < 0)
        nanoseconds = 0;
    time.tv_sec += (time_t)(nanoseconds / 1000000000);
    time.tv_nsec += (long)(nanoseconds % 1000000000);
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        ++time.tv_sec;
    }
    return time;
}

unsigned quern_parker_wait_for(quern_parker *parker, int64_t nanoseconds)
{
    struct timespec end = time_after(nanoseconds);
    pthread_mutex_lock(&parker->mutex);
    int error = 0;
    while (!parker->reasons && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&parker->condition, &parker->mutex, &end);
    unsigned reasons = parker->reasons;
    parker->reasons = 0;
    pthread_mutex_unlock(&parker->mutex);
    return reasons;
}
