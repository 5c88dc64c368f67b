/* The adder of device_adder.h on CUDA. */
#ifndef QUERN_TESTS_CUDA_ADDER_H
#define QUERN_TESTS_CUDA_ADDER_H

#include "cuda_fixture.h"

#include "device_adder.h"

static quern_status adder_build(struct fixture_kernel *kernel, void *device)
{
    return cuda_build(kernel, device, &axpy_kernel);
}

#endif
