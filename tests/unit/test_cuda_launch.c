/* The CUDA backend: grids, words, local memory and limits of launches. */
#include "device.k.h"

#include "cuda_fixture.h"

enum { SIDE = 96, BYTES = SIDE * SIDE * 4 };

/* ---- mark, over every layout ---- */

static quern_launch_layout forced;

static void force_layout(const quern_backend_launch *launch, const quern_grid_limits *limits,
                         quern_launch_layout *layout)
{
    (void)launch, (void)limits;
    *layout = forced;
}

struct canvas {
    struct fake_progress progress;
    struct fixture_kernel mark;
    void *device, *memory;
};

static void canvas_make(struct canvas *canvas)
{
    canvas->device = fixture_device();
    OK(cuda_build(&canvas->mark, canvas->device, &mark_kernel));
    fixture_queue(&canvas->progress, canvas->device, 0);
    canvas->memory = fixture_memory(canvas->device, BYTES);
}

static void canvas_free(struct canvas *canvas)
{
    fixture_queue_end(&canvas->progress);
    fixture_free(canvas->device, canvas->memory, BYTES);
    fixture_release(&canvas->mark);
}

/* Marks rows × columns from (at, at) on, indices beginning at the offset; everything else keeps its value. */
static void mark_box(struct canvas *canvas, size_t rows, size_t columns, size_t at, ptrdiff_t offset,
                     const size_t *hint)
{
    static int32_t found[SIDE * SIDE], wanted[SIDE * SIDE];
    const size_t extents[2] = {rows, columns}, view[2] = {rows + (size_t)offset, columns + (size_t)offset};
    const ptrdiff_t pitches[2] = {SIDE * 4, 4};
    memset(wanted, 0x55, sizeof wanted);
    OK(fixture_write(&canvas->progress, canvas->memory, wanted, BYTES));
    /* The kernel adds the offset to the index, so the view begins before what is marked. */
    quern_backend_argument out = fixture_view(canvas->memory, 4 * (at - (size_t)offset) * (SIDE + 1), 0, 4);
    out.form = QUERN_PARAMETER_OUT_ND;
    out.rank = 2;
    out.extents = view;
    out.pitches = pitches;
    quern_backend_launch launch = fixture_launch_of(&canvas->mark, 2, extents, NULL, &out, 1);
    launch.offsets[0] = launch.offsets[1] = offset;
    if (hint)
        memcpy(launch.group, hint, 2 * sizeof *hint);
    OK(fixture_launch(&canvas->progress, &launch));
    OK(fixture_read(&canvas->progress, found, canvas->memory, BYTES));
    OK(fixture_synchronize(&canvas->progress));
    for (size_t y = 0; y < rows; ++y)
        for (size_t x = 0; x < columns; ++x)
            wanted[(at + y) * SIDE + at + x] = (int32_t)(1000 * ((ptrdiff_t)y + offset) + (ptrdiff_t)x + offset);
    assert_memory_equal(found, wanted, BYTES);
}

static void every_layout_visits_every_item_once(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{1, 1}, {1, 90}, {90, 1}, {2, 3}, {17, 5}, {64, 64}, {65, 63}, {90, 91}};
    static const size_t hints[][2] = {{4, 16}, {7, 3}};
    struct canvas canvas;
    cuda_begin();
    canvas_make(&canvas);
    for (size_t h = 0; h < 2; ++h)
        mark_box(&canvas, 50, 61, 1, 0, hints[h]);
    fixture_host.layout = force_layout;
    for (int variant = 0; variant < 4; ++variant)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
            forced.index_bits = variant & 1 ? 64 : 32;
            forced.linear = (uint32_t)variant / 2;
            mark_box(&canvas, shapes[s][0], shapes[s][1], 3, s % 2 ? 2 : 0, NULL);
        }
    canvas_free(&canvas);
    cuda_end();
}

static void a_variant_is_loaded_when_it_is_needed(void **state)
{
    (void)state;
    struct canvas canvas;
    fake_cuda_counts counts;
    cuda_begin();
    canvas_make(&canvas);
    fixture_host.layout = force_layout;
    for (uint32_t variant = 0; variant < 4; ++variant) {
        forced = (quern_launch_layout){variant & 1, variant & 2 ? 64 : 32};
        for (int i = 0; i < 2; ++i)
            mark_box(&canvas, 5, 5, 0, 0, NULL);
        cuda_fake.fake_cuda_get_counts(&counts);
        assert_int_equal(counts.modules, variant + 1);
    }
    canvas_free(&canvas);
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.modules, 0);
    cuda_end();
}

/* More items than a grid has: each takes several. */
static void a_long_range_is_strided(void **state)
{
    (void)state;
    enum { N = 5000011 };
    struct fixture_kernel axpy;
    struct fake_progress progress;
    cuda_begin();
    void *device = fixture_device(), *memory = fixture_memory(device, 2 * 4 * (size_t)N);
    float *host = malloc(4 * (size_t)N);
    OK(cuda_build(&axpy, device, &axpy_kernel));
    fixture_queue(&progress, device, 0);
    for (int i = 0; i < N; ++i)
        host[i] = (float)(i % 1000);
    OK(fixture_write(&progress, memory, host, 2 * 4 * (size_t)N / 2));
    quern_backend_copy second = fixture_bytes((char *)memory + 4 * (size_t)N, memory, memory, memory, 4 * (size_t)N);
    OK(fixture_copy(&progress, &second));
    float a = 2;
    quern_backend_argument arguments[3] = {fixture_view(memory, 0, N, 4), fixture_view(memory, 4 * (size_t)N, N, 4),
                                           fixture_value(&a, 4)};
    const size_t extents[1] = {N};
    quern_backend_launch launch = fixture_launch_of(&axpy, 1, extents, NULL, arguments, 3);
    OK(fixture_launch(&progress, &launch));
    quern_backend_copy back = fixture_bytes(host, NULL, (char *)memory + 4 * (size_t)N, memory, 4 * (size_t)N);
    OK(fixture_copy(&progress, &back));
    OK(fixture_synchronize(&progress));
    for (int i = 0; i < N; ++i)
        if (host[i] != (float)(3 * (i % 1000)))
            fail_msg("element %d is %g", i, (double)host[i]);
    free(host);
    fixture_queue_end(&progress);
    fixture_release(&axpy);
    fixture_free(device, memory, 2 * 4 * (size_t)N);
    cuda_end();
}

static void a_range_of_rank_4_is_linear(void **state)
{
    (void)state;
    enum { ITEMS = 3 * 4 * 5 * 6 };
    static const size_t extents[4] = {3, 4, 5, 6};
    static const ptrdiff_t pitches[4] = {4 * 5 * 6 * 4, 5 * 6 * 4, 6 * 4, 4};
    static int32_t found[ITEMS];
    struct fixture_kernel kernel;
    struct fake_progress progress;
    cuda_begin();
    void *device = fixture_device(), *memory = fixture_memory(device, sizeof found);
    OK(cuda_build(&kernel, device, &mark_any_kernel));
    fixture_queue(&progress, device, 0);
    quern_backend_argument out = fixture_view(memory, 0, ITEMS, 4);
    out.form = QUERN_PARAMETER_OUT_ND;
    out.rank = 4;
    out.extents = extents;
    out.pitches = pitches;
    quern_backend_launch launch = fixture_launch_of(&kernel, 4, extents, NULL, &out, 1);
    OK(fixture_launch(&progress, &launch));
    OK(fixture_read(&progress, found, memory, sizeof found));
    OK(fixture_synchronize(&progress));
    for (int i = 0; i < ITEMS; ++i)
        assert_int_equal(found[i], ((i / 120 * 100 + i / 30 % 4) * 100 + i / 6 % 5) * 100 + i % 6);
    fixture_queue_end(&progress);
    fixture_release(&kernel);
    fixture_free(device, memory, sizeof found);
    cuda_end();
}

/* ---- groups ---- */

enum { N = 1000 };

struct groups {
    struct fake_progress progress;
    struct fixture_kernel sums, fixed;
    void *device, *from, *to;
    int32_t in[N];
};

static void groups_make(struct groups *groups)
{
    groups->device = fixture_device();
    groups->from = fixture_memory(groups->device, N * 4);
    groups->to = fixture_memory(groups->device, N * 4);
    OK(cuda_build(&groups->sums, groups->device, &sums_kernel));
    OK(cuda_build(&groups->fixed, groups->device, &fixed_kernel));
    fixture_queue(&groups->progress, groups->device, 0);
    for (int i = 0; i < N; ++i)
        groups->in[i] = i * 3 + 1;
    OK(fixture_write(&groups->progress, groups->from, groups->in, sizeof groups->in));
}

static void groups_free(struct groups *groups)
{
    (void)fixture_synchronize(&groups->progress);
    fixture_queue_end(&groups->progress);
    fixture_free(groups->device, groups->from, N * 4);
    fixture_free(groups->device, groups->to, N * 4);
    fixture_release(&groups->sums);
    fixture_release(&groups->fixed);
}

/* Groups of size items over n; the first local parameter has `length` elements. */
static quern_status launch_sums(struct groups *groups, size_t n, size_t size, size_t length)
{
    quern_backend_argument arguments[5] = {fixture_view(groups->from, 0, N, 4), fixture_view(groups->to, 0, N, 4),
                                           fixture_local(length, 4), fixture_local(size, 1), fixture_local(size, 8)};
    quern_backend_launch launch = fixture_launch_of(&groups->sums, 1, &n, &size, arguments, 5);
    return fixture_launch(&groups->progress, &launch);
}

static void check_sums(struct groups *groups, size_t size)
{
    static int32_t sums[N];
    OK(fixture_read(&groups->progress, sums, groups->to, sizeof sums));
    OK(fixture_synchronize(&groups->progress));
    for (size_t g = 0; g * size < N; ++g) {
        int32_t wanted = 0;
        for (size_t i = g * size; i < (g + 1) * size && i < N; ++i)
            wanted += groups->in[i];
        assert_int_equal(sums[g], wanted);
    }
}

static void groups_have_the_size_that_was_asked_for(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 64, 250};
    static struct groups groups;
    cuda_begin();
    groups_make(&groups);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        OK(launch_sums(&groups, N, sizes[s], sizes[s]));
        check_sums(&groups, sizes[s]);
    }
    assert_true(groups.fixed.limits.group_items >= 64);
    assert_int_equal(groups.fixed.limits.local_bytes, 256);
    const size_t n = N, size = 64;
    quern_backend_argument arguments[2] = {fixture_view(groups.from, 0, N, 4), fixture_view(groups.to, 0, N, 4)};
    quern_backend_launch launch = fixture_launch_of(&groups.fixed, 1, &n, &size, arguments, 2);
    OK(fixture_launch(&groups.progress, &launch));
    check_sums(&groups, 64);
    groups_free(&groups);
    cuda_end();
}

static void a_group_of_two_dimensions_lies_as_the_range_does(void **state)
{
    (void)state;
    enum { ROWS = 10, COLUMNS = 20 };
    static const size_t extents[2] = {ROWS, COLUMNS}, group[2] = {4, 8};
    static const ptrdiff_t pitches[2] = {COLUMNS * 4, 4};
    static int32_t found[ROWS * COLUMNS];
    struct fixture_kernel kernel;
    struct fake_progress progress;
    cuda_begin();
    void *device = fixture_device(), *memory = fixture_memory(device, sizeof found);
    OK(cuda_build(&kernel, device, &places_kernel));
    fixture_queue(&progress, device, 0);
    quern_backend_argument out = fixture_view(memory, 0, ROWS * COLUMNS, 4);
    out.form = QUERN_PARAMETER_OUT_ND;
    out.rank = 2;
    out.extents = extents;
    out.pitches = pitches;
    quern_backend_launch launch = fixture_launch_of(&kernel, 2, extents, group, &out, 1);
    OK(fixture_launch(&progress, &launch));
    OK(fixture_read(&progress, found, memory, sizeof found));
    OK(fixture_synchronize(&progress));
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            assert_int_equal(found[y * COLUMNS + x], y / 4 * 100 + x / 8);
    /* More rows of groups than a grid has. */
    const size_t tall[2] = {4 * 65536, 8};
    launch = fixture_launch_of(&kernel, 2, tall, group, &out, 1);
    REFUSED(fixture_launch(&progress, &launch), QUERN_LIMIT_EXCEEDED,
            "kernel 'places'|65536 groups along y|at most 65535|cuda:0");
    (void)fixture_synchronize(&progress);
    fixture_queue_end(&progress);
    fixture_release(&kernel);
    fixture_free(device, memory, sizeof found);
    cuda_end();
}

static void a_configuration_is_legal(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 2, 3, 255, 1000, 100000};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    static const size_t largest[3] = {64, 1024, 1024};
    cuda_begin();
    void *device = fixture_device();
    for (uint32_t rank = 1; rank <= 3; ++rank)
        for (size_t round = 0; round < 100; ++round)
            for (size_t most = 1; most <= 2000; most = most * 3 + round % 3) {
                size_t extents[3], group[3] = {0, 0, 0}, items = 1, all = 1;
                for (uint32_t d = 0; d < rank; ++d) {
                    extents[d] = lengths[(round * (d + 1) + d) % LENGTHS];
                    all *= extents[d];
                }
                OK(quern_cuda_backend.launch_configuration(device, NULL, NULL, rank, extents, most, group));
                for (uint32_t d = 0; d < rank; ++d) {
                    assert_true(group[d] >= 1 && group[d] <= extents[d] && group[d] <= largest[3 - rank + d]);
                    items *= group[d];
                }
                assert_true(items <= most && items <= 1024);
                if (rank == 1 && all >= 1000 && most >= 1000)
                    assert_int_equal(items % 32, 0);
            }
    cuda_end();
}

/* ---- limits ---- */

static void local_memory_is_what_a_group_has(void **state)
{
    (void)state;
    static struct groups groups;
    cuda_begin();
    groups_make(&groups);
    OK(launch_sums(&groups, N, 50, 50000)); /* more than 48 KiB has to be asked for */
    check_sums(&groups, 50);
    OK(launch_sums(&groups, N, 1, (227 * 1024 - 32) / 4)); /* the other two take 16 bytes each, at most */
    REFUSED(launch_sums(&groups, N, 1, 227 * 1024 / 4), QUERN_LIMIT_EXCEEDED, "kernel 'sums'|232448 bytes|cuda:0");
    (void)fixture_synchronize(&groups.progress);
    REFUSED(launch_sums(&groups, N, 1, SIZE_MAX / 2), QUERN_LIMIT_EXCEEDED, "kernel 'sums'");
    groups_free(&groups);
    cuda_end();
}

static void a_group_over_the_kernels_limit_is_refused(void **state)
{
    (void)state;
    static struct groups groups;
    cuda_fake_set("THREADS", "128");
    cuda_begin();
    groups_make(&groups);
    assert_int_equal(groups.sums.limits.group_items, 128);
    OK(launch_sums(&groups, N, 128, 128));
    check_sums(&groups, 128);
    REFUSED(launch_sums(&groups, N, 250, 250), QUERN_LIMIT_EXCEEDED,
            "kernel 'sums'|250 items|at most 128|cuda:0|32 registers");
    (void)fixture_synchronize(&groups.progress);
    /* A kernel without groups is laid out within the limit. */
    struct canvas canvas;
    canvas_make(&canvas);
    mark_box(&canvas, 60, 70, 0, 0, NULL);
    canvas_free(&canvas);
    /* What the driver alone knows. */
    cuda_fake.fake_cuda_fail_at("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    REFUSED(launch_sums(&groups, N, 128, 128), QUERN_LIMIT_EXCEEDED,
            "kernel 'sums'|128 items|32 registers|bytes of local memory|cuda:0|at most 65536 registers");
    (void)fixture_synchronize(&groups.progress);
    OK(launch_sums(&groups, N, 128, 128));
    check_sums(&groups, 128);
    groups_free(&groups);
    cuda_fake_set("THREADS", NULL);
    cuda_end();
}

static void local_arrays_that_no_group_can_have_are_refused(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    quern_kernel large = fixed_kernel;
    cuda_begin();
    large.local_bytes = 48 * 1024 + 1;
    REFUSED(cuda_build(&kernel, fixture_device(), &large), QUERN_LIMIT_EXCEEDED,
            "kernel 'fixed'|49153 bytes|at most 49152|cuda:0|232448");
    cuda_end();
}

/* The driver takes such a kernel, and has no memory for it when it is launched. */
static void arrays_that_no_item_can_have_are_refused(void **state)
{
    (void)state;
    static const char *const sizes[] = {"524288", "524289"};
    for (int i = 0; i < 2; ++i) {
        struct fixture_kernel kernel;
        quern_kernel_image image = *cuda_images();
        char *text = cuda_ptx(75, 32, 0, "quern_k_fixed");
        text = realloc(text, strlen(text) + 100);
        sprintf(strchr(text, '{'), "{\n\t.local .align 16 .b8 \t__local_depot0[%s];\n\tret;\n}\n", sizes[i]);
        image.data = text;
        image.size = strlen(text) + 1;
        cuda_begin();
        if (i == 0) {
            OK(cuda_build_from(&kernel, fixture_device(), &fixed_kernel, &image, 1));
            assert_int_equal(kernel.limits.private_bytes, 524288);
            fixture_release(&kernel);
        } else {
            REFUSED(cuda_build_from(&kernel, fixture_device(), &fixed_kernel, &image, 1), QUERN_LIMIT_EXCEEDED,
                    "kernel 'fixed'|524289 bytes|at most 524288|cuda:0");
        }
        cuda_end();
        free(text);
    }
}

/* 63 pitched parameters of rank 6 and a value: 27 + 63 * 13 words of 4 bytes, 63 pointers, 256 bytes. */
static void more_arguments_than_a_kernel_takes_are_refused(void **state)
{
    (void)state;
    static quern_parameter parameters[64];
    struct fixture_kernel kernel;
    quern_kernel large = mark_any_kernel;
    for (int i = 0; i < 63; ++i)
        parameters[i] = (quern_parameter){.name = "p", .form = QUERN_PARAMETER_IN_ND, .rank = 6};
    parameters[63] = (quern_parameter){.name = "v", .form = QUERN_PARAMETER_VALUE};
    parameters[63].type.size = 256;
    large.parameter_count = 64;
    large.parameters = parameters;
    large.rank = -1;
    cuda_fake_set("VERSION", "12000");
    cuda_begin();
    REFUSED(cuda_build(&kernel, fixture_device(), &large), QUERN_LIMIT_EXCEEDED,
            "kernel 'mark_any'|take 4144 bytes|at most 4096|cuda:0");
    cuda_fake_set("VERSION", NULL);
    cuda_end();
    cuda_begin();
    OK(cuda_build(&kernel, fixture_device(), &large));
    fixture_release(&kernel);
    cuda_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_visits_every_item_once),
        cmocka_unit_test(a_variant_is_loaded_when_it_is_needed),
        cmocka_unit_test(a_long_range_is_strided),
        cmocka_unit_test(a_range_of_rank_4_is_linear),
        cmocka_unit_test(groups_have_the_size_that_was_asked_for),
        cmocka_unit_test(a_group_of_two_dimensions_lies_as_the_range_does),
        cmocka_unit_test(a_configuration_is_legal),
        cmocka_unit_test(local_memory_is_what_a_group_has),
        cmocka_unit_test(a_group_over_the_kernels_limit_is_refused),
        cmocka_unit_test(local_arrays_that_no_group_can_have_are_refused),
        cmocka_unit_test(arrays_that_no_item_can_have_are_refused),
        cmocka_unit_test(more_arguments_than_a_kernel_takes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
