/* Whose memory the host can reach. What the storage asks about a device, the runtime, above it, answers. */
#ifndef QUERN_STORAGE_HOST_ACCESS_H
#define QUERN_STORAGE_HOST_ACCESS_H

#include <quern/view.h>

/* 1 when the host may read and write the device's own memory. */
int quern_device_host_accessible(const quern_device *device);

/* The same of a buffer's memory, which may be host memory by its kind; NULL for a buffer that is not known. */
int quern_buffer_host_accessible(const quern_device *device, const quern_buffer *buffer);

#endif
