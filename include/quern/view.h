/*
 * Quern: views: a span of a buffer's memory, and the device it lives on.
 *
 * The third of the four levels of data storage, and what a kernel launch, a copy and a fill take. A
 * view owns nothing: it is a value, good as long as somebody holds the buffer. Commands that use a
 * view keep the buffer's memory alive until they have run. In debug builds a view whose buffer is
 * gone is refused with QUERN_RELEASED.
 */
#ifndef QUERN_VIEW_H
#define QUERN_VIEW_H

#include <quern/source.h>

typedef struct quern_device quern_device;
typedef struct quern_buffer quern_buffer;

typedef struct quern_view {
    quern_span span;
    quern_device *device;
    quern_buffer *buffer;
} quern_view;

typedef struct quern_const_view {
    quern_const_span span;
    quern_device *device;
    quern_buffer *buffer;
} quern_const_view;

QUERN_BEGIN_DECLARATIONS

/* The same elements, read only. */
static inline quern_const_view quern_view_as_const(quern_view view)
{
    quern_const_view result;
    result.span = quern_span_as_const(view.span);
    result.device = view.device;
    result.buffer = view.buffer;
    return result;
}

/* The sub-view of extents elements from offset on; as quern_span_sub. */
QUERN_API quern_status quern_view_sub(quern_view view, const size_t *offset, quern_extents extents, quern_view *sub);
QUERN_API quern_status quern_const_view_sub(quern_const_view view, const size_t *offset, quern_extents extents,
                                            quern_const_view *sub);

QUERN_END_DECLARATIONS

#endif
