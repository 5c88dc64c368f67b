/*
 * The kernels of examples/ against plain C: pictures with clamped edges, the tiled blur to the bit, hillshade on planes
 * whose slope is known, the streams, the Mandelbrot set.
 */
#include "dialect_run.h"

#include "../../examples/hillshade.k.c"
#include "../../examples/image.k.c"
#include "../../examples/mandelbrot.k.c"
#include "../../examples/saxpy.k.c"
#include "../../examples/stencil.k.c"

enum { ROWS = 37, COLUMNS = 151, PITCH = 160 };
static const size_t extents[3] = {ROWS, COLUMNS, 3};
static const ptrdiff_t pitches_1[2] = {PITCH, 1}, pitches_2[2] = {2 * PITCH, 2}, pitches_4[2] = {4 * PITCH, 4};
static const ptrdiff_t pitches_rgb[3] = {3 * PITCH, 3, 1};

static int clamped(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void test_grey(void **state)
{
    static uint8_t rgb[ROWS][3 * PITCH], grey[ROWS][PITCH];
    (void)state;
    for (int y = 0; y < ROWS; ++y)
        for (int k = 0; k < 3 * PITCH; ++k)
            rgb[y][k] = (uint8_t)run_random(256);
    memset(rgb[3], 255, sizeof rgb[3]);
    run_kernel(&(struct run){
        quern_k_grey,
        2,
        {ROWS, COLUMNS},
        .depth = 5,
        .arguments = RUN_ARGUMENTS{RUN_PITCHED(rgb, extents, pitches_rgb), RUN_PITCHED(grey, extents, pitches_1)}});
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < PITCH; ++x) {
            const uint8_t *p = &rgb[y][3 * x];
            assert_int_equal(grey[y][x], x < COLUMNS ? (77 * p[0] + 150 * p[1] + 29 * p[2] + 128) >> 8 : 0);
        }
    assert_int_equal(grey[3][5], 255);
}

static void test_blurs(void **state)
{
    static uint8_t picture[ROWS][PITCH], blurred[ROWS][PITCH], tiled[ROWS][PITCH];
    static const int weight[5] = {1, 4, 6, 4, 1};
    (void)state;
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < PITCH; ++x)
            picture[y][x] = (uint8_t)run_random(256);
    run_kernel(&(struct run){quern_k_blur,
                             2,
                             {ROWS, COLUMNS},
                             .depth = 5,
                             .arguments = RUN_ARGUMENTS{RUN_PITCHED(picture, extents, pitches_1),
                                                        RUN_PITCHED(blurred, extents, pitches_1)}});
    run_kernel(&(struct run){
        quern_k_blur_tiled,
        2,
        {ROWS, COLUMNS},
        .group = {16, 64},
        .depth = 3,
        .arguments = RUN_ARGUMENTS{RUN_PITCHED(picture, extents, pitches_1), RUN_PITCHED(tiled, extents, pitches_1)}});
    assert_memory_equal(tiled, blurred, sizeof tiled);
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x) {
            int sum = 128;
            for (int dy = -2; dy <= 2; ++dy)
                for (int dx = -2; dx <= 2; ++dx)
                    sum += weight[dy + 2] * weight[dx + 2] * picture[clamped(y + dy, ROWS)][clamped(x + dx, COLUMNS)];
            assert_int_equal(blurred[y][x], sum >> 8);
        }
}

/* The brightness of a plane that rises by east and north metres a cell, away from the edges, where the slope is exact.
 */
static void check_plane(int east, int north, direction sun, double expected)
{
    static int16_t elevation[ROWS][PITCH];
    static uint8_t shade[ROWS][PITCH];
    const float cell = 10.0f;
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < PITCH; ++x)
            elevation[y][x] = (int16_t)(x * east - y * north);
    run_kernel(&(struct run){quern_k_hillshade,
                             2,
                             {ROWS, COLUMNS},
                             .depth = 4,
                             .arguments = RUN_ARGUMENTS{RUN_PITCHED(elevation, extents, pitches_2), RUN_VALUE(cell),
                                                        RUN_VALUE(sun), RUN_PITCHED(shade, extents, pitches_1)}});
    for (int y = 1; y < ROWS - 1; ++y)
        for (int x = 1; x < COLUMNS - 1; ++x)
            assert_int_equal(shade[y][x], (int)(255 * expected + 0.5));
}

static void test_hillshade(void **state)
{
    const direction above = {0, 0, 1}, west = {-0.6f, 0, 0.8f}, north = {0, 0.6f, 0.8f};
    (void)state;
    check_plane(0, 0, above, 1.0);
    check_plane(0, 0, west, 0.8);
    check_plane(10, 0, above, 0.70710678); /* 45 degrees */
    check_plane(10, 0, west, 0.98994949);  /* rises to the east: faces the sun in the west */
    check_plane(-10, 0, west, 0.14142136);
    check_plane(-20, 0, west, 0.0);        /* turned away */
    check_plane(0, 10, north, 0.14142136); /* rises to the north: turned away from it */
    check_plane(0, -10, north, 0.98994949);
}

static void test_mandelbrot(void **state)
{
    static int32_t iterations[ROWS][PITCH];
    const double left = -2.0, top = 1.0, step = 0.02;
    const int32_t limit = 60;
    int32_t inside = 0;
    (void)state;
    run_kernel(
        &(struct run){quern_k_mandelbrot,
                      2,
                      {ROWS, COLUMNS},
                      .depth = 4,
                      .arguments = RUN_ARGUMENTS{RUN_VALUE(left), RUN_VALUE(top), RUN_VALUE(step), RUN_VALUE(limit),
                                                 RUN_PITCHED(iterations, extents, pitches_4)}});
    assert_int_equal(iterations[0][0], 1); /* c = -2 + i: |c| > 2 after one step */
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x) {
            assert_in_range(iterations[y][x], 1, limit);
            inside += iterations[y][x] == limit;
        }
    assert_in_range(inside, 1, ROWS * COLUMNS / 2);
    assert_int_equal(iterations[10][COLUMNS], 0);
}

static void test_streams(void **state)
{
    enum { N = 1003 };
    static double a[N], b[N], c[N];
    static float x[N], y[N];
    const double s = 0.5;
    const float alpha = 2.0f;
    (void)state;
    for (int i = 0; i < N; ++i) {
        a[i] = i;
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    run_kernel(&(struct run){quern_k_copy, 1, {N}, .depth = 3, .arguments = RUN_ARGUMENTS{RUN_ARRAY(a), RUN_ARRAY(c)}});
    run_kernel(&(struct run){
        quern_k_mul, 1, {N}, .depth = 3, .arguments = RUN_ARGUMENTS{RUN_ARRAY(c), RUN_ARRAY(b), RUN_VALUE(s)}});
    for (int i = 0; i < N; ++i)
        assert_true(c[i] == i && b[i] == 0.5 * i);
    run_kernel(&(struct run){
        quern_k_add, 1, {N}, .depth = 3, .arguments = RUN_ARGUMENTS{RUN_ARRAY(a), RUN_ARRAY(b), RUN_ARRAY(c)}});
    run_kernel(&(struct run){quern_k_triad,
                             1,
                             {N},
                             .depth = 3,
                             .arguments = RUN_ARGUMENTS{RUN_ARRAY(b), RUN_ARRAY(c), RUN_ARRAY(a), RUN_VALUE(s)}});
    run_kernel(&(struct run){
        quern_k_saxpy, 1, {N}, .depth = 3, .arguments = RUN_ARGUMENTS{RUN_ARRAY(x), RUN_ARRAY(y), RUN_VALUE(alpha)}});
    for (int i = 0; i < N; ++i)
        assert_true(c[i] == 1.5 * i && a[i] == 1.25 * i && y[i] == 1.0f + 2.0f * (float)i);
}

static void test_stencil(void **state)
{
    static float u[ROWS][PITCH], v[ROWS][PITCH];
    const float c = 0.25f;
    (void)state;
    u[5][7] = 16.0f;
    run_kernel(&(struct run){quern_k_stencil,
                             2,
                             {ROWS - 2, COLUMNS - 2},
                             {1, 1},
                             .depth = 4,
                             .arguments = RUN_ARGUMENTS{RUN_PITCHED(u, extents, pitches_4),
                                                        RUN_PITCHED(v, extents, pitches_4), RUN_VALUE(c)}});
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < PITCH; ++x)
            assert_true(v[y][x] == (abs(y - 5) + abs(x - 7) == 1 ? 4.0f : 0.0f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grey),       cmocka_unit_test(test_blurs),   cmocka_unit_test(test_hillshade),
        cmocka_unit_test(test_mandelbrot), cmocka_unit_test(test_streams), cmocka_unit_test(test_stencil),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
