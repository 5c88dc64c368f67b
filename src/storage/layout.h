/* Arithmetic on layouts that spans, views and sources share. */
#ifndef QUERN_STORAGE_LAYOUT_H
#define QUERN_STORAGE_LAYOUT_H

#include <quern/layout.h>

/* A sound layout's bytes: reach up to the end of the last element, taken with the padding of the last rows too; both 0
 * without elements. Faults are reported as quern_layout_check does, and nothing is set. */
quern_status quern_layout_measure(const quern_layout *layout, size_t *reach, size_t *taken);

/* Narrows the layout, in place, to the box of extents elements from offset on, and gives the bytes from the layout's
 * begin to the box's (0 when it has no elements). Checks offset and extents against the layout, whose pitches are taken
 * as they are; on failure the layout may be half narrowed. */
quern_status quern_layout_narrow(quern_layout *layout, const size_t *offset, const quern_extents *extents,
                                 ptrdiff_t *bytes);

/* The largest power of two, at most 4096, that the address and all pitches between rows are multiples of. */
size_t quern_layout_alignment(const quern_layout *layout, const void *address);

#endif
