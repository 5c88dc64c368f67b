/* EACH and phases with indices that are none. */
// clang-format off
#include <quern/kernel.h>

KERNEL(each_names, out(float, y))
{
    EACH () // ERROR: EACH has 0 arguments; wanted EACH (i)
        y[0] = 0.0f;
    EACH (i, j) // ERROR: EACH has 2 arguments; wanted EACH (i)
        y[i] = 0.0f;
    EACH { // ERROR: EACH has no index; wanted EACH (i)
        y[0] = 0.0f;
    }
}

KERNEL(each2_names, out(float, y))
{
    EACH2 (i) // ERROR: EACH2 has 1 argument; wanted EACH2 (y, x)
        y[i] = 0.0f;
    EACH2 (i, i) // ERROR: two indices of EACH2 are named 'i'; wanted a name for each
        y[i] = 0.0f;
}

KERNEL(each3_names, out(float, y))
{
    EACH3 (k, j, k) // ERROR: two indices of EACH3 are named 'k'; wanted a name for each
        y[j] = 0.0f;
}

KERNEL(expressions, out(float, y))
{
    EACH (i + 1) // ERROR: index 1 of EACH is no name; wanted EACH (i), with names of your own
        y[0] = 0.0f;
    EACH (quern_index i) // ERROR: index 1 of EACH is no name; wanted EACH (i), with names of your own
        y[0] = 0.0f;
}

KERNEL(missing, out(float, y))
{
    EACH2 (j, ) // ERROR: index 2 of EACH2 is no name; wanted EACH2 (y, x), with names of your own
        y[j] = 0.0f;
}

KERNEL(index_array, out(float, y))
{
    EACH_INDEX () // ERROR: EACH_INDEX has 0 arguments; wanted EACH_INDEX (idx)
        y[0] = 0.0f;
}

GROUP_KERNEL(phase_names, 64, out(float, y))
{
    ITEMS { // ERROR: ITEMS has no index; wanted ITEMS (i)
        y[0] = 0.0f;
    }
    ALL_ITEMS () // ERROR: ALL_ITEMS has 0 arguments; wanted ALL_ITEMS (i)
        y[0] = 0.0f;
    ITEMS (3) // ERROR: index 1 of ITEMS is no name; wanted ITEMS (i), with names of your own
        y[0] = 0.0f;
    TEAM_EACH (j) // ERROR: TEAM_EACH has 1 argument; wanted TEAM_EACH (j, count)
        y[j] = 0.0f;
    TEAM_EACH (j, 3, 4) // ERROR: TEAM_EACH has 3 arguments; wanted TEAM_EACH (j, count)
        y[j] = 0.0f;
    TEAM_EACH (j, ) // ERROR: the count of TEAM_EACH is missing; wanted TEAM_EACH (j, count)
        y[j] = 0.0f;
    ONCE () // ERROR: ONCE has an index; wanted ONCE by itself, as one item runs it
        y[0] = 0.0f;
    ONCE (i) { // ERROR: ONCE has an index; wanted ONCE by itself, as one item runs it
        y[0] = 0.0f;
    }
}
