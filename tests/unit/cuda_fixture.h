/*
 * What the tests of the CUDA backend have in common: starting it on the fake driver (tests/fake_cuda), and kernels of
 * tests/kernels/device.k.c, from PTX that the fake takes for the file, or from text by the fake NVRTC. Who includes
 * this has included device.k.h, by which the build knows that the file is needed.
 */
#ifndef QUERN_TESTS_CUDA_FIXTURE_H
#define QUERN_TESTS_CUDA_FIXTURE_H

#include "device_fixture.h"

#include "../fake_cuda/fake_cuda.h"
#include "backend/cuda/cuda_api.h"
#include "backend/cuda/cuda_backend.h"

#include <dlfcn.h>

/* ---- the fake driver ---- */

/* cuda_fake.fail_at("cuMemAlloc_v2", 1, 2) is fake_cuda_fail_at(…). */
static struct {
#define CUDA_FAKE_MEMBER(name, result, parameters) name##_function *name;
    FAKE_CUDA_FUNCTIONS(CUDA_FAKE_MEMBER)
#undef CUDA_FAKE_MEMBER
} cuda_fake;

static inline void cuda_fake_set(const char *name, const char *value)
{
    char variable[64];
    snprintf(variable, sizeof variable, "QUERN_FAKE_CUDA_%s", name);
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

/* The fake as at first, but for what the test has set. Nothing is left of what came before. */
static inline void cuda_fake_reset(void)
{
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("the fake driver is not there: %s", dlerror());
#define CUDA_FAKE_LOOK_UP(name, result, parameters)                                                                    \
    {                                                                                                                  \
        void *found = dlsym(library, #name);                                                                           \
        assert_non_null(found);                                                                                        \
        memcpy(&cuda_fake.name, &found, sizeof found);                                                                 \
    }
    FAKE_CUDA_FUNCTIONS(CUDA_FAKE_LOOK_UP)
#undef CUDA_FAKE_LOOK_UP
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    setenv("QUERN_NVRTC_LIBRARY", QUERN_FAKE_NVRTC, 1);
    assert_int_equal(cuda_fake.fake_cuda_reset(), 0);
}

static inline void cuda_fake_nothing_left(void)
{
    fake_cuda_counts counts;
    cuda_fake.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.contexts, 0);
    assert_int_equal(counts.streams, 0);
    assert_int_equal(counts.events, 0);
    assert_int_equal(counts.modules, 0);
    assert_int_equal(counts.graphs, 0);
    assert_int_equal(counts.device_allocations, 0);
    assert_int_equal(counts.host_allocations, 0);
    assert_int_equal(counts.managed_allocations, 0);
    assert_int_equal(counts.left_behind, 0);
    assert_int_equal(counts.violations, 0);
}

/* ---- starting ---- */

static inline quern_status cuda_start(void)
{
    return fixture_start(&quern_cuda_backend);
}

static inline void cuda_begin(void)
{
    cuda_fake_reset();
    OK(cuda_start());
}

static inline void cuda_stop(void)
{
    quern_cuda_backend.stop();
}

static inline void cuda_end(void)
{
    cuda_stop();
    cuda_fake_nothing_left();
}

/* ---- kernels ---- */

/* What `quern compile` would embed, as far as the fake looks at it. */
static inline char *cuda_ptx(int architecture, int bits, int linear, const char *entry)
{
    static const char *const names[] = {"axpy", "mark", "mark_any", "sums", "fixed", "places"};
    char *text = malloc(4096);
    int used = snprintf(text, 4096,
                        "// quern: kernels of \"%s/tests/kernels/device.k.c\", QUERN_INDEX_BITS=%d, QUERN_LINEAR=%d, "
                        "strict\n.version 6.3\n.target sm_%d\n.address_size 64\n",
                        QUERN_SOURCE_DIR, bits, linear, architecture);
    for (size_t i = 0; !entry && i < sizeof names / sizeof *names; ++i)
        used += snprintf(text + used, 4096 - (size_t)used, ".visible .entry quern_k_%s()\n{\n\tret;\n}\n", names[i]);
    if (entry)
        snprintf(text + used, 4096 - (size_t)used, ".visible .entry %s()\n{\n\tret;\n}\n", entry);
    return text;
}

/* The four variants of the file's PTX for sm_75, made once. */
static inline const quern_kernel_image *cuda_images(void)
{
    static quern_kernel_image images[4];
    static char targets[4][32];
    for (int v = 0; v < 4 && !images[v].data; ++v) {
        int bits = v & 2 ? 64 : 32, linear = v & 1;
        snprintf(targets[v], sizeof targets[v], "ptx strict 75 %d %s", bits, linear ? "linear" : "grid");
        char *text = cuda_ptx(75, bits, linear, NULL);
        images[v] = (quern_kernel_image){"cuda", targets[v], NULL, text, strlen(text) + 1};
    }
    return images;
}

/* The kernel from these images. */
static inline quern_status cuda_build_from(struct fixture_kernel *kernel, void *device, const quern_kernel *descriptor,
                                           const quern_kernel_image *images, size_t count)
{
    memset(kernel, 0, sizeof *kernel);
    kernel->kernel = *descriptor;
    kernel->kernel.images = images;
    kernel->kernel.image_count = count;
    kernel->kernel.state = NULL;
    kernel->device = device;
    return quern_cuda_backend.kernel_build(device, &kernel->kernel, &kernel->compiled, &kernel->limits);
}

static inline quern_status cuda_build(struct fixture_kernel *kernel, void *device, const quern_kernel *descriptor)
{
    return cuda_build_from(kernel, device, descriptor, cuda_images(), 4);
}

#endif
