/*
 * Quern: where code runs in OpenCL C: EACH over the items of the grid, phases over the items of a group; ids and sizes.
 *
 * A kernel begins with QUERN_PLAIN_… or QUERN_GROUP_…, which declare what the words below use. Phases come from
 * `quern compile` as
 *
 *     { QUERN_ITEMS(i) do statement while (0); QUERN_BARRIER; }
 *
 * so that `continue` ends the item, and the barrier lies outside of any loop but the author's own.
 */
#ifndef QUERN_DIALECT_OPENCL_ITEMS_H
#define QUERN_DIALECT_OPENCL_ITEMS_H

/* ---- the piece of an item ---- */

#if QUERN_CONTIGUOUS

/* The products are wider than an index: the grid may be larger than the ndrange. */
static inline quern_index quern_first(size_t item, quern_index piece, quern_index extent)
{
    const long first = (long)item * piece;
    return first < extent ? (quern_index)first : extent;
}
#define QUERN_BOUNDS(d, k, piece, extent, offset)                                                                      \
    const quern_index quern_first_##d = quern_first(get_global_id(k), piece, extent);                                  \
    const quern_index quern_begin_##d = quern_first_##d + (offset);                                                    \
    const quern_index quern_end_##d =                                                                                  \
        (offset) + ((extent)-quern_first_##d < (piece) ? (extent) : quern_first_##d + (piece));
#define QUERN_NEXT(i, d) ++i

#else

static inline quern_index quern_first(size_t item, quern_index extent)
{
    return item < (size_t)extent ? (quern_index)item : extent;
}
/* i + step may be more than an index holds. */
static inline quern_index quern_next(quern_index i, quern_index step, quern_index end)
{
    return end - i > step ? i + step : end;
}
#define QUERN_BOUNDS(d, k, piece, extent, offset)                                                                      \
    const quern_index quern_begin_##d = quern_first(get_global_id(k), extent) + (offset);                              \
    const quern_index quern_end_##d = (extent) + (offset);                                                             \
    const quern_index quern_step_##d = (quern_index)get_global_size(k);
#define QUERN_NEXT(i, d) i = quern_next(i, quern_step_##d, quern_end_##d)

#endif

#define QUERN_LOOP(i, d) for (quern_index i = quern_begin_##d; i < quern_end_##d; QUERN_NEXT(i, d))

/* ---- kernels without groups, of rank 1 to 3 ---- */

#define QUERN_RANGE(d, word) const quern_index quern_range_##d = quern_words.w[word];
#define QUERN_NO_RANGE(d) enum { quern_range_##d = 1 };
#define QUERN_RANGES_1 QUERN_RANGE(x, 3) QUERN_NO_RANGE(y) QUERN_NO_RANGE(z)
#define QUERN_RANGES_2 QUERN_RANGE(x, 3) QUERN_RANGE(y, 7) QUERN_NO_RANGE(z)
#define QUERN_RANGES_3 QUERN_RANGE(x, 3) QUERN_RANGE(y, 7) QUERN_RANGE(z, 11)

#if QUERN_LINEAR

#define QUERN_PLAIN_1 QUERN_RANGES_1 QUERN_BOUNDS(x, 0, quern_words.w[1], quern_words.w[0], quern_words.w[4])
#define QUERN_PLAIN_2 QUERN_RANGES_2 QUERN_BOUNDS(n, 0, quern_words.w[1], quern_words.w[0], 0)
#define QUERN_PLAIN_3 QUERN_RANGES_3 QUERN_BOUNDS(n, 0, quern_words.w[1], quern_words.w[0], 0)
#define EACH(i) QUERN_LOOP(i, x)
#define EACH2(y, x)                                                                                                    \
    for (quern_index quern_n = quern_begin_n, y, x;                                                                    \
         quern_n < quern_end_n &&                                                                                      \
         (y = quern_n / quern_range_x + quern_words.w[8], x = quern_n % quern_range_x + quern_words.w[4], 1);          \
         QUERN_NEXT(quern_n, n))
#define EACH3(z, y, x)                                                                                                 \
    for (quern_index quern_n = quern_begin_n, z, y, x;                                                                 \
         quern_n < quern_end_n && (z = quern_n / quern_range_x / quern_range_y + quern_words.w[12],                    \
                                  y = quern_n / quern_range_x % quern_range_y + quern_words.w[8],                      \
                                  x = quern_n % quern_range_x + quern_words.w[4], 1);                                  \
         QUERN_NEXT(quern_n, n))

#else

#define QUERN_ON_GRID(d, k, word) QUERN_BOUNDS(d, k, quern_words.w[word + 2], quern_range_##d, quern_words.w[word + 1])
#define QUERN_PLAIN_1 QUERN_RANGES_1 QUERN_ON_GRID(x, 0, 3)
#define QUERN_PLAIN_2 QUERN_RANGES_2 QUERN_ON_GRID(x, 0, 3) QUERN_ON_GRID(y, 1, 7)
#define QUERN_PLAIN_3 QUERN_RANGES_3 QUERN_ON_GRID(x, 0, 3) QUERN_ON_GRID(y, 1, 7) QUERN_ON_GRID(z, 2, 11)
#define EACH(i) QUERN_LOOP(i, x)
#define EACH2(j, i) QUERN_LOOP(j, y) QUERN_LOOP(i, x)
#define EACH3(k, j, i) QUERN_LOOP(k, z) QUERN_LOOP(j, y) QUERN_LOOP(i, x)

#endif

/* ---- kernels for a range of any rank: index is an array of 6, slowest first, 0 beyond the range's rank ---- */

#define QUERN_ANY_RANGES                                                                                               \
    const quern_index quern_range_x = quern_words.w[2] > 0 ? quern_words.w[3] : 1;                                     \
    const quern_index quern_range_y = quern_words.w[2] > 1 ? quern_words.w[7] : 1;                                     \
    const quern_index quern_range_z = quern_words.w[2] > 2 ? quern_words.w[11] : 1;

#if QUERN_LINEAR

/* Sets the index of item n, and gives n. */
static inline quern_index quern_index_of(const quern_index *words, quern_index *index, quern_index n)
{
    const int rank = (int)words[2];
    quern_index rest = n;
    for (int k = rank; k < 6; ++k)
        index[k] = 0;
    for (int d = 0; d < rank; ++d) {
        const quern_index extent = words[3 + 4 * d];
        index[rank - 1 - d] = rest % extent + words[4 + 4 * d];
        rest /= extent;
    }
    return n;
}

/* The next item's index, without a division. */
static inline quern_index quern_index_after(const quern_index *words, quern_index *index, quern_index n)
{
    const int rank = (int)words[2];
    for (int d = 0; d < rank; ++d) {
        const int k = rank - 1 - d;
        if (++index[k] < words[3 + 4 * d] + words[4 + 4 * d])
            break;
        index[k] = words[4 + 4 * d];
    }
    return n + 1;
}

#if QUERN_CONTIGUOUS
#define QUERN_NEXT_INDEX(index) quern_n = quern_index_after(quern_words.w, index, quern_n)
#else
#define QUERN_NEXT_INDEX(index)                                                                                        \
    quern_n = quern_index_of(quern_words.w, index, quern_next(quern_n, quern_step_n, quern_end_n))
#endif
#define QUERN_PLAIN_ANY QUERN_ANY_RANGES QUERN_BOUNDS(n, 0, quern_words.w[1], quern_words.w[0], 0)
#define EACH_INDEX(index)                                                                                              \
    for (quern_index index[6], quern_n = quern_index_of(quern_words.w, index, quern_begin_n); quern_n < quern_end_n;   \
         QUERN_NEXT_INDEX(index))

#else

/* The item's part of the grid, x first. */
struct quern_box {
    quern_index begin[3], end[3], step[3];
    int rank;
};

static inline struct quern_box quern_box_of(const quern_index *words)
{
    struct quern_box box;
    box.rank = (int)words[2];
    for (int d = 0; d < box.rank; ++d) {
        const quern_index extent = words[3 + 4 * d], offset = words[4 + 4 * d], piece = words[5 + 4 * d];
#if QUERN_CONTIGUOUS
        const quern_index first = quern_first(get_global_id((uint)d), piece, extent);
        box.begin[d] = first + offset;
        box.end[d] = offset + (extent - first < piece ? extent : first + piece);
        box.step[d] = 1;
#else
        box.begin[d] = quern_first(get_global_id((uint)d), extent) + offset;
        box.end[d] = extent + offset;
        box.step[d] = (quern_index)get_global_size((uint)d);
#endif
    }
    return box;
}

/* Sets the first index; 0 when there is none. */
static inline int quern_box_first(const struct quern_box *box, quern_index *index)
{
    int more = 1;
    for (int k = box->rank; k < 6; ++k)
        index[k] = 0;
    for (int d = 0; d < box->rank; ++d) {
        index[box->rank - 1 - d] = box->begin[d];
        more &= box->begin[d] < box->end[d];
    }
    return more;
}

static inline int quern_box_next(const struct quern_box *box, quern_index *index)
{
    for (int d = 0; d < box->rank; ++d) {
        const int k = box->rank - 1 - d;
        if (box->end[d] - index[k] > box->step[d]) {
            index[k] += box->step[d];
            return 1;
        }
        index[k] = box->begin[d];
    }
    return 0;
}

#define QUERN_PLAIN_ANY QUERN_ANY_RANGES const struct quern_box quern_box = quern_box_of(quern_words.w);
#define EACH_INDEX(index)                                                                                              \
    for (quern_index index[6], quern_more = quern_box_first(&quern_box, index); quern_more;                            \
         quern_more = quern_box_next(&quern_box, index))

#endif

/* ---- group kernels ---- */

#define QUERN_GROUP_DIMENSION(d, k, word)                                                                              \
    const quern_index quern_id_##d = (quern_index)get_group_id(k);                                                     \
    const quern_index quern_groups_##d = quern_words.w[word + 3];                                                      \
    const quern_index quern_range_##d = quern_words.w[word];                                                           \
    const quern_index quern_inside_##d = quern_range_##d - quern_id_##d * quern_size_##d;
#define QUERN_NO_DIMENSION(d)                                                                                          \
    enum { quern_size_##d = 1, quern_id_##d = 0, quern_groups_##d = 1, quern_range_##d = 1, quern_inside_##d = 1 };
#define QUERN_FIXED(d, size) enum { quern_size_##d = size };
#define QUERN_GIVEN(d, k) const quern_index quern_size_##d = (quern_index)get_local_size(k);

#define QUERN_GROUP_1(i) QUERN_FIXED(x, i) QUERN_GROUP_DIMENSIONS_1
#define QUERN_GROUP_2(j, i) QUERN_FIXED(y, j) QUERN_FIXED(x, i) QUERN_GROUP_DIMENSIONS_2
#define QUERN_GROUP_3(k, j, i) QUERN_FIXED(z, k) QUERN_FIXED(y, j) QUERN_FIXED(x, i) QUERN_GROUP_DIMENSIONS_3
#define QUERN_GROUP_ANY_1 QUERN_GIVEN(x, 0) QUERN_GROUP_DIMENSIONS_1
#define QUERN_GROUP_ANY_2 QUERN_GIVEN(y, 1) QUERN_GIVEN(x, 0) QUERN_GROUP_DIMENSIONS_2
#define QUERN_GROUP_ANY_3 QUERN_GIVEN(z, 2) QUERN_GIVEN(y, 1) QUERN_GIVEN(x, 0) QUERN_GROUP_DIMENSIONS_3
#define QUERN_GROUP_DIMENSIONS_1 QUERN_NO_DIMENSION(z) QUERN_NO_DIMENSION(y) QUERN_GROUP_DIMENSION(x, 0, 3)
#define QUERN_GROUP_DIMENSIONS_2 QUERN_NO_DIMENSION(z) QUERN_GROUP_DIMENSION(y, 1, 7) QUERN_GROUP_DIMENSION(x, 0, 3)
#define QUERN_GROUP_DIMENSIONS_3                                                                                       \
    QUERN_GROUP_DIMENSION(z, 2, 11) QUERN_GROUP_DIMENSION(y, 1, 7) QUERN_GROUP_DIMENSION(x, 0, 3)

#define QUERN_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define QUERN_ITEM(k) ((quern_index)get_local_id(k))
#define QUERN_ITEM_NUMBER ((QUERN_ITEM(2) * GROUP_SIZE_Y + QUERN_ITEM(1)) * GROUP_SIZE + QUERN_ITEM(0))

#define QUERN_INDEX(i, k) quern_index i = QUERN_ITEM(k);
/* One branch, not one for each dimension: PoCL 3.1 spoils memory where a phase in a loop has an outer one that whole
 * rows of the group take alike. */
#define QUERN_ITEMS(i) QUERN_INDEX(i, 0) if (i < quern_inside_x)
#define QUERN_ITEMS2(j, i) QUERN_INDEX(j, 1) QUERN_INDEX(i, 0) if ((j < quern_inside_y) & (i < quern_inside_x))
#define QUERN_ITEMS3(k, j, i)                                                                                          \
    QUERN_INDEX(k, 2)                                                                                                  \
    QUERN_INDEX(j, 1) QUERN_INDEX(i, 0) if ((k < quern_inside_z) & (j < quern_inside_y) & (i < quern_inside_x))
#define QUERN_ALL_ITEMS(i) QUERN_INDEX(i, 0)
#define QUERN_ALL_ITEMS2(j, i) QUERN_INDEX(j, 1) QUERN_INDEX(i, 0)
#define QUERN_ALL_ITEMS3(k, j, i) QUERN_INDEX(k, 2) QUERN_INDEX(j, 1) QUERN_INDEX(i, 0)
#define QUERN_TEAM_EACH(j, count)                                                                                      \
    const quern_index quern_count = (count);                                                                           \
    for (quern_index j = QUERN_ITEM_NUMBER; j < quern_count; j += GROUP_ITEMS)
#define QUERN_ONCE if ((QUERN_ITEM(0) | QUERN_ITEM(1) | QUERN_ITEM(2)) == 0)

/* volatile: PoCL 3.1 miscompiles a loop whose end it can see to come from local memory. */
#define READ_UNIFORM(T, v, expression)                                                                                 \
    T v;                                                                                                               \
    QUERN_BARRIER;                                                                                                     \
    {                                                                                                                  \
        T volatile quern_read = (expression);                                                                          \
        v = quern_read;                                                                                                \
    }                                                                                                                  \
    QUERN_BARRIER

/* ---- ids and sizes ---- */

#define GROUP_SIZE ((quern_index)quern_size_x)
#define GROUP_SIZE_Y ((quern_index)quern_size_y)
#define GROUP_SIZE_Z ((quern_index)quern_size_z)
#define GROUP_ITEMS (GROUP_SIZE_Z * GROUP_SIZE_Y * GROUP_SIZE)
#define GROUP_ID ((quern_index)quern_id_x)
#define GROUP_ID_Y ((quern_index)quern_id_y)
#define GROUP_ID_Z ((quern_index)quern_id_z)
#define GROUPS ((quern_index)quern_groups_x)
#define GROUPS_Y ((quern_index)quern_groups_y)
#define GROUPS_Z ((quern_index)quern_groups_z)
#define RANGE ((quern_index)quern_range_x)
#define RANGE_Y ((quern_index)quern_range_y)
#define RANGE_Z ((quern_index)quern_range_z)
#define GLOBAL(i) (GROUP_ID * GROUP_SIZE + (i))
#define GLOBAL_Y(i) (GROUP_ID_Y * GROUP_SIZE_Y + (i))
#define GLOBAL_Z(i) (GROUP_ID_Z * GROUP_SIZE_Z + (i))
#define GROUP_LINEAR ((GROUP_ID_Z * GROUPS_Y + GROUP_ID_Y) * GROUPS + GROUP_ID)
#define QUERN_ITEM_LINEAR_1(x) ((quern_index)(x))
#define QUERN_ITEM_LINEAR_2(y, x) ((y)*GROUP_SIZE + (x))
#define QUERN_ITEM_LINEAR_3(z, y, x) (((z)*GROUP_SIZE_Y + (y)) * GROUP_SIZE + (x))
#define QUERN_GLOBAL_LINEAR_1(x) GLOBAL(x)
#define QUERN_GLOBAL_LINEAR_2(y, x) (GLOBAL_Y(y) * RANGE + GLOBAL(x))
#define QUERN_GLOBAL_LINEAR_3(z, y, x) ((GLOBAL_Z(z) * RANGE_Y + GLOBAL_Y(y)) * RANGE + GLOBAL(x))

#endif
