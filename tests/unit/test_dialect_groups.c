/*
 * The kernel dialect on the CPU: group kernels. Every id and size, phases with partial groups, local and private
 * memory, groups of rank 1 to 3, of fixed and of any size, wherever the groups are cut into pieces.
 */
#include "dialect_run.h"

#include "../kernels/groups.k.c"

#include "../../examples/pointer_jumping.k.c"

#define SCRATCH 65536

/* ---- ids and sizes ---- */

/* What RECORD should have written for one item, from the definitions; index is z, y, x. */
static void expected_words(const ptrdiff_t *extents, const ptrdiff_t *group, const ptrdiff_t *index, int64_t *words)
{
    ptrdiff_t id[3], own[3], groups[3];
    for (int d = 0; d < 3; ++d) {
        id[d] = index[d] / group[d];
        own[d] = index[d] % group[d];
        groups[d] = (extents[d] + group[d] - 1) / group[d];
    }
    for (int d = 0; d < 3; ++d) {
        const int k = 2 - d; /* x first */
        words[0 + k] = group[d];
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
    words[22] = 1;
    words[23] = 0;
}

static void check_ids(quern_cpu_function *function, int rank, ptrdiff_t z, ptrdiff_t y, ptrdiff_t x, ptrdiff_t gz,
                      ptrdiff_t gy, ptrdiff_t gx)
{
    const ptrdiff_t extents[3] = {z, y, x}, group[3] = {gz, gy, gx};
    const size_t items = (size_t)(z * y * x);
    size_t padded = 1;
    int64_t *words = calloc(items * WORDS, sizeof *words);
    int32_t *visits;
    struct run run = {function, rank, .offsets = {5, 7, 9}, .depth = (int)run_random(6)};
    for (int d = 0; d < 3; ++d)
        padded *= (size_t)((extents[d] + group[d] - 1) / group[d] * group[d]);
    visits = calloc(padded, sizeof *visits);
    assert_true(words && visits);
    for (int d = 0; d < rank; ++d) {
        run.extents[d] = extents[3 - rank + d];
        run.group[d] = group[3 - rank + d];
    }
    run.arguments = RUN_ARGUMENTS{RUN_ARRAY(words), RUN_ARRAY(visits)};
    assert_int_equal(run_kernel(&run), 0);
    for (size_t i = 0; i < items; ++i) {
        const ptrdiff_t index[3] = {(ptrdiff_t)i / (y * x), (ptrdiff_t)i / x % y, (ptrdiff_t)i % x};
        int64_t expected[WORDS];
        expected_words(extents, group, index, expected);
        assert_memory_equal(&words[i * WORDS], expected, sizeof expected);
    }
    for (size_t i = 0; i < padded; ++i)
        assert_int_equal(visits[i], 1);
    free(words);
    free(visits);
}

static void test_ids_1(void **state)
{
    (void)state;
    for (ptrdiff_t n = 1; n <= 67; ++n) {
        check_ids(quern_k_ids_1, 1, 1, 1, n, 1, 1, 8);
        check_ids(quern_k_ids_1_tuple, 1, 1, 1, n, 1, 1, 8);
        check_ids(quern_k_ids_1_any, 1, 1, 1, n, 1, 1, 1 + n % 13);
    }
    check_ids(quern_k_ids_1, 1, 1, 1, 13, 1, 1, 8);
    check_ids(quern_k_ids_1_any, 1, 1, 1, 5, 1, 1, 4096);
}

static void test_ids_2(void **state)
{
    (void)state;
    for (ptrdiff_t y = 1; y <= 11; y += 2)
        for (ptrdiff_t x = 1; x <= 23; x += 3) {
            check_ids(quern_k_ids_2, 2, 1, y, x, 1, 3, 5);
            check_ids(quern_k_ids_2_any, 2, 1, y, x, 1, 1 + x % 4, 1 + y % 7);
        }
}

static void test_ids_3(void **state)
{
    (void)state;
    for (ptrdiff_t z = 1; z <= 5; z += 2)
        for (ptrdiff_t y = 1; y <= 7; y += 3)
            for (ptrdiff_t x = 1; x <= 9; x += 2) {
                check_ids(quern_k_ids_3, 3, z, y, x, 2, 3, 4);
                check_ids(quern_k_ids_3_any, 3, z, y, x, 1 + x % 3, 1 + z % 4, 1 + y % 5);
            }
}

/* ---- phases ---- */

static void test_phases(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 29; ++n)
        for (int32_t count = 0; count <= 21; count += 7) {
            int32_t items[32] = {0}, team[4 * 21] = {0}, once[4] = {0};
            const int32_t groups = (n + 7) / 8;
            run_kernel(&(struct run){
                quern_k_phases,
                1,
                {n},
                .group = {8},
                .depth = 2,
                .arguments = RUN_ARGUMENTS{RUN_ARRAY(items), RUN_ARRAY(team), RUN_ARRAY(once), RUN_VALUE(count)}});
            for (int32_t i = 0; i < 32; ++i)
                assert_int_equal(items[i], i < n && i % 8 % 3 != 1);
            for (int32_t j = 0; j < groups * count; ++j)
                assert_int_equal(team[j], j % count % 3 == 1 ? 0 : 1 + j % count);
            for (int32_t g = 0; g < 4; ++g)
                assert_int_equal(once[g], g < groups && g % 3 != 1);
        }
}

static void test_return_ends_one_group(void **state)
{
    int32_t leave[6] = {0, 1, 0, 0, 1, 0}, before[24] = {0}, after[24] = {0};
    (void)state;
    run_kernel(&(struct run){quern_k_returns,
                             1,
                             {23},
                             .group = {4},
                             .depth = 0,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(leave), RUN_ARRAY(before), RUN_ARRAY(after)}});
    for (int i = 0; i < 24; ++i) {
        assert_int_equal(before[i], i < 23);
        assert_int_equal(after[i], i < 23 && !leave[i / 4]);
    }
}

/* ---- memory ---- */

static void check_private_1(quern_cpu_function *function, ptrdiff_t group, size_t scratch)
{
    int32_t y[300];
    memset(y, -1, sizeof y);
    assert_int_equal(run_kernel(&(struct run){function,
                                              1,
                                              {299},
                                              .group = {group},
                                              .depth = 2,
                                              .scratch = scratch,
                                              .more = 1 << 20,
                                              .arguments = RUN_ARGUMENTS{RUN_ARRAY(y), RUN_LOCAL((size_t)group)}}),
                     0);
    for (ptrdiff_t i = 0; i < 299; ++i)
        assert_int_equal(y[i], 1000 * (i / group) + i % group + 7 * ((i % group + 1) % group));
    assert_int_equal(y[299], -1);
}

static void test_private(void **state)
{
    int32_t y[5 * 7 * 11];
    const size_t extents_2[2] = {11, 31}, extents_3[3] = {5, 7, 11};
    const ptrdiff_t pitches_2[2] = {31 * 4, 4}, pitches_3[3] = {7 * 11 * 4, 11 * 4, 4};
    (void)state;
    for (size_t scratch = 64; scratch <= SCRATCH; scratch *= 32) { /* all from scratch, and most beyond it */
        check_private_1(quern_k_private_small, 13, scratch);
        check_private_1(quern_k_private_big, 67, scratch);
        check_private_1(quern_k_private_any, 1, scratch);
        check_private_1(quern_k_private_any, 29, scratch);
        check_private_1(quern_k_private_any, 256, scratch);
    }
    run_kernel(&(struct run){quern_k_private_2,
                             2,
                             {11, 31},
                             .group = {3, 5},
                             .depth = 3,
                             .arguments = RUN_ARGUMENTS{RUN_PITCHED(y, extents_2, pitches_2)}});
    for (int j = 0; j < 11; ++j)
        for (int i = 0; i < 31; ++i) {
            const int other = 14 - (j % 3 * 5 + i % 5);
            assert_int_equal(y[j * 31 + i], (j % 3 * 10 + i % 5) * 1000 + other / 5 * 10 + other % 5);
        }
    run_kernel(&(struct run){quern_k_private_3,
                             3,
                             {5, 7, 11},
                             .group = {2, 3, 4},
                             .depth = 3,
                             .scratch = SCRATCH,
                             .arguments = RUN_ARGUMENTS{RUN_PITCHED(y, extents_3, pitches_3)}});
    for (int i = 0; i < 5 * 7 * 11; ++i)
        assert_int_equal(y[i], i / 77 % 2 * 100 + i / 11 % 7 % 3 * 10 + i % 11 % 4);
}

static void test_arrays_do_not_overlap(void **state)
{
    int32_t y[23] = {0};
    (void)state;
    run_kernel(&(struct run){quern_k_separate,
                             1,
                             {23},
                             .group = {7},
                             .depth = 1,
                             .scratch = 256,
                             .arguments = RUN_ARGUMENTS{RUN_LOCAL(7), RUN_LOCAL(7), RUN_ARRAY(y)}});
    for (int i = 0; i < 23; ++i)
        assert_int_equal(y[i], 4321);
}

static void test_local_of_no_elements(void **state)
{
    int32_t y[23] = {0};
    (void)state;
    assert_int_equal(run_kernel(&(struct run){quern_k_no_local,
                                              1,
                                              {23},
                                              .group = {5},
                                              .depth = 1,
                                              .arguments = RUN_ARGUMENTS{RUN_LOCAL(0), RUN_ARRAY(y)}}),
                     0);
    for (int i = 0; i < 23; ++i)
        assert_int_equal(y[i], 1);
}

static void test_alignment(void **state)
{
    uint64_t y[4] = {1, 1, 1, 1};
    (void)state;
    run_kernel(&(struct run){quern_k_aligned,
                             1,
                             {3},
                             .group = {3},
                             .depth = 0,
                             .scratch = 256,
                             .arguments = RUN_ARGUMENTS{RUN_LOCAL(1), RUN_LOCAL(70), RUN_ARRAY(y)}});
    for (int i = 0; i < 4; ++i)
        assert_int_equal(y[i] % 64, 0);
}

/* Without memory the group is not run, later groups of the piece neither, and the piece says so. */
static void test_memory_is_exhausted(void **state)
{
    static const struct {
        quern_cpu_function *function;
        size_t more;
    } cases[] = {{quern_k_private_any, 300}, /* enough for the local parameter, not for PRIVATE */
                 {quern_k_private_any, 0},
                 {quern_k_only_local, 0}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        int32_t y[299] = {0};
        int refusals = 0;
        assert_int_equal(run_kernel(&(struct run){cases[c].function,
                                                  1,
                                                  {299},
                                                  .group = {64},
                                                  .depth = 0,
                                                  .scratch = 64,
                                                  .more = cases[c].more,
                                                  .refusals = &refusals,
                                                  .arguments = RUN_ARGUMENTS{RUN_ARRAY(y), RUN_LOCAL(64)}}),
                         1);
        assert_int_equal(refusals, 1);
        for (int i = 0; i < 299; ++i)
            assert_int_equal(y[i], 0);
    }
}

static void test_tile(void **state)
{
    enum { ROWS = 13, COLUMNS = 29 };
    static float u[ROWS][COLUMNS], v[ROWS][COLUMNS];
    static const size_t extents[2] = {ROWS, COLUMNS};
    static const ptrdiff_t pitches[2] = {COLUMNS * sizeof(float), sizeof(float)};
    (void)state;
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        u[i / COLUMNS][i % COLUMNS] = (float)(i * 37 % 101);
    run_kernel(
        &(struct run){quern_k_tile,
                      2,
                      {ROWS, COLUMNS},
                      .group = {4, 6},
                      .depth = 4,
                      .arguments = RUN_ARGUMENTS{RUN_PITCHED(u, extents, pitches), RUN_PITCHED(v, extents, pitches)}});
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x) {
            const float north = y > 0 ? u[y - 1][x] : 0, south = y < ROWS - 1 ? u[y + 1][x] : 0;
            const float west = x > 0 ? u[y][x - 1] : 0, east = x < COLUMNS - 1 ? u[y][x + 1] : 0;
            assert_true(v[y][x] == north + south + west + east - 4 * u[y][x]);
        }
}

/* ---- pointer jumping ---- */

static const struct {
    ptrdiff_t group, n;
} jumps[] = {{8, 8}, {8, 7}, {8, 1}, {7, 7}, {16, 13}, {13, 13}, {64, 33}, {1, 1}, {1, 9}, {256, 1021}, {5, 0}};

/* One launch; the partial results are compared with loops over each group's slice. Whole numbers are summed exactly. */
static void check_jump(quern_cpu_function *function, int locals, ptrdiff_t group, ptrdiff_t n, int maximum)
{
    double input[1024], partial[1024];
    for (ptrdiff_t i = 0; i < n; ++i)
        input[i] = (double)((int)run_random(2001) - 1000);
    for (int i = 0; i < 1024; ++i)
        partial[i] = -0.5;
    assert_int_equal(run_kernel(&(struct run){function,
                                              1,
                                              {n},
                                              .group = {group},
                                              .depth = n ? 2 : 0,
                                              .scratch = SCRATCH,
                                              .arguments = RUN_ARGUMENTS{RUN_ARRAY(input), RUN_ARRAY(partial),
                                                                         RUN_LOCAL(locals > 0 ? (size_t)group : 0),
                                                                         RUN_LOCAL(locals > 1 ? (size_t)group : 0)}}),
                     0);
    for (ptrdiff_t g = 0; g < (n + group - 1) / group; ++g) {
        double expected = input[g * group];
        for (ptrdiff_t i = g * group + 1; i < n && i < (g + 1) * group; ++i)
            expected = maximum ? (input[i] > expected ? input[i] : expected) : expected + input[i];
        assert_true(partial[g] == expected);
    }
    assert_true(partial[(n + group - 1) / group] == -0.5);
}

static void test_pointer_jumping(void **state)
{
    (void)state;
    for (size_t j = 0; j < sizeof jumps / sizeof *jumps; ++j)
        for (int repeat = 0; repeat < 5; ++repeat) {
            check_jump(quern_k_jump_uniform, 1, jumps[j].group, jumps[j].n, 0);
            check_jump(quern_k_pointer_jumping_list_sum, 2, jumps[j].group, jumps[j].n, 0);
            check_jump(quern_k_pointer_jumping_list_max, 2, jumps[j].group, jumps[j].n, 1);
        }
    for (ptrdiff_t n = 0; n <= 1023; n += 33) {
        check_jump(quern_k_pointer_jumping_sum, 0, 256, n, 0);
        check_jump(quern_k_pointer_jumping_max, 0, 256, n, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_1),
        cmocka_unit_test(test_ids_2),
        cmocka_unit_test(test_ids_3),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_return_ends_one_group),
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_arrays_do_not_overlap),
        cmocka_unit_test(test_local_of_no_elements),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_memory_is_exhausted),
        cmocka_unit_test(test_tile),
        cmocka_unit_test(test_pointer_jumping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
