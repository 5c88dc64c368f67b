/* Sub-spans in place, for spans and views alike. */
#ifndef QUERN_STORAGE_SPAN_H
#define QUERN_STORAGE_SPAN_H

#include <quern/span.h>

/* Make the span its own sub-span, as quern_span_sub; on failure it may be half narrowed. */
quern_status quern_span_narrow(quern_span *span, const size_t *offset, const quern_extents *extents);
quern_status quern_const_span_narrow(quern_const_span *span, const size_t *offset, const quern_extents *extents);

#endif
