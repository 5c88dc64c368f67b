/*
 * The grid of a launch.
 *
 * A kernel without groups runs on any grid: on a CPU few items take contiguous pieces each, so that the
 * compiler's loops run over memory as it lies; on a GPU an item takes one element, or some that lie a grid's width
 * apart when there are very many.
 */
#include "opencl_launch.h"

/* On a CPU: pieces a compute unit, so that units that are faster get more; items that a piece is a multiple of, so that
 * no two pieces share a cache line. */
enum { PIECES_A_UNIT = 16, GRANULE = 64 };

/* On a GPU: items of a group, and items of the grid for each compute unit. */
enum { GROUP_ITEMS = 256, ITEMS_A_UNIT = 16384 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t divide_up(size_t a, size_t b)
{
    return (a - 1) / b + 1;
}

static size_t units_of(const struct quern_opencl_device *device)
{
    return device->info.compute_units ? device->info.compute_units : 1;
}

/* The launch's dimensions, x first; the linear layout has one. */
static uint32_t set_extents(size_t *extents, const quern_backend_launch *launch, const quern_launch_layout *layout)
{
    uint32_t rank = layout->linear || launch->rank == 0 ? 1 : launch->rank;
    extents[0] = launch->items;
    for (uint32_t d = 0; rank == launch->rank && d < rank; ++d)
        extents[d] = launch->extents[rank - 1 - d];
    return rank;
}

/* ---- CPUs ---- */

/* The part of a row that a piece takes: whole granules, unless there were too few of them for all units. */
static size_t part_of_row(size_t extent, size_t pieces, size_t units)
{
    size_t part = divide_up(divide_up(extent, smaller(pieces, extent)), GRANULE) * GRANULE;
    if (pieces > 1 && divide_up(extent, part) < smaller(pieces, units))
        part = divide_up(extent, smaller(pieces, units));
    return smaller(part, extent);
}

/* The slowest dimension is cut first, so that rows stay whole. */
static void set_pieces(struct quern_opencl_grid *grid, const struct quern_opencl_device *device, const size_t *extents)
{
    size_t units = units_of(device), pieces = PIECES_A_UNIT * units;
    for (uint32_t d = grid->rank; d-- > 0;) {
        grid->piece[d] =
            d ? divide_up(extents[d], smaller(pieces, extents[d])) : part_of_row(extents[d], pieces, units);
        grid->global[d] = divide_up(extents[d], grid->piece[d]);
        grid->local[d] = 1;
        pieces = pieces > grid->global[d] ? pieces / grid->global[d] : 1;
    }
}

/* ---- GPUs ---- */

static void set_group(struct quern_opencl_grid *grid, const struct quern_opencl_device *device,
                      const struct quern_opencl_kernel_variant *variant, const quern_backend_launch *launch,
                      const size_t *extents)
{
    size_t room = smaller(GROUP_ITEMS, variant->group_items);
    int hint = grid->rank == launch->rank && launch->group[0] != 0;
    for (uint32_t d = 0; d < grid->rank; ++d) {
        uint64_t largest = device->info.largest_group[2 - d];
        size_t multiple = d == 0 ? smaller(variant->multiple, room) : 1;
        size_t size = smaller(divide_up(extents[d], multiple) * multiple, room / multiple * multiple);
        grid->local[d] = hint ? launch->group[grid->rank - 1 - d] : size;
        if (largest && grid->local[d] > largest)
            grid->local[d] = (size_t)largest;
        room = room > grid->local[d] ? room / grid->local[d] : 1;
    }
}

static void set_strided(struct quern_opencl_grid *grid, const struct quern_opencl_device *device, const size_t *extents)
{
    size_t items = ITEMS_A_UNIT * units_of(device);
    for (uint32_t d = 0; d < grid->rank; ++d) {
        size_t local = grid->local[d], most = items / local ? items / local : 1;
        size_t groups = smaller(divide_up(extents[d], local), most);
        grid->global[d] = groups * local;
        grid->piece[d] = 1;
        items = items > grid->global[d] ? items / grid->global[d] : 1;
    }
}

/* ---- groups ---- */

static void set_groups(struct quern_opencl_grid *grid, const quern_backend_launch *launch)
{
    grid->rank = launch->rank;
    for (uint32_t d = 0; d < launch->rank; ++d) {
        grid->local[d] = launch->group[launch->rank - 1 - d];
        grid->global[d] = grid->local[d] * launch->groups[launch->rank - 1 - d];
        grid->piece[d] = 1;
    }
}

void quern_opencl_grid_set(struct quern_opencl_grid *grid, const struct quern_opencl_device *device,
                           const struct quern_opencl_kernel_variant *variant, const quern_backend_launch *launch,
                           const quern_launch_layout *layout)
{
    size_t extents[QUERN_MAX_RANK];
    if (launch->kernel->is_group) {
        set_groups(grid, launch);
        return;
    }
    grid->rank = set_extents(extents, launch, layout);
    if (device->is_cpu) {
        set_pieces(grid, device, extents);
    } else {
        set_group(grid, device, variant, launch, extents);
        set_strided(grid, device, extents);
    }
}
