/*
 * The uses of a buffer's memory by commands: what order tracking remembers of them.
 *
 * A use is a command, named by its queue's progress and its number, the box of elements it touches
 * and whether it writes. The runtime (runtime/order.c) fills and reads the list, under its lock; the
 * storage only holds it.
 */
#ifndef QUERN_STORAGE_USE_H
#define QUERN_STORAGE_USE_H

#include <quern/layout.h>

struct quern_progress;

/* Elements of a buffer: lo up to but without hi along each dimension of the buffer. */
typedef struct quern_box {
    uint32_t whole; /* 1: everything, lo and hi are not set */
    uint32_t rank;
    size_t lo[QUERN_MAX_RANK], hi[QUERN_MAX_RANK];
} quern_box;

typedef struct quern_use {
    struct quern_progress *progress;
    uint64_t number;
    int write;
    quern_box box;
} quern_use;

enum { QUERN_USES_INLINE = 4 };

typedef struct quern_use_list {
    uintptr_t only;     /* 0, or what quern_use_mark gives for the only use there is, which is of all of the buffer */
    quern_use *entries; /* inline_entries, or malloc'ed when there are more */
    uint32_t count, capacity;
    quern_use inline_entries[QUERN_USES_INLINE];
} quern_use_list;

/* A use of the whole buffer but for its number, in a word that is never 0. */
static inline uintptr_t quern_use_mark(const struct quern_progress *progress, int write)
{
    return (uintptr_t)progress | (uintptr_t)(write != 0);
}

void quern_use_list_init(quern_use_list *list);
void quern_use_list_free(quern_use_list *list);

/* Room for more entries; 0 when memory is exhausted. */
int quern_use_list_grow(quern_use_list *list, size_t more);
static inline int quern_use_list_reserve(quern_use_list *list, size_t more)
{
    return list->capacity - list->count >= more || quern_use_list_grow(list, more);
}

/*
 * Sets *box to the elements of a view: extents elements along each dimension from address on, in memory that begins at
 * base with layout. Whatever does not decompose by the layout's pitches is the whole. Only what a box of its kind needs
 * is written: this is on the path of every launch.
 */
void quern_box_set(quern_box *box, const quern_layout *layout, const void *base, const void *address, uint32_t rank,
                   const size_t *extents);

static inline void quern_box_copy(quern_box *to, const quern_box *from)
{
    if (from->whole)
        to->whole = 1;
    else
        *to = *from;
}

int quern_boxes_intersect(const quern_box *a, const quern_box *b);

/* 1 when a contains b. */
int quern_box_covers(const quern_box *a, const quern_box *b);

#endif
