/* Whether the ranks together have computed what one rank computes alone: the same bits in every cell. */
#include "heat.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a over the cells' bits. */
static uint64_t checksum_of(const float *cells, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &cells[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
    }
    return hash;
}

/* Every rank's rows to rank 0, where plate is; counted in rows, since an int would not count the cells. */
static void gather(const float *mine, const slab *slab, int rank, int ranks, int *counts, float *plate)
{
    MPI_Datatype row;
    int rows = (int)slab->rows, *places = counts + ranks, place = 0;
    MPI_Type_contiguous((int)slab->columns, MPI_FLOAT, &row);
    MPI_Type_commit(&row);
    MPI_Gather(&rows, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; ++r) {
        places[r] = place;
        place += counts[r];
    }
    MPI_Gatherv(mine, rows, row, plate, counts, places, row, 0, MPI_COMM_WORLD);
    MPI_Type_free(&row);
}

quern_status compare(const slab *slab, const options *options, const float *reference, size_t *different,
                     uint64_t *checksum)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t cells = (options->rows - 2) * options->columns;
    float *mine = malloc(slab->rows * slab->columns * sizeof *mine);
    float *plate = rank == 0 ? malloc(cells * sizeof *plate) : NULL;
    int *counts = calloc(2 * (size_t)ranks, sizeof *counts);
    quern_status status = mine && counts && (plate || rank != 0) ? slab_read(slab, mine) : QUERN_OUT_OF_MEMORY;

    *different = 0;
    *checksum = 0;
    if (!status)
        gather(mine, slab, rank, ranks, counts, plate);
    if (!status && rank == 0) {
        for (size_t i = 0; i < cells; ++i)
            *different += memcmp(&plate[i], &reference[i], sizeof *plate) != 0;
        *checksum = checksum_of(plate, cells);
    }
    free(counts);
    free(plate);
    free(mine);
    return status;
}
