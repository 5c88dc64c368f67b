/*
 * Quern: where code runs in CUDA C++: EACH over the items of the grid, which stride by the grid's width until the
 * ndrange is covered; phases over the items of a group; ids and sizes.
 *
 * A kernel begins with QUERN_PLAIN_… or QUERN_GROUP_…, which declare what the words below use. Phases come from
 * `quern compile` as
 *
 *     { QUERN_ITEMS(i) do statement while (0); QUERN_BARRIER; }
 *
 * so that `continue` ends the item, and the barrier lies outside of any loop but the author's own. The d of a macro is
 * a dimension, x, y or z, and word its first word of the launch.
 */
#ifndef QUERN_DIALECT_CUDA_ITEMS_H
#define QUERN_DIALECT_CUDA_ITEMS_H

/* ---- an item's place in the grid ---- */

/* Wider than an index: the grid may be larger than the ndrange. */
#define QUERN_GRID_ITEM(d) ((size_t)blockIdx.d * blockDim.d + threadIdx.d)
#define QUERN_GRID_ITEMS(d) ((size_t)gridDim.d * blockDim.d)

QUERN_INLINE quern_index quern_clamp(size_t n, quern_index extent)
{
    return n < (size_t)extent ? (quern_index)n : extent;
}
/* i + step may be more than an index holds. */
QUERN_INLINE quern_index quern_next(quern_index i, quern_index step, quern_index end)
{
    return end - i > step ? i + step : end;
}
#define QUERN_BOUNDS(n, d, extent, offset)                                                                             \
    const quern_index quern_begin_##n = quern_clamp(QUERN_GRID_ITEM(d), extent) + (offset);                            \
    const quern_index quern_end_##n = (extent) + (offset);                                                             \
    const quern_index quern_step_##n = quern_clamp(QUERN_GRID_ITEMS(d), extent);
#define QUERN_NEXT(i, n) i = quern_next(i, quern_step_##n, quern_end_##n)
#define QUERN_LOOP(i, n) for (quern_index i = quern_begin_##n; i < quern_end_##n; QUERN_NEXT(i, n))

/* ---- kernels without groups, of rank 1 to 3 ---- */

#define QUERN_RANGE(d, word) const quern_index quern_range_##d = quern_words.w[word];
#define QUERN_NO_RANGE(d) const quern_index quern_range_##d = 1;
#define QUERN_RANGES_1 QUERN_RANGE(x, 3) QUERN_NO_RANGE(y) QUERN_NO_RANGE(z)
#define QUERN_RANGES_2 QUERN_RANGE(x, 3) QUERN_RANGE(y, 7) QUERN_NO_RANGE(z)
#define QUERN_RANGES_3 QUERN_RANGE(x, 3) QUERN_RANGE(y, 7) QUERN_RANGE(z, 11)

#if QUERN_LINEAR

#define QUERN_PLAIN_1 QUERN_RANGES_1 QUERN_BOUNDS(x, x, quern_words.w[0], quern_words.w[4])
#define QUERN_PLAIN_2 QUERN_RANGES_2 QUERN_BOUNDS(n, x, quern_words.w[0], 0)
#define QUERN_PLAIN_3 QUERN_RANGES_3 QUERN_BOUNDS(n, x, quern_words.w[0], 0)
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

#define QUERN_ON_GRID(d, word) QUERN_BOUNDS(d, d, quern_range_##d, quern_words.w[word + 1])
#define QUERN_PLAIN_1 QUERN_RANGES_1 QUERN_ON_GRID(x, 3)
#define QUERN_PLAIN_2 QUERN_RANGES_2 QUERN_ON_GRID(x, 3) QUERN_ON_GRID(y, 7)
#define QUERN_PLAIN_3 QUERN_RANGES_3 QUERN_ON_GRID(x, 3) QUERN_ON_GRID(y, 7) QUERN_ON_GRID(z, 11)
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
QUERN_INLINE quern_index quern_index_of(const quern_index *words, quern_index *index, quern_index n)
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

#define QUERN_PLAIN_ANY QUERN_ANY_RANGES QUERN_BOUNDS(n, x, quern_words.w[0], 0)
#define EACH_INDEX(index)                                                                                              \
    for (quern_index index[6], quern_n = quern_index_of(quern_words.w, index, quern_begin_n); quern_n < quern_end_n;   \
         quern_n = quern_index_of(quern_words.w, index, quern_next(quern_n, quern_step_n, quern_end_n)))

#else

/* The item's part of the grid, x first. Only the first item of a dimension that the range does not have has a part. */
struct quern_box {
    quern_index begin[3], end[3], step[3];
    int rank;
};

QUERN_INLINE void quern_box_set(quern_box *box, const quern_index *words, int d, size_t item, size_t items)
{
    const bool is_inside = d < words[2];
    const quern_index extent = is_inside ? words[3 + 4 * d] : 1, offset = is_inside ? words[4 + 4 * d] : 0;
    box->begin[d] = quern_clamp(item, extent) + offset;
    box->end[d] = extent + offset;
    box->step[d] = quern_clamp(items, extent);
}

QUERN_INLINE quern_box quern_box_of(const quern_index *words)
{
    quern_box box;
    box.rank = (int)words[2];
    quern_box_set(&box, words, 0, QUERN_GRID_ITEM(x), QUERN_GRID_ITEMS(x));
    quern_box_set(&box, words, 1, QUERN_GRID_ITEM(y), QUERN_GRID_ITEMS(y));
    quern_box_set(&box, words, 2, QUERN_GRID_ITEM(z), QUERN_GRID_ITEMS(z));
    return box;
}

/* Sets the first index; 0 when there is none. */
QUERN_INLINE int quern_box_first(const quern_box *box, quern_index *index)
{
    for (int k = box->rank; k < 6; ++k)
        index[k] = 0;
    for (int d = 0; d < box->rank; ++d)
        index[box->rank - 1 - d] = box->begin[d];
    return box->begin[0] < box->end[0] && box->begin[1] < box->end[1] && box->begin[2] < box->end[2];
}

QUERN_INLINE int quern_box_next(const quern_box *box, quern_index *index)
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

#define QUERN_PLAIN_ANY QUERN_ANY_RANGES const quern_box quern_items = quern_box_of(quern_words.w);
#define EACH_INDEX(index)                                                                                              \
    for (quern_index index[6], quern_more = quern_box_first(&quern_items, index); quern_more;                          \
         quern_more = quern_box_next(&quern_items, index))

#endif

/* ---- group kernels ---- */

#define QUERN_GROUP_DIMENSION(d, word)                                                                                 \
    const quern_index quern_id_##d = (quern_index)blockIdx.d;                                                          \
    const quern_index quern_groups_##d = quern_words.w[word + 3];                                                      \
    const quern_index quern_range_##d = quern_words.w[word];                                                           \
    const quern_index quern_inside_##d = quern_range_##d - quern_id_##d * quern_size_##d;
#define QUERN_NO_DIMENSION(d)                                                                                          \
    const quern_index quern_size_##d = 1, quern_id_##d = 0, quern_groups_##d = 1, quern_range_##d = 1;
#define QUERN_FIXED(d, size) const quern_index quern_size_##d = size;
#define QUERN_GIVEN(d) const quern_index quern_size_##d = (quern_index)blockDim.d;

#define QUERN_GROUP_1(i) QUERN_FIXED(x, i) QUERN_GROUP_DIMENSIONS_1
#define QUERN_GROUP_2(j, i) QUERN_FIXED(y, j) QUERN_FIXED(x, i) QUERN_GROUP_DIMENSIONS_2
#define QUERN_GROUP_3(k, j, i) QUERN_FIXED(z, k) QUERN_FIXED(y, j) QUERN_FIXED(x, i) QUERN_GROUP_DIMENSIONS_3
#define QUERN_GROUP_ANY_1 QUERN_GIVEN(x) QUERN_GROUP_DIMENSIONS_1
#define QUERN_GROUP_ANY_2 QUERN_GIVEN(y) QUERN_GIVEN(x) QUERN_GROUP_DIMENSIONS_2
#define QUERN_GROUP_ANY_3 QUERN_GIVEN(z) QUERN_GIVEN(y) QUERN_GIVEN(x) QUERN_GROUP_DIMENSIONS_3
#define QUERN_GROUP_DIMENSIONS_1 QUERN_NO_DIMENSION(z) QUERN_NO_DIMENSION(y) QUERN_GROUP_DIMENSION(x, 3)
#define QUERN_GROUP_DIMENSIONS_2 QUERN_NO_DIMENSION(z) QUERN_GROUP_DIMENSION(y, 7) QUERN_GROUP_DIMENSION(x, 3)
#define QUERN_GROUP_DIMENSIONS_3 QUERN_GROUP_DIMENSION(z, 11) QUERN_GROUP_DIMENSION(y, 7) QUERN_GROUP_DIMENSION(x, 3)

/* Orders local and global memory in the group. */
#define QUERN_BARRIER __syncthreads()
#define QUERN_ITEM(d) ((quern_index)threadIdx.d)
#define QUERN_ITEM_NUMBER ((QUERN_ITEM(z) * GROUP_SIZE_Y + QUERN_ITEM(y)) * GROUP_SIZE + QUERN_ITEM(x))

#define QUERN_INDEX(i, d) quern_index i = QUERN_ITEM(d);
#define QUERN_ALL_ITEMS(i) QUERN_INDEX(i, x)
#define QUERN_ALL_ITEMS2(j, i) QUERN_INDEX(j, y) QUERN_INDEX(i, x)
#define QUERN_ALL_ITEMS3(k, j, i) QUERN_INDEX(k, z) QUERN_INDEX(j, y) QUERN_INDEX(i, x)
#define QUERN_ITEMS(i) QUERN_ALL_ITEMS(i) if (i < quern_inside_x)
#define QUERN_ITEMS2(j, i) QUERN_ALL_ITEMS2(j, i) if (j < quern_inside_y && i < quern_inside_x)
#define QUERN_ITEMS3(k, j, i)                                                                                          \
    QUERN_ALL_ITEMS3(k, j, i) if (k < quern_inside_z && j < quern_inside_y && i < quern_inside_x)
#define QUERN_TEAM_EACH(j, count)                                                                                      \
    const quern_index quern_count = (count);                                                                           \
    for (quern_index j = QUERN_ITEM_NUMBER; j < quern_count; j += GROUP_ITEMS)
#define QUERN_ONCE if (QUERN_ITEM_NUMBER == 0)

#define READ_UNIFORM(T, v, expression)                                                                                 \
    QUERN_BARRIER;                                                                                                     \
    T v = (expression);                                                                                                \
    QUERN_BARRIER

/* ---- ids and sizes ---- */

#define GROUP_SIZE quern_size_x
#define GROUP_SIZE_Y quern_size_y
#define GROUP_SIZE_Z quern_size_z
#define GROUP_ITEMS (GROUP_SIZE_Z * GROUP_SIZE_Y * GROUP_SIZE)
#define GROUP_ID quern_id_x
#define GROUP_ID_Y quern_id_y
#define GROUP_ID_Z quern_id_z
#define GROUPS quern_groups_x
#define GROUPS_Y quern_groups_y
#define GROUPS_Z quern_groups_z
#define RANGE quern_range_x
#define RANGE_Y quern_range_y
#define RANGE_Z quern_range_z
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
