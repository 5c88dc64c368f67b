/* The CUDA backend: which image becomes what runs, the cache, and what compilers say. */
#include "device.k.h"

#include "cuda_fixture.h"

#include "../fake_cuda/nvrtc_api.h"

enum { COUNT = 100, BYTES = COUNT * 4 };

/* ---- the fake NVRTC ---- */

static fake_nvrtc_calls_function *nvrtc_calls;
static fake_nvrtc_programs_function *nvrtc_programs;

static size_t compilations(void)
{
    if (!nvrtc_calls) {
        void *library = dlopen(QUERN_FAKE_NVRTC, RTLD_NOW | RTLD_LOCAL), *found;
        assert_non_null(library);
        memcpy(&nvrtc_calls, (found = dlsym(library, "fake_nvrtc_calls"), &found), sizeof nvrtc_calls);
        memcpy(&nvrtc_programs, (found = dlsym(library, "fake_nvrtc_programs"), &found), sizeof nvrtc_programs);
    }
    assert_int_equal(nvrtc_programs(), 0);
    return nvrtc_calls("nvrtcCompileProgram");
}

/* ---- images ---- */

/* What `quern compile` has put into the descriptor. */
static quern_kernel_image text_image(void)
{
    for (size_t i = 0; i < axpy_kernel.image_count; ++i)
        if (strcmp(axpy_kernel.images[i].target, "cuda-c++ strict") == 0)
            return axpy_kernel.images[i];
    fail_msg("the descriptor holds no text for CUDA");
    return (quern_kernel_image){0};
}

static quern_kernel_image image_of(const char *target, const char *text)
{
    return (quern_kernel_image){"cuda", target, NULL, text, strlen(text) + (strncmp(target, "ptx", 3) == 0)};
}

static quern_status build(struct fixture_kernel *kernel, const quern_kernel_image *images, size_t count)
{
    return cuda_build_from(kernel, fixture_device(), &axpy_kernel, images, count);
}

/* The kernel runs. */
static void check_kernel(struct fixture_kernel *kernel)
{
    struct fake_progress progress;
    float x[COUNT], y[COUNT];
    void *device = fixture_device(), *mx = fixture_memory(device, BYTES), *my = fixture_memory(device, BYTES);
    fixture_queue(&progress, device, 0);
    for (int i = 0; i < COUNT; ++i) {
        x[i] = (float)i;
        y[i] = 1;
    }
    OK(fixture_write(&progress, mx, x, BYTES));
    OK(fixture_write(&progress, my, y, BYTES));
    OK(fixture_axpy(&progress, kernel, mx, my, 2, COUNT));
    OK(fixture_read(&progress, y, my, BYTES));
    OK(fixture_synchronize(&progress));
    for (int i = 0; i < COUNT; ++i)
        assert_true(y[i] == (float)(2 * i + 1));
    fixture_queue_end(&progress);
    fixture_free(device, mx, BYTES);
    fixture_free(device, my, BYTES);
}

static void build_and_run(const quern_kernel_image *images, size_t count)
{
    struct fixture_kernel kernel;
    OK(build(&kernel, images, count));
    check_kernel(&kernel);
    fixture_release(&kernel);
}

/* ---- PTX ---- */

/* The newest that the device can take, and neither text nor compiler is asked. */
static void ptx_is_taken_where_it_serves(void **state)
{
    (void)state;
    char *old = cuda_ptx(70, 32, 0, "quern_k_of_another_file"), *mine = cuda_ptx(80, 32, 0, NULL);
    char *newer = cuda_ptx(100, 32, 0, NULL), *wide = cuda_ptx(90, 64, 0, NULL), *linear = cuda_ptx(90, 32, 1, NULL);
    const quern_kernel_image images[] = {
        {"opencl", "opencl-c-1.2 strict", NULL, "nonsense", 8},
        image_of("ptx strict 100 32 grid", newer),
        image_of("ptx strict 70 32 grid", old),
        image_of("ptx strict 80 32 grid", mine),
        image_of("ptx strict 90 64 grid", wide),
        image_of("ptx strict 90 32 linear", linear),
        image_of("ptx what is that", "nonsense"),
        text_image(),
    };
    cuda_begin();
    fake_cache_clear();
    size_t before = compilations();
    build_and_run(images, sizeof images / sizeof *images);
    assert_int_equal(compilations(), before);
    assert_int_equal(fake_cache.loads, 0);
    cuda_end();
    free(old);
    free(mine);
    free(newer);
    free(wide);
    free(linear);
}

static void ptx_without_an_end_gets_one(void **state)
{
    (void)state;
    char *text = cuda_ptx(75, 32, 0, NULL);
    quern_kernel_image image = image_of("ptx strict 75 32 grid", text);
    --image.size;
    cuda_begin();
    build_and_run(&image, 1);
    cuda_end();
    free(text);
}

/* A group kernel's groups lie on the grid in either layout. */
static void a_group_kernel_takes_the_layout_that_there_is(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    char *text = cuda_ptx(75, 32, 1, NULL);
    quern_kernel_image image = image_of("ptx strict 75 32 linear", text);
    cuda_begin();
    OK(cuda_build_from(&kernel, fixture_device(), &fixed_kernel, &image, 1));
    fixture_release(&kernel);
    REFUSED(build(&kernel, &image, 1), QUERN_NOT_SUPPORTED, "kernel 'axpy'|cuda:0|sm_90|32-bit|grid|no text");
    cuda_end();
    free(text);
}

static void kernels_of_a_file_share_a_module(void **state)
{
    (void)state;
    struct fixture_kernel first, second;
    fake_cuda_counts counts;
    cuda_begin();
    OK(cuda_build(&first, fixture_device(), &axpy_kernel));
    OK(cuda_build(&second, fixture_device(), &mark_kernel));
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.modules, 1);
    fixture_release(&first);
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.modules, 1);
    fixture_release(&second);
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.modules, 0);
    cuda_end();
}

static void what_the_driver_says_of_ptx_is_told(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    char *other = cuda_ptx(75, 32, 0, "quern_k_mark");
    const quern_kernel_image broken = image_of("ptx strict 75 32 grid", ".target sm_75\n");
    const quern_kernel_image lacking = image_of("ptx strict 75 32 grid", other);
    cuda_begin();
    REFUSED(build(&kernel, &broken, 1), QUERN_COMPILE_FAILED,
            "device.k.c|cuda:0|CUDA_ERROR_INVALID_PTX (218)|Missing .version directive|no text");
    REFUSED(build(&kernel, &lacking, 1), QUERN_NOT_FOUND, "taking kernel 'axpy'|CUDA_ERROR_NOT_FOUND (500)");
    cuda_end();
    free(other);
}

/* ---- text ---- */

static void text_is_compiled_once_and_cached(void **state)
{
    (void)state;
    const quern_kernel_image image = text_image();
    cuda_begin();
    fake_cache_clear();
    size_t before = compilations();
    build_and_run(&image, 1);
    assert_int_equal(compilations(), before + 1);
    assert_int_equal(fake_cache.stores, 1);
    for (int i = 0; i < 2; ++i) {
        build_and_run(&image, 1);
        assert_int_equal(compilations(), before + 1);
        assert_int_equal(fake_cache.hits, 1 + i);
    }
    cuda_end();
}

/* The device, the driver, the text and its mode are all in the key. */
static void what_it_depends_on_is_in_the_key(void **state)
{
    (void)state;
    quern_kernel_image image = text_image();
    char *longer = malloc(image.size + 2);
    memcpy(longer, image.data, image.size);
    memcpy(longer + image.size, "\n", 2);
    for (int change = 0; change < 4; ++change) {
        quern_kernel_image changed = image;
        cuda_begin();
        fake_cache_clear();
        build_and_run(&image, 1);
        build_and_run(&image, 1);
        assert_int_equal(fake_cache.hits, 1);
        cuda_end();
        cuda_fake_set("ARCH", change == 0 ? "86" : NULL);
        cuda_fake_set("VERSION", change == 1 ? "12080" : NULL);
        if (change == 2) {
            changed.data = longer;
            ++changed.size;
        }
        if (change == 3)
            changed.target = "cuda-c++ contract";
        int hits = fake_cache.hits, loads = fake_cache.loads;
        cuda_begin();
        build_and_run(&changed, 1);
        assert_int_equal(fake_cache.hits, hits);
        assert_int_equal(fake_cache.loads, loads + 1);
        cuda_end();
        cuda_fake_set("ARCH", NULL);
        cuda_fake_set("VERSION", NULL);
    }
    free(longer);
}

/* The entry is what the driver does not take, or what it takes for something else. */
static void a_broken_entry_is_built_again(void **state)
{
    (void)state;
    const quern_kernel_image image = text_image();
    char *other = cuda_ptx(75, 32, 0, "quern_k_mark");
    const char *const broken[] = {"nonsense", other, ".version 6.3\n"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
        cuda_begin();
        fake_cache_clear();
        build_and_run(&image, 1);
        size_t before = compilations();
        free(fake_cache.data);
        fake_cache.size = strlen(broken[i]) + 1;
        fake_cache.data = memcpy(malloc(fake_cache.size), broken[i], fake_cache.size);
        build_and_run(&image, 1);
        assert_int_equal(fake_cache.hits, 1);
        assert_int_equal(compilations(), before + 1);
        assert_int_equal(fake_cache.stores, 2);
        build_and_run(&image, 1); /* and the new one is sound */
        assert_int_equal(compilations(), before + 1);
        cuda_end();
    }
    free(other);
}

static void a_cache_that_takes_nothing_is_no_failure(void **state)
{
    (void)state;
    const quern_kernel_image image = text_image();
    cuda_begin();
    fake_cache_clear();
    fake_cache.refuse_store = 1;
    build_and_run(&image, 1);
    fake_cache_clear();
    fixture_host.cache_load = NULL;
    fixture_host.cache_store = NULL;
    build_and_run(&image, 1);
    cuda_end();
}

static void what_the_compiler_says_is_told(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    const quern_kernel_image image = image_of("cuda-c++ strict", "#error \"the author's mistake\"\n");
    cuda_begin();
    fake_cache_clear();
    REFUSED(build(&kernel, &image, 1), QUERN_COMPILE_FAILED,
            "device.k.c did not compile for cuda:0|the author's mistake");
    assert_int_equal(fake_cache.stores, 0);
    cuda_end();
}

static void text_does_where_the_driver_refuses_ptx(void **state)
{
    (void)state;
    char *newer = cuda_ptx(75, 32, 0, NULL);
    memcpy(strstr(newer, ".version 6.3"), ".version 9.9", 12);
    const quern_kernel_image images[] = {image_of("ptx strict 75 32 grid", newer), text_image()};
    struct fixture_kernel kernel;
    cuda_begin();
    fake_cache_clear();
    REFUSED(build(&kernel, images, 1), QUERN_NOT_SUPPORTED, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)|no text");
    build_and_run(images, 2);
    cuda_end();
    free(newer);
}

/* NVRTC knows sm_75 and newer, the driver sm_70. An architecture that it does not know gets the machine code of an
 * older one of its generation, or the PTX of an older generation. */
static void the_architecture_is_one_that_the_device_runs(void **state)
{
    (void)state;
    static const char *const architectures[] = {"87", "103", "110", "130"};
    struct fixture_kernel kernel;
    const quern_kernel_image image = text_image();
    cuda_fake_set("ARCH", "70");
    cuda_begin();
    fake_cache_clear();
    REFUSED(build(&kernel, &image, 1), QUERN_NOT_SUPPORTED, "kernel 'axpy'|no PTX|NVRTC|sm_75 and newer|sm_70");
    cuda_end();
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; ++i) {
        cuda_fake_set("ARCH", architectures[i]);
        cuda_begin();
        build_and_run(&image, 1);
        cuda_end();
    }
    cuda_fake_set("ARCH", NULL);
}

static void a_kernel_without_an_image_is_refused(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    const quern_kernel_image image = {"opencl", "opencl-c-1.2 strict", NULL, "text", 4};
    cuda_begin();
    REFUSED(build(&kernel, &image, 1), QUERN_NOT_SUPPORTED, "kernel 'axpy'|no PTX|no text for CUDA");
    cuda_end();
}

/* Two threads need a variant that is not there yet. */
struct builder {
    struct fixture_kernel *kernel;
    struct fake_progress progress;
    void *memory;
};

static quern_launch_layout forced = {1, 64};

static void force_layout(const quern_backend_launch *launch, const quern_grid_limits *limits,
                         quern_launch_layout *layout)
{
    (void)launch, (void)limits;
    *layout = forced;
}

static void *launch_once(void *argument)
{
    struct builder *builder = argument;
    (void)fixture_axpy(&builder->progress, builder->kernel, builder->memory, (char *)builder->memory + BYTES, 1, COUNT);
    return NULL;
}

static void a_variant_is_made_once_for_several_threads(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    struct builder builders[4];
    pthread_t threads[4];
    fake_cuda_counts counts;
    cuda_begin();
    OK(cuda_build(&kernel, fixture_device(), &axpy_kernel));
    fixture_host.layout = force_layout;
    for (int i = 0; i < 4; ++i) {
        builders[i].kernel = &kernel;
        builders[i].memory = fixture_memory(kernel.device, 2 * BYTES);
        fixture_queue(&builders[i].progress, kernel.device, 0);
    }
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_once, &builders[i]), 0);
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
        OK(fixture_synchronize(&builders[i].progress));
        fixture_queue_end(&builders[i].progress);
        fixture_free(kernel.device, builders[i].memory, 2 * BYTES);
    }
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.modules, 2);
    fixture_release(&kernel);
    cuda_end();
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
        cmocka_unit_test(ptx_is_taken_where_it_serves),
        cmocka_unit_test(ptx_without_an_end_gets_one),
        cmocka_unit_test(a_group_kernel_takes_the_layout_that_there_is),
        cmocka_unit_test(kernels_of_a_file_share_a_module),
        cmocka_unit_test(what_the_driver_says_of_ptx_is_told),
        cmocka_unit_test(text_is_compiled_once_and_cached),
        cmocka_unit_test(what_it_depends_on_is_in_the_key),
        cmocka_unit_test(a_broken_entry_is_built_again),
        cmocka_unit_test(a_cache_that_takes_nothing_is_no_failure),
        cmocka_unit_test(what_the_compiler_says_is_told),
        cmocka_unit_test(text_does_where_the_driver_refuses_ptx),
        cmocka_unit_test(the_architecture_is_one_that_the_device_runs),
        cmocka_unit_test(a_kernel_without_an_image_is_refused),
        cmocka_unit_test(a_variant_is_made_once_for_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, clear_cache);
}
