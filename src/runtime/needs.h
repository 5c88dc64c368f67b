/* What a kernel needs of a device beyond what every device has. */
#ifndef QUERN_RUNTIME_NEEDS_H
#define QUERN_RUNTIME_NEEDS_H

#include <quern/program.h>

/* SUCCESS when the device has all that kernel->needs names; else NOT_SUPPORTED with a sentence. To be asked once, where
 * the kernel is built for the device. */
quern_status quern_kernel_check_needs(const quern_kernel *kernel, const quern_device_info *info);

#endif
