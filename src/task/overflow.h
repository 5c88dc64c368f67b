/*
 * A message for a task that runs over the end of its stack: "quern: task 'name' ran over its stack of 256 KiB", written
 * to standard error before the process dies of the fault as it would have anyway. The one thing that the library
 * prints, as there is nobody left to return a status to.
 *
 * The task that is named is the one that ran over, which need not be the one whose memory was hit, or that found it
 * out.
 */
#ifndef QUERN_TASK_OVERFLOW_H
#define QUERN_TASK_OVERFLOW_H

#include "stack.h"

/*
 * The calling task thread gets a stack for signals, unless it has one; and, with the first thread, the process a
 * handler for SIGSEGV and SIGBUS, unless it has one already: a handler of the program's is left alone. Faults that are
 * no overrun go the way that they would have gone. OUT_OF_MEMORY, and the thread runs without.
 */
quern_status quern_overflow_watch(void);

/* The thread ends: its signal stack is freed. */
void quern_overflow_unwatch(void);

/* Takes the process's handlers away, where they are still ours; another watch brings them back. For quern_shutdown. */
void quern_overflow_stop(void);

/* The gap of the stack was seen to be touched: writes the message and aborts, as other tasks' memory is spoilt. Whoever
 * came through from a stack further up is named, if somebody did. */
void quern_overflow_die(const quern_stack *stack) __attribute__((noreturn));

/* The running task is about to switch, with its stack pointer here, below its stack: the same, unless it is on a stack
 * that the program made by itself. */
void quern_overflow_check(const quern_stack *stack, const void *here) __attribute__((cold));

#endif
