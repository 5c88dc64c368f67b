/* The parts of the subject "launch" among themselves. */
#ifndef QUERN_CONFORMANCE_KERNELS_LAUNCH_H
#define QUERN_CONFORMANCE_KERNELS_LAUNCH_H

#include "kernels_support.h"

/* What launch_map does, on the host. */
static inline void quern_launch_map(uint32_t *x, size_t n, uint32_t scale, uint32_t shift)
{
    for (size_t i = 0; i < n; ++i)
        x[i] = scale * x[i] + shift + (uint32_t)i;
}

/* kernels_launch_threads.c */
quern_verdict quern_launch_two_threads(quern_trial *trial);
quern_verdict quern_launch_four_threads(quern_trial *trial);
quern_verdict quern_launch_one_queue(quern_trial *trial);
quern_verdict quern_launch_first(quern_trial *trial);

#endif
