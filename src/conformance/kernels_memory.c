/*
 * Conformance, subject "memory": local memory, constant tables, structs, helpers. kernels_memory_items.c has what
 * belongs to one item.
 */
#include "kernels_memory.h"

#include <string.h>

#include "double.k.h"
#include "memory.k.h"

/* ---- local memory ---- */

static quern_verdict locals(quern_trial *trial)
{
    enum { N = 67, SIZE = 7 };
    int64_t wanted[N];
    quern_guarded y;
    QUERN_NEED_GROUP(trial, SIZE);
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, NULL, &y));
    QUERN_TRY(trial, memory_locals(trial->queue, QUERN_RANGE(N), y.view));
    for (int64_t n = 0; n < N; ++n) {
        const int64_t i = n % SIZE, k = (i + 3) % SIZE;
        wanted[n] = -100 + n / SIZE + 1000000007 * (k + 1) + 8 * (200 + k) + 7 * (30 + k) + 11 * (400 + k) +
                    13 * (500 + k) + 17 * (600 + k) + 32 * k + 19 * ((240 + i + 4) % 256) + 64 * i;
    }
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

typedef quern_status launch_parameters(quern_queue *queue, quern_range range, int32_t na, int32_t nb, int32_t nc,
                                       int32_t nd, size_t a, size_t b, size_t none, size_t c, size_t d, quern_view y);

/* What memory_parameters computes of arrays of these lengths in group g, but for the item's own number. */
static int64_t sum_of(const size_t *lengths, int64_t g)
{
    int64_t sum = 0;
    for (int64_t j = 0; j < (int64_t)lengths[0]; ++j)
        sum += (j + 1) * (j % 101 - 50);
    for (int64_t j = 0; j < (int64_t)lengths[1]; ++j)
        sum += (j + 2) * (1000000007 * j + g);
    for (int64_t j = 0; j < (int64_t)lengths[2]; ++j)
        sum += (j + 3) * (j % 89 + 7 * j + j % 997 - j) + j;
    for (int64_t j = 0; j < (int64_t)lengths[3]; ++j)
        sum += (j + 4) * (60000 + j % 5000);
    return sum;
}

static quern_verdict check_parameters(quern_trial *trial, launch_parameters *launch, const size_t *lengths,
                                      size_t group)
{
    enum { N = 47 };
    int64_t wanted[N];
    quern_guarded y;
    const quern_range range = quern_range_with_group(QUERN_RANGE(N), QUERN_EXTENTS(group));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, NULL, &y));
    QUERN_TRY(trial, launch(trial->queue, range, (int32_t)lengths[0], (int32_t)lengths[1], (int32_t)lengths[2],
                            (int32_t)lengths[3], lengths[0], lengths[1], 0, lengths[2], lengths[3], y.view));
    for (size_t i = 0; i < N; ++i)
        wanted[i] = sum_of(lengths, (int64_t)(i / group)) + (int64_t)i;
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

static quern_verdict parameters(quern_trial *trial)
{
    static const size_t lengths[][4] = {{1, 1, 1, 1},      {3, 5, 7, 11},     {0, 3, 0, 1},
                                        {1, 0, 1, 0},      {0, 0, 0, 0},      {101, 1, 13, 3},
                                        {1, 255, 1, 1009}, {999, 257, 61, 1}, {13, 64, 5, 32}};
    const size_t groups[] = {1, 13, 64};
    for (size_t g = 0; g < QUERN_LENGTH(groups); ++g)
        for (size_t k = 0; k < QUERN_LENGTH(lengths); ++k) {
            const size_t mark = quern_trial_mark(trial);
            if (!quern_conformance_group_fits(trial, 1, &groups[g]))
                continue;
            QUERN_CHECK(check_parameters(trial, memory_parameters, lengths[k], groups[g]));
            quern_trial_release(trial, mark);
        }
    return QUERN_PASSED;
}

static quern_verdict control(quern_trial *trial)
{
    static const size_t lengths[4] = {3, 5, 11, 7};
    return check_parameters(trial, memory_control, lengths, 1);
}

/* More local memory than there is: refused, nothing run. */
static quern_verdict too_much(quern_trial *trial)
{
    static const size_t lengths[4] = {1, 1, 1, 1};
    const uint64_t bytes = trial->info.local_memory_bytes;
    const quern_range range = quern_range_with_group(QUERN_RANGE(3), QUERN_EXTENTS(1));
    quern_guarded y;
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), 3, NULL, &y));
    QUERN_REFUSED(trial, memory_parameters(trial->queue, range, 0, 0, 0, 0, (size_t)bytes + 1, 0, 0, 0, 0, y.view),
                  QUERN_LIMIT_EXCEEDED, "bytes of local memory");
    QUERN_REFUSED(
        trial,
        memory_parameters(trial->queue, range, 0, 0, 0, 0, (size_t)bytes / 2, (size_t)bytes / 8, 0, 1, 0, y.view),
        QUERN_LIMIT_EXCEEDED, "bytes of local memory");
    QUERN_REFUSED(trial, memory_parameters(trial->queue, range, 0, 0, 0, 0, 0, SIZE_MAX / 2, 0, 0, 0, y.view),
                  QUERN_OVERFLOW, "b");
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    return check_parameters(trial, memory_parameters, lengths, 1);
}

/* ---- constants, structs, helpers ---- */

static quern_verdict constants(quern_trial *trial)
{
    enum { N = 241 };
    static const int64_t bytes[5] = {-3, 1, 4, -1, 5}, words[3] = {4000000000, 7, 65537};
    static const int64_t fractions[4] = {32, -16, 96, 192}; /* times 64 */
    static const int64_t grid[2][3] = {{1, 2, 3}, {40, 50, 60}};
    static const int64_t large[2] = {4, -4}, small[2] = {1, -1}, last[2] = {5, -5};
    int32_t values[N];
    int64_t wanted[N];
    quern_guarded x, y;
    uint64_t state = 3;
    for (size_t i = 0; i < N; ++i) {
        const int32_t k = values[i] = (int32_t)(quern_conformance_random(&state) % 1000);
        wanted[i] = bytes[k % 5] + 3 * words[k % 3] + fractions[k % 4] + 5 * grid[k % 2][k % 3] + 7 * large[k % 2] +
                    11 * small[(k + 1) % 2] + last[k % 2];
    }
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(int32_t), N, values, &x));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, NULL, &y));
    QUERN_TRY(trial, memory_constants(trial->queue, QUERN_RANGE(N), quern_view_as_const(x.view), y.view));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

static memory_padded random_struct(uint64_t *state)
{
    memory_padded value;
    memset(&value, 0, sizeof value);
    value.small = (int8_t)(quern_conformance_random(state) % 256 - 128);
    value.number = (int32_t)(quern_conformance_random(state) % 1000000);
    value.middle = (int16_t)(quern_conformance_random(state) % 60000 - 30000);
    value.large = (int64_t)(quern_conformance_random(state) >> 2);
    value.last = (float)(quern_conformance_random(state) % 4096) / 16.0f;
    return value;
}

/* Fields only: what lies between them is nobody's. */
static quern_verdict structs(quern_trial *trial)
{
    enum { N = 131 };
    static memory_padded a[N], b[N], c[2 * N], present[N];
    quern_guarded x, y, z;
    uint64_t state = 9;
    for (size_t i = 0; i < N; ++i) {
        a[i] = random_struct(&state);
        b[i] = random_struct(&state);
        c[2 * i] = random_struct(&state);
        c[2 * i + 1] = random_struct(&state);
    }
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(memory_padded), N, a, &x));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(memory_padded), N, b, &y));
    QUERN_CHECK(quern_conformance_array_nd(trial, "z", QUERN_TYPE(memory_padded), QUERN_EXTENTS(N, 2), c, &z));
    QUERN_TRY(trial, memory_structs_1(trial->queue, QUERN_RANGE(N), quern_view_as_const(x.view), y.view,
                                      quern_view_as_const(z.view)));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &y, present));
    for (size_t i = 0; i < N; ++i) {
        const memory_padded *p = &present[i];
        const memory_padded wanted = {c[2 * i + 1].small, a[i].number + b[i].number, a[i].middle,
                                      a[i].large - c[2 * i].large, 2 * a[i].last};
        QUERN_WANT(trial,
                   p->small == wanted.small && p->number == wanted.number && p->middle == wanted.middle &&
                       p->large == wanted.large && p->last == wanted.last,
                   "y[%zu] is {%d, %d, %d, %lld, %g}, wanted {%d, %d, %d, %lld, %g}", i, p->small, p->number, p->middle,
                   (long long)p->large, (double)p->last, wanted.small, wanted.number, wanted.middle,
                   (long long)wanted.large, (double)wanted.last);
    }
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    return quern_guarded_check(trial, trial->queue, &z);
}

static quern_verdict helpers(quern_trial *trial)
{
    enum { N = 53, SIZE = 6 };
    int32_t values[N];
    quern_guarded y;
    uint64_t state = 4;
    QUERN_NEED_GROUP(trial, SIZE);
    for (size_t i = 0; i < N; ++i)
        values[i] = (int32_t)(quern_conformance_random(&state) % 100000) - 50000;
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int32_t), N, values, &y));
    QUERN_TRY(trial, memory_helpers(trial->queue, QUERN_RANGE(N), y.view));
    for (int32_t i = 0; i < N; ++i) /* tile[k] is 2 (k + 1); three of them from i % 3 on are added */
        values[i] = values[i] / 7 - 1000 * (values[i] % 7) + 6 * (i % SIZE % 3 + 2);
    return quern_guarded_want(trial, trial->queue, &y, values);
}

static quern_verdict doubles(quern_trial *trial)
{
    enum { N = 51, SIZE = 7 };
    static const double table[3] = {0.1, -1e300, 3.0};
    double values[N], wanted[N];
    quern_guarded x, y;
    uint64_t state = 8;
    QUERN_NEED_FP64(trial);
    QUERN_NEED_GROUP(trial, SIZE);
    for (size_t i = 0; i < N; ++i)
        values[i] = (double)(quern_conformance_random(&state) >> 11) * 0x1p-40;
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(double), N, values, &x));
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(double), N, NULL, &y));
    QUERN_TRY(trial, double_memory(trial->queue, QUERN_RANGE(N), quern_view_as_const(x.view), y.view, SIZE, SIZE));
    for (size_t i = 0; i < N; ++i) {
        const size_t k = (i % SIZE + 1) % SIZE, there = i / SIZE * SIZE + k;
        const double v = there < N ? values[there] : 0.0;
        /* Step by step, so that no compiler contracts what strict mode does not. */
        const volatile double third = values[i] / 3.0, product = v * 2.0 * third, plus = v + 1.0;
        wanted[i] = plus - product + (double)k + (double)(100 * (k % 3)) + table[k % 3];
    }
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

const quern_conformance_test quern_memory_tests[] = {
    {"memory.locals", "LOCAL arrays of several types and lengths, each its own", locals, 0},
    {"memory.parameters", "local parameters of odd lengths and of none", parameters, 0},
    {"memory.too_much", "more local memory than the device has is refused", too_much, 0},
    {"memory.private_1", "PRIVATE scalars, structs and arrays survive barriers", quern_memory_private_1, 0},
    {"memory.private_2", "the same in groups of rank 2, of any size", quern_memory_private_2, 0},
    {"memory.private_3", "the same in groups of rank 3", quern_memory_private_3, 0},
    {"memory.private_large", "4 KiB of PRIVATE per item", quern_memory_private_large, 0},
    {"memory.own_arrays", "arrays that an item declares for itself", quern_memory_own_arrays, 0},
    {"memory.constants", "constant tables of several types", constants, 0},
    {"memory.structs", "structs with padding", structs, 0},
    {"memory.helpers", "helpers with pointers to global, local and own memory", helpers, 0},
    {"memory.doubles", "doubles in local memory, PRIVATE and tables", doubles, 0},
    {"memory.control", "local memory that is overwritten through another array is found", control, 1},
    {NULL, NULL, NULL, 0}};
