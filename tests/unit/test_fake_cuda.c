/* The fake CUDA driver: devices, contexts, memory, copies; every strict check is seen to refuse once. */
#include "fake_cuda_fixture.h"

#include <signal.h>
#include <sys/wait.h>

/* ---- the driver and its devices ---- */

static void test_says_that_it_is_a_fake(void **state)
{
    (void)state;
    char name[64];
    int count, version, value;
    const char *text;
    OK(cu.cuDeviceGetName(name, sizeof name, 1));
    assert_string_equal(name, "Fake CUDA device (tests)");
    OK(cu.cuDeviceGetCount(&count));
    assert_int_equal(count, 2);
    OK(cu.cuDriverGetVersion(&version));
    assert_int_equal(version, 13000);
    OK(cu.cuDeviceGetAttribute(&value, FC_DEVICE_WARP_SIZE, 0));
    assert_int_equal(value, 32);
    assert_int_equal(cu.cuDeviceGetAttribute(&value, 9999, 0), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuDeviceGetAttribute(&value, FC_DEVICE_WARP_SIZE, 2), FC_ERROR_INVALID_DEVICE);
    OK(cu.cuGetErrorName(FC_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_int_equal(cu.cuGetErrorString(12345, &text), FC_ERROR_INVALID_VALUE);
    assert_null(text);
    assert_int_equal(cu.cuInit(1), FC_ERROR_INVALID_VALUE);
}

static void test_before_init_and_without_a_device(void **state)
{
    int count;
    (void)state;
    assert_int_equal(cu.cuDeviceGetCount(&count), FC_ERROR_NOT_INITIALIZED);
    setenv("QUERN_FAKE_CUDA_DEVICES", "0", 1);
    assert_int_equal(cu.cuInit(0), FC_ERROR_NO_DEVICE);
    assert_int_equal(cu.cuDeviceGetCount(&count), FC_ERROR_NOT_INITIALIZED);
}

static void test_a_context_must_be_current(void **state)
{
    fc_pointer pointer;
    fc_context context;
    (void)state;
    OK(cu.cuCtxPopCurrent_v2(&context));
    assert_ptr_equal(context, context_of[0]);
    assert_int_equal(cu.cuMemAlloc_v2(&pointer, 1), FC_ERROR_INVALID_CONTEXT);
    assert_int_equal(cu.cuCtxPopCurrent_v2(&context), FC_ERROR_INVALID_CONTEXT);
    assert_int_equal(cu.cuCtxPushCurrent_v2((fc_context)&pointer), FC_ERROR_INVALID_CONTEXT);
    OK(cu.cuCtxPushCurrent_v2(context_of[1]));
    fc_device device;
    OK(cu.cuCtxGetDevice(&device));
    assert_int_equal(device, 1);
}

static void test_an_ended_context_is_known(void **state)
{
    fc_pointer pointer;
    fc_context again;
    (void)state;
    pointer = allocate(100);
    OK(cu.cuDevicePrimaryCtxRelease_v2(0)); /* it holds memory: that is left behind */
    may_be_left = 1;
    assert_int_equal(cu.cuMemAlloc_v2(&pointer, 1), FC_ERROR_INVALID_CONTEXT);
    assert_int_equal(cu.cuCtxSetCurrent(context_of[0]), FC_ERROR_INVALID_CONTEXT);
    assert_int_equal(cu.cuDevicePrimaryCtxRelease_v2(0), FC_ERROR_INVALID_CONTEXT);
    OK(cu.cuDevicePrimaryCtxRetain(&again, 0));
    assert_ptr_not_equal(again, context_of[0]);
}

/* ---- memory ---- */

static void test_memory_is_limited_and_freed_once(void **state)
{
    fc_pointer pointer, other;
    size_t free_bytes, total;
    (void)state;
    assert_int_equal(cu.cuMemAlloc_v2(&pointer, 0), FC_ERROR_INVALID_VALUE);
    pointer = allocate(60 << 20);
    assert_int_equal(pointer % 256, 0);
    assert_int_not_equal(pointer % 512, 0);
    OK(cu.cuMemGetInfo_v2(&free_bytes, &total));
    assert_int_equal(free_bytes, 4 << 20);
    assert_int_equal(cu.cuMemAlloc_v2(&other, (4 << 20) + 1), FC_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cu.cuMemFree_v2(pointer + 256), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemFreeHost((void *)(uintptr_t)pointer), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFree_v2(pointer));
    assert_int_equal(cu.cuMemFree_v2(pointer), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFree_v2(0));
}

static void test_fresh_memory_is_noise(void **state)
{
    (void)state;
    unsigned char bytes[1000];
    fc_pointer pointer = allocate(sizeof bytes);
    OK(cu.cuMemcpyDtoH_v2(bytes, pointer, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; ++i)
        assert_int_equal(bytes[i], 0xC7);
    OK(cu.cuMemFree_v2(pointer));
}

/* A child process, as touching device memory ends it. */
static void test_the_host_faults_on_device_memory(void **state)
{
    (void)state;
    fc_pointer pointer = allocate(100);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(*(volatile char *)(uintptr_t)pointer == 0 ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    OK(cu.cuMemFree_v2(pointer));
}

static void test_guards_are_looked_at(void **state)
{
    (void)state;
    fc_pointer pointer = allocate(100);
    char *bytes = cu.fake_cuda_look(pointer);
    assert_non_null(bytes);
    bytes[100] = 1;
    assert_int_equal(cu.cuMemFree_v2(pointer), FC_ERROR_ILLEGAL_ADDRESS);
    may_be_wrong = 1;
    assert_int_equal(cu.cuMemAlloc_v2(&pointer, 1), FC_ERROR_ILLEGAL_ADDRESS); /* it sticks */
}

static void test_host_and_managed_memory(void **state)
{
    (void)state;
    char *pinned, buffer[64];
    fc_pointer managed, device = allocate(64), same;
    assert_int_equal(cu.cuMemHostAlloc((void **)&pinned, 64, 8), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemAllocManaged(&managed, 64, 0), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemHostAlloc((void **)&pinned, 64, FC_HOST_PORTABLE));
    OK(cu.cuMemAllocManaged(&managed, 64, FC_ATTACH_GLOBAL));
    OK(cu.cuMemHostGetDevicePointer_v2(&same, pinned, 0));
    assert_int_equal(same, (uintptr_t)pinned);
    memset(pinned, 5, 64);
    OK(cu.cuMemcpyHtoD_v2(device, pinned, 64));
    OK(cu.cuMemcpyDtoD_v2(managed, device, 64));
    OK(cu.cuCtxSynchronize());
    assert_memory_equal((void *)(uintptr_t)managed, pinned, 64);
    assert_int_equal(cu.cuMemcpyHtoD_v2(device, pinned, 65), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemFree_v2((uintptr_t)pinned), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemFreeHost(buffer), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFreeHost(pinned));
    OK(cu.cuMemFree_v2(managed));
    OK(cu.cuMemFree_v2(device));
}

static void test_memory_in_stream_order(void **state)
{
    (void)state;
    fc_stream stream = new_stream(FC_STREAM_NON_BLOCKING);
    fc_pointer pointer;
    int number = 0;
    OK(cu.cuMemAllocAsync(&pointer, 4, stream));
    OK(cu.cuMemsetD32Async(pointer, 77, 1, stream));
    OK(cu.cuMemcpyDtoHAsync_v2(&number, pointer, 4, stream));
    OK(cu.cuMemFreeAsync(pointer, stream));
    assert_int_equal(cu.cuMemFreeAsync(pointer, stream), FC_ERROR_INVALID_VALUE);
    OK(cu.cuStreamSynchronize(stream));
    assert_int_equal(number, 77);
    OK(cu.cuStreamDestroy_v2(stream));
}

/* ---- copies ---- */

static void test_copies_must_lie_inside(void **state)
{
    (void)state;
    char host[128] = "from the host";
    fc_pointer a = allocate(64), b = allocate(64);
    OK(cu.cuMemcpyHtoD_v2(a, host, 64));
    assert_int_equal(cu.cuMemcpyHtoD_v2(a + 1, host, 64), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemcpyHtoD_v2(a - 1, host, 1), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemcpyHtoD_v2((uintptr_t)host, host + 64, 1), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemcpyHtoD_v2(a, (void *)(uintptr_t)b, 1), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemcpyDtoH_v2((void *)(uintptr_t)b, a, 1), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemcpyDtoD_v2(b, a, 65), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemcpyHtoD_v2(a, NULL, 1), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemcpyDtoD_v2(b, a, 64));
    memset(host, 0, sizeof host);
    OK(cu.cuMemcpyDtoH_v2(host, b, 64));
    assert_string_equal(host, "from the host");
    OK(cu.cuMemFree_v2(a));
    assert_int_equal(cu.cuMemcpyDtoH_v2(host, a, 1), FC_ERROR_INVALID_VALUE); /* freed */
    assert_int_equal(cu.cuMemcpyDtoDAsync_v2(b + 8, b, 16, NULL), FC_ERROR_INVALID_VALUE);
    may_be_wrong = 1; /* the overlap */
    OK(cu.cuMemFree_v2(b));
}

static void test_pitches_are_checked(void **state)
{
    (void)state;
    char host[8 * 16];
    fc_pointer device = allocate(8 * 32);
    for (size_t i = 0; i < sizeof host; ++i)
        host[i] = (char)i;
    fc_copy_2d copy = {.source_type = FC_MEMORY_HOST,
                       .source_host = host,
                       .source_pitch = 16,
                       .target_type = FC_MEMORY_DEVICE,
                       .target_device = device,
                       .target_pitch = 32,
                       .width = 13,
                       .height = 8};
    OK(cu.cuMemcpy2D_v2(&copy));
    const char *bytes = cu.fake_cuda_look(device);
    for (size_t y = 0; y < 8; ++y) {
        assert_memory_equal(bytes + 32 * y, host + 16 * y, 13);
        assert_int_equal((unsigned char)bytes[32 * y + 13], 0xC7); /* the padding is left alone */
    }
    fc_copy_2d wrong = copy;
    wrong.target_pitch = 12;
    assert_int_equal(cu.cuMemcpy2D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    wrong = copy;
    wrong.source_x = 4;
    assert_int_equal(cu.cuMemcpy2D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    wrong = copy;
    wrong.target_y = 1; /* one row too far */
    assert_int_equal(cu.cuMemcpy2D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    wrong = copy;
    wrong.source_pitch = (size_t)1 << 31;
    assert_int_equal(cu.cuMemcpy2D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    wrong = copy;
    wrong.target_type = 7;
    assert_int_equal(cu.cuMemcpy2D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFree_v2(device));
}

static void test_boxes(void **state)
{
    (void)state;
    char host[4 * 5 * 6], back[2 * 3 * 4] = {0};
    fc_pointer device = allocate(sizeof host);
    for (size_t i = 0; i < sizeof host; ++i)
        host[i] = (char)i;
    OK(cu.cuMemcpyHtoD_v2(device, host, sizeof host));
    fc_copy_3d copy = {.source_x = 1,
                       .source_y = 2,
                       .source_z = 1,
                       .source_type = FC_MEMORY_DEVICE,
                       .source_device = device,
                       .source_pitch = 6,
                       .source_height = 5,
                       .target_type = FC_MEMORY_HOST,
                       .target_host = back,
                       .target_pitch = 4,
                       .target_height = 3,
                       .width = 4,
                       .height = 3,
                       .depth = 2};
    OK(cu.cuMemcpy3D_v2(&copy));
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 4; ++x)
                assert_int_equal(back[(z * 3 + y) * 4 + x], host[((z + 1) * 5 + y + 2) * 6 + x + 1]);
    fc_copy_3d wrong = copy;
    wrong.source_height = 4;
    assert_int_equal(cu.cuMemcpy3D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    wrong = copy;
    wrong.source_reserved = &wrong;
    assert_int_equal(cu.cuMemcpy3D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    wrong = copy;
    wrong.target_lod = 1;
    assert_int_equal(cu.cuMemcpy3D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    wrong = copy;
    wrong.depth = 4;
    assert_int_equal(cu.cuMemcpy3D_v2(&wrong), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFree_v2(device));
}

static void test_fills(void **state)
{
    (void)state;
    unsigned short host[16];
    fc_pointer device = allocate(sizeof host);
    OK(cu.cuMemsetD8_v2(device, 1, sizeof host));
    OK(cu.cuMemsetD2D16Async(device + 2, 8, 0xABCD, 2, 4, NULL));
    OK(cu.cuMemcpyDtoH_v2(host, device, sizeof host));
    for (int i = 0; i < 16; ++i)
        assert_int_equal(host[i], i % 4 == 1 || i % 4 == 2 ? 0xABCD : 0x0101);
    assert_int_equal(cu.cuMemsetD32_v2(device + 2, 0, 1), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemsetD16_v2(device + 1, 0, 1), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemsetD32_v2(device, 0, 9), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemsetD2D32Async(device, 10, 0, 1, 2, NULL), FC_ERROR_INVALID_VALUE);
    assert_int_equal(cu.cuMemsetD2D8Async(device, 4, 0, 5, 2, NULL), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemFree_v2(device));
}

static void test_peers(void **state)
{
    (void)state;
    int can, number = 0;
    fc_pointer here = allocate(4), there;
    OK(cu.cuDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    OK(cu.cuCtxEnablePeerAccess(context_of[1], 0));
    assert_int_equal(cu.cuCtxEnablePeerAccess(context_of[1], 0), FC_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    assert_int_equal(cu.cuCtxEnablePeerAccess(context_of[0], 0), FC_ERROR_INVALID_CONTEXT);
    OK(cu.cuCtxSetCurrent(context_of[1]));
    there = allocate(4);
    OK(cu.cuMemsetD32_v2(there, 1234, 1));
    OK(cu.cuCtxSynchronize());
    assert_int_equal(cu.cuMemcpyPeer(here, context_of[1], there, context_of[0], 4), FC_ERROR_INVALID_VALUE);
    OK(cu.cuMemcpyPeer(here, context_of[0], there, context_of[1], 4));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuMemFree_v2(there));
    OK(cu.cuCtxSetCurrent(context_of[0]));
    OK(cu.cuMemcpyDtoH_v2(&number, here, 4));
    assert_int_equal(number, 1234);
    OK(cu.cuMemFree_v2(here));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_before_init_and_without_a_device),
        TEST(test_says_that_it_is_a_fake),
        TEST(test_a_context_must_be_current),
        TEST(test_an_ended_context_is_known),
        TEST(test_memory_is_limited_and_freed_once),
        TEST(test_fresh_memory_is_noise),
        TEST(test_the_host_faults_on_device_memory),
        TEST(test_guards_are_looked_at),
        TEST(test_host_and_managed_memory),
        TEST(test_memory_in_stream_order),
        TEST(test_copies_must_lie_inside),
        TEST(test_pitches_are_checked),
        TEST(test_boxes),
        TEST(test_fills),
        TEST(test_peers),
    };
    return cmocka_run_group_tests(tests, open_fake, NULL);
}
