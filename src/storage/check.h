/* The checks that every function of the storage begins with, each with its sentence. */
#ifndef QUERN_STORAGE_CHECK_H
#define QUERN_STORAGE_CHECK_H

#include <quern/layout.h>

#include "base/error.h"

/* Leaves the calling function with INVALID_ARGUMENT when the pointer of that name is NULL. */
#define QUERN_CHECK_POINTER(pointer)                                                                                   \
    do {                                                                                                               \
        if (!(pointer))                                                                                                \
            return quern_fail(QUERN_INVALID_ARGUMENT, #pointer " is NULL, wanted an address");                         \
    } while (0)

/* Leaves the calling function with the expression's status unless it is SUCCESS. */
#define QUERN_CHECK(expression)                                                                                        \
    do {                                                                                                               \
        quern_status quern_status_ = (expression);                                                                     \
        if (quern_status_ != QUERN_SUCCESS)                                                                            \
            return quern_status_;                                                                                      \
    } while (0)

/* Known kind, a size that belongs to it, an alignment that is a power of two and divides the size; else INVALID_TYPE.
 */
quern_status quern_type_check(quern_type type);

/* Rank at most 6 and no extent negative, else INVALID_SHAPE. what names the extents: "extents", "layout->extents". */
quern_status quern_shape_check(uint32_t rank, const size_t *extents, const char *what);

/* A count of bytes or rows that was negative before it became a size_t is INVALID_ARGUMENT. */
quern_status quern_size_check(size_t size, const char *what);

/* Every entry in 0 … extent - 1, else INVALID_ARGUMENT; index may be NULL for rank 0. The rank is sound already. */
quern_status quern_index_check(uint32_t rank, const size_t *extents, const ptrdiff_t *index);

/* 1 when an extent is 0: there are no elements. The rank is sound already. */
int quern_shape_is_empty(uint32_t rank, const size_t *extents);

#endif
