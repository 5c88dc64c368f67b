/* Devices of this process. */
#ifndef QUERN_RUNTIME_DEVICE_H
#define QUERN_RUNTIME_DEVICE_H

#include <stdatomic.h>

#include <quern/backend.h>

#include "base/object.h"
#include "lock.h"

typedef struct quern_pool quern_pool;

struct quern_device {
    quern_object object;
    const quern_backend *backend;
    void *handle;        /* the backend's */
    size_t index;        /* among all devices of the process that were started: kernels keep what they compiled by it */
    quern_lock building; /* one kernel at a time is built for it */
    quern_pool *_Atomic pool; /* memory that is kept; NULL before the first buffer that has any of it */
    quern_device_info info;
};

/* Differs before and after a quern_shutdown: a device pointer of another generation is gone. */
unsigned quern_devices_generation(void);

/* Stops the backends and frees the devices; for quern_shutdown. */
void quern_devices_stop(void);

static inline quern_status quern_device_check(const quern_device *device, const char *argument)
{
    return quern_object_check((const quern_object *)device, QUERN_MARK_DEVICE, argument);
}

#endif
