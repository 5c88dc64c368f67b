/*
 * Fibres: a function on a stack of its own, and switching between stacks.
 *
 * By Boost.Context's fcontext where that is installed (a few nanoseconds a switch), else by POSIX ucontext. Both sides
 * of a switch are told to AddressSanitizer, ThreadSanitizer and valgrind when they are about. The signal mask is the
 * thread's: no fibre changes it for itself, as fcontext does not keep one per fibre.
 *
 * A thread's own stack takes part as a fibre without a stack (quern_fibre_adopt). A fibre never moves to another
 * thread.
 *
 * ThreadSanitizer knows some 8,000 threads and begun fibres at a time, and ends the process at more.
 */
#ifndef QUERN_TASK_FIBRE_H
#define QUERN_TASK_FIBRE_H

#include <stddef.h>

#include "stack.h"

typedef struct quern_fibre {
    void *context;                    /* where it goes on: fcontext's, or a ucontext_t on its stack */
    void (*function)(void *argument); /* must not return: its last act is to switch away for good */
    void *argument;
    quern_stack *stack;             /* NULL: the thread's own */
    struct quern_fibre *comes_from; /* who switched to it last */
    /* What sanitizers want to know; unused without them. */
    void *asan_stack;   /* AddressSanitizer's fake stack while away */
    const void *bottom; /* of the stack, lowest address */
    size_t size;
    void *tsan; /* ThreadSanitizer's fibre */
} quern_fibre;

/* "fcontext" or "ucontext": which one this build has. */
const char *quern_fibre_kind(void);

/* The calling thread's own stack as a fibre to come back to. */
void quern_fibre_adopt(quern_fibre *fibre);

/* A fibre that calls function(argument) on stack when it is first switched to. The stack is the caller's, and may be
 * given another fibre after quern_fibre_end. */
void quern_fibre_begin(quern_fibre *fibre, quern_stack *stack, void (*function)(void *argument), void *argument);

/* From the running fibre to the other; returns when somebody switches back. */
void quern_fibre_switch(quern_fibre *from, quern_fibre *to);

/* The same when from is never switched to again. */
void quern_fibre_leave(quern_fibre *from, quern_fibre *to) __attribute__((noreturn));

/* A fibre that has left, or was never switched to: releases what the sanitizers keep of it. */
void quern_fibre_end(quern_fibre *fibre);

#endif
