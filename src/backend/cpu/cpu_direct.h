/*
 * Launches as the CPU runs them, and those of blocking queues: they run on the calling thread at once, so their
 * arguments need not be copied into a ring, and what was made of one that comes again is kept.
 */
#ifndef QUERN_BACKEND_CPU_DIRECT_H
#define QUERN_BACKEND_CPU_DIRECT_H

#include "cpu_job.h"
#include "cpu_queue.h"

/* Runs a launch, unless the queue has failed; name is the kernel's, for a failure. */
void quern_cpu_direct_run(struct quern_cpu_queue *queue, struct quern_cpu_thread *self, uint64_t number,
                          const char *name, const struct quern_cpu_launch *launch);

/* All but arguments and dimensions; the dimensions of the range, fastest first. */
void quern_cpu_direct_set(struct quern_cpu_launch *result, const struct quern_cpu_device *device,
                          const quern_backend_launch *launch);
void quern_cpu_direct_set_dimensions(struct quern_cpu_dimension *dim, const quern_backend_launch *launch);

/* A launch of a blocking queue. */
quern_status quern_cpu_direct_launch(struct quern_cpu_queue *queue, uint64_t number,
                                     const quern_backend_launch *launch);

#endif
