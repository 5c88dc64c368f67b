/*
 * Quern: spans: memory with a shape, owned by nobody.
 *
 * The second of the four levels of data storage (source, span, view, buffer). A quern_span can be
 * read and written; a quern_const_span, and a quern_span object that is itself const, only read.
 */
#ifndef QUERN_SPAN_H
#define QUERN_SPAN_H

#include <quern/layout.h>

typedef struct quern_span {
    void *address;    /* of element 0, …, 0; NULL is legal when there are no elements */
    size_t alignment; /* bytes, a power of two up to 4096: what the addresses of all rows are multiples of */
    quern_layout layout;
} quern_span;

typedef struct quern_const_span {
    const void *address;
    size_t alignment;
    quern_layout layout;
} quern_const_span;

QUERN_BEGIN_DECLARATIONS

/* A span of foreign memory; the alignment is what address and pitches guarantee. The memory must outlive the span.
 * INVALID_ARGUMENT for a NULL address with elements, or one that the layout would run past the end of the address space
 * from; otherwise as quern_layout_check. */
QUERN_API quern_status quern_span_make(void *address, const quern_layout *layout, quern_span *span);
QUERN_API quern_status quern_const_span_make(const void *address, const quern_layout *layout, quern_const_span *span);

/* The same memory, read only. */
static inline quern_const_span quern_span_as_const(quern_span span)
{
    quern_const_span result;
    result.address = span.address;
    result.alignment = span.alignment;
    result.layout = span.layout;
    return result;
}

/* The sub-span of extents elements from offset on; rank, type and pitches stay, the alignment is what address and
 * pitches still guarantee. offset holds rank entries (rank 0: it may be NULL). INVALID_SHAPE when the ranks differ or
 * it does not lie inside. Without elements the address is the span's own. */
QUERN_API quern_status quern_span_sub(quern_span span, const size_t *offset, quern_extents extents, quern_span *sub);
QUERN_API quern_status quern_const_span_sub(quern_const_span span, const size_t *offset, quern_extents extents,
                                            quern_const_span *sub);

/* The byte offset of an element from the span's address; as quern_layout_offset. */
QUERN_API quern_status quern_span_offset(const quern_span *span, const ptrdiff_t *index, ptrdiff_t *offset);

/* The address of an element, which must lie inside, else INVALID_ARGUMENT. A const quern_span does for neither: take
 * QUERN_CONST_SPAN of it (levels.h). */
QUERN_API quern_status quern_span_at(quern_span *span, const ptrdiff_t *index, void **element);
QUERN_API quern_status quern_const_span_at(const quern_const_span *span, const ptrdiff_t *index, const void **element);

QUERN_END_DECLARATIONS

#endif
