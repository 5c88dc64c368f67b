/*
 * Switching by POSIX ucontext, where there is no Boost.Context: portable among GNU systems, and slower, as every switch
 * asks the system for the signal mask and sets it.
 */
#include "fibre_switch.h"

#include <stdint.h>
#include <ucontext.h>

const char *quern_fibre_kind(void)
{
    return "ucontext";
}

/* makecontext passes ints only. */
static void enter(unsigned high, unsigned low)
{
    quern_fibre_run((quern_fibre *)(((uintptr_t)high << 32) | low));
}

void quern_fibre_make_context(quern_fibre *fibre)
{
    quern_stack *stack = fibre->stack;
    /* The context itself lies at the stack's beginning. */
    size_t room = (sizeof(ucontext_t) + 63) / 64 * 64;
    ucontext_t *context = (ucontext_t *)(void *)(stack->lowest + stack->size - room);
    uintptr_t address = (uintptr_t)fibre;
    getcontext(context); /* the mask and the rounding of the thread that begins it */
    context->uc_stack.ss_sp = stack->lowest;
    context->uc_stack.ss_size = stack->size - room;
    context->uc_link = NULL;
    makecontext(context, (void (*)(void))enter, 2, (unsigned)((uint64_t)address >> 32), (unsigned)address);
    fibre->context = context;
}

void quern_fibre_switch(quern_fibre *from, quern_fibre *to)
{
    ucontext_t here;
    from->context = &here;
    quern_fibre_announce(from, to, 0);
    swapcontext(&here, to->context);
    quern_fibre_arrive(from);
}

void quern_fibre_leave(quern_fibre *from, quern_fibre *to)
{
    quern_fibre_announce(from, to, 1);
    setcontext(to->context);
    __builtin_trap(); /* setcontext fails for a mask that the system does not know: it is the system's own */
}
