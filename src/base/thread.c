/* Starting threads; see thread.h. */
#include "thread.h"

#include <signal.h>

int quern_thread_create(pthread_t *thread, const char *name, void *(*main)(void *argument), void *argument)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    int error = pthread_create(thread, NULL, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        pthread_setname_np(*thread, name);
    return error;
}
