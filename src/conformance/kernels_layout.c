/*
 * Conformance, subject "layout": ranges of every rank and shape, with offsets and with groups that stick out. Every
 * item runs once and finds its own place in pitched arrays, and no byte beside them changes.
 */
#include "kernels_layout.h"

#include <string.h>

#include "layout.k.h"
#include "layout_groups.k.h"
#include "layout_index.k.h"
#include "layout_index_4.k.h"

static const size_t sizes[] = {1, 2, 3, 5, 255, 257, 1000};

/* ---- one range ---- */

/* The kernels' layout_mark. */
static uint32_t mix(uint32_t mark, size_t index)
{
    return (mark + (uint32_t)index) * 2654435761u + 97u;
}

static quern_range range_of(quern_extents extents, const int64_t *origin, quern_extents group)
{
    ptrdiff_t offsets[QUERN_MAX_RANK];
    for (int d = 0; d < QUERN_MAX_RANK; ++d)
        offsets[d] = (ptrdiff_t)origin[d];
    const quern_range range = quern_range_with_offsets(quern_range_make(extents), offsets);
    return group.rank ? quern_range_with_group(range, group) : range;
}

/* One visit of each item, and its mark. */
static void set_wanted(quern_extents extents, quern_guarded *visits, quern_guarded *marks)
{
    for (size_t i = 0; i < visits->count; ++i) {
        size_t index[QUERN_MAX_RANK] = {0}, rest = i;
        uint32_t mark = 0;
        for (uint32_t d = extents.rank; d-- > 0; rest /= extents.n[d])
            index[d] = rest % extents.n[d];
        for (uint32_t d = 0; d < extents.rank; ++d)
            mark = mix(mark, index[d]);
        *(int32_t *)(void *)quern_guarded_element(visits, i) = 1;
        *(uint32_t *)(void *)quern_guarded_element(marks, i) = mark;
    }
}

/* Guards along the two fastest dimensions only: along all of six they would be most of the memory. */
static quern_verdict make_array(quern_trial *trial, const char *name, quern_type type, quern_extents extents,
                                quern_guarded *array)
{
    quern_guarded_shape shape = quern_guarded_pitched(type, extents);
    for (uint32_t d = 0; d + 2 < extents.rank; ++d)
        shape.before[d] = shape.after[d] = 0;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, name, shape, array));
    for (size_t i = 0; i < array->count; ++i)
        memset(quern_guarded_element(array, i), 0, type.size);
    return quern_guarded_upload(trial, trial->queue, array);
}

quern_verdict quern_layout_check_range(quern_trial *trial, quern_layout_launch *launch, quern_extents extents,
                                       const int64_t *origin, quern_extents group)
{
    const size_t mark = quern_trial_mark(trial);
    quern_guarded visits, marks, begin;
    QUERN_CHECK(make_array(trial, "visits", QUERN_TYPE(int32_t), extents, &visits));
    QUERN_CHECK(make_array(trial, "marks", QUERN_TYPE(uint32_t), extents, &marks));
    QUERN_CHECK(quern_conformance_array(trial, "origin", QUERN_TYPE(int64_t), QUERN_MAX_RANK, origin, &begin));
    QUERN_TRY(trial, launch(trial->queue, range_of(extents, origin, group), visits.view, marks.view, origin,
                            quern_view_as_const(begin.view)));
    set_wanted(extents, &visits, &marks);
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &visits));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &marks));
    quern_trial_release(trial, mark);
    return QUERN_PASSED;
}

/* ---- the kernels ---- */

quern_status quern_layout_each_1(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                 const int64_t *origin, quern_const_view origin_array)
{
    (void)origin_array;
    return layout_each_1(queue, range, visits, marks, origin[0]);
}

quern_status quern_layout_each_2(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                 const int64_t *origin, quern_const_view origin_array)
{
    (void)origin_array;
    return layout_each_2(queue, range, visits, marks, origin[0], origin[1]);
}

quern_status quern_layout_each_3(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                 const int64_t *origin, quern_const_view origin_array)
{
    (void)origin_array;
    return layout_each_3(queue, range, visits, marks, origin[0], origin[1], origin[2]);
}

#define INDEX_LAUNCH(rank)                                                                                             \
    static quern_status index_##rank(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,       \
                                     const int64_t *origin, quern_const_view origin_array)                             \
    {                                                                                                                  \
        (void)origin;                                                                                                  \
        return layout_index_##rank(queue, range, visits, marks, origin_array);                                         \
    }
INDEX_LAUNCH(0)
INDEX_LAUNCH(1)
INDEX_LAUNCH(2)
INDEX_LAUNCH(3)
INDEX_LAUNCH(4)
INDEX_LAUNCH(5)
INDEX_LAUNCH(6)

#define GROUP_LAUNCH(rank)                                                                                             \
    static quern_status group_##rank(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,       \
                                     const int64_t *origin, quern_const_view origin_array)                             \
    {                                                                                                                  \
        (void)origin, (void)origin_array;                                                                              \
        return layout_group_##rank(queue, range, visits, marks);                                                       \
    }
GROUP_LAUNCH(1)
GROUP_LAUNCH(2)
GROUP_LAUNCH(3)

static quern_layout_launch *const each_launches[] = {NULL, quern_layout_each_1, quern_layout_each_2,
                                                     quern_layout_each_3};
static quern_layout_launch *const index_launches[] = {index_0, index_1, index_2, index_3, index_4, index_5, index_6};
static quern_layout_launch *const group_launches[] = {NULL, group_1, group_2, group_3};

/* ---- many ranges ---- */

/* The k-th of a row of extents of the rank: each size at each place in turn, small ones elsewhere; 0 at the end. */
static int shape_at(uint32_t rank, size_t k, quern_extents *extents)
{
    uint64_t state = 100 * k + rank;
    if (k >= rank * QUERN_LENGTH(sizes))
        return 0;
    extents->rank = rank;
    for (uint32_t d = 0; d < rank; ++d)
        extents->n[d] = sizes[quern_conformance_random(&state) % (rank > 3 ? 3 : 4)];
    extents->n[k % rank] = sizes[k / rank];
    return 1;
}

/* Offsets that vary, from those that 16 bits hold to those that need 64. */
static void origin_at(size_t k, int64_t *origin)
{
    static const int64_t steps[] = {0, 1000, -70000, (int64_t)1 << 31, -((int64_t)1 << 34)};
    for (size_t d = 0; d < QUERN_MAX_RANK; ++d)
        origin[d] = k ? steps[(k + 2 * d) % QUERN_LENGTH(steps)] - (int64_t)(3 * d) : 0;
}

static quern_verdict check_shapes(quern_trial *trial, quern_layout_launch *launch, uint32_t rank)
{
    quern_extents extents = quern_extents_scalar();
    int64_t origin[QUERN_MAX_RANK];
    for (size_t k = 0; shape_at(rank, k, &extents); ++k) {
        origin_at(k % 4, origin);
        QUERN_CHECK(quern_layout_check_range(trial, launch, extents, origin, quern_extents_scalar()));
    }
    return QUERN_PASSED;
}

static quern_verdict ranks_of_each(quern_trial *trial)
{
    for (uint32_t rank = 1; rank <= 3; ++rank)
        QUERN_CHECK(check_shapes(trial, each_launches[rank], rank));
    return QUERN_PASSED;
}

static quern_verdict ranks_of_each_index(quern_trial *trial)
{
    int64_t origin[QUERN_MAX_RANK];
    origin_at(0, origin);
    QUERN_CHECK(quern_layout_check_range(trial, index_0, quern_extents_scalar(), origin, quern_extents_scalar()));
    for (uint32_t rank = 1; rank <= QUERN_MAX_RANK; ++rank)
        QUERN_CHECK(check_shapes(trial, index_launches[rank], rank));
    return QUERN_PASSED;
}

/* Rows that are longer than any piece of a range, and more of them than there are pieces. */
static quern_verdict long_rows(quern_trial *trial)
{
    const quern_extents lines[] = {QUERN_EXTENTS(300007), QUERN_EXTENTS(65536)},
                        planes[] = {QUERN_EXTENTS(3, 70001), QUERN_EXTENTS(70001, 3), QUERN_EXTENTS(457, 463),
                                    QUERN_EXTENTS(1000, 255)},
                        volumes[] = {QUERN_EXTENTS(2, 2, 50021), QUERN_EXTENTS(2, 50021, 2), QUERN_EXTENTS(50021, 2, 2),
                                     QUERN_EXTENTS(59, 53, 61)};
    int64_t origin[QUERN_MAX_RANK];
    origin_at(1, origin);
    for (size_t k = 0; k < QUERN_LENGTH(lines); ++k)
        QUERN_CHECK(quern_layout_check_range(trial, quern_layout_each_1, lines[k], origin, quern_extents_scalar()));
    for (size_t k = 0; k < QUERN_LENGTH(planes); ++k)
        QUERN_CHECK(quern_layout_check_range(trial, quern_layout_each_2, planes[k], origin, quern_extents_scalar()));
    for (size_t k = 0; k < QUERN_LENGTH(volumes); ++k)
        QUERN_CHECK(quern_layout_check_range(trial, quern_layout_each_3, volumes[k], origin, quern_extents_scalar()));
    return QUERN_PASSED;
}

/* A range so far out that only 64 bits hold its indices, though the arrays are small. */
static quern_verdict far_ranges(quern_trial *trial)
{
    static const int64_t far[] = {(int64_t)1 << 33, ((int64_t)1 << 31) - 100, ((int64_t)1 << 32) - 100,
                                  -((int64_t)1 << 33), ((int64_t)1 << 62)};
    const quern_extents shapes[] = {QUERN_EXTENTS(1),
                                    QUERN_EXTENTS(1009),
                                    QUERN_EXTENTS(31, 257),
                                    QUERN_EXTENTS(5, 255, 3),
                                    QUERN_EXTENTS(3, 2, 5, 101),
                                    QUERN_EXTENTS(2, 3, 2, 5, 37),
                                    QUERN_EXTENTS(2, 3, 1, 2, 3, 41)};
    for (size_t k = 0; k < QUERN_LENGTH(shapes); ++k)
        for (size_t f = 0; f < QUERN_LENGTH(far); ++f) {
            int64_t origin[QUERN_MAX_RANK];
            const uint32_t rank = shapes[k].rank;
            for (size_t d = 0; d < QUERN_MAX_RANK; ++d)
                origin[d] = d == f % rank ? far[f] : 17;
            QUERN_CHECK(
                quern_layout_check_range(trial, index_launches[rank], shapes[k], origin, quern_extents_scalar()));
            if (rank <= 3)
                QUERN_CHECK(
                    quern_layout_check_range(trial, each_launches[rank], shapes[k], origin, quern_extents_scalar()));
        }
    return QUERN_PASSED;
}

/* ---- groups ---- */

static quern_verdict check_group(quern_trial *trial, quern_extents group)
{
    quern_extents extents = quern_extents_scalar();
    int64_t origin[QUERN_MAX_RANK];
    origin_at(1, origin);
    if (!quern_conformance_group_fits(trial, group.rank, group.n))
        return QUERN_PASSED;
    for (size_t k = 0; shape_at(group.rank, k, &extents); ++k)
        QUERN_CHECK(quern_layout_check_range(trial, group_launches[group.rank], extents, origin, group));
    return QUERN_PASSED;
}

static quern_verdict partial_groups(quern_trial *trial)
{
    const quern_extents groups[] = {QUERN_EXTENTS(1),       QUERN_EXTENTS(4),       QUERN_EXTENTS(101),
                                    QUERN_EXTENTS(1, 1),    QUERN_EXTENTS(3, 7),    QUERN_EXTENTS(2, 100),
                                    QUERN_EXTENTS(1, 1, 1), QUERN_EXTENTS(2, 3, 7), QUERN_EXTENTS(4, 1, 30)};
    for (size_t k = 0; k < QUERN_LENGTH(groups); ++k)
        QUERN_CHECK(check_group(trial, groups[k]));
    return QUERN_PASSED;
}

/* Without a group of the caller's: whatever the runtime chooses covers the range. */
static quern_verdict chosen_groups(quern_trial *trial)
{
    quern_extents extents = quern_extents_scalar();
    int64_t origin[QUERN_MAX_RANK];
    origin_at(0, origin);
    for (uint32_t rank = 1; rank <= 3; ++rank)
        for (size_t k = 0; shape_at(rank, k, &extents); k += 5)
            QUERN_CHECK(quern_layout_check_range(trial, group_launches[rank], extents, origin, quern_extents_scalar()));
    return QUERN_PASSED;
}

/* ---- a control ---- */

static quern_status launch_control(quern_queue *queue, quern_range range, quern_view visits, quern_view marks,
                                   const int64_t *origin, quern_const_view origin_array)
{
    (void)origin_array;
    return layout_control(queue, range, visits, marks, origin[0]);
}

static quern_verdict control(quern_trial *trial)
{
    int64_t origin[QUERN_MAX_RANK];
    origin_at(0, origin);
    return quern_layout_check_range(trial, launch_control, QUERN_EXTENTS(255), origin, quern_extents_scalar());
}

const quern_conformance_test quern_layout_tests[] = {
    {"layout.each", "EACH, EACH2, EACH3 over extents of 1 to 1000 along each dimension, with offsets", ranks_of_each,
     0},
    {"layout.each_index", "EACH_INDEX over ranges of rank 0 to 6", ranks_of_each_index, 0},
    {"layout.long_rows", "few long rows, many short ones", long_rows, 0},
    {"layout.far_ranges", "ranges whose indices need 64 bits", far_ranges, 0},
    {"layout.partial_groups", "groups that stick out of the range along each dimension", partial_groups, 0},
    {"layout.chosen_groups", "group sizes that the runtime chooses", chosen_groups, 0},
    {"layout.views", "views of rank 1 to 6 with pitches of every kind: AT, AT_INDEX, EXTENT", quern_layout_views, 0},
    {"layout.stencil", "signed indices around a sub-view, and offsets into the whole", quern_layout_stencil, 0},
    {"layout.empty", "a range without items runs nothing and compiles nothing", quern_layout_empty, 0},
    {"layout.group_hints", "group sizes named for kernels without groups", quern_layout_hints, 0},
    {"layout.control", "an element that is written beyond the range is found", control, 1},
    {NULL, NULL, NULL, 0}};
