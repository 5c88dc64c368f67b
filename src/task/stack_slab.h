/* Inside of the stacks' pool: where new stacks come from. Many are mapped at a time, and made ready one by one. */
#ifndef QUERN_TASK_STACK_SLAB_H
#define QUERN_TASK_STACK_SLAB_H

#include "stack.h"

/* A stack that was never used. OUT_OF_MEMORY. */
quern_status quern_stack_new(quern_stack **stack);

/* Gives the memory of all but the topmost bytes back to the system. */
void quern_stack_trim(quern_stack *stack, size_t kept);

/* Unmaps all; none is in use or in the pool. */
void quern_slabs_free(void);

#endif
