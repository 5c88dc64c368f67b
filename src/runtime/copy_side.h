/* The two sides of a copy: checks, where they lie, and what a backend gets of them. */
#ifndef QUERN_RUNTIME_COPY_SIDE_H
#define QUERN_RUNTIME_COPY_SIDE_H

#include "queue.h"
#include "storage/buffer.h"

typedef struct quern_copy_side {
    const char *name; /* of the argument */
    const void *address;
    const quern_layout *layout;
    quern_buffer *buffer; /* NULL for host memory */
    quern_device *device; /* NULL likewise */
} quern_copy_side;

/* A side that has elements, an address, and lies in its buffer. */
quern_status quern_copy_side_check(const quern_copy_side *side);

/* INVALID_ARGUMENT for a side that should be a view of a buffer. */
quern_status quern_copy_side_no_buffer(const char *name);

/* The same type, rank and extents. */
quern_status quern_copy_check_shapes(const quern_copy_side *target, const quern_copy_side *source);

/* OVERLAP unless the elements are disjoint. */
quern_status quern_copy_check_overlap(const quern_copy_side *target, const quern_copy_side *source);

int quern_copy_is_empty(const quern_layout *layout);

quern_box quern_copy_side_box(const quern_copy_side *side);

/* 1 when the host may touch the side's memory by its address. */
int quern_copy_side_reaches_host(const quern_copy_side *side);

/* 1 when the side is host memory to a queue of the device: it is a span, of another device, or host memory by its kind.
 */
int quern_copy_side_is_host(const quern_copy_side *side, const quern_device *device);

/* What the backend of the device gets: dimensions of extent 1 are dropped and those that are contiguous on both sides
 * joined. source may be NULL: a fill, whose source is left to the caller. INVALID_SHAPE for what has no such form. */
quern_status quern_copy_describe(const quern_device *device, const quern_copy_side *target,
                                 const quern_copy_side *source, quern_backend_copy *copy);

#endif
