/*
 * The coroutine that the calling thread runs: set by who switches stacks (src/task), looked at by who waits or needs a
 * large stack (src/runtime, src/compiler).
 *
 * A coroutine never moves to another thread once it has begun, so what is thread-local may be kept over a wait.
 */
#ifndef QUERN_BASE_COROUTINE_H
#define QUERN_BASE_COROUTINE_H

#include "circle.h"

typedef struct quern_coroutine {
    /* Suspends the calling coroutine, self, until unpark: one unpark for each park, perhaps before it. No lock is held
     * that another coroutine of the thread may want. */
    void (*park)(struct quern_coroutine *self);
    /* Lets it go on; any thread. The last that is done with self, which may be gone when this returns. */
    void (*unpark)(struct quern_coroutine *self);
    /* Lets the thread's other coroutines run for once. */
    void (*yield)(struct quern_coroutine *self);
    /* function(argument) on the thread's own stack, at once. Meanwhile quern_coroutine_self is NULL: what waits in
     * there blocks the thread. */
    void (*call)(struct quern_coroutine *self, void (*function)(void *argument), void *argument);
    quern_circle_node node; /* what it waits for */
} quern_coroutine;

/* NULL while the thread is on its own stack. Read at every command, so without a call. */
extern _Thread_local quern_coroutine *quern_coroutine_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* function(argument), on the thread's own stack: for kernels, compilers and drivers, which want more of it than a
 * coroutine has. */
static inline void quern_call_on_thread_stack(void (*function)(void *argument), void *argument)
{
    quern_coroutine *self = quern_coroutine_self;
    if (self)
        self->call(self, function, argument);
    else
        function(argument);
}

#endif
