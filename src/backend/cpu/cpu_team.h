/* The workers that a leader engages for a launch, and how it waits for them. */
#ifndef QUERN_BACKEND_CPU_TEAM_H
#define QUERN_BACKEND_CPU_TEAM_H

#include "cpu_pool.h"

/* Reserves up to wanted free workers, linked by their cursors' following; gives how many. */
unsigned quern_cpu_team_engage(struct quern_cpu_device *device, const struct quern_cpu_thread *self, unsigned wanted,
                               struct quern_cpu_worker **first);

/*
 * The leader has nothing else to do. 1 when the worker has run what it was given; 0 when it had not begun after so many
 * turns of waiting: then that is the leader's again.
 */
int quern_cpu_team_settle(struct quern_cpu_worker *worker, uint32_t patience, struct quern_cpu_thread *self);

#endif
