/*
 * What the tests of the OpenCL backend have in common: starting it under a small front end, with the real loader or the
 * stand-in of tests/opencl_shim; queues, memory, and kernels whose text is written by hand after
 * dialect/device_abi.h.
 */
#ifndef QUERN_TESTS_OPENCL_FIXTURE_H
#define QUERN_TESTS_OPENCL_FIXTURE_H

#include "device_fixture.h"
#include "opencl_shim_test.h"

#include "backend/opencl/opencl_backend.h"

/* ---- starting ---- */

static inline quern_status opencl_start(void)
{
    /* ctest has said so; run by hand, what PoCL compiles goes where the build is, not to the user's home. */
    setenv("POCL_CACHE_DIR", QUERN_BINARY_DIR "/test-cache/pocl", 0);
    return fixture_start(&quern_opencl_backend);
}

/* 1 when this machine has a device for the tests; else the reason is printed, and the test has to call skip(). */
static inline int opencl_is_here(void)
{
    quern_status status = opencl_start();
    if (status == QUERN_SUCCESS)
        return 1;
    if (status != QUERN_NOT_PRESENT)
        fail_msg("%s: %s", quern_status_name(status), quern_last_error());
    print_message("skipped: %s\n", quern_last_error());
    return 0;
}

static inline void opencl_stop(void)
{
    quern_opencl_backend.stop();
}

/* ---- the stand-in ---- */

/* Has start load the stand-in; NULL when there is no OpenCL, with the reason printed. All its controls are at rest. */
static inline struct quern_opencl_shim *opencl_shim(void)
{
    struct quern_opencl_shim *shim = opencl_shim_load();
    if (!shim || !opencl_is_here())
        return NULL;
    opencl_stop();
    return shim;
}

/* Stops, with nothing left over; later starts have the real loader. */
static inline void opencl_shim_end(struct quern_opencl_shim *shim)
{
    opencl_stop();
    opencl_shim_nothing_left(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* ---- kernels ---- */

#define FIXTURE_TEXT_TYPES                                                                                             \
    "#if QUERN_INDEX_BITS == 32\n"                                                                                     \
    "typedef int quern_index;\n"                                                                                       \
    "#else\n"                                                                                                          \
    "typedef long quern_index;\n"                                                                                      \
    "#endif\n"                                                                                                         \
    "#pragma OPENCL FP_CONTRACT OFF\n"

/* The items that an item of the grid takes along dimension k: a loop of i from begin to end by step. */
#define FIXTURE_TEXT_LOOP                                                                                              \
    "#if QUERN_CONTIGUOUS\n"                                                                                           \
    "#define LOOP(i, k, extent, piece) \\\n"                                                                           \
    "  for (quern_index i = min((long)get_global_id(k) * (piece), (long)(extent)), \\\n"                               \
    "                   i##_end = min((long)i + (piece), (long)(extent)); i < i##_end; ++i)\n"                         \
    "#else\n"                                                                                                          \
    "#define LOOP(i, k, extent, piece) \\\n"                                                                           \
    "  for (quern_index i = get_global_id(k); i < (extent); i += get_global_size(k))\n"                                \
    "#endif\n"

/* axpy: y[i] += a * x[i], over a range of rank 1. */
static const char axpy_text[] = FIXTURE_TEXT_TYPES FIXTURE_TEXT_LOOP
    "typedef struct { quern_index w[9]; } axpy_words;\n"
    "__kernel void quern_k_axpy(axpy_words q, __global const char *xm, __global char *ym, float a)\n"
    "{\n"
    "  __global const float *x = (__global const float *)(xm + q.w[7]);\n"
    "  __global float *y = (__global float *)(ym + q.w[8]);\n"
    "  LOOP (i, 0, q.w[0], q.w[1])\n"
    "    y[i + q.w[4]] += a * x[i + q.w[4]];\n"
    "}\n";

/* mark: out[y][x] = 1000 y + x + the width of an index, with the offsets, over a range of rank 2. */
static const char mark_text[] = FIXTURE_TEXT_TYPES FIXTURE_TEXT_LOOP
    "typedef struct { quern_index w[16]; } mark_words;\n"
    "__kernel void quern_k_mark(mark_words q, __global char *out)\n"
    "{\n"
    "#if QUERN_LINEAR\n"
    "  LOOP (i, 0, q.w[0], q.w[1]) {\n"
    "    quern_index y = i / q.w[3] + q.w[8], x = i % q.w[3] + q.w[4];\n"
    "#else\n"
    "  LOOP (j, 1, q.w[7], q.w[9]) LOOP (i, 0, q.w[3], q.w[5]) {\n"
    "    quern_index y = j + q.w[8], x = i + q.w[4];\n"
    "#endif\n"
    "    *(__global int *)(out + q.w[11] + y * q.w[14] + x * q.w[15]) = 1000 * y + x + QUERN_INDEX_BITS;\n"
    "  }\n"
    "}\n";

/* sums: the sum of each group's elements, over a range of rank 1, with groups of any size. */
static const char sums_text[] = FIXTURE_TEXT_TYPES
    "typedef struct { quern_index w[9]; } sums_words;\n"
    "__kernel void quern_k_sums(sums_words q, __global const char *in, __global char *out, __local int *tile)\n"
    "{\n"
    "  int i = get_local_id(0), n = get_local_size(0);\n"
    "  long item = get_global_id(0);\n"
    "  tile[i] = item < q.w[3] ? ((__global const int *)(in + q.w[7]))[item] : 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (i == 0) {\n"
    "    int sum = 0;\n"
    "    for (int k = 0; k < n; ++k)\n"
    "      sum += tile[k];\n"
    "    ((__global int *)(out + q.w[8]))[get_group_id(0)] = sum + 1000000 * (q.w[6] != get_num_groups(0));\n"
    "  }\n"
    "}\n";

static inline quern_status opencl_build(struct fixture_kernel *kernel, void *device, const char *name, const char *text,
                                        int rank, int group_rank)
{
    memset(kernel, 0, sizeof *kernel);
    kernel->image = (quern_kernel_image){"opencl", "opencl-c-1.2 strict", NULL, text, strlen(text)};
    kernel->kernel.version = QUERN_KERNEL_VERSION;
    kernel->kernel.name = name;
    kernel->kernel.file = "author.k.c";
    kernel->kernel.rank = rank;
    kernel->kernel.is_group = group_rank != 0;
    kernel->kernel.group_rank = (uint32_t)group_rank;
    kernel->kernel.images = &kernel->image;
    kernel->kernel.image_count = 1;
    kernel->device = device;
    return quern_opencl_backend.kernel_build(device, &kernel->kernel, &kernel->compiled, &kernel->limits);
}

#endif
