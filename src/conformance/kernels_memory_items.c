/* Conformance, subject "memory": what belongs to one item: PRIVATE, and arrays that it declares for itself. */
#include "kernels_memory.h"

#include "memory.k.h"

/* What RESULT of memory.k.c is: number in the range, in the group, items of the group, and the scalar that the item
 * opposite in the group keeps. */
static int32_t result_of(int32_t global, int32_t item, int32_t opposite)
{
    const int32_t scalar = 3 * global + 1;
    const int32_t rest_2 = 2 * item + opposite % 100;
    return scalar + 2 * (100 + item) + 3 * rest_2 + 5 * (4 * item) + 7 * (10 * item) + 11 * (10 * item + 1 + scalar) +
           13 * (10 * item + 2);
}

/* GLOBAL_LINEAR of item k of a group, which may lie in the padding; all as z, y, x. */
static int64_t global_linear(const int64_t *extents, const int64_t *group, const int64_t *id, int64_t k)
{
    const int64_t z = id[0] * group[0] + k / (group[1] * group[2]), y = id[1] * group[1] + k / group[2] % group[1],
                  x = id[2] * group[2] + k % group[2];
    return (z * extents[1] + y) * extents[2] + x;
}

static void set_wanted(const int64_t *extents, const int64_t *group, int32_t *wanted)
{
    const int64_t items = group[0] * group[1] * group[2];
    for (int64_t n = 0; n < extents[0] * extents[1] * extents[2]; ++n) {
        const int64_t index[3] = {n / (extents[1] * extents[2]), n / extents[2] % extents[1], n % extents[2]};
        int64_t id[3], item = 0;
        for (int d = 0; d < 3; ++d) {
            id[d] = index[d] / group[d];
            item = item * group[d] + index[d] % group[d];
        }
        wanted[n] = result_of((int32_t)n, (int32_t)item,
                              (int32_t)(3 * global_linear(extents, group, id, items - 1 - item) + 1));
    }
}

quern_verdict quern_memory_private_1(quern_trial *trial)
{
    enum { N = 121 };
    static const int64_t extents[3] = {1, 1, N}, group[3] = {1, 1, 13};
    int32_t wanted[N];
    quern_guarded y;
    QUERN_NEED_GROUP(trial, 13);
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int32_t), N, NULL, &y));
    QUERN_TRY(trial, memory_private_1(trial->queue, QUERN_RANGE(N), y.view));
    set_wanted(extents, group, wanted);
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

quern_verdict quern_memory_private_2(quern_trial *trial)
{
    enum { ROWS = 17, COLUMNS = 23 };
    static const int64_t extents[3] = {1, ROWS, COLUMNS}, groups[][3] = {{1, 1, 1}, {1, 5, 3}, {1, 2, 32}, {1, 30, 1}};
    int32_t wanted[ROWS * COLUMNS];
    for (size_t g = 0; g < QUERN_LENGTH(groups); ++g) {
        const size_t mark = quern_trial_mark(trial);
        const size_t size[2] = {(size_t)groups[g][1], (size_t)groups[g][2]};
        quern_guarded y;
        if (!quern_conformance_group_fits(trial, 2, size))
            continue;
        QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int32_t), ROWS * COLUMNS, NULL, &y));
        QUERN_TRY(trial,
                  memory_private_2(trial->queue,
                                   quern_range_with_group(QUERN_RANGE(ROWS, COLUMNS), QUERN_EXTENTS(size[0], size[1])),
                                   y.view, size[0] * size[1]));
        set_wanted(extents, groups[g], wanted);
        QUERN_CHECK(quern_guarded_want(trial, trial->queue, &y, wanted));
        quern_trial_release(trial, mark);
    }
    return QUERN_PASSED;
}

quern_verdict quern_memory_private_3(quern_trial *trial)
{
    static const int64_t extents[3] = {5, 7, 11}, group[3] = {2, 3, 5};
    int32_t wanted[5 * 7 * 11];
    quern_guarded y;
    QUERN_NEED_GROUP(trial, 2, 3, 5);
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int32_t), QUERN_LENGTH(wanted), NULL, &y));
    QUERN_TRY(trial, memory_private_3(trial->queue, QUERN_RANGE(5, 7, 11), y.view));
    set_wanted(extents, group, wanted);
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

quern_verdict quern_memory_private_large(quern_trial *trial)
{
    enum { N = 101, SIZE = 33, SLOTS = 1024 };
    int32_t values[N], wanted[N];
    quern_guarded x, y;
    uint64_t state = 6;
    QUERN_NEED_GROUP(trial, SIZE);
    for (size_t i = 0; i < N; ++i)
        values[i] = (int32_t)(quern_conformance_random(&state) % 100000);
    for (int32_t i = 0; i < N; ++i) {
        const int32_t item = i % SIZE, next = i / SIZE * SIZE + (item + 1) % SIZE;
        const int32_t slot = (next < N ? values[next] : 0) & (SLOTS - 1);
        wanted[i] = (item + 1) * (SLOTS * (SLOTS - 1) / 2) - slot * (item + 1) - 7;
    }
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(int32_t), N, values, &x));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int32_t), N, NULL, &y));
    QUERN_TRY(trial, memory_private_large(trial->queue, QUERN_RANGE(N), quern_view_as_const(x.view), y.view));
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

quern_verdict quern_memory_own_arrays(quern_trial *trial)
{
    enum { N = 1009, LENGTH = 11 };
    static int32_t values[N], wanted[N];
    quern_guarded x, y;
    uint64_t state = 7;
    for (size_t i = 0; i < N; ++i) {
        int32_t sorted[LENGTH];
        values[i] = (int32_t)(quern_conformance_random(&state) % 100000);
        for (int32_t k = 0; k < LENGTH; ++k) {
            const int32_t next = values[i] * (k + 3) % 101;
            int32_t at = k;
            for (; at > 0 && sorted[at - 1] > next; --at)
                sorted[at] = sorted[at - 1];
            sorted[at] = next;
        }
        wanted[i] = sorted[0] + 3 * sorted[5] + 7 * sorted[10] + 11 * sorted[values[i] % LENGTH];
    }
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(int32_t), N, values, &x));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int32_t), N, NULL, &y));
    QUERN_TRY(trial, memory_own_arrays(trial->queue, QUERN_RANGE(N), quern_view_as_const(x.view), y.view));
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}
