/* EACH and phases with names for their indices. */
#include <quern/kernel.h>

#define ROW y
#define COLUMN x

KERNEL(macros, out_nd(float, 2, v))
{
    EACH2 (ROW, COLUMN)
        AT(v, ROW, COLUMN) = 0.0f;
    EACH2 (j, i) {
        AT(v, j, i) = 1.0f;
    }
}

KERNEL(one, out(float, v))
{
    EACH (i)
        v[i] = 1.0f;
}

KERNEL(any, out_nd(float, 2, v))
{
    EACH_INDEX (idx)
        AT_INDEX(v, idx) = 2.0f;
}

KERNEL(three, out_nd(float, 3, v))
{
    EACH3 (a, b, c)
        AT(v, a, b, c) = 3.0f;
}

GROUP_KERNEL(phase_names, 64, inout(float, v), value(int32_t, n))
{
    ITEMS (i)
        v[i] = 0.0f;
    TEAM_EACH (j, MIN(n, 3))
        v[j] = 1.0f;
    ONCE
    {
        v[0] = 2.0f;
    }
    ONCE(v[1]) = 2.0f;
    ONCE v[2] = 3.0f;
}
