/*
 * Device memory for buffers that belong to the order of a queue, kept when it is released and given out again.
 *
 * A block that was released remembers the last command that uses it. The same queue may have it again at once: what
 * comes later on that queue, or waits for that, comes after that command. Another queue gets it when the command has
 * finished, so that nobody ever waits for memory. A buffer that several queues still use is kept back until they have
 * finished (memory.c), so one command is enough to remember.
 *
 * Blocks come in sizes: four to each power of two. All functions may be called from any thread, also from within
 * host->finished.
 */
#ifndef QUERN_RUNTIME_POOL_H
#define QUERN_RUNTIME_POOL_H

#include <quern/buffer.h>

#include "device.h"
#include "queue.h"

typedef struct quern_block {
    void *memory;
    size_t bytes, alignment;
    quern_memory_kind kind;   /* as the backend's free wants it */
    quern_progress *progress; /* of the last command that uses it; NULL when that has finished */
    uint64_t number;
    struct quern_block *next, **link;            /* in the list of its size, newest first */
    struct quern_block *next_newer, *next_older; /* in the list of all */
} quern_block;

/* A block of at least bytes > 0 for a buffer that the queue uses first: kept or new. Its progress and number are the
 * command that the buffer's first use has to come after. OUT_OF_MEMORY, SYSTEM_ERROR. */
quern_status quern_pool_take(quern_queue *queue, size_t bytes, size_t alignment, quern_block **block);

/* The buffer of the block is gone, and the last command that uses it is block->progress, block->number. 0: there is no
 * room for what is still in use, unless anyway is 1. What has finished is always taken. */
int quern_pool_put(quern_device *device, quern_block *block, int anyway);

/* Gives back to the device all that has finished; 1 when there was any. */
int quern_pool_trim(quern_device *device);

/* Frees the pools of all devices; nothing is in use. For quern_shutdown. */
void quern_pools_free(void);

#endif
