/*
 * Stacks of tasks: 256 KiB of address space each, of which only what is touched becomes memory; taken from a pool and
 * given back to it.
 *
 * Below a stack lies a page that nobody may touch while the system's number of mappings allows it (each costs two of
 * vm.max_map_count); every stack has besides a canary at its lowest end. Running over the end is a fault at the page,
 * which the handler of overflow.h puts into words; or a damaged canary, seen at the next switch.
 *
 * Thread safe. Stacks are mapped many at a time. One that is given back keeps its topmost pages for the next user; with
 * many idle ones their memory goes back to the system.
 */
#ifndef QUERN_TASK_STACK_H
#define QUERN_TASK_STACK_H

#include <stddef.h>
#include <stdint.h>

#include <quern/status.h>

enum { QUERN_STACK_BYTES = 256 * 1024 };

typedef struct quern_stack {
    char *lowest;  /* the first byte that may be used, above the canary */
    size_t size;   /* bytes from there; the stack begins at lowest + size and grows downwards */
    int is_guarded;
    const char *name; /* of the task that runs on it, for the message of an overflow; or NULL */
    struct quern_stack *next; /* in the pool */
    unsigned valgrind; /* its number there */
} quern_stack;

/* One from the pool, or a new one. OUT_OF_MEMORY. */
quern_status quern_stack_take(quern_stack **stack);

/* Back to the pool; nothing runs on it any more. */
void quern_stack_give_back(quern_stack *stack);

/* 1 while the canary is whole. */
int quern_stack_is_sound(const quern_stack *stack);

/* The stack in whose guard page (or canary) address lies, or NULL. Safe in a signal handler. */
const quern_stack *quern_stack_overrun(const void *address);

/* Unmaps all; none is in use. For quern_shutdown. */
void quern_stacks_free(void);

#endif
