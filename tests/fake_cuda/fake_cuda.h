/*
 * The fake CUDA driver, for tests: what it is told, and what it tells, beside CUDA's own functions (api.h).
 *
 * libfake_cuda.so takes the place of libcuda.so.1 (QUERN_CUDA_LIBRARY), libfake_nvrtc.so that of NVRTC
 * (QUERN_NVRTC_LIBRARY). Memory is RAM, work runs on a few threads, kernels are run by the CPU build of their kernel
 * file. The environment, read at cuInit, but the failures' and breaks', which are read at the first call of all:
 *
 *     QUERN_FAKE_CUDA_DEVICES      devices, 1 unless set; 0: cuInit says that there is none
 *     QUERN_FAKE_CUDA_MEMORY       bytes of a device's memory, 2 GiB unless set
 *     QUERN_FAKE_CUDA_VERSION      of the driver, 13000 unless set (13.0)
 *     QUERN_FAKE_CUDA_ARCH         compute capability of the devices, 90 unless set (9.0)
 *     QUERN_FAKE_CUDA_NO_PEER      1: no device reaches another's memory
 *     QUERN_FAKE_CUDA_NO_POOLS     1: no cuMemAllocAsync
 *     QUERN_FAKE_CUDA_NO_MANAGED   1: no cuMemAllocManaged; 2: the host may not touch it while work runs
 *     QUERN_FAKE_CUDA_THREADS      most threads of a block that a kernel of no fixed size takes, 1024 unless set
 *     QUERN_FAKE_CUDA_SEED         of the order in which streams take turns, and of the pauses
 *     QUERN_FAKE_CUDA_WORKERS      threads that run work, 4 unless set
 *     QUERN_FAKE_CUDA_DELAY        longest pause before a command, microseconds, 200 unless set
 *     QUERN_FAKE_CUDA_NO_OP        1: launches do nothing at all, to measure the caller
 *     QUERN_FAKE_CUDA_REPORT       1: at the process's end stderr gets a line on what was left and what was wrong
 *     QUERN_FAKE_CUDA_ARGUMENTS    words for the C compiler of kernel files (-DN=4): those that the program that is
 *                                  tested compiled its kernel files with
 *     QUERN_FAKE_CUDA_FAIL_FUNCTION, _FAIL_AT, _FAIL_ERROR     as fake_cuda_fail_at
 *     QUERN_FAKE_CUDA_BREAK_AT, _BREAK_ERROR                   as fake_cuda_break_at
 *
 * A wrong use that the real driver would not notice, or notices only as garbage (a group kernel on another grid, a copy
 * that lost its event, guard bytes overwritten beside memory of the device or of a group), is a violation: it is
 * counted, told on stderr with "fake_cuda:" before it, and ends the context with an error that sticks.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stddef.h>

typedef struct fake_cuda_counts {
    size_t contexts, streams, events, modules; /* that there are */
    size_t device_allocations, host_allocations, managed_allocations;
    size_t device_bytes;
    size_t calls;        /* of CUDA functions, all together */
    size_t commands;     /* that were run: copies, fills, kernels, host functions */
    size_t violations;   /* see above */
    size_t freed_in_use; /* cuMemFree, which waits, while a command that uses the memory was queued */
    size_t graphs;       /* that there are, captured or instantiated */
    size_t left_behind;  /* objects and allocations that were there when their context ended without an error */
} fake_cuda_counts;

/* X(name, result, parameters): exported, and called by what dlsym gives. */
#define FAKE_CUDA_FUNCTIONS(X)                                                                                         \
    /* The n-th call from now of the function, or of any when it is NULL, gives the error instead of being made; a     \
     * release (cu…Free, cu…Destroy, cuModuleUnload) is made all the same. 0: none does. */                        \
    X(fake_cuda_fail_at, void, (const char *function, size_t n, int error))                                            \
    /* 1 when that call has come. */                                                                                   \
    X(fake_cuda_has_failed, int, (void))                                                                               \
    /* The n-th copy, fill or kernel that is run from now ends its context with the error, which sticks. */            \
    X(fake_cuda_break_at, void, (size_t n, int error))                                                                 \
    /* Calls of the function so far. */                                                                                \
    X(fake_cuda_calls, size_t, (const char *function))                                                                 \
    X(fake_cuda_get_counts, void, (fake_cuda_counts * counts))                                                         \
    /* The environment is read again at the next cuInit, with everything as at first; NOTHING may be left. 0, or 1     \
     * and nothing happens when something is. */                                                                       \
    X(fake_cuda_reset, int, (void))                                                                                    \
    /* No stream takes up a command while this is 1, so that everything queued stays queued. */                        \
    X(fake_cuda_hold, void, (int hold))                                                                                \
    /* The device memory's bytes themselves, for a test to look at; NULL for no device memory. */                      \
    X(fake_cuda_look, void *, (unsigned long long pointer))

#define FAKE_CUDA_TYPE(name, result, parameters) typedef result name##_function parameters;
FAKE_CUDA_FUNCTIONS(FAKE_CUDA_TYPE)
#undef FAKE_CUDA_TYPE

#endif
