/*
 * How a launch lies on a GPU's grid, and how large its groups are: what the backends of GPUs have in common.
 */
#ifndef QUERN_BACKEND_DEVICE_GRID_H
#define QUERN_BACKEND_DEVICE_GRID_H

#include <quern/backend.h>

struct quern_device_grid {
    uint32_t rank;              /* 1 to 3 */
    size_t groups[3], group[3]; /* groups, and items of a group; x first */
    size_t piece[3];            /* items of the range that an item of the grid takes, as words.h wants it */
};

/* What a kernel asks of its groups. */
struct quern_device_group_rules {
    size_t most_items; /* of a group */
    size_t multiple;   /* that a group's x should be one of */
};

/* The extents that a launch has on the grid, x first, and their number: in the linear layout one. */
uint32_t quern_device_grid_extents(size_t extents[QUERN_MAX_RANK], const quern_backend_launch *launch,
                                   const quern_launch_layout *layout);

/* Of a group kernel: exactly the launch's groups. */
void quern_device_grid_set_groups(struct quern_device_grid *grid, const quern_backend_launch *launch);

/* Of a kernel without groups: as many items as the device is busy with; where the range has more, an item takes some
 * that lie a grid's width apart. The launch's hint of a group size is followed. */
void quern_device_grid_set_strided(struct quern_device_grid *grid, const quern_device_info *info,
                                   const struct quern_device_group_rules *rules, const quern_backend_launch *launch,
                                   const quern_launch_layout *layout);

/* A group size, slowest first, for a group kernel's launch that names none: powers of two, x first, up to room items
 * (which is at least 1); no dimension longer than the device's. */
void quern_device_group_choose(const quern_device_info *info, uint32_t rank, const size_t *extents, size_t room,
                               size_t *group);

/* Items of a group beyond which a larger one brings nothing. */
enum { QUERN_DEVICE_ENOUGH_ITEMS = 256 };

#endif
