/*
 * heat_mpi: communication that is hidden behind computation: the heat equation over MPI ranks.
 *
 *     heat_mpi                                              one rank
 *     mpirun --oversubscribe -n 2 heat_mpi --delay 3        two; each exchange takes 3 ms longer than it would
 *
 * Each step runs once with the exchange of the halo before the interior, and once with both side by side in two tasks.
 * How much of the exchange the second way hides is printed, and that every cell has the bits that one rank alone
 * computes. The kernel is in ../stencil.k.c.
 *
 * Exit status: 0 all cells are right, 1 one is not or something failed, 2 the command line is wrong.
 */
#include "heat.h"
#include "hidden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct results {
    int rank, ranks;
    double seconds[2]; /* a step, without overlap and with it: the slowest rank's */
    /* Of the run without overlap: a step's exchange, and one of its naps. The exchange is that of the rank in which it
     * takes least: in the others it is also a wait for ranks that have more to compute. */
    double exchange_seconds, nap_seconds;
    size_t different; /* cells that one rank computes otherwise */
    uint64_t checksum;
} results;

/* One rank's failure is the end of all: the others wait for it. */
static void check(quern_status status)
{
    if (status) {
        const char *sentence = quern_last_error();
        fprintf(stderr, "heat_mpi: %s\n", *sentence ? sentence : quern_status_text(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* The cells inside the edge after all steps, by one rank alone and without tasks. NULL on the other ranks. */
static float *compute_alone(const options *options, int rank)
{
    slab plate;
    if (rank != 0)
        return NULL;
    float *cells = malloc((options->rows - 2) * options->columns * sizeof *cells);
    check(cells ? QUERN_SUCCESS : QUERN_OUT_OF_MEMORY);
    check(slab_make(options, 0, 1, &plate));
    check(slab_fill(&plate));
    check(slab_run_alone(&plate, options->steps));
    check(slab_read(&plate, cells));
    slab_free(&plate);
    return cells;
}

/* What the ranks' exchanges of this run took. */
static void gather_exchanges(const slab *slab, double steps, results *results)
{
    double mine[2] = {slab->nap_seconds, (double)slab->naps}, naps[2];
    MPI_Allreduce(&slab->exchange_seconds, &results->exchange_seconds, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(mine, naps, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    results->exchange_seconds /= steps;
    results->nap_seconds = naps[1] > 0 ? naps[0] / naps[1] : 0;
}

/* All steps, in one of the two ways. */
static void run(const options *options, slab *slab, int overlap, const float *reference, results *results)
{
    double steps = (double)options->steps, mine, slowest;
    size_t different;
    check(slab_fill(slab));
    MPI_Barrier(MPI_COMM_WORLD);
    mine = MPI_Wtime();
    check(slab_run(slab, options->steps, overlap));
    mine = MPI_Wtime() - mine;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (results->seconds[overlap] == 0 || slowest / steps < results->seconds[overlap]) {
        results->seconds[overlap] = slowest / steps;
        if (!overlap)
            gather_exchanges(slab, steps, results);
    }
    check(compare(slab, options, reference, &different, &results->checksum));
    results->different += different;
}

static hidden find_hidden(const results *results)
{
    const step_times times = {results->seconds[0], results->seconds[1], results->exchange_seconds,
                              results->nap_seconds};
    return hidden_find(&times);
}

static void print_hidden(const results *results)
{
    hidden found = find_hidden(results);
    if (found.no_telling) {
        printf("hidden           no telling: %s\n", found.no_telling);
        return;
    }
    printf("hidden           %.0f %% of the exchange", 1e2 * found.share);
    if (found.most < 1)
        printf("; the computation is shorter, and cannot hide more than %.0f %%", 1e2 * found.most);
    putchar('\n');
}

static void print_lines(const options *options, const results *results, const char *device)
{
    printf("heat_mpi: %zu x %zu cells, %ld steps, %d rank%s, %s", options->rows, options->columns, options->steps,
           results->ranks, results->ranks == 1 ? "" : "s", device);
    if (options->delay > 0)
        printf(", exchanges made to take %g ms", 1e3 * options->delay);
    printf("\nwithout overlap  %.3f ms a step, of which the exchange is %.3f ms\n", 1e3 * results->seconds[0],
           1e3 * results->exchange_seconds);
    if (!options->no_overlap) {
        printf("with overlap     %.3f ms a step\n", 1e3 * results->seconds[1]);
        print_hidden(results);
    }
    printf("checksum         %016" PRIx64 ", ", results->checksum);
    if (results->different)
        printf("WRONG: %zu cells are not those of one rank\n", results->different);
    else
        puts("every cell as one rank computes it");
}

static void print_json(const options *options, const results *results, const char *device)
{
    printf("{\"example\": \"heat_mpi\", \"ranks\": %d, \"rows\": %zu, \"columns\": %zu, \"steps\": %ld, "
           "\"device\": \"%s\", \"delay_ms\": %g, \"without_overlap_ms\": %.6f, \"exchange_ms\": %.6f, ",
           results->ranks, options->rows, options->columns, options->steps, device, 1e3 * options->delay,
           1e3 * results->seconds[0], 1e3 * results->exchange_seconds);
    if (!options->no_overlap)
        printf("\"with_overlap_ms\": %.6f, ", 1e3 * results->seconds[1]);
    if (!options->no_overlap && !find_hidden(results).no_telling)
        printf("\"hidden\": %.4f, ", find_hidden(results).share);
    printf("\"checksum\": \"%016" PRIx64 "\", \"different_cells\": %zu}\n", results->checksum, results->different);
}

/* The device that the tasks inherit. */
static void choose_device(const options *options, quern_device_info *info)
{
    quern_device *device;
    check(options->device ? quern_device_open(options->device, &device) : quern_device_default(&device));
    check(quern_device_set_current(device));
    check(quern_device_get_info(device, info));
    check(quern_device_release(device));
}

static int run_all(const options *options, results *results)
{
    quern_device_info info;
    slab slab;
    choose_device(options, &info);
    float *reference = compute_alone(options, results->rank);
    check(slab_make(options, results->rank, results->ranks, &slab));
    for (long i = 0; i < options->repeat; ++i)
        for (int overlap = 0; overlap <= !options->no_overlap; ++overlap)
            run(options, &slab, overlap, reference, results);
    if (results->rank == 0)
        (options->json ? print_json : print_lines)(options, results, info.name);
    slab_free(&slab);
    free(reference);
    MPI_Bcast(&results->different, sizeof results->different, MPI_BYTE, 0, MPI_COMM_WORLD);
    return results->different ? 1 : 0;
}

int main(int argc, char **argv)
{
    options options;
    results results = {0};
    int level, outcome;

    /* A task runs on any thread of the library, though one at a time calls MPI. */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &results.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &results.ranks);
    outcome = options_parse(argc, argv, results.rank == 0, &options);
    if (outcome == 0 && level < MPI_THREAD_SERIALIZED) {
        fputs("heat_mpi: this MPI must not be called from several threads, not even in turns\n", stderr);
        outcome = 2;
    }
    if (outcome == 0 && options.rows - 2 < (size_t)results.ranks) {
        if (results.rank == 0)
            fprintf(stderr,
                    "heat_mpi: --rows is '%zu', too few for %d ranks, wanted at least %d: one for each rank "
                    "inside the edge\n",
                    options.rows, results.ranks, results.ranks + 2);
        outcome = 2;
    }
    if (outcome == 0)
        outcome = run_all(&options, &results);
    else if (outcome == 1)
        outcome = 0; /* --help */
    MPI_Finalize();
    return outcome;
}
