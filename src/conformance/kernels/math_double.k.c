/* Conformance, subject "math": doubles. */
#include <quern/kernel.h>

#include "math_kernels.h"

MATH_KERNELS(double, double)

/* From one type to the other, and the constants. */
KERNEL(math_between_types, in(double, x), in(float, y), out(float, narrow), out(double, wide))
{
    EACH (i) {
        narrow[i] = (float)x[i];
        wide[i] = y[i];
    }
}

KERNEL(math_constants, out(double, y))
{
    EACH (i) {
        y[0] = M_E;
        y[1] = M_LOG2E;
        y[2] = M_LOG10E;
        y[3] = M_LN2;
        y[4] = M_LN10;
        y[5] = M_PI;
        y[6] = M_PI_2;
        y[7] = M_PI_4;
        y[8] = M_1_PI;
        y[9] = M_2_PI;
        y[10] = M_2_SQRTPI;
        y[11] = M_SQRT2;
        y[12] = M_SQRT1_2;
        y[13] = DBL_MAX;
        y[14] = DBL_MIN;
        y[15] = DBL_EPSILON;
    }
}
