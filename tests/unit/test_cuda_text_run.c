/*
 * The text that `quern compile` writes for CUDA, run on the CPU (tests/cuda_emulation) in every variant, against loops
 * in C, to the bit: where items, arguments and groups are. test_cuda_text_values.c runs what is computed there.
 */
#include "../cuda_emulation/launch.h"

/* ---- items and views with offsets ---- */

enum { SAXPY_LENGTH = 4099, SAXPY_BEGIN = 3 }; /* the views begin at element 3; the range at index 2 */

static void run_saxpy(void *program, layout how, size_t n, unsigned blocks)
{
    static float x[SAXPY_LENGTH], y[SAXPY_LENGTH], wanted[SAXPY_LENGTH];
    float a = 1.7f;
    for (size_t i = 0; i < SAXPY_LENGTH; ++i) {
        x[i] = (float)(i * 7919 % 1009) * 0.37f;
        y[i] = wanted[i] = (float)(i * 104729 % 997) * 0.11f;
    }
    for (size_t i = SAXPY_BEGIN + 2; i < SAXPY_BEGIN + 2 + n; ++i)
        wanted[i] += a * x[i];
    void *x_memory = x, *y_memory = y;
    launch l = begin_launch(how, n, 1);
    add_dimension(&l, n, 2, 1);
    add_word(&l, SAXPY_BEGIN * 4);
    add_word(&l, SAXPY_BEGIN * 4);
    pass(&l, &x_memory);
    pass(&l, &y_memory);
    pass(&l, &a);
    run_kernel(&l, program, "saxpy", DIMENSIONS(blocks, 1, 1), DIMENSIONS(32, 1, 1));
    assert_memory_equal(y, wanted, sizeof y);
}

static void saxpy_in_every_variant(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    EACH_LAYOUT(how)
    {
        void *program = load_program(QUERN_SOURCE_DIR "/examples/saxpy.k.c", how);
        run_saxpy(program, how, 1, 1);
        run_saxpy(program, how, 1, 3);
        run_saxpy(program, how, 4093, 5);   /* an item takes many */
        run_saxpy(program, how, 4093, 130); /* more items than the range has */
        dlclose(program);
    }
}

/* The interior of a picture whose rows lie a pitch apart that is no multiple of anything. */
static void pitched_stencil_in_every_variant(void **state)
{
    (void)state;
    enum { ROWS = 41, COLUMNS = 67, U_PITCH = 71, V_PITCH = 69, BEGIN = 5 };
    static float u[ROWS * U_PITCH], v[BEGIN + ROWS * V_PITCH], wanted[BEGIN + ROWS * V_PITCH];
    float c = 0.17f;
    SKIP_WITHOUT_CXX();
    EACH_LAYOUT(how)
    {
        for (size_t i = 0; i < ROWS * U_PITCH; ++i)
            u[i] = (float)(i * 7919 % 1009) * 0.21f;
        for (size_t i = 0; i < BEGIN + ROWS * V_PITCH; ++i)
            v[i] = wanted[i] = -(float)i;
        for (size_t y = 1; y < ROWS - 1; ++y)
            for (size_t x = 1; x < COLUMNS - 1; ++x) {
                const float *at = &u[y * U_PITCH + x];
                wanted[BEGIN + y * V_PITCH + x] = *at + c * (at[-U_PITCH] + at[U_PITCH] + at[-1] + at[1] - 4 * *at);
            }
        void *program = load_program(QUERN_SOURCE_DIR "/examples/stencil.k.c", how), *u_memory = u, *v_memory = v;
        launch l = begin_launch(how, (ROWS - 2) * (COLUMNS - 2), 2);
        add_dimension(&l, COLUMNS - 2, 1, 1);
        add_dimension(&l, ROWS - 2, 1, 1);
        const int64_t words[] = {0,         ROWS, COLUMNS, U_PITCH * 4, 4, /* u */
                                 BEGIN * 4, ROWS, COLUMNS, V_PITCH * 4, 4};
        for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
            add_word(&l, words[i]);
        pass(&l, &u_memory);
        pass(&l, &v_memory);
        pass(&l, &c);
        run_kernel(&l, program, "stencil", DIMENSIONS(3, how.linear ? 1 : 4, 1), DIMENSIONS(16, how.linear ? 1 : 4, 1));
        assert_memory_equal(v, wanted, sizeof v);
        dlclose(program);
    }
}

/* ---- every index once, ranks 0 to 6 ---- */

static const char visits[] =
    "#include <quern/kernel.h>\n"
    "KERNEL(each1, inout(int32_t, seen), value(int32_t, depth)) { EACH (i) seen[i * 1024] += 1 + RANGE; }\n"
    "KERNEL(each2, inout(int32_t, seen), value(int32_t, depth))\n"
    "{ EACH2 (j, i) { if (depth != 2) continue; seen[j * 1024 + i * 256] += 1 + RANGE; } }\n"
    "KERNEL(each3, inout(int32_t, seen), value(int32_t, depth))\n"
    "{ EACH3 (k, j, i) seen[k * 1024 + j * 256 + i * 64] += 1 + RANGE; }\n"
    "KERNEL(each_index, inout(int32_t, seen), value(int32_t, depth))\n"
    "{ EACH_INDEX (k) seen[((((k[0] * 4 + k[1]) * 4 + k[2]) * 4 + k[3]) * 4 + k[4]) * 4 + k[5]] += 1 + RANGE; }\n";

static const size_t extents[6] = {3, 2, 3, 2, 1, 3}; /* slowest first; all begin at index 1 */

/* 1 + RANGE where the flat number is that of an index in the range, every digit of it to the base of 4. */
static int32_t wanted_at(size_t number, size_t rank)
{
    for (size_t d = 0; d < 6; ++d) {
        size_t index = number >> (2 * (5 - d)) & 3;
        if (d < rank ? index < 1 || index > extents[d] : index != 0)
            return 0;
    }
    return 1 + (int32_t)(rank ? extents[rank - 1] : 1);
}

static void run_visits(void *program, layout how, const char *kernel, size_t rank, size_t dimensions)
{
    static int32_t seen[4096];
    void *memory = seen;
    int32_t depth = (int32_t)rank;
    size_t items = 1;
    for (size_t d = 0; d < rank; ++d)
        items *= extents[d];
    launch l = begin_launch(how, items, rank);
    for (size_t d = 0; d < rank; ++d)
        add_dimension(&l, extents[rank - 1 - d], 1, 1);
    for (size_t d = rank; d < dimensions; ++d)
        add_dimension(&l, 77, 77, 77); /* beyond the range's rank: not to be looked at */
    add_word(&l, 0);
    pass(&l, &memory);
    pass(&l, &depth);
    for (unsigned width = 1; width <= 2; ++width) { /* fewer items than the range has, and more */
        unsigned high = !how.linear && dimensions >= 2 ? width : 1, deep = !how.linear && dimensions >= 3 ? width : 1;
        memset(seen, 0, sizeof seen);
        run_kernel(&l, program, kernel, DIMENSIONS(width, high, deep), DIMENSIONS(2, high, 1));
        for (size_t i = 0; i < 4096; ++i)
            assert_int_equal(seen[i], wanted_at(i, rank));
    }
}

static void every_index_is_visited_once(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    write_text("visits.k.c", visits);
    EACH_LAYOUT(how)
    {
        void *program = load_program("visits.k.c", how);
        run_visits(program, how, "each2", 2, 2);
        run_visits(program, how, "each3", 3, 3);
        for (size_t rank = 0; rank <= (how.linear ? 6 : 3); ++rank)
            run_visits(program, how, "each_index", rank, 6);
        run_visits(program, how, "each1", 1, 1);
        dlclose(program);
    }
}

/* ---- groups ---- */

/* What examples/pointer_jumping_body.h does to a group's slice. */
static double accumulate(double *slice, size_t alive)
{
    for (size_t step = 1; alive > 1; step *= 2, alive = (alive + 1) / 2)
        for (size_t j = 0; j < alive / 2; ++j)
            slice[2 * step * j] += slice[2 * step * j + step];
    return slice[0];
}

enum { INPUT_LENGTH = 1003, MOST_GROUPS = 11 };

static void run_pointer_jumping(void *program, layout how, const char *kernel, size_t group, int has_locals)
{
    static double input[INPUT_LENGTH], partial[MOST_GROUPS], wanted[MOST_GROUPS], slice[256];
    const size_t groups = (INPUT_LENGTH + group - 1) / group;
    void *input_memory = input, *partial_memory = partial;
    for (size_t i = 0; i < INPUT_LENGTH; ++i)
        input[i] = (double)(i * 7919 % 1009) / 3.0;
    for (size_t g = 0; g < groups; ++g) {
        size_t n = g + 1 < groups ? group : INPUT_LENGTH - g * group;
        memcpy(slice, input + g * group, n * sizeof *slice);
        wanted[g] = accumulate(slice, n);
    }
    launch l = begin_launch(how, INPUT_LENGTH, 1);
    add_dimension(&l, INPUT_LENGTH, 0, groups);
    add_word(&l, 0);
    add_word(&l, 0);
    if (has_locals) { /* the second array lies before the first */
        add_word(&l, (int64_t)(group * 4 + 15) / 16 * 16);
        add_word(&l, 0);
    }
    pass(&l, &input_memory);
    pass(&l, &partial_memory);
    memset(partial, 0, sizeof partial);
    run_kernel(&l, program, kernel, DIMENSIONS((unsigned)groups, 1, 1), DIMENSIONS((unsigned)group, 1, 1));
    assert_memory_equal(partial, wanted, groups * sizeof *partial);
}

static void pointer_jumping_in_every_variant(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    EACH_LAYOUT(how)
    {
        void *program = load_program(QUERN_SOURCE_DIR "/examples/pointer_jumping.k.c", how);
        run_pointer_jumping(program, how, "pointer_jumping_sum", 256, 0);
        run_pointer_jumping(program, how, "pointer_jumping_list_sum", 128, 1);
        run_pointer_jumping(program, how, "pointer_jumping_list_sum", 97, 1);
        dlclose(program);
    }
}

/* Three dimensions with a size of its own and one from the launch: every id, barriers between phases that
 * exchange through local, dynamic and global memory, values that outlive them. */
static const char groups_text[] =
    "#include <quern/kernel.h>\n"
    "#define BODY \\\n"
    "    LOCAL(int32_t, total, 1); \\\n"
    "    PRIVATE(int32_t, mine); \\\n"
    "    ALL_ITEMS3 (k, j, i) { \\\n"
    "        MINE(mine, k, j, i) = (int32_t)(1000 * GROUP_LINEAR + ITEM_LINEAR(k, j, i)); \\\n"
    "        tile[ITEM_LINEAR(k, j, i)] = MINE(mine, k, j, i); \\\n"
    "    } \\\n"
    "    ONCE total[0] = 0; \\\n"
    "    int32_t rounds = 0; \\\n"
    "    for (;;) { \\\n"
    "        TEAM_EACH (n, 2 * GROUP_ITEMS + 1) { \\\n"
    "            if (n % 2) \\\n"
    "                continue; \\\n"
    "            ATOMIC_ADD(&total[0], 1); \\\n"
    "        } \\\n"
    "        READ_UNIFORM(int32_t, seen, total[0]); \\\n"
    "        rounds += 1; \\\n"
    "        if (seen > 3 * GROUP_ITEMS) \\\n"
    "            break; \\\n"
    "    } \\\n"
    "    ITEMS3 (k, j, i) { \\\n"
    "        x[GLOBAL_LINEAR(k, j, i)] = 3 * x[GLOBAL_LINEAR(k, j, i)]; \\\n"
    "        y[GLOBAL_LINEAR(k, j, i)] = tile[GROUP_ITEMS - 1 - ITEM_LINEAR(k, j, i)] + 7 * MINE(mine, k, j, i) + \\\n"
    "                                    100000 * rounds + (int32_t)total[0]; \\\n"
    "    } \\\n"
    "    ITEMS3 (k, j, i) { \\\n"
    "        if (i == 1) \\\n"
    "            continue; \\\n"
    "        y[GLOBAL_LINEAR(k, j, i)] += x[GLOBAL_LINEAR(0, 0, 0)] + 11 * (int32_t)(GROUP_ID + 2 * GROUP_ID_Y + \\\n"
    "                                     3 * GROUP_ID_Z + 5 * GROUPS + 7 * GROUPS_Y + 9 * GROUPS_Z + 13 * RANGE + \\\n"
    "                                     17 * RANGE_Y + 19 * RANGE_Z + 23 * GROUP_SIZE + 29 * GROUP_SIZE_Y + \\\n"
    "                                     31 * GROUP_SIZE_Z); \\\n"
    "    }\n"
    "GROUP_KERNEL(fixed, (2, 3, 5), inout(int32_t, x), inout(int32_t, y)) { LOCAL(int32_t, tile, GROUP_ITEMS); BODY }\n"
    "GROUP_KERNEL(given, (ANY, ANY, ANY), inout(int32_t, x), local(int32_t, tile), inout(int32_t, y)) { BODY }\n";

static const size_t size[3] = {2, 3, 5}, range[3] = {5, 7, 13}; /* slowest first: partial along each dimension */
enum { RANGE_ITEMS = 5 * 7 * 13, GROUP_ITEMS = 2 * 3 * 5 };

static size_t group_of(const size_t at[3], int d)
{
    return at[d] / size[d];
}

static size_t groups_along(int d)
{
    return (range[d] + size[d] - 1) / size[d];
}

static int32_t wanted_in_group(const size_t at[3])
{
    size_t group = (group_of(at, 0) * groups_along(1) + group_of(at, 1)) * groups_along(2) + group_of(at, 2);
    size_t item = (at[0] % size[0] * size[1] + at[1] % size[1]) * size[2] + at[2] % size[2];
    size_t first = (group_of(at, 0) * size[0] * range[1] + group_of(at, 1) * size[1]) * range[2] +
                   group_of(at, 2) * size[2]; /* of the group's items */
    size_t rounds = 3;                        /* each adds GROUP_ITEMS + 1 */
    size_t y = 1000 * group + GROUP_ITEMS - 1 - item + 7 * (1000 * group + item) + 100000 * rounds +
               rounds * (GROUP_ITEMS + 1);
    size_t ids = group_of(at, 2) + 2 * group_of(at, 1) + 3 * group_of(at, 0) + 5 * groups_along(2) +
                 7 * groups_along(1) + 9 * groups_along(0) + 13 * range[2] + 17 * range[1] + 19 * range[0] +
                 23 * size[2] + 29 * size[1] + 31 * size[0];
    return (int32_t)(y + (at[2] % size[2] == 1 ? 0 : 3 * first + 11 * ids));
}

enum { MARGIN = 1000 }; /* elements before and behind the views, which nobody touches */

static void run_groups(void *program, layout how, const char *kernel, int has_locals)
{
    static int32_t x[MARGIN + RANGE_ITEMS + MARGIN], y[MARGIN + RANGE_ITEMS + MARGIN];
    void *x_memory = x, *y_memory = y;
    for (int32_t i = 0; i < MARGIN + RANGE_ITEMS + MARGIN; ++i)
        x[i] = i - MARGIN;
    memset(y, 0, sizeof y);
    launch l = begin_launch(how, RANGE_ITEMS, 3);
    for (int d = 2; d >= 0; --d)
        add_dimension(&l, range[d], 0, groups_along(d));
    add_word(&l, MARGIN * 4);
    if (has_locals)
        add_word(&l, 48);
    add_word(&l, MARGIN * 4);
    pass(&l, &x_memory);
    pass(&l, &y_memory);
    run_kernel(&l, program, kernel,
               DIMENSIONS((unsigned)groups_along(2), (unsigned)groups_along(1), (unsigned)groups_along(0)),
               DIMENSIONS((unsigned)size[2], (unsigned)size[1], (unsigned)size[0]));
    for (int32_t i = -MARGIN; i < RANGE_ITEMS + MARGIN; ++i) {
        int is_inside = i >= 0 && i < RANGE_ITEMS;
        size_t k = (size_t)i;
        size_t at[3] = {k / (range[1] * range[2]), k / range[2] % range[1], k % range[2]};
        assert_int_equal(x[MARGIN + i], is_inside ? 3 * i : i);
        assert_int_equal(y[MARGIN + i], is_inside ? wanted_in_group(at) : 0);
    }
}

static void groups_in_every_variant(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    write_text("groups.k.c", groups_text);
    EACH_LAYOUT(how)
    {
        void *program = load_program("groups.k.c", how);
        run_groups(program, how, "fixed", 0);
        run_groups(program, how, "given", 1);
        dlclose(program);
    }
}

/* A fault that only the device's compiler sees is reported at the author's line. */
static void errors_are_at_the_author_s_line(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    write_text("late.k.c", "#include <quern/kernel.h>\n\nKERNEL(late, out(float, y))\n{\n    EACH (i) {\n\n"
                           "        y[i] = 1.0f;\n        y[i] = SOMETHING_UNKNOWN;\n    }\n}\n");
    write_program("late.k.c");
    assert_int_not_equal(run("LC_ALL=C %s %s -DQUERN_INDEX_BITS=64 -DQUERN_LINEAR=0 -include "
                             "%s/tests/cuda_emulation/cuda_emulation.h -fsyntax-only program.cpp 2>log",
                             cxx, cxx_options, QUERN_SOURCE_DIR),
                         0);
    char *log = read_text("log");
    assert_contains(log, "late.k.c:8:");
    free(log);
}

/* The control: the emulation tells when not all threads of a block reach a barrier. */
static void a_barrier_that_some_miss_is_reported(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    write_text("program.cpp", "extern \"C\" __global__ void quern_k_torn(int n)\n"
                              "{\n    if ((int)threadIdx.x < n)\n        __syncthreads();\n}\n"
                              "CUDA_EMULATION_KERNEL(quern_k_torn)\n");
    assert_int_equal(run("%s %s -include %s/tests/cuda_emulation/cuda_emulation.h -shared program.cpp fibres.o -o "
                         "./torn.so",
                         cxx, cxx_options, QUERN_SOURCE_DIR),
                     0);
    void *program = dlopen("./torn.so", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(program);
    const char *(*call)(void **, const unsigned *, const unsigned *);
    *(void **)&call = dlsym(program, "cuda_emulation_run_quern_k_torn");
    for (int n = 0; n <= 4; ++n) {
        const char *wrong = call((void *[]){&n}, DIMENSIONS(2, 1, 1), DIMENSIONS(4, 1, 1));
        assert_int_equal(wrong != NULL, n > 0 && n < 4);
    }
    dlclose(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(saxpy_in_every_variant),
                                       cmocka_unit_test(pitched_stencil_in_every_variant),
                                       cmocka_unit_test(every_index_is_visited_once),
                                       cmocka_unit_test(pointer_jumping_in_every_variant),
                                       cmocka_unit_test(groups_in_every_variant),
                                       cmocka_unit_test(errors_are_at_the_author_s_line),
                                       cmocka_unit_test(a_barrier_that_some_miss_is_reported)};
    if (enter_folder(NULL) != 0)
        return 1;
    find_cxx();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    leave_folder(NULL);
    return failed;
}
