/* Conformance, subject "atomic": 32-bit integers and floats. */
#include <quern/kernel.h>

#include "atomic_kernels.h"

ATOMIC_KERNELS(int32, int32_t, ATOMIC_BITS)
ATOMIC_KERNELS(uint32, uint32_t, ATOMIC_BITS)
ATOMIC_KERNELS(float, float, ATOMIC_NO_BITS)

/* Floats are compared and exchanged bit by bit: +0 is not -0, and a NaN is itself. */
KERNEL(atomic_exact_float, inout(float, target), in(float, expected), in(float, desired), out(float, old))
{
    EACH (i)
        old[i] = ATOMIC_COMPARE_EXCHANGE(&target[i], expected[i], desired[i]);
}

/* A control: one item adds 2. */
ATOMIC_GLOBAL(atomic_control, int32_t, ATOMIC_BITS, 1)
