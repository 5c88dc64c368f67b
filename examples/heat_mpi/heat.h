/*
 * The heat equation on a plate whose rows are shared out to MPI ranks.
 *
 * A rank owns a slab of rows and keeps one row more above and below it: its halo, a copy of the neighbours' border
 * rows. The plate's own edge keeps its temperature. Functions that can fail give a quern_status and leave a sentence in
 * quern_last_error; MPI ends all ranks by itself when one of its calls fails.
 */
#ifndef HEAT_MPI_HEAT_H
#define HEAT_MPI_HEAT_H

#include <mpi.h>

#include <quern/quern.h>

typedef struct options {
    size_t rows, columns; /* of the plate, its edge included */
    long steps, repeat;
    double delay; /* seconds that an exchange is made to take longer */
    int no_overlap, json;
    const char *device; /* NULL: the default one */
} options;

/* 0; 1 after the usage was wanted, 2 when something is wrong. complain: this rank is the one that speaks. */
int options_parse(int argc, char **argv, int complain, options *options);

/* ---- slab.c: a rank's part of the plate ---- */

enum { ABOVE, BELOW };

typedef struct slab {
    size_t rows, columns;         /* that it owns; the plate's */
    size_t first;                 /* which row of the plate the first one of these is */
    quern_buffer *now, *next;     /* rows + 2 rows: the halo's are the first and the last */
    int neighbour[2];             /* ranks, or MPI_PROC_NULL at the plate's edge */
    float *sent[2], *received[2]; /* a row each, on the host */
    double delay;
    /* Since the slab was filled: of all exchanges, and of the naps in them. */
    double exchange_seconds, nap_seconds;
    long naps;
} slab;

/* The slab of a rank among ranks; of the whole plate with ranks = 1. Release it with slab_free, also after a failure.
 */
quern_status slab_make(const options *options, int rank, int ranks, slab *slab);
void slab_free(slab *slab);

/* Gives every cell the temperature that it has before the first step, whatever the ranks. */
quern_status slab_fill(slab *slab);

/* The rows that the slab owns, one after another, to the host. */
quern_status slab_read(const slab *slab, float *cells);

/* A view of count rows of a buffer of the slab, from the row first on, the upper halo being row 0. */
quern_status slab_rows(const slab *slab, quern_buffer *buffer, size_t first, size_t count, quern_view *view);

/* steps times now -> next -> now. overlap: the halo is exchanged while the interior computes; else before. */
quern_status slab_run(slab *slab, long steps, int overlap);

/* The same without tasks and exchange, for a slab that is the whole plate. */
quern_status slab_run_alone(slab *slab, long steps);

/* ---- exchange.c ---- */

/* A task: sends the slab's border rows to the neighbours, and receives theirs into the halo of now. */
quern_status exchange_halo(void *slab);

/* ---- compare.c ---- */

/*
 * Gathers the plate on rank 0, which compares it with the cells of reference, bit by bit: *different is their number,
 * *checksum that of the plate. The other ranks only give their part; both are 0 there.
 */
quern_status compare(const slab *slab, const options *options, const float *reference, size_t *different,
                     uint64_t *checksum);

#endif
