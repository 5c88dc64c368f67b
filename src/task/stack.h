/*
 * Stacks of tasks: 256 KiB of address space each, of which only what is touched becomes memory; taken from a pool and
 * given back to it.
 *
 * Below each stack lies a gap of 256 KiB, which costs address space only. While the system's number of mappings allows
 * it (a gap costs two of vm.max_map_count) nobody may touch it, and running over the end is a fault there, which the
 * handler of overflow.h puts into words. Otherwise the gap's upper end is a canary, and an overrun is seen by it at the
 * next switch; a frame that stepped over the canary is seen by the rest of the gap when the task ends.
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

/* The stack in whose gap address lies, or NULL. Safe in a signal handler. */
const quern_stack *quern_stack_overrun(const void *address);

/* Unmaps all; none is in use. For quern_shutdown. */
void quern_stacks_free(void);

#endif
