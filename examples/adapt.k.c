/* Balls in the wind. */
#include <quern/kernel.h>

/* One step of every ball. */
KERNEL(drift, in(float, velocity), in(float, wind), inout(float, position), value(float, step))
{
    EACH (i)
        position[i] += step * (velocity[i] + wind[i]);
}
