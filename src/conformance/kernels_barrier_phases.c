/* Conformance, subject "barrier": who runs in which phase, and phases under loops, conditions and returns. */
#include "kernels_barrier.h"

#include <stdlib.h>
#include <string.h>

#include "barrier_huge.k.h"
#include "barrier_phases.k.h"

static quern_range range_of(size_t n, size_t group)
{
    return quern_range_with_group(QUERN_RANGE(n), QUERN_EXTENTS(group));
}

/* Numbers below limit. */
static void set_random(int32_t *values, size_t n, uint32_t limit)
{
    uint64_t state = n + limit;
    for (size_t i = 0; i < n; ++i)
        values[i] = (int32_t)(quern_conformance_random(&state) % limit);
}

/* ---- who runs ---- */

typedef quern_status launch_who(quern_queue *queue, quern_range range, quern_view items, quern_view all,
                                quern_view team, quern_view once, int32_t count, size_t reached);

static quern_verdict check_who_with(quern_trial *trial, launch_who *launch, size_t group, size_t n)
{
    enum { COUNT = 11 };
    const size_t padded = n + group; /* enough for any smaller group as well */
    quern_guarded items, all, team, once;
    QUERN_CHECK(quern_conformance_array(trial, "items", QUERN_TYPE(int32_t), padded, NULL, &items));
    QUERN_CHECK(quern_conformance_array(trial, "all", QUERN_TYPE(int32_t), padded, NULL, &all));
    QUERN_CHECK(quern_conformance_array(trial, "team", QUERN_TYPE(int32_t), padded * COUNT, NULL, &team));
    QUERN_CHECK(quern_conformance_array(trial, "once", QUERN_TYPE(int32_t), padded, NULL, &once));
    QUERN_LAUNCH_FITTING(
        trial, group,
        launch(trial->queue, range_of(n, group), items.view, all.view, team.view, once.view, COUNT, group));
    int32_t *wanted;
    QUERN_MEMORY(trial, wanted, padded * COUNT * sizeof *wanted);
    const size_t groups = (n + group - 1) / group;
    for (size_t i = 0; i < n; ++i)
        wanted[i] = 1;
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &items, wanted));
    for (size_t i = 0; i < groups * group; ++i) {
        const size_t next = i / group * group + (i + 1) % group;
        wanted[i] = next < n ? 2 : 1;
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &all, wanted));
    memset(wanted, 0, padded * COUNT * sizeof *wanted);
    for (size_t i = 0; i < groups * COUNT; ++i)
        wanted[i] = 1;
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &team, wanted));
    for (size_t g = 0; g < padded; ++g)
        wanted[g] = g < groups ? 1000 * (int32_t)quern_barrier_inside(g, group, n) + 1 : 0;
    return quern_guarded_want(trial, trial->queue, &once, wanted);
}

static quern_verdict check_who(quern_trial *trial, size_t group, size_t n)
{
    return check_who_with(trial, barrier_who, group, n);
}

quern_verdict quern_barrier_who(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_who);
}

quern_verdict quern_barrier_control(quern_trial *trial)
{
    return check_who_with(trial, barrier_control, 5, 13);
}

/* ---- global memory ---- */

static quern_verdict check_exchange(quern_trial *trial, size_t group, size_t n)
{
    enum { ROUNDS = 3 };
    int32_t *a, *b;
    quern_guarded first, second;
    QUERN_MEMORY(trial, a, n * sizeof *a);
    QUERN_MEMORY(trial, b, n * sizeof *b);
    set_random(a, n, 10000);
    QUERN_CHECK(quern_conformance_array(trial, "a", QUERN_TYPE(int32_t), n, a, &first));
    QUERN_CHECK(quern_conformance_array(trial, "b", QUERN_TYPE(int32_t), n, b, &second));
    QUERN_LAUNCH_FITTING(trial, group,
                         barrier_exchange(trial->queue, range_of(n, group), first.view, second.view, ROUNDS));
    for (size_t g = 0; g * group < n; ++g) {
        int32_t *x = a + g * group, *y = b + g * group;
        const size_t inside = quern_barrier_inside(g, group, n);
        for (int32_t k = 0; k < ROUNDS; ++k) {
            for (size_t i = 0; i < inside; ++i)
                y[i] = x[(i + 1) % inside] + k;
            for (size_t i = 0; i < inside; ++i)
                x[i] = y[(i + 2) % inside] * 3;
        }
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &first, a));
    return quern_guarded_want(trial, trial->queue, &second, b);
}

quern_verdict quern_barrier_exchange(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_exchange);
}

/* ---- loops, conditions, returns ---- */

static int compare(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static quern_verdict check_sort(quern_trial *trial, size_t group, size_t n)
{
    uint32_t *values;
    quern_guarded x;
    uint64_t state = group + n;
    QUERN_MEMORY(trial, values, n * sizeof *values);
    for (size_t i = 0; i < n; ++i)
        values[i] = (uint32_t)quern_conformance_random(&state) >> (i % 5 ? 0 : 20);
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(uint32_t), n, values, &x));
    QUERN_LAUNCH_FITTING(trial, group, barrier_sort(trial->queue, range_of(n, group), x.view, group));
    for (size_t g = 0; g * group < n; ++g)
        qsort(values + g * group, quern_barrier_inside(g, group, n), sizeof *values, compare);
    return quern_guarded_want(trial, trial->queue, &x, values);
}

quern_verdict quern_barrier_sort(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_sort);
}

/* What barrier_nested does with the items of one group. */
static void nested_group(int32_t *x, size_t inside, int32_t turns, int32_t outer)
{
    enum { SIZE = 5 };
    for (int32_t k = 0; k < outer; ++k)
        for (int32_t m = 0; m < (turns + k) % 4; ++m) {
            int32_t tile[SIZE] = {0};
            memcpy(tile, x, inside * sizeof *x);
            for (size_t i = 0; i < inside; ++i)
                x[i] =
                    (k + m) % 2 ? tile[i] + 2 * tile[(i + 1) % SIZE] % 1000 : tile[i] - tile[(i + 4) % SIZE] % 1000 + k;
        }
}

quern_verdict quern_barrier_nested(quern_trial *trial)
{
    enum { N = 203, SIZE = 5, GROUPS = 41, OUTER = 6 };
    int32_t turns_values[GROUPS], values[N];
    quern_guarded turns, x;
    QUERN_NEED_GROUP(trial, SIZE);
    set_random(turns_values, GROUPS, 17);
    set_random(values, N, 2000);
    QUERN_CHECK(quern_conformance_array(trial, "turns", QUERN_TYPE(int32_t), GROUPS, turns_values, &turns));
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(int32_t), N, values, &x));
    QUERN_TRY(trial, barrier_nested(trial->queue, QUERN_RANGE(N), quern_view_as_const(turns.view), x.view, OUTER));
    for (size_t g = 0; g < GROUPS; ++g)
        nested_group(values + g * SIZE, quern_barrier_inside(g, SIZE, N), turns_values[g], OUTER);
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &turns));
    return quern_guarded_want(trial, trial->queue, &x, values);
}

quern_verdict quern_barrier_return(quern_trial *trial)
{
    enum { N = 119, SIZE = 6, GROUPS = 20 };
    int32_t parts_values[GROUPS], values[N];
    quern_guarded parts, x;
    QUERN_NEED_GROUP(trial, SIZE);
    for (int32_t g = 0; g < GROUPS; ++g)
        parts_values[g] = g % 4;
    set_random(values, N, 10000);
    QUERN_CHECK(quern_conformance_array(trial, "parts", QUERN_TYPE(int32_t), GROUPS, parts_values, &parts));
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(int32_t), N, values, &x));
    QUERN_TRY(trial, barrier_return(trial->queue, QUERN_RANGE(N), quern_view_as_const(parts.view), x.view));
    for (size_t g = 0; g < GROUPS; ++g) {
        const size_t inside = quern_barrier_inside(g, SIZE, N);
        for (int32_t part = 0; part < parts_values[g]; ++part) {
            int32_t tile[SIZE] = {0};
            memcpy(tile, values + g * SIZE, inside * sizeof *tile);
            for (size_t i = 0; i < inside; ++i)
                values[g * SIZE + i] = 10 * tile[(i + 1) % SIZE] + 1 + part;
        }
    }
    return quern_guarded_want(trial, trial->queue, &x, values);
}

/* ---- ranks 2 and 3 ---- */

/* The tile of one group, zeros where it sticks out: its sum times 7 and the element opposite to each. All as z, y, x.
 */
static void turn_group(int32_t *x, const int32_t *old, const size_t *extents, const size_t *group, const size_t *id)
{
    int32_t tile[64] = {0}, sum = 0;
    size_t place[64];
    const size_t items = group[0] * group[1] * group[2];
    for (size_t k = 0; k < items; ++k) {
        const size_t z = id[0] * group[0] + k / (group[1] * group[2]), y = id[1] * group[1] + k / group[2] % group[1],
                     i = id[2] * group[2] + k % group[2];
        const int is_inside = z < extents[0] && y < extents[1] && i < extents[2];
        place[k] = is_inside ? (z * extents[1] + y) * extents[2] + i : SIZE_MAX;
        tile[k] = is_inside ? old[place[k]] : 0;
        sum += tile[k];
    }
    for (size_t k = 0; k < items; ++k)
        if (place[k] != SIZE_MAX)
            x[place[k]] = sum * 7 + tile[items - 1 - k];
}

static void turn(int32_t *x, const int32_t *old, const size_t *extents, const size_t *group)
{
    size_t groups[3], id[3];
    for (int d = 0; d < 3; ++d)
        groups[d] = (extents[d] + group[d] - 1) / group[d];
    for (id[0] = 0; id[0] < groups[0]; ++id[0])
        for (id[1] = 0; id[1] < groups[1]; ++id[1])
            for (id[2] = 0; id[2] < groups[2]; ++id[2])
                turn_group(x, old, extents, group, id);
}

/* Every number of TEAM_EACH and ONCE of every group ran once: COUNT numbers and one. */
enum { COUNT = 101 };

static quern_verdict make_runs(quern_trial *trial, const size_t *extents, const size_t *group, quern_guarded *runs)
{
    size_t groups = 1;
    for (int d = 0; d < 3; ++d)
        groups *= (extents[d] + group[d] - 1) / group[d];
    return quern_conformance_array(trial, "runs", QUERN_TYPE(int32_t), groups * (COUNT + 1), NULL, runs);
}

static quern_verdict check_runs(quern_trial *trial, quern_guarded *runs)
{
    const int32_t one = 1;
    for (size_t i = 0; i < runs->count; ++i)
        memcpy(quern_guarded_element(runs, i), &one, sizeof one);
    return quern_guarded_check(trial, trial->queue, runs);
}

quern_verdict quern_barrier_plane(quern_trial *trial)
{
    static const size_t extents[3] = {1, 29, 37}, groups[][3] = {{1, 1, 1}, {1, 4, 7}, {1, 9, 1}, {1, 2, 32}};
    static int32_t values[29 * 37], wanted[29 * 37];
    set_random(values, QUERN_LENGTH(values), 1000);
    for (size_t g = 0; g < QUERN_LENGTH(groups); ++g) {
        const size_t mark = quern_trial_mark(trial), *group = groups[g];
        const quern_range range = quern_range_with_group(QUERN_RANGE(29, 37), QUERN_EXTENTS(group[1], group[2]));
        quern_guarded x, runs;
        if (!quern_conformance_group_fits(trial, 2, group + 1))
            continue;
        QUERN_CHECK(quern_conformance_array_nd(trial, "x", QUERN_TYPE(int32_t), QUERN_EXTENTS(29, 37), values, &x));
        QUERN_CHECK(make_runs(trial, extents, group, &runs));
        QUERN_TRY(trial, barrier_plane(trial->queue, range, x.view, runs.view, COUNT, group[1] * group[2]));
        turn(wanted, values, extents, group);
        QUERN_CHECK(check_runs(trial, &runs));
        QUERN_CHECK(quern_guarded_want(trial, trial->queue, &x, wanted));
        quern_trial_release(trial, mark);
    }
    return QUERN_PASSED;
}

quern_verdict quern_barrier_volume(quern_trial *trial)
{
    static const size_t extents[3] = {7, 11, 13}, group[3] = {2, 3, 4};
    static int32_t values[7 * 11 * 13], wanted[7 * 11 * 13];
    quern_guarded x, runs;
    QUERN_NEED_GROUP(trial, 2, 3, 4);
    set_random(values, QUERN_LENGTH(values), 1000);
    QUERN_CHECK(quern_conformance_array_nd(trial, "x", QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 11, 13), values, &x));
    QUERN_CHECK(make_runs(trial, extents, group, &runs));
    QUERN_TRY(trial, barrier_volume(trial->queue, QUERN_RANGE(7, 11, 13), x.view, runs.view, COUNT));
    turn(wanted, values, extents, group);
    QUERN_CHECK(check_runs(trial, &runs));
    return quern_guarded_want(trial, trial->queue, &x, wanted);
}

/* ---- what an item keeps ---- */

typedef quern_status launch_kept(quern_queue *queue, quern_range range, quern_view x, int32_t rounds);

static quern_verdict check_kept(quern_trial *trial, launch_kept *launch, quern_extents extents)
{
    enum { MOST = 37 * 48 };
    static int32_t wanted[MOST];
    const int32_t rounds = 3;
    quern_guarded x;
    for (size_t i = 0; i < MOST; ++i)
        wanted[i] = rounds * rounds;
    QUERN_CHECK(quern_conformance_array_nd(trial, "x", QUERN_TYPE(int32_t), extents, NULL, &x));
    QUERN_TRY(trial, launch(trial->queue, quern_range_make(extents), x.view, rounds));
    return quern_guarded_want(trial, trial->queue, &x, wanted);
}

quern_verdict quern_barrier_kept_plane(quern_trial *trial)
{
    QUERN_NEED_GROUP(trial, 8, 8);
    QUERN_CHECK(check_kept(trial, barrier_kept_loop, QUERN_EXTENTS(5, 5)));
    QUERN_CHECK(check_kept(trial, barrier_kept_loop, QUERN_EXTENTS(37, 48)));
    QUERN_CHECK(check_kept(trial, barrier_kept_if, QUERN_EXTENTS(9, 13)));
    return check_kept(trial, barrier_kept_if, QUERN_EXTENTS(7, 8));
}

quern_verdict quern_barrier_kept_volume(quern_trial *trial)
{
    QUERN_NEED_GROUP(trial, 2, 4, 8);
    QUERN_CHECK(check_kept(trial, barrier_kept_volume, QUERN_EXTENTS(3, 4, 16)));
    return check_kept(trial, barrier_kept_volume, QUERN_EXTENTS(2, 5, 16));
}

/* ---- too large ---- */

quern_verdict quern_barrier_too_large(quern_trial *trial)
{
    enum { N = 10 };
    int32_t values[N];
    quern_guarded a, b, c;
    const size_t largest = (size_t)trial->info.largest_group_items;
    QUERN_CHECK(quern_conformance_need_largest_group(trial));
    set_random(values, N, 100);
    QUERN_CHECK(quern_conformance_array(trial, "a", QUERN_TYPE(int32_t), N, values, &a));
    QUERN_CHECK(quern_conformance_array(trial, "b", QUERN_TYPE(int32_t), N, NULL, &b));
    QUERN_CHECK(quern_conformance_array_nd(trial, "c", QUERN_TYPE(int32_t), QUERN_EXTENTS(2, 5), values, &c));
    QUERN_REFUSED(trial, barrier_exchange(trial->queue, range_of(N, largest + 1), a.view, b.view, 1),
                  QUERN_LIMIT_EXCEEDED, "barrier_exchange");
    QUERN_REFUSED(trial, barrier_exchange(trial->queue, range_of(N, SIZE_MAX / 2), a.view, b.view, 1),
                  QUERN_LIMIT_EXCEEDED, "barrier_exchange");
    /* Each dimension may be fine, and the product too much. */
    QUERN_REFUSED(trial,
                  barrier_plane(trial->queue, quern_range_with_group(QUERN_RANGE(2, 5), QUERN_EXTENTS(largest, 2)),
                                c.view, a.view, 1, 1),
                  QUERN_LIMIT_EXCEEDED, "barrier_plane");
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &c));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &a));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &b));
    /* The queue is as good as before. */
    return check_exchange(trial, 3, N);
}

quern_verdict quern_barrier_fixed_too_large(quern_trial *trial)
{
    enum { ROWS = 5, COLUMNS = 7, ITEMS = 64 * 2048 };
    static const size_t group[2] = {64, 2048};
    int32_t values[ROWS * COLUMNS];
    quern_guarded x;
    set_random(values, QUERN_LENGTH(values), 1000);
    QUERN_CHECK(quern_conformance_array_nd(trial, "x", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, COLUMNS), values, &x));
    const quern_range range = QUERN_RANGE(ROWS, COLUMNS);
    if (quern_conformance_group_fits(trial, 2, group)) {
        QUERN_TRY(trial, barrier_huge(trial->queue, range, x.view));
        for (size_t i = 0; i < QUERN_LENGTH(values); ++i)
            values[i] += ITEMS;
        return quern_guarded_want(trial, trial->queue, &x, values);
    }
    QUERN_REFUSED(trial, barrier_huge(trial->queue, range, x.view), QUERN_LIMIT_EXCEEDED, "barrier_huge");
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    return check_exchange(trial, 3, 10);
}
