/*
 * Inside of the fibres: what the two ways of switching (fibre_fcontext.c, fibre_ucontext.c) have in common with
 * fibre.c, and what the sanitizers are told. The telling is inlined, as it has to happen in the frame that switches.
 */
#ifndef QUERN_TASK_FIBRE_SWITCH_H
#define QUERN_TASK_FIBRE_SWITCH_H

#include "fibre.h"
#include "sanitizer.h"

#define QUERN_FIBRE_INLINE static inline __attribute__((always_inline))

/* Sets fibre->context, so that the first switch to it calls quern_fibre_run(fibre) on its stack. */
void quern_fibre_make_context(quern_fibre *fibre);

/* What a fibre does first. */
void quern_fibre_run(quern_fibre *fibre) __attribute__((noreturn));

/* Right before the switch. */
QUERN_FIBRE_INLINE void quern_fibre_announce(quern_fibre *from, quern_fibre *to, int for_good)
{
    to->comes_from = from;
    (void)for_good;
#ifdef QUERN_ASAN
    __sanitizer_start_switch_fiber(for_good ? NULL : &from->asan_stack, to->bottom, to->size);
#endif
#ifdef QUERN_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
}

/* Right after it, on the stack of the one that now runs. */
QUERN_FIBRE_INLINE void quern_fibre_arrive(quern_fibre *self)
{
    (void)self;
#ifdef QUERN_ASAN
    /* Where a thread's own stack lies is learnt when it is left. */
    __sanitizer_finish_switch_fiber(self->asan_stack, &self->comes_from->bottom, &self->comes_from->size);
#endif
}

#endif
