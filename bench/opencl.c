/* The baseline on OpenCL: the text of its kernels, and their launches. */
#include "opencl.h"

#include "base/error.h"
#include "opencl_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both sides of a ratio round alike: no contraction, which OpenCL would allow itself. */
static const char common_text[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "\n"
    "__kernel void copy(__global const double *restrict a, __global double *restrict c)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = a[i];\n"
    "}\n"
    "\n"
    "__kernel void mul(__global const double *restrict c, __global double *restrict b, double s)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    b[i] = s * c[i];\n"
    "}\n"
    "\n"
    "__kernel void add(__global const double *restrict a, __global const double *restrict b,\n"
    "                  __global double *restrict c)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n"
    "\n"
    "__kernel void triad(__global const double *restrict b, __global const double *restrict c,\n"
    "                    __global double *restrict a, double s)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    a[i] = b[i] + s * c[i];\n"
    "}\n"
    "\n"
    "__kernel void triad_float(__global const float *restrict b, __global const float *restrict c,\n"
    "                          __global float *restrict a, float s)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    a[i] = b[i] + s * c[i];\n"
    "}\n"
    "\n"
    "__kernel void stencil(__global const float *restrict u, __global float *restrict v, int step, float c)\n"
    "{\n"
    "    size_t x = get_global_id(0) + 1, y = get_global_id(1) + 1;\n"
    "    __global const float *here = u + y * step + x;\n"
    "    v[y * step + x] = here[0] + c * (here[-step] + here[step] + here[-1] + here[1] - 4.0f * here[0]);\n"
    "}\n"
    "\n"
    "__kernel void empty(int nothing)\n"
    "{\n"
    "}\n"
    "\n";

/* The dot product is where one text does not serve all: a processor wants a piece of the arrays per item and SIMD
 * within it, a GPU a group per piece whose items read side by side. */
static const char processor_text[] =
    "__kernel void dot_blocks(__global const double *restrict a, __global const double *restrict b,\n"
    "                  __global double *restrict partial, ulong n)\n"
    "{\n"
    "    size_t i = get_global_id(0) * BLOCK, end = min(i + BLOCK, (size_t)n);\n"
    "    double4 even = 0.0, odd = 0.0;\n"
    "    for (; i + 8 <= end; i += 8) {\n"
    "        even += vload4(0, a + i) * vload4(0, b + i);\n"
    "        odd += vload4(0, a + i + 4) * vload4(0, b + i + 4);\n"
    "    }\n"
    "    double4 four = even + odd;\n"
    "    double2 two = four.lo + four.hi;\n"
    "    double sum = two.lo + two.hi;\n"
    "    for (; i < end; ++i)\n"
    "        sum += a[i] * b[i];\n"
    "    partial[get_global_id(0)] = sum;\n"
    "}\n";

#define DOT_GROUP 256
static const char gpu_text[] =
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void dot_blocks(__global const double *restrict a, __global const double *restrict b,\n"
    "         __global double *restrict partial, ulong n)\n"
    "{\n"
    "    __local double sums[GROUP];\n"
    "    size_t item = get_local_id(0), begin = get_group_id(0) * BLOCK, end = min(begin + BLOCK, (size_t)n);\n"
    "    double sum = 0.0;\n"
    "    for (size_t i = begin + item; i < end; i += GROUP)\n"
    "        sum += a[i] * b[i];\n"
    "    sums[item] = sum;\n"
    "    for (size_t alive = GROUP / 2; alive > 0; alive /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (item < alive)\n"
    "            sums[item] += sums[item + alive];\n"
    "    }\n"
    "    if (item == 0)\n"
    "        partial[get_group_id(0)] = sums[0];\n"
    "}\n";

/* ---- the program ---- */

static quern_status build_failed(const quern_handwritten *program, cl_int code)
{
    const quern_handwritten_functions *cl = &program->cl;
    char log[2048] = "";
    quern_status status = quern_handwritten_check(code, "clBuildProgram");
    if (cl->GetProgramBuildInfo(program->program, program->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL) ==
            CL_SUCCESS &&
        log[0])
        return quern_fail(status, "the OpenCL baseline: clBuildProgram: %s", log);
    return status;
}

static quern_status find_kernels(quern_handwritten *program)
{
    cl_int code;
#define FIND(name)                                                                                                     \
    program->kernel.name = program->cl.CreateKernel(program->program, #name, &code);                                   \
    if (code != CL_SUCCESS)                                                                                            \
        return quern_handwritten_check(code, "clCreateKernel(" #name ")");
    QUERN_HANDWRITTEN_KERNELS(FIND)
#undef FIND
    return QUERN_SUCCESS;
}

quern_status quern_handwritten_build(quern_handwritten *program)
{
    const quern_handwritten_functions *cl = &program->cl;
    const char *texts[] = {common_text, program->is_cpu ? processor_text : gpu_text};
    char options[64];
    const cl_int nothing = 0;
    cl_int code;

    snprintf(options, sizeof options, "-cl-std=CL1.2 -DBLOCK=%d -DGROUP=%d", QUERN_HANDWRITTEN_DOT_BLOCK, DOT_GROUP);
    program->program = cl->CreateProgramWithSource(program->context, 2, texts, NULL, &code);
    if (code != CL_SUCCESS)
        return quern_handwritten_check(code, "clCreateProgramWithSource");
    code = cl->BuildProgram(program->program, 1, &program->device, options, NULL, NULL);
    if (code != CL_SUCCESS)
        return build_failed(program, code);
    quern_status status = find_kernels(program);
    if (!status) /* as who measures a launch would: the argument does not change */
        status = quern_handwritten_check(cl->SetKernelArg(program->kernel.empty, 0, sizeof nothing, &nothing),
                                         "clSetKernelArg");
    return status;
}

/* ---- launches ---- */

typedef struct argument {
    size_t size;
    const void *value;
} argument;

static quern_status set_arguments(const quern_handwritten *program, cl_kernel kernel, const argument *arguments,
                                  cl_uint count)
{
    for (cl_uint i = 0; i < count; ++i) {
        cl_int code = program->cl.SetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
        if (code != CL_SUCCESS)
            return quern_handwritten_check(code, "clSetKernelArg");
    }
    return QUERN_SUCCESS;
}

static quern_status enqueue(const quern_handwritten *program, cl_kernel kernel, cl_uint rank, const size_t *items,
                            const size_t *group)
{
    return quern_handwritten_check(
        program->cl.EnqueueNDRangeKernel(program->queue, kernel, rank, NULL, items, group, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
}

/* Runs the kernel with these arguments, and waits. */
#define RUN(program, kernel_name, rank, items, group, ...)                                                             \
    run(program, (program)->kernel.kernel_name, rank, items, group, (const argument[]){__VA_ARGS__},                   \
        sizeof((const argument[]){__VA_ARGS__}) / sizeof(argument))
#define ARGUMENT(value)                                                                                                \
    {                                                                                                                  \
        sizeof(value), &(value)                                                                                        \
    }

static quern_status run(const quern_handwritten *program, cl_kernel kernel, cl_uint rank, const size_t *items,
                        const size_t *group, const argument *arguments, size_t count)
{
    quern_status status = set_arguments(program, kernel, arguments, (cl_uint)count);
    if (!status)
        status = enqueue(program, kernel, rank, items, group);
    if (!status)
        status = quern_handwritten_check(program->cl.Finish(program->queue), "clFinish");
    return status;
}

quern_status quern_handwritten_copy(quern_handwritten *program, size_t n, quern_handwritten_array *a,
                                    quern_handwritten_array *c)
{
    return RUN(program, copy, 1, &n, NULL, ARGUMENT(a), ARGUMENT(c));
}

quern_status quern_handwritten_mul(quern_handwritten *program, size_t n, quern_handwritten_array *c,
                                   quern_handwritten_array *b, double s)
{
    return RUN(program, mul, 1, &n, NULL, ARGUMENT(c), ARGUMENT(b), ARGUMENT(s));
}

quern_status quern_handwritten_add(quern_handwritten *program, size_t n, quern_handwritten_array *a,
                                   quern_handwritten_array *b, quern_handwritten_array *c)
{
    return RUN(program, add, 1, &n, NULL, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c));
}

quern_status quern_handwritten_triad(quern_handwritten *program, size_t n, quern_handwritten_array *b,
                                     quern_handwritten_array *c, quern_handwritten_array *a, double s)
{
    return RUN(program, triad, 1, &n, NULL, ARGUMENT(b), ARGUMENT(c), ARGUMENT(a), ARGUMENT(s));
}

quern_status quern_handwritten_triad_float(quern_handwritten *program, size_t n, quern_handwritten_array *b,
                                           quern_handwritten_array *c, quern_handwritten_array *a, float s)
{
    return RUN(program, triad_float, 1, &n, NULL, ARGUMENT(b), ARGUMENT(c), ARGUMENT(a), ARGUMENT(s));
}

quern_status quern_handwritten_dot(quern_handwritten *program, size_t n, quern_handwritten_array *a,
                                   quern_handwritten_array *b, quern_handwritten_array *partial)
{
    const size_t group = DOT_GROUP, blocks = (n + QUERN_HANDWRITTEN_DOT_BLOCK - 1) / QUERN_HANDWRITTEN_DOT_BLOCK;
    const size_t items = program->is_cpu ? blocks : blocks * group;
    const cl_ulong count = n;
    return RUN(program, dot_blocks, 1, &items, program->is_cpu ? NULL : &group, ARGUMENT(a), ARGUMENT(b),
               ARGUMENT(partial), ARGUMENT(count));
}

quern_status quern_handwritten_stencil(quern_handwritten *program, size_t rows, size_t columns, size_t pitch,
                                       quern_handwritten_array *u, quern_handwritten_array *v, float c)
{
    const size_t items[2] = {columns - 2, rows - 2};
    const cl_int step = (cl_int)(pitch / sizeof(float));
    return RUN(program, stencil, 2, items, NULL, ARGUMENT(u), ARGUMENT(v), ARGUMENT(step), ARGUMENT(c));
}

quern_status quern_handwritten_empty(quern_handwritten *program, size_t n)
{
    return enqueue(program, program->kernel.empty, 1, &n, NULL);
}

quern_status quern_handwritten_finish(quern_handwritten *program)
{
    return quern_handwritten_check(program->cl.Finish(program->queue), "clFinish");
}
