/*
 * The loops of the baselines, one text for plain C and for OpenMP: without -fopenmp the pragmas are
 * nothing. QUERN_BENCH_TABLE is the name of the table that this compilation gives.
 */
#include "baselines.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#define GROUP 256

/* Without it the call of a loop over small arrays could be inlined and merged with the next one. */
#define NOINLINE __attribute__((noinline))

NOINLINE static void copy(size_t n, const double *restrict a, double *restrict c)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; ++i)
        c[i] = a[i];
}

NOINLINE static void mul(size_t n, const double *restrict c, double *restrict b, double s)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; ++i)
        b[i] = s * c[i];
}

NOINLINE static void add(size_t n, const double *restrict a, const double *restrict b, double *restrict c)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; ++i)
        c[i] = a[i] + b[i];
}

NOINLINE static void triad(size_t n, const double *restrict b, const double *restrict c, double *restrict a, double s)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; ++i)
        a[i] = b[i] + s * c[i];
}

NOINLINE static double dot(size_t n, const double *restrict a, const double *restrict b)
{
    double total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
    for (size_t i = 0; i < n; ++i)
        total += a[i] * b[i];
    return total;
}

NOINLINE static double sum(size_t n, const double *a)
{
    double total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
    for (size_t i = 0; i < n; ++i)
        total += a[i];
    return total;
}

NOINLINE static void triad_float(size_t n, const float *restrict b, const float *restrict c, float *restrict a, float s)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; ++i)
        a[i] = b[i] + s * c[i];
}

static void stencil_row(size_t columns, const float *restrict above, const float *restrict here,
                        const float *restrict below, float *restrict to, float c)
{
    for (size_t x = 1; x + 1 < columns; ++x)
        to[x] = here[x] + c * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4.0f * here[x]);
}

NOINLINE static void stencil(size_t rows, size_t columns, size_t pitch, const float *u, float *v, float c)
{
    size_t step = pitch / sizeof(float);
#pragma omp parallel for schedule(static)
    for (size_t y = 1; y < rows - 1; ++y)
        stencil_row(columns, u + (y - 1) * step, u + y * step, u + (y + 1) * step, v + y * step, c);
}

static void two_loops_of(const float *restrict x, float *restrict y)
{
    float tile[GROUP] __attribute__((aligned(64)));
    for (int i = 0; i < GROUP; ++i)
        tile[i] = x[i] * x[i];
    for (int i = 0; i < GROUP; ++i)
        y[i] = tile[i] + tile[GROUP - 1 - i];
}

NOINLINE static void two_loops(size_t groups, const float *x, float *y)
{
#pragma omp parallel for schedule(static)
    for (size_t g = 0; g < groups; ++g)
        two_loops_of(x + g * GROUP, y + g * GROUP);
}

#ifdef _OPENMP
NOINLINE static void empty_region(void)
{
#pragma omp parallel
    {
        __asm__ volatile("" ::: "memory");
    }
}

static void set_threads(int threads)
{
    omp_set_dynamic(0);
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
}
#endif

extern const quern_baseline QUERN_BENCH_TABLE;
const quern_baseline QUERN_BENCH_TABLE = {
    .copy = copy,
    .mul = mul,
    .add = add,
    .triad = triad,
    .dot = dot,
    .sum = sum,
    .triad_float = triad_float,
    .stencil = stencil,
    .two_loops = two_loops,
#ifdef _OPENMP
    .empty_region = empty_region,
    .set_threads = set_threads,
#endif
};
