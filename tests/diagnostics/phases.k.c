/* Phases in the wrong place. */
// clang-format off
#include <quern/kernel.h>

GROUP_KERNEL(nested, 64, out(float, y))
{
    ITEMS (i) {
        ALL_ITEMS (j) // ERROR: ALL_ITEMS stands inside ITEMS of line 7; wanted it outside, a phase never stands in a phase
            y[j] = 0.0f;
        if (i == 0)
            ONCE // ERROR: ONCE stands inside ITEMS of line 7; wanted it outside, a phase never stands in a phase
                y[0] = 1.0f;
    }
    ONCE {
        TEAM_EACH (j, 3) // ERROR: TEAM_EACH stands inside ONCE of line 14; wanted it outside, a phase never stands in a phase
            y[j] = 0.0f;
    }
    ITEMS (i) {
        LOCAL(float, tile, 64); // ERROR: LOCAL 'tile' stands inside ITEMS; wanted it at the kernel's outermost level
        PRIVATE(float, own); // ERROR: PRIVATE 'own' stands inside ITEMS; wanted it at the kernel's outermost level
        READ_UNIFORM(float, first, y[0]); // ERROR: READ_UNIFORM 'first' stands inside ITEMS; wanted it between two phases
        y[GLOBAL(i)] = first;
    }
}

KERNEL(each_in_each, out(float, y))
{
    EACH (i)
        EACH (j) // ERROR: EACH stands inside EACH of line 28; wanted it outside
            y[i] = 0.0f;
}

GROUP_KERNEL(each_in_group, 64, out(float, y))
{
    EACH (i) // ERROR: EACH stands in 'each_in_group', which is a GROUP_KERNEL; wanted ITEMS, ALL_ITEMS, TEAM_EACH or ONCE
        y[i] = 0.0f;
}

KERNEL(phases_without_groups, out(float, y))
{
    LOCAL(float, tile, 64); // ERROR: LOCAL 'tile' stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted a GROUP_KERNEL
    PRIVATE(float, own); // ERROR: PRIVATE 'own' stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted a GROUP_KERNEL
    ITEMS (i) // ERROR: ITEMS stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted EACH, or a GROUP_KERNEL
        y[i] = 0.0f;
    ONCE // ERROR: ONCE stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted EACH, or a GROUP_KERNEL
        y[0] = 1.0f;
    READ_UNIFORM(float, first, y[0]); // ERROR: READ_UNIFORM 'first' stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted a GROUP_KERNEL
    EACH (i)
        y[i] = (float)(GLOBAL(i) + GROUP_SIZE + GROUP_ID); // ERROR: GLOBAL stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted a GROUP_KERNEL // ERROR: GROUP_SIZE stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted a GROUP_KERNEL // ERROR: GROUP_ID stands in 'phases_without_groups', which is a KERNEL and has no groups; wanted a GROUP_KERNEL
}

GROUP_KERNEL(one_dimension, 64, out(float, y))
{
    ITEMS2 (j, i) // ERROR: ITEMS2 visits 2 dimensions, but a group of 'one_dimension' has 1; wanted ITEMS
        y[i] = 0.0f;
    ALL_ITEMS3 (k, j, i) // ERROR: ALL_ITEMS3 visits 3 dimensions, but a group of 'one_dimension' has 1; wanted ALL_ITEMS
        y[i] = 0.0f;
}

GROUP_KERNEL(two_dimensions, (4, 16), out(float, y))
{
    ITEMS (i) // ERROR: ITEMS visits 1 dimension, but a group of 'two_dimensions' has 2; wanted ITEMS2
        y[i] = 0.0f;
    ALL_ITEMS3 (k, j, i) // ERROR: ALL_ITEMS3 visits 3 dimensions, but a group of 'two_dimensions' has 2; wanted ALL_ITEMS2
        y[i] = 0.0f;
}

GROUP_KERNEL(three_dimensions, (ANY, ANY, ANY), out(float, y))
{
    ITEMS2 (j, i) // ERROR: ITEMS2 visits 2 dimensions, but a group of 'three_dimensions' has 3; wanted ITEMS3
        y[i] = 0.0f;
}

GROUP_KERNEL(inner_blocks, 64, value(int, n), out(float, y))
{
    if (n > 3) {
        LOCAL(float, tile, 64); // ERROR: LOCAL 'tile' stands in an inner block; wanted it at the kernel's outermost level
        ITEMS (i)
            tile[i] = 0.0f;
    }
    {
        PRIVATE(float, own); // ERROR: PRIVATE 'own' stands in an inner block; wanted it at the kernel's outermost level
        ITEMS (i)
            MINE(own, i) = 0.0f;
    }
    for (int k = 0; k < n; k++)
        LOCAL(float, other, 64); // ERROR: LOCAL 'other' stands in an inner block; wanted it at the kernel's outermost level
}
