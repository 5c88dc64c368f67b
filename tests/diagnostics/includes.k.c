/* Headers that a device's compiler does not have. */
// clang-format off
#include <quern/kernel.h>
#include "own_header.h"
#include <stdint.h> // ERROR: <stdint.h> is included, which not every device's compiler has; wanted <quern/kernel.h> and headers of your own, kernel.h brings limits and constants
#  include <limits.h> // ERROR: <limits.h> is included, which not every device's compiler has; wanted <quern/kernel.h> and headers of your own, kernel.h brings limits and constants
/*
#include <stdio.h>
*/
#if 0
#include <stdlib.h>
#endif
#include <ctype.h> // ERROR: <ctype.h> is included, which not every device's compiler has; wanted <quern/kernel.h> and headers of your own, kernel.h brings limits and constants

KERNEL(included, out(int32_t, y))
{
    EACH (i)
        y[i] = OWN_VALUE + plus_one(3);
}
