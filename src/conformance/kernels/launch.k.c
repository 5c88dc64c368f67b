/* Conformance, subject "launch": kernels for many launches, from several threads, in a fixed order. */
#include <quern/kernel.h>

/* Maps that do not commute, modulo 2^32: the result tells in which order they came. */
KERNEL(launch_map, inout(uint32_t, x), value(uint32_t, scale), value(uint32_t, shift))
{
    EACH (i)
        x[i] = scale * x[i] + shift + (uint32_t)i;
}

/* Kernels that one test alone uses, so that the test's launch is the first; and one that is a group kernel. */
KERNEL(launch_first, out(uint32_t, x), value(uint32_t, seed))
{
    EACH (i)
        x[i] = seed * 2654435761u + (uint32_t)i;
}

GROUP_KERNEL(launch_first_group, 32, out(uint32_t, x), value(uint32_t, seed))
{
    LOCAL(uint32_t, tile, GROUP_SIZE);
    ALL_ITEMS (i)
        tile[i] = seed * 2654435761u;
    ITEMS (i)
        x[GLOBAL(i)] = tile[GROUP_SIZE - 1 - i] + (uint32_t)GLOBAL(i);
}

/* A value of some size, which the host forgets at once. */
STRUCT(launch_block, field(int32_t, number, 40), field(int16_t, small, 7))

KERNEL(launch_value, out(int64_t, y), value(launch_block, block), value(int64_t, scale))
{
    EACH (i)
        y[i] = scale * block.number[i % 40] + block.small[i % 7];
}

/* Groups whose size the runtime chooses. */
GROUP_KERNEL(launch_choice_1, ANY, inout(int32_t, x))
{
    ITEMS (i)
        x[GLOBAL(i)] += (int32_t)GROUP_SIZE;
}

GROUP_KERNEL(launch_choice_2, (ANY, ANY), inout_nd(int32_t, 2, x))
{
    ITEMS2 (j, i)
        AT(x, GLOBAL_Y(j), GLOBAL(i)) += (int32_t)GROUP_ITEMS;
}

GROUP_KERNEL(launch_choice_3, (ANY, ANY, ANY), inout_nd(int32_t, 3, x))
{
    ITEMS3 (h, j, i)
        AT(x, GLOBAL_Z(h), GLOBAL_Y(j), GLOBAL(i)) += (int32_t)GROUP_ITEMS;
}

/* One that takes much of a group's memory, so that its limit may be lower. */
STRUCT(launch_heavy_block, field(float, slot, 128))

GROUP_KERNEL(launch_heavy, (ANY, ANY), inout_nd(float, 2, x))
{
    PRIVATE(launch_heavy_block, mine);
    LOCAL(float, tile, 2048);
    TEAM_EACH (k, 2048)
        tile[k] = 0.5f * (float)k;
    ITEMS2 (j, i)
        for (int32_t k = 0; k < 128; ++k)
            MINE(mine, j, i).slot[k] = tile[(k * 16 + i) % 2048];
    ITEMS2 (j, i)
        AT(x, GLOBAL_Y(j), GLOBAL(i)) += MINE(mine, j, i).slot[(j + i) % 128];
}

GROUP_KERNEL(launch_fixed, (3, 5), out(int32_t, sizes))
{
    ONCE sizes[GROUP_LINEAR] = (int32_t)(1000 * GROUP_SIZE_Y + GROUP_SIZE);
}
