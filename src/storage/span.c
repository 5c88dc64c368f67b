/* Spans: memory with a shape. The mutable and the const form differ in nothing but the address's type. */
#include "span.h"

#include "check.h"
#include "layout.h"

/* A sound layout, and an address that holds it. */
static quern_status check_memory(const void *address, const quern_layout *layout)
{
    size_t reach, taken;
    uintptr_t end;
    QUERN_CHECK_POINTER(layout);
    QUERN_CHECK(quern_layout_measure(layout, &reach, &taken));
    if (!address && reach > 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "address is NULL, wanted memory of %zu bytes", reach);
    if (quern_add_overflows((uintptr_t)address, reach, &end))
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "address is %p, from where the layout's %zu bytes run past the end of the address space",
                          address, reach);
    return QUERN_SUCCESS;
}

quern_status quern_span_make(void *address, const quern_layout *layout, quern_span *span)
{
    QUERN_CHECK_POINTER(span);
    QUERN_CHECK(check_memory(address, layout));
    *span = (quern_span){address, quern_layout_alignment(layout, address), *layout};
    return QUERN_SUCCESS;
}

quern_status quern_const_span_make(const void *address, const quern_layout *layout, quern_const_span *span)
{
    QUERN_CHECK_POINTER(span);
    QUERN_CHECK(check_memory(address, layout));
    *span = (quern_const_span){address, quern_layout_alignment(layout, address), *layout};
    return QUERN_SUCCESS;
}

/* A span that was never made, or one of a NULL buffer, is refused before anything is taken of it. */
static quern_status check_span(const void *address, const quern_layout *layout)
{
    QUERN_CHECK(quern_shape_check(layout->rank, layout->extents, "the span's extents"));
    if (!address && !quern_shape_is_empty(layout->rank, layout->extents))
        return quern_fail(QUERN_INVALID_ARGUMENT, "the span's address is NULL, wanted memory of its elements");
    return QUERN_SUCCESS;
}

quern_status quern_span_narrow(quern_span *span, const size_t *offset, const quern_extents *extents)
{
    ptrdiff_t bytes;
    QUERN_CHECK(check_span(span->address, &span->layout));
    QUERN_CHECK(quern_layout_narrow(&span->layout, offset, extents, &bytes));
    if (bytes != 0)
        span->address = (char *)span->address + bytes;
    span->alignment = quern_layout_alignment(&span->layout, span->address);
    return QUERN_SUCCESS;
}

quern_status quern_const_span_narrow(quern_const_span *span, const size_t *offset, const quern_extents *extents)
{
    ptrdiff_t bytes;
    QUERN_CHECK(check_span(span->address, &span->layout));
    QUERN_CHECK(quern_layout_narrow(&span->layout, offset, extents, &bytes));
    if (bytes != 0)
        span->address = (const char *)span->address + bytes;
    span->alignment = quern_layout_alignment(&span->layout, span->address);
    return QUERN_SUCCESS;
}

/* The argument is a copy already: it is narrowed, and given when that went well. */
quern_status quern_span_sub(quern_span span, const size_t *offset, quern_extents extents, quern_span *sub)
{
    QUERN_CHECK_POINTER(sub);
    QUERN_CHECK(quern_span_narrow(&span, offset, &extents));
    *sub = span;
    return QUERN_SUCCESS;
}

quern_status quern_const_span_sub(quern_const_span span, const size_t *offset, quern_extents extents,
                                  quern_const_span *sub)
{
    QUERN_CHECK_POINTER(sub);
    QUERN_CHECK(quern_const_span_narrow(&span, offset, &extents));
    *sub = span;
    return QUERN_SUCCESS;
}

quern_status quern_span_offset(const quern_span *span, const ptrdiff_t *index, ptrdiff_t *offset)
{
    QUERN_CHECK_POINTER(span);
    return quern_layout_offset(&span->layout, index, offset);
}

/* The byte offset of an element that lies inside. */
static quern_status offset_inside(const void *address, const quern_layout *layout, const ptrdiff_t *index,
                                  ptrdiff_t *offset)
{
    QUERN_CHECK(check_span(address, layout));
    QUERN_CHECK(quern_index_check(layout->rank, layout->extents, index));
    return quern_layout_offset(layout, index, offset);
}

quern_status quern_span_at(quern_span *span, const ptrdiff_t *index, void **element)
{
    ptrdiff_t offset;
    QUERN_CHECK_POINTER(span);
    QUERN_CHECK_POINTER(element);
    QUERN_CHECK(offset_inside(span->address, &span->layout, index, &offset));
    *element = (char *)span->address + offset;
    return QUERN_SUCCESS;
}

quern_status quern_const_span_at(const quern_const_span *span, const ptrdiff_t *index, const void **element)
{
    ptrdiff_t offset;
    QUERN_CHECK_POINTER(span);
    QUERN_CHECK_POINTER(element);
    QUERN_CHECK(offset_inside(span->address, &span->layout, index, &offset));
    *element = (const char *)span->address + offset;
    return QUERN_SUCCESS;
}
