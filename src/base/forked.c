/* Noticing a fork; see forked.h. */
#include "forked.h"

#include <pthread.h>
#include <string.h>

#include "error.h"

_Atomic int quern_forked;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int is_watched;

/* In the child. Its only thread is the one that forked. */
static void note_fork(void)
{
    atomic_store_explicit(&quern_forked, 1, memory_order_relaxed);
}

quern_status quern_forked_watch(void)
{
    int error = 0;
    if (atomic_load_explicit(&is_watched, memory_order_relaxed))
        return QUERN_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_watched))
        error = pthread_atfork(NULL, NULL, note_fork);
    atomic_store(&is_watched, !error);
    pthread_mutex_unlock(&lock);
    if (error)
        return quern_fail(QUERN_OUT_OF_MEMORY, "forks of the process cannot be noticed: %s", strerror(error));
    return QUERN_SUCCESS;
}

quern_status quern_forked_refuse(const char *what)
{
    return quern_fail(QUERN_NOT_SUPPORTED,
                      "%s in a process made by fork, which has none of the library's threads; wanted the process that "
                      "started the library, or one that has called exec",
                      what);
}
