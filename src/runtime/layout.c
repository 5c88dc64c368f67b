/* The layout of a launch on a device's grid, and the default group size. */
#include "layout.h"

#include "base/error.h"

/* Before the group size is tuned, this much is taken as what it may pad an extent to: no device has groups that are
 * longer along a dimension, and so close to 2^31 the wider index costs nothing that counts. */
enum { LONGEST_GROUP = 65536 };

#define LARGEST_INDEX INT32_MAX

/* ---- the grid ---- */

/* The groups that a dimension has at most: those of a group kernel, by the caller's hint, or of one item each. */
static size_t groups_along(const quern_backend_launch *launch, uint32_t d)
{
    if (launch->kernel->is_group)
        return launch->groups[d];
    size_t group = launch->group[d] ? launch->group[d] : 1;
    return launch->extents[d] / group + (launch->extents[d] % group != 0);
}

static int fits_grid(const quern_backend_launch *launch, const quern_grid_limits *limits)
{
    if (launch->rank < 1 || launch->rank > 3)
        return 0;
    for (uint32_t d = 0; limits && d < launch->rank; ++d) {
        size_t limit = limits->groups[launch->rank - 1 - d]; /* x first */
        if (limit && groups_along(launch, d) > limit)
            return 0;
    }
    return 1;
}

/* ---- the index ---- */

/* The extent rounded up to whole groups; 1 when that does not fit. */
static int padded_overflows(const quern_backend_launch *launch, uint32_t d, size_t *padded)
{
    if (launch->kernel->is_group)
        return quern_multiply_overflows(launch->groups[d], launch->group[d], padded);
    /* A hint of the caller's is one that the backend need not follow. */
    size_t group = d < 3 && launch->group[d] > LONGEST_GROUP ? launch->group[d] : LONGEST_GROUP;
    return quern_add_overflows(launch->extents[d], group - 1, padded);
}

/* 1 when all items, padding and offsets included, are numbered with 32 bits: along each dimension and in all. */
static int range_is_small(const quern_backend_launch *launch)
{
    size_t items = 1;
    for (uint32_t d = 0; d < launch->rank; ++d) {
        size_t padded;
        ptrdiff_t end, offset = launch->offsets[d];
        if (padded_overflows(launch, d, &padded) || padded > LARGEST_INDEX ||
            quern_add_overflows((ptrdiff_t)padded, offset, &end) || end > LARGEST_INDEX || offset < INT32_MIN)
            return 0;
        /* A group kernel has items in the padding, which are numbered too. Else they are numbered row by row without
         * it, and only the last group of the linear layout reaches beyond the range. */
        if (quern_multiply_overflows(items, launch->kernel->is_group ? padded : launch->extents[d], &items))
            return 0;
    }
    if (!launch->kernel->is_group && quern_add_overflows(items, (size_t)LONGEST_GROUP - 1, &items))
        return 0;
    return items <= LARGEST_INDEX;
}

static int is_nd(uint32_t form)
{
    return form >= QUERN_PARAMETER_IN_ND && form <= QUERN_PARAMETER_INOUT_ND;
}

/* The extents and pitches of an _nd argument are indices as well, even those of which no element depends. */
static int shape_is_small(const quern_backend_argument *argument)
{
    for (uint32_t d = 0; d < argument->rank; ++d)
        if (argument->extents[d] > LARGEST_INDEX || argument->pitches[d] > LARGEST_INDEX ||
            argument->pitches[d] < INT32_MIN)
            return 0;
    return 1;
}

/* Bytes from the begin of the argument's memory to the end of its last element; 1 when that does not fit. */
static int span_overflows(const quern_backend_argument *argument, ptrdiff_t *span)
{
    *span = 0;
    if (argument->address && argument->memory)
        *span = (ptrdiff_t)((uintptr_t)argument->address - (uintptr_t)argument->memory);
    if (argument->length == 0)
        return 0;
    for (uint32_t d = 0; d < argument->rank; ++d) {
        ptrdiff_t along;
        if (quern_multiply_overflows(argument->extents[d] - 1, argument->pitches[d], &along) ||
            quern_add_overflows(*span, along, span))
            return 1;
    }
    return quern_add_overflows(*span, (ptrdiff_t)argument->size, span);
}

static int argument_is_small(const quern_backend_argument *argument)
{
    ptrdiff_t span;
    switch (argument->form) {
    case QUERN_PARAMETER_VALUE:
        return 1;
    case QUERN_PARAMETER_LOCAL:
        return !quern_multiply_overflows(argument->length, argument->size, &span) && span <= LARGEST_INDEX;
    default:
        return !span_overflows(argument, &span) && span <= LARGEST_INDEX &&
               (!is_nd(argument->form) || shape_is_small(argument));
    }
}

void quern_launch_choose_layout(const quern_backend_launch *launch, const quern_grid_limits *limits,
                                quern_launch_layout *layout)
{
    int small = range_is_small(launch);
    for (size_t i = 0; small && i < launch->argument_count; ++i)
        small = argument_is_small(&launch->arguments[i]);
    layout->linear = !launch->kernel->is_group && !fits_grid(launch, limits);
    layout->index_bits = small ? 32 : 64;
}

/* ---- groups ---- */

void quern_launch_default_group(const quern_device_info *info, uint32_t rank, const size_t *extents, size_t max_items,
                                size_t *group)
{
    size_t left = max_items;
    if (info->largest_group_items && info->largest_group_items < left)
        left = (size_t)info->largest_group_items;
    if (left == 0)
        left = 1;
    for (uint32_t d = rank; d-- > 0;) {
        uint64_t largest = left;
        if (rank - d > 3)
            largest = 1; /* groups have at most three dimensions */
        else if (info->largest_group[3 - (rank - d)] && info->largest_group[3 - (rank - d)] < largest)
            largest = info->largest_group[3 - (rank - d)];
        group[d] = extents[d] < largest ? extents[d] : (size_t)largest;
        if (group[d] == 0)
            group[d] = 1;
        left /= group[d];
    }
}
