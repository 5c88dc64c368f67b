/* Values of several sizes, for launches that are the same again but for them. */
#include <quern/kernel.h>

STRUCT(five, field(double, part, 5))

KERNEL(mixed_values, inout(double, y), value(int8_t, small), value(five, large), value(double, eight))
{
    EACH (i) {
        y[i] += small + large.part[0] + large.part[4] + eight;
    }
}

KERNEL(axpy_box, in_nd(float, 3, x), inout_nd(float, 3, y), in(float, weights), value(float, a))
{
    EACH3 (k, j, i)
        AT(y, k, j, i) += a * AT(x, k, j, i) * weights[i];
}
