/* The parts of the subject "barrier" among themselves. */
#ifndef QUERN_CONFORMANCE_KERNELS_BARRIER_H
#define QUERN_CONFORMANCE_KERNELS_BARRIER_H

#include "kernels_support.h"

/* Runs a check for groups and ranges of 1, 2, 3, 255 and 1000 items, each with each; a group that the device does not
 * have is as large as it can be instead. */
typedef quern_verdict quern_barrier_check(quern_trial *trial, size_t group, size_t range);
quern_verdict quern_barrier_sweep(quern_trial *trial, quern_barrier_check *check);

/* Halves *group, down to 1, until the launch is no longer too large for the device or the compiled kernel. */
#define QUERN_LAUNCH_FITTING(trial, group, launch)                                                                     \
    do {                                                                                                               \
        quern_status quern_fitting;                                                                                    \
        while ((quern_fitting = (launch)) == QUERN_LIMIT_EXCEEDED && (group) > 1)                                      \
            (group) /= 2;                                                                                              \
        if (quern_fitting != QUERN_SUCCESS)                                                                            \
            return quern_trial_fail((trial), __FILE__, __LINE__, "%s: %s: %s", #launch,                                \
                                    quern_status_name(quern_fitting), quern_last_error());                             \
    } while (0)

/* The items of group g that lie in a range of n. */
static inline size_t quern_barrier_inside(size_t g, size_t group, size_t n)
{
    const size_t begin = g * group;
    return n - begin < group ? n - begin : group;
}

/* kernels_barrier_phases.c */
quern_verdict quern_barrier_who(quern_trial *trial);
quern_verdict quern_barrier_exchange(quern_trial *trial);
quern_verdict quern_barrier_sort(quern_trial *trial);
quern_verdict quern_barrier_nested(quern_trial *trial);
quern_verdict quern_barrier_return(quern_trial *trial);
quern_verdict quern_barrier_plane(quern_trial *trial);
quern_verdict quern_barrier_volume(quern_trial *trial);
quern_verdict quern_barrier_kept_plane(quern_trial *trial);
quern_verdict quern_barrier_kept_volume(quern_trial *trial);
quern_verdict quern_barrier_too_large(quern_trial *trial);
quern_verdict quern_barrier_fixed_too_large(quern_trial *trial);
quern_verdict quern_barrier_control(quern_trial *trial);

#endif
