/* Conformance, subject "layout": the mark that an item leaves, which tells it from all others. */
#ifndef QUERN_CONFORMANCE_LAYOUT_MARK_H
#define QUERN_CONFORMANCE_LAYOUT_MARK_H

/* The mark with one more index of the item's place in the range. */
DEVICE uint32_t layout_mark(uint32_t mark, int64_t index)
{
    return (mark + (uint32_t)index) * 2654435761u + 97u;
}

#endif
