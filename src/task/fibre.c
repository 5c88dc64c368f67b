/* Fibres: what does not depend on how the processor's registers are exchanged. */
#include "fibre.h"

#include "fibre_switch.h"

void quern_fibre_adopt(quern_fibre *fibre)
{
    *fibre = (quern_fibre){0};
#ifdef QUERN_TSAN
    fibre->tsan = __tsan_get_current_fiber();
#endif
}

void quern_fibre_begin(quern_fibre *fibre, quern_stack *stack, void (*function)(void *argument), void *argument)
{
    *fibre = (quern_fibre){
        .function = function, .argument = argument, .stack = stack, .bottom = stack->lowest, .size = stack->size};
#ifdef QUERN_TSAN
    fibre->tsan = __tsan_create_fiber(0);
#endif
    quern_fibre_make_context(fibre);
}

void quern_fibre_run(quern_fibre *fibre)
{
    quern_fibre_arrive(fibre);
    fibre->function(fibre->argument);
    __builtin_trap(); /* there is nothing to return to */
}

void quern_fibre_end(quern_fibre *fibre)
{
    (void)fibre;
#ifdef QUERN_TSAN
    __tsan_destroy_fiber(fibre->tsan);
    fibre->tsan = NULL;
#endif
}
