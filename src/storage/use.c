/* Boxes of elements, and the list of a buffer's uses. */
#include "use.h"

#include <stdlib.h>
#include <string.h>

void quern_use_list_init(quern_use_list *list)
{
    list->entries = list->inline_entries;
    list->count = 0;
    list->capacity = QUERN_USES_INLINE;
}

void quern_use_list_free(quern_use_list *list)
{
    if (list->entries != list->inline_entries)
        free(list->entries);
    quern_use_list_init(list);
}

int quern_use_list_reserve(quern_use_list *list, size_t more)
{
    if (list->capacity - list->count >= more)
        return 1;
    uint32_t capacity = (list->count + (uint32_t)more) * 2;
    quern_use *entries = malloc(capacity * sizeof *entries);
    if (!entries)
        return 0;
    memcpy(entries, list->entries, list->count * sizeof *entries);
    if (list->entries != list->inline_entries)
        free(list->entries);
    list->entries = entries;
    list->capacity = capacity;
    return 1;
}

static quern_box whole_box(void)
{
    quern_box box;
    box.whole = 1;
    box.rank = 0;
    return box;
}

/* 1 when every index of the layout has an offset of its own that division by the pitches finds again. */
static int is_nested(const quern_layout *layout)
{
    size_t inside = layout->type.size;
    for (uint32_t d = layout->rank; d-- > 0;) {
        if (layout->pitches[d] <= 0 || (size_t)layout->pitches[d] < inside)
            return 0;
        inside = (size_t)layout->pitches[d] * layout->extents[d];
    }
    return 1;
}

quern_box quern_box_of(const quern_layout *layout, const void *base, const void *address, uint32_t rank,
                       const size_t *extents)
{
    if (rank != layout->rank || (const char *)address < (const char *)base)
        return whole_box();
    int same = address == base;
    for (uint32_t d = 0; same && d < rank; ++d)
        same = extents[d] == layout->extents[d];
    if (same || rank == 0 || !is_nested(layout))
        return whole_box();

    quern_box box;
    box.whole = 0;
    box.rank = rank;
    size_t offset = (size_t)((const char *)address - (const char *)base);
    for (uint32_t d = 0; d < rank; ++d) {
        box.lo[d] = offset / (size_t)layout->pitches[d];
        box.hi[d] = box.lo[d] + extents[d];
        offset %= (size_t)layout->pitches[d];
        if (box.hi[d] > layout->extents[d])
            return whole_box();
    }
    return offset == 0 ? box : whole_box();
}

int quern_boxes_intersect(const quern_box *a, const quern_box *b)
{
    if (a->whole || b->whole)
        return 1;
    for (uint32_t d = 0; d < a->rank; ++d)
        if (a->lo[d] >= b->hi[d] || b->lo[d] >= a->hi[d])
            return 0;
    return 1;
}

int quern_box_covers(const quern_box *a, const quern_box *b)
{
    if (a->whole)
        return 1;
    if (b->whole)
        return 0;
    for (uint32_t d = 0; d < a->rank; ++d)
        if (a->lo[d] > b->lo[d] || a->hi[d] < b->hi[d])
            return 0;
    return 1;
}
