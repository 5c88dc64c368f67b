/* The parts of a launch: boxes of its range, given out to threads in pieces and chunks. */
#ifndef QUERN_BACKEND_CPU_WORK_H
#define QUERN_BACKEND_CPU_WORK_H

#include "cpu_pool.h"

/*
 * A range that is cut along its slowest dimensions: units are the product of those, numbered row-major. A unit holds
 * whole slices of the faster ones.
 */
struct quern_cpu_work {
    quern_cpu_function *function;
    const struct quern_cpu_argument *arguments;
    const struct quern_cpu_dimension *dim; /* the whole range, fastest first */
    ptrdiff_t chunk;                       /* units given out at a time */
    int32_t rank;
    int16_t split; /* so many dimensions are cut */
    int16_t grows; /* how many times larger the chunk behind a quick one is; 0: not timed */
};

/*
 * Pieces of many units are given out in about so many chunks. Borders of large pieces of single items are multiples of
 * ALIGNED, so that they lie between cache lines even of single bytes.
 */
enum { QUERN_CPU_CHUNKS = 16, QUERN_CPU_LARGE = 512, QUERN_CPU_ALIGNED = 64 };

static inline ptrdiff_t quern_cpu_align_items(ptrdiff_t items)
{
    return items < QUERN_CPU_LARGE ? items : (items + QUERN_CPU_ALIGNED - 1) / QUERN_CPU_ALIGNED * QUERN_CPU_ALIGNED;
}

/* The chunk of a piece of so many single items. */
static inline ptrdiff_t quern_cpu_item_chunk(ptrdiff_t items)
{
    return quern_cpu_align_items(items / QUERN_CPU_CHUNKS + 1);
}

/* While chunks take less than this, half a microsecond or so, the next one is larger. */
enum { QUERN_CPU_QUICK_TICKS = 1500 };

/* A piece of which nothing is set but what every piece of the launch has, for a thread to run parts with. Its scratch
 * is empty again. */
static inline void quern_cpu_piece_begin(struct quern_cpu_piece *piece, int32_t rank,
                                         const struct quern_cpu_dimension *dim, struct quern_cpu_thread *self)
{
    struct quern_cpu_scratch *scratch = &self->scratch;
    piece->rank = rank;
    piece->failed = 0;
    piece->scratch = scratch;
    for (int32_t d = 0; d < rank; ++d)
        piece->dim[d] = dim[d];
    if (scratch->overflowed)
        (void)scratch->grow(scratch, 0);
    scratch->used = 0;
}

/* Runs units begin to end. 1 when memory was exhausted. */
int quern_cpu_work_run(const struct quern_cpu_work *work, struct quern_cpu_piece *piece, ptrdiff_t begin,
                       ptrdiff_t end);

/* Runs what is left of what the cursor gives out. The chunk at begin, unless begin is negative, is the caller's
 * already. */
int quern_cpu_work_run_cursor(const struct quern_cpu_work *work, struct quern_cpu_piece *piece,
                              struct quern_cpu_cursor *cursor, ptrdiff_t begin);

/* Runs what is left of the cursors of all others who work on the launch. */
int quern_cpu_work_run_others(const struct quern_cpu_work *work, struct quern_cpu_piece *piece,
                              const struct quern_cpu_cursor *own);

#endif
