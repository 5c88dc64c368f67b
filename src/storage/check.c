/* The checks that every function of the storage begins with. */
#include "check.h"

quern_status quern_type_check(quern_type type)
{
    if (type.kind == QUERN_KIND_NONE || type.kind > QUERN_KIND_STRUCT)
        return quern_fail(QUERN_INVALID_TYPE, "type.kind is %u, wanted 1 to %d (QUERN_TYPE(T) makes a type)", type.kind,
                          (int)QUERN_KIND_STRUCT);
    if (type.kind == QUERN_KIND_STRUCT) {
        if (type.size == 0)
            return quern_fail(QUERN_INVALID_TYPE, "type.size is 0, wanted the bytes of one struct, 1 to 2^32-1");
    } else if (type.size != quern_type_scalar((quern_type_kind)type.kind).size) {
        return quern_fail(QUERN_INVALID_TYPE, "type.size is %u, wanted %u, the bytes of one %s", type.size,
                          quern_type_scalar((quern_type_kind)type.kind).size, quern_type_name(type));
    }
    if (type.alignment == 0 || (type.alignment & (type.alignment - 1)) != 0 || type.size % type.alignment != 0)
        return quern_fail(QUERN_INVALID_TYPE,
                          "type.alignment is %u, wanted a power of two that divides the size of %u bytes",
                          type.alignment, type.size);
    return QUERN_SUCCESS;
}

quern_status quern_shape_check(uint32_t rank, const size_t *extents, const char *what)
{
    if (rank > QUERN_MAX_RANK)
        return quern_fail(QUERN_INVALID_SHAPE, "the rank of %s is %u, wanted 0 to %d", what, rank, QUERN_MAX_RANK);
    for (uint32_t d = 0; d < rank; ++d)
        if (extents[d] > PTRDIFF_MAX)
            return quern_fail(QUERN_INVALID_SHAPE, "%s[%u] is %td, wanted 0 to 2^63-1", what, d, (ptrdiff_t)extents[d]);
    return QUERN_SUCCESS;
}

quern_status quern_size_check(size_t size, const char *what)
{
    if (size > PTRDIFF_MAX)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %td, wanted 0 to 2^63-1", what, (ptrdiff_t)size);
    return QUERN_SUCCESS;
}

quern_status quern_index_check(uint32_t rank, const size_t *extents, const ptrdiff_t *index)
{
    if (rank > 0)
        QUERN_CHECK_POINTER(index);
    for (uint32_t d = 0; d < rank; ++d) {
        if ((size_t)index[d] < extents[d]) /* a negative one is larger than any extent */
            continue;
        if (extents[d] == 0)
            return quern_fail(QUERN_INVALID_ARGUMENT, "index[%u] is %td, but the extent is 0: there are no elements", d,
                              index[d]);
        return quern_fail(QUERN_INVALID_ARGUMENT, "index[%u] is %td, wanted 0 to %zu", d, index[d], extents[d] - 1);
    }
    return QUERN_SUCCESS;
}

int quern_shape_is_empty(uint32_t rank, const size_t *extents)
{
    for (uint32_t d = 0; d < rank; ++d)
        if (extents[d] == 0)
            return 1;
    return 0;
}
