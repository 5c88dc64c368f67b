/* What a kernel is on each device: built at its first launch there, kept until its program or the library ends. */
#ifndef QUERN_RUNTIME_KERNEL_H
#define QUERN_RUNTIME_KERNEL_H

#include <quern/backend.h>
#include <quern/program.h>

#include "device.h"

typedef struct quern_built_kernel {
    _Atomic int ready; /* 1: the fields below are set */
    void *compiled;    /* the backend's */
    quern_kernel_limits limits;
} quern_built_kernel;

/* INVALID_ARGUMENT for NULL, NOT_SUPPORTED for a descriptor of another version. */
quern_status quern_kernel_check(const quern_kernel *kernel);

/* The kernel on the device, built when it is not yet. Thread-safe. */
quern_status quern_kernel_on_device(quern_kernel *kernel, quern_device *device, const quern_built_kernel **built);

/* The kernel on the device is one of the caller's module, which the backend can wrap. BUSY when it was built already.
 */
quern_status quern_kernel_wrap_on_device(quern_kernel *kernel, quern_device *device, uint32_t kind, void *handle);

/* Releases what devices built of the kernel; nothing uses it any more. */
void quern_kernel_forget(quern_kernel *kernel);

/* The same for all kernels; for quern_shutdown. */
void quern_kernels_forget_all(void);

#endif
