/*
 * Extents and layouts. Sizes are kept within 63 bits: they are computed as ptrdiff_t, and every
 * product and sum is checked on the way.
 */
#include "layout.h"

#include <stdio.h>

#include "check.h"

/* OVERFLOW: "extents are {2147483648, 2147483648, 4}, wanted …". */
static quern_status overflow(uint32_t rank, const size_t *extents, const char *wanted)
{
    char list[QUERN_MAX_RANK * 24];
    size_t length = 0;
    for (uint32_t d = 0; d < rank; ++d)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%zu", d ? ", " : "", extents[d]);
    return quern_fail(QUERN_OVERFLOW, "extents are {%s}, wanted %s of at most 2^63-1", list, wanted);
}

/* The product of sound extents. */
static quern_status count_of(const quern_extents *extents, size_t *count)
{
    ptrdiff_t product = 1;
    if (quern_shape_is_empty(extents->rank, extents->n)) {
        *count = 0; /* also where the other extents alone would overflow */
        return QUERN_SUCCESS;
    }
    for (uint32_t d = 0; d < extents->rank; ++d)
        if (quern_multiply_overflows(product, extents->n[d], &product))
            return overflow(extents->rank, extents->n, "a product");
    *count = (size_t)product;
    return QUERN_SUCCESS;
}

quern_status quern_extents_count(quern_extents extents, size_t *count)
{
    QUERN_CHECK_POINTER(count);
    QUERN_CHECK(quern_shape_check(extents.rank, extents.n, "extents"));
    return count_of(&extents, count);
}

quern_status quern_extents_linear_index(quern_extents extents, const ptrdiff_t *index, size_t *linear)
{
    size_t count, number = 0;
    QUERN_CHECK_POINTER(linear);
    QUERN_CHECK(quern_shape_check(extents.rank, extents.n, "extents"));
    QUERN_CHECK(count_of(&extents, &count));
    QUERN_CHECK(quern_index_check(extents.rank, extents.n, index));
    for (uint32_t d = 0; d < extents.rank; ++d)
        number = number * extents.n[d] + (size_t)index[d]; /* stays below count */
    *linear = number;
    return QUERN_SUCCESS;
}

/* row_bytes rounded up to the alignment, a power of two; 1 when that overflows. */
static int round_up_overflows(ptrdiff_t row_bytes, size_t alignment, ptrdiff_t *rounded)
{
    if (quern_add_overflows(row_bytes, alignment - 1, rounded))
        return 1;
    *rounded &= ~(ptrdiff_t)(alignment - 1);
    return 0;
}

/* Every kind of layout: rows padded by row_padding and then up to the alignment, outwards empty more of each. */
static quern_status make_layout(quern_type type, const quern_extents *extents, size_t row_padding, size_t alignment,
                                size_t empty, quern_layout *layout)
{
    quern_layout made = {.type = type, .rank = extents->rank};
    size_t count;
    QUERN_CHECK(quern_type_check(type));
    QUERN_CHECK(quern_shape_check(extents->rank, extents->n, "extents"));
    QUERN_CHECK(count_of(extents, &count));
    ptrdiff_t pitch = (ptrdiff_t)type.size;
    for (uint32_t d = extents->rank; d-- > 0;) {
        int is_row = d + 1 == extents->rank;
        size_t n = extents->n[d];
        made.extents[d] = n;
        made.pitches[d] = pitch;
        if (d > 0 && !is_row && quern_add_overflows(n, empty, &n))
            return overflow(extents->rank, extents->n, "a layout's bytes");
        if (quern_multiply_overflows(pitch, n, &pitch))
            return overflow(extents->rank, extents->n, "a layout's bytes");
        if (d > 0 && is_row &&
            (quern_add_overflows(pitch, row_padding, &pitch) || round_up_overflows(pitch, alignment, &pitch)))
            return overflow(extents->rank, extents->n, "a layout's bytes");
    }
    *layout = made;
    return QUERN_SUCCESS;
}

quern_status quern_layout_packed(quern_type type, quern_extents extents, quern_layout *layout)
{
    QUERN_CHECK_POINTER(layout);
    return make_layout(type, &extents, 0, 1, 0, layout);
}

quern_status quern_layout_aligned(quern_type type, quern_extents extents, size_t alignment, quern_layout *layout)
{
    QUERN_CHECK_POINTER(layout);
    QUERN_CHECK(quern_size_check(alignment, "alignment"));
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "alignment is %zu, wanted a power of two", alignment);
    return make_layout(type, &extents, 0, alignment, 0, layout);
}

quern_status quern_layout_padded(quern_type type, quern_extents extents, size_t row_padding, size_t empty_rows,
                                 quern_layout *layout)
{
    QUERN_CHECK_POINTER(layout);
    QUERN_CHECK(quern_size_check(row_padding, "row_padding"));
    QUERN_CHECK(quern_size_check(empty_rows, "empty_rows"));
    return make_layout(type, &extents, row_padding, 1, empty_rows, layout);
}

/* The pitch of a dimension that holds two or more things, each of which reaches inner bytes far. */
static quern_status check_pitch(const quern_layout *layout, uint32_t d, ptrdiff_t inner)
{
    ptrdiff_t pitch = layout->pitches[d];
    if (d + 1 == layout->rank && pitch != inner)
        return quern_fail(QUERN_INVALID_SHAPE, "layout->pitches[%u] is %td, wanted %td, the bytes of one element", d,
                          pitch, inner);
    if (pitch < inner)
        return quern_fail(QUERN_INVALID_SHAPE,
                          "layout->pitches[%u] is %td, wanted at least %td, the bytes of what lies inside", d, pitch,
                          inner);
    return QUERN_SUCCESS;
}

quern_status quern_layout_measure(const quern_layout *layout, size_t *reach, size_t *taken)
{
    QUERN_CHECK(quern_type_check(layout->type));
    QUERN_CHECK(quern_shape_check(layout->rank, layout->extents, "layout->extents"));
    if (quern_shape_is_empty(layout->rank, layout->extents)) {
        *reach = *taken = 0;
        return QUERN_SUCCESS;
    }
    ptrdiff_t to_last = (ptrdiff_t)layout->type.size; /* up to the end of the last element inside */
    ptrdiff_t padded = to_last;                       /* with what pads the last row, plane, … inside */
    for (uint32_t d = layout->rank; d-- > 0;) {
        size_t n = layout->extents[d];
        ptrdiff_t steps, whole;
        if (n == 1) { /* the pitch is never used, but counts as padding where it is more than nothing */
            padded = layout->pitches[d] > padded ? layout->pitches[d] : padded;
            continue;
        }
        QUERN_CHECK(check_pitch(layout, d, to_last));
        if (quern_multiply_overflows(layout->pitches[d], n, &whole))
            return overflow(layout->rank, layout->extents, "a layout's bytes");
        steps = whole - layout->pitches[d];
        if (quern_add_overflows(steps, to_last, &to_last) || quern_add_overflows(steps, padded, &padded))
            return overflow(layout->rank, layout->extents, "a layout's bytes");
        padded = whole > padded ? whole : padded;
    }
    *reach = (size_t)to_last;
    *taken = (size_t)padded;
    return QUERN_SUCCESS;
}

quern_status quern_layout_check(const quern_layout *layout)
{
    size_t reach, taken;
    QUERN_CHECK_POINTER(layout);
    return quern_layout_measure(layout, &reach, &taken);
}

quern_status quern_layout_bytes(const quern_layout *layout, size_t *bytes)
{
    size_t reach;
    QUERN_CHECK_POINTER(layout);
    QUERN_CHECK_POINTER(bytes);
    return quern_layout_measure(layout, &reach, bytes);
}

quern_status quern_layout_offset(const quern_layout *layout, const ptrdiff_t *index, ptrdiff_t *offset)
{
    ptrdiff_t sum = 0, step;
    QUERN_CHECK_POINTER(layout);
    QUERN_CHECK_POINTER(offset);
    QUERN_CHECK(quern_shape_check(layout->rank, layout->extents, "layout->extents"));
    if (layout->rank > 0)
        QUERN_CHECK_POINTER(index);
    for (uint32_t d = 0; d < layout->rank; ++d)
        if (quern_multiply_overflows(index[d], layout->pitches[d], &step) || quern_add_overflows(sum, step, &sum))
            return quern_fail(QUERN_OVERFLOW, "index[%u] is %td, whose byte offset with a pitch of %td passes 63 bits",
                              d, index[d], layout->pitches[d]);
    *offset = sum;
    return QUERN_SUCCESS;
}

quern_status quern_layout_is_packed(const quern_layout *layout, int *packed)
{
    size_t reach, taken, dense;
    QUERN_CHECK_POINTER(layout);
    QUERN_CHECK_POINTER(packed);
    QUERN_CHECK(quern_layout_measure(layout, &reach, &taken));
    dense = layout->type.size;
    for (uint32_t d = 0; d < layout->rank; ++d)
        dense *= layout->extents[d]; /* at most reach, or 0: elements of a sound layout never overlap */
    *packed = dense == reach;
    return QUERN_SUCCESS;
}

quern_status quern_layout_narrow(quern_layout *layout, const size_t *offset, const quern_extents *extents,
                                 ptrdiff_t *bytes)
{
    ptrdiff_t begin = 0, step;
    int empty = 0;
    QUERN_CHECK(quern_shape_check(extents->rank, extents->n, "extents"));
    if (extents->rank != layout->rank)
        return quern_fail(QUERN_INVALID_SHAPE, "the rank of extents is %u, wanted %u as what it is taken of",
                          extents->rank, layout->rank);
    if (layout->rank > 0)
        QUERN_CHECK_POINTER(offset);
    for (uint32_t d = 0; d < layout->rank; ++d) {
        size_t n = layout->extents[d];
        if (offset[d] > n)
            return quern_fail(QUERN_INVALID_SHAPE, "offset[%u] is %td, wanted 0 to %zu", d, (ptrdiff_t)offset[d], n);
        if (extents->n[d] > n - offset[d])
            return quern_fail(QUERN_INVALID_SHAPE, "extents[%u] is %zu, wanted 0 to %zu: offset[%u] is %zu of %zu", d,
                              extents->n[d], n - offset[d], d, offset[d], n);
        if (quern_multiply_overflows(layout->pitches[d], offset[d], &step) || quern_add_overflows(begin, step, &begin))
            return quern_fail(QUERN_OVERFLOW, "offset[%u] is %zu, whose bytes with a pitch of %td pass 63 bits", d,
                              offset[d], layout->pitches[d]);
        layout->extents[d] = extents->n[d];
        empty |= extents->n[d] == 0;
    }
    *bytes = empty ? 0 : begin;
    return QUERN_SUCCESS;
}

size_t quern_layout_alignment(const quern_layout *layout, const void *address)
{
    size_t bits = (size_t)(uintptr_t)address | 4096;
    for (uint32_t d = 0; d + 1 < layout->rank; ++d)
        if (layout->extents[d] > 1)
            bits |= (size_t)layout->pitches[d];
    return bits & (~bits + 1);
}
