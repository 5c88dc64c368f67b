/* Tests of the fake CUDA driver itself: its functions by dlsym, and a context to use them in. */
#ifndef QUERN_FAKE_CUDA_FIXTURE_H
#define QUERN_FAKE_CUDA_FIXTURE_H

#include "../fake_cuda/api.h"
#include "fake_cuda_look_up.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
#define MEMBER(name, parameters) quern_fc_##name *name;
    FC_FUNCTIONS(MEMBER)
#undef MEMBER
#define MEMBER(name, result, parameters) name##_function *name;
    FAKE_CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
} cu;

static int open_fake(void **state)
{
    (void)state;
    void *library = dlopen(QUERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
#define LOOK_UP(name, parameters) look_up(library, #name, &cu.name);
    FC_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
#define LOOK_UP(name, result, parameters) look_up(library, #name, &cu.name);
    FAKE_CUDA_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return 0;
}

#define OK(call) assert_int_equal((call), FC_SUCCESS)

static fc_context context_of[2];

/* Two devices and the contexts of both; the first one's is current. */
static int begin(void **state)
{
    (void)state;
    setenv("QUERN_FAKE_CUDA_DEVICES", "2", 1);
    setenv("QUERN_FAKE_CUDA_MEMORY", "0x4000000", 1); /* 64 MiB */
    OK(cu.cuInit(0));
    for (int i = 0; i < 2; ++i)
        OK(cu.cuDevicePrimaryCtxRetain(&context_of[i], i));
    OK(cu.cuCtxSetCurrent(context_of[0]));
    return 0;
}

/* What a test left is an error, unless it says how much it means to leave. */
static size_t may_be_left, may_be_wrong;

static int end(void **state)
{
    fake_cuda_counts counts;
    (void)state;
    cu.fake_cuda_fail_at(NULL, 0, 0);
    cu.fake_cuda_break_at(0, 0);
    OK(cu.cuCtxSetCurrent(NULL));
    for (int i = 0; i < 2; ++i)
        OK(cu.cuDevicePrimaryCtxRelease_v2(i));
    cu.fake_cuda_get_counts(&counts);
    assert_int_equal(counts.left_behind, may_be_left);
    assert_int_equal(counts.violations, may_be_wrong);
    assert_int_equal(cu.fake_cuda_reset(), 0);
    may_be_left = may_be_wrong = 0;
    return 0;
}

static inline fc_stream new_stream(unsigned flags)
{
    fc_stream stream;
    OK(cu.cuStreamCreate(&stream, flags));
    return stream;
}

static inline fc_pointer allocate(size_t bytes)
{
    fc_pointer pointer;
    OK(cu.cuMemAlloc_v2(&pointer, bytes));
    return pointer;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
