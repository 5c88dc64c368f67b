/* How the machine's CPUs become devices, and which CPUs a device's threads may run on. */
#ifndef QUERN_BACKEND_CPU_TOPOLOGY_H
#define QUERN_BACKEND_CPU_TOPOLOGY_H

#include <quern/status.h>

#include <pthread.h>

enum { QUERN_CPU_MAX_THREADS = 1024 };

enum quern_cpu_binding {
    QUERN_CPU_BIND_NONE,   /* the system places the threads */
    QUERN_CPU_BIND_DEVICE, /* a device's threads stay on its CPUs */
    QUERN_CPU_BIND_CPU     /* every thread stays on one CPU */
};

struct quern_cpu_share {
    unsigned threads;   /* of the device */
    unsigned cpu_first; /* into cpus */
    unsigned cpu_count;
};

struct quern_cpu_topology {
    unsigned cpu_count; /* of the affinity mask */
    int *cpus;          /* their numbers, NUMA node by NUMA node */
    unsigned device_count;
    struct quern_cpu_share *devices;
    enum quern_cpu_binding binding;
};

/* Reads the machine and the environment (cpu_backend.h). */
quern_status quern_cpu_topology_read(struct quern_cpu_topology *topology);
void quern_cpu_topology_free(struct quern_cpu_topology *topology);

/* Keeps a thread of a device on the CPUs that it belongs to; without effect where the system refuses. */
void quern_cpu_topology_bind(const struct quern_cpu_topology *topology, unsigned device, unsigned thread_index,
                             pthread_t thread);

#endif
