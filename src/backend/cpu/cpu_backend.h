/* The CPU backend: kernels run on the machine's own processors by a pool of threads. */
#ifndef QUERN_BACKEND_CPU_BACKEND_H
#define QUERN_BACKEND_CPU_BACKEND_H

#include <quern/backend.h>

/*
 * The whole backend. start() reads the environment:
 *   QUERN_CPU_DEVICES   how many devices the CPU is split into; default: its NUMA nodes (one without hwloc)
 *   QUERN_CPU_THREADS   threads of all devices together, at least one each; default: the CPUs of the affinity mask
 *   QUERN_CPU_PIN       1: every thread of the pool stays on one CPU; default 0
 */
extern const quern_backend quern_cpu_backend;

#endif
