/* Jumps that leave a phase or an EACH, and uniform code that some items would leave. */
// clang-format off
#include <quern/kernel.h>

KERNEL(leave_each, in(float, x), out(float, y))
{
    EACH (i) {
        if (x[i] < 0.0f)
            return; // ERROR: return leaves EACH; wanted continue, which ends the item
        if (x[i] > 1.0f)
            break; // ERROR: break leaves EACH; wanted continue, which ends the item, or a loop inside to break from
        y[i] = x[i];
    }
    EACH (i)
        for (int k = 0; k < 3; k++) {
            switch (k) {
            case 2:
                return; // ERROR: return leaves EACH; wanted continue, which ends the item
            default:
                break;
            }
            y[i] += x[i];
        }
}

KERNEL(break_in_uniform_loop, out(float, y))
{
    for (int k = 0; k < 3; k++)
        EACH (i) {
            y[i] = 0.0f;
            break; // ERROR: break leaves EACH; wanted continue, which ends the item, or a loop inside to break from
        }
}

GROUP_KERNEL(leave_phase, 64, in(float, x), out(float, y))
{
    ITEMS (i) {
        if (x[GLOBAL(i)] < 0.0f)
            return; // ERROR: return leaves ITEMS; wanted continue, which ends the item
        y[GLOBAL(i)] = x[GLOBAL(i)];
    }
    while (RANGE > 3) {
        ONCE
            break; // ERROR: break leaves ONCE; wanted continue, which ends the item, or a loop inside to break from
        TEAM_EACH (j, 7) {
            if (j == 3)
                break; // ERROR: break leaves TEAM_EACH; wanted continue, which ends the item, or a loop inside to break from
        }
    }
    ALL_ITEMS (i) {
        if (i == 3)
            goto done; // ERROR: goto done leaves ALL_ITEMS; wanted a label on the same side
        y[i] = 0.0f;
    }
done:
    ITEMS (i) {
        y[GLOBAL(i)] += 1.0f;
    inside:
        y[GLOBAL(i)] += 1.0f;
    }
    goto inside; // ERROR: goto inside enters ITEMS; wanted a label on the same side
}

GROUP_KERNEL(case_in_phase, 64, value(int, n), out(float, y))
{
    switch (n) {
    case 0:
        ITEMS (i) {
        case 1: // ERROR: a case label stands in ITEMS, but its switch does not; wanted both on the same side
            y[GLOBAL(i)] = 0.0f;
        }
    }
}

GROUP_KERNEL(some_items_leave, 64, out(float, y))
{
    int lane = SUBGROUP_ITEM;
    for (int k = 0; k < 5; k++) {
        if (lane == k)
            break; // ERROR: break depends on the item (by 'lane' on line 79) and phases follow; wanted a jump that all items of the group take alike
        if (lane == 2 * k)
            continue; // ERROR: continue depends on the item (by 'lane' on line 81) and phases follow; wanted a jump that all items of the group take alike
        ITEMS (i)
            y[GLOBAL(i)] = 0.0f;
    }
    if (lane == 3)
        return; // ERROR: return depends on the item (by 'lane' on line 86) and phases follow; wanted a jump that all items of the group take alike
    ITEMS (i)
        y[GLOBAL(i)] += 1.0f;
    if (lane == 4)
        goto end; // ERROR: goto depends on the item (by 'lane' on line 90) and phases follow; wanted a jump that all items of the group take alike
    ITEMS (i)
        y[GLOBAL(i)] += 1.0f;
end:
    ITEMS (i)
        y[GLOBAL(i)] += 1.0f;
}
