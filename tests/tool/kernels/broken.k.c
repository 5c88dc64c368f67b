/* This does not compile, and the message has to say where. */
#include <quern/kernel.h>

KERNEL(broken, inout(float, y))
{
    EACH (i)
        y[i] = no_such_name;
}
