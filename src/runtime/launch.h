/* What a launch is once it has been checked, for those who launch it later. */
#ifndef QUERN_RUNTIME_LAUNCH_H
#define QUERN_RUNTIME_LAUNCH_H

#include <quern/backend.h>
#include <quern/launch.h>

#include "arguments.h"

/* Checks all and builds the kernel for the device: *launch is what the backend gets, with the arguments of checked. An
 * empty range has items 0, and then nothing else of launch is set. */
quern_status quern_launch_prepare(quern_device *device, quern_kernel *kernel, const quern_range *range,
                                  const quern_argument *arguments, size_t count, quern_checked_arguments *checked,
                                  quern_backend_launch *launch);

#endif
