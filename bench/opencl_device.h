/* The baseline on OpenCL, its parts among themselves: the loader's functions, the device, the queue. */
#ifndef QUERN_BENCH_OPENCL_DEVICE_H
#define QUERN_BENCH_OPENCL_DEVICE_H

#include "backend/opencl/opencl_api.h"
#include "opencl.h"

typedef struct quern_handwritten_functions {
#define MEMBER(name, result, arguments) result(*name) arguments;
    QUERN_OPENCL_FUNCTIONS(MEMBER)
#undef MEMBER
} quern_handwritten_functions;

/* X(name): the kernels of the program */
#define QUERN_HANDWRITTEN_KERNELS(X) X(copy) X(mul) X(add) X(triad) X(triad_float) X(dot_blocks) X(stencil) X(empty)

struct quern_handwritten {
    quern_handwritten_functions cl;
    cl_device_id device;
    int is_cpu;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    struct {
#define MEMBER(name) cl_kernel name;
        QUERN_HANDWRITTEN_KERNELS(MEMBER)
#undef MEMBER
    } kernel;
};

/* SUCCESS for CL_SUCCESS, else a failure whose sentence says which call it was. */
quern_status quern_handwritten_check(cl_int code, const char *call);

#endif
