/*
 * quern bench, its parts among themselves: what a row of the table is, how it is measured, how it is
 * printed.
 *
 * A row is some work that is done by several contenders on the same elements: Quern, plain C on one thread, OpenMP on
 * as many threads as Quern, a hand-written program on a device of OpenCL, the bare driver on a device of CUDA, Quern
 * another way. Where a contender cannot reach the arrays of another, it has its own, filled alike.
 */
#ifndef QUERN_CLI_BENCH_H
#define QUERN_CLI_BENCH_H

#include <quern/quern.h>

#include "bench/baselines.h"
#include "bench/cuda.h"
#include "bench/opencl.h"
#include "cli.h"
#include "json.h"

typedef enum quern_bench_who {
    QUERN_BENCH_OURS,
    QUERN_BENCH_PLAIN,
    QUERN_BENCH_OPENMP,
    QUERN_BENCH_OPENCL, /* the hand-written program */
    QUERN_BENCH_DRIVER, /* the bare CUDA driver */
    QUERN_BENCH_OTHER,  /* Quern another way, which the row names */
    QUERN_BENCH_WHO_COUNT
} quern_bench_who;

typedef struct quern_bench_row quern_bench_row;

#define QUERN_BENCH_MAX_ROWS 32

/* The command line. */
typedef struct quern_bench_options {
    const char *device;                                /* "all" for each in turn; NULL: the library's choice */
    char threads[32];                                  /* "": the library's choice */
    int json, quick, help, named;                      /* named: the rows stand on the command line */
    const quern_bench_row *rows[QUERN_BENCH_MAX_ROWS]; /* in that order */
    size_t row_count;
    quern_cli_plugins plugins;
} quern_bench_options;

/* What all rows share. */
typedef struct quern_bench {
    const quern_bench_options *options;
    quern_device *device;
    quern_device_info info;
    quern_queue *blocking; /* a launch returns when it has finished */
    quern_queue *queue;    /* a launch returns at once */
    const quern_baseline *plain;
    const quern_baseline *openmp; /* NULL when this build has no OpenMP */
    quern_handwritten *opencl;    /* NULL when the device is none of OpenCL's */
    quern_bare *driver;           /* NULL when the device is none of CUDA's */
    int quick;                    /* small arrays, few runs: does it work at all? */
    int one_thread;               /* the device has one thread, for a row that wants it */
} quern_bench;

#define QUERN_BENCH_ARRAYS 3

/* What one row works on. */
typedef struct quern_bench_work {
    size_t n;            /* elements, groups or launches; the row's own */
    size_t batch;        /* how often a contender does the work in one timed run */
    double bytes;        /* read and written when the work is done once */
    double result;       /* of a reduction */
    size_t parts;        /* of the work: a row of times gives the time of one; 0 counts as 1 */
    quern_bench_who who; /* works or has worked last: whose results a check reads */
    quern_buffer *buffer[QUERN_BENCH_ARRAYS];
    quern_view view[QUERN_BENCH_ARRAYS];
    quern_const_view const_view[QUERN_BENCH_ARRAYS];     /* made once, as a program with a loop of launches does */
    void *host[QUERN_BENCH_ARRAYS];                      /* the same elements for loops on the host */
    quern_handwritten_array *opencl[QUERN_BENCH_ARRAYS]; /* and for the hand-written program */
    size_t bytes_of[QUERN_BENCH_ARRAYS];                 /* of each, from the first element to the last */
    quern_range range;
    void *own; /* the row's, which its release frees */
} quern_bench_work;

/* Does the work once. */
typedef quern_status quern_bench_once(const quern_bench *bench, quern_bench_work *work);

/* Does the work batch times and gives the seconds of one. */
typedef quern_status quern_bench_timed(const quern_bench *bench, quern_bench_work *work, double *seconds);

typedef enum quern_bench_unit {
    QUERN_BENCH_GB_PER_S,
    QUERN_BENCH_MICROSECONDS,
    QUERN_BENCH_MILLISECONDS
} quern_bench_unit;

/* The devices that a row makes sense on. A processor is one that runs the machine's own programs, by whatever backend.
 */
typedef enum quern_bench_where {
    QUERN_BENCH_ANYWHERE,
    QUERN_BENCH_ON_CPU,
    QUERN_BENCH_ON_TWO_CPUS, /* a CPU device, and there is another one */
    QUERN_BENCH_ON_PROCESSOR,
    QUERN_BENCH_FROM_TEXT
} quern_bench_where;

struct quern_bench_row {
    const char *name;
    const char *what; /* for --help */
    quern_bench_unit unit;
    quern_bench_where where;
    quern_bench_where loops; /* where plain C and OpenMP are worth a look */
    int one_thread;          /* of a CPU device */
    int cold;                /* no runs to warm up */
    int rounds;              /* how often the contenders alternate */
    int runs;                /* timed runs of a contender in a round */

    /* Fills in work, which is zero but for batch = 1. What it has made so far is released by the caller also on
     * failure. */
    quern_bench_once *prepare;
    void (*release)(quern_bench_work *work); /* of work->own; NULL: there is none */

    quern_bench_once *once[QUERN_BENCH_WHO_COUNT];
    quern_bench_timed *timed[QUERN_BENCH_WHO_COUNT]; /* instead of timing once; who has neither takes no part */
    const char *other;                               /* what QUERN_BENCH_OTHER is called */

    /* Spoils what the work writes, and says whether it has been written rightly since; NULL when it writes nothing. */
    quern_bench_once *spoil, *check;
    quern_bench_once *check_driver; /* where the bare driver does other work of the same size: does it and checks it */
};

typedef struct quern_bench_figure {
    double median, min, max;
} quern_bench_figure;

typedef struct quern_bench_result {
    int present[QUERN_BENCH_WHO_COUNT];
    quern_bench_figure figure[QUERN_BENCH_WHO_COUNT]; /* in the row's unit */
} quern_bench_result;

/* What several rows, and what they are compared with, have to agree on. */
#define QUERN_BENCH_SCALAR 0.4
#define QUERN_BENCH_STENCIL_FACTOR 0.125f

/* ---- launches, where they are what is measured (bench_launches.c) ---- */

/* How many there are in one timed run. */
size_t quern_bench_launches(const quern_bench *bench);

typedef quern_status quern_bench_call(void *context);

/* Calls launch count times and finish once. Seconds until the last launch was accepted, and until all had finished;
 * both per launch. */
quern_status quern_bench_launch_many(size_t count, quern_bench_call *launch, quern_bench_call *finish, void *context,
                                     double *accepted, double *finished);

/* Elements of an array of doubles that the memory is to be measured with, three of them at once. */
size_t quern_bench_stream_elements(const quern_bench *bench);

/* ---- bench_rows.c: all rows as one table; bench_rows_*.c: the parts of it, each with its length ---- */

const quern_bench_row *quern_bench_row_at(size_t index); /* NULL behind the last */
const quern_bench_row *quern_bench_row_named(const char *name);

/* NULL when what makes sense there does so on the device, else why not. */
const char *quern_bench_misfit(quern_bench_where where, const quern_device_info *info);

extern const quern_bench_row quern_bench_stream_rows[];
extern const size_t quern_bench_stream_row_count;
extern const quern_bench_row quern_bench_small_rows[];
extern const size_t quern_bench_small_row_count;
extern const quern_bench_row quern_bench_launch_rows[];
extern const size_t quern_bench_launch_row_count;
extern const quern_bench_row quern_bench_graph_rows[];
extern const size_t quern_bench_graph_row_count;
extern const quern_bench_row quern_bench_group_rows[];
extern const size_t quern_bench_group_row_count;
extern const quern_bench_row quern_bench_3d_rows[];
extern const size_t quern_bench_3d_row_count;
extern const quern_bench_row quern_bench_program_rows[];
extern const size_t quern_bench_program_row_count;
extern const quern_bench_row quern_bench_task_rows[];
extern const size_t quern_bench_task_row_count;
extern const quern_bench_row quern_bench_device_rows[];
extern const size_t quern_bench_device_row_count;

/* ---- bench_options.c ---- */

/* RIGHT, or MISUSE after a message. */
int quern_bench_parse(int argc, char **argv, quern_bench_options *options);
void quern_bench_print_help(void);

/* ---- bench_targets.c ---- */

#define QUERN_BENCH_MAX_TARGETS 64

/* A device to be measured, or a backend that has none. The names outlive a quern_shutdown. */
typedef struct quern_bench_target {
    char device[32]; /* "": the library's choice; the backend's name where there is a reason */
    char *reason;    /* why there is no device; NULL when there is one */
} quern_bench_target;

typedef struct quern_bench_targets {
    quern_bench_target targets[QUERN_BENCH_MAX_TARGETS];
    size_t count;
} quern_bench_targets;

/* What the options ask for; starts as {0}, and is released also on failure. */
quern_status quern_bench_choose(const quern_bench_options *options, quern_bench_targets *list);
void quern_bench_targets_release(quern_bench_targets *list);

/* ---- bench_arrays.c ---- */

/* Makes array number index of the work with the extents, as a sub-view of a buffer whose rows are padding elements
 * longer, and the same for who cannot use that one. */
quern_status quern_bench_array(const quern_bench *bench, quern_bench_work *work, int index, quern_type type,
                               quern_extents extents, size_t padding);

/* Gives the elements that Quern has written to array number index to all who have one of their own. */
quern_status quern_bench_share(const quern_bench *bench, quern_bench_work *work, int index);

/* Brings what work->who has written to array number index to the host's. */
quern_status quern_bench_fetch(const quern_bench *bench, quern_bench_work *work, int index);

/* Overwrites all bytes of array number index with ones, everybody's: NaN for numbers with a point. */
quern_status quern_bench_spoil_array(const quern_bench *bench, quern_bench_work *work, int index);

void quern_bench_work_release(const quern_bench *bench, quern_bench_work *work);

/* ---- bench_opencl.c: what the hand-written program does in a row ---- */

/* Opens it for an OpenCL device, and does nothing for others. */
quern_status quern_bench_opencl_start(quern_bench *bench);

quern_bench_once quern_bench_opencl_copy, quern_bench_opencl_mul, quern_bench_opencl_add, quern_bench_opencl_triad,
    quern_bench_opencl_dot, quern_bench_opencl_stencil, quern_bench_opencl_triad_float, quern_bench_opencl_latency;
quern_bench_timed quern_bench_opencl_dispatch, quern_bench_opencl_throughput;

/* ---- bench_driver.c: what the bare CUDA driver does in a row ---- */

/* Opens it for a CUDA device, and does nothing for others. */
quern_status quern_bench_driver_start(quern_bench *bench);

quern_bench_once quern_bench_driver_move, quern_bench_driver_check_move, quern_bench_driver_triad_float;
quern_bench_timed quern_bench_driver_triad_floats, quern_bench_driver_latency, quern_bench_driver_dispatch,
    quern_bench_driver_throughput;

/* ---- bench_start.c: a fresh process that starts a device and runs one kernel ---- */

/* What the process does, its name on the command line. */
#define QUERN_BENCH_START "--start-once"
#define QUERN_BENCH_START_EMBEDDED "embedded" /* a kernel that was compiled in */
#define QUERN_BENCH_START_FILE "file"         /* a kernel file, compiled at run time */
#define QUERN_BENCH_START_OPENCL "opencl"     /* the hand-written program */

/* Starts it with everything that it caches in the directory. Its seconds from the open device to the finished kernel.
 */
quern_status quern_bench_start_once(const quern_bench *bench, const char *what, const char *directory, double *seconds);

/* What the process runs, an exit status: quern bench --start-once WHAT DIRECTORY DEVICE DESCRIPTION [PLUGIN…] */
int quern_bench_start_main(int argc, char **argv);

/* ---- bench_measure.c ---- */

/* Checks every contender, then measures them in turn. A wrong result is QUERN_INTERNAL, with a sentence. */
quern_status quern_bench_measure(const quern_bench *bench, const quern_bench_row *row, quern_bench_result *result);

/* What a contender is called in a row. */
const char *quern_bench_who_name(const quern_bench_row *row, quern_bench_who who);

/* 1 when the row measures launches beside who gives the same ones to the driver itself: then the difference is Quern's
 * own share. */
int quern_bench_is_overhead(const quern_bench_row *row, quern_bench_who who);

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

/* The same for a row that is not measured on the device, or a backend that has none: why. */
void quern_bench_print_without(const quern_bench_row *row, const char *reason);
int quern_bench_json_add_without(json_t *array, const char *device, const quern_bench_row *row, const char *reason);

#endif
