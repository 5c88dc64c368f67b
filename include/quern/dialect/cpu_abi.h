/*
 * Quern: how the CPU backend calls a compiled kernel.
 *
 * Shared by the kernel dialect on the CPU (dialect/cpu.h) and the CPU backend; not for users. A
 * compiled kernel is one function that runs a piece: a box of items, or of whole groups.
 */
#ifndef QUERN_DIALECT_CPU_ABI_H
#define QUERN_DIALECT_CPU_ABI_H

#include <stddef.h>
#include <stdint.h>

/* One dimension of a piece. */
struct quern_cpu_dimension {
    ptrdiff_t begin, end; /* the piece: items, offset not included; group numbers for a group kernel */
    ptrdiff_t extent;     /* items of the whole range */
    ptrdiff_t offset;     /* of the range */
    ptrdiff_t group;      /* items of a group; 0 for a kernel without groups */
    ptrdiff_t groups;     /* groups of the whole range; 0 likewise */
};

/* A thread's memory for PRIVATE, local parameters and big arrays: a bump allocator, emptied by the kernel's code when
 * a group begins (quern_cpu_scratch_reset). */
struct quern_cpu_scratch {
    char *base;
    size_t used, capacity;
    size_t overflowed; /* bytes that grow gave beyond base since the last reset */
    /* Memory of bytes (a multiple of 64) beyond base, good until the next reset; NULL when memory is exhausted. With 0
     * bytes: frees that memory again and makes base large enough for what was asked since the last reset. */
    void *(*grow)(struct quern_cpu_scratch *scratch, size_t bytes);
};

/* dim[0] is x, the fastest; entries from rank on are not set. */
struct quern_cpu_piece {
    int32_t rank;
    int32_t failed; /* set by the kernel's code when scratch gave NULL: the launch fails with OUT_OF_MEMORY */
    struct quern_cpu_scratch *scratch;
    struct quern_cpu_dimension dim[6];
};

/* One argument. extents and pitches are slowest first, as in a quern_layout. */
struct quern_cpu_argument {
    void *address;            /* elements of a view; the value's bytes of a value; NULL for local */
    const size_t *extents;    /* of the _nd forms */
    const ptrdiff_t *pitches; /* of the _nd forms, bytes */
    size_t length;            /* elements of a local parameter */
};

typedef void quern_cpu_function(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments);

/* A piece's scratch memory, aligned to 64 bytes; NULL when memory is exhausted (piece->failed is then set). */
static inline void *quern_cpu_scratch_take(struct quern_cpu_piece *piece, size_t bytes)
{
    struct quern_cpu_scratch *scratch = piece->scratch;
    void *memory;
    bytes = (bytes + 63) & ~(size_t)63;
    if (bytes <= scratch->capacity - scratch->used) {
        memory = scratch->base + scratch->used;
        scratch->used += bytes;
    } else {
        memory = scratch->grow(scratch, bytes);
        if (!memory)
            piece->failed = 1;
    }
    return memory;
}

/* A new group begins: everything taken before is given back. */
static inline void quern_cpu_scratch_reset(struct quern_cpu_piece *piece)
{
    if (piece->scratch->overflowed)
        (void)piece->scratch->grow(piece->scratch, 0);
    piece->scratch->used = 0;
}

#endif
