/* Conformance, subject "math": floats. */
#include <quern/kernel.h>

#include "math_kernels.h"

MATH_KERNELS(float, float)

/* The functions of floats are floats, and so are the generic ones; constants have their values. */
KERNEL(math_types, in(float, x), out(int32_t, sizes), out(float, constants))
{
    EACH (i) {
        sizes[0] = (int32_t)sizeof(sqrt(x[i]));
        sizes[1] = (int32_t)sizeof(pow(x[i], x[i]));
        sizes[2] = (int32_t)sizeof(fma(x[i], x[i], x[i]));
        sizes[3] = (int32_t)sizeof(MIN(x[i], x[i]));
        sizes[4] = (int32_t)sizeof(MAX(x[i], x[i]));
        sizes[5] = (int32_t)sizeof(ABS(x[i]));
        sizes[6] = (int32_t)sizeof(ldexp(x[i], 2));
        constants[0] = FLT_MAX;
        constants[1] = FLT_MIN;
        constants[2] = FLT_EPSILON;
        constants[3] = INFINITY;
        constants[4] = -INFINITY;
        constants[5] = NAN;
        constants[6] = (float)INT32_MAX;
        constants[7] = (float)INT64_MIN;
    }
}

/* Two controls: a sine a little off, and a product that is fused with the sum behind it. */
KERNEL(math_control_sine, in(float, x), out(float, y))
{
    EACH (i)
        y[i] = sin(x[i]) * (1.0f + 8.0f * FLT_EPSILON);
}

KERNEL(math_control_fused, in(float, x), in(float, y), in(float, z), out(float, r))
{
    EACH (i)
        r[i] = fma(x[i], y[i], z[i]);
}
