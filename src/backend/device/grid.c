/* Grids and groups of GPUs. */
#include "grid.h"

/* Items of the grid for each compute unit. */
enum { ITEMS_A_UNIT = 16384 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t divide_up(size_t a, size_t b)
{
    return (a - 1) / b + 1;
}

uint32_t quern_device_grid_extents(size_t extents[QUERN_MAX_RANK], const quern_backend_launch *launch,
                                   const quern_launch_layout *layout)
{
    uint32_t rank = layout->linear || launch->rank == 0 ? 1 : launch->rank;
    extents[0] = launch->items;
    for (uint32_t d = 0; rank == launch->rank && d < rank; ++d)
        extents[d] = launch->extents[rank - 1 - d];
    return rank;
}

void quern_device_grid_set_groups(struct quern_device_grid *grid, const quern_backend_launch *launch)
{
    grid->rank = launch->rank;
    for (uint32_t d = 0; d < launch->rank; ++d) {
        grid->group[d] = launch->group[launch->rank - 1 - d];
        grid->groups[d] = launch->groups[launch->rank - 1 - d];
        grid->piece[d] = 1;
    }
}

/* ---- without groups ---- */

static void set_group(struct quern_device_grid *grid, const quern_device_info *info,
                      const struct quern_device_group_rules *rules, const quern_backend_launch *launch,
                      const size_t *extents)
{
    size_t room = smaller(QUERN_DEVICE_ENOUGH_ITEMS, rules->most_items);
    int hint = grid->rank == launch->rank && launch->group[0] != 0;
    for (uint32_t d = 0; d < grid->rank; ++d) {
        uint64_t largest = info->largest_group[2 - d];
        size_t multiple = d == 0 ? smaller(rules->multiple, room) : 1;
        size_t size = smaller(divide_up(extents[d], multiple) * multiple, room / multiple * multiple);
        grid->group[d] = hint ? launch->group[grid->rank - 1 - d] : size;
        if (largest && grid->group[d] > largest)
            grid->group[d] = (size_t)largest;
        room = room > grid->group[d] ? room / grid->group[d] : 1;
    }
}

void quern_device_grid_set_strided(struct quern_device_grid *grid, const quern_device_info *info,
                                   const struct quern_device_group_rules *rules, const quern_backend_launch *launch,
                                   const quern_launch_layout *layout)
{
    size_t extents[QUERN_MAX_RANK], items = ITEMS_A_UNIT * (size_t)(info->compute_units ? info->compute_units : 1);
    grid->rank = quern_device_grid_extents(extents, launch, layout);
    set_group(grid, info, rules, launch, extents);
    for (uint32_t d = 0; d < grid->rank; ++d) {
        size_t group = grid->group[d], most = items / group ? items / group : 1;
        grid->groups[d] = smaller(divide_up(extents[d], group), most);
        grid->piece[d] = 1;
        items = items > grid->groups[d] * group ? items / (grid->groups[d] * group) : 1;
    }
}

/* ---- group sizes ---- */

/* The largest power of two up to n, which is not 0. */
static size_t power_below(size_t n)
{
    size_t power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

void quern_device_group_choose(const quern_device_info *info, uint32_t rank, const size_t *extents, size_t room,
                               size_t *group)
{
    room = power_below(room);
    for (uint32_t d = rank; d-- > 0;) {
        uint64_t largest = info->largest_group[3 - rank + d];
        group[d] = smaller(power_below(extents[d]), room);
        if (largest && group[d] > largest)
            group[d] = power_below((size_t)largest);
        room /= group[d];
    }
}
