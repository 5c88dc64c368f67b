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

DEVICE int32_t steps_of(int32_t n)
{
    int32_t steps = 0;
again:
    if (n <= 1)
        goto end;
    {
        int32_t halved = n / 2; /* ends before the label */
        n = n % 2 ? 3 * n + 1 : halved;
    }
    steps++;
    goto again;
end:
    return steps;
}

KERNEL(labels, in(int32_t, x), out(int32_t, y), value(int32_t, most))
{
    EACH (i) {
        int32_t sum = 0, last;
        for (int32_t a = 0; a < 7; a++)
            for (int32_t b = 0; b < 7; b++) {
                int32_t product = a * b;
                sum += product;
                if (sum > most)
                    goto out;
            }
    out:
        if (sum == 0)
            goto end; /* what it passes has no initialiser */
        int32_t *address;
        last = x[i];
        address = &last;
        sum += *address;
    end:
        y[i] = sum + steps_of(x[i]) + (most && sum);
        switch (sum & 3) {
        case 0: {
            int32_t more = 3;
            y[i] += more;
            break;
        }
        case 1:;
            int32_t rest;
            rest = 3;
            y[i] += rest;
            break;
        case 2:
            for (int32_t k = 0; k < 3; k++)
                y[i] += k;
            break;
        default:
            y[i] += 1;
            int32_t own = 3;
            y[i] += own;
        }
    }
    EACH (i) {
        if (x[i] > 3)
            goto last;
        y[i] += 1;
    last:;
    }
}

GROUP_KERNEL(labels_between_phases, 64, inout(int32_t, x))
{
    int n = 0;
again:
    ITEMS (i)
        x[GLOBAL(i)] += n;
    n++;
    if (n < 3)
        goto again;
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
