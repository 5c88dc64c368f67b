/* Conformance, subject "atomic": doubles. */
#include <quern/kernel.h>

#include "atomic_kernels.h"

ATOMIC_KERNELS(double, double, ATOMIC_NO_BITS)
