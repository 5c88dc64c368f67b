/*
 * Quern: extents and layouts: the shape of data and where its elements lie.
 *
 * Everything is row-major: dimension 0 is the slowest, the last one the fastest. An extent counts
 * elements, a pitch counts bytes from one index to the next along its dimension. The byte offset of
 * an element is the sum over all dimensions of index × pitch.
 */
#ifndef QUERN_LAYOUT_H
#define QUERN_LAYOUT_H

#include <quern/type.h>

/* The extents of an array or an ndrange; rank 0 is one element. Entries from rank on are ignored. */
typedef struct quern_extents {
    uint32_t rank; /* 0 to QUERN_MAX_RANK */
    size_t n[QUERN_MAX_RANK];
} quern_extents;

/* QUERN_EXTENTS(3, 5): extents of rank 2; one to six arguments, slowest first. Rank 0 is
 * quern_extents_scalar(). A negative argument is refused by whatever takes the extents. */
#define QUERN_EXTENTS(...) QUERN_EXTENTS_PICK_(__VA_ARGS__, 6, 5, 4, 3, 2, 1, ~)(__VA_ARGS__)
#define QUERN_EXTENTS_PICK_(a, b, c, d, e, f, n, ...) QUERN_EXTENTS_##n##_
#define QUERN_EXTENTS_1_(a) quern_extents_make_(1, QUERN_N_(a), 0, 0, 0, 0, 0)
#define QUERN_EXTENTS_2_(a, b) quern_extents_make_(2, QUERN_N_(a), QUERN_N_(b), 0, 0, 0, 0)
#define QUERN_EXTENTS_3_(a, b, c) quern_extents_make_(3, QUERN_N_(a), QUERN_N_(b), QUERN_N_(c), 0, 0, 0)
#define QUERN_EXTENTS_4_(a, b, c, d) quern_extents_make_(4, QUERN_N_(a), QUERN_N_(b), QUERN_N_(c), QUERN_N_(d), 0, 0)
#define QUERN_EXTENTS_5_(a, b, c, d, e)                                                                                \
    quern_extents_make_(5, QUERN_N_(a), QUERN_N_(b), QUERN_N_(c), QUERN_N_(d), QUERN_N_(e), 0)
#define QUERN_EXTENTS_6_(a, b, c, d, e, f)                                                                             \
    quern_extents_make_(6, QUERN_N_(a), QUERN_N_(b), QUERN_N_(c), QUERN_N_(d), QUERN_N_(e), QUERN_N_(f))
#define QUERN_N_(n) QUERN_CAST_(size_t, n)

/*
 * A layout: an element type, extents and pitches. Made by the functions below or filled in by hand;
 * quern_layout_check() says whether one filled in by hand is sound.
 */
typedef struct quern_layout {
    quern_type type;
    uint32_t rank;
    uint32_t reserved; /* 0 */
    size_t extents[QUERN_MAX_RANK];
    ptrdiff_t pitches[QUERN_MAX_RANK]; /* bytes; the innermost is the element's size */
} quern_layout;

QUERN_BEGIN_DECLARATIONS

static inline quern_extents quern_extents_make_(uint32_t rank, size_t a, size_t b, size_t c, size_t d, size_t e,
                                                size_t f)
{
    quern_extents extents;
    extents.rank = rank;
    extents.n[0] = a;
    extents.n[1] = b;
    extents.n[2] = c;
    extents.n[3] = d;
    extents.n[4] = e;
    extents.n[5] = f;
    return extents;
}

/* Extents of rank 0: one element. */
static inline quern_extents quern_extents_scalar(void)
{
    return quern_extents_make_(0, 0, 0, 0, 0, 0, 0);
}

/* The number of elements, 1 for rank 0, 0 when an extent is 0. INVALID_SHAPE for a rank over 6 or a negative extent,
 * OVERFLOW when the product passes 2^63 - 1. */
QUERN_API quern_status quern_extents_count(quern_extents extents, size_t *count);

/* The row-major number of an index; index holds rank entries (rank 0: it may be NULL), each in 0 … extent - 1, else
 * INVALID_ARGUMENT. {4, 2, 1} in extents {5, 3, 2} is 29. */
QUERN_API quern_status quern_extents_linear_index(quern_extents extents, const ptrdiff_t *index, size_t *linear);

/* Elements one after another, no padding. INVALID_TYPE for a type without a size, INVALID_SHAPE as in
 * quern_extents_count, OVERFLOW when the bytes pass 2^63 - 1. So too in the next two. */
QUERN_API quern_status quern_layout_packed(quern_type type, quern_extents extents, quern_layout *layout);

/*
 * Rows that begin at a multiple of alignment bytes (a power of two, else INVALID_ARGUMENT): the row
 * pitch is the row's bytes rounded up, higher pitches are extent × pitch. One dimension is never
 * padded. int32 {3, 5} with 16 has the pitches {32, 4}.
 */
QUERN_API quern_status quern_layout_aligned(quern_type type, quern_extents extents, size_t alignment,
                                            quern_layout *layout);

/*
 * row_padding bytes after every row and empty_rows rows after every plane (planes after every volume, and so on
 * outwards): int32 {3, 3, 5} with 2 and 1 has the pitches {88, 22, 4} and 264 bytes. For rank 2 and 1 empty_rows is
 * ignored; for rank 0 and 1 row_padding too. Such a layout may be read and written on the host element by element; a
 * launch refuses pitches that are no multiple of the element's alignment.
 */
QUERN_API quern_status quern_layout_padded(quern_type type, quern_extents extents, size_t row_padding,
                                           size_t empty_rows, quern_layout *layout);

/* SUCCESS when the rank is 0 to 6, the type has a size, every product fits 63 bits and, for two or more elements
 * along a dimension, its pitch is positive and holds what lies inside it, the innermost being the element's size;
 * INVALID_SHAPE, INVALID_TYPE or OVERFLOW otherwise. Without elements pitches are free. */
QUERN_API quern_status quern_layout_check(const quern_layout *layout);

/* The bytes of memory that the layout takes, the padding of the last row included; 0 when an extent is 0. Those of a
 * sub-view's layout may therefore end behind its parent's. */
QUERN_API quern_status quern_layout_bytes(const quern_layout *layout, size_t *bytes);

/* The byte offset of an element; index holds rank signed entries and is not checked against the extents, so that a
 * halo may be reached from a sub-view. OVERFLOW when a product or the sum does not fit. */
QUERN_API quern_status quern_layout_offset(const quern_layout *layout, const ptrdiff_t *index, ptrdiff_t *offset);

/* *packed is 1 when the elements lie one after another without gaps (zero and one elements do), else 0. */
QUERN_API quern_status quern_layout_is_packed(const quern_layout *layout, int *packed);

QUERN_END_DECLARATIONS

#endif
