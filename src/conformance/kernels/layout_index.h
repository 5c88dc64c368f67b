/* Conformance, subject "layout": EACH_INDEX over an array of the rank; origin holds the range's offsets. */
#ifndef QUERN_CONFORMANCE_LAYOUT_INDEX_H
#define QUERN_CONFORMANCE_LAYOUT_INDEX_H

#include "layout_mark.h"

#define INDEX_KERNEL(rank)                                                                                             \
    KERNEL(layout_index_##rank, inout_nd(int32_t, rank, visits), out_nd(uint32_t, rank, marks), in(int64_t, origin))   \
    {                                                                                                                  \
        EACH_INDEX (idx) {                                                                                             \
            quern_index place[6] = {0};                                                                                \
            uint32_t mark = 0u;                                                                                        \
            for (int32_t d = 0; d < rank; ++d) {                                                                       \
                place[d] = (quern_index)(idx[d] - origin[d]);                                                          \
                mark = layout_mark(mark, place[d]);                                                                    \
            }                                                                                                          \
            ATOMIC_ADD(&AT_INDEX(visits, place), 1);                                                                   \
            AT_INDEX(marks, place) = mark;                                                                             \
        }                                                                                                              \
    }

#endif
