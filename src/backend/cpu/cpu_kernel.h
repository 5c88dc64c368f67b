/* Kernels that have been built for a CPU device, and how a launch of one is handed to the threads. */
#ifndef QUERN_BACKEND_CPU_KERNEL_H
#define QUERN_BACKEND_CPU_KERNEL_H

#include "cpu_job.h"

/* The largest group, of a kernel that takes its size from the launch, and the memory that a group may have. */
enum { QUERN_CPU_GROUP_ITEMS = 65536, QUERN_CPU_LOCAL_BYTES = 256 << 10, QUERN_CPU_PRIVATE_BYTES = 64 << 20 };

struct quern_cpu_kernel {
    quern_cpu_function *function; /* of the best level that this processor runs */
    struct quern_cpu_tuning tuning;
};

quern_status quern_cpu_kernel_build(void *device, const quern_kernel *kernel, void **compiled,
                                    quern_kernel_limits *limits);
void quern_cpu_kernel_release(void *device, void *compiled);

quern_status quern_cpu_launch_configuration(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                            const size_t *extents, size_t max_items, size_t *group);

#endif
