/*
 * Quern: the ndrange of a launch: extents, offsets, group size.
 *
 * Everything is slowest first, like extents. An extent of 0 launches nothing. The indices that EACH
 * gives an item include the offset; RANGE and GLOBAL do not.
 */
#ifndef QUERN_RANGE_H
#define QUERN_RANGE_H

#include <quern/layout.h>

typedef struct quern_range {
    quern_extents extents;
    ptrdiff_t offsets[QUERN_MAX_RANK]; /* added to an item's index; 0 when not set */
    uint32_t group_rank;               /* 0: the kernel's own group size, or the runtime's choice */
    size_t group[3];                   /* items of a group along each dimension */
} quern_range;

/* QUERN_RANGE(ny, nx): one to six extents, slowest first. */
#define QUERN_RANGE(...) quern_range_make(QUERN_EXTENTS(__VA_ARGS__))

QUERN_BEGIN_DECLARATIONS

static inline quern_range quern_range_make(quern_extents extents)
{
    quern_range range;
    range.extents = extents;
    range.group_rank = 0;
    for (int d = 0; d < QUERN_MAX_RANK; ++d)
        range.offsets[d] = 0;
    for (int d = 0; d < 3; ++d)
        range.group[d] = 0;
    return range;
}

/* The same range with a group size of the caller's: quern_range_with_group(QUERN_RANGE(ny, nx), QUERN_EXTENTS(4, 64)).
 * Ranks are compared at the launch; a group of rank over 3 is kept as such and refused there. For a KERNEL, which has
 * no groups, it is a hint that a CPU has no use for. */
static inline quern_range quern_range_with_group(quern_range range, quern_extents group)
{
    range.group_rank = group.rank;
    for (uint32_t d = 0; d < 3 && d < group.rank; ++d)
        range.group[d] = group.n[d];
    return range;
}

/* The same range with offsets; offsets holds as many entries as the range has dimensions. */
static inline quern_range quern_range_with_offsets(quern_range range, const ptrdiff_t *offsets)
{
    for (uint32_t d = 0; d < range.extents.rank && d < QUERN_MAX_RANK; ++d)
        range.offsets[d] = offsets[d];
    return range;
}

QUERN_END_DECLARATIONS

#endif
