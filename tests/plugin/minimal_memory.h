/*
 * The memory of the minimal backend. An address that it gives out lies in pages that nobody may touch; the memory
 * itself lies behind them. So whoever takes such an address for one of the host's ends at once, with SIGSEGV.
 */
#ifndef MINIMAL_MEMORY_H
#define MINIMAL_MEMORY_H

#include <quern/backend.h>

void minimal_memory_begin(const quern_backend_host *host);

/* As the table's functions. */
quern_status minimal_memory_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                     void **memory);
void minimal_memory_free(void *device, void *memory, size_t bytes, quern_memory_kind kind);

/* The memory that an address stands for, which lies in what allocate gave as memory (or at its end, when there is
 * nothing to see). Anything else is a fault of the front end: INTERNAL. */
quern_status minimal_memory_resolve(const void *memory, const void *address, void **real);

#endif
