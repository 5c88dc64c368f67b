/*
 * Quern: sources: anything whose elements can be read by index.
 *
 * The first of the four levels of data storage: memory, or a generator that computes its elements.
 * A source is a value and owns nothing. The functions here only read; a source made from something
 * mutable remembers that it is, for kernels that may store to their source. Where memory stands
 * behind it, the memory must outlive it.
 */
#ifndef QUERN_SOURCE_H
#define QUERN_SOURCE_H

#include <quern/span.h>

typedef enum quern_source_kind {
    QUERN_SOURCE_MEMORY = 0,
    QUERN_SOURCE_LINEAR_INDEX,
    QUERN_SOURCE_CONSTANT,
    QUERN_SOURCE_RANDOM
} quern_source_kind;

struct quern_device;
struct quern_buffer;

typedef struct quern_source {
    uint32_t kind;     /* a quern_source_kind */
    uint32_t writable; /* 1: memory that may be stored to as well; QUERN_SOURCE (levels.h) sets it by the const rules */
    quern_const_span span;       /* its layout is the source's shape and type, whatever the kind */
    struct quern_device *device; /* where the memory lies; NULL for generators and host memory */
    struct quern_buffer *buffer; /* whose memory it is, NULL for none */
    uint64_t seed;               /* of a random source */
    unsigned char value[64];     /* of a constant source */
} quern_source;

QUERN_BEGIN_DECLARATIONS

/* A generator of int64 elements: each is its own row-major index. */
QUERN_API quern_status quern_linear_index(quern_extents extents, quern_source *source);

/* A generator whose elements are all value (type.size bytes at value, copied). INVALID_TYPE over 64 bytes. */
QUERN_API quern_status quern_constant(quern_extents extents, quern_type type, const void *value, quern_source *source);

/*
 * A generator of doubles, uniform in [0, 1): element i is a function of seed and i alone.
 * Source: Philox4x32-10 (Salmon et al., SC11, as Random123 publishes it): counter {i low, i high, 0, 0},
 * key {seed low, seed high}; the double is (word 1 × 2^32 + word 0) >> 11 times 2^-53.
 */
QUERN_API quern_status quern_random(quern_extents extents, uint64_t seed, quern_source *source);

/* Reads one element, type.size bytes, to element. index holds rank entries, each inside, else INVALID_ARGUMENT.
 * Memory of a device that the host cannot reach is WRONG_DEVICE. Commands still queued on the memory are not waited
 * for: synchronise first. */
QUERN_API quern_status quern_source_read(const quern_source *source, const ptrdiff_t *index, void *element);

/* Reads all elements into the span, which has the same extents (else INVALID_SHAPE) and type (else INVALID_TYPE). Both
 * may overlap: every element is read before it is overwritten, through a copy (OUT_OF_MEMORY) where need be. */
QUERN_API quern_status quern_source_read_all(const quern_source *source, quern_span target);

QUERN_END_DECLARATIONS

#endif
