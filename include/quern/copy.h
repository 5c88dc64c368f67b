/*
 * Quern: copy and fill, of any rank, any pitches, sub-views included, ordered on a queue.
 *
 * All checks come before any work: extents (INVALID_SHAPE), element types (INVALID_TYPE), overlap
 * (OVERLAP), devices (WRONG_DEVICE). A zero extent succeeds and does nothing. Only elements are
 * touched, never padding. One side lives on the queue's device; the other may be on any device. Between devices that do
 * not reach each other's memory the elements go through the host, where they take as much memory again for the time of
 * the copy, unless one side is host memory; the calling thread does not wait for that on a non-blocking queue.
 */
#ifndef QUERN_COPY_H
#define QUERN_COPY_H

#include <quern/queue.h>

QUERN_BEGIN_DECLARATIONS

/* target = source, element by element. Both have the same extents and type. */
QUERN_API quern_status quern_copy(quern_queue *queue, quern_view target, quern_const_view source);

/* From host memory, and to it. On a non-blocking queue the host memory must stay as it is until the command has
 * finished. */
QUERN_API quern_status quern_copy_from_host(quern_queue *queue, quern_view target, quern_const_span source);
QUERN_API quern_status quern_copy_to_host(quern_queue *queue, quern_span target, quern_const_view source);

/* Every element = *value, type.size bytes, copied before the call returns. type is the view's own, else
 * INVALID_TYPE. */
QUERN_API quern_status quern_fill(quern_queue *queue, quern_view target, quern_type type, const void *value);

QUERN_END_DECLARATIONS

#endif
