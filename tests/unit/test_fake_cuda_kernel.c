/* The fake CUDA driver and the fake NVRTC: compiling, modules, launches by hand. */
#include "../fake_cuda/nvrtc_api.h"
#include "fake_cuda_fixture.h"

#define FILE_OF_KERNELS QUERN_SOURCE_DIR "/tests/fake_cuda/fake.k.c"
#define LARGE_FILE QUERN_SOURCE_DIR "/tests/fake_cuda/fake_large.k.c"

static struct {
#define MEMBER(name, result, parameters) name##_function *name;
    FN_FUNCTIONS(MEMBER)
#undef MEMBER
} nv;

static int open_both(void **state)
{
    void *library = dlopen(QUERN_FAKE_NVRTC, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
#define LOOK_UP(name, result, parameters) look_up(library, #name, &nv.name);
    FN_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return open_fake(state);
}

/* ---- compiling ---- */

static const char text[] = "#if !defined(QUERN_INDEX_BITS)\n"
                           "#error \"QUERN_INDEX_BITS must be defined\"\n"
                           "#endif\n"
                           "#line 3 \"somewhere/else.h\"\n"
                           "extern \"C\" __global__ void quern_k_scale(int w) {}\n"
                           "extern \"C\" __global__ void quern_k_number(int w) {}\n"
                           "extern \"C\" __global__ void quern_k_turn(int w) { char c = '{'; }\n"
                           "extern \"C\" __global__ void __launch_bounds__(8) quern_k_eights(int w) {}\n"
                           "#ifdef NEVER\n"
                           "extern \"C\" __global__ void quern_k_never(int w) {}\n"
                           "#endif\n";
static const char large_text[] = "extern \"C\" __global__ void quern_k_large(int w) {}\n";

/* The result of compiling; *data gets machine code or PTX, to be freed. */
static int compile(const char *source, const char *name, const char *architecture, const char *definition, char **data,
                   char **log)
{
    const char *options[] = {architecture, definition, "-DQUERN_LINEAR=0", "--fmad=false"};
    fn_program program;
    size_t size;
    assert_int_equal(nv.nvrtcCreateProgram(&program, source, name, 0, NULL, NULL), FN_SUCCESS);
    int result = nv.nvrtcCompileProgram(program, 4, options);
    if (log) {
        assert_int_equal(nv.nvrtcGetProgramLogSize(program, &size), FN_SUCCESS);
        *log = malloc(size);
        assert_int_equal(nv.nvrtcGetProgramLog(program, *log), FN_SUCCESS);
    }
    if (!result && data) {
        int is_real = strstr(architecture, "sm_") != NULL;
        assert_int_equal(is_real ? nv.nvrtcGetCUBINSize(program, &size) : nv.nvrtcGetPTXSize(program, &size),
                         FN_SUCCESS);
        *data = malloc(size);
        assert_int_equal(is_real ? nv.nvrtcGetCUBIN(program, *data) : nv.nvrtcGetPTX(program, *data), FN_SUCCESS);
        assert_int_equal(strlen(*data) + 1, size);
    }
    assert_int_equal(nv.nvrtcDestroyProgram(&program), FN_SUCCESS);
    return result;
}

static void test_options_are_checked(void **state)
{
    (void)state;
    char *log;
    assert_int_equal(compile(text, "a.k.c", "--gpu-architecture=sm_70", "-DQUERN_INDEX_BITS=32", NULL, &log),
                     FN_ERROR_INVALID_OPTION);
    assert_non_null(strstr(log, "sm_70"));
    free(log);
    assert_int_equal(compile(text, "a.k.c", "--gpu-architecture=sm_90", "--no-such-option", NULL, &log),
                     FN_ERROR_INVALID_OPTION);
    assert_non_null(strstr(log, "--no-such-option"));
    free(log);
}

static void test_texts_with_errors(void **state)
{
    (void)state;
    char *log;
    assert_int_equal(compile(text, "a.k.c", "--gpu-architecture=sm_90", "-DOTHER=32", NULL, &log),
                     FN_ERROR_COMPILATION);
    assert_non_null(strstr(log, "QUERN_INDEX_BITS must be defined"));
    free(log);
    assert_int_equal(compile("void f() { if (1 }\n", "a.k.c", "--gpu-architecture=sm_90", "-DX=1", NULL, &log),
                     FN_ERROR_COMPILATION);
    assert_non_null(strstr(log, "unexpected"));
    free(log);
    assert_int_equal(compile("void f() {\n", "a.k.c", "--gpu-architecture=sm_90", "-DX=1", NULL, &log),
                     FN_ERROR_COMPILATION);
    free(log);
}

static void test_programs_are_checked(void **state)
{
    (void)state;
    fn_program program, copy;
    size_t size;
    assert_int_equal(nv.nvrtcCreateProgram(&program, NULL, "a", 0, NULL, NULL), FN_ERROR_INVALID_INPUT);
    assert_int_equal(nv.nvrtcCreateProgram(&program, "", "a", 0, NULL, NULL), FN_SUCCESS);
    assert_int_equal(nv.fake_nvrtc_programs(), 1);
    assert_int_equal(nv.nvrtcGetPTXSize(program, &size), FN_ERROR_INVALID_PROGRAM); /* not compiled yet */
    copy = program;
    assert_int_equal(nv.nvrtcDestroyProgram(&program), FN_SUCCESS);
    assert_null(program);
    assert_int_equal(nv.nvrtcDestroyProgram(&copy), FN_ERROR_INVALID_PROGRAM);
    assert_int_equal(nv.nvrtcGetProgramLogSize(copy, &size), FN_ERROR_INVALID_PROGRAM);
    nv.fake_nvrtc_fail_at("nvrtcCreateProgram", 1, FN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(nv.nvrtcCreateProgram(&program, "", "a", 0, NULL, NULL), FN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(nv.fake_nvrtc_programs(), 0);
}

/* ---- modules ---- */

static char *cubin_of(const char *source, const char *name)
{
    char *data = NULL;
    assert_int_equal(compile(source, name, "--gpu-architecture=sm_90", "-DQUERN_INDEX_BITS=32", &data, NULL),
                     FN_SUCCESS);
    return data;
}

static fc_module load(void)
{
    fc_module module;
    char *data = cubin_of(text, FILE_OF_KERNELS);
    OK(cu.cuModuleLoadData(&module, data));
    free(data);
    return module;
}

static void test_modules_are_checked(void **state)
{
    (void)state;
    fc_function function;
    fc_module module = load(), other;
    assert_int_equal(cu.cuModuleGetFunction(&function, module, "quern_k_never"), FC_ERROR_NOT_FOUND);
    assert_int_equal(cu.cuModuleGetFunction(&function, module, ""), FC_ERROR_INVALID_VALUE);
    OK(cu.cuModuleGetFunction(&function, module, "quern_k_scale"));
    assert_int_equal(cu.cuModuleLoadData(&other, "this is no image"), FC_ERROR_INVALID_IMAGE);
    OK(cu.cuCtxSetCurrent(context_of[1]));
    assert_int_equal(cu.cuModuleUnload(module), FC_ERROR_INVALID_CONTEXT);
    OK(cu.cuCtxSetCurrent(context_of[0]));
    OK(cu.cuModuleUnload(module));
    assert_int_equal(cu.cuModuleUnload(module), FC_ERROR_INVALID_HANDLE);
    int value;
    assert_int_equal(cu.cuFuncGetAttribute(&value, 0, function), FC_ERROR_INVALID_HANDLE);
}

static void test_machine_code_is_of_one_architecture(void **state)
{
    (void)state;
    char *data = NULL;
    fc_module module;
    assert_int_equal(compile(text, FILE_OF_KERNELS, "-arch=sm_86", "-DQUERN_INDEX_BITS=32", &data, NULL), FN_SUCCESS);
    assert_int_equal(cu.cuModuleLoadData(&module, data), FC_ERROR_NO_BINARY_FOR_GPU);
    free(data);
    data = cubin_of(text, FILE_OF_KERNELS);
    data[strlen(data) - 3] = '\0'; /* cut */
    assert_int_equal(cu.cuModuleLoadData(&module, data), FC_ERROR_INVALID_IMAGE);
    free(data);
}

/* PTX as the real NVRTC writes it, with the line of src/base/nvrtc.h before it. */
static const char ptx[] = "// quern: kernels of \"%s\", QUERN_INDEX_BITS=64, QUERN_LINEAR=0, strict\n"
                          "//\n// Generated by NVIDIA NVVM Compiler\n//\n"
                          ".version %s\n.target %s\n.address_size 64\n"
                          ".visible .entry quern_k_scale(\n)\n{ // {\n\tret;\n%s\n";

static fc_result load_ptx(const char *version, const char *target, const char *closing, char *log, size_t size)
{
    char data[4096];
    fc_module module;
    int options[] = {FC_JIT_ERROR_LOG_BUFFER, FC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)size};
    snprintf(data, sizeof data, ptx, FILE_OF_KERNELS, version, target, closing);
    fc_result result = cu.cuModuleLoadDataEx(&module, data, 2, options, values);
    assert_int_equal((size_t)values[1], strlen(log));
    if (result)
        return result;
    fc_function function;
    OK(cu.cuModuleGetFunction(&function, module, "quern_k_scale"));
    OK(cu.cuModuleUnload(module));
    return result;
}

static void test_ptx_of_the_real_compiler(void **state)
{
    (void)state;
    char log[512] = "";
    OK(load_ptx("8.0", "sm_75", "}", log, sizeof log));
    assert_int_equal(load_ptx("9.1", "sm_75", "}", log, sizeof log), FC_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(load_ptx("8.0", "sm_100", "}", log, sizeof log), FC_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "SM version specified by .target is higher"));
    assert_int_equal(load_ptx("8.0", "sm_75", "", log, sizeof log), FC_ERROR_INVALID_PTX);
    OK(load_ptx("8.0", "sm_75", "}\n.const .align 4 .b8 a[65533];", log, sizeof log));
    assert_int_equal(
        load_ptx("8.0", "sm_75", "}\n.const .align 4 .b8 a[5] = {};\n.const .align 8 .b8 b[65529];\n", log, sizeof log),
        FC_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "uses too much global constant data (0x10001 bytes, 0x10000 max)"));
    int bad_option = FC_JIT_LAST + 1;
    void *value = NULL;
    fc_module module;
    assert_int_equal(cu.cuModuleLoadDataEx(&module, ptx, 1, &bad_option, &value), FC_ERROR_INVALID_VALUE);
}

static void test_too_much_local_memory(void **state)
{
    (void)state;
    char log[512] = "", *data = cubin_of(large_text, LARGE_FILE);
    int options[] = {FC_JIT_ERROR_LOG_BUFFER, FC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    fc_module module;
    assert_int_equal(cu.cuModuleLoadDataEx(&module, data, 2, options, values), FC_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "uses too much shared data (0x10000 bytes, 0xc000 max)"));
    free(data);
}

static void test_too_many_constants(void **state)
{
    (void)state;
    static const char format[] = "static __constant__ const float quern_u_a[] = {1, 2, 3};\n"
                                 "static __constant__ const double quern_u_b[2][%d] = {{1}};\n"
                                 "extern \"C\" __global__ void quern_k_scale(int w) {}\n";
    static const char *const architectures[] = {"-arch=compute_90", "-arch=sm_90"};
    char source[512], *data, *log;
    for (int length = 4095; length <= 4096; ++length)
        for (int i = 0; i < 2; ++i) {
            int fits = length == 4095;
            snprintf(source, sizeof source, format, length);
            data = NULL;
            int result = compile(source, FILE_OF_KERNELS, architectures[i], "-DQUERN_INDEX_BITS=32", &data, &log);
            assert_int_equal(result, fits || i == 0 ? FN_SUCCESS : FN_ERROR_COMPILATION);
            if (result)
                assert_non_null(strstr(log, "uses too much global constant data (0x1000c bytes, 0x10000 max)"));
            if (i == 0)
                assert_non_null(strstr(data, fits ? ".b8 quern_u_b[65520];" : ".b8 quern_u_b[65536];"));
            free(data);
            free(log);
        }
}

/* ---- launches ---- */

struct words {
    int w[64];
};

static fc_result launch_scale(fc_function function, fc_stream stream, fc_pointer x, fc_pointer y, int items, int offset,
                              unsigned block, double a)
{
    struct words words = {{items, 1, 1, items, 0, 1, 1, offset, offset}};
    void *parameters[] = {&words, &x, &y, &a};
    return cu.cuLaunchKernel(function, 2, 1, 1, block, 1, 1, 0, stream, parameters, NULL);
}

static void test_a_kernel_runs(void **state)
{
    (void)state;
    fc_module module = load();
    fc_function function;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer x = allocate(4 * 1001), y = allocate(4 * 1001);
    float host[1001];
    OK(cu.cuModuleGetFunction(&function, module, "quern_k_scale"));
    for (int i = 0; i < 1001; ++i)
        host[i] = (float)i;
    OK(cu.cuMemcpyHtoDAsync_v2(x, host, sizeof host, stream));
    OK(launch_scale(function, stream, x, y, 1000, 4, 64, 3.0));
    OK(cu.cuMemcpyDtoHAsync_v2(host, y, sizeof host, stream));
    OK(cu.cuStreamSynchronize(stream));
    for (int i = 1; i < 1001; ++i)
        assert_true(host[i] == 3.0f * (float)i);
    unsigned noise;
    memcpy(&noise, host, 4);
    assert_int_equal(noise, 0xC7C7C7C7);
    /* The same by a buffer of parameters; the value is aligned to 8 behind the pointers. */
    struct {
        int words[9];
        fc_pointer x, y;
        double a;
    } buffer = {{1000, 1, 1, 1000, 0, 1, 1, 0, 0}, x, y, 5.0};
    size_t size = sizeof buffer, wrong = sizeof buffer + 8;
    void *extra[] = {FC_LAUNCH_BUFFER_POINTER, &buffer, FC_LAUNCH_BUFFER_SIZE, &size, FC_LAUNCH_END};
    OK(cu.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, extra));
    OK(cu.cuMemcpyDtoHAsync_v2(host, y, sizeof host, stream));
    OK(cu.cuStreamSynchronize(stream));
    assert_true(host[999] == 5.0f * 999);
    extra[3] = &wrong;
    assert_int_equal(cu.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, extra), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFree_v2(x));
    OK(cu.cuMemFree_v2(y));
    OK(cu.cuStreamDestroy_v2(stream));
    OK(cu.cuModuleUnload(module));
}

static void test_launches_are_checked(void **state)
{
    (void)state;
    fc_module module = load();
    fc_function function, eights;
    fc_stream stream = new_stream(0);
    fc_pointer x = allocate(400);
    struct words words = {{100, 1, 1, 100, 0, 1, 13, 0}};
    void *parameters[] = {&words, &x};
    OK(cu.cuModuleGetFunction(&function, module, "quern_k_scale"));
    OK(cu.cuModuleGetFunction(&eights, module, "quern_k_eights"));
#define LAUNCH(f, gx, gy, gz, bx, by, bz, shared)                                                                      \
    cu.cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, NULL)
    assert_int_equal(LAUNCH(eights, 0, 1, 1, 8, 1, 1, 0), FC_ERROR_INVALID_VALUE);
    assert_int_equal(LAUNCH(eights, 1, 65536, 1, 8, 1, 1, 0), FC_ERROR_INVALID_VALUE);
    assert_int_equal(LAUNCH(eights, 1u << 31, 1, 1, 8, 1, 1, 0), FC_ERROR_INVALID_VALUE);
    assert_int_equal(LAUNCH(eights, 1, 1, 1, 1, 1, 65, 0), FC_ERROR_INVALID_VALUE);
    assert_int_equal(LAUNCH(eights, 1, 1, 1, 64, 32, 1, 0), FC_ERROR_INVALID_VALUE);
    assert_int_equal(LAUNCH(eights, 13, 1, 1, 9, 1, 1, 0), FC_ERROR_LAUNCH_OUT_OF_RESOURCES);
    assert_int_equal(LAUNCH(eights, 13, 1, 1, 8, 1, 1, 48 * 1024 + 1), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuFuncSetAttribute(eights, FC_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024 + 1),
                     FC_ERROR_INVALID_VALUE);
    OK(cu.cuFuncSetAttribute(eights, FC_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024));
    OK(LAUNCH(eights, 13, 1, 1, 8, 1, 1, 227 * 1024));
    int most;
    OK(cu.cuFuncGetAttribute(&most, FC_FUNC_MAX_THREADS_PER_BLOCK, eights));
    assert_int_equal(most, 8);
    assert_int_equal(LAUNCH(module, 13, 1, 1, 8, 1, 1, 0), FC_ERROR_INVALID_HANDLE);
    OK(cu.cuCtxSetCurrent(context_of[1]));
    assert_int_equal(LAUNCH(eights, 13, 1, 1, 8, 1, 1, 0), FC_ERROR_INVALID_HANDLE); /* another context's */
    OK(cu.cuCtxSetCurrent(context_of[0]));
    int host[100];
    OK(cu.cuMemcpyDtoH_v2(host, x, sizeof host));
    for (int i = 0; i < 100; ++i)
        assert_int_equal(host[i], i / 8);
    OK(cu.cuMemFree_v2(x));
    OK(cu.cuStreamDestroy_v2(stream));
    OK(cu.cuModuleUnload(module));
}

static void test_pitched_and_local_parameters(void **state)
{
    (void)state;
    fc_module module = load();
    fc_function number, turn;
    fc_pointer x = allocate(4 * 40);
    int host[40], first = 7;
    OK(cu.cuModuleGetFunction(&number, module, "quern_k_number"));
    OK(cu.cuModuleGetFunction(&turn, module, "quern_k_turn"));
    /* 3 rows of 5 in rows of 8, from byte 4 on */
    struct words words = {{15, 1, 2, 5, 0, 1, 1, 3, 0, 1, 1, 4, 3, 5, 32, 4}};
    void *parameters[] = {&words, &x, &first};
    OK(cu.cuMemsetD32_v2(x, 0, 40));
    OK(cu.cuLaunchKernel(number, 1, 1, 1, 4, 2, 1, 0, NULL, parameters, NULL));
    OK(cu.cuMemcpyDtoH_v2(host, x, sizeof host));
    for (int i = 0; i < 40; ++i)
        assert_int_equal(host[i], i / 8 < 3 && i % 8 >= 1 && i % 8 < 6 ? 7 + i / 8 * 5 + i % 8 - 1 : 0);
    /* groups of 10 of 40 items, two local parameters of 10 and 10 elements */
    struct words groups = {{40, 1, 1, 40, 0, 1, 4, 0, 0, 48}};
    void *arguments[] = {&groups, &x};
    for (int i = 0; i < 40; ++i)
        host[i] = i;
    OK(cu.cuMemcpyHtoD_v2(x, host, sizeof host));
    OK(cu.cuLaunchKernel(turn, 4, 1, 1, 10, 1, 1, 88, NULL, arguments, NULL));
    OK(cu.cuMemcpyDtoH_v2(host, x, sizeof host));
    for (int i = 0; i < 40; ++i)
        assert_int_equal(host[i], i / 10 * 10 + 9 - i % 10 + 1000);
    OK(cu.cuMemFree_v2(x));
    OK(cu.cuModuleUnload(module));
}

/* A launch that ends the context: with what error, and whether as a violation. */
static void ends_with(fc_result error, size_t violations, const char *name, const unsigned *grid, unsigned shared,
                      void **parameters)
{
    fake_cuda_counts before, counts;
    fc_function function;
    fc_module module = load();
    fc_context again;
    cu.fake_cuda_get_counts(&before);
    OK(cu.cuModuleGetFunction(&function, module, name));
    OK(cu.cuLaunchKernel(function, grid[0], grid[1], grid[2], grid[3], 1, 1, shared, NULL, parameters, NULL));
    assert_int_equal(cu.cuCtxSynchronize(), error);
    cu.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.violations - before.violations, violations);
    may_be_wrong += violations;
    OK(cu.cuDevicePrimaryCtxReset_v2(0));
    OK(cu.cuDevicePrimaryCtxRetain(&again, 0));
    OK(cu.cuCtxSetCurrent(again));
}

static void test_wrong_words_and_pointers(void **state)
{
    (void)state;
    const unsigned right[4] = {13, 1, 1, 8}, wrong_grid[4] = {12, 1, 1, 8}, four[4] = {4, 1, 1, 10};
    const unsigned wrong_block[4] = {13, 1, 1, 7};
    struct words words = {{100, 1, 1, 100, 0, 1, 13, 0}};
    int first = 0;
    fc_pointer x = allocate(400), nowhere = 0x1000;
    void *parameters[] = {&words, &x};
    ends_with(FC_ERROR_LAUNCH_FAILED, 1, "quern_k_eights", wrong_grid, 0, parameters);
    x = allocate(400);
    ends_with(FC_ERROR_LAUNCH_FAILED, 1, "quern_k_eights", wrong_block, 0, parameters);
    x = allocate(400);
    words.w[0] = 99;
    ends_with(FC_ERROR_LAUNCH_FAILED, 1, "quern_k_eights", right, 0, parameters);
    x = allocate(400);
    words.w[0] = 100;
    words.w[7] = 2;
    ends_with(FC_ERROR_MISALIGNED_ADDRESS, 0, "quern_k_eights", right, 0, parameters);
    words.w[7] = 404;
    x = allocate(400);
    ends_with(FC_ERROR_LAUNCH_FAILED, 1, "quern_k_eights", right, 0, parameters);
    words.w[7] = 0;
    parameters[1] = &nowhere;
    ends_with(FC_ERROR_ILLEGAL_ADDRESS, 0, "quern_k_eights", right, 0, parameters);
    x = allocate(4 * 19); /* 3 rows of 5 in rows of 8 take 21 */
    struct words pitched = {{15, 1, 2, 5, 0, 1, 1, 3, 0, 1, 1, 0, 3, 5, 32, 4}};
    void *others[] = {&pitched, &x, &first};
    ends_with(FC_ERROR_LAUNCH_FAILED, 1, "quern_k_number", right, 0, others);
    x = allocate(160);
    struct words groups = {{40, 1, 1, 40, 0, 1, 4, 0, 0, 48}};
    void *locals[] = {&groups, &x};
    ends_with(FC_ERROR_LAUNCH_FAILED, 1, "quern_k_turn", four, 40, locals); /* the second begins behind the end */
    x = allocate(160);
    ends_with(FC_ERROR_ILLEGAL_ADDRESS, 1, "quern_k_turn", four, 84, locals); /* the second is one element short */
    x = allocate(160);
    groups.w[9] = 36;
    ends_with(FC_ERROR_ILLEGAL_ADDRESS, 1, "quern_k_turn", four, 76, locals); /* the first is */
    x = allocate(160);
    groups.w[9] = 0;
    ends_with(FC_ERROR_ILLEGAL_ADDRESS, 1, "quern_k_turn", four, 40, locals); /* the first has none */
    OK(cu.cuCtxSetCurrent(context_of[1]));
    fc_pointer there = allocate(400);
    fc_context here;
    OK(cu.cuDevicePrimaryCtxRetain(&here, 0));
    OK(cu.cuDevicePrimaryCtxRelease_v2(0));
    OK(cu.cuCtxSetCurrent(here));
    parameters[1] = &there; /* of a device that was not made a peer */
    ends_with(FC_ERROR_ILLEGAL_ADDRESS, 0, "quern_k_eights", right, 0, parameters);
    OK(cu.cuMemFree_v2(there));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_texts_with_errors),
        cmocka_unit_test(test_programs_are_checked),
        TEST(test_modules_are_checked),
        TEST(test_machine_code_is_of_one_architecture),
        TEST(test_ptx_of_the_real_compiler),
        TEST(test_too_much_local_memory),
        TEST(test_too_many_constants),
        TEST(test_a_kernel_runs),
        TEST(test_launches_are_checked),
        TEST(test_pitched_and_local_parameters),
        TEST(test_wrong_words_and_pointers),
    };
    return cmocka_run_group_tests(tests, open_both, NULL);
}
