/* CPU devices: the environment, what a device says of itself, kernels' machine code, group sizes, memory, scratch. */
#include "cpu_fixture.h"

#include "backend/cpu/cpu_thread.h"
#include "base/cpu_level.h"

static const quern_backend *const cpu = &quern_cpu_backend;

/* ---- the environment ---- */

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void set_environment(const char *threads, const char *devices, const char *pin)
{
    set("QUERN_CPU_THREADS", threads);
    set("QUERN_CPU_DEVICES", devices);
    set("QUERN_CPU_PIN", pin);
}

static unsigned units_of(size_t index)
{
    quern_device_info info;
    assert_int_equal(cpu->device_info(fixture_device(index), &info), QUERN_SUCCESS);
    return info.compute_units;
}

static void threads_are_split_over_the_devices(void **state)
{
    static const struct {
        const char *threads, *devices;
        unsigned counts[4];
    } cases[] = {{"1", "1", {1}},       {"5", "1", {5}},       {"4", "2", {2, 2}},      {"5", "2", {3, 2}},
                 {"7", "3", {3, 2, 2}}, {"1", "3", {1, 1, 1}}, {"2", "4", {1, 1, 1, 1}}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        size_t count, wanted = 0;
        set_environment(cases[c].threads, cases[c].devices, NULL);
        assert_int_equal(cpu->start(&fake_host), QUERN_SUCCESS);
        while (wanted < 4 && cases[c].counts[wanted])
            ++wanted;
        assert_int_equal(cpu->device_count(&count), QUERN_SUCCESS);
        assert_int_equal(count, wanted);
        for (size_t d = 0; d < count; ++d)
            assert_int_equal(units_of(d), cases[c].counts[d]);
        void *device;
        assert_int_equal(cpu->device_open(count, &device), QUERN_NOT_PRESENT);
        cpu->stop();
    }
}

static void bad_numbers_are_refused(void **state)
{
    static const char *const bad[] = {"0", "-1", "two", "2x", "1025", "99999999999999999999", "1.5", " "};
    static const char *const names[] = {"QUERN_CPU_THREADS", "QUERN_CPU_DEVICES", "QUERN_CPU_PIN"};
    (void)state;
    for (size_t n = 0; n < 3; ++n)
        for (size_t b = n == 2; b < sizeof bad / sizeof bad[0]; ++b) {
            set_environment(NULL, NULL, NULL);
            setenv(names[n], bad[b], 1);
            assert_int_equal(cpu->start(&fake_host), QUERN_INVALID_ARGUMENT);
            assert_non_null(strstr(quern_last_error(), names[n]));
            assert_non_null(strstr(quern_last_error(), bad[b]));
        }
    set_environment(NULL, NULL, NULL);
}

static void without_environment_there_is_a_device(void **state)
{
    size_t count;
    (void)state;
    set_environment("", NULL, NULL);
    assert_int_equal(cpu->start(&fake_host), QUERN_SUCCESS);
    assert_int_equal(cpu->device_count(&count), QUERN_SUCCESS);
    assert_true(count >= 1);
    assert_true(units_of(0) >= 1);
    cpu->stop();
}

static void pinned_threads_work(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads += 2) {
        char text[16];
        struct fake_progress queue;
        snprintf(text, sizeof text, "%d", threads);
        set_environment(text, "1", "1");
        assert_int_equal(cpu->start(&fake_host), QUERN_SUCCESS);
        fixture_queue(&queue, fixture_device(0), 0);
        assert_int_equal(cpu->signal(queue.queue, ++queue.submitted), QUERN_SUCCESS);
        fixture_destroy(&queue);
        cpu->stop();
    }
    set_environment(NULL, NULL, NULL);
}

static void a_device_knows_what_it_is(void **state)
{
    quern_device_info info;
    const char *level;
    (void)state;
    set_environment("3", "2", NULL);
    assert_int_equal(cpu->start(&fake_host), QUERN_SUCCESS);
    assert_int_equal(cpu->device_info(fixture_device(1), &info), QUERN_SUCCESS);
    assert_int_equal(quern_cpu_level(&level), QUERN_SUCCESS);
    assert_string_equal(info.name, "cpu:1");
    assert_string_equal(info.backend, "cpu");
    assert_string_equal(info.instruction_set, level);
    assert_true(info.memory_bytes > 1 << 20);
    assert_true(info.largest_allocation > 1 << 20);
    assert_true(info.simd_bytes >= 16 && info.preferred_alignment == 64);
    assert_true(info.fp64 && info.atomics64 && info.unified_memory && info.host_accessible && !info.fp16);
    assert_true(info.largest_group_items >= 1024 && info.local_memory_bytes >= 32768);
    for (int d = 0; d < 3; ++d)
        assert_int_equal(info.largest_group[d], info.largest_group_items);
    cpu->stop();
}

/* ---- kernels ---- */

static void code_a(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    (void)piece;
    *(int *)arguments[0].address = 1;
}

static void code_b(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    (void)piece;
    *(int *)arguments[0].address = 2;
}

static void the_best_code_is_taken(void **state)
{
    int ran = 0;
    size_t one = 1;
    void *compiled;
    quern_kernel_limits limits;
    const char *level;
    struct fake_progress queue;
    (void)state;
    fixture_start(1, 1);
    assert_int_equal(quern_cpu_level(&level), QUERN_SUCCESS);
    quern_kernel_image images[] = {{"opencl", "x86-64-v2", (void (*)(void))code_b, NULL, 0},
                                   {"cpu", "generic", (void (*)(void))code_b, NULL, 0},
                                   {"cpu", level, (void (*)(void))code_a, NULL, 0},
                                   {"cpu", "x86-64-v9", (void (*)(void))code_b, NULL, 0},
                                   {"cpu", "x86-64-v4", NULL, NULL, 0}};
    quern_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.name = "chosen";
    kernel.images = images;
    kernel.image_count = 5;
    assert_int_equal(cpu->kernel_build(fixture_device(0), &kernel, &compiled, &limits), QUERN_SUCCESS);
    fixture_queue(&queue, fixture_device(0), 1);
    struct fixture_kernel built = {.kernel = kernel, .compiled = compiled};
    quern_backend_argument argument = fixture_view(&ran, 4);
    quern_backend_launch launch = fixture_launch(&built, 1, &one, NULL, &argument, 1);
    assert_int_equal(fixture_submit(&queue, &launch), QUERN_SUCCESS);
    assert_int_equal(ran, 1);
    cpu->kernel_release(fixture_device(0), compiled);
    /* Nothing that this processor runs. */
    kernel.image_count = 1;
    assert_int_equal(cpu->kernel_build(fixture_device(0), &kernel, &compiled, &limits), QUERN_NOT_SUPPORTED);
    assert_non_null(strstr(quern_last_error(), "chosen"));
    fixture_destroy(&queue);
    cpu->stop();
}

static void a_kernels_memory_limits_its_groups(void **state)
{
    struct fixture_kernel kernel;
    quern_kernel_limits limits;
    void *compiled;
    (void)state;
    fixture_start(1, 1);
    fixture_build(&kernel, fixture_device(0), "limited", code_a, 1);
    fixture_release(&kernel);
    kernel.kernel.local_bytes = 1000;
    kernel.kernel.private_bytes = 64;
    assert_int_equal(cpu->kernel_build(fixture_device(0), &kernel.kernel, &compiled, &limits), QUERN_SUCCESS);
    assert_int_equal(limits.group_items, 65536);
    assert_int_equal(limits.local_bytes, 1000);
    assert_int_equal(limits.private_bytes, 64);
    cpu->kernel_release(fixture_device(0), compiled);
    kernel.kernel.private_bytes = 1 << 20;
    assert_int_equal(cpu->kernel_build(fixture_device(0), &kernel.kernel, &compiled, &limits), QUERN_SUCCESS);
    assert_int_equal(limits.group_items, 64);
    cpu->kernel_release(fixture_device(0), compiled);
    kernel.kernel.private_bytes = (uint64_t)1 << 40;
    assert_int_equal(cpu->kernel_build(fixture_device(0), &kernel.kernel, &compiled, &limits), QUERN_SUCCESS);
    assert_int_equal(limits.group_items, 1);
    cpu->kernel_release(fixture_device(0), compiled);
    kernel.kernel.local_bytes = 1 << 20;
    assert_int_equal(cpu->kernel_build(fixture_device(0), &kernel.kernel, &compiled, &limits), QUERN_LIMIT_EXCEEDED);
    cpu->stop();
}

static void configure(uint32_t rank, const size_t *extents, size_t most, size_t *group)
{
    struct fixture_kernel kernel;
    fixture_build(&kernel, fixture_device(0), "any", code_a, 1);
    assert_int_equal(
        cpu->launch_configuration(fixture_device(0), &kernel.kernel, kernel.compiled, rank, extents, most, group),
        QUERN_SUCCESS);
    fixture_release(&kernel);
}

static void group_sizes_are_legal_and_sensible(void **state)
{
    static const size_t extents[][3] = {{1, 1, 1},    {13, 1, 1},    {4111, 1, 1},    {1000003, 1, 1},
                                        {7, 3, 1},    {1, 65537, 1}, {4096, 4096, 1}, {16, 16, 16},
                                        {5, 7, 4111}, {93, 7, 123},  {100003, 1, 1},  {2, 2, 2}};
    static const uint32_t ranks[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 2, 3};
    static const size_t caps[] = {1, 2, 7, 64, 1000, 65536};
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        fixture_start(threads, 1);
        for (size_t c = 0; c < sizeof ranks / sizeof ranks[0]; ++c)
            for (size_t m = 0; m < sizeof caps / sizeof caps[0]; ++m) {
                size_t group[3] = {0, 0, 0}, items = 1, groups = 1, all = 1, padded = 1;
                configure(ranks[c], extents[c], caps[m], group);
                for (uint32_t d = 0; d < ranks[c]; ++d) {
                    assert_true(group[d] >= 1 && group[d] <= extents[c][d] + 15);
                    items *= group[d];
                    all *= extents[c][d];
                    groups *= (extents[c][d] + group[d] - 1) / group[d];
                    padded *= (extents[c][d] + group[d] - 1) / group[d] * group[d];
                }
                assert_true(items <= caps[m]);
                assert_true(padded < 2 * all);
                if (all >= 4 * threads) /* enough for all threads */
                    assert_true(groups >= 2 * threads);
            }
        cpu->stop();
    }
    /* 64 along x would pad threefold here. */
    size_t group[3], cube[3] = {16, 16, 16};
    fixture_start(2, 1);
    configure(3, cube, 65536, group);
    assert_int_equal(group[2], 16);
    assert_int_equal(16 % group[1] + 16 % group[0], 0);
    cpu->stop();
}

/* ---- memory ---- */

static void memory_is_aligned(void **state)
{
    static const size_t sizes[] = {1, 63, 64, 4097, 1 << 21, (1 << 21) + 1, 10000019};
    (void)state;
    fixture_start(1, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (size_t alignment = 1; alignment <= 4096; alignment *= 8)
            for (int kind = QUERN_MEMORY_DEVICE; kind <= QUERN_MEMORY_UNIFIED; ++kind) {
                void *memory = NULL;
                assert_int_equal(
                    cpu->allocate(fixture_device(0), sizes[s], alignment, (quern_memory_kind)kind, &memory),
                    QUERN_SUCCESS);
                assert_int_equal((uintptr_t)memory % alignment, 0);
                assert_int_equal((uintptr_t)memory % 64, 0);
                ((char *)memory)[0] = ((char *)memory)[sizes[s] - 1] = 1;
                cpu->free(fixture_device(0), memory, sizes[s], (quern_memory_kind)kind);
            }
    void *memory;
    assert_int_equal(cpu->allocate(fixture_device(0), SIZE_MAX - 7, 64, QUERN_MEMORY_DEVICE, &memory),
                     QUERN_OUT_OF_MEMORY);
    cpu->stop();
}

/* What a group's code does: reset, then take. */
static void scratch_grows_and_is_used_again(void **state)
{
    struct quern_cpu_thread *thread;
    struct quern_cpu_piece piece;
    char *first = NULL;
    (void)state;
    fixture_start(1, 1);
    assert_int_equal(quern_cpu_thread_self(&thread), QUERN_SUCCESS);
    memset(&piece, 0, sizeof piece);
    piece.scratch = &thread->scratch;
    for (int group = 0; group < 5; ++group) {
        char *parts[7];
        quern_cpu_scratch_reset(&piece);
        for (int i = 0; i < 7; ++i) {
            parts[i] = quern_cpu_scratch_take(&piece, 10007);
            assert_non_null(parts[i]);
            assert_int_equal((uintptr_t)parts[i] % 64, 0);
            memset(parts[i], i, 10007);
        }
        for (int i = 0; i < 7; ++i)
            for (int b = 0; b < 10007; ++b)
                assert_int_equal(parts[i][b], i);
        /* From the second group on all lies in the one block. */
        assert_true(group == 0 || thread->scratch.overflowed == 0);
        assert_true(group < 2 || parts[0] == first);
        first = parts[0];
    }
    assert_null(quern_cpu_scratch_take(&piece, SIZE_MAX - 63));
    assert_int_equal(piece.failed, 1);
    cpu->stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_split_over_the_devices),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(without_environment_there_is_a_device),
        cmocka_unit_test(pinned_threads_work),
        cmocka_unit_test(a_device_knows_what_it_is),
        cmocka_unit_test(the_best_code_is_taken),
        cmocka_unit_test(a_kernels_memory_limits_its_groups),
        cmocka_unit_test(group_sizes_are_legal_and_sensible),
        cmocka_unit_test(memory_is_aligned),
        cmocka_unit_test(scratch_grows_and_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
