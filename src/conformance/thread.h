/*
 * Threads of the suite: each has a stack aside for signal handlers, so that a backend which overflows the thread's own
 * is reported as any other crash.
 */
#ifndef QUERN_CONFORMANCE_THREAD_H
#define QUERN_CONFORMANCE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* As pthread_create with default attributes. */
int quern_conformance_thread_start(pthread_t *thread, void *(*function)(void *argument), void *argument);

/* A stack aside for the calling thread, until it is given back on the same thread. memory is NULL when the thread had
 * one already, or there is no memory for one: an overflow then ends the process without a word. */
typedef struct quern_signal_stack {
    void *memory;
    size_t bytes;
} quern_signal_stack;

quern_signal_stack quern_signal_stack_begin(void);
void quern_signal_stack_end(quern_signal_stack stack);

#endif
