/*
 * The kernel dialect on the CPU: what is generic in the type. Atomics from four threads at once, MIN, MAX, ABS,
 * mathematical functions of float and double, bits of integers, constants, PRINT.
 */
#include "dialect_run.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* What the kernels are compared with, before their header gives the names another meaning. */
static float c_float(float x)
{
    return sqrtf(x) + floorf(x) * fmaf(x, 3.0f, 1.0f) + fabsf(-x) + sinf(x) + expf(-x) + powf(x, 1.5f) +
           hypotf(x, 2.0f) + fminf(x, 0.5f) + fmaxf(x, 0.25f) + ldexpf(x, 2) + (x < 1.0f ? x : 1.0f) +
           (x > 1.0f ? x : 1.0f) + fabsf(-x);
}

static double c_double(double x)
{
    return sqrt(x) + floor(x) * fma(x, 3.0, 1.0) + fabs(-x) + sin(x) + exp(-x) + pow(x, 1.5) + hypot(x, 2.0) +
           fmin(x, 0.5) + fmax(x, 0.25) + ldexp(x, 2) + (x < 1.0 ? x : 1.0) + (x > 1.0 ? x : 1.0) + fabs(-x);
}

#include "../kernels/values.k.c"

/* ---- atomics ---- */

enum { THREADS = 4, EACH_THREAD = 20011 };

struct job {
    quern_cpu_function *function;
    struct quern_cpu_argument arguments[4];
    pthread_barrier_t *start; /* so that they run at the same time */
};

static void *run_job(void *data)
{
    const struct job *job = data;
    struct quern_cpu_piece piece = {.rank = 1};
    piece.dim[0] = (struct quern_cpu_dimension){0, EACH_THREAD, EACH_THREAD, 0, 0, 0};
    (void)pthread_barrier_wait(job->start);
    job->function(&piece, job->arguments);
    return NULL;
}

/* Runs function on four threads, each with values (and, if not NULL, expected values) of its own; size is an element's.
 */
static void run_threads(quern_cpu_function *function, void *target, size_t size, void *values, void *expected,
                        void *old)
{
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    struct job jobs[THREADS];
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int t = 0; t < THREADS; ++t) {
        const size_t begin = (size_t)t * EACH_THREAD * size;
        int k = 0;
        jobs[t].function = function;
        jobs[t].start = &start;
        jobs[t].arguments[k++] = (struct quern_cpu_argument)RUN_ARRAY(target);
        if (expected)
            jobs[t].arguments[k++] = (struct quern_cpu_argument)RUN_ARRAY((char *)expected + begin);
        jobs[t].arguments[k++] = (struct quern_cpu_argument)RUN_ARRAY((char *)values + begin);
        jobs[t].arguments[k] = (struct quern_cpu_argument)RUN_ARRAY((char *)old + begin);
        assert_int_equal(pthread_create(&threads[t], NULL, run_job, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; ++t)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    pthread_barrier_destroy(&start);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * For one type: sums and differences lose nothing, and every old value of a sum of ones is seen once; minima and
 * maxima; exchanges hand each value on once; of all who compare and exchange the same value one succeeds.
 */
#define TEST_ATOMICS(suffix, T)                                                                                        \
    static void test_atomics_##suffix(void **state)                                                                    \
    {                                                                                                                  \
        enum { N = THREADS * EACH_THREAD };                                                                            \
        static T values[N], expected[N], old[N];                                                                       \
        static double sorted[N + 1];                                                                                   \
        int winners = 0;                                                                                               \
        T target = 5;                                                                                                  \
        (void)state;                                                                                                   \
        for (int i = 0; i < N; ++i)                                                                                    \
            values[i] = 1;                                                                                             \
        run_threads(quern_k_atomic_add_##suffix, &target, sizeof(T), values, NULL, old);                               \
        assert_true(target == (T)(N + 5));                                                                             \
        for (int i = 0; i < N; ++i)                                                                                    \
            sorted[i] = (double)old[i];                                                                                \
        qsort(sorted, N, sizeof *sorted, compare_doubles);                                                             \
        for (int i = 0; i < N; ++i)                                                                                    \
            assert_true(sorted[i] == i + 5);                                                                           \
        run_threads(quern_k_atomic_sub_##suffix, &target, sizeof(T), values, NULL, old);                               \
        assert_true(target == (T)5);                                                                                   \
        for (int i = 0; i < N; ++i)                                                                                    \
            values[i] = (T)((i * 7919 + 13) % N + 1);                                                                  \
        target = N / 2;                                                                                                \
        run_threads(quern_k_atomic_max_##suffix, &target, sizeof(T), values, NULL, old);                               \
        assert_true(target == (T)N);                                                                                   \
        run_threads(quern_k_atomic_min_##suffix, &target, sizeof(T), values, NULL, old);                               \
        assert_true(target == (T)1);                                                                                   \
        target = 0;                                                                                                    \
        run_threads(quern_k_atomic_exchange_##suffix, &target, sizeof(T), values, NULL, old);                          \
        for (int i = 0; i < N; ++i)                                                                                    \
            sorted[i] = (double)old[i];                                                                                \
        sorted[N] = (double)target;                                                                                    \
        qsort(sorted, N + 1, sizeof *sorted, compare_doubles);                                                         \
        for (int i = 0; i <= N; ++i)                                                                                   \
            assert_true(sorted[i] == i);                                                                               \
        target = 0;                                                                                                    \
        for (int i = 0; i < N; ++i)                                                                                    \
            expected[i] = 0;                                                                                           \
        run_threads(quern_k_atomic_compare_exchange_##suffix, &target, sizeof(T), values, expected, old);              \
        for (int i = 0; i < N; ++i)                                                                                    \
            if (old[i] == 0) {                                                                                         \
                ++winners;                                                                                             \
                assert_true(target == values[i]);                                                                      \
            }                                                                                                          \
        assert_int_equal(winners, 1);                                                                                  \
    }
TEST_ATOMICS(int32, int32_t)
TEST_ATOMICS(uint32, uint32_t)
TEST_ATOMICS(int64, int64_t)
TEST_ATOMICS(uint64, uint64_t)
TEST_ATOMICS(float, float)
TEST_ATOMICS(double, double)

/* One operation by one item. */
static void run_one(quern_cpu_function *function, void *target, const void *value, const void *expected, void *old)
{
    const struct quern_cpu_argument four[] = {RUN_ARRAY(target), RUN_ARRAY(expected), RUN_ARRAY(value), RUN_ARRAY(old)};
    const struct quern_cpu_argument three[] = {RUN_ARRAY(target), RUN_ARRAY(value), RUN_ARRAY(old)};
    run_kernel(&(struct run){function, 1, {1}, .depth = 0, .arguments = expected ? four : three});
}

/* The operand 32 against smaller, larger and neighbouring values: old value and result of every operation. */
#define TEST_OPERANDS(suffix, T)                                                                                       \
    static void test_operands_##suffix(void **state)                                                                   \
    {                                                                                                                  \
        const T before[] = {16, 64, 33, 31, 32}, v = 32;                                                               \
        (void)state;                                                                                                   \
        for (int k = 0; k < 5; ++k) {                                                                                  \
            const T b = before[k];                                                                                     \
            const struct {                                                                                             \
                quern_cpu_function *function;                                                                          \
                T result;                                                                                              \
            } cases[] = {{quern_k_atomic_add_##suffix, b + v},         {quern_k_atomic_sub_##suffix, (T)(b - v)},      \
                         {quern_k_atomic_min_##suffix, b < v ? b : v}, {quern_k_atomic_max_##suffix, b > v ? b : v},   \
                         {quern_k_atomic_and_##suffix, b & v},         {quern_k_atomic_or_##suffix, b | v},            \
                         {quern_k_atomic_xor_##suffix, b ^ v},         {quern_k_atomic_exchange_##suffix, v}};         \
            for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {                                                \
                T target = b, old = 0;                                                                                 \
                run_one(cases[c].function, &target, &v, NULL, &old);                                                   \
                assert_true(old == b && target == cases[c].result);                                                    \
            }                                                                                                          \
            {                                                                                                          \
                T target = b, old = 0;                                                                                 \
                const T wanted = 7;                                                                                    \
                run_one(quern_k_atomic_compare_exchange_##suffix, &target, &wanted, &v, &old);                         \
                assert_true(old == b && target == (b == v ? wanted : b));                                              \
            }                                                                                                          \
        }                                                                                                              \
    }
TEST_OPERANDS(int32, int32_t)
TEST_OPERANDS(uint32, uint32_t)
TEST_OPERANDS(int64, int64_t)
TEST_OPERANDS(uint64, uint64_t)

/* Signs and widths: minima below zero, maxima beyond 32 bits and beyond the signed range. */
static void test_extreme_operands(void **state)
{
    int32_t i = 3, old_i, minus = -7;
    uint32_t u = 3, old_u, large = 0xfffffff0u;
    int64_t l = 3, old_l, low = INT64_MIN;
    uint64_t m = 3, old_m, high = UINT64_MAX;
    (void)state;
    run_one(quern_k_atomic_min_int32, &i, &minus, NULL, &old_i);
    run_one(quern_k_atomic_max_uint32, &u, &large, NULL, &old_u);
    run_one(quern_k_atomic_min_int64, &l, &low, NULL, &old_l);
    run_one(quern_k_atomic_max_uint64, &m, &high, NULL, &old_m);
    assert_int_equal(i, -7);
    assert_true(u == 0xfffffff0u && l == INT64_MIN && m == UINT64_MAX);
    assert_true(old_i == 3 && old_u == 3 && old_l == 3 && old_m == 3);
}

/* Compare-exchange of floats compares bits: a NaN is found, and -0 is not +0. */
static void test_compare_exchange_of_floats_compares_bits(void **state)
{
    const float nan = NAN, one = 1.0f, plus = 0.0f;
    const double minus = -0.0, plus_double = 0.0, two = 2.0;
    float target = nan, old = 0;
    double target_double = minus, old_double = 1;
    (void)state;
    run_one(quern_k_atomic_compare_exchange_float, &target, &one, &nan, &old);
    assert_true(target == 1.0f && isnan(old));
    target = -0.0f;
    run_one(quern_k_atomic_compare_exchange_float, &target, &one, &plus, &old);
    assert_true(target == 0.0f && signbit(target) && signbit(old));
    run_one(quern_k_atomic_compare_exchange_double, &target_double, &two, &plus_double, &old_double);
    assert_true(signbit(target_double) && signbit(old_double));
    run_one(quern_k_atomic_compare_exchange_double, &target_double, &two, &minus, &old_double);
    assert_true(target_double == 2.0);
}

static void test_atomics_on_local_memory(void **state)
{
    enum { N = 1021 };
    uint8_t x[N];
    uint32_t counts[16] = {0}, expected[16] = {0};
    (void)state;
    for (int i = 0; i < N; ++i) {
        x[i] = (uint8_t)(i * i % 251);
        ++expected[x[i] & 15];
    }
    run_kernel(&(struct run){quern_k_histogram,
                             1,
                             {N},
                             .group = {64},
                             .depth = 3,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(counts)}});
    assert_memory_equal(counts, expected, sizeof counts);
}

/* ---- functions ---- */

static void test_math_float(void **state)
{
    enum { N = 103 };
    float x[N], y[N];
    int32_t sizes[2] = {0};
    (void)state;
    for (int i = 0; i < N; ++i)
        x[i] = (float)i / 17.0f;
    run_kernel(&(struct run){quern_k_math_float,
                             1,
                             {N},
                             .depth = 3,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(y), RUN_ARRAY(sizes)}});
    for (int i = 0; i < N; ++i)
        assert_true(y[i] == c_float(x[i]));
    assert_int_equal(sizes[0], 3 * sizeof(float));
    assert_int_equal(sizes[1], 2 * sizeof(float));
}

static void test_math_double(void **state)
{
    enum { N = 103 };
    double x[N], y[N];
    int32_t sizes[2] = {0};
    (void)state;
    for (int i = 0; i < N; ++i)
        x[i] = i / 17.0;
    run_kernel(&(struct run){quern_k_math_double,
                             1,
                             {N},
                             .depth = 3,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(y), RUN_ARRAY(sizes)}});
    for (int i = 0; i < N; ++i)
        assert_true(y[i] == c_double(x[i]));
    assert_int_equal(sizes[0], 3 * sizeof(double));
    assert_int_equal(sizes[1], 2 * sizeof(double));
}

static void test_integers(void **state)
{
    const int32_t a = -8;
    const uint32_t b = 0xf0;
    const int64_t c = (int64_t)1 << 41;
    const uint64_t d = (uint64_t)1 << 63;
    int64_t y[12] = {0};
    (void)state;
    run_kernel(&(struct run){quern_k_integers,
                             1,
                             {1},
                             .depth = 0,
                             .arguments =
                                 RUN_ARGUMENTS{RUN_ARRAY(y), RUN_VALUE(a), RUN_VALUE(b), RUN_VALUE(c), RUN_VALUE(d)}});
    assert_int_equal(y[0], -8);
    assert_int_equal(y[1], -3);
    assert_int_equal(y[2], 8);
    assert_true(y[3] == (int64_t)1 << 40);
    assert_true((uint64_t)y[4] == d);
    assert_int_equal(y[5], 4 + 100);
    assert_int_equal(y[6], 24 + 0 + 10000 * 32 + 1000000 * 64);
    assert_int_equal(y[7], 5 + 100 * 64);
    assert_int_equal(y[8], -2);
    assert_true(y[9] == c);
    assert_int_equal(y[10], 2147483647);
    assert_int_equal(y[11], 255);
}

static void test_special_values_and_constants(void **state)
{
    const float x[5] = {__builtin_nanf(""), -__builtin_inff(), -0.0f, 1.0f, __builtin_inff()};
    int32_t kind[5];
    double constants[5];
    (void)state;
    run_kernel(&(struct run){quern_k_special,
                             1,
                             {5},
                             .depth = 1,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(kind), RUN_ARRAY(constants)}});
    assert_int_equal(kind[0] & 7, 1);
    assert_int_equal(kind[1], 2 + 8);
    assert_int_equal(kind[2], 4 + 8);
    assert_int_equal(kind[3], 4);
    assert_int_equal(kind[4], 2);
    assert_true(constants[0] == 3.14159265358979323846 && constants[1] == (double)FLT_MAX);
    assert_true(constants[2] == DBL_EPSILON && isinf(constants[3]) && isnan(constants[4]));
}

static void test_print(void **state)
{
    const int32_t x[2] = {7, 9};
    char text[64] = "";
    FILE *file = tmpfile();
    int saved;
    (void)state;
    assert_non_null(file);
    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    run_kernel(&(struct run){quern_k_prints, 1, {2}, .depth = 0, .arguments = RUN_ARGUMENTS{RUN_ARRAY(x)}});
    fflush(stdout);
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    close(saved);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "item 7: 3.5\nitem 9: 4.5\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atomics_int32),
        cmocka_unit_test(test_atomics_uint32),
        cmocka_unit_test(test_atomics_int64),
        cmocka_unit_test(test_atomics_uint64),
        cmocka_unit_test(test_atomics_float),
        cmocka_unit_test(test_atomics_double),
        cmocka_unit_test(test_operands_int32),
        cmocka_unit_test(test_operands_uint32),
        cmocka_unit_test(test_operands_int64),
        cmocka_unit_test(test_operands_uint64),
        cmocka_unit_test(test_extreme_operands),
        cmocka_unit_test(test_compare_exchange_of_floats_compares_bits),
        cmocka_unit_test(test_atomics_on_local_memory),
        cmocka_unit_test(test_math_float),
        cmocka_unit_test(test_math_double),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_special_values_and_constants),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
