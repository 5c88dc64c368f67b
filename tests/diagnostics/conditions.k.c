/* Phases under conditions that depend on the item. */
// clang-format off
#include <quern/kernel.h>

DEVICE int32_t ticket(GLOBAL_POINTER(int32_t) counter)
{
    return ATOMIC_ADD(counter, 1);
}

GROUP_KERNEL(by_words, 64, inout(int32_t, count), out(float, y))
{
    PRIVATE(int32_t, own);
    ITEMS (i)
        MINE(own, i) = (int32_t)i;
    if (MINE(own, 0) == 0) // ERROR: MINE stands outside of a phase, where no item is at hand; wanted it inside a phase
        ITEMS (i) // ERROR: ITEMS stands under a condition that depends on the item (by 'MINE' on line 15); wanted one that is the same for all items of the group
            y[GLOBAL(i)] = 0.0f;
    while (SUBGROUP_ITEM == 3 || y[0] > 0.0f) {
        ONCE // ERROR: ONCE stands under a condition that depends on the item (by 'SUBGROUP_ITEM' on line 18); wanted one that is the same for all items of the group
            y[0] = 0.0f;
    }
    if (ticket(count) == 0) // ERROR: argument 1 of 'ticket' is global memory, which 'ticket' could write outside of a phase, by every item alike; wanted the call inside, or a pointer to const
        ITEMS (i) // ERROR: ITEMS stands under a condition that depends on the item (by 'ticket' on line 22); wanted one that is the same for all items of the group
            y[GLOBAL(i)] = 0.0f;
    switch (y[0] > 0.0f ? SUBGROUP_ANY(1) : 0) {
    case 1:
        TEAM_EACH (j, 9) // ERROR: TEAM_EACH stands under a condition that depends on the item (by 'SUBGROUP_ANY' on line 25); wanted one that is the same for all items of the group
            y[j] = 0.0f;
    }
}

GROUP_KERNEL(by_variables, 64, out(float, y))
{
    int lane = SUBGROUP_ITEM, twice = 0, last = 9, flag = 0, indirect;
    twice = 2 * lane;
    if (twice == 4) {
        flag = 1;
    } else {
        READ_UNIFORM(float, v, y[0]); // ERROR: READ_UNIFORM stands under a condition that depends on the item (by 'twice' on line 36); wanted one that is the same for all items of the group
        last = (int)v;
    }
    if (flag)
        ITEMS (i) // ERROR: ITEMS stands under a condition that depends on the item (by 'flag' on line 42); wanted one that is the same for all items of the group
            y[GLOBAL(i)] = 0.0f;
    for (int k = lane; k < 9; k++)
        ITEMS (i) // ERROR: ITEMS stands under a condition that depends on the item (by 'k' on line 45); wanted one that is the same for all items of the group
            y[GLOBAL(i)] = 0.0f;
    do {
        ITEMS (i) // ERROR: ITEMS stands under a condition that depends on the item (by 'twice' on line 51); wanted one that is the same for all items of the group
            y[GLOBAL(i)] = 0.0f;
    } while (twice > 2 && last > 3);
    indirect = 0;
    for (int k = 0; k < 5; k++) {
        if (indirect > 0)
            ONCE // ERROR: ONCE stands under a condition that depends on the item (by 'indirect' on line 54); wanted one that is the same for all items of the group
                y[0] = 0.0f;
        indirect += twice;
    }
}

GROUP_KERNEL(by_leaving_a_loop, 64, out(float, y))
{
    int n = 0;
    while (n < 100) {
        if (n == SUBGROUP_ITEM)
            break;
        n++;
    }
    for (int k = 0; k < n; k++)
        ITEMS (i) // ERROR: ITEMS stands under a condition that depends on the item (by 'k' on line 69); wanted one that is the same for all items of the group
            y[GLOBAL(i)] = 0.0f;
}
