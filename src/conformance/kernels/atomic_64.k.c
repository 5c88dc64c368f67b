/* Conformance, subject "atomic": 64-bit integers. */
#include <quern/kernel.h>

#include "atomic_kernels.h"

ATOMIC_KERNELS(int64, int64_t, ATOMIC_BITS)
ATOMIC_KERNELS(uint64, uint64_t, ATOMIC_BITS)
