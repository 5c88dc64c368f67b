/*
 * Boxes of elements, taken apart into what a driver copies at once: rows of bytes, rows of rows, and slices of these.
 *
 * What the backends with such drivers have in common.
 */
#ifndef QUERN_BACKEND_DEVICE_BOX_H
#define QUERN_BACKEND_DEVICE_BOX_H

#include <quern/backend.h>

struct quern_device_box {
    int rank;                       /* at least 1; the last dimension has no gaps */
    size_t extents[QUERN_MAX_RANK]; /* slowest first; the last one in bytes */
    size_t target_pitches[QUERN_MAX_RANK], source_pitches[QUERN_MAX_RANK];
};

/* What a driver asks of a rectangle, beside what all do: no row or slice begins inside of the one before it, and a
 * slice is a whole number of rows after the one before. */
struct quern_device_box_rules {
    int dimensions;       /* of a rectangle at most: 1, rows only; 2; 3, slices */
    int same_pitches;     /* on both sides */
    size_t largest_pitch; /* bytes; 0: any */
};

/* A rectangle: bytes of a row, rows, slices; and their pitches. */
struct quern_device_rectangle {
    size_t region[3];
    size_t target_row, target_slice, source_row, source_slice;
};

/* Which dimensions a rectangle takes besides the last, -1 for none, and the indices of the others: where the next piece
 * lies in the box, in bytes from its begin. */
struct quern_device_pieces {
    int row, slice;
    size_t index[QUERN_MAX_RANK];
    size_t target, source;
};

void quern_device_box_of(struct quern_device_box *box, const quern_backend_copy *copy);

/* The same of a fill, whose source has no pitches. */
void quern_device_box_of_fill(struct quern_device_box *box, const quern_backend_copy *fill);

/* Chooses the dimensions that leave the fewest pieces; the first piece is at the box's begin. With pieces->row < 0 each
 * piece is a row of bytes, else a rectangle. */
void quern_device_pieces_begin(struct quern_device_pieces *pieces, const struct quern_device_box *box,
                               const struct quern_device_box_rules *rules);

/* Moves on to the next piece; 0 when there is none. */
int quern_device_pieces_next(struct quern_device_pieces *pieces, const struct quern_device_box *box);

/* The rectangle that each piece is. */
void quern_device_rectangle_set(struct quern_device_rectangle *rectangle, const struct quern_device_box *box,
                                const struct quern_device_pieces *pieces);

/*
 * Filling a box of which the first row's first `filled` bytes are filled: what is filled is copied on, twice as much
 * each time, so that a box takes few copies. copy(context, box, offset) copies from the begin of the memory that is
 * filled to offset bytes behind it; both sides have the target's pitches.
 */
quern_status quern_device_box_spread(const struct quern_device_box *whole, size_t filled,
                                     quern_status (*copy)(void *context, const struct quern_device_box *box,
                                                          size_t offset),
                                     void *context);

/* The bytes of the shortest pattern, a power of two up to most, that the value repeats; 0 when there is none. */
size_t quern_device_value_period(const char *value, size_t size, size_t most);

#endif
