/* The buffers that an adapt moves, each once, and what becomes of their views. */
#ifndef QUERN_TASK_ADAPT_MOVES_H
#define QUERN_TASK_ADAPT_MOVES_H

#include <quern/queue.h>

#include "storage/buffer.h"

typedef struct quern_move {
    quern_buffer *source; /* the caller's */
    quern_buffer *target; /* a reference, once it is made: to the new one, or to the source itself */
    int keeps_pitches;    /* a view of it can be found again by its bytes alone */
} quern_move;

/* A set of buffers: all zeros at first. */
typedef struct quern_moves {
    quern_move *entries; /* in the order in which they were met */
    size_t count, capacity;
    size_t *slots; /* a hash table of indices + 1, twice the capacity; 0: empty */
} quern_moves;

/* The buffer is to be moved, if it is not yet among those that are. OUT_OF_MEMORY. */
quern_status quern_moves_add(quern_moves *moves, quern_buffer *source, int keeps_pitches);

/* Makes the targets, all before the first copy is queued. After a failure quern_moves_free does what is left. */
quern_status quern_moves_make(quern_moves *moves, quern_device *device, quern_queue *queue);

/* What became of a buffer that was added, borrowed. */
quern_buffer *quern_moves_find(const quern_moves *moves, const quern_buffer *source);

void quern_moves_free(quern_moves *moves);

/* 1 when the view is a box of its buffer's elements, which can be found again whatever the pitches. Without elements,
 * anything inside the buffer's extents is one. */
int quern_view_is_box(const quern_view *view);

/* Makes it the view of the same elements of target, which has its buffer's extents, and the pitches too unless it is a
 * box. */
quern_status quern_view_move(quern_view *view, quern_buffer *target);

#endif
