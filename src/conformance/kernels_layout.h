/* The parts of the subject "layout" among themselves. */
#ifndef QUERN_CONFORMANCE_KERNELS_LAYOUT_H
#define QUERN_CONFORMANCE_KERNELS_LAYOUT_H

#include "kernels_support.h"

/* Launches a kernel that counts visits and leaves marks; origin holds the range's six offsets, as does the array. */
typedef quern_status quern_layout_launch(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                         const int64_t *origin, quern_const_view origin_array);

/* Every item of the range ran once, at its own place, and nothing else was written. group_rank 0: the range says no
 * group. */
quern_verdict quern_layout_check_range(quern_trial *trial, quern_layout_launch *launch, quern_extents extents,
                                       const int64_t *origin, quern_extents group);

/* layout_each_1, _2, _3 as such a launch. */
quern_status quern_layout_each_1(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                 const int64_t *origin, quern_const_view origin_array);
quern_status quern_layout_each_2(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                 const int64_t *origin, quern_const_view origin_array);
quern_status quern_layout_each_3(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                 const int64_t *origin, quern_const_view origin_array);

/* kernels_layout_views.c */
quern_verdict quern_layout_views(quern_trial *trial);
quern_verdict quern_layout_stencil(quern_trial *trial);
quern_verdict quern_layout_empty(quern_trial *trial);
quern_verdict quern_layout_hints(quern_trial *trial);

#endif
