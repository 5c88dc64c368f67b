/* Conformance, subject "index", group kernels: every id and size, in groups of rank 1 to 3, of fixed and of any size.
 */
#include "kernels_index.h"

#include "index_groups.k.h"

enum { WORDS = 24 };

typedef quern_status launch_ids(quern_queue *queue, quern_range range, quern_view visits, quern_view words,
                                quern_view all, quern_view stray, int64_t items, int64_t padded);

/* What one item should have been told, by the definitions; its index, the extents and the group as z, y, x. */
static void wanted_words(const int64_t *extents, const int64_t *group, const int64_t *index, int64_t *words)
{
    int64_t id[3], own[3], groups[3];
    for (int d = 0; d < 3; ++d) {
        id[d] = index[d] / group[d];
        own[d] = index[d] % group[d];
        groups[d] = (extents[d] + group[d] - 1) / group[d];
    }
    for (int d = 0; d < 3; ++d) {
        const int k = 2 - d; /* x first */
        words[k] = group[d];
        words[3 + k] = id[d];
        words[6 + k] = groups[d];
        words[9 + k] = extents[d];
        words[12 + k] = index[d];
        words[19 + k] = own[d];
    }
    words[15] = group[0] * group[1] * group[2];
    words[16] = (id[0] * groups[1] + id[1]) * groups[2] + id[2];
    words[17] = (own[0] * group[1] + own[1]) * group[2] + own[2];
    words[18] = (index[0] * extents[1] + index[1]) * extents[2] + index[2];
    words[22] = ((words[16] * 1009 + words[15]) * 1009 + extents[0] * extents[1] * extents[2]) * 1009 +
                groups[0] * groups[1] * groups[2];
    words[23] = 0;
}

/* The range of the last rank entries, with offsets, which no number here is to hold. */
static quern_range range_of(uint32_t rank, const int64_t *extents, const int64_t *group, int say_group)
{
    static const ptrdiff_t offsets[3] = {3, -5, 70000};
    quern_extents n = quern_extents_scalar(), items = quern_extents_scalar();
    n.rank = items.rank = rank;
    for (uint32_t d = 0; d < rank; ++d) {
        n.n[d] = (size_t)extents[3 - rank + d];
        items.n[d] = (size_t)group[3 - rank + d];
    }
    const quern_range range = quern_range_with_offsets(quern_range_make(n), offsets);
    return say_group ? quern_range_with_group(range, items) : range;
}

static quern_verdict check_ids(quern_trial *trial, launch_ids *launch, uint32_t rank, const int64_t *extents,
                               const int64_t *group, int say_group)
{
    quern_guarded visits, words, all, stray;
    const int32_t none = 0;
    int32_t *once;
    int64_t *wanted;
    const size_t items = (size_t)(extents[0] * extents[1] * extents[2]);
    size_t padded = 1;
    for (int d = 0; d < 3; ++d)
        padded *= (size_t)((extents[d] + group[d] - 1) / group[d] * group[d]);
    QUERN_MEMORY(trial, once, padded * sizeof *once);
    QUERN_MEMORY(trial, wanted, items * WORDS * sizeof *wanted);
    QUERN_CHECK(quern_conformance_array(trial, "visits", QUERN_TYPE(int32_t), items, NULL, &visits));
    QUERN_CHECK(quern_conformance_array(trial, "words", QUERN_TYPE(int64_t), items * WORDS, NULL, &words));
    QUERN_CHECK(quern_conformance_array(trial, "all", QUERN_TYPE(int32_t), padded, NULL, &all));
    QUERN_CHECK(quern_conformance_array(trial, "stray", QUERN_TYPE(int32_t), 1, NULL, &stray));
    QUERN_TRY(trial, launch(trial->queue, range_of(rank, extents, group, say_group), visits.view, words.view, all.view,
                            stray.view, (int64_t)items, (int64_t)padded));
    for (size_t i = 0; i < padded; ++i)
        once[i] = 1;
    for (size_t i = 0; i < items; ++i) {
        const int64_t n = (int64_t)i,
                      index[3] = {n / (extents[1] * extents[2]), n / extents[2] % extents[1], n % extents[2]};
        wanted_words(extents, group, index, wanted + WORDS * i);
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &stray, &none));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &visits, once));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &all, once));
    return quern_guarded_want(trial, trial->queue, &words, wanted);
}

/* Every range with every size of group that the device has; both as z, y, x. */
static quern_verdict sweep(quern_trial *trial, launch_ids *launch, uint32_t rank, const int64_t (*extents)[3],
                           size_t extents_count, const int64_t (*groups)[3], size_t group_count, int say_group)
{
    for (size_t g = 0; g < group_count; ++g) {
        const size_t size[3] = {(size_t)groups[g][0], (size_t)groups[g][1], (size_t)groups[g][2]};
        if (!quern_conformance_group_fits(trial, rank, size + 3 - rank))
            continue;
        for (size_t e = 0; e < extents_count; ++e) {
            const size_t mark = quern_trial_mark(trial);
            QUERN_CHECK(check_ids(trial, launch, rank, extents[e], groups[g], say_group));
            quern_trial_release(trial, mark);
        }
    }
    return QUERN_PASSED;
}

#define SWEEP(trial, launch, rank, extents, groups, say_group)                                                         \
    QUERN_CHECK(sweep((trial), (launch), (rank), (extents), QUERN_LENGTH(extents), (groups), QUERN_LENGTH(groups),     \
                      (say_group)))

quern_verdict quern_index_group_ids_1(quern_trial *trial)
{
    static const int64_t extents[][3] = {{1, 1, 1},  {1, 1, 2},   {1, 1, 6},   {1, 1, 7},
                                         {1, 1, 13}, {1, 1, 255}, {1, 1, 257}, {1, 1, 1000}};
    static const int64_t fixed[][3] = {{1, 1, 7}}, any[][3] = {{1, 1, 1}, {1, 1, 13}, {1, 1, 300}};
    QUERN_NEED_GROUP(trial, 7);
    SWEEP(trial, index_group_1, 1, extents, fixed, 0);
    SWEEP(trial, index_group_1, 1, extents, fixed, 1);
    SWEEP(trial, index_group_1_any, 1, extents, any, 1);
    return QUERN_PASSED;
}

quern_verdict quern_index_group_ids_2(quern_trial *trial)
{
    static const int64_t extents[][3] = {{1, 1, 1}, {1, 3, 5}, {1, 7, 11}, {1, 1, 257}, {1, 255, 1}, {1, 37, 41}};
    static const int64_t fixed[][3] = {{1, 3, 5}}, any[][3] = {{1, 1, 1}, {1, 4, 7}, {1, 50, 1}};
    QUERN_NEED_GROUP(trial, 3, 5);
    SWEEP(trial, index_group_2, 2, extents, fixed, 0);
    SWEEP(trial, index_group_2_any, 2, extents, any, 1);
    return QUERN_PASSED;
}

quern_verdict quern_index_group_ids_3(quern_trial *trial)
{
    static const int64_t extents[][3] = {{1, 1, 1}, {2, 3, 5}, {1, 2, 257}, {5, 7, 11}, {17, 1, 3}, {3, 31, 1}};
    static const int64_t fixed[][3] = {{2, 3, 5}}, any[][3] = {{1, 1, 1}, {2, 2, 3}, {3, 1, 17}};
    QUERN_NEED_GROUP(trial, 2, 3, 5);
    SWEEP(trial, index_group_3, 3, extents, fixed, 0);
    SWEEP(trial, index_group_3_any, 3, extents, any, 1);
    return QUERN_PASSED;
}

quern_verdict quern_index_group_continue(quern_trial *trial)
{
    enum { N = 61, GROUPS = 9, COUNT = 17 };
    int32_t items_wanted[N], team_wanted[GROUPS * COUNT], once_wanted[GROUPS];
    quern_guarded items, team, once;
    QUERN_NEED_GROUP(trial, 7);
    QUERN_CHECK(quern_conformance_array(trial, "items", QUERN_TYPE(int32_t), N, NULL, &items));
    QUERN_CHECK(quern_conformance_array(trial, "team", QUERN_TYPE(int32_t), GROUPS * COUNT, NULL, &team));
    QUERN_CHECK(quern_conformance_array(trial, "once", QUERN_TYPE(int32_t), GROUPS, NULL, &once));
    QUERN_TRY(trial, index_group_continue(trial->queue, QUERN_RANGE(N), items.view, team.view, once.view, COUNT));
    for (int i = 0; i < N; ++i)
        items_wanted[i] = i % 7 % 3 != 1;
    for (int i = 0; i < GROUPS * COUNT; ++i)
        team_wanted[i] = i % COUNT % 3 != 1;
    for (int i = 0; i < GROUPS; ++i)
        once_wanted[i] = i % 3 != 1;
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &items, items_wanted));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &team, team_wanted));
    return quern_guarded_want(trial, trial->queue, &once, once_wanted);
}

quern_verdict quern_index_group_return(quern_trial *trial)
{
    enum { ROWS = 9, COLUMNS = 20, GROUPS_Y = 5, GROUPS_X = 7 };
    int32_t leave[GROUPS_Y * GROUPS_X], wanted[ROWS * COLUMNS];
    quern_guarded flags, visits;
    QUERN_NEED_GROUP(trial, 2, 3);
    for (int g = 0; g < GROUPS_Y * GROUPS_X; ++g)
        leave[g] = g % 3 == 1 || g == GROUPS_Y * GROUPS_X - 2;
    QUERN_CHECK(quern_conformance_array(trial, "leave", QUERN_TYPE(int32_t), QUERN_LENGTH(leave), leave, &flags));
    QUERN_CHECK(
        quern_conformance_array_nd(trial, "visits", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, COLUMNS), NULL, &visits));
    QUERN_TRY(trial, index_group_return(trial->queue, QUERN_RANGE(ROWS, COLUMNS), quern_view_as_const(flags.view),
                                        visits.view));
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            wanted[y * COLUMNS + x] = !leave[y / 2 * GROUPS_X + x / 3];
    return quern_guarded_want(trial, trial->queue, &visits, wanted);
}
