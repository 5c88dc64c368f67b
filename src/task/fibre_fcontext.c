/*
 * Switching by Boost.Context's fcontext: the registers that a call keeps go onto the stack, the stack pointer is
 * exchanged, and no system call is made.
 *
 * Boost's headers for it are C++, so its two functions are declared here; this is the interface that they have had
 * since version 1.61. They are hidden: they become part of the library (cmake/QuernOptions.cmake), which does not offer
 * them to others.
 */
#include "fibre_switch.h"

typedef struct transfer {
    void *context; /* of the one that switched to here */
    void *data;
} transfer;

transfer jump_fcontext(void *context, void *data) __attribute__((visibility("hidden")));
void *make_fcontext(void *top, size_t size, void (*entry)(transfer)) __attribute__((visibility("hidden")));

const char *quern_fibre_kind(void)
{
    return "fcontext";
}

static void enter(transfer came)
{
    quern_fibre *self = came.data;
    self->comes_from->context = came.context;
    quern_fibre_run(self);
}

void quern_fibre_make_context(quern_fibre *fibre)
{
    quern_stack *stack = fibre->stack;
    fibre->context = make_fcontext(stack->lowest + stack->size, stack->size, enter);
}

void quern_fibre_switch(quern_fibre *from, quern_fibre *to)
{
    quern_fibre_announce(from, to, 0);
    transfer came = jump_fcontext(to->context, to);
    from->comes_from->context = came.context;
    quern_fibre_arrive(from);
}

void quern_fibre_leave(quern_fibre *from, quern_fibre *to)
{
    quern_fibre_announce(from, to, 1);
    jump_fcontext(to->context, to);
    __builtin_unreachable();
}
