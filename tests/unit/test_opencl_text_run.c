/*
 * The text that `quern compile` writes for OpenCL, built and run by a device through nothing but OpenCL itself, in
 * every layout of a launch (device_abi.h), against loops in C, to the bit.
 */
#include "compiler_test.h"
#include "opencl_raw.h"

#include <glob.h>

#include <quern/dialect/device_abi.h>

static opencl_raw cl;

/* ---- launches ---- */

typedef struct layout {
    int bits, linear, contiguous;
} layout;

#define EACH_LAYOUT(name)                                                                                              \
    for (int quern_bit = 0; quern_bit < 8; ++quern_bit)                                                                \
        for (layout name = {quern_bit & 1 ? 64 : 32, quern_bit >> 1 & 1, quern_bit >> 2}, *more = &name; more;         \
             more = NULL)

/* Words as wide as an index. */
typedef struct words {
    int bits;
    size_t count;
    int64_t wide[64];
    int32_t narrow[64];
} words;

static void add_word(words *w, int64_t value)
{
    assert_true(w->count < 64);
    w->wide[w->count] = value;
    w->narrow[w->count++] = (int32_t)value;
}

static void add_dimension(words *w, int64_t extent, int64_t offset, int64_t piece, int64_t groups)
{
    add_word(w, extent);
    add_word(w, offset);
    add_word(w, piece);
    add_word(w, groups);
}

typedef struct launch {
    void *program, *kernel;
    uint32_t arguments;
} launch;

static launch begin_launch(const char *path, const char *name, layout how)
{
    char options[160], *text = NULL;
    int32_t error;
    launch l = {NULL, NULL, 1};
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DQUERN_INDEX_BITS=%d -DQUERN_LINEAR=%d -DQUERN_CONTIGUOUS=%d",
             how.bits, how.linear, how.contiguous);
    assert_success(quern_compile_text(path, "opencl", NULL, &text));
    l.program = opencl_raw_build(&cl, text, options);
    free(text);
    assert_non_null(l.program);
    l.kernel = cl.create_kernel(l.program, name, &error);
    assert_non_null(l.kernel);
    return l;
}

static void pass(launch *l, const void *value, size_t size)
{
    assert_int_equal(cl.set_argument(l->kernel, l->arguments++, size, value), 0);
}

/* Runs the kernel; result gets the memory's bytes. */
static void end_launch(launch *l, const words *w, uint32_t rank, const size_t *items, const size_t *group, void *memory,
                       void *result, size_t size)
{
    const void *data = w->bits == 32 ? (const void *)w->narrow : (const void *)w->wide;
    assert_int_equal(cl.set_argument(l->kernel, 0, w->count * (size_t)w->bits / 8, data), 0);
    assert_int_equal(cl.launch(cl.queue, l->kernel, rank, NULL, items, group, 0, NULL, NULL), 0);
    assert_int_equal(cl.read(cl.queue, memory, 1, 0, size, result, 0, NULL, NULL), 0);
    cl.release_kernel(l->kernel);
    cl.release_program(l->program);
}

/* The items of a grid dimension: enough and some more for pieces; any number where items stride. */
static size_t grid(layout how, size_t extent, size_t piece, size_t strided)
{
    return how.contiguous ? (extent + piece - 1) / piece + 3 : strided;
}

/* ---- kernels ---- */

enum { SAXPY_LENGTH = 4099, SAXPY_BEGIN = 3 }; /* the views begin at element 3; the range at index 2 */

static void run_saxpy(layout how, size_t n)
{
    static float x[SAXPY_LENGTH], y[SAXPY_LENGTH], wanted[SAXPY_LENGTH], got[SAXPY_LENGTH];
    const float a = 1.7f;
    const size_t piece = 37;
    for (size_t i = 0; i < SAXPY_LENGTH; ++i) {
        x[i] = (float)(i * 7919 % 1009) * 0.37f;
        y[i] = wanted[i] = (float)(i * 104729 % 997) * 0.11f;
    }
    for (size_t i = SAXPY_BEGIN + 2; i < SAXPY_BEGIN + 2 + n; ++i)
        wanted[i] += a * x[i];
    launch l = begin_launch(QUERN_SOURCE_DIR "/examples/saxpy.k.c", "quern_k_saxpy", how);
    void *x_memory = opencl_raw_memory(&cl, x, sizeof x), *y_memory = opencl_raw_memory(&cl, y, sizeof y);
    words w = {.bits = how.bits};
    add_word(&w, (int64_t)n);
    add_word(&w, (int64_t)piece);
    add_word(&w, 1);
    add_dimension(&w, (int64_t)n, 2, (int64_t)piece, 0);
    add_word(&w, SAXPY_BEGIN * 4);
    add_word(&w, SAXPY_BEGIN * 4);
    pass(&l, &x_memory, sizeof x_memory);
    pass(&l, &y_memory, sizeof y_memory);
    pass(&l, &a, sizeof a);
    size_t items = grid(how, n, piece, 64);
    end_launch(&l, &w, 1, &items, NULL, y_memory, got, sizeof got);
    assert_memory_equal(got, wanted, sizeof got);
    cl.release_buffer(x_memory);
    cl.release_buffer(y_memory);
}

static void saxpy_in_every_layout(void **state)
{
    (void)state;
    if (cl.missing) {
        print_message("skipped: %s\n", cl.missing);
        skip();
    }
    EACH_LAYOUT(how)
    {
        run_saxpy(how, 1);
        run_saxpy(how, 4093);
    }
}

/* What examples/pointer_jumping_body.h does to a group's slice. */
static double accumulate(double *slice, size_t alive)
{
    for (size_t step = 1; alive > 1; step *= 2, alive = (alive + 1) / 2)
        for (size_t j = 0; j < alive / 2; ++j)
            slice[2 * step * j] += slice[2 * step * j + step];
    return slice[0];
}

static void pointer_jumping_in_every_layout(void **state)
{
    (void)state;
    enum { LENGTH = 1003, GROUP = 256, GROUPS = (LENGTH + GROUP - 1) / GROUP };
    static double input[LENGTH], wanted[GROUPS], got[GROUPS], slice[GROUP];
    if (cl.missing) {
        print_message("skipped: %s\n", cl.missing);
        skip();
    }
    for (size_t i = 0; i < LENGTH; ++i)
        input[i] = (double)(i * 7919 % 1009) / 3.0;
    for (size_t g = 0; g < GROUPS; ++g) {
        size_t n = g + 1 < GROUPS ? GROUP : LENGTH - g * GROUP;
        memcpy(slice, input + g * GROUP, n * sizeof *slice);
        wanted[g] = accumulate(slice, n);
    }
    EACH_LAYOUT(how)
    {
        launch l = begin_launch(QUERN_SOURCE_DIR "/examples/pointer_jumping.k.c", "quern_k_pointer_jumping_sum", how);
        void *input_memory = opencl_raw_memory(&cl, input, sizeof input);
        void *partial_memory = opencl_raw_memory(&cl, got, sizeof got);
        size_t items = (size_t)GROUPS * GROUP, group = GROUP;
        words w = {.bits = how.bits};
        add_word(&w, LENGTH);
        add_word(&w, 1);
        add_word(&w, 1);
        add_dimension(&w, LENGTH, 0, 1, GROUPS);
        add_word(&w, 0);
        add_word(&w, 0);
        pass(&l, &input_memory, sizeof input_memory);
        pass(&l, &partial_memory, sizeof partial_memory);
        end_launch(&l, &w, 1, &items, &group, partial_memory, got, sizeof got);
        assert_memory_equal(got, wanted, sizeof got);
        memset(got, 0, sizeof got);
        cl.release_buffer(input_memory);
        cl.release_buffer(partial_memory);
    }
}

/* The interior of a picture whose rows lie a pitch apart that is no multiple of anything. */
static void pitched_stencil_in_every_layout(void **state)
{
    (void)state;
    enum { ROWS = 41, COLUMNS = 67, U_PITCH = 71, V_PITCH = 69 };
    static float u[ROWS * U_PITCH], v[ROWS * V_PITCH], wanted[ROWS * V_PITCH], got[ROWS * V_PITCH];
    const float c = 0.17f;
    if (cl.missing) {
        print_message("skipped: %s\n", cl.missing);
        skip();
    }
    for (size_t i = 0; i < ROWS * U_PITCH; ++i)
        u[i] = (float)(i * 7919 % 1009) * 0.21f;
    for (size_t i = 0; i < ROWS * V_PITCH; ++i)
        v[i] = wanted[i] = -(float)i;
    for (size_t y = 1; y < ROWS - 1; ++y)
        for (size_t x = 1; x < COLUMNS - 1; ++x) {
            const float *at = &u[y * U_PITCH + x];
            wanted[y * V_PITCH + x] = *at + c * (at[-U_PITCH] + at[U_PITCH] + at[-1] + at[1] - 4 * *at);
        }
    EACH_LAYOUT(how)
    {
        launch l = begin_launch(QUERN_SOURCE_DIR "/examples/stencil.k.c", "quern_k_stencil", how);
        void *u_memory = opencl_raw_memory(&cl, u, sizeof u), *v_memory = opencl_raw_memory(&cl, v, sizeof v);
        const size_t rows = ROWS - 2, columns = COLUMNS - 2, linear_piece = 101;
        words w = {.bits = how.bits};
        add_word(&w, (int64_t)(rows * columns));
        add_word(&w, (int64_t)linear_piece);
        add_word(&w, 2);
        add_dimension(&w, (int64_t)columns, 1, 16, 0);
        add_dimension(&w, (int64_t)rows, 1, 5, 0);
        add_word(&w, 0);
        add_word(&w, ROWS);
        add_word(&w, COLUMNS);
        add_word(&w, U_PITCH * 4);
        add_word(&w, 4);
        add_word(&w, 0);
        add_word(&w, ROWS);
        add_word(&w, COLUMNS);
        add_word(&w, V_PITCH * 4);
        add_word(&w, 4);
        pass(&l, &u_memory, sizeof u_memory);
        pass(&l, &v_memory, sizeof v_memory);
        pass(&l, &c, sizeof c);
        size_t on_grid[2] = {grid(how, columns, 16, 8), grid(how, rows, 5, 7)};
        size_t linear = grid(how, rows * columns, linear_piece, 32);
        end_launch(&l, &w, how.linear ? 1 : 2, how.linear ? &linear : on_grid, NULL, v_memory, got, sizeof got);
        assert_memory_equal(got, wanted, sizeof got);
        cl.release_buffer(u_memory);
        cl.release_buffer(v_memory);
    }
}

/* ---- every index once ---- */

static const char visits[] =
    "#include <quern/kernel.h>\n#define NUMBER(z, y, x) (1000 * (1000 * (int64_t)(z) + (y)) + (x) + 1)\n"
    "KERNEL(each3, inout_nd(int64_t, 3, seen)) { EACH3 (z, y, x) AT(seen, z, y, x) += NUMBER(z, y, x); }\n"
    "KERNEL(each_index, inout_nd(int64_t, 3, seen))\n{ EACH_INDEX (k) AT_INDEX(seen, k) += NUMBER(k[0], k[1], k[2]) + "
    "1000000000 * (int64_t)(k[3] + k[4] + k[5]); }\n"
    "KERNEL(skip, inout_nd(int64_t, 3, seen))\n{ EACH3 (z, y, x) { if (RANGE_Z != 5 || RANGE_Y != 7 || RANGE != 11) "
    "continue; AT(seen, z, y, x) += NUMBER(z, y, x); } }\n";

enum {
    DEEP = 9,
    HIGH = 10,
    WIDE = 17,
    OFFSET = 2
}; /* of the array; the range begins at index 2 along each dimension */
static const size_t visited[3] = {5, 7, 11};

static int64_t wanted_at(size_t z, size_t y, size_t x)
{
    int is_inside = z >= OFFSET && z < OFFSET + visited[0] && y >= OFFSET && y < OFFSET + visited[1] && x >= OFFSET &&
                    x < OFFSET + visited[2];
    return is_inside ? (int64_t)(1000 * (1000 * z + y) + x + 1) : 0;
}

static void run_visits(layout how, const char *kernel, int is_any)
{
    static int64_t seen[DEEP * HIGH * WIDE], got[DEEP * HIGH * WIDE];
    const size_t items = visited[0] * visited[1] * visited[2], piece = 9;
    launch l = begin_launch("visits.k.c", kernel, how);
    void *memory = opencl_raw_memory(&cl, seen, sizeof seen);
    words w = {.bits = how.bits};
    add_word(&w, (int64_t)items);
    add_word(&w, (int64_t)piece);
    add_word(&w, 3);
    add_dimension(&w, (int64_t)visited[2], OFFSET, 3, 0);
    add_dimension(&w, (int64_t)visited[1], OFFSET, 2, 0);
    add_dimension(&w, (int64_t)visited[0], OFFSET, 4, 0);
    for (int i = 0; i < (is_any ? 3 : 0); ++i)
        add_dimension(&w, -7, -7, -7, -7); /* beyond the range's rank: not to be looked at */
    add_word(&w, 0);
    add_word(&w, DEEP);
    add_word(&w, HIGH);
    add_word(&w, WIDE);
    add_word(&w, HIGH * WIDE * 8);
    add_word(&w, WIDE * 8);
    add_word(&w, 8);
    pass(&l, &memory, sizeof memory);
    size_t on_grid[3] = {grid(how, visited[2], 3, 4), grid(how, visited[1], 2, 3), grid(how, visited[0], 4, 2)};
    size_t linear = grid(how, items, piece, 16);
    end_launch(&l, &w, how.linear ? 1 : 3, how.linear ? &linear : on_grid, NULL, memory, got, sizeof got);
    for (size_t i = 0; i < DEEP * HIGH * WIDE; ++i)
        assert_int_equal(got[i], wanted_at(i / (HIGH * WIDE), i / WIDE % HIGH, i % WIDE));
    cl.release_buffer(memory);
}

static void every_index_is_visited_once(void **state)
{
    (void)state;
    if (cl.missing) {
        print_message("skipped: %s\n", cl.missing);
        skip();
    }
    write_text("visits.k.c", visits);
    EACH_LAYOUT(how)
    {
        run_visits(how, "quern_k_each3", 0);
        run_visits(how, "quern_k_each_index", 1);
        run_visits(how, "quern_k_skip", 0);
    }
}

/* A fault that only the device's compiler sees is reported at the author's line. */
static void errors_are_at_the_author_s_line(void **state)
{
    (void)state;
    static char log[65536];
    int32_t error;
    if (cl.missing) {
        print_message("skipped: %s\n", cl.missing);
        skip();
    }
    write_text("late.k.c", "#include <quern/kernel.h>\n\nKERNEL(late, out(float, y))\n{\n    EACH (i) {\n\n"
                           "        y[i] = 1.0f;\n        y[i] = SOMETHING_UNKNOWN;\n    }\n}\n");
    char *text = NULL;
    assert_success(quern_compile_text("late.k.c", "opencl", NULL, &text));
    const char *const_text = text;
    void *program = cl.create_program(cl.context, 1, &const_text, NULL, &error);
    assert_int_not_equal(
        cl.build(program, 1, &cl.device, "-DQUERN_INDEX_BITS=64 -DQUERN_LINEAR=0 -DQUERN_CONTIGUOUS=1", NULL, NULL), 0);
    cl.build_info(program, cl.device, 0x1183, sizeof log - 1, log, NULL);
    assert_contains(log, "late.k.c:8:");
    cl.release_program(program);
    free(text);
}

/* ---- all kernels that there are ---- */

/* Makes a device of it that has neither doubles nor 64-bit atomics: whatever uses a double meets no type there. */
static const char poor_device[] = "#undef cl_khr_fp64\n#undef cl_khr_int64_base_atomics\n"
                                  "#undef cl_khr_int64_extended_atomics\n#define double no_double\n";

/* way: a layout, or the poor device */
static void build_file(const char *path, size_t way)
{
    static const char *const options[] = {"-cl-std=CL1.2 -DQUERN_INDEX_BITS=32 -DQUERN_LINEAR=0 -DQUERN_CONTIGUOUS=0",
                                          "-cl-std=CL1.2 -DQUERN_INDEX_BITS=64 -DQUERN_LINEAR=1 -DQUERN_CONTIGUOUS=1",
                                          "-cl-std=CL1.2 -DQUERN_INDEX_BITS=32 -DQUERN_LINEAR=1 -DQUERN_CONTIGUOUS=0"};
    char *text = NULL;
    quern_text whole = {0};
    if (quern_compile_text(path, "opencl", NULL, &text) != QUERN_SUCCESS)
        fail_msg("%s", quern_last_error());
    quern_text_add(&whole, "%s%s", way == 2 ? poor_device : "", text);
    void *program = opencl_raw_build(&cl, quern_text_string(&whole), options[way]);
    if (!program)
        fail_msg("the text of %s does not build with %s", path, options[way]);
    cl.release_program(program);
    quern_text_free(&whole);
    free(text);
}

/* Each in one of the ways, for the compiler takes its time; those with the most words in all. */
static void all_kernel_files_build(void **state)
{
    (void)state;
    static const char *const patterns[] = {"tests/kernels/values.k.c", "tests/kernels/values.k.c",
                                           "tests/kernels/values.k.c", "examples/*.k.c",
                                           "tests/kernels/*.k.c",      "tests/tool/kernels/tool.k.c",
                                           "bench/kernels/*.k.c",      "tests/diagnostics/*_good.k.c"};
    size_t way = 0;
    if (cl.missing) {
        print_message("skipped: %s\n", cl.missing);
        skip();
    }
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        char pattern[512];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s", QUERN_SOURCE_DIR, patterns[i]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; ++k)
            build_file(found.gl_pathv[k], way++ % 3);
        globfree(&found);
    }
}

/* A device without doubles still has the kernels that need none. */
static void a_device_without_doubles_has_the_other_kernels(void **state)
{
    (void)state;
    char *text = NULL;
    quern_text poor = {0};
    int32_t error = 0;
    if (cl.missing) {
        print_message("skipped: %s\n", cl.missing);
        skip();
    }
    write_text("some.k.c", "#include <quern/kernel.h>\nDEVICE float f(float x) { return (float)(2.0 * x); }\n"
                           "KERNEL(without, out(float, y)) { EACH (i) y[i] = 2; }\n"
                           "KERNEL(with, out(float, y)) { EACH (i) y[i] = f(2.0f); }\n");
    assert_success(quern_compile_text("some.k.c", "opencl", NULL, &text));
    quern_text_add(&poor, "%s%s", poor_device, text);
    void *program =
        opencl_raw_build(&cl, quern_text_string(&poor), "-DQUERN_INDEX_BITS=64 -DQUERN_LINEAR=0 -DQUERN_CONTIGUOUS=1");
    assert_non_null(program);
    void *without = cl.create_kernel(program, "quern_k_without", &error);
    assert_non_null(without);
    assert_null(cl.create_kernel(program, "quern_k_with", &error));
    cl.release_kernel(without);
    cl.release_program(program);
    quern_text_free(&poor);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(saxpy_in_every_layout),
                                       cmocka_unit_test(pointer_jumping_in_every_layout),
                                       cmocka_unit_test(pitched_stencil_in_every_layout),
                                       cmocka_unit_test(every_index_is_visited_once),
                                       cmocka_unit_test(errors_are_at_the_author_s_line),
                                       cmocka_unit_test(all_kernel_files_build),
                                       cmocka_unit_test(a_device_without_doubles_has_the_other_kernels)};
    if (enter_folder(NULL) != 0)
        return 1;
    opencl_raw_open(&cl);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    opencl_raw_close(&cl);
    leave_folder(NULL);
    return failed;
}
