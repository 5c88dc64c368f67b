/* The OpenCL backend: copies and fills of boxes. */
#include "opencl_fixture.h"

#include "device_copy_tests.h"

static int fixture_is_here(void)
{
    return opencl_is_here();
}

static void fixture_stop(void)
{
    opencl_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {DEVICE_COPY_TESTS};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
