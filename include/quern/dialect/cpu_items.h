/*
 * Quern: where code runs on the CPU: EACH over the items of a piece, phases over the items of a
 * group; ids and sizes.
 *
 * A phase is a loop, and its barrier is the loop's end.
 */
#ifndef QUERN_DIALECT_CPU_ITEMS_H
#define QUERN_DIALECT_CPU_ITEMS_H

/* variable = begin … end - 1; end is read once. */
#define QUERN_LOOP(variable, end_name, begin, end)                                                                     \
    for (quern_index variable = (begin), end_name = (end); variable < end_name; ++variable)

/* Once for every item of the ndrange; the indices include the range's offset. */
#define QUERN_EACH(variable, d)                                                                                        \
    QUERN_LOOP(variable, quern_end_##d, quern_piece->dim[d].begin + quern_piece->dim[d].offset,                        \
               quern_piece->dim[d].end + quern_piece->dim[d].offset)
#define EACH(x) QUERN_EACH(x, 0)
#define EACH2(y, x) QUERN_EACH(y, 1) QUERN_EACH(x, 0)
#define EACH3(z, y, x) QUERN_EACH(z, 2) QUERN_EACH(y, 1) QUERN_EACH(x, 0)

/* For a range of any rank: declares quern_index index[6], slowest first, 0 beyond the range's rank. */
#define EACH_INDEX(index)                                                                                              \
    for (quern_index index[6], quern_more = quern_cpu_index_begin(quern_piece, index); quern_more;                     \
         quern_more = quern_cpu_index_next(quern_piece, index))

/* Sets the first index of the piece; 0 when the piece is empty. */
QUERN_INLINE int quern_cpu_index_begin(const struct quern_cpu_piece *piece, quern_index *index)
{
    int more = 1;
    for (int k = 0; k < 6; ++k)
        index[k] = 0;
    for (int d = 0; d < piece->rank; ++d) {
        index[piece->rank - 1 - d] = piece->dim[d].begin + piece->dim[d].offset;
        more &= piece->dim[d].begin < piece->dim[d].end;
    }
    return more;
}

/* Sets the next index; 0 after the last. */
QUERN_INLINE int quern_cpu_index_next(const struct quern_cpu_piece *piece, quern_index *index)
{
    for (int d = 0; d < piece->rank; ++d) {
        const int k = piece->rank - 1 - d;
        if (++index[k] < piece->dim[d].end + piece->dim[d].offset)
            return 1;
        index[k] = piece->dim[d].begin + piece->dim[d].offset;
    }
    return 0;
}

/* A phase over the items of the group that lie in the ndrange. */
#define QUERN_ITEMS(variable, d) QUERN_LOOP(variable, quern_end_##d, 0, QUERN_INSIDE(d))
#define QUERN_INSIDE(d)                                                                                                \
    (quern_range_##d - quern_id_##d * QUERN_SIZE(d) < QUERN_SIZE(d) ? quern_range_##d - quern_id_##d * QUERN_SIZE(d)   \
                                                                    : QUERN_SIZE(d))
#define ITEMS(i) QUERN_ITEMS(i, x)
#define ITEMS2(y, x) QUERN_ITEMS_Y(y) QUERN_ITEMS_X(x)
#define ITEMS3(z, y, x) QUERN_ITEMS_Z(z) QUERN_ITEMS_Y(y) QUERN_ITEMS_X(x)
#define QUERN_ITEMS_X(variable) QUERN_ITEMS(variable, x)
#define QUERN_ITEMS_Y(variable) QUERN_ITEMS(variable, y)
#define QUERN_ITEMS_Z(variable) QUERN_ITEMS(variable, z)

/* A phase over all items of the group. */
#define QUERN_ALL_ITEMS(variable, d) QUERN_LOOP(variable, quern_end_##d, 0, QUERN_SIZE(d))
#define ALL_ITEMS(i) QUERN_ALL_ITEMS(i, x)
#define ALL_ITEMS2(j, i) QUERN_ALL_ITEMS(j, y) QUERN_ALL_ITEMS(i, x)
#define ALL_ITEMS3(k, j, i) QUERN_ALL_ITEMS(k, z) QUERN_ALL_ITEMS(j, y) QUERN_ALL_ITEMS(i, x)

/* A phase: j = 0 … count - 1, shared out over the items. */
#define TEAM_EACH(j, count) for (quern_index quern_end_x = (count), j = 0; j < quern_end_x; ++j)

/* A phase of one item. */
#define ONCE for (int quern_once = 1; quern_once; quern_once = 0)

/* Declares v, and reads local memory into it between two barriers. */
#define READ_UNIFORM(T, v, expression) T v = (expression)

/* Group sizes: integer constants unless ANY. */
#define QUERN_SIZE(d) __builtin_choose_expr(QUERN_STATIC(d) > 0, QUERN_STATIC(d), quern_size_##d)
#define QUERN_STATIC(d) ((quern_index)sizeof(*quern_static_##d) - 1)
#define GROUP_SIZE QUERN_SIZE(x)
#define GROUP_SIZE_Y QUERN_SIZE(y)
#define GROUP_SIZE_Z QUERN_SIZE(z)
#define GROUP_ITEMS (GROUP_SIZE_Z * GROUP_SIZE_Y * GROUP_SIZE)

/* The group's number along each dimension, how many there are, and the extents of the ndrange. */
#define GROUP_ID quern_id_x
#define GROUP_ID_Y quern_id_y
#define GROUP_ID_Z quern_id_z
#define GROUPS quern_groups_x
#define GROUPS_Y quern_groups_y
#define GROUPS_Z quern_groups_z
#define RANGE quern_range_x
#define RANGE_Y quern_range_y
#define RANGE_Z quern_range_z

/* An item's number in the ndrange along each dimension, without the range's offset. */
#define GLOBAL(i) (GROUP_ID * GROUP_SIZE + (i))
#define GLOBAL_Y(i) (GROUP_ID_Y * GROUP_SIZE_Y + (i))
#define GLOBAL_Z(i) (GROUP_ID_Z * GROUP_SIZE_Z + (i))

/* Row-major numbers from 0: of the group, of an item in its group, of an item in the ndrange. */
#define GROUP_LINEAR ((GROUP_ID_Z * GROUPS_Y + GROUP_ID_Y) * GROUPS + GROUP_ID)
#define ITEM_LINEAR(...) QUERN_JOIN(QUERN_ITEM_LINEAR_, QUERN_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define QUERN_ITEM_LINEAR_1(x) ((quern_index)(x))
#define QUERN_ITEM_LINEAR_2(y, x) ((y)*GROUP_SIZE + (x))
#define QUERN_ITEM_LINEAR_3(z, y, x) (((z)*GROUP_SIZE_Y + (y)) * GROUP_SIZE + (x))
#define GLOBAL_LINEAR(...) QUERN_JOIN(QUERN_GLOBAL_LINEAR_, QUERN_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define QUERN_GLOBAL_LINEAR_1(x) GLOBAL(x)
#define QUERN_GLOBAL_LINEAR_2(y, x) (GLOBAL_Y(y) * RANGE + GLOBAL(x))
#define QUERN_GLOBAL_LINEAR_3(z, y, x) ((GLOBAL_Z(z) * RANGE_Y + GLOBAL_Y(y)) * RANGE + GLOBAL(x))

#endif
