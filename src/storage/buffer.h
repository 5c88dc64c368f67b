/* The buffer object. The device is only a pointer here: whoever made the buffer says how its memory is freed. */
#ifndef QUERN_STORAGE_BUFFER_H
#define QUERN_STORAGE_BUFFER_H

#include <quern/backend.h>
#include <quern/buffer.h>

#include "base/object.h"
#include "use.h"

enum { QUERN_BUFFER_ALIGNMENT = 64 }; /* bytes of a cache line */

/*
 * The members are in the order of their use: a launch of the common kind touches few lines, while the kernel's own data
 * fill the cache.
 */
struct quern_buffer {
    _Alignas(QUERN_BUFFER_ALIGNMENT) quern_object object;
    quern_device *device;
    void *address; /* NULL when there are no elements */
    /* What a launch wants to know of a view of the whole buffer, found once. */
    size_t elements;
    uint16_t host_only; /* 1: the host's memory, of a device whose kernels do not reach that */
    uint16_t packed;    /* 1: contiguous, as in, out and inout want it */
    uint32_t regular;   /* 1: pitches that are nested and keep the elements aligned, as the _nd forms want them */
    void (*free_memory)(quern_buffer *buffer); /* gives the memory back, not the object; NULL: it is another's */

    _Alignas(QUERN_BUFFER_ALIGNMENT) quern_layout layout;
    size_t bytes;
    size_t alignment; /* of the address, and of the rows as far as the pitches keep it */

    /* All that a launch looks at which is the same again (runtime/memo.h), the first use included, on one line. */
    _Alignas(QUERN_BUFFER_ALIGNMENT) uint64_t serial; /* from 1, never the same again: an address may become another
                                                         buffer's */
    quern_use_list uses;                              /* guarded by the runtime's order lock */

    quern_memory_kind kind;
    void (*release)(void *context); /* of wrapped memory */
    void *context;
    struct quern_block *block; /* of kind QUEUE: what the memory is of (runtime/pool.h) */
    quern_waiter waiter;       /* for the end: released, but used by commands that have not finished */
};

/* A buffer object over memory that is there already; on failure (OUT_OF_MEMORY) the memory stays the caller's. */
quern_status quern_buffer_make(quern_device *device, void *address, size_t bytes, const quern_layout *layout,
                               quern_memory_kind kind, void (*free_memory)(quern_buffer *buffer),
                               quern_buffer **buffer);

/* 1 when all elements of a layout whose extents are not 0 lie in the buffer's memory, from address on. */
int quern_buffer_holds(const quern_buffer *buffer, const void *address, const quern_layout *layout);

/* Frees memory and object; nobody holds or uses it any more. */
void quern_buffer_destroy(quern_buffer *buffer);

#endif
