/*
 * The way that the elements of a checked copy take.
 *
 * Most are one command of the queue's backend. Where both sides are host memory that the device does not know, the host
 * copies, in the queue's order. Where the other side is in the memory of a device that neither the queue's device nor
 * the host reaches, the backend copies, if both devices are its own and reach each other; else the copy goes through
 * that device's own queue and memory on the host; see copy_staged.c.
 */
#ifndef QUERN_RUNTIME_COPY_WAY_H
#define QUERN_RUNTIME_COPY_WAY_H

#include "copy_side.h"

/* Submits the copy of at least one element. */
quern_status quern_copy_submit(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source);

/* The same where the queue's backend or the host can do it in one command, whose number is given. */
quern_status quern_copy_submit_plain(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source,
                                     uint64_t *number);

/* 1 when it is one command of the queue's backend, or of the host (is_by_host). */
int quern_copy_is_plain(const quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source);
int quern_copy_is_by_host(const quern_queue *queue, const quern_backend_copy *copy);

/* What the copy does with buffers: at most two uses, and how many. */
size_t quern_copy_uses(const quern_copy_side *target, const quern_copy_side *source, quern_buffer_use *uses);

/* 1 when both sides are device memory of the queue's backend, which copies between the two by itself. */
int quern_copy_is_between_peers(const quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source);
quern_status quern_copy_submit_peer(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source);
quern_status quern_copy_describe_peer(const quern_queue *queue, const quern_copy_side *target,
                                      const quern_copy_side *source, quern_backend_copy *copy);

/* The same where it takes two devices. */
quern_status quern_copy_submit_staged(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source);

/* Submits a copy by the host, or a fill (source is the value), in the queue's order. */
quern_status quern_copy_by_host(quern_queue *queue, const quern_buffer_use *uses, size_t count,
                                const quern_backend_copy *copy, int is_fill, uint64_t *number);

/* Submits a fill of at least one element, checked. */
quern_status quern_fill_submit(quern_queue *queue, const quern_copy_side *target, const void *value);

#endif
