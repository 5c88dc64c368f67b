/*
 * Memory whose native handle was taken for a queue: a write by what the queue was given until then, and another one by
 * the queue's next event, which stands for all that the caller himself put into the native queue in between.
 */
#ifndef QUERN_RUNTIME_NATIVE_USE_H
#define QUERN_RUNTIME_NATIVE_USE_H

#include "queue.h"

/* 1 when the caller may have put commands into the backend's queue, or used memory, behind the front end's back. */
static inline int quern_native_is_used(quern_queue *queue)
{
    return atomic_load(&queue->is_native) || atomic_load(&queue->native_count);
}

/* The queue writes the box of the buffer, from a number of its own on until the next event. Returns when nothing that
 * was submitted before is held back on the host. The queue is not locked. */
quern_status quern_native_begin_use(quern_queue *queue, const quern_buffer_use *use);

/* Takes the uses from the locked queue, whose event they are registered for: *count of them, to be given to
 * quern_native_release when it is unlocked. */
quern_buffer_use *quern_native_take_uses(quern_queue *queue, size_t *count);
void quern_native_release(quern_buffer_use *uses, size_t count);

#endif
