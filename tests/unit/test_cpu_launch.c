/* Launches on the CPU: every item and every group exactly once, for any rank, extents, group and number of threads. */
#include "cpu_fixture.h"

/* The row-major number of an item or group of a piece, slowest first. */
static size_t number_of(const struct quern_cpu_piece *piece, const ptrdiff_t *index, int groups)
{
    size_t number = 0;
    for (int d = piece->rank - 1; d >= 0; --d)
        number = number * (size_t)(groups ? piece->dim[d].groups : piece->dim[d].extent) + (size_t)index[d];
    return number;
}

static int is_sound(const struct quern_cpu_piece *piece, int groups)
{
    for (int d = 0; d < piece->rank; ++d) {
        const struct quern_cpu_dimension *dim = &piece->dim[d];
        if (dim->begin < 0 || dim->begin >= dim->end || dim->end > (groups ? dim->groups : dim->extent) ||
            dim->offset != 100 + d || (groups ? dim->group < 1 : dim->group != 0 || dim->groups != 0))
            return 0;
    }
    return piece->scratch && piece->scratch->used == 0 && piece->failed == 0;
}

static _Atomic int unsound;

/* Counts up the byte of every unit of the piece. Units of different pieces differ, so plain bytes do. */
static void count(struct quern_cpu_piece *piece, unsigned char *seen, int groups)
{
    ptrdiff_t index[6];
    if (!is_sound(piece, groups)) {
        atomic_store(&unsound, 1);
        return;
    }
    for (int d = 0; d < piece->rank; ++d)
        index[d] = piece->dim[d].begin;
    for (;;) {
        int d = 0;
        ++seen[number_of(piece, index, groups)];
        while (d < piece->rank && ++index[d] == piece->dim[d].end) {
            index[d] = piece->dim[d].begin;
            ++d;
        }
        if (d == piece->rank)
            return;
    }
}

static void count_items(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    count(piece, arguments[0].address, 0);
}

static void count_groups(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    count(piece, arguments[0].address, 1);
}

enum { MOST_UNITS = 400000 };

static unsigned char seen[MOST_UNITS];
static struct fake_progress blocking, queued;
static struct fixture_kernel items, groups;

static void check_launch(struct fake_progress *queue, uint32_t rank, const size_t *extents, const size_t *group)
{
    quern_backend_argument argument = fixture_view(seen, 1);
    quern_backend_launch launch = fixture_launch(group ? &groups : &items, rank, extents, group, &argument, 1);
    size_t units = launch.items;
    if (group) {
        units = 1;
        for (uint32_t d = 0; d < rank; ++d)
            units *= launch.groups[d];
    }
    for (uint32_t d = 0; d < rank; ++d)
        launch.offsets[d] = 100 + (ptrdiff_t)(rank - 1 - d);
    assert_true(units <= MOST_UNITS);
    memset(seen, 0, units);
    assert_int_equal(fixture_submit(queue, &launch), QUERN_SUCCESS);
    fixture_synchronize(queue);
    assert_int_equal(atomic_load(&unsound), 0);
    for (size_t i = 0; i < units; ++i)
        if (seen[i] != 1)
            fail_msg("unit %zu of %zu ran %d times (rank %u, first extent %zu)", i, units, seen[i], rank,
                     rank ? extents[0] : 1);
}

static void check_both(uint32_t rank, const size_t *extents, const size_t *group)
{
    check_launch(&blocking, rank, extents, group);
    check_launch(&queued, rank, extents, group);
}

/* One-dimensional ranges: every short length, and those around the borders of the rules. */
static void check_lengths(void)
{
    static const size_t lengths[] = {511,  512,  513,   1021,  1023,  1024,  1025,  2047,   4096,   4111,
                                     8191, 8192, 16381, 16384, 16385, 32771, 65537, 131072, 262147, 399989};
    static const size_t sizes[] = {1, 8, 64, 256, 1000};
    for (size_t n = 1; n <= 260; ++n)
        check_both(1, &n, NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        check_both(1, &lengths[i], NULL);
        for (size_t g = 0; g < sizeof sizes / sizeof sizes[0]; ++g)
            check_both(1, &lengths[i], &sizes[g]);
    }
    for (size_t n = 1; n <= 40; ++n)
        for (size_t g = 1; g <= 9; g += 4)
            check_both(1, &n, &g);
}

/* The figures of the project's reference, slowest first. */
static void check_ranks(void)
{
    static const size_t extents[][6] = {{3},
                                        {7, 3},
                                        {5, 7, 3},
                                        {5, 7, 4111},
                                        {93, 7, 123},
                                        {5, 7, 3, 11},
                                        {17, 19, 23, 29},
                                        {3, 5, 7, 11, 13},
                                        {1, 1, 65537},
                                        {2, 3, 1, 5, 7, 31},
                                        {1, 1, 1, 1, 1, 1},
                                        {1, 100003},
                                        {100003, 1},
                                        {64, 64},
                                        {2, 2},
                                        {4096, 17}};
    static const uint32_t ranks[] = {1, 2, 3, 3, 3, 4, 4, 5, 3, 6, 6, 2, 2, 2, 2, 2};
    static const size_t sizes[3][3] = {{4, 4, 4}, {1, 1, 64}, {3, 5, 7}};
    check_both(0, NULL, NULL);
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; ++i) {
        check_both(ranks[i], extents[i], NULL);
        for (size_t g = 0; g < 3 && ranks[i] <= 3; ++g)
            check_both(ranks[i], extents[i], sizes[g] + 3 - ranks[i]);
    }
}

static void check_threads(unsigned threads, unsigned devices)
{
    fixture_start(threads, devices);
    for (unsigned d = 0; d < devices; ++d) {
        void *device = fixture_device(d);
        fixture_queue(&blocking, device, 1);
        fixture_queue(&queued, device, 0);
        fixture_build(&items, device, "items", count_items, 0);
        fixture_build(&groups, device, "groups", count_groups, 1);
        check_lengths();
        check_ranks();
        fixture_release(&items);
        fixture_release(&groups);
        fixture_destroy(&blocking);
        fixture_destroy(&queued);
    }
    quern_cpu_backend.stop();
}

static void one_thread(void **state)
{
    (void)state;
    check_threads(1, 1);
}

static void two_threads(void **state)
{
    (void)state;
    check_threads(2, 1);
}

static void more_threads_than_cpus(void **state)
{
    (void)state;
    check_threads(4, 1);
    check_threads(8, 1);
    check_threads(31, 1); /* rounded pieces leave some of them nothing */
}

static void two_devices(void **state)
{
    (void)state;
    check_threads(2, 2);
    check_threads(5, 2);
}

/* ---- arguments ---- */

struct triple {
    double a;
    int32_t b;
    char c;
};

/* y[i] = EXTENT(x, 0) + pitch of x + value + length, so that all that a launch carries is seen to arrive. */
static void use_arguments(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    double *y = arguments[0].address;
    const struct triple *value = arguments[2].address;
    for (ptrdiff_t i = piece->dim[0].begin; i < piece->dim[0].end; ++i)
        y[i] = (double)arguments[1].extents[0] + (double)arguments[1].pitches[1] + value->a + value->b + value->c +
               (double)arguments[3].length + *(const char *)arguments[4].address;
}

/* The caller's memory of extents, pitches and values may change as soon as the launch has returned. */
static void arguments_are_read_before_the_launch_returns(void **state)
{
    (void)state;
    static double y[3001];
    static double x[1];
    fixture_start(3, 1);
    void *device = fixture_device(0);
    struct fixture_kernel kernel;
    fixture_build(&kernel, device, "arguments", use_arguments, 0);
    for (int is_blocking = 0; is_blocking < 2; ++is_blocking) {
        struct fake_progress progress;
        fixture_queue(&progress, device, is_blocking);
        for (int turn = 0; turn < 200; ++turn) {
            size_t extents[2] = {7, 5}, n = 3001;
            ptrdiff_t pitches[2] = {40, 8};
            struct triple value = {0.5 * turn, turn, (char)(turn % 100)};
            char small = (char)(turn % 50);
            quern_backend_argument arguments[5] = {fixture_view(y, 8), fixture_view(x, 8),
                                                   fixture_value(&value, sizeof value), fixture_value(NULL, 4),
                                                   fixture_value(&small, 1)};
            arguments[1].form = QUERN_PARAMETER_IN_ND;
            arguments[1].rank = 2;
            arguments[1].extents = extents;
            arguments[1].pitches = pitches;
            arguments[3].form = QUERN_PARAMETER_LOCAL;
            arguments[3].length = 1000;
            quern_backend_launch launch = fixture_launch(&kernel, 1, &n, NULL, arguments, 5);
            assert_int_equal(fixture_submit(&progress, &launch), QUERN_SUCCESS);
            extents[0] = 0;
            pitches[1] = 0;
            memset(&value, 0xff, sizeof value);
            small = 0;
            if (turn % 17 == 0 || is_blocking) {
                fixture_synchronize(&progress);
                double wanted = 7 + 8 + 0.5 * turn + turn + turn % 100 + 1000 + turn % 50;
                for (size_t i = 0; i < n; ++i)
                    assert_true(y[i] == wanted);
            }
        }
        fixture_destroy(&progress);
    }
    fixture_release(&kernel);
    quern_cpu_backend.stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(more_threads_than_cpus),
        cmocka_unit_test(two_devices),
        cmocka_unit_test(arguments_are_read_before_the_launch_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
