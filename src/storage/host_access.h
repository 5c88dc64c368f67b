/* What the storage asks about a device; the runtime, above it, answers. */
#ifndef QUERN_STORAGE_HOST_ACCESS_H
#define QUERN_STORAGE_HOST_ACCESS_H

#include <quern/view.h>

/* 1 when the host may read and write the memory of the device, which is not NULL. */
int quern_device_host_accessible(const quern_device *device);

#endif
