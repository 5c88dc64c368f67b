/* Starting the library's own threads. */
#ifndef QUERN_BASE_THREAD_H
#define QUERN_BASE_THREAD_H

#include <pthread.h>

#include <stddef.h>

/* A thread that runs main(argument) and is to be joined; name, of at most 15 letters, is what debuggers show; its stack
 * has stack_bytes, or, with 0, what the system gives. Signals
 * are the business of the program's own threads, but for those that an instruction brings about: blocked, they would
 * end the process past the program's handlers. 0, or errno's number. */
int quern_thread_create(pthread_t *thread, const char *name, size_t stack_bytes, void *(*main)(void *argument),
                        void *argument);

#endif
