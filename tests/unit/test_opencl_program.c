/* The OpenCL backend: compiling texts, their variants, the compiler's messages, and the cache of binaries. */
#include "opencl_fixture.h"

enum { N = 100, BYTES = N * 4 };

/* y = 0 + 2 · 1 by the kernel, on the device. */
static void check_axpy(void *device, struct fixture_kernel *kernel)
{
    struct fake_progress progress;
    float ones[N], found[N], zeros[N] = {0};
    for (int i = 0; i < N; ++i)
        ones[i] = 1;
    void *x = fixture_memory(device, BYTES), *y = fixture_memory(device, BYTES);
    fixture_queue(&progress, device, 0);
    OK(fixture_write(&progress, x, ones, BYTES));
    OK(fixture_write(&progress, y, zeros, BYTES));
    OK(fixture_axpy(&progress, kernel, x, y, 2, N));
    OK(fixture_read(&progress, found, y, BYTES));
    OK(fixture_synchronize(&progress));
    for (int i = 0; i < N; ++i)
        assert_true(found[i] == 2);
    fixture_queue_end(&progress);
    fixture_free(device, x, BYTES);
    fixture_free(device, y, BYTES);
}

/* ---- building ---- */

static void limits_are_filled_in(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    quern_device_info info;
    if (!opencl_is_here())
        skip();
    void *device = fixture_device();
    OK(quern_opencl_backend.device_info(device, &info));
    OK(opencl_build(&kernel, device, "axpy", axpy_text, 1, 0));
    assert_true(kernel.limits.group_items > 0 && kernel.limits.group_items <= info.largest_group_items);
    fixture_release(&kernel);
    opencl_stop();
}

static void a_kernel_without_a_text_is_refused(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    if (!opencl_is_here())
        skip();
    void *device = fixture_device();
    OK(opencl_build(&kernel, device, "axpy", axpy_text, 1, 0));
    fixture_release(&kernel);
    kernel.image.backend = "cuda";
    REFUSED(quern_opencl_backend.kernel_build(device, &kernel.kernel, &kernel.compiled, &kernel.limits),
            QUERN_NOT_SUPPORTED, "kernel 'axpy'|no text for OpenCL");
    opencl_stop();
}

static void the_compilers_messages_are_the_authors_lines(void **state)
{
    (void)state;
    static const char text[] = "#line 41 \"author.k.c\"\n"
                               "__kernel void quern_k_wrong(__global int *x)\n"
                               "{\n"
                               "  x[0] = undeclared_here;\n"
                               "  x[1] = nor_this;\n"
                               "}\n";
    struct fixture_kernel kernel;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    OK(opencl_start());
    REFUSED(opencl_build(&kernel, fixture_device(), "wrong", text, 1, 0), QUERN_COMPILE_FAILED,
            "author.k.c did not compile for opencl:0|author.k.c:43|undeclared_here|author.k.c:44|nor_this");
    /* A driver that gives no log still gives its error. */
    opencl_shim_fail(shim, "GetProgramBuildInfo", 1, CL_INVALID_VALUE);
    REFUSED(opencl_build(&kernel, fixture_device(), "wrong", text, 1, 0), QUERN_COMPILE_FAILED,
            "author.k.c|CL_BUILD_PROGRAM_FAILURE (-11)");
    opencl_shim_end(shim);
}

static void a_kernel_that_the_text_lacks_is_refused(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    if (!opencl_is_here())
        skip();
    REFUSED(opencl_build(&kernel, fixture_device(), "missing", axpy_text, 1, 0), QUERN_INTERNAL,
            "kernel 'missing'|author.k.c|CL_INVALID_KERNEL_NAME (-46)");
    opencl_stop();
}

static void kernels_of_one_text_share_its_programs(void **state)
{
    (void)state;
    struct fixture_kernel first, second, other;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    fake_cache_clear();
    OK(opencl_start());
    void *device = fixture_device();
    OK(opencl_build(&first, device, "axpy", axpy_text, 1, 0));
    OK(opencl_build(&second, device, "axpy", axpy_text, 1, 0));
    assert_int_equal(shim->programs, 1);
    OK(opencl_build(&other, device, "mark", mark_text, 2, 0));
    assert_int_equal(shim->programs, 2);
    fixture_release(&first);
    assert_int_equal(shim->programs, 2);
    check_axpy(device, &second);
    fixture_release(&second);
    assert_int_equal(shim->programs, 1);
    fixture_release(&other);
    assert_int_equal(shim->programs, 0);
    opencl_shim_end(shim);
}

static quern_launch_layout forced;

static void force_layout(const quern_backend_launch *launch, const quern_grid_limits *limits,
                         quern_launch_layout *layout)
{
    (void)launch, (void)limits;
    *layout = forced;
}

static void variants_are_compiled_when_they_are_needed(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    fake_cache_clear();
    OK(opencl_start());
    void *device = fixture_device();
    OK(opencl_build(&kernel, device, "axpy", axpy_text, 1, 0));
    assert_int_equal(shim->texts, 1);
    fixture_host.layout = force_layout;
    for (uint32_t v = 0; v < 4; ++v) {
        forced.index_bits = v & 1 ? 64 : 32;
        forced.linear = v / 2;
        check_axpy(device, &kernel);
        check_axpy(device, &kernel);
        assert_int_equal(shim->texts, 1 + v);
    }
    fixture_release(&kernel);
    opencl_shim_end(shim);
}

/* ---- the cache ---- */

/* Starts anew, builds axpy, runs it, and says how many texts the driver compiled and binaries it was given. */
static void build_and_run(struct quern_opencl_shim *shim, long *texts, long *binaries)
{
    struct fixture_kernel kernel;
    OK(opencl_start());
    shim->texts = shim->binaries = 0;
    fake_cache.loads = fake_cache.hits = fake_cache.stores = 0;
    OK(opencl_build(&kernel, fixture_device(), "axpy", axpy_text, 1, 0));
    check_axpy(fixture_device(), &kernel);
    fixture_release(&kernel);
    opencl_stop();
    *texts = shim->texts;
    *binaries = shim->binaries;
    opencl_shim_nothing_left(shim);
}

static void a_second_start_takes_the_binary(void **state)
{
    (void)state;
    long texts, binaries;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    fake_cache_clear();
    build_and_run(shim, &texts, &binaries);
    assert_int_equal(texts, 1);
    assert_int_equal(fake_cache.stores, 1);
    build_and_run(shim, &texts, &binaries);
    assert_int_equal(texts, 0);
    assert_int_equal(binaries, 1);
    assert_int_equal(fake_cache.hits, 1);
    assert_int_equal(fake_cache.stores, 0);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void the_key_says_what_the_binary_depends_on(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    quern_device_info info;
    fake_cache_clear();
    if (!opencl_is_here())
        skip();
    OK(quern_opencl_backend.device_info(fixture_device(), &info));
    OK(opencl_build(&kernel, fixture_device(), "axpy", axpy_text, 1, 0));
    char *key = calloc(1, fake_cache.key_size + 1);
    memcpy(key, fake_cache.key, fake_cache.key_size);
    const char *parts[] = {info.description,        info.vendor,        info.instruction_set,  "-cl-std=CL1.2",
                           "-DQUERN_INDEX_BITS=32", "-DQUERN_LINEAR=0", "-DQUERN_CONTIGUOUS=", axpy_text};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        assert_non_null(strstr(key, parts[i]));
    free(key);
    fixture_release(&kernel);
    opencl_stop();
}

/* Whatever lies in the cache, the kernel is right, and the entry is mended. */
static void a_bad_entry_is_compiled_again(void **state)
{
    (void)state;
    long texts, binaries;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    fake_cache_clear();
    build_and_run(shim, &texts, &binaries);
    assert_true(fake_cache.size > 100);
    size_t size = fake_cache.size;
    for (int fault = 0; fault < 6; ++fault) {
        unsigned char *data = fake_cache.data;
        switch (fault) {
        case 0: /* cut short */
            fake_cache.size = 10;
            break;
        case 1: /* empty */
            fake_cache.size = 0;
            break;
        case 2: /* another's file */
            for (size_t i = 0; i < size; ++i)
                data[i] = (unsigned char)"\177ELF, or something like it"[i % 26];
            break;
        case 3: /* zeros in its place */
            memset(data, 0, size);
            break;
        case 4: /* refused by the driver when it sees it */
            opencl_shim_fail(shim, "CreateProgramWithBinary", 1, CL_INVALID_BINARY);
            break;
        default: /* refused when it is built */
            opencl_shim_fail(shim, "BuildProgram", 1, CL_INVALID_BINARY);
        }
        build_and_run(shim, &texts, &binaries);
        assert_int_equal(texts, 1);
        assert_int_equal(fake_cache.stores, 1);
        assert_int_equal(fake_cache.size, size);
        opencl_shim_rest(shim);
        build_and_run(shim, &texts, &binaries);
        assert_int_equal(texts, 0);
    }
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* The binary of another text under this text's key: the driver accepts it, but our kernel is not in it. */
static void a_foreign_entry_is_compiled_again(void **state)
{
    (void)state;
    long texts, binaries;
    struct fixture_kernel kernel;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    fake_cache_clear();
    OK(opencl_start());
    OK(opencl_build(&kernel, fixture_device(), "mark", mark_text, 2, 0));
    fixture_release(&kernel);
    opencl_stop();
    void *foreign = fake_cache.data;
    size_t size = fake_cache.size;
    fake_cache.data = NULL;
    build_and_run(shim, &texts, &binaries);
    free(fake_cache.data);
    fake_cache.data = foreign;
    fake_cache.size = size;
    build_and_run(shim, &texts, &binaries);
    assert_int_equal(texts, 1);
    assert_int_equal(binaries, 1);
    assert_int_equal(fake_cache.stores, 1);
    build_and_run(shim, &texts, &binaries);
    assert_int_equal(texts, 0);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static void a_cache_that_cannot_be_written_is_no_failure(void **state)
{
    (void)state;
    long texts, binaries;
    struct quern_opencl_shim *shim = opencl_shim();
    if (!shim)
        skip();
    fake_cache_clear();
    fake_cache.refuse_store = 1;
    for (int i = 0; i < 2; ++i) {
        build_and_run(shim, &texts, &binaries);
        assert_int_equal(texts, 1);
    }
    fake_cache_clear();
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static int clear_cache(void **state)
{
    (void)state;
    fake_cache_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_filled_in),
        cmocka_unit_test(a_kernel_without_a_text_is_refused),
        cmocka_unit_test(the_compilers_messages_are_the_authors_lines),
        cmocka_unit_test(a_kernel_that_the_text_lacks_is_refused),
        cmocka_unit_test(kernels_of_one_text_share_its_programs),
        cmocka_unit_test(variants_are_compiled_when_they_are_needed),
        cmocka_unit_test(a_second_start_takes_the_binary),
        cmocka_unit_test(the_key_says_what_the_binary_depends_on),
        cmocka_unit_test(a_bad_entry_is_compiled_again),
        cmocka_unit_test(a_foreign_entry_is_compiled_again),
        cmocka_unit_test(a_cache_that_cannot_be_written_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, clear_cache);
}
