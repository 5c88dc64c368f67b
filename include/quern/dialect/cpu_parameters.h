/*
 * Quern: the parameters of a kernel on the CPU: how they are declared, unpacked and accessed.
 *
 * QUERN_DECLARE   ", declaration": a parameter of the function that holds the author's body
 * QUERN_UNPACK    a variable of the entry, read from argument k
 * QUERN_TAKE      the memory of a local parameter, taken from the thread's scratch for one group
 * QUERN_PASS      ", x": the argument for the body
 */
#ifndef QUERN_DIALECT_CPU_PARAMETERS_H
#define QUERN_DIALECT_CPU_PARAMETERS_H

#define QUERN_DECLARE(k, parameter) QUERN_BY_FORM(QUERN_DECLARE_, k, QUERN_PARAMETER_##parameter)
#define QUERN_UNPACK(k, parameter) QUERN_BY_FORM(QUERN_UNPACK_, k, QUERN_PARAMETER_##parameter)
#define QUERN_TAKE(k, parameter) QUERN_BY_FORM(QUERN_TAKE_, k, QUERN_PARAMETER_##parameter)
#define QUERN_PASS(k, parameter) QUERN_BY_FORM(QUERN_PASS_, k, QUERN_PARAMETER_##parameter)
#define QUERN_BY_FORM(...) QUERN_BY_FORM_(__VA_ARGS__)
#define QUERN_BY_FORM_(prefix, k, form, T, rank, x) prefix##form(k, T, rank, x)

/* Contiguous elements. */
#define QUERN_DECLARE_quern_flat(k, T, rank, x) , T *restrict x QUERN_UNUSED
#define QUERN_UNPACK_quern_flat(k, T, rank, x) T *const x = quern_arguments[k].address;
#define QUERN_TAKE_quern_flat(k, T, rank, x)
#define QUERN_PASS_quern_flat(k, T, rank, x) , x

/* Pitched elements: the layout is a value, which no store can change. */
#define QUERN_DECLARE_quern_pitched(k, T, rank, x)                                                                     \
    , T *restrict x QUERN_UNUSED, const QUERN_LAYOUT_TYPE(rank) QUERN_LAYOUT(x) QUERN_UNUSED
#define QUERN_UNPACK_quern_pitched(k, T, rank, x)                                                                      \
    T *const x = quern_arguments[k].address;                                                                           \
    const QUERN_LAYOUT_TYPE(rank) QUERN_LAYOUT(x) = QUERN_JOIN(quern_cpu_layout_, rank)(&quern_arguments[k]);
#define QUERN_TAKE_quern_pitched(k, T, rank, x)
#define QUERN_PASS_quern_pitched(k, T, rank, x) , x, QUERN_LAYOUT(x)

/* A value; copied, since a variable may be called as its type is. */
#define QUERN_DECLARE_quern_value(k, T, rank, x) , const T x QUERN_UNUSED
#define QUERN_UNPACK_quern_value(k, T, rank, x)                                                                        \
    T x;                                                                                                               \
    __builtin_memcpy(&x, quern_arguments[k].address, sizeof x);
#define QUERN_TAKE_quern_value(k, T, rank, x)
#define QUERN_PASS_quern_value(k, T, rank, x) , x

/* Local memory of a length that the launch gives. */
#define QUERN_DECLARE_quern_local(k, T, rank, x) , T *restrict x QUERN_UNUSED
#define QUERN_UNPACK_quern_local(k, T, rank, x)
#define QUERN_TAKE_quern_local(k, T, rank, x)                                                                          \
    T *const x = quern_cpu_take(quern_piece, (quern_index)quern_arguments[k].length, sizeof(T));                       \
    if (!x)                                                                                                            \
        return;
#define QUERN_PASS_quern_local(k, T, rank, x) , x

/* Scratch memory for n elements of size bytes, NULL when memory is exhausted. No two takes overlap, which the
 * compilers know from the attribute. */
static __attribute__((noinline, malloc, unused)) void *quern_cpu_take(struct quern_cpu_piece *piece, quern_index n,
                                                                      size_t size)
{
    return quern_cpu_scratch_take(piece, n > 0 ? (size_t)n * size : 1);
}

/*
 * The layouts of ranks 1 to 6. The pitches carry the rank in their name, so that AT with too few or too many
 * indices does not compile. The innermost pitch is the size of an element and needs no entry.
 */
struct quern_cpu_layout_1 {
    quern_index extent[1];
    char pitches_of_rank_1[1];
};
#define QUERN_LAYOUT_TYPE(rank) struct QUERN_JOIN(quern_cpu_layout_, rank)
#define QUERN_DEFINE_LAYOUT(rank)                                                                                      \
    struct quern_cpu_layout_##rank {                                                                                   \
        quern_index extent[rank];                                                                                      \
        quern_index pitches_of_rank_##rank[rank - 1];                                                                  \
    };                                                                                                                 \
    QUERN_INLINE struct quern_cpu_layout_##rank quern_cpu_layout_##rank(const struct quern_cpu_argument *argument)     \
    {                                                                                                                  \
        struct quern_cpu_layout_##rank layout;                                                                         \
        for (int d = 0; d < rank; ++d)                                                                                 \
            layout.extent[d] = (quern_index)argument->extents[d];                                                      \
        for (int d = 0; d < rank - 1; ++d)                                                                             \
            layout.pitches_of_rank_##rank[d] = argument->pitches[d];                                                   \
        return layout;                                                                                                 \
    }                                                                                                                  \
    QUERN_INLINE quern_index quern_cpu_row_##rank(struct quern_cpu_layout_##rank layout, const quern_index *index)     \
    {                                                                                                                  \
        quern_index offset = 0;                                                                                        \
        for (int d = 0; d < rank - 1; ++d)                                                                             \
            offset += index[d] * layout.pitches_of_rank_##rank[d];                                                     \
        return offset;                                                                                                 \
    }
QUERN_DEFINE_LAYOUT(2)
QUERN_DEFINE_LAYOUT(3)
QUERN_DEFINE_LAYOUT(4)
QUERN_DEFINE_LAYOUT(5)
QUERN_DEFINE_LAYOUT(6)
#undef QUERN_DEFINE_LAYOUT

QUERN_INLINE struct quern_cpu_layout_1 quern_cpu_layout_1(const struct quern_cpu_argument *argument)
{
    return (struct quern_cpu_layout_1){{(quern_index)argument->extents[0]}, {0}};
}

QUERN_INLINE quern_index quern_cpu_row_1(struct quern_cpu_layout_1 layout, const quern_index *index)
{
    (void)layout;
    (void)index;
    return 0;
}

/* The number of elements of x along dimension d; 0 is the slowest. */
#define EXTENT(x, d) (QUERN_LAYOUT(x).extent[d])

/* The row of x that begins offset bytes from its first element. */
#define QUERN_ROW(x, offset) ((__typeof__(&(x)[0]))(void *)((char *)(x) + (offset)))

/* The element of x at an index for each dimension, slowest first: AT(x, i), … AT(x, w, v, u, z, y, i). */
#define AT(x, ...)                                                                                                     \
    QUERN_JOIN(QUERN_AT_, QUERN_COUNT(__VA_ARGS__))(x, QUERN_LAYOUT(x).QUERN_PITCHES(__VA_ARGS__), __VA_ARGS__)
#define QUERN_PITCHES(...) QUERN_JOIN(pitches_of_rank_, QUERN_COUNT(__VA_ARGS__))
/* clang-format off */
#define QUERN_AT_1(x, p, i) ((x)[(i) + 0 * (quern_index)sizeof(p)])
#define QUERN_AT_2(x, p, i0, i) (QUERN_ROW(x, (i0) * p[0])[i])
#define QUERN_AT_3(x, p, i0, i1, i) (QUERN_ROW(x, (i0) * p[0] + (i1) * p[1])[i])
#define QUERN_AT_4(x, p, i0, i1, i2, i) (QUERN_ROW(x, (i0) * p[0] + (i1) * p[1] + (i2) * p[2])[i])
#define QUERN_AT_5(x, p, i0, i1, i2, i3, i) \
    (QUERN_ROW(x, (i0) * p[0] + (i1) * p[1] + (i2) * p[2] + (i3) * p[3])[i])
#define QUERN_AT_6(x, p, i0, i1, i2, i3, i4, i) \
    (QUERN_ROW(x, (i0) * p[0] + (i1) * p[1] + (i2) * p[2] + (i3) * p[3] + (i4) * p[4])[i])
/* clang-format on */

/* The element of x at the index that EACH_INDEX (index) declares; x's rank says how many entries count. */
#define AT_INDEX(x, index)                                                                                             \
    (QUERN_ROW(x, QUERN_ROW_OF(QUERN_LAYOUT(x))(QUERN_LAYOUT(x), index))[(index)[QUERN_RANK(QUERN_LAYOUT(x)) - 1]])
#define QUERN_RANK(layout) (sizeof((layout).extent) / sizeof(quern_index))
/* clang-format off */
#define QUERN_ROW_OF(layout) _Generic((layout), \
    struct quern_cpu_layout_1: quern_cpu_row_1, struct quern_cpu_layout_2: quern_cpu_row_2, \
    struct quern_cpu_layout_3: quern_cpu_row_3, struct quern_cpu_layout_4: quern_cpu_row_4, \
    struct quern_cpu_layout_5: quern_cpu_row_5, struct quern_cpu_layout_6: quern_cpu_row_6)
/* clang-format on */

#endif
