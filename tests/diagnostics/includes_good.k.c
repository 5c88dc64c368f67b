/* The dialect's header and one of the author's. */
#include <quern/kernel.h>

#include "own_header.h"

KERNEL(included, out(int32_t, y))
{
    EACH (i)
        y[i] = OWN_VALUE + plus_one(INT_MAX - 1);
}
