/* Conformance, subject "index": how items end early, and kernels with them, where there are no groups. */
#include <quern/kernel.h>

/* `continue` ends an item and no other, in whatever it stands; a `continue` of a loop inside is the loop's. */
KERNEL(index_continue_1, inout(int32_t, visits))
{
    EACH (i) {
        int32_t turns = 0;
        if (i % 3 == 1)
            continue;
        for (int32_t k = 0; k < 5; ++k) {
            if (k == 2)
                continue;
            turns += 1;
        }
        switch (i % 3) {
        case 2:
            continue;
        default:
            break;
        }
        ATOMIC_ADD(&visits[i], turns);
    }
}

KERNEL(index_continue_2, inout_nd(int32_t, 2, visits))
{
    EACH2 (y, x) {
        if ((y + 2 * x) % 3 == 1)
            continue;
        ATOMIC_ADD(&AT(visits, y, x), 1);
    }
}

KERNEL(index_continue_3, inout_nd(int32_t, 3, visits))
{
    EACH3 (z, y, x) {
        if ((z + y + 2 * x) % 3 == 1)
            continue;
        ATOMIC_ADD(&AT(visits, z, y, x), 1);
    }
}

KERNEL(index_continue_any, inout_nd(int32_t, 4, visits))
{
    EACH_INDEX (idx) {
        if ((idx[0] + idx[1] + idx[2] + 2 * idx[3]) % 3 == 1)
            continue;
        ATOMIC_ADD(&AT_INDEX(visits, idx), 1);
    }
}

/* A return before EACH, the same for all items; two EACH, each over the whole range. */
KERNEL(index_return, inout(int32_t, first), inout(int32_t, second), value(int32_t, leave))
{
    EACH (i)
        ATOMIC_ADD(&first[i], 1);
    if (leave)
        return;
    EACH (i)
        ATOMIC_ADD(&second[i], 1);
}
