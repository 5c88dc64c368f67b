/* Views: a sub-view is a sub-span of the same buffer on the same device. */
#include <quern/view.h>

#include "check.h"
#include "span.h"

quern_status quern_view_sub(quern_view view, const size_t *offset, quern_extents extents, quern_view *sub)
{
    QUERN_CHECK_POINTER(sub);
    QUERN_CHECK(quern_span_narrow(&view.span, offset, &extents));
    *sub = view;
    return QUERN_SUCCESS;
}

quern_status quern_const_view_sub(quern_const_view view, const size_t *offset, quern_extents extents,
                                  quern_const_view *sub)
{
    QUERN_CHECK_POINTER(sub);
    QUERN_CHECK(quern_const_span_narrow(&view.span, offset, &extents));
    *sub = view;
    return QUERN_SUCCESS;
}
