/* A kernel's needs against a device. */
#include "needs.h"

#include "base/error.h"

quern_status quern_kernel_check_needs(const quern_kernel *kernel, const quern_device_info *info)
{
    if ((kernel->needs & QUERN_NEEDS_FP64) && !info->fp64)
        return quern_fail(QUERN_NOT_SUPPORTED, "kernel '%s' uses double, which %s does not have", kernel->name,
                          info->name);
    if ((kernel->needs & QUERN_NEEDS_ATOMICS64) && !info->atomics64)
        return quern_fail(QUERN_NOT_SUPPORTED, "kernel '%s' uses atomics on 64-bit numbers, which %s does not have",
                          kernel->name, info->name);
    if (kernel->needs & ~(QUERN_NEEDS_FP64 | QUERN_NEEDS_ATOMICS64))
        return quern_fail(QUERN_NOT_SUPPORTED, "kernel '%s' needs 0x%x, of which this version of Quern knows only 0x%x",
                          kernel->name, kernel->needs, QUERN_NEEDS_FP64 | QUERN_NEEDS_ATOMICS64);
    return QUERN_SUCCESS;
}
