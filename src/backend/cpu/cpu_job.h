/*
 * Running a launch with several threads.
 *
 * The leader engages workers that are free, gives each a contiguous piece and runs one itself. Pieces
 * of large launches are worked off in chunks, and who is done takes chunks of others.
 */
#ifndef QUERN_BACKEND_CPU_JOB_H
#define QUERN_BACKEND_CPU_JOB_H

#include "cpu_pool.h"
#include "cpu_tune.h"

/* What all pieces of a launch have in common. It and what it points to last until the launch has run. */
struct quern_cpu_launch {
    quern_cpu_function *function;
    const struct quern_cpu_argument *arguments;
    const struct quern_cpu_dimension *dim;   /* the whole range, as in a piece */
    struct quern_cpu_tuning *tuning;         /* of the kernel; NULL: always shared out */
    struct quern_cpu_experience *experience; /* with small launches like this one; NULL: it is not small */
    size_t argument_bytes;                   /* of the arguments and small values behind them */
    ptrdiff_t units;                         /* items, or groups of a group kernel; at least 1 */
    ptrdiff_t weight;                        /* items of a group; 1 for a kernel without groups */
    ptrdiff_t part, last_part;               /* quern_cpu_launch_cut; 0: at each run, if it is needed */
    int32_t rank;
    int16_t is_group;
    int16_t alone; /* 1: too little for more than one thread, or there is one only */
};

/* Sets part and last_part, for a launch that is kept: how one thread runs it part by part. */
void quern_cpu_launch_cut(struct quern_cpu_launch *launch);

/* 1 when launches of so many items are small ones: it is tried out whether sharing them pays. */
int quern_cpu_launch_is_small(const struct quern_cpu_device *device, ptrdiff_t items);

/* Runs the launch on the calling thread, and on workers of the device. 0, or 1 when memory was exhausted. */
int quern_cpu_launch_run_alone(struct quern_cpu_thread *self, const struct quern_cpu_launch *launch);
int quern_cpu_launch_run_anyhow(struct quern_cpu_device *device, struct quern_cpu_thread *self,
                                const struct quern_cpu_launch *launch);
static inline int quern_cpu_launch_run(struct quern_cpu_device *device, struct quern_cpu_thread *self,
                                       const struct quern_cpu_launch *launch)
{
    if (launch->alone || (launch->experience && quern_cpu_tune_is_alone(launch->experience)))
        return quern_cpu_launch_run_alone(self, launch);
    return quern_cpu_launch_run_anyhow(device, self, launch);
}

/* The worker runs what has been posted in its mailbox. */
void quern_cpu_job_serve(struct quern_cpu_worker *worker, struct quern_cpu_thread *self, uint64_t number);

#endif
