/* The layout of a launch at the borders of 32 bits, the default group size, and what a kernel needs of a device. */
#include "runtime_test.h"

#include "runtime/layout.h"
#include "runtime/needs.h"

#define BORDER ((size_t)1 << 31)
enum { ROOM = 65536 }; /* of padding, while the group size is not known */

static const quern_kernel plain = {.version = QUERN_KERNEL_VERSION, .name = "plain", .rank = -1};
static const quern_kernel grouped = {.version = QUERN_KERNEL_VERSION, .name = "grouped", .is_group = 1};

static quern_backend_launch launch_of(const quern_kernel *kernel, uint32_t rank, const size_t *extents)
{
    quern_backend_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.kernel = kernel;
    launch.rank = rank;
    launch.items = 1;
    for (uint32_t d = 0; d < rank; ++d)
        launch.items *= launch.extents[d] = extents[d];
    return launch;
}

static quern_launch_layout layout_of(const quern_backend_launch *launch, const quern_grid_limits *limits)
{
    quern_launch_layout layout = {7, 7};
    quern_launch_choose_layout(launch, limits, &layout);
    return layout;
}

#define EXTENTS_OF(...)                                                                                                \
    (sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)), (size_t[])                                                     \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static uint32_t bits_of(uint32_t rank, const size_t *extents)
{
    quern_backend_launch launch = launch_of(&plain, rank, extents);
    return layout_of(&launch, NULL).index_bits;
}

static uint32_t is_linear(uint32_t rank, const size_t *extents, size_t x, size_t y, size_t z)
{
    quern_backend_launch launch = launch_of(&plain, rank, extents);
    quern_grid_limits limits = {{x, y, z}};
    return layout_of(&launch, &limits).linear;
}

/* ---- the grid ---- */

static void test_ranks(void **state)
{
    (void)state;
    size_t extents[QUERN_MAX_RANK] = {2, 3, 5, 7, 3, 2};
    for (uint32_t rank = 0; rank <= QUERN_MAX_RANK; ++rank) {
        assert_int_equal(is_linear(rank, extents, 0, 0, 0), rank < 1 || rank > 3);
        assert_int_equal(bits_of(rank, extents), 32);
    }
}

static void test_grid_limits(void **state)
{
    (void)state;
    /* The last extent lies along x. */
    assert_int_equal(is_linear(EXTENTS_OF(100), 100, 1, 1), 0);
    assert_int_equal(is_linear(EXTENTS_OF(101), 100, 0, 0), 1);
    assert_int_equal(is_linear(EXTENTS_OF(65535, 9), 9, 65535, 1), 0);
    assert_int_equal(is_linear(EXTENTS_OF(65536, 9), 9, 65535, 1), 1);
    assert_int_equal(is_linear(EXTENTS_OF(65536, 9), 9, 0, 1), 0);
    assert_int_equal(is_linear(EXTENTS_OF(4, 5, 6), 6, 5, 4), 0);
    assert_int_equal(is_linear(EXTENTS_OF(5, 5, 6), 6, 5, 4), 1);
    assert_int_equal(is_linear(EXTENTS_OF(4, 6, 6), 6, 5, 4), 1);
    assert_int_equal(is_linear(EXTENTS_OF(4, 5, 7), 6, 5, 4), 1);
    assert_int_equal(is_linear(EXTENTS_OF(1, 1, 1, 1), 6, 5, 4), 1);
    /* The caller's hint makes fewer groups of it. */
    quern_backend_launch launch = launch_of(&plain, EXTENTS_OF(1001, 9));
    quern_grid_limits limits = {{9, 100, 1}};
    assert_int_equal(layout_of(&launch, &limits).linear, 1);
    launch.group[0] = 10;
    launch.group[1] = 1;
    assert_int_equal(layout_of(&launch, &limits).linear, 1); /* 101 */
    launch.group[0] = 11;
    assert_int_equal(layout_of(&launch, &limits).linear, 0);
    /* Groups always lie on the grid. */
    launch = launch_of(&grouped, EXTENTS_OF(1001, 9));
    launch.group[0] = launch.group[1] = 1;
    launch.groups[0] = 1001;
    launch.groups[1] = 9;
    assert_int_equal(layout_of(&launch, &limits).linear, 0);
}

/* ---- the index ---- */

static void test_extents_at_the_border(void **state)
{
    (void)state;
    assert_int_equal(bits_of(EXTENTS_OF(BORDER - ROOM)), 32);
    assert_int_equal(bits_of(EXTENTS_OF(BORDER - ROOM + 1)), 64);
    assert_int_equal(bits_of(EXTENTS_OF(BORDER)), 64);
    assert_int_equal(bits_of(EXTENTS_OF(PTRDIFF_MAX)), 64);
    assert_int_equal(bits_of(EXTENTS_OF(BORDER / 2 - ROOM, 2)), 32);
    assert_int_equal(bits_of(EXTENTS_OF(BORDER / 2, 2)), 64);
    assert_int_equal(bits_of(EXTENTS_OF(1 << 16, 1 << 15)), 64);
    assert_int_equal(bits_of(EXTENTS_OF((1 << 16) - 2, 1 << 15)), 32);
    assert_int_equal(bits_of(EXTENTS_OF(2, 1024, 1024, 1024)), 64);
    assert_int_equal(bits_of(EXTENTS_OF(1023, 2, 1024, 1024)), 32);
    /* The caller's hint need not be followed; a larger one might be. */
    quern_backend_launch launch = launch_of(&plain, EXTENTS_OF(BORDER - ROOM));
    launch.group[0] = 256;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 32);
    launch.group[0] = 2 * ROOM;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 64);
    launch = launch_of(&plain, EXTENTS_OF(BORDER - ROOM + 1));
    launch.group[0] = 1;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 64);
}

static void test_groups_are_padded(void **state)
{
    (void)state;
    quern_backend_launch launch = launch_of(&grouped, EXTENTS_OF(BORDER - 101));
    launch.group[0] = 100;
    launch.groups[0] = (BORDER - 101 + 99) / 100; /* in whole groups 2^31 - 48 */
    assert_true(launch.groups[0] * 100 < BORDER);
    assert_int_equal(layout_of(&launch, NULL).index_bits, 32);
    launch.extents[0] = launch.items = BORDER - 1;
    launch.groups[0] = (BORDER - 1 + 99) / 100; /* past the border with its padding, not without */
    assert_true(launch.groups[0] * 100 >= BORDER);
    assert_int_equal(layout_of(&launch, NULL).index_bits, 64);
    launch = launch_of(&grouped, EXTENTS_OF(1 << 16, (1 << 15) - 7));
    launch.group[0] = 1;
    launch.group[1] = 8;
    launch.groups[0] = 1 << 16;
    launch.groups[1] = 1 << 12; /* the product of the padded extents is 2^31 */
    assert_true(launch.items < BORDER);
    assert_int_equal(layout_of(&launch, NULL).index_bits, 64);
    launch.groups[1] = (1 << 12) - 1;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 32);
}

static void test_offsets(void **state)
{
    (void)state;
    quern_backend_launch launch = launch_of(&plain, EXTENTS_OF(10, 1000));
    struct {
        ptrdiff_t offset;
        uint32_t bits;
    } cases[] = {
        {(ptrdiff_t)BORDER - 1 - 1000 - (ROOM - 1), 32},
        {(ptrdiff_t)BORDER - 1000 - (ROOM - 1), 64},
        {-(ptrdiff_t)BORDER, 32},
        {-(ptrdiff_t)BORDER - 1, 64},
        {PTRDIFF_MAX - 1000, 64},
        {PTRDIFF_MIN, 64},
        {-5, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        launch.offsets[1] = cases[i].offset;
        assert_int_equal(layout_of(&launch, NULL).index_bits, cases[i].bits);
    }
    launch.offsets[1] = 0;
    launch.offsets[0] = -(ptrdiff_t)BORDER - 1;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 64);
    /* A negative offset makes no room for more items: they are numbered from 0. */
    launch = launch_of(&plain, EXTENTS_OF(BORDER));
    launch.offsets[0] = -(ptrdiff_t)BORDER;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 64);
}

/* The bits for one argument that lies offset bytes behind the begin of its memory. */
static uint32_t bits_of_view(uint32_t form, uint32_t size, size_t offset, uint32_t rank, const size_t *extents,
                             const ptrdiff_t *pitches)
{
    static char memory[1]; /* an address that is only counted from */
    quern_backend_launch launch = launch_of(&plain, EXTENTS_OF(10));
    quern_backend_argument argument = {.form = form, .size = size, .rank = rank, .length = 1};
    for (uint32_t d = 0; d < rank; ++d)
        argument.length *= extents[d];
    argument.memory = memory;
    argument.address = (void *)((uintptr_t)memory + offset);
    argument.extents = extents;
    argument.pitches = pitches;
    launch.argument_count = 1;
    launch.arguments = &argument;
    return layout_of(&launch, NULL).index_bits;
}

static void test_views_at_the_border(void **state)
{
    (void)state;
    size_t line[1] = {BORDER / 8 - 1};
    ptrdiff_t eight[1] = {8};
    assert_int_equal(bits_of_view(QUERN_PARAMETER_IN, 8, 0, 1, line, eight), 32);
    assert_int_equal(bits_of_view(QUERN_PARAMETER_IN, 8, 7, 1, line, eight), 32);
    assert_int_equal(bits_of_view(QUERN_PARAMETER_IN, 8, 8, 1, line, eight), 64); /* a small view far behind */
    line[0] = BORDER / 8;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_INOUT, 8, 0, 1, line, eight), 64);
    line[0] = 1;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_OUT, 8, BORDER - 9, 1, line, eight), 32);
    assert_int_equal(bits_of_view(QUERN_PARAMETER_OUT, 8, BORDER - 8, 1, line, eight), 64);
    /* few elements, far apart */
    size_t box[2] = {3, 5};
    ptrdiff_t pitches[2] = {(ptrdiff_t)(BORDER - 1 - 20) / 2, 4};
    assert_int_equal(bits_of_view(QUERN_PARAMETER_IN_ND, 4, 0, 2, box, pitches), 32);
    assert_int_equal(bits_of_view(QUERN_PARAMETER_IN_ND, 4, 2, 2, box, pitches), 64);
    pitches[0] = PTRDIFF_MAX / 2;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_IN_ND, 4, 0, 2, box, pitches), 64);
    /* a pitch that no element depends on is still a word that the kernel is given */
    box[0] = 1;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_OUT_ND, 4, 0, 2, box, pitches), 64);
    pitches[0] = (ptrdiff_t)BORDER;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_OUT_ND, 4, 0, 2, box, pitches), 64);
    pitches[0] = (ptrdiff_t)BORDER - 1;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_OUT_ND, 4, 0, 2, box, pitches), 32);
    /* no elements: only where it begins counts, and its shape */
    box[0] = 0;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_OUT_ND, 4, 0, 2, box, pitches), 32);
    box[1] = BORDER;
    assert_int_equal(bits_of_view(QUERN_PARAMETER_OUT_ND, 4, 0, 2, box, pitches), 64);
}

static void test_other_arguments(void **state)
{
    (void)state;
    quern_backend_launch launch = launch_of(&plain, EXTENTS_OF(10));
    uint64_t value = UINT64_MAX;
    quern_backend_argument arguments[2] = {
        {.form = QUERN_PARAMETER_VALUE, .size = 8, .address = &value, .length = 1},
        {.form = QUERN_PARAMETER_LOCAL, .size = 8, .length = BORDER / 8 - 1},
    };
    launch.argument_count = 2;
    launch.arguments = arguments;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 32);
    arguments[1].length = BORDER / 8;
    assert_int_equal(layout_of(&launch, NULL).index_bits, 64);
}

/* ---- groups ---- */

static void expect_group(const quern_device_info *info, uint32_t rank, const size_t *extents, size_t max_items,
                         const size_t *expected)
{
    size_t group[QUERN_MAX_RANK + 1];
    for (uint32_t d = 0; d <= QUERN_MAX_RANK; ++d)
        group[d] = 99;
    quern_launch_default_group(info, rank, extents, max_items, group);
    for (uint32_t d = 0; d < rank; ++d)
        assert_int_equal(group[d], expected[d]);
    assert_int_equal(group[rank], 99); /* nothing behind */
}

#define GROUP_OF(...)                                                                                                  \
    (size_t[])                                                                                                         \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void test_default_group(void **state)
{
    (void)state;
    quern_device_info info;
    memset(&info, 0, sizeof info);
    expect_group(&info, 0, GROUP_OF(1), 256, GROUP_OF(1));
    expect_group(&info, EXTENTS_OF(1000), 256, GROUP_OF(256));
    expect_group(&info, EXTENTS_OF(100), 256, GROUP_OF(100));
    expect_group(&info, EXTENTS_OF(1), 256, GROUP_OF(1));
    expect_group(&info, EXTENTS_OF(1000), 0, GROUP_OF(1));
    expect_group(&info, EXTENTS_OF(1000, 1000), 256, GROUP_OF(1, 256));
    expect_group(&info, EXTENTS_OF(1000, 10), 256, GROUP_OF(25, 10)); /* x first */
    expect_group(&info, EXTENTS_OF(7, 5, 3), 256, GROUP_OF(7, 5, 3));
    expect_group(&info, EXTENTS_OF(100, 5, 3), 256, GROUP_OF(17, 5, 3));
    info.largest_group_items = 64;
    expect_group(&info, EXTENTS_OF(1000, 10), 256, GROUP_OF(6, 10));
    info.largest_group[0] = 2; /* z */
    info.largest_group[1] = 3;
    info.largest_group[2] = 5;
    expect_group(&info, EXTENTS_OF(100), 256, GROUP_OF(5));
    expect_group(&info, EXTENTS_OF(100, 100), 256, GROUP_OF(3, 5));
    expect_group(&info, EXTENTS_OF(100, 100, 100), 256, GROUP_OF(2, 3, 5));
    expect_group(&info, EXTENTS_OF(100, 100, 100, 100), 256, GROUP_OF(1, 2, 3, 5));
    expect_group(&info, EXTENTS_OF(9, 9, 100, 100, 100, 100), 7, GROUP_OF(1, 1, 1, 1, 1, 5));
    expect_group(&info, EXTENTS_OF(0, 4), 7, GROUP_OF(1, 4)); /* nothing is launched, and no group is empty */
}

/* ---- needs ---- */

static void test_needs(void **state)
{
    (void)state;
    quern_kernel kernel = {.name = "wide"};
    quern_device_info info;
    memset(&info, 0, sizeof info);
    snprintf(info.name, sizeof info.name, "opencl:3");
    ok(quern_kernel_check_needs(&kernel, &info));
    kernel.needs = QUERN_NEEDS_FP64;
    refused(quern_kernel_check_needs(&kernel, &info), QUERN_NOT_SUPPORTED, "'wide'|double|opencl:3");
    info.fp64 = 1;
    ok(quern_kernel_check_needs(&kernel, &info));
    kernel.needs = QUERN_NEEDS_ATOMICS64 | QUERN_NEEDS_FP64;
    refused(quern_kernel_check_needs(&kernel, &info), QUERN_NOT_SUPPORTED, "'wide'|atomics|64|opencl:3");
    info.atomics64 = 1;
    ok(quern_kernel_check_needs(&kernel, &info));
    kernel.needs = 0x40;
    refused(quern_kernel_check_needs(&kernel, &info), QUERN_NOT_SUPPORTED, "'wide'|0x40");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_grid_limits),
        cmocka_unit_test(test_extents_at_the_border),
        cmocka_unit_test(test_groups_are_padded),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_views_at_the_border),
        cmocka_unit_test(test_other_arguments),
        cmocka_unit_test(test_default_group),
        cmocka_unit_test(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
