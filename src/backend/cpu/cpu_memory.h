/* Memory of a CPU device: the machine's own, whatever kind is asked for. */
#ifndef QUERN_BACKEND_CPU_MEMORY_H
#define QUERN_BACKEND_CPU_MEMORY_H

#include <quern/buffer.h>

quern_status quern_cpu_memory_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                       void **memory);
void quern_cpu_memory_free(void *device, void *memory, size_t bytes, quern_memory_kind kind);

/* Of the whole machine. */
uint64_t quern_cpu_memory_total(void);

#endif
