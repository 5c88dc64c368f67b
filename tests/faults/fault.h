/*
 * Fault injection: the n-th call of a kind fails.
 *
 * The executable is linked with the linker's --wrap for every function that fault.c wraps, so that calls from Quern's
 * own code come here; what libc allocates for itself does not.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stddef.h>

typedef enum fault_kind {
    FAULT_MEMORY, /* malloc, calloc, realloc, reallocarray, aligned_alloc, posix_memalign, str(n)dup, (v)asprintf */
    FAULT_THREAD, /* pthread_create */
    FAULT_SYSTEM /* files, processes, mappings: open, read, write, fsync, rename, mkdir, pipe2, posix_spawn, mmap, … */
} fault_kind;

/* From now on calls of the kind are counted; the n-th fails, and with for_good every later one too. 0: none fails. */
void fault_arm(fault_kind kind, size_t n, int for_good);

/* Nothing fails any more. Gives the number of calls that were counted. */
size_t fault_disarm(void);

/* The number of calls counted since fault_arm. */
size_t fault_calls(void);

/* 1 when a call has failed since fault_arm. */
int fault_fired(void);

/* The number of blocks that Quern's code has allocated and not freed; prints who allocated them. */
size_t fault_live_blocks(void);
void fault_print_live_blocks(void);

#endif
