/*
 * Guarded arrays: an array of any shape in a larger memory whose other bytes are sentinels.
 *
 * The memory is a device's, reached by copies only, or the host's. image holds what every byte of it is meant to be:
 * elements, guards around them, and padding. A check reads the whole memory back and compares all of it, so that it
 * finds a wrong element as well as a byte that nobody should have touched. Everything is given back when the test ends.
 *
 *     quern_guarded x;
 *     QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", quern_guarded_pitched(type, QUERN_EXTENTS(7, 13)),
 * &x)); quern_guarded_set(&x, values); QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x)); … something writes
 * x.view … QUERN_CHECK(quern_guarded_want(trial, trial->queue, &x, wanted));
 */
#ifndef QUERN_CONFORMANCE_GUARDED_H
#define QUERN_CONFORMANCE_GUARDED_H

#include "trial.h"

/* How the memory around the array is laid out. */
typedef struct quern_guarded_shape {
    quern_type type;
    quern_extents extents;
    int is_packed; /* 1: the array has no gaps; lead elements before it, trail after it, and nothing else */
    size_t lead, trail;
    size_t before[QUERN_MAX_RANK], after[QUERN_MAX_RANK]; /* else: guard elements along each dimension, */
    size_t alignment;               /* and rows that begin at multiples of it; 0: at the device's own */
    size_t row_padding, empty_rows; /* with row_padding: as quern_layout_padded instead */
    size_t plane_padding;           /* bytes behind each plane, volume and so on, which need be no whole rows */
    quern_memory_kind kind;
    quern_queue *queue; /* of the memory's device, to whose order the memory belongs; NULL: to none's */
} quern_guarded_shape;

typedef struct quern_guarded {
    const char *name;       /* in messages */
    quern_device *device;   /* NULL: host memory */
    quern_view view;        /* the array, for a launch, a copy, a fill; of host memory only its span is set */
    quern_view all;         /* every byte of the memory, as uint8; likewise */
    quern_layout outer;     /* the memory's */
    size_t bytes, offset;   /* of the memory; from its begin to the first element */
    size_t count;           /* elements of the array */
    unsigned char *image;   /* bytes of it */
    unsigned char *present; /* scratch for a check, likewise */
    unsigned char *inside;  /* 1 where a byte belongs to an element */
} quern_guarded;

/* Shapes that do for most: pitched rows at odd offsets with guards on all sides; elements one after another with guards
 * before and after (what in, out and inout take; rank 0 is always such). */
quern_guarded_shape quern_guarded_pitched(quern_type type, quern_extents extents);
quern_guarded_shape quern_guarded_packed(quern_type type, quern_extents extents);

/* Makes it, all elements and guards sentinels; nothing is written to the memory yet. device NULL: in host memory. */
quern_verdict quern_guarded_make(quern_trial *trial, quern_device *device, const char *name, quern_guarded_shape shape,
                                 quern_guarded *guarded);

/* Set the image's elements: from values, row-major and packed; all to one value; from another array's image, of the
 * same extents and type; or to what differs from element to element, by seed. */
void quern_guarded_set(quern_guarded *guarded, const void *values);
void quern_guarded_set_value(quern_guarded *guarded, const void *value);
void quern_guarded_set_copy(quern_guarded *guarded, const quern_guarded *source);
void quern_guarded_vary(quern_guarded *guarded, uint32_t seed);

/* An element's bytes in the image, by its row-major number; and all of them, packed. */
unsigned char *quern_guarded_element(const quern_guarded *guarded, size_t linear);
void quern_guarded_values(const quern_guarded *guarded, void *values);

/* The image becomes the memory's contents, on a queue of the memory's device; waits. */
quern_verdict quern_guarded_upload(quern_trial *trial, quern_queue *queue, const quern_guarded *guarded);

/* Every byte is as the image says; waits for the queue. */
quern_verdict quern_guarded_check(quern_trial *trial, quern_queue *queue, quern_guarded *guarded);

/* quern_guarded_set and quern_guarded_check. */
quern_verdict quern_guarded_want(quern_trial *trial, quern_queue *queue, quern_guarded *guarded, const void *values);

/* Guards and padding are untouched; the elements are the caller's to judge: row-major and packed in values. */
quern_verdict quern_guarded_read(quern_trial *trial, quern_queue *queue, quern_guarded *guarded, void *values);

#endif
