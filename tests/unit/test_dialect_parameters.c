/*
 * The kernel dialect on the CPU: parameters of every form, structs by value, names and types that are macros, a body
 * that is compiled twice, 64 parameters; helpers and constant tables.
 */
#include "dialect_run.h"

#include "../kernels/parameters.k.c"

static void test_struct_by_value(void **state)
{
    const bundle b = {.kind = 3, .map = {2.0f, 0.5f}, .table = {10, 20, 30}, .flags = {1, 2}};
    float x[31];
    affine y[31];
    (void)state;
    for (int i = 0; i < 31; ++i)
        x[i] = (float)i;
    run_kernel(&(struct run){quern_k_struct_value,
                             1,
                             {31},
                             .depth = 2,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(y), RUN_VALUE(b)}});
    for (int i = 0; i < 31; ++i) {
        assert_true(y[i].scale == 2.0f * (float)i + 0.5f);
        assert_true(y[i].shift == (float)(10 * (i % 3 + 1) + 3 + i % 2 + 1));
    }
    assert_int_equal(sizeof(bundle), sizeof(struct bundle));
}

static void test_arrays_of_structs(void **state)
{
    struct affine x[7], y[7] = {{0, 0}};
    (void)state;
    for (int i = 0; i < 7; ++i)
        x[i] = (struct affine){(float)i, (float)(10 * i)};
    run_kernel(
        &(struct run){quern_k_struct_tag, 1, {7}, .depth = 1, .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(y)}});
    for (int i = 0; i < 7; ++i)
        assert_true(y[i].scale == (float)(10 * i) && y[i].shift == (float)i);
}

static void test_macros(void **state)
{
    const size_t extents[2] = {5, 7};
    const ptrdiff_t pitches[2] = {7 * sizeof(int32_t), sizeof(int32_t)};
    const int32_t k = 3;
    int32_t x[35], y[35], sizes[4] = {0};
    (void)state;
    for (int i = 0; i < 35; ++i)
        x[i] = i;
    run_kernel(&(struct run){
        quern_k_macro_kernel,
        2,
        {5, 7},
        .depth = 3,
        .arguments = RUN_ARGUMENTS{RUN_PITCHED(x, extents, pitches), RUN_PITCHED(y, extents, pitches), RUN_VALUE(k)}});
    for (int i = 0; i < 35; ++i)
        assert_int_equal(y[i], 3 * i + 5);
    run_kernel(&(struct run){
        quern_k_macro_group, 2, {3, 7}, .group = {2, 4}, .depth = 1, .arguments = RUN_ARGUMENTS{RUN_ARRAY(sizes)}});
    for (int g = 0; g < 4; ++g)
        assert_int_equal(sizes[g], 204);
}

static void test_body_twice(void **state)
{
    const int32_t a[5] = {3, -1, 4, 1, -5}, b[5] = {9, -2, 6, 1, -3};
    int32_t sums[5], maxima[5];
    (void)state;
    run_kernel(&(struct run){quern_k_twice_plus,
                             1,
                             {5},
                             .depth = 1,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(a), RUN_ARRAY(b), RUN_ARRAY(sums)}});
    run_kernel(&(struct run){quern_k_twice_larger,
                             1,
                             {5},
                             .depth = 1,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(a), RUN_ARRAY(b), RUN_ARRAY(maxima)}});
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(sums[i], a[i] + b[i]);
        assert_int_equal(maxima[i], a[i] > b[i] ? a[i] : b[i]);
    }
}

static void test_names_of_functions_and_forms(void **state)
{
    const float x[3] = {1, 4, 9};
    float y[3], z[3];
    (void)state;
    run_kernel(&(struct run){quern_k_dot, 1, {3}, .depth = 1, .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(y)}});
    run_kernel(&(struct run){quern_k_sqrt, 1, {3}, .depth = 1, .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(z)}});
    for (int i = 0; i < 3; ++i) {
        assert_true(y[i] == x[i] + 1);
        assert_true(z[i] == (float)(i + 1));
    }
}

static void test_helpers(void **state)
{
    int32_t y[11] = {0};
    (void)state;
    run_kernel(
        &(struct run){quern_k_helpers, 1, {11}, .group = {4}, .depth = 1, .arguments = RUN_ARGUMENTS{RUN_ARRAY(y)}});
    for (int i = 0; i < 11; ++i)
        assert_int_equal(y[i], ((int[]){3, 1, 4, 1})[i % 4]);
}

static void test_64_parameters(void **state)
{
    enum { N = 5 };
    static const size_t extents_1[1] = {N}, extents_2[2] = {N, N}, extents_6[6] = {N, N, N, N, N, N};
    static const ptrdiff_t pitches_1[1] = {4}, pitches_2[2] = {4 * N, 4};
    static const ptrdiff_t pitches_6[6] = {4 * 3125, 4 * 625, 4 * 125, 4 * 25, 4 * 5, 4};
    static int32_t p13[15625];
    int64_t p0[N], expected = 0;
    const int8_t p1 = -1;
    const uint8_t p2 = 200;
    const int16_t p3 = -300;
    const uint16_t p4 = 60000;
    const int32_t p5 = -70000;
    const uint32_t p6 = 4000000000u;
    const int64_t p7 = -5000000000;
    const uint64_t p8 = 6000000000u;
    const float p9 = 9.0f;
    const double p10 = 10.0;
    int32_t p11[N], p12[N * N], p14[N], p15[N], rest[64];
    struct quern_cpu_argument arguments[64] = {RUN_ARRAY(p0),
                                               RUN_VALUE(p1),
                                               RUN_VALUE(p2),
                                               RUN_VALUE(p3),
                                               RUN_VALUE(p4),
                                               RUN_VALUE(p5),
                                               RUN_VALUE(p6),
                                               RUN_VALUE(p7),
                                               RUN_VALUE(p8),
                                               RUN_VALUE(p9),
                                               RUN_VALUE(p10),
                                               RUN_ARRAY(p11),
                                               RUN_PITCHED(p12, extents_2, pitches_2),
                                               RUN_PITCHED(p13, extents_6, pitches_6),
                                               RUN_ARRAY(p14),
                                               RUN_PITCHED(p15, extents_1, pitches_1)};
    (void)state;
    expected = p1 + 2 * p2 + 3 * p3 + 4 * p4 + 5 * p5 + 6 * (int64_t)p6 + 7 * p7 + 8 * (int64_t)p8 + 9 * 9 + 10 * 10;
    for (int k = 16; k < 64; ++k) {
        rest[k] = 1000 + k * k;
        arguments[k] = (struct quern_cpu_argument)RUN_VALUE(rest[k]);
        expected += k * rest[k];
    }
    for (int i = 0; i < N; ++i) {
        p11[i] = i;
        p14[i] = i;
        for (int j = 0; j < N; ++j)
            p12[i * N + j] = i == j ? 100 * i : -1;
    }
    for (int i = 0; i < 15625; ++i)
        p13[i] = i;
    run_kernel(&(struct run){quern_k_sixty_four, 1, {N}, .depth = 1, .arguments = arguments});
    for (int i = 0; i < N; ++i) {
        assert_int_equal(p0[i], expected + 11 * i + 12 * 100 * i + 13 * 3906 * i);
        assert_int_equal(p14[i], i + 1);
        assert_int_equal(p15[i], i + 1);
    }
}

static void test_64_parameters_in_groups(void **state)
{
    int64_t y[2 * 7];
    int32_t values[64];
    struct quern_cpu_argument arguments[64] = {RUN_ARRAY(y)};
    (void)state;
    for (int k = 1; k < 63; ++k) {
        values[k] = 100 + k;
        arguments[k] = (struct quern_cpu_argument)RUN_VALUE(values[k]);
    }
    arguments[63] = (struct quern_cpu_argument)RUN_LOCAL(3);
    run_kernel(
        &(struct run){quern_k_sixty_four_in_groups, 2, {2, 7}, .group = {1, 3}, .depth = 2, .arguments = arguments});
    for (int i = 0; i < 14; ++i)
        assert_int_equal(y[i], 101 + 2 * 102 + 3 * 162);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_struct_by_value),
        cmocka_unit_test(test_arrays_of_structs),
        cmocka_unit_test(test_macros),
        cmocka_unit_test(test_body_twice),
        cmocka_unit_test(test_names_of_functions_and_forms),
        cmocka_unit_test(test_helpers),
        cmocka_unit_test(test_64_parameters),
        cmocka_unit_test(test_64_parameters_in_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
