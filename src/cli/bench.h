/*
 * quern bench, its parts among themselves: what a row of the table is, how it is measured, how it is
 * printed.
 *
 * A row is some work that is done by up to three contenders over the very same arrays: Quern, plain C on
 * one thread, OpenMP on as many threads as Quern.
 */
#ifndef QUERN_CLI_BENCH_H
#define QUERN_CLI_BENCH_H

#include <quern/quern.h>

#include "bench/baselines.h"
#include "json.h"

/* What all rows share. */
typedef struct quern_bench {
    quern_device *device;
    quern_device_info info;
    quern_queue *blocking; /* a launch returns when it has finished */
    quern_queue *queue;    /* a launch returns at once */
    const quern_baseline *plain;
    const quern_baseline *openmp; /* NULL when this build has no OpenMP */
    int quick;                    /* small arrays, few runs: does it work at all? */
    int one_thread;               /* the device has one thread, for a row that wants it */
} quern_bench;

typedef enum quern_bench_who {
    QUERN_BENCH_OURS,
    QUERN_BENCH_PLAIN,
    QUERN_BENCH_OPENMP,
    QUERN_BENCH_WHO_COUNT
} quern_bench_who;

#define QUERN_BENCH_ARRAYS 3

/* What one row works on. */
typedef struct quern_bench_work {
    size_t n;      /* elements, groups or launches; the row's own */
    size_t batch;  /* how often a contender does the work in one timed run */
    double bytes;  /* read and written when the work is done once */
    double result; /* of a reduction */
    size_t parts;  /* of the work: a row of times gives the time of one; 0 counts as 1 */
    quern_buffer *buffer[QUERN_BENCH_ARRAYS];
    quern_view view[QUERN_BENCH_ARRAYS];
    void *host[QUERN_BENCH_ARRAYS];      /* the same elements for the baselines */
    size_t bytes_of[QUERN_BENCH_ARRAYS]; /* of each, from the first element to the last */
    quern_range range;
} quern_bench_work;

/* Does the work once. */
typedef quern_status quern_bench_once(const quern_bench *bench, quern_bench_work *work);

/* Does the work batch times and gives the seconds of one. */
typedef quern_status quern_bench_timed(const quern_bench *bench, quern_bench_work *work, double *seconds);

typedef enum quern_bench_unit { QUERN_BENCH_GB_PER_S, QUERN_BENCH_MICROSECONDS } quern_bench_unit;

typedef struct quern_bench_row {
    const char *name;
    const char *what; /* for --help */
    quern_bench_unit unit;
    int one_thread; /* of a CPU device */
    int rounds;     /* how often the contenders alternate */
    int runs;       /* timed runs of a contender in a round */

    /* Fills in work, which is zero but for batch = 1. What it has made so far is released by the caller also on
     * failure. */
    quern_bench_once *prepare;

    quern_bench_once *once[QUERN_BENCH_WHO_COUNT]; /* NULL: does not take part */
    quern_bench_timed *ours_timed;                 /* instead of timing once[QUERN_BENCH_OURS]; else NULL */

    /* Spoils what the work writes, and says whether it has been written rightly since; NULL when it writes nothing. */
    quern_bench_once *spoil, *check;
} quern_bench_row;

typedef struct quern_bench_figure {
    double median, min, max;
} quern_bench_figure;

typedef struct quern_bench_result {
    int present[QUERN_BENCH_WHO_COUNT];
    quern_bench_figure figure[QUERN_BENCH_WHO_COUNT]; /* in the row's unit */
} quern_bench_result;

/* ---- bench_rows_*.c: the rows, each table with its length ---- */

extern const quern_bench_row quern_bench_stream_rows[];
extern const size_t quern_bench_stream_row_count;
extern const quern_bench_row quern_bench_launch_rows[];
extern const size_t quern_bench_launch_row_count;
extern const quern_bench_row quern_bench_group_rows[];
extern const size_t quern_bench_group_row_count;

/* ---- bench_arrays.c ---- */

/* Makes array number index of the work with the extents, as a sub-view of a buffer whose rows are padding elements
 * longer. */
quern_status quern_bench_array(const quern_bench *bench, quern_bench_work *work, int index, quern_type type,
                               quern_extents extents, size_t padding);

/* Brings array number index to where the baselines read it, and back; nothing where that is one place. */
quern_status quern_bench_to_host(const quern_bench *bench, quern_bench_work *work, int index);
quern_status quern_bench_from_host(const quern_bench *bench, quern_bench_work *work, int index);

/* Overwrites all bytes of array number index with ones: NaN for numbers with a point. */
quern_status quern_bench_spoil_array(const quern_bench *bench, quern_bench_work *work, int index);

void quern_bench_work_release(const quern_bench *bench, quern_bench_work *work);

/* ---- bench_measure.c ---- */

/* Checks every contender, then measures them in turn. A wrong result is QUERN_INTERNAL, with a sentence. */
quern_status quern_bench_measure(const quern_bench *bench, const quern_bench_row *row, quern_bench_result *result);

/* Ours against a baseline, above 1 when ours is faster. */
double quern_bench_ratio(quern_bench_unit unit, const quern_bench_figure *ours, const quern_bench_figure *baseline);

/* The median and the ends of count > 0 values, which are put in order. */
quern_bench_figure quern_bench_summarise(double *values, size_t count);

double quern_bench_now(void); /* seconds */

/* ---- bench_print.c ---- */

const char *quern_bench_unit_name(quern_bench_unit unit);
void quern_bench_print_heading(const quern_bench *bench);
void quern_bench_print_row(const quern_bench_row *row, const quern_bench_result *result);

/* Adds an object per baseline to the array. 0, or -1 when memory is exhausted. */
int quern_bench_json_add(json_t *array, const quern_bench *bench, const quern_bench_row *row,
                         const quern_bench_result *result);

#endif
