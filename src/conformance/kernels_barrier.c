/*
 * Conformance, subject "barrier": trees and pointer jumping, whose every step reads what other items wrote in the one
 * before, and loops that local memory ends. kernels_barrier_phases.c has the kinds of phases.
 */
#include "kernels_barrier.h"

#include <string.h>

#include "barrier.k.h"

static const size_t sizes[] = {1, 2, 3, 255, 1000};

quern_verdict quern_barrier_sweep(quern_trial *trial, quern_barrier_check *check)
{
    for (size_t g = 0; g < QUERN_LENGTH(sizes); ++g)
        for (size_t r = 0; r < QUERN_LENGTH(sizes); ++r) {
            const size_t mark = quern_trial_mark(trial);
            QUERN_CHECK(check(trial, sizes[g], sizes[r]));
            quern_trial_release(trial, mark);
        }
    return QUERN_PASSED;
}

/* ---- maps, composed ---- */

/* For each item a map, and for each group the map that its items' make one after another: scale, shift. */
typedef struct maps {
    size_t n, most_groups;
    uint32_t *scales, *shifts, *wanted;
    quern_guarded scale, shift, partial;
} maps;

/* partial has room for groups of one item; what the groups there are do not write is to stay. */
static quern_verdict make_maps(quern_trial *trial, size_t n, maps *maps)
{
    uint64_t state = n;
    maps->n = n;
    QUERN_MEMORY(trial, maps->scales, n * sizeof(uint32_t));
    QUERN_MEMORY(trial, maps->shifts, n * sizeof(uint32_t));
    QUERN_MEMORY(trial, maps->wanted, 2 * n * sizeof(uint32_t));
    for (size_t i = 0; i < n; ++i) {
        maps->scales[i] = (uint32_t)quern_conformance_random(&state) | 1;
        maps->shifts[i] = (uint32_t)quern_conformance_random(&state);
    }
    QUERN_CHECK(quern_conformance_array(trial, "scales", QUERN_TYPE(uint32_t), n, maps->scales, &maps->scale));
    QUERN_CHECK(quern_conformance_array(trial, "shifts", QUERN_TYPE(uint32_t), n, maps->shifts, &maps->shift));
    return quern_conformance_array(trial, "partial", QUERN_TYPE(uint32_t), 2 * n, NULL, &maps->partial);
}

static quern_verdict check_maps(quern_trial *trial, maps *maps, size_t group)
{
    for (size_t g = 0; g * group < maps->n; ++g) {
        uint32_t scale = 1, shift = 0;
        for (size_t i = g * group; i < g * group + quern_barrier_inside(g, group, maps->n); ++i) {
            shift = maps->scales[i] * shift + maps->shifts[i];
            scale = maps->scales[i] * scale;
        }
        maps->wanted[2 * g] = scale;
        maps->wanted[2 * g + 1] = shift;
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &maps->partial, maps->wanted));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &maps->scale));
    return quern_guarded_check(trial, trial->queue, &maps->shift);
}

static quern_range range_of(size_t n, size_t group)
{
    return quern_range_with_group(QUERN_RANGE(n), QUERN_EXTENTS(group));
}

static quern_verdict check_tree(quern_trial *trial, size_t group, size_t n)
{
    maps maps;
    QUERN_CHECK(make_maps(trial, n, &maps));
    QUERN_LAUNCH_FITTING(trial, group,
                         barrier_tree(trial->queue, range_of(n, group), quern_view_as_const(maps.scale.view),
                                      quern_view_as_const(maps.shift.view), maps.partial.view, group, group));
    return check_maps(trial, &maps, group);
}

static quern_verdict tree(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_tree);
}

typedef quern_status launch_tree(quern_queue *queue, quern_range range, quern_const_view scales,
                                 quern_const_view shifts, quern_view partial);

static quern_verdict fixed_tree(quern_trial *trial)
{
    static launch_tree *const launches[] = {barrier_tree_1, barrier_tree_2, barrier_tree_3, barrier_tree_255};
    for (size_t k = 0; k < QUERN_LENGTH(launches); ++k)
        for (size_t r = 0; r < QUERN_LENGTH(sizes); ++r) {
            const size_t mark = quern_trial_mark(trial);
            maps maps;
            QUERN_NEED_GROUP(trial, sizes[k]);
            QUERN_CHECK(make_maps(trial, sizes[r], &maps));
            QUERN_TRY(trial, launches[k](trial->queue, QUERN_RANGE(sizes[r]), quern_view_as_const(maps.scale.view),
                                         quern_view_as_const(maps.shift.view), maps.partial.view));
            QUERN_CHECK(check_maps(trial, &maps, sizes[k]));
            quern_trial_release(trial, mark);
        }
    return QUERN_PASSED;
}

static quern_verdict check_jump_private(quern_trial *trial, size_t group, size_t n)
{
    maps maps;
    QUERN_CHECK(make_maps(trial, n, &maps));
    QUERN_LAUNCH_FITTING(trial, group,
                         barrier_jump_private(trial->queue, range_of(n, group), quern_view_as_const(maps.scale.view),
                                              quern_view_as_const(maps.shift.view), maps.partial.view, group, group,
                                              group));
    return check_maps(trial, &maps, group);
}

static quern_verdict jump_private(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_jump_private);
}

static quern_verdict check_jump_local(quern_trial *trial, size_t group, size_t n)
{
    maps maps;
    QUERN_CHECK(make_maps(trial, n, &maps));
    QUERN_LAUNCH_FITTING(trial, group,
                         barrier_jump_local(trial->queue, range_of(n, group), quern_view_as_const(maps.scale.view),
                                            quern_view_as_const(maps.shift.view), maps.partial.view, group, group,
                                            group, group));
    return check_maps(trial, &maps, group);
}

static quern_verdict jump_local(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_jump_local);
}

/* ---- a loop that local memory ends ---- */

static uint32_t collatz_steps(uint32_t x)
{
    uint32_t steps = 0;
    for (; x > 1; ++steps)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return steps;
}

static quern_verdict check_until(quern_trial *trial, size_t group, size_t n)
{
    uint32_t *values, *counts;
    int32_t *steps_wanted;
    quern_guarded x, steps;
    uint64_t state = 31 * n + group;
    QUERN_MEMORY(trial, values, n * sizeof *values);
    QUERN_MEMORY(trial, counts, n * sizeof *counts);
    QUERN_MEMORY(trial, steps_wanted, n * sizeof *steps_wanted);
    for (size_t i = 0; i < n; ++i)
        values[i] = 1 + (uint32_t)(quern_conformance_random(&state) % (i % 7 ? 30 : 5000));
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(uint32_t), n, values, &x));
    QUERN_CHECK(quern_conformance_array(trial, "steps", QUERN_TYPE(int32_t), n, NULL, &steps));
    QUERN_LAUNCH_FITTING(trial, group, barrier_until(trial->queue, range_of(n, group), x.view, steps.view));
    for (size_t i = 0; i < n; ++i) {
        counts[i] = collatz_steps(values[i]);
        if ((int32_t)counts[i] > steps_wanted[i / group])
            steps_wanted[i / group] = (int32_t)counts[i];
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &x, counts));
    return quern_guarded_want(trial, trial->queue, &steps, steps_wanted);
}

static quern_verdict until(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_until);
}

/* ---- a loop that local memory bounds ---- */

typedef quern_status launch_bound(quern_queue *queue, quern_range range, quern_const_view turns, quern_view x,
                                  size_t sums);

/* What one group makes of its part. */
static void bound_group(uint32_t *x, size_t inside, int32_t turns, uint32_t *before)
{
    for (int32_t k = 0; k < turns; ++k) {
        memcpy(before, x, inside * sizeof *x);
        for (size_t i = 0; i < inside; ++i)
            x[i] += 3 * before[(i + 1) % inside] + (uint32_t)k;
    }
}

static quern_verdict check_bound_with(quern_trial *trial, launch_bound *launch, size_t group, size_t n)
{
    uint32_t *values, *scratch;
    int32_t *turns_values;
    quern_guarded turns, x;
    uint64_t state = 3 * n + group;
    QUERN_MEMORY(trial, values, n * sizeof *values);
    QUERN_MEMORY(trial, scratch, n * sizeof *scratch);
    QUERN_MEMORY(trial, turns_values, n * sizeof *turns_values);
    for (size_t i = 0; i < n; ++i) {
        values[i] = (uint32_t)quern_conformance_random(&state);
        turns_values[i] = (int32_t)(i % 5 == 3 ? 0 : 1 + i % 9);
    }
    QUERN_CHECK(quern_conformance_array(trial, "turns", QUERN_TYPE(int32_t), n, turns_values, &turns));
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(uint32_t), n, values, &x));
    QUERN_LAUNCH_FITTING(trial, group,
                         launch(trial->queue, range_of(n, group), quern_view_as_const(turns.view), x.view, group));
    for (size_t g = 0; g * group < n; ++g)
        bound_group(values + g * group, quern_barrier_inside(g, group, n), turns_values[g], scratch);
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &turns));
    return quern_guarded_want(trial, trial->queue, &x, values);
}

static quern_verdict check_bound_local(quern_trial *trial, size_t group, size_t n)
{
    return check_bound_with(trial, barrier_bound_local, group, n);
}

static quern_verdict check_bound_private(quern_trial *trial, size_t group, size_t n)
{
    return check_bound_with(trial, barrier_bound_private, group, n);
}

static quern_verdict bound_local(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_bound_local);
}

static quern_verdict bound_private(quern_trial *trial)
{
    return quern_barrier_sweep(trial, check_bound_private);
}

const quern_conformance_test quern_barrier_tests[] = {
    {"barrier.tree", "a tree with uniform trips, in groups and ranges of 1 to 1000", tree, 0},
    {"barrier.fixed_tree", "the same in groups of fixed sizes 1, 2, 3, 255", fixed_tree, 0},
    {"barrier.jump_private", "pointer jumping: a loop that local memory ends, with PRIVATE", jump_private, 0},
    {"barrier.jump_local", "the same without PRIVATE", jump_local, 0},
    {"barrier.until", "a loop that goes on while any item has something to do", until, 0},
    {"barrier.bound_local", "a loop that ends where local memory says", bound_local, 0},
    {"barrier.bound_private", "the same with PRIVATE", bound_private, 0},
    {"barrier.who", "padding reaches every barrier and runs ALL_ITEMS only; TEAM_EACH, ONCE", quern_barrier_who, 0},
    {"barrier.exchange", "barriers order global memory within a group", quern_barrier_exchange, 0},
    {"barrier.sort", "phases in nested uniform loops", quern_barrier_sort, 0},
    {"barrier.nested", "phases under uniform conditions and in loops that local memory bounds", quern_barrier_nested,
     0},
    {"barrier.return", "a uniform return between phases ends its group", quern_barrier_return, 0},
    {"barrier.plane", "phases of groups of rank 2, of any size", quern_barrier_plane, 0},
    {"barrier.volume", "phases of groups of rank 3", quern_barrier_volume, 0},
    {"barrier.kept_plane", "PRIVATE through phases in a loop and under a condition, partial groups of rank 2",
     quern_barrier_kept_plane, 0},
    {"barrier.kept_volume", "the same in groups of rank 3", quern_barrier_kept_volume, 0},
    {"barrier.too_large", "a group over the device's limit is refused and changes nothing", quern_barrier_too_large, 0},
    {"barrier.fixed_too_large", "a kernel whose own groups are over the limit is refused",
     quern_barrier_fixed_too_large, 0},
    {"barrier.control", "local memory that the padding was not let set up is found", quern_barrier_control, 1},
    {NULL, NULL, NULL, 0}};
