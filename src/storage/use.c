/* Boxes of elements, and the list of a buffer's uses. */
#include "use.h"

#include <stdlib.h>
#include <string.h>

void quern_use_list_init(quern_use_list *list)
{
    list->only = 0;
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

int quern_use_list_grow(quern_use_list *list, size_t more)
{
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

/* 1 when the view decomposes by the layout's pitches into a box inside it, which is set. */
static int set_part(quern_box *box, const quern_layout *layout, size_t offset, const size_t *extents)
{
    if (!is_nested(layout))
        return 0;
    for (uint32_t d = 0; d < layout->rank; ++d) {
        size_t pitch = (size_t)layout->pitches[d];
        box->lo[d] = offset / pitch;
        box->hi[d] = box->lo[d] + extents[d];
        offset %= pitch;
        if (box->hi[d] > layout->extents[d])
            return 0;
    }
    return offset == 0;
}

void quern_box_set(quern_box *box, const quern_layout *layout, const void *base, const void *address, uint32_t rank,
                   const size_t *extents)
{
    box->whole = 1;
    if (rank != layout->rank || (const char *)address < (const char *)base)
        return;
    int same = address == base;
    for (uint32_t d = 0; same && d < rank; ++d)
        same = extents[d] == layout->extents[d];
    if (same || rank == 0)
        return;
    box->rank = rank;
    box->whole = (uint32_t)!set_part(box, layout, (size_t)((const char *)address - (const char *)base), extents);
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
