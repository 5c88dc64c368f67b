/*
 * Stacks of tasks: 256 KiB of address space each, of which only what is touched becomes memory; taken from a pool and
 * given back to it.
 *
 * Below each stack lies a gap of 256 KiB, which costs address space only. While the system's number of mappings allows
 * it (a gap costs two of vm.max_map_count, and half of those may be used) nobody may touch it, and running over the end
 * is a fault there, which the handler of overflow.h puts into words. Otherwise an overrun is seen at the next switch,
 * by where the stack pointer is or by the gap's upper end, which is a canary; a frame that stepped over the canary is
 * seen by the rest of the gap when the task ends.
 *
 * Thread safe. Stacks are mapped many at a time. One that is given back keeps its memory for the next user; of many
 * idle ones it goes back to the system.
 */
#ifndef QUERN_TASK_STACK_H
#define QUERN_TASK_STACK_H

#include <stddef.h>
#include <stdint.h>

#include <quern/status.h>

enum { QUERN_STACK_BYTES = 256 * 1024, QUERN_STACK_GAP = 256 * 1024, QUERN_STACK_CANARY = 256 };

typedef struct quern_stack {
    char *lowest; /* the first byte that may be used, above the gap */
    size_t size;  /* bytes from there; the stack begins at lowest + size and grows downwards */
    int is_guarded;
    unsigned valgrind;        /* its number there */
    const char *name;         /* of the task that runs on it, for the message of an overflow; or NULL */
    struct quern_stack *next; /* in the pool */
} quern_stack;

/* One from the pool, or a new one. OUT_OF_MEMORY. */
quern_status quern_stack_take(quern_stack **stack);

/* Back to the pool; nothing runs on it any more. */
void quern_stack_give_back(quern_stack *stack);

/* 1 while the canary is whole. A guarded stack needs none: 1. */
int quern_stack_is_sound(const quern_stack *stack);

/* 1 while nothing has touched the gap: looked at when a task ends, as it takes a system call. A guarded stack: 1. */
int quern_stack_is_kept_to(const quern_stack *stack);

/* 1 when address lies on it. */
static inline int quern_stack_holds(const quern_stack *stack, const void *address)
{
    return (uintptr_t)address - (uintptr_t)stack->lowest < stack->size;
}

/* What follows is safe in a signal handler. */

/* The stack in whose gap address lies, or NULL. */
const quern_stack *quern_stack_overrun(const void *address);

/* 1 when address lies on any stack or in any gap. A task's stack pointer that does, and is not on its own stack, has
 * run over; one that does not is on a stack that the program made by itself. */
int quern_stack_is_near(const void *address);

/* The stack further up whose task ran over, and came down to this stack as far as the gaps in between tell; NULL when
 * none did. */
const quern_stack *quern_stack_intruder(const quern_stack *stack);

/* Unmaps all; none is in use. For quern_shutdown. */
void quern_stacks_free(void);

#endif
