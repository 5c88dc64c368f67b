/* Running boxes of a launch's range, chunk by chunk. */
#include "cpu_work.h"

#include "cpu_tune.h"

/* Extent of dimension s, slowest first, in items or groups. */
static ptrdiff_t extent_of(const struct quern_cpu_work *work, int s)
{
    return work->dim[work->rank - 1 - s].end;
}

/*
 * Sets the piece's dimensions to a box that begins at unit number begin and goes no further than end: as many whole
 * slices of as slow a dimension as possible. Returns the unit behind the box.
 */
static ptrdiff_t next_box(const struct quern_cpu_work *work, struct quern_cpu_piece *piece, ptrdiff_t begin,
                          ptrdiff_t end)
{
    ptrdiff_t slice = 1;
    int s = work->split - 1; /* the dimension that the box extends along; slice units are one step of it */
    while (s > 0 && begin % (slice * extent_of(work, s)) == 0 && slice * extent_of(work, s) <= end - begin) {
        slice *= extent_of(work, s);
        piece->dim[work->rank - 1 - s] = work->dim[work->rank - 1 - s];
        --s;
    }
    ptrdiff_t steps = (end - begin) / slice, rest = begin / slice;
    for (int slower = s; slower >= 0; --slower) {
        struct quern_cpu_dimension *along = &piece->dim[work->rank - 1 - slower];
        ptrdiff_t extent = extent_of(work, slower);
        along->begin = slower > 0 ? rest % extent : rest;
        rest = slower > 0 ? rest / extent : 0;
        if (slower == s && steps > extent - along->begin)
            steps = extent - along->begin;
        along->end = along->begin + (slower == s ? steps : 1);
    }
    return begin + steps * slice;
}

int quern_cpu_work_run(const struct quern_cpu_work *work, struct quern_cpu_piece *piece, ptrdiff_t begin, ptrdiff_t end)
{
    int failed = 0;
    while (begin < end) {
        if (work->split == 1) {
            piece->dim[work->rank - 1].begin = begin;
            piece->dim[work->rank - 1].end = end;
            begin = end;
        } else {
            begin = next_box(work, piece, begin, end);
        }
        piece->failed = 0;
        work->function(piece, work->arguments);
        failed |= piece->failed;
    }
    return failed;
}

int quern_cpu_work_run_cursor(const struct quern_cpu_work *work, struct quern_cpu_piece *piece,
                              struct quern_cpu_cursor *cursor, ptrdiff_t begin)
{
    ptrdiff_t chunk = work->chunk, end = cursor->end;
    int failed = 0;
    ptrdiff_t grows = work->grows;
    uint64_t before = grows ? quern_cpu_ticks() : 0;
    for (;;) {
        if (begin < 0) {
            /* Looked at first, so that a cursor at its end is not written to again and again. */
            if (atomic_load_explicit(&cursor->next, memory_order_relaxed) >= end)
                return failed;
            begin = atomic_fetch_add_explicit(&cursor->next, chunk, memory_order_relaxed);
        }
        if (begin >= end)
            return failed;
        ptrdiff_t stop = end - begin < chunk ? end : begin + chunk;
        failed |= quern_cpu_work_run(work, piece, begin, stop);
        if (stop == end)
            return failed;
        begin = -1;
        if (grows) {
            uint64_t now = quern_cpu_ticks();
            if (now - before >= QUERN_CPU_QUICK_TICKS)
                grows = 0;
            else if (chunk < end)
                chunk *= grows;
            before = now;
        }
    }
}

/* The others beginning with the next one, so that not everybody helps the same. */
int quern_cpu_work_run_others(const struct quern_cpu_work *work, struct quern_cpu_piece *piece,
                              const struct quern_cpu_cursor *own)
{
    int failed = 0;
    struct quern_cpu_worker *first = own->following;
    for (struct quern_cpu_worker *other = first; other; other = other->cursor.following)
        failed |= quern_cpu_work_run_cursor(work, piece, &other->cursor, -1);
    if (!own->leaders)
        return failed;
    failed |= quern_cpu_work_run_cursor(work, piece, own->leaders, -1);
    for (struct quern_cpu_worker *other = own->leaders->following; other != first; other = other->cursor.following)
        failed |= quern_cpu_work_run_cursor(work, piece, &other->cursor, -1);
    return failed;
}
