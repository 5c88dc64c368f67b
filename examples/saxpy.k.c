/*
 * saxpy, and the stream kernels: each reads and writes contiguous arrays once, and is limited by the memory.
 *
 *     quern run examples/saxpy.k.c saxpy x=linear:1000003 y=ones:1000003 a=2 -o y=y.npy
 */
#include <quern/kernel.h>

KERNEL(saxpy, in(float, x), inout(float, y), value(float, a))
{
    EACH (i)
        y[i] += a * x[i];
}

/* c = a */
KERNEL(copy, in(double, a), out(double, c))
{
    EACH (i)
        c[i] = a[i];
}

/* b = s c */
KERNEL(mul, in(double, c), out(double, b), value(double, s))
{
    EACH (i)
        b[i] = s * c[i];
}

/* c = a + b */
KERNEL(add, in(double, a), in(double, b), out(double, c))
{
    EACH (i)
        c[i] = a[i] + b[i];
}

/* a = b + s c */
KERNEL(triad, in(double, b), in(double, c), out(double, a), value(double, s))
{
    EACH (i)
        a[i] = b[i] + s * c[i];
}
