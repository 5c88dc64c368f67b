/* Threads with a stack aside for signal handlers; see thread.h. */
#include "thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK_BYTES = 128 << 10 }; /* a processor's registers, which the kernel saves there, take up to 12 KiB */

quern_signal_stack quern_signal_stack_begin(void)
{
    quern_signal_stack stack = {NULL, STACK_BYTES};
    stack_t present, own;
    if (sigaltstack(NULL, &present) != 0 || !(present.ss_flags & SS_DISABLE))
        return stack;
    void *memory = mmap(NULL, stack.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return stack;
    memset(&own, 0, sizeof own);
    own.ss_sp = memory;
    own.ss_size = stack.bytes;
    if (sigaltstack(&own, NULL) == 0)
        stack.memory = memory;
    else
        munmap(memory, stack.bytes);
    return stack;
}

void quern_signal_stack_end(quern_signal_stack stack)
{
    stack_t none;
    if (!stack.memory)
        return;
    memset(&none, 0, sizeof none);
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(&none, NULL) == 0)
        munmap(stack.memory, stack.bytes);
}

typedef struct beginning {
    void *(*function)(void *argument);
    void *argument;
} beginning;

static void *begin(void *argument)
{
    const beginning begin = *(beginning *)argument;
    free(argument);
    quern_signal_stack stack = quern_signal_stack_begin();
    void *result = begin.function(begin.argument);
    quern_signal_stack_end(stack);
    return result;
}

int quern_conformance_thread_start(pthread_t *thread, void *(*function)(void *argument), void *argument)
{
    beginning *made = malloc(sizeof *made);
    if (!made)
        return ENOMEM;
    *made = (beginning){function, argument};
    int error = pthread_create(thread, NULL, begin, made);
    if (error)
        free(made);
    return error;
}
