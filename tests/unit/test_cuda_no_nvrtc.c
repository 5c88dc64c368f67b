/* The CUDA backend without NVRTC: PTX still runs; a process of its own, since NVRTC is looked for once. */
#include "device.k.h"

#include "cuda_fixture.h"

static void ptx_runs_without_nvrtc(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    cuda_begin();
    setenv("QUERN_NVRTC_LIBRARY", "libno-such-nvrtc.so.7", 1);
    OK(cuda_build(&kernel, fixture_device(), &axpy_kernel));
    fixture_release(&kernel);
    cuda_end();
}

static void both_reasons_are_named_when_nothing_serves(void **state)
{
    (void)state;
    struct fixture_kernel kernel;
    char *newer = cuda_ptx(75, 32, 0, NULL);
    memcpy(strstr(newer, ".version 6.3"), ".version 9.9", 12);
    const quern_kernel_image images[] = {{"cuda", "ptx strict 75 32 grid", NULL, newer, strlen(newer) + 1},
                                         {"cuda", "cuda-c++ strict", NULL, "text", 4}};
    cuda_begin();
    setenv("QUERN_NVRTC_LIBRARY", "libno-such-nvrtc.so.7", 1);
    REFUSED(cuda_build_from(&kernel, fixture_device(), &axpy_kernel, images, 2), QUERN_NOT_SUPPORTED,
            "kernel 'axpy'|cuda:0|CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)|libno-such-nvrtc.so.7");
    REFUSED(cuda_build_from(&kernel, fixture_device(), &axpy_kernel, images + 1, 1), QUERN_NOT_SUPPORTED,
            "kernel 'axpy'|cuda:0|no PTX of sm_90 or older|libno-such-nvrtc.so.7");
    cuda_end();
    free(newer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_runs_without_nvrtc),
        cmocka_unit_test(both_reasons_are_named_when_nothing_serves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
