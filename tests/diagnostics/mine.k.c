/* MINE with an index that is not the item's. */
// clang-format off
#include <quern/kernel.h>

GROUP_KERNEL(line, 64, inout(float, y))
{
    PRIVATE(float, own);
    ITEMS (i)
        MINE(own, i) = y[GLOBAL(i)];
    ALL_ITEMS (k) {
        float next = MINE(own, (k + 1) % GROUP_SIZE); // ERROR: MINE(own, …) has not the item's own index, and no item reaches another's value; wanted MINE(own, i) with the index of ALL_ITEMS
        MINE(own, 0) = next; // ERROR: MINE(own, …) has not the item's own index, and no item reaches another's value; wanted MINE(own, i) with the index of ALL_ITEMS
        MINE(own, k, k) = next; // ERROR: MINE(own, …) has not the item's own index, and no item reaches another's value; wanted MINE(own, i) with the index of ALL_ITEMS
    }
    TEAM_EACH (j, 3)
        y[j] = MINE(own, j); // ERROR: MINE stands in TEAM_EACH, whose index is no item; wanted it in ITEMS, ALL_ITEMS or ONCE
    ONCE
        y[0] = MINE(own, 5); // ERROR: MINE(own, …) has not the item's own index, and no item reaches another's value; wanted MINE(own, 0)
}

GROUP_KERNEL(square, (4, 16), inout_nd(float, 2, y))
{
    PRIVATE(float, own);
    ITEMS2 (j, i)
        MINE(own, i) = AT(y, GLOBAL_Y(j), GLOBAL(i)); // ERROR: MINE(own, …) has not the item's own index, and no item reaches another's value; wanted MINE(own, y, x) with the index of ITEMS2
    ITEMS2 (j, i)
        AT(y, GLOBAL_Y(j), GLOBAL(i)) = MINE(own, i, j); // ERROR: MINE(own, …) has not the item's own index, and no item reaches another's value; wanted MINE(own, y, x) with the index of ITEMS2
    ONCE
        MINE(own, 0) = 1.0f; // ERROR: MINE(own, …) has not the item's own index, and no item reaches another's value; wanted MINE(own, 0, 0)
}
