/*
 * Threads of the runtime for what would block a task's thread: compilers, drivers that return when a command has
 * finished. The task is suspended meanwhile, so that the other tasks of its thread go on.
 *
 * As many threads as there are such calls at a time: one of them may wait for what another one brings about, so none
 * waits for a thread to become free. A few of them stay when there are no calls; the others end after a while.
 */
#ifndef QUERN_RUNTIME_OFFLOAD_H
#define QUERN_RUNTIME_OFFLOAD_H

#include <quern/status.h>

typedef quern_status quern_offload_function(void *argument);

/*
 * function(argument): in a task, or in a coroutine of the program (quern_wait_hooks_set), on a thread of the runtime
 * while the caller is suspended; else, and when no thread can be had, at once, on the thread's own stack. Its sentence
 * becomes the caller's. The caller holds no lock that another coroutine of its thread may want.
 */
quern_status quern_offload(quern_offload_function *function, void *argument);

/* Ends the threads; nobody is in quern_offload. For quern_shutdown. */
void quern_offload_stop(void);

#endif
