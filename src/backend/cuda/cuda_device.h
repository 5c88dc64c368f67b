/*
 * The devices of the CUDA driver.
 *
 * A device is asked what it is at the start; its primary context, which other libraries of the process may use too, is
 * made when something is first wanted of it. An error that the context does not get over (an illegal address, say) is
 * kept here: from then on every call says so, and the device's queues finish all their numbers with it.
 */
#ifndef QUERN_BACKEND_CUDA_DEVICE_H
#define QUERN_BACKEND_CUDA_DEVICE_H

#include "cuda_completion.h"
#include "cuda_error.h"

#include "backend/device/device_list.h"

#include <quern/backend.h>

#include <pthread.h>
#include <stdatomic.h>

struct quern_cuda_module;
struct quern_cuda_aligned;

enum { QUERN_CUDA_SPARE_EVENTS = 64, QUERN_CUDA_MOST_DEVICES = 256 };

/* Memory of the host that a command reads, malloc'ed. Of a lost device nobody knows when that ends: it is kept. */
struct quern_cuda_owned {
    struct quern_cuda_owned *next;
    char bytes[];
};

struct quern_cuda_device {
    CUdevice id;
    int ordinal; /* the driver's number of it */
    quern_device_info info;
    int architecture;       /* compute capability: 90 is 9.0 */
    int driver_version;     /* 12040 is 12.4 */
    size_t static_local;    /* local memory that a kernel's own arrays may have; `local` parameters get more */
    size_t registers;       /* of a group */
    size_t largest_grid[3]; /* groups, x first */
    size_t largest_pitch;   /* of rectangles */
    size_t parameter_bytes; /* of all arguments of a kernel, at most */
    int has_pools;          /* memory can be allocated in a stream's order */
    unsigned char peers[QUERN_CUDA_MOST_DEVICES / 8]; /* bits, by id: devices whose memory this one reaches */

    _Atomic(CUcontext) context; /* NULL until it is first needed */
    _Atomic CUresult lost;      /* the error that ended the context; 0 while it works */
    struct quern_cuda_completion completion;

    pthread_mutex_t lock;               /* guards making the context, and what follows */
    struct quern_cuda_aligned *aligned; /* memory that was shifted to its alignment */
    struct quern_cuda_owned *kept;      /* until the context is gone */
    unsigned char enabled_peers[QUERN_CUDA_MOST_DEVICES / 8];

    pthread_mutex_t build_lock; /* held while kernels are built; guards: */
    struct quern_cuda_module *modules;

    pthread_mutex_t clock_lock; /* guards: */
    CUevent reference;          /* that times are told from; NULL at first */
    int64_t reference_time;
    CUevent spare[QUERN_CUDA_SPARE_EVENTS];
    size_t spare_count;
};

/* Asks the device number ordinal of the driver. NULL: reason says why it cannot be used. */
struct quern_cuda_device *quern_cuda_device_make(int ordinal, int driver_version, struct quern_device_reason *reason);
/* Releases all; nothing uses the device any more. */
void quern_cuda_device_free(struct quern_cuda_device *device);

/* ---- the context (cuda_context.c) ---- */

/* The context, made if need be. */
quern_status quern_cuda_context(struct quern_cuda_device *device, CUcontext *context);

/* Makes the device's context the calling thread's, until leave. DEVICE_LOST, OUT_OF_MEMORY, … with a sentence. */
quern_status quern_cuda_enter(struct quern_cuda_device *device);
void quern_cuda_leave(void);

/* The same to let something go, also of a lost device, as far as its driver still hears; 0 when it cannot be had. Keeps
 * the thread's sentence. */
int quern_cuda_enter_to_release(struct quern_cuda_device *device);

/* As quern_cuda_fail; an error that sticks loses the device. */
quern_status quern_cuda_device_fail(struct quern_cuda_device *device, CUresult error, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* What the driver says when it is asked for a handle of the caller's: that there is no such thing is INVALID_ARGUMENT
 * and names `handle` (wanted: "a CUstream"); all else as quern_cuda_device_fail. The context is the thread's. */
quern_status quern_cuda_handle_fail(struct quern_cuda_device *device, CUresult error, const char *wanted);

/* The device no longer works: its queues will finish all their numbers. The first error counts. */
void quern_cuda_device_lose(struct quern_cuda_device *device, CUresult error);

/* Releases the context. */
void quern_cuda_context_release(struct quern_cuda_device *device);

/* ---- events and the device's clock (cuda_clock.c); the context is the thread's ---- */

/* Starts the clock unless it runs. */
quern_status quern_cuda_clock_start(struct quern_cuda_device *device);
void quern_cuda_clock_stop(struct quern_cuda_device *device);

/* An event to record, and back. */
CUresult quern_cuda_event_take(struct quern_cuda_device *device, CUevent *event);
void quern_cuda_event_give(struct quern_cuda_device *device, CUevent event);

/* When the event, which has been reached, was, in nanoseconds; gives the event back. By the host's clock, now, where
 * the driver does not tell, and for NULL. */
int64_t quern_cuda_event_settle(struct quern_cuda_device *device, CUevent event);

#endif
