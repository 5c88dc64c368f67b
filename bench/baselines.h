/*
 * What Quern is measured against: the same work as plain C loops on one thread and as OpenMP loops,
 * written as somebody would who knows the processor.
 *
 * loops.c holds the loops. It is compiled several times: with OpenMP and without, and for every
 * instruction-set level that kernels are compiled for, so that both sides of a ratio use the same
 * instructions.
 */
#ifndef QUERN_BENCH_BASELINES_H
#define QUERN_BENCH_BASELINES_H

#include <stddef.h>

typedef struct quern_baseline {
    /* The five stream kernels, n elements. */
    void (*copy)(size_t n, const double *a, double *c);
    void (*mul)(size_t n, const double *c, double *b, double s);
    void (*add)(size_t n, const double *a, const double *b, double *c);
    void (*triad)(size_t n, const double *b, const double *c, double *a, double s);
    double (*dot)(size_t n, const double *a, const double *b);
    double (*sum)(size_t n, const double *a);

    void (*triad_float)(size_t n, const float *b, const float *c, float *a, float s);

    /* A 5-point stencil on the interior of rows × columns elements; pitch in bytes, the same for both. */
    void (*stencil)(size_t rows, size_t columns, size_t pitch, const float *u, float *v, float c);

    /* Two loops over each run of 256 elements; the second needs what the first has made. */
    void (*two_loops)(size_t groups, const float *x, float *y);

    /* Starts the threads, does nothing, waits for them. NULL without OpenMP. */
    void (*empty_region)(void);

    /* How many threads the loops use from now on, 0 for one on each processor. NULL without OpenMP. */
    void (*set_threads)(int threads);
} quern_baseline;

/* The loops for an instruction-set level as quern_device_info names it, the generic ones for a name that this build
 * does not know. NULL when this build has no OpenMP. */
const quern_baseline *quern_baseline_plain(const char *instruction_set);
const quern_baseline *quern_baseline_openmp(const char *instruction_set);

#endif
