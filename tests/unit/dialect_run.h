/*
 * For the tests of the kernel dialect: runs a compiled kernel as the CPU backend does, over a range
 * cut into pieces at arbitrary places, which are visited in arbitrary order.
 */
#ifndef TESTS_UNIT_DIALECT_RUN_H
#define TESTS_UNIT_DIALECT_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <quern/dialect/cpu_abi.h>

/* A small generator of numbers that differ from run to run of a test by its seed alone. */
static uint32_t run_random_state = 1;

static uint32_t run_random(uint32_t limit)
{
    run_random_state = run_random_state * 1664525u + 1013904223u;
    return (run_random_state >> 8) % limit;
}

/* A launch as a test writes it down; everything is slowest first. */
struct run {
    quern_cpu_function *function;
    int rank;
    ptrdiff_t extents[6], offsets[6];
    ptrdiff_t group[3]; /* of a group kernel; 0 otherwise */
    int depth;          /* the range is cut so often, each piece again */
    size_t scratch;     /* bytes of scratch memory before more must be asked for */
    size_t more;        /* bytes that can be asked for beyond it */
    int *refusals;      /* if not NULL: how often more was asked for in vain */
    const struct quern_cpu_argument *arguments;
};

/* The scratch of one run. grow keeps its promise with memory from malloc, of which a limited number of bytes exists. */
struct run_scratch {
    struct quern_cpu_scratch scratch; /* first, so that its address is the whole's */
    void *grown[256];
    size_t grown_count, left;
    int refusals;
};

static void *run_grow(struct quern_cpu_scratch *scratch, size_t bytes)
{
    struct run_scratch *own = (struct run_scratch *)scratch;
    void *memory;
    if (bytes == 0) {
        while (own->grown_count)
            free(own->grown[--own->grown_count]);
        scratch->overflowed = 0;
        return NULL;
    }
    if (bytes > own->left || own->grown_count == 256) {
        ++own->refusals;
        return NULL;
    }
    memory = aligned_alloc(64, bytes);
    assert_non_null(memory);
    own->left -= bytes;
    own->grown[own->grown_count++] = memory;
    scratch->overflowed += bytes;
    return memory;
}

static void run_cut(const struct run *run, struct quern_cpu_piece *piece, int depth)
{
    int d = (int)run_random((uint32_t)(run->rank ? run->rank : 1));
    ptrdiff_t begin = piece->dim[d].begin, end = piece->dim[d].end, middle;
    if (depth == 0 || run->rank == 0 || end - begin < 2) {
        run->function(piece, run->arguments);
        return;
    }
    middle = begin + 1 + (ptrdiff_t)run_random((uint32_t)(end - begin - 1));
    for (int half = 0, first = (int)run_random(2); half < 2; ++half) {
        piece->dim[d].begin = half == first ? begin : middle;
        piece->dim[d].end = half == first ? middle : end;
        run_cut(run, piece, depth - 1);
    }
    piece->dim[d].begin = begin;
    piece->dim[d].end = end;
}

/* Runs it; gives piece->failed. Dimensions beyond the rank hold numbers that must not be used. */
static int run_kernel(const struct run *run)
{
    struct run_scratch own = {.left = run->more};
    struct quern_cpu_piece piece;
    size_t scratch = run->scratch ? run->scratch : 64;
    memset(&piece, 0x5a, sizeof piece);
    own.scratch.base = aligned_alloc(64, (scratch + 63) & ~(size_t)63);
    assert_non_null(own.scratch.base);
    own.scratch.capacity = scratch;
    own.scratch.grow = run_grow;
    piece.rank = run->rank;
    piece.failed = 0;
    piece.scratch = &own.scratch;
    for (int d = 0; d < run->rank; ++d) {
        struct quern_cpu_dimension *dimension = &piece.dim[run->rank - 1 - d];
        const ptrdiff_t group = run->group[0] ? run->group[d] : 0;
        dimension->extent = run->extents[d];
        dimension->offset = run->offsets[d];
        dimension->group = group;
        dimension->groups = group ? (run->extents[d] + group - 1) / group : 0;
        dimension->begin = 0;
        dimension->end = group ? dimension->groups : run->extents[d];
    }
    run_cut(run, &piece, run->depth);
    run_grow(&own.scratch, 0);
    free(own.scratch.base);
    if (run->refusals)
        *run->refusals = own.refusals;
    return piece.failed;
}

/* Arguments. */
#define RUN_ARRAY(x)                                                                                                   \
    {                                                                                                                  \
        (void *)(uintptr_t)(x), NULL, NULL, 0                                                                          \
    }
#define RUN_PITCHED(x, extents, pitches)                                                                               \
    {                                                                                                                  \
        (void *)(uintptr_t)(x), extents, pitches, 0                                                                    \
    }
#define RUN_VALUE(x)                                                                                                   \
    {                                                                                                                  \
        (void *)(uintptr_t) & (x), NULL, NULL, 0                                                                       \
    }
#define RUN_LOCAL(n)                                                                                                   \
    {                                                                                                                  \
        NULL, NULL, NULL, n                                                                                            \
    }
#define RUN_ARGUMENTS (const struct quern_cpu_argument[])

#endif
