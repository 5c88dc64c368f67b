/*
 * The kernel dialect on the CPU: EACH, EACH2, EACH3, EACH_INDEX visit every item once with the right index, for ranks 0
 * to 6, odd extents and offsets, wherever the range is cut; AT, AT_INDEX and EXTENT reach the right element.
 */
#include "dialect_run.h"

#include "../kernels/each.k.c"

#define CUTS 9

static void test_each_1(void **state)
{
    (void)state;
    for (ptrdiff_t n = 0; n <= 600; n = n < 260 ? n + 1 : n + 113)
        for (ptrdiff_t offset = 0; offset <= 5; offset += 5) {
            int64_t *seen = calloc((size_t)(n + offset + 1), sizeof *seen);
            assert_non_null(seen);
            assert_int_equal(run_kernel(&(struct run){quern_k_each_1,
                                                      1,
                                                      {n},
                                                      {offset},
                                                      .depth = (int)(n % CUTS),
                                                      .arguments = RUN_ARGUMENTS{RUN_ARRAY(seen)}}),
                             0);
            for (ptrdiff_t i = 0; i <= n + offset; ++i)
                assert_int_equal(seen[i], i >= offset && i < n + offset ? i + 1 : 0);
            free(seen);
        }
}

/* A rank-R array of int64 with a border of guard elements on every side, and row padding. */
#define GUARD 3
#define PADDING 5

struct bordered {
    int rank;
    size_t extents[6];
    ptrdiff_t pitches[6];
    size_t bytes;
    char *memory, *first;
};

static void bordered_make(struct bordered *array, int rank, const ptrdiff_t *extents)
{
    ptrdiff_t pitch = sizeof(int64_t), offset = 0;
    memset(array, 0, sizeof *array);
    array->rank = rank;
    for (int d = rank - 1; d >= 0; --d) {
        array->extents[d] = (size_t)extents[d];
        array->pitches[d] = pitch;
        offset += GUARD * pitch;
        pitch *= extents[d] + 2 * GUARD;
        if (d == rank - 1)
            pitch += PADDING * (ptrdiff_t)sizeof(int64_t);
    }
    array->bytes = (size_t)pitch;
    array->memory = calloc(1, array->bytes);
    assert_non_null(array->memory);
    array->first = array->memory + offset;
}

static int64_t *bordered_at(const struct bordered *array, const ptrdiff_t *index)
{
    ptrdiff_t offset = 0;
    for (int d = 0; d < array->rank; ++d)
        offset += index[d] * array->pitches[d];
    return (int64_t *)(void *)(array->first + offset);
}

/* Goes through the indices of a box; 0 after the last. */
static int next_index(int rank, const ptrdiff_t *extents, ptrdiff_t *index)
{
    for (int d = rank - 1; d >= 0; --d) {
        if (++index[d] < extents[d])
            return 1;
        index[d] = 0;
    }
    return 0;
}

/* Runs function over the inner part of an array, and compares each visited element with expected; the rest stays 0. */
static void check_visits(quern_cpu_function *function, int rank, const ptrdiff_t *extents, const ptrdiff_t *offsets,
                         int64_t (*expected)(const ptrdiff_t *index))
{
    struct run run = {function, rank, .depth = (int)run_random(CUTS)};
    struct bordered array;
    ptrdiff_t whole[6] = {0}, index[6] = {0};
    int64_t all = 0, sum = 0;
    for (int d = 0; d < rank; ++d) {
        run.extents[d] = extents[d];
        run.offsets[d] = offsets[d];
        whole[d] = extents[d] + offsets[d];
    }
    bordered_make(&array, rank, whole);
    run.arguments = RUN_ARGUMENTS{RUN_PITCHED(array.first, array.extents, array.pitches)};
    assert_int_equal(run_kernel(&run), 0);
    do {
        ptrdiff_t place[6] = {0};
        for (int d = 0; d < rank; ++d)
            place[d] = index[d] + offsets[d];
        assert_int_equal(*bordered_at(&array, place), expected(place));
        sum += expected(place);
    } while (next_index(rank, extents, index));
    for (size_t i = 0; i < array.bytes / sizeof(int64_t); ++i)
        all += ((int64_t *)(void *)array.memory)[i];
    assert_int_equal(all, sum);
    free(array.memory);
}

static int64_t expected_2(const ptrdiff_t *k)
{
    return 1000 * k[0] + k[1] + 1;
}

static int64_t expected_3(const ptrdiff_t *k)
{
    return 1000 * (1000 * k[0] + k[1]) + k[2] + 1;
}

static int64_t expected_index(const ptrdiff_t *k)
{
    return CHECKSUM(k);
}

static int64_t expected_continue_2(const ptrdiff_t *k)
{
    return (k[0] + k[1]) % 3 == 1 ? 0 : expected_2(k);
}

static int64_t expected_continue_index(const ptrdiff_t *k)
{
    return (k[0] + k[1] + k[2]) % 3 == 1 ? 0 : expected_index(k);
}

static void test_each_2_and_3(void **state)
{
    const ptrdiff_t zero[6] = {0}, some[6] = {2, 3, 1};
    (void)state;
    for (ptrdiff_t y = 1; y <= 13; y += 3)
        for (ptrdiff_t x = 1; x <= 41; x += 4) {
            check_visits(quern_k_each_2, 2, (ptrdiff_t[]){y, x}, zero, expected_2);
            check_visits(quern_k_each_2, 2, (ptrdiff_t[]){y, x}, some, expected_2);
            check_visits(quern_k_continue_2, 2, (ptrdiff_t[]){y, x}, some, expected_continue_2);
            check_visits(quern_k_each_3, 3, (ptrdiff_t[]){3, y, x}, zero, expected_3);
            check_visits(quern_k_each_3, 3, (ptrdiff_t[]){y, 5, x}, some, expected_3);
        }
}

static void test_each_index(void **state)
{
    static quern_cpu_function *const function[7] = {quern_k_each_index_0, quern_k_each_index_1, quern_k_each_index_2,
                                                    quern_k_each_index_3, quern_k_each_index_4, quern_k_each_index_5,
                                                    quern_k_each_index_6};
    static const ptrdiff_t extents[][6] = {
        {7, 3, 5, 2, 3, 4}, {1, 1, 1, 1, 1, 1}, {2, 1, 3, 5, 1, 7}, {11, 13, 1, 2, 2, 2}};
    static const ptrdiff_t offsets[][6] = {{0}, {1, 2, 3, 0, 1, 2}};
    (void)state;
    for (int rank = 1; rank <= 6; ++rank)
        for (int e = 0; e < 4; ++e)
            for (int o = 0; o < 2; ++o)
                check_visits(function[rank], rank, extents[e], offsets[o], expected_index);
    check_visits(quern_k_continue_index, 3, extents[0], offsets[1], expected_continue_index);
}

static void test_each_index_of_rank_0_and_of_nothing(void **state)
{
    int64_t seen = 0;
    (void)state;
    run_kernel(&(struct run){quern_k_each_index_0, 0, .arguments = RUN_ARGUMENTS{RUN_ARRAY(&seen)}});
    assert_int_equal(seen, 1);
    seen = 0;
    run_kernel(&(struct run){quern_k_each_index_0, 3, {5, 0, 2}, .arguments = RUN_ARGUMENTS{RUN_ARRAY(&seen)}});
    assert_int_equal(seen, 0);
}

static void test_continue_1(void **state)
{
    int64_t seen[101] = {0};
    (void)state;
    run_kernel(&(struct run){quern_k_continue_1, 1, {101}, .depth = 3, .arguments = RUN_ARGUMENTS{RUN_ARRAY(seen)}});
    for (int i = 0; i < 101; ++i)
        assert_int_equal(seen[i], i % 3 == 1 ? 0 : i + 1);
}

/* AT with explicit indices and EXTENT, for each rank, against arithmetic on a packed array. */
static void test_at_and_extent(void **state)
{
    static quern_cpu_function *const function[7] = {NULL,
                                                    quern_k_reverse_1,
                                                    quern_k_reverse_2,
                                                    quern_k_reverse_3,
                                                    quern_k_reverse_4,
                                                    quern_k_reverse_5,
                                                    quern_k_reverse_6};
    static const size_t extents[6] = {3, 2, 5, 4, 3, 7};
    (void)state;
    for (int rank = 1; rank <= 6; ++rank) {
        struct run run = {function[rank], rank, .depth = 4};
        ptrdiff_t pitches[6];
        size_t n = 1;
        int32_t *x, *y;
        for (int d = rank - 1; d >= 0; --d) {
            pitches[d] = (ptrdiff_t)(n * sizeof *x);
            run.extents[d] = (ptrdiff_t)extents[d];
            n *= extents[d];
        }
        x = malloc(n * sizeof *x);
        y = calloc(n, sizeof *y);
        assert_true(x && y);
        for (size_t i = 0; i < n; ++i)
            x[i] = (int32_t)(i * 7 + 1);
        run.arguments = RUN_ARGUMENTS{RUN_PITCHED(x, extents, pitches), RUN_PITCHED(y, extents, pitches)};
        run_kernel(&run);
        for (size_t i = 0; i < n; ++i) /* all coordinates reversed is the linear index reversed */
            assert_int_equal(y[i], x[n - 1 - i]);
        free(x);
        free(y);
    }
}

static void test_bits_do_not_depend_on_cuts(void **state)
{
    enum { N = 1013 };
    static float x[N], y[N], whole[N];
    const float a = 1.1f;
    struct run run = {quern_k_axpy, 1, {N}, .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(y), RUN_VALUE(a)}};
    (void)state;
    for (run.depth = 0; run.depth < 10; ++run.depth) {
        for (int i = 0; i < N; ++i) {
            x[i] = (float)i / 7.0f;
            y[i] = (float)(i % 91) / 11.0f;
        }
        run_kernel(&run);
        if (run.depth == 0)
            memcpy(whole, y, sizeof y);
        assert_memory_equal(y, whole, sizeof y);
    }
}

static void test_stencil_on_pitched_rows(void **state)
{
    enum { ROWS = 23, COLUMNS = 61, PITCH = 72 };
    static float u[ROWS * PITCH], v[ROWS * PITCH];
    static const size_t extents[2] = {ROWS, COLUMNS};
    static const ptrdiff_t pitches[2] = {PITCH * sizeof(float), sizeof(float)};
    const float c = 0.125f;
    struct run run = {
        quern_k_five_point,
        2,
        {ROWS - 2, COLUMNS - 2},
        {1, 1},
        .arguments = RUN_ARGUMENTS{RUN_PITCHED(u, extents, pitches), RUN_PITCHED(v, extents, pitches), RUN_VALUE(c)}};
    (void)state;
    for (int i = 0; i < ROWS * PITCH; ++i)
        u[i] = (float)((i * 37) % 101);
    for (run.depth = 0; run.depth < 8; ++run.depth) {
        for (int i = 0; i < ROWS * PITCH; ++i)
            v[i] = -1.0f;
        run_kernel(&run);
        for (int y = 0; y < ROWS; ++y)
            for (int x = 0; x < PITCH; ++x) {
                const float *p = &u[y * PITCH + x];
                const int inside = y > 0 && y < ROWS - 1 && x > 0 && x < COLUMNS - 1;
                const float expected = inside ? p[0] + c * (p[-PITCH] + p[PITCH] + p[-1] + p[1] - 4 * p[0]) : -1.0f;
                assert_true(v[y * PITCH + x] == expected);
            }
    }
}

static void test_two_loops_and_extents(void **state)
{
    int64_t a[37] = {0}, b[37] = {0};
    (void)state;
    run_kernel(
        &(struct run){quern_k_two_loops, 1, {37}, .depth = 3, .arguments = RUN_ARGUMENTS{RUN_ARRAY(a), RUN_ARRAY(b)}});
    for (int i = 0; i < 37; ++i) {
        assert_int_equal(a[i], 37);
        assert_int_equal(b[i], 11); /* dimensions that the range lacks are 1 */
    }
    run_kernel(&(struct run){quern_k_nothing, 1, {37}, .depth = 1});
}

static void test_own_arrays(void **state)
{
    enum { N = 1003 };
    static float x[N], y[N];
    static int32_t k[N];
    struct run run = {
        quern_k_own_array_scatter, 1, {N}, .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(k), RUN_ARRAY(y)}};
    (void)state;
    for (int i = 0; i < N; ++i) {
        x[i] = (float)(i + 1);
        k[i] = i * 7 / 3;
    }
    run_kernel(&run);
    for (int i = 0; i < N; ++i)
        assert_true(y[i] == 3 * x[i]);
    run.function = quern_k_own_array_gather;
    run_kernel(&run);
    for (int i = 0; i < N; ++i)
        assert_true(y[i] == (float)((k[i] & 3) + 1) * x[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_1),
        cmocka_unit_test(test_each_2_and_3),
        cmocka_unit_test(test_each_index),
        cmocka_unit_test(test_each_index_of_rank_0_and_of_nothing),
        cmocka_unit_test(test_continue_1),
        cmocka_unit_test(test_at_and_extent),
        cmocka_unit_test(test_bits_do_not_depend_on_cuts),
        cmocka_unit_test(test_stencil_on_pitched_rows),
        cmocka_unit_test(test_two_loops_and_extents),
        cmocka_unit_test(test_own_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
