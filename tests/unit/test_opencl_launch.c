/* The OpenCL backend: grids, words and arguments of launches, on a CPU and on what says that it is a GPU. */
#include "opencl_fixture.h"

#include "backend/device/words.h"
#include "backend/opencl/opencl_launch.h"

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
    OK(opencl_build(&canvas->mark, canvas->device, "mark", mark_text, 2, 0));
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
static void mark(struct canvas *canvas, size_t rows, size_t columns, size_t at, ptrdiff_t offset, const size_t *hint)
{
    static int32_t found[SIDE * SIDE], wanted[SIDE * SIDE];
    const size_t extents[2] = {rows, columns};
    const ptrdiff_t pitches[2] = {SIDE * 4, 4};
    memset(wanted, 0x55, sizeof wanted);
    OK(fixture_write(&canvas->progress, canvas->memory, wanted, BYTES));
    quern_backend_argument out = fixture_view(canvas->memory, 4 * at * (SIDE + 1), 0, 4);
    /* The kernel adds the offset to the index, so the view begins before what is marked. */
    out.address = (char *)out.address - offset * (SIDE + 1) * 4;
    out.form = QUERN_PARAMETER_OUT_ND;
    out.rank = 2;
    out.extents = extents;
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
            wanted[(at + y) * SIDE + at + x] = (int32_t)(1000 * ((ptrdiff_t)y + offset) + (ptrdiff_t)x + offset) +
                                               (int32_t)(forced.index_bits ? forced.index_bits : 32);
    assert_memory_equal(found, wanted, BYTES);
}

static void every_layout_visits_every_item_once(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{1, 1}, {1, 90}, {90, 1}, {2, 3}, {17, 5}, {64, 64}, {65, 63}, {90, 91}};
    struct canvas canvas;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    for (int is_gpu = 0; is_gpu < 2; ++is_gpu) {
        opencl_shim_rest(shim);
        shim->is_gpu = is_gpu;
        OK(opencl_start());
        canvas_make(&canvas);
        fixture_host.layout = force_layout;
        /* PoCL compiles anew for each size of a group, so a GPU gets few shapes. */
        for (int variant = 0; variant < 4; ++variant)
            for (size_t s = is_gpu ? 2 : 0; s < sizeof shapes / sizeof *shapes; s += is_gpu ? 5 : 1) {
                forced.index_bits = variant & 1 ? 64 : 32;
                forced.linear = (uint32_t)variant / 2;
                mark(&canvas, shapes[s][0], shapes[s][1], 3, s % 2 ? 2 : 0, NULL);
            }
        canvas_free(&canvas);
        opencl_stop();
        opencl_shim_nothing_left(shim);
    }
    forced.index_bits = 0;
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void a_hint_of_a_group_size_changes_nothing(void **state)
{
    (void)state;
    static const size_t hints[][2] = {{4, 16}, {7, 3}};
    struct canvas canvas;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    for (int is_gpu = 0; is_gpu < 2; ++is_gpu) {
        opencl_shim_rest(shim);
        shim->is_gpu = is_gpu;
        OK(opencl_start());
        canvas_make(&canvas);
        for (size_t h = 0; h < sizeof hints / sizeof *hints; ++h)
            mark(&canvas, 50, 61, 1, 0, hints[h]);
        canvas_free(&canvas);
        opencl_stop();
    }
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* ---- grids by themselves ---- */

/* The grid of a launch over extents on a device of so many units. */
static struct quern_opencl_grid grid_of(int is_cpu, uint32_t units, uint32_t rank, const size_t *extents, int linear)
{
    static struct fixture_kernel kernel;
    struct quern_opencl_device device = {.is_cpu = is_cpu};
    struct quern_opencl_kernel_variant variant = {.group_items = 1024, .multiple = 32};
    struct quern_opencl_grid grid;
    quern_launch_layout layout = {(uint32_t)linear, 32};
    device.info.compute_units = units;
    for (int d = 0; d < 3; ++d)
        device.info.largest_group[d] = 1024;
    quern_backend_launch launch = fixture_launch_of(&kernel, rank, extents, NULL, NULL, 0);
    quern_opencl_grid_set(&grid, &device, &variant, &launch, &layout);
    return grid;
}

static void grids_cover_the_range(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 2, 63, 64, 65, 1000, 4096, 100003};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    for (int is_cpu = 0; is_cpu < 2; ++is_cpu)
        for (uint32_t units = 1; units < 200; units = units * 3 + 1)
            for (uint32_t rank = 0; rank <= 6; ++rank)
                for (uint32_t round = 0; round < 60; ++round) {
                    size_t extents[6], items = 1;
                    for (uint32_t d = 0; d < rank; ++d) {
                        extents[d] = rank > 3 ? 1 + (round * 5 + d * 3) % 11 : lengths[(round * 7 + d * 3) % LENGTHS];
                        items *= extents[d];
                    }
                    int linear = rank == 0 || rank > 3 || round % 2;
                    struct quern_opencl_grid grid = grid_of(is_cpu, units, rank, extents, linear);
                    assert_int_equal(grid.rank, linear ? 1 : rank);
                    for (uint32_t d = 0; d < grid.rank; ++d) {
                        size_t extent = linear ? items : extents[rank - 1 - d];
                        assert_true(grid.piece[d] >= 1 && grid.local[d] >= 1);
                        assert_int_equal(grid.global[d] % grid.local[d], 0);
                        if (is_cpu) {
                            /* Enough, and the last one is not empty. */
                            assert_true(grid.global[d] * grid.piece[d] >= extent);
                            assert_true((grid.global[d] - 1) * grid.piece[d] < extent);
                        }
                    }
                    if (!is_cpu)
                        assert_true(grid.local[0] * (grid.rank > 1 ? grid.local[1] : 1) <= 256);
                }
}

static void a_cpu_gets_whole_rows_and_work_for_all_units(void **state)
{
    (void)state;
    const size_t square[2] = {1000, 1000}, flat[2] = {2, 100000}, row[1] = {1 << 20}, few[1] = {40};
    struct quern_opencl_grid grid = grid_of(1, 8, 2, square, 0);
    assert_int_equal(grid.global[0], 1);
    assert_true(grid.global[1] >= 8 * 4);
    grid = grid_of(1, 8, 2, flat, 0);
    assert_int_equal(grid.global[1], 2);
    assert_true(grid.global[0] >= 8);
    assert_int_equal(grid.piece[0] % 64, 0);
    grid = grid_of(1, 8, 1, row, 0);
    assert_true(grid.global[0] >= 8 * 4);
    assert_int_equal(grid.piece[0] % 64, 0);
    grid = grid_of(1, 8, 1, few, 0); /* too few for pieces of whole cache lines: they may be costly all the same */
    assert_int_equal(grid.global[0], 8);
}

/* ---- groups ---- */

static void groups_have_the_size_that_was_asked_for(void **state)
{
    (void)state;
    enum { N = 1000 };
    static int32_t in[N], sums[N];
    static const size_t sizes[] = {1, 3, 64, 250};
    struct fixture_kernel kernel;
    struct fake_progress progress;
    if (!opencl_is_here())
        skip();
    void *device = fixture_device(), *from = fixture_memory(device, sizeof in),
         *to = fixture_memory(device, sizeof sums);
    OK(opencl_build(&kernel, device, "sums", sums_text, 1, 1));
    fixture_queue(&progress, device, 0);
    for (int i = 0; i < N; ++i)
        in[i] = i * 3 + 1;
    OK(fixture_write(&progress, from, in, sizeof in));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const size_t extents[1] = {N};
        quern_backend_argument arguments[3] = {fixture_view(from, 0, N, 4), fixture_view(to, 0, N, 4),
                                               fixture_local(sizes[s], 4)};
        quern_backend_launch launch = fixture_launch_of(&kernel, 1, extents, &sizes[s], arguments, 3);
        assert_true(sizes[s] <= kernel.limits.group_items);
        OK(fixture_launch(&progress, &launch));
        OK(fixture_read(&progress, sums, to, sizeof sums));
        OK(fixture_synchronize(&progress));
        for (size_t g = 0; g < launch.groups[0]; ++g) {
            int32_t wanted = 0;
            for (size_t i = g * sizes[s]; i < (g + 1) * sizes[s] && i < N; ++i)
                wanted += in[i];
            assert_int_equal(sums[g], wanted);
        }
    }
    fixture_queue_end(&progress);
    fixture_free(device, from, sizeof in);
    fixture_free(device, to, sizeof sums);
    fixture_release(&kernel);
    opencl_stop();
}

static void a_configuration_is_legal(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 2, 3, 255, 1000, 100000};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    for (int is_gpu = 0; is_gpu < 2; ++is_gpu) {
        opencl_shim_rest(shim);
        shim->is_gpu = is_gpu;
        OK(opencl_start());
        void *device = fixture_device();
        for (uint32_t rank = 1; rank <= 3; ++rank)
            for (size_t round = 0; round < 100; ++round)
                for (size_t most = 1; most <= 2000; most = most * 3 + round % 3) {
                    size_t extents[3], group[3] = {0, 0, 0}, items = 1;
                    for (uint32_t d = 0; d < rank; ++d)
                        extents[d] = lengths[(round * (d + 1) + d) % LENGTHS];
                    OK(quern_opencl_backend.launch_configuration(device, NULL, NULL, rank, extents, most, group));
                    for (uint32_t d = 0; d < rank; ++d) {
                        assert_true(group[d] >= 1 && group[d] <= extents[d]);
                        items *= group[d];
                    }
                    assert_true(items <= most);
                }
        opencl_stop();
    }
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void a_group_over_the_limit_is_refused(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    struct fake_progress progress;
    quern_device_info info;
    if (!opencl_is_here())
        skip();
    void *device = fixture_device(), *memory = fixture_memory(device, 4096);
    OK(quern_opencl_backend.device_info(device, &info));
    OK(opencl_build(&kernel, device, "sums", sums_text, 1, 1));
    fixture_queue(&progress, device, 0);
    /* The front end would have refused it; here the driver does, and the status is clean. */
    const size_t group[1] = {(size_t)info.largest_group_items * 2}, extents[1] = {group[0]};
    quern_backend_argument arguments[3] = {fixture_view(memory, 0, 1, 4), fixture_view(memory, 0, 1, 4),
                                           fixture_local(1, 4)};
    quern_backend_launch launch = fixture_launch_of(&kernel, 1, extents, group, arguments, 3);
    REFUSED(fixture_launch(&progress, &launch), QUERN_LIMIT_EXCEEDED, "kernel sums|CL_INVALID_WORK_");
    (void)fixture_synchronize(&progress);
    fixture_queue_end(&progress);
    fixture_free(device, memory, 4096);
    fixture_release(&kernel);
    opencl_stop();
}

/* ---- arguments ---- */

static void more_arguments_than_the_device_takes_are_refused(void **state)
{
    (void)state;
    float a = 1;
    struct fixture_kernel kernel;
    struct fake_progress progress;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    /* 9 words of 4 bytes, two pointers of 8, a float */
    for (size_t limit = 55; limit <= 56; ++limit) {
        shim->parameter_bytes = limit;
        OK(opencl_start());
        void *device = fixture_device(), *memory = fixture_memory(device, 4096);
        OK(opencl_build(&kernel, device, "axpy", axpy_text, 1, 0));
        fixture_queue(&progress, device, 0);
        quern_status status = fixture_axpy(&progress, &kernel, memory, memory, a, 1);
        if (limit == 55)
            REFUSED(status, QUERN_LIMIT_EXCEEDED, "kernel 'axpy'|56 bytes|at most 55|opencl:0");
        else
            OK(status);
        (void)fixture_synchronize(&progress);
        fixture_queue_end(&progress);
        fixture_free(device, memory, 4096);
        fixture_release(&kernel);
        opencl_stop();
    }
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void words_are_as_the_kernel_reads_them(void **state)
{
    (void)state;
    static struct fixture_kernel kernel;
    static struct quern_device_words words;
    const size_t extents[2] = {5, 7}, view_extents[3] = {2, 3, 4};
    const ptrdiff_t pitches[3] = {-1000, 16, 4}, view_offsets[2] = {-3, 9};
    char memory[64];
    kernel.kernel.rank = 2;
    quern_backend_argument arguments[4] = {fixture_view(memory, 12, 1, 4), fixture_value(memory, 4),
                                           fixture_view(memory, 20, 1, 4), fixture_local(5, 4)};
    arguments[2].form = QUERN_PARAMETER_IN_ND;
    arguments[2].rank = 3;
    arguments[2].extents = view_extents;
    arguments[2].pitches = pitches;
    quern_backend_launch launch = fixture_launch_of(&kernel, 2, extents, NULL, arguments, 4);
    memcpy(launch.offsets, view_offsets, sizeof view_offsets);
    const struct quern_opencl_grid grid = {.rank = 2, .piece = {64, 3}};
    static const int64_t wanted[] = {35, 64, 2, 7, 9, 64, 1, 5, -3, 3, 1, 12, 20, 2, 3, 4, -1000, 16, 4};
    enum { COUNT = sizeof wanted / sizeof *wanted };
    quern_launch_layout layout = {0, 64};
    quern_device_words_set(&words, &launch, &layout, grid.piece, grid.rank, NULL);
    assert_int_equal(words.count, COUNT);
    assert_int_equal(words.bytes, 8 * COUNT);
    assert_memory_equal(words.w.wide, wanted, sizeof wanted);
    layout.index_bits = 32;
    quern_device_words_set(&words, &launch, &layout, grid.piece, grid.rank, NULL);
    assert_int_equal(words.bytes, 4 * COUNT);
    for (int i = 0; i < COUNT; ++i)
        assert_int_equal(words.w.narrow[i], wanted[i]);
    kernel.kernel.rank = -1; /* any rank: room for six dimensions */
    quern_device_words_set(&words, &launch, &layout, grid.piece, grid.rank, NULL);
    assert_int_equal(words.count, COUNT + 4 * 4);
    assert_int_equal(words.w.narrow[3 + 4 * 6], 12);
    kernel.kernel.rank = 0;
}

/* A kernel may write unified memory, which the host then reads as it is. */
static void unified_memory_is_an_argument(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct fixture_kernel kernel;
    struct fake_progress progress;
    quern_device_info info;
    void *x = NULL, *y = NULL;
    if (!opencl_is_here())
        skip();
    void *device = fixture_device();
    OK(quern_opencl_backend.device_info(device, &info));
    if (!info.unified_memory) {
        print_message("skipped: %s has no unified memory\n", info.description);
        opencl_stop();
        skip();
    }
    OK(opencl_build(&kernel, device, "axpy", axpy_text, 1, 0));
    fixture_queue(&progress, device, 0);
    OK(quern_opencl_backend.allocate(device, N * 4, 64, QUERN_MEMORY_UNIFIED, &x));
    OK(quern_opencl_backend.allocate(device, N * 4, 64, QUERN_MEMORY_UNIFIED, &y));
    for (int i = 0; i < N; ++i) {
        ((float *)x)[i] = (float)i;
        ((float *)y)[i] = 1;
    }
    OK(fixture_axpy(&progress, &kernel, x, y, 2, N));
    OK(fixture_synchronize(&progress));
    for (int i = 0; i < N; ++i)
        assert_true(((float *)y)[i] == 2 * (float)i + 1);
    fixture_queue_end(&progress);
    quern_opencl_backend.free(device, x, N * 4, QUERN_MEMORY_UNIFIED);
    quern_opencl_backend.free(device, y, N * 4, QUERN_MEMORY_UNIFIED);
    fixture_release(&kernel);
    opencl_stop();
}

/* ---- threads ---- */

struct launcher {
    struct fixture_kernel *kernel;
    struct fake_progress progress;
    void *x, *y;
    float a;
    int failures;
};

static void *launch_many(void *argument)
{
    struct launcher *launcher = argument;
    for (int i = 0; i < 300; ++i)
        launcher->failures += fixture_axpy(&launcher->progress, launcher->kernel, launcher->x, launcher->y, launcher->a,
                                           257) != QUERN_SUCCESS;
    return NULL;
}

/* OpenCL keeps arguments in the kernel object: each launch gets its own all the same. */
static void two_threads_launch_one_kernel(void **state)
{
    (void)state;
    enum { N = 257, THREADS = 3 };
    float ones[N], found[N], zeros[N] = {0};
    struct fixture_kernel kernel;
    struct launcher launchers[THREADS];
    pthread_t threads[THREADS];
    if (!opencl_is_here())
        skip();
    void *device = fixture_device();
    OK(opencl_build(&kernel, device, "axpy", axpy_text, 1, 0));
    for (int i = 0; i < N; ++i)
        ones[i] = 1;
    for (int k = 0; k < THREADS; ++k) {
        struct launcher *launcher = &launchers[k];
        launcher->kernel = &kernel;
        launcher->a = (float)(k + 1);
        launcher->failures = 0;
        fixture_queue(&launcher->progress, device, k == 1);
        launcher->x = fixture_memory(device, sizeof ones);
        launcher->y = fixture_memory(device, sizeof ones);
        OK(fixture_write(&launcher->progress, launcher->x, ones, sizeof ones));
        OK(fixture_write(&launcher->progress, launcher->y, zeros, sizeof zeros));
        OK(fixture_synchronize(&launcher->progress));
    }
    for (int k = 0; k < THREADS; ++k)
        assert_int_equal(pthread_create(&threads[k], NULL, launch_many, &launchers[k]), 0);
    for (int k = 0; k < THREADS; ++k)
        pthread_join(threads[k], NULL);
    for (int k = 0; k < THREADS; ++k) {
        struct launcher *launcher = &launchers[k];
        assert_int_equal(launcher->failures, 0);
        OK(fixture_read(&launcher->progress, found, launcher->y, sizeof found));
        OK(fixture_synchronize(&launcher->progress));
        for (int i = 0; i < N; ++i)
            assert_true(found[i] == 300 * launcher->a);
        fixture_queue_end(&launcher->progress);
        fixture_free(device, launcher->x, sizeof ones);
        fixture_free(device, launcher->y, sizeof ones);
    }
    fixture_release(&kernel);
    opencl_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_visits_every_item_once),
        cmocka_unit_test(a_hint_of_a_group_size_changes_nothing),
        cmocka_unit_test(grids_cover_the_range),
        cmocka_unit_test(a_cpu_gets_whole_rows_and_work_for_all_units),
        cmocka_unit_test(groups_have_the_size_that_was_asked_for),
        cmocka_unit_test(a_configuration_is_legal),
        cmocka_unit_test(a_group_over_the_limit_is_refused),
        cmocka_unit_test(more_arguments_than_the_device_takes_are_refused),
        cmocka_unit_test(words_are_as_the_kernel_reads_them),
        cmocka_unit_test(unified_memory_is_an_argument),
        cmocka_unit_test(two_threads_launch_one_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
