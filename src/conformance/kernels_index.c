/*
 * Conformance, subject "index": what items are told about themselves. Every item of a range runs once, no other does,
 * and each of its numbers is right: here for kernels without groups, in kernels_index_groups.c for the others.
 */
#include "kernels_index.h"

#include "index.k.h"
#include "index_any.k.h"
#include "index_continue.k.h"

/* Where ranges begin: also so that they pass 0, 2^31 and 2^32, and far beyond. */
static const int64_t origins[] = {0,
                                  7,
                                  -3,
                                  -100000,
                                  ((int64_t)1 << 31) - 2,
                                  -((int64_t)1 << 31) - 3,
                                  ((int64_t)1 << 32) - 5,
                                  ((int64_t)1 << 33) + 11,
                                  -((int64_t)1 << 40) - 1,
                                  ((int64_t)1 << 61) + 3};

/* Some more for a range of these extents: its last item is the last or the first that 32 bits hold. */
enum { EDGES = 2 };

static void set_edge(int edge, uint32_t rank, const int64_t *extents, int64_t *origin)
{
    for (uint32_t d = 0; d < rank; ++d)
        origin[d] = edge == 0 ? INT32_MAX - extents[d] : INT32_MIN;
}

/* ---- what was found, and what should have been ---- */

enum { MOST_WORDS = 9 };

typedef struct record {
    quern_guarded visits, found, stray;
    size_t items, words;
    int32_t *counts;
    int64_t *wanted; /* words for each item */
} record;

static quern_verdict make_record(quern_trial *trial, size_t items, size_t words, record *record)
{
    record->items = items;
    record->words = words;
    QUERN_MEMORY(trial, record->counts, items * sizeof *record->counts);
    QUERN_MEMORY(trial, record->wanted, items * words * sizeof *record->wanted);
    QUERN_CHECK(quern_conformance_array(trial, "visits", QUERN_TYPE(int32_t), items, NULL, &record->visits));
    QUERN_CHECK(quern_conformance_array(trial, "found", QUERN_TYPE(int64_t), items * words, NULL, &record->found));
    return quern_conformance_array(trial, "stray", QUERN_TYPE(int32_t), 1, NULL, &record->stray);
}

/* Once for every item, and what it wrote down. */
static quern_verdict check_record(quern_trial *trial, record *record)
{
    const int32_t none = 0;
    for (size_t i = 0; i < record->items; ++i)
        record->counts[i] = 1;
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &record->stray, &none));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &record->visits, record->counts));
    return quern_guarded_want(trial, trial->queue, &record->found, record->wanted);
}

/* The index along each dimension of an item by its number; slowest first. */
static void index_of(size_t item, uint32_t rank, const int64_t *extents, const int64_t *origin, int64_t *index)
{
    for (uint32_t d = rank; d-- > 0;) {
        index[d] = origin[d] + (int64_t)(item % (size_t)extents[d]);
        item /= (size_t)extents[d];
    }
}

static quern_range range_of(uint32_t rank, const int64_t *extents, const int64_t *origin)
{
    quern_extents n = quern_extents_scalar();
    ptrdiff_t offsets[QUERN_MAX_RANK];
    n.rank = rank;
    for (uint32_t d = 0; d < rank; ++d) {
        n.n[d] = (size_t)extents[d];
        offsets[d] = (ptrdiff_t)origin[d];
    }
    return quern_range_with_offsets(quern_range_make(n), offsets);
}

/* ---- EACH ---- */

typedef quern_status launch_1(quern_queue *queue, quern_range range, quern_view visits, quern_view found,
                              quern_view stray, int64_t nx, int64_t x0);

static quern_verdict check_each_1(quern_trial *trial, launch_1 *launch, int64_t nx, int64_t x0)
{
    record record;
    QUERN_CHECK(make_record(trial, (size_t)nx, 4, &record));
    QUERN_TRY(trial, launch(trial->queue, range_of(1, &nx, &x0), record.visits.view, record.found.view,
                            record.stray.view, nx, x0));
    for (int64_t i = 0; i < nx; ++i) {
        int64_t *wanted = record.wanted + 4 * i;
        wanted[0] = x0 + i;
        wanted[1] = nx;
        wanted[2] = wanted[3] = 1;
    }
    return check_record(trial, &record);
}

static quern_verdict each_1(quern_trial *trial)
{
    static const int64_t extents[] = {1, 2, 3, 5, 255, 257, 1000, 10007};
    for (size_t e = 0; e < QUERN_LENGTH(extents); ++e)
        for (size_t o = 0; o < QUERN_LENGTH(origins) + EDGES; ++o) {
            const size_t mark = quern_trial_mark(trial);
            int64_t origin;
            if (o < QUERN_LENGTH(origins))
                origin = origins[o];
            else
                set_edge((int)(o - QUERN_LENGTH(origins)), 1, &extents[e], &origin);
            QUERN_CHECK(check_each_1(trial, index_each_1, extents[e], origin));
            quern_trial_release(trial, mark);
        }
    return QUERN_PASSED;
}

/* ---- EACH2, EACH3 ---- */

static quern_verdict check_each_2(quern_trial *trial, const int64_t *n, const int64_t *origin)
{
    record record;
    QUERN_CHECK(make_record(trial, (size_t)(n[0] * n[1]), 5, &record));
    QUERN_TRY(trial, index_each_2(trial->queue, range_of(2, n, origin), record.visits.view, record.found.view,
                                  record.stray.view, n[0], n[1], origin[0], origin[1]));
    for (size_t i = 0; i < record.items; ++i) {
        int64_t *wanted = record.wanted + 5 * i;
        index_of(i, 2, n, origin, wanted);
        wanted[2] = n[1];
        wanted[3] = n[0];
        wanted[4] = 1;
    }
    return check_record(trial, &record);
}

static quern_verdict check_each_3(quern_trial *trial, const int64_t *n, const int64_t *origin)
{
    record record;
    QUERN_CHECK(make_record(trial, (size_t)(n[0] * n[1] * n[2]), 6, &record));
    QUERN_TRY(trial, index_each_3(trial->queue, range_of(3, n, origin), record.visits.view, record.found.view,
                                  record.stray.view, n[0], n[1], n[2], origin[0], origin[1], origin[2]));
    for (size_t i = 0; i < record.items; ++i) {
        int64_t *wanted = record.wanted + 6 * i;
        index_of(i, 3, n, origin, wanted);
        wanted[3] = n[2];
        wanted[4] = n[1];
        wanted[5] = n[0];
    }
    return check_record(trial, &record);
}

/* The o-th origin for the e-th extents: they differ along the dimensions; behind those of the list come the edges. */
static void set_origin(size_t o, size_t e, uint32_t rank, const int64_t *extents, int64_t *origin)
{
    if (o >= QUERN_LENGTH(origins)) {
        set_edge((int)(o - QUERN_LENGTH(origins)), rank, extents, origin);
        return;
    }
    for (uint32_t d = 0; d < rank; ++d)
        origin[d] = o ? origins[(o + e + 3 * d) % QUERN_LENGTH(origins)] : 0;
}

/* Every extents with several origins. */
static quern_verdict sweep(quern_trial *trial, uint32_t rank, const int64_t (*extents)[6], size_t count,
                           quern_verdict (*check)(quern_trial *trial, const int64_t *n, const int64_t *origin))
{
    for (size_t e = 0; e < count; ++e)
        for (size_t o = 0; o < QUERN_LENGTH(origins) + EDGES; o += o < QUERN_LENGTH(origins) ? 2 : 1) {
            const size_t mark = quern_trial_mark(trial);
            int64_t origin[6];
            set_origin(o, e, rank, extents[e], origin);
            QUERN_CHECK(check(trial, extents[e], origin));
            quern_trial_release(trial, mark);
        }
    return QUERN_PASSED;
}

static quern_verdict each_2(quern_trial *trial)
{
    static const int64_t extents[][6] = {{1, 1}, {3, 5}, {1, 257}, {257, 1}, {7, 255}, {53, 61}, {2, 1000}};
    return sweep(trial, 2, extents, QUERN_LENGTH(extents), check_each_2);
}

static quern_verdict each_3(quern_trial *trial)
{
    static const int64_t extents[][6] = {{1, 1, 1}, {2, 3, 5}, {1, 1, 257}, {257, 1, 1}, {1, 255, 2}, {11, 13, 17}};
    return sweep(trial, 3, extents, QUERN_LENGTH(extents), check_each_3);
}

/* ---- EACH_INDEX ---- */

static quern_verdict check_each_any(quern_trial *trial, uint32_t rank, const int64_t *n, const int64_t *origin)
{
    record record;
    quern_guarded extent, begin;
    size_t items = 1;
    for (uint32_t d = 0; d < rank; ++d)
        items *= (size_t)n[d];
    QUERN_CHECK(make_record(trial, items, MOST_WORDS, &record));
    QUERN_CHECK(quern_conformance_array(trial, "extent", QUERN_TYPE(int64_t), rank ? rank : 1, n, &extent));
    QUERN_CHECK(quern_conformance_array(trial, "origin", QUERN_TYPE(int64_t), rank ? rank : 1, origin, &begin));
    QUERN_TRY(trial, index_each_any(trial->queue, range_of(rank, n, origin), record.visits.view, record.found.view,
                                    record.stray.view, (int32_t)rank, quern_view_as_const(extent.view),
                                    quern_view_as_const(begin.view)));
    for (size_t i = 0; i < items; ++i) {
        int64_t *wanted = record.wanted + MOST_WORDS * i;
        index_of(i, rank, n, origin, wanted); /* beyond the rank: 0 */
        for (uint32_t d = 0; d < 3; ++d)
            wanted[6 + d] = d < rank ? n[rank - 1 - d] : 1;
    }
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &extent));
    return check_record(trial, &record);
}

static quern_verdict each_any(quern_trial *trial)
{
    static const int64_t extents[][6] = {{1, 1, 1, 1, 1, 1},  {2, 3, 2, 5, 3, 2},   {257, 2, 1, 3, 1, 1},
                                         {3, 5, 17, 2, 1, 3}, {1, 2, 1, 3, 1, 251}, {13, 11, 3, 1, 7, 1}};
    for (uint32_t rank = 0; rank <= QUERN_MAX_RANK; ++rank)
        for (size_t e = 0; e < (rank ? QUERN_LENGTH(extents) : 1); ++e)
            for (size_t o = 0; o < QUERN_LENGTH(origins) + EDGES; o += o < QUERN_LENGTH(origins) - 1 ? 3 : 1) {
                const size_t mark = quern_trial_mark(trial);
                int64_t origin[6];
                set_origin(o, e, QUERN_MAX_RANK, extents[e], origin);
                QUERN_CHECK(check_each_any(trial, rank, extents[e], origin));
                quern_trial_release(trial, mark);
            }
    return QUERN_PASSED;
}

/* ---- continue, return ---- */

static quern_verdict each_continue(quern_trial *trial)
{
    enum { N = 1009 };
    static const size_t box[] = {5, 7, 11, 13};
    static int32_t wanted[5 * 7 * 11 * 13];
    quern_guarded visits[4];
    QUERN_CHECK(quern_conformance_array(trial, "visits", QUERN_TYPE(int32_t), N, NULL, &visits[0]));
    QUERN_CHECK(quern_conformance_array_nd(trial, "visits", QUERN_TYPE(int32_t), QUERN_EXTENTS(box[0], box[1]), NULL,
                                           &visits[1]));
    QUERN_CHECK(quern_conformance_array_nd(trial, "visits", QUERN_TYPE(int32_t), QUERN_EXTENTS(box[0], box[1], box[2]),
                                           NULL, &visits[2]));
    QUERN_CHECK(quern_conformance_array_nd(trial, "visits", QUERN_TYPE(int32_t),
                                           QUERN_EXTENTS(box[0], box[1], box[2], box[3]), NULL, &visits[3]));
    QUERN_TRY(trial, index_continue_1(trial->queue, QUERN_RANGE(N), visits[0].view));
    QUERN_TRY(trial, index_continue_2(trial->queue, QUERN_RANGE(box[0], box[1]), visits[1].view));
    QUERN_TRY(trial, index_continue_3(trial->queue, QUERN_RANGE(box[0], box[1], box[2]), visits[2].view));
    QUERN_TRY(trial, index_continue_any(trial->queue, QUERN_RANGE(box[0], box[1], box[2], box[3]), visits[3].view));
    for (int32_t i = 0; i < N; ++i)
        wanted[i] = i % 3 == 0 ? 4 : 0;
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &visits[0], wanted));
    for (uint32_t rank = 2; rank <= 4; ++rank) {
        for (size_t i = 0; i < visits[rank - 1].count; ++i) {
            size_t rest = i, sum = 0;
            for (uint32_t d = rank; d-- > 0; rest /= box[d])
                sum += (d == rank - 1 ? 2 : 1) * (rest % box[d]);
            wanted[i] = sum % 3 != 1;
        }
        QUERN_CHECK(quern_guarded_want(trial, trial->queue, &visits[rank - 1], wanted));
    }
    return QUERN_PASSED;
}

static quern_verdict each_return(quern_trial *trial)
{
    enum { N = 997 };
    static int32_t wanted[N];
    quern_guarded first, second;
    QUERN_CHECK(quern_conformance_array(trial, "first", QUERN_TYPE(int32_t), N, NULL, &first));
    QUERN_CHECK(quern_conformance_array(trial, "second", QUERN_TYPE(int32_t), N, NULL, &second));
    for (int32_t leave = 0; leave < 2; ++leave) {
        QUERN_TRY(trial, index_return(trial->queue, QUERN_RANGE(N), first.view, second.view, leave));
        for (size_t i = 0; i < N; ++i)
            wanted[i] = leave + 1;
        QUERN_CHECK(quern_guarded_want(trial, trial->queue, &first, wanted));
        for (size_t i = 0; i < N; ++i)
            wanted[i] = 1;
        QUERN_CHECK(quern_guarded_want(trial, trial->queue, &second, wanted));
    }
    return QUERN_PASSED;
}

static quern_verdict control(quern_trial *trial)
{
    return check_each_1(trial, index_control, 257, 5);
}

const quern_conformance_test quern_index_tests[] = {
    {"index.each_1", "EACH: every index once, with offsets from -2^40 to 2^61; RANGE", each_1, 0},
    {"index.each_2", "EACH2: both indices and extents", each_2, 0},
    {"index.each_3", "EACH3: all indices and extents", each_3, 0},
    {"index.each_any", "EACH_INDEX: ranks 0 to 6, 0 beyond the rank", each_any, 0},
    {"index.continue", "continue ends one item of EACH, EACH2, EACH3, EACH_INDEX", each_continue, 0},
    {"index.return", "an early return of a kernel ends it for all items", each_return, 0},
    {"index.group_ids_1", "every id and size in groups of rank 1, of fixed and of any size", quern_index_group_ids_1,
     0},
    {"index.group_ids_2", "the same in groups of rank 2", quern_index_group_ids_2, 0},
    {"index.group_ids_3", "the same in groups of rank 3", quern_index_group_ids_3, 0},
    {"index.group_continue", "continue in ITEMS, TEAM_EACH and ONCE", quern_index_group_continue, 0},
    {"index.group_return", "a return at the begin ends its group and no other", quern_index_group_return, 0},
    {"index.control", "an item that runs twice and one that does not are found", control, 1},
    {NULL, NULL, NULL, 0}};
