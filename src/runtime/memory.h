/* What the makers of buffers share: checks of what they are given, memory, its freeing. */
#ifndef QUERN_RUNTIME_MEMORY_H
#define QUERN_RUNTIME_MEMORY_H

#include "device.h"
#include "storage/buffer.h"

/* A sound layout, and a place for the buffer: *bytes and *alignment are those of the memory that it takes. */
quern_status quern_memory_plan(const quern_device *device, const quern_layout *layout, quern_buffer **buffer,
                               size_t *bytes, size_t *alignment);

/* What the backend's function gave for a success: INTERNAL when it cannot be used, and it is freed then. */
quern_status quern_memory_check(quern_device *device, const char *function, size_t bytes, size_t alignment,
                                quern_memory_kind kind, void *memory);

/* The layout of quern_buffer_create. */
quern_status quern_memory_default_layout(const quern_device *device, quern_type type, quern_extents extents,
                                         quern_layout *layout);

/* A buffer's free_memory: gives the memory back to the backend, as of the buffer's kind. */
void quern_memory_free(quern_buffer *buffer);

/* The block of a buffer that nobody holds any more goes back to the pool, though commands may still use it: 1. 0: it
 * has to wait for them first. */
int quern_memory_return_block(quern_buffer *buffer);

#endif
