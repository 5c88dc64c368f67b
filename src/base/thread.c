/* Starting threads; see thread.h. */
#include "thread.h"

#include <signal.h>

/* With the signals blocked that are to be so in the new thread, which inherits that. */
static int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *argument), void *argument)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    int error = pthread_create(thread, attributes, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int quern_thread_create(pthread_t *thread, const char *name, size_t stack_bytes, void *(*main)(void *argument),
                        void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    error = create(thread, &attributes, main, argument);
    pthread_attr_destroy(&attributes);
    if (!error)
        pthread_setname_np(*thread, name);
    return error;
}
