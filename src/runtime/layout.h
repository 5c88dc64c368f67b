/* How a launch lies on a device's grid, and the default size of its groups: what backend.h promises as host->layout and
 * host->group_size. */
#ifndef QUERN_RUNTIME_LAYOUT_H
#define QUERN_RUNTIME_LAYOUT_H

#include <quern/backend.h>

/* host->layout: whether the range lies on the grid in its own shape, and how wide an index must be. A limits of NULL
 * has none. */
void quern_launch_choose_layout(const quern_backend_launch *launch, const quern_grid_limits *limits,
                                quern_launch_layout *layout);

/* host->group_size: the largest legal group for the range, x first: as many items along x as the range and the limits
 * allow, then along y, then z; at least 1 along each. group has rank entries, slowest first. */
void quern_launch_default_group(const quern_device_info *info, uint32_t rank, const size_t *extents, size_t max_items,
                                size_t *group);

#endif
