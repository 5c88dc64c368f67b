/*
 * Quern: devices: one processor that a backend offers, named "cpu:0", "opencl:1", …
 *
 * A backend is started, with whatever driver it brings along, when somebody asks for one of its devices or for a list
 * of all; opening "cpu:0" loads no GPU's driver. One that cannot work on this machine is no error: it has its reason
 * (quern_backend_status), and the others go on. For want of memory alone a start is tried again the next time.
 *
 * Device handles belong to the process: opening a name twice gives the same handle. All functions
 * here may be called from any thread.
 */
#ifndef QUERN_DEVICE_H
#define QUERN_DEVICE_H

#include <quern/view.h>

/* What a device is and can do. 0 or "" means unknown, and unknown means unsupported. */
typedef struct quern_device_info {
    char name[32];         /* "cpu:0" */
    char backend[16];      /* "cpu" */
    char description[128]; /* the processor's own name */
    char vendor[64];
    uint64_t memory_bytes;        /* all of the device's memory */
    uint64_t largest_allocation;  /* bytes */
    uint32_t compute_units;       /* threads on a CPU, multiprocessors on a GPU */
    uint32_t simd_bytes;          /* width of a SIMD register */
    uint32_t subgroup_width;      /* items, 0 without sub-groups */
    uint32_t preferred_alignment; /* bytes, for rows of pitched memory */
    uint64_t local_memory_bytes;  /* of one group */
    uint64_t largest_group_items;
    uint64_t largest_group[3];                                       /* per dimension, slowest first */
    uint32_t fp64, fp16, atomics64, unified_memory, host_accessible; /* 1 or 0 */
    char instruction_set[32];                                        /* "x86-64-v3" */
} quern_device_info;

QUERN_BEGIN_DECLARATIONS

/* The number of backends, working or not: those of this build, best first, then those that were loaded. */
QUERN_API quern_status quern_backend_count(size_t *count);

/* The name of a backend (valid for the life of the process), whether it works (SUCCESS or why not) and one sentence
 * of reason, "" when it works, valid until quern_shutdown. index counts from 0. name, state and reason may each be
 * NULL. Starts this backend and no other. */
QUERN_API quern_status quern_backend_status(size_t index, const char **name, quern_status *state, const char **reason);

/*
 * Adds a backend from a shared object that exports quern_backend_entry (backend.h); path is used as it stands, nothing
 * is searched. It stays loaded until the process ends, whatever quern_shutdown does, and is started when it is needed.
 * At any time, from any thread. Nothing is changed by a failure: FILE_ERROR when path is no shared object or cannot be
 * loaded, NOT_SUPPORTED for a backend of another version or one that lacks the entry or a required function,
 * INVALID_ARGUMENT for a name that is no name or is taken and for a file that is loaded already, LIMIT_EXCEEDED for
 * more than 64 backends.
 */
QUERN_API quern_status quern_backend_load(const char *path);

/* The number of devices of all backends that work, and the name of each; index counts from 0. The order is that of the
 * backends. Starts all. */
QUERN_API quern_status quern_device_count(size_t *count);
QUERN_API quern_status quern_device_name(size_t index, const char **name);

/* The devices that cannot be used, of backends that otherwise work: how many, and of each the name, why not, and one
 * sentence of reason, valid until quern_shutdown. They are not among the devices above, which keep their own names.
 * Where a driver fails to list its devices, one stands for all of them. name, state and reason may each be NULL. Starts
 * all. */
QUERN_API quern_status quern_device_unusable_count(size_t *count);
QUERN_API quern_status quern_device_unusable(size_t index, const char **name, quern_status *state, const char **reason);

/* The device of that name. NOT_FOUND for a name of no known form, NOT_PRESENT for one that this machine lacks (the
 * sentence says which there are, or why its backend does not work), OUT_OF_MEMORY when its backend could not start for
 * want of it. Release it with quern_device_release. */
QUERN_API quern_status quern_device_open(const char *name, quern_device **device);

/* The device that the environment variable QUERN_DEVICE names; without it, the first of the first backend that works.
 * NOT_PRESENT with all reasons when none does; OUT_OF_MEMORY rather than another device when a better one could not
 * start for want of it, and INVALID_ARGUMENT when an environment variable of its backend has no sense. */
QUERN_API quern_status quern_device_default(quern_device **device);

/* Gives back what open or default gave; NULL is fine. Queues and buffers keep working. */
QUERN_API quern_status quern_device_release(quern_device *device);

QUERN_API quern_status quern_device_get_info(quern_device *device, quern_device_info *info);

/* The current device of the calling thread, or of the task that it runs: the default one until it sets another; a task
 * begins with its spawner's, or the one that it was spawned for. Borrowed, not to be released. Switching does not
 * synchronise. */
QUERN_API quern_status quern_device_current(quern_device **device);
QUERN_API quern_status quern_device_set_current(quern_device *device);

/* Stops the library's threads and frees everything that it keeps. BUSY, and nothing happens, while a queue, buffer,
 * event, program or graph is still held, or a task has not ended or not been joined. The current queues of all threads
 * are released. Afterwards the library may be used anew. No other thread may use Quern meanwhile. Optional: a process
 * may end without it. */
QUERN_API quern_status quern_shutdown(void);

QUERN_END_DECLARATIONS

#endif
