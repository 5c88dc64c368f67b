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

KERNEL(labels, in(int32_t, x), out(int32_t, y))
{
    EACH (i) {
        void *where = &&middle; // ERROR: the address of a label is no part of the dialect; wanted a switch
        if (x[i] == 0)
            goto *where; // ERROR: a goto to an address is no part of the dialect; wanted a switch
        if (x[i] > 3)
            goto end; // ERROR: goto end passes the initialiser of 'sum' on line 109, which CUDA does not take; wanted 'sum' declared before the goto, or in a block that ends before the label
        if (x[i] > 2)
            goto middle; // ERROR: goto middle enters the block of line 110, which not every language takes; wanted a label in a block around the goto
        int32_t sum = 0;
        for (int32_t k = 0; k < 3; k++) {
            sum += x[i];
        middle:
            sum += 1;
        }
        y[i] = sum;
    end:
        y[i] += 1;
        {
            y[i] += 1;
        inner: // ERROR: a label ends its block, which not every language takes; wanted a statement behind it, as ; is
        }
    last:
        int32_t more = 3; // ERROR: a declaration follows a label, which not every language takes; wanted it in a block, { … }
        y[i] += more;
    }
}

DEVICE int32_t helper_labels(int32_t x)
{
    if (x == 3)
        goto end; // ERROR: goto end passes the initialiser of 'y' on line 132, which CUDA does not take; wanted 'y' declared before the goto, or in a block that ends before the label
    int32_t y = 2 * x;
    x += y;
end:
    return x;
}

KERNEL(cases, in(int32_t, x), out(int32_t, y))
{
    EACH (i)
        switch (x[i]) {
            int32_t a = 3;
        case 0: // ERROR: a jump to this case label passes the initialiser of 'a' on line 142, which CUDA does not take; wanted a block, { … }, around what uses 'a'
            y[i] = a;
            break;
        case 1 ... 3: { // ERROR: a jump to this case label passes the initialiser of 'a' on line 142, which CUDA does not take; wanted a block, { … }, around what uses 'a' // ERROR: a range of case labels is no part of the dialect; wanted a label for each
            y[i] = 2;
            break;
        }
        }
    EACH (i) {
        switch (x[i]) {
        case 0:
            int32_t b = 3; // ERROR: a declaration follows a label, which not every language takes; wanted it in a block, { … }
            y[i] = b;
            break;
        default: // ERROR: a jump to this default label passes the initialiser of 'b' on line 154, which CUDA does not take; wanted a block, { … }, around what uses 'b'
            y[i] = 7;
        }
    }
}
