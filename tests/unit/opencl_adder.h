/* The adder of device_adder.h on OpenCL. */
#ifndef QUERN_TESTS_OPENCL_ADDER_H
#define QUERN_TESTS_OPENCL_ADDER_H

#include "opencl_fixture.h"

#include "device_adder.h"

static quern_status adder_build(struct fixture_kernel *kernel, void *device)
{
    return opencl_build(kernel, device, "axpy", axpy_text, 1, 0);
}

#endif
