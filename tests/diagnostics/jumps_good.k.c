/* Jumps that stay inside, and uniform ones between phases. */
#include <quern/kernel.h>

KERNEL(stay_in_each, in(float, x), out(float, y), value(int, mode))
{
    if (mode == 0)
        return;
    EACH (i) {
        float sum = 0.0f;
        if (x[i] < 0.0f)
            continue;
        for (int k = 0; k < 7; k++) {
            if (k == 3)
                continue;
            if (x[i] < (float)k)
                break;
            sum += x[i];
        }
        switch (mode) {
        case 1:
            sum *= 2.0f;
            break;
        case 2:
            continue;
        default:
            break;
        }
        y[i] = sum;
    }
}

GROUP_KERNEL(uniform_jumps, 64, inout(float, y), value(int, mode))
{
    LOCAL(float, tile, GROUP_SIZE);
    ITEMS (i) {
        tile[i] = y[GLOBAL(i)];
        int k = 0;
        do {
            if (k == 5)
                break;
            k++;
        } while (k < 9);
        if (k == 4)
            goto next;
        tile[i] += 1.0f;
    next:
        tile[i] += 1.0f;
    }
    if (mode == 3)
        return;
    for (int step = 1; step < GROUP_SIZE; step *= 2) {
        if (step == mode)
            break;
        if (step == 4)
            continue;
        ITEMS (i)
            y[GLOBAL(i)] += tile[i];
    }
    switch (mode) {
    case 1:
        ITEMS (i)
            y[GLOBAL(i)] += 1.0f;
        break;
    case 2:
        ONCE y[0] = 1.0f;
        break;
    default:
        return;
    }
    for (;;) {
        READ_UNIFORM(float, first, tile[0]);
        if (first > 3.0f)
            break;
        ONCE tile[0] += 1.0f;
    }
}
