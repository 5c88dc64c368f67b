/*
 * The grid of a launch.
 *
 * A kernel without groups runs on any grid: on a CPU few items take contiguous pieces each, so that the
 * compiler's loops run over memory as it lies; on a GPU an item takes one element, or some that lie a grid's width
 * apart when there are very many.
 */
#include "opencl_launch.h"

#include "backend/device/grid.h"

/* On a CPU: pieces a compute unit, so that units that are faster get more; items that a piece is a multiple of, so that
 * no two pieces share a cache line. */
enum { PIECES_A_UNIT = 16, GRANULE = 64 };

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

static void set_from(struct quern_opencl_grid *grid, const struct quern_device_grid *from)
{
    grid->rank = from->rank;
    for (uint32_t d = 0; d < from->rank; ++d) {
        grid->local[d] = from->group[d];
        grid->global[d] = from->group[d] * from->groups[d];
        grid->piece[d] = from->piece[d];
    }
}

void quern_opencl_grid_set(struct quern_opencl_grid *grid, const struct quern_opencl_device *device,
                           const struct quern_opencl_kernel_variant *variant, const quern_backend_launch *launch,
                           const quern_launch_layout *layout)
{
    const struct quern_device_group_rules rules = {variant->group_items, variant->multiple};
    struct quern_device_grid gpu;
    size_t extents[QUERN_MAX_RANK];
    if (!launch->kernel->is_group && device->is_cpu) {
        grid->rank = quern_device_grid_extents(extents, launch, layout);
        set_pieces(grid, device, extents);
        return;
    }
    if (launch->kernel->is_group)
        quern_device_grid_set_groups(&gpu, launch);
    else
        quern_device_grid_set_strided(&gpu, &device->info, &rules, launch, layout);
    set_from(grid, &gpu);
}
