/*
 * A stand-in for the OpenCL loader, for tests: it passes every call on to the real one, counts what is alive, and fails
 * or lies when it is told to.
 *
 * A test loads it by QUERN_OPENCL_LIBRARY and reaches its controls through the symbol quern_opencl_shim; a
 * process that only sees the environment sets QUERN_SHIM_… instead, which is read when the shim is loaded:
 *
 *     QUERN_SHIM_FAIL_FUNCTION, QUERN_SHIM_FAIL_AT, QUERN_SHIM_FAIL_ERROR, QUERN_SHIM_VANISH_AT,
 *     QUERN_SHIM_NO_PLATFORM, QUERN_SHIM_NO_DEVICE, QUERN_SHIM_NO_FP64, QUERN_SHIM_PARAMETER_BYTES,
 *     QUERN_SHIM_ALLOCATION_BYTES, QUERN_SHIM_GROUP_ITEMS, QUERN_SHIM_REAL, QUERN_SHIM_PLATFORMS, QUERN_SHIM_DEVICES,
 *     QUERN_SHIM_SICK, QUERN_SHIM_FAIL_QUESTION, QUERN_SHIM_ZERO_QUESTION
 */
#ifndef QUERN_TESTS_OPENCL_SHIM_H
#define QUERN_TESTS_OPENCL_SHIM_H

#include "backend/opencl/opencl_api.h"

struct quern_opencl_shim {
    /* The call number fail_at (from 1) of fail_function ("Finish"; NULL: of any) gives fail_error. 0: none. */
    const char *_Atomic fail_function;
    _Atomic long fail_at;
    _Atomic cl_int fail_error;
    /* From this call of any function on all give CL_DEVICE_NOT_AVAILABLE, and no callback comes. 0: never. */
    _Atomic long vanish_at;
    _Atomic int is_frozen;              /* no command ever seems to end, and nobody can wait */
    _Atomic int callback_delay;         /* microseconds that callbacks come late */
    _Atomic long calls, matching_calls; /* so far; of any function, and of fail_function */
    const char *_Atomic failed;         /* the function that failed by fail_at */
    /* The command number broken_at (from 1) that is enqueued ends with broken_status, whatever it does. 0: none. */
    _Atomic long broken_at;
    _Atomic cl_int broken_status;
    _Atomic long commands;
    _Atomic(cl_event) broken;

    /* What the platform says of itself; 0: the truth. */
    int no_platform, no_device, unavailable, no_compiler, no_fp64, is_gpu, old_version;
    size_t parameter_bytes, allocation_bytes, group_items;
    const char *extensions; /* instead of the device's own; NULL: the truth */
    cl_bitfield priority;   /* of the queue that was made last with one */

    /* So many platforms of so many devices each, at most 8, which all are the first real one. 0 platforms: the truth.
     */
    size_t platforms, devices;
    /* Of these devices the one of that number, from 1 and across all platforms, fails at fail_question (CL_DEVICE_NAME,
     * say) with fail_error, and answers zero_question with zeros. 0: none does, no question. */
    size_t sick;
    cl_uint fail_question, zero_question;

    /* Made, less released. */
    _Atomic long contexts, queues, buffers, programs, kernels, events, unified;
    /* Programs made, of either kind, and what else was made. */
    _Atomic long texts, binaries, others;
};

/* The symbol: a function that gives the controls. */
typedef struct quern_opencl_shim *quern_opencl_shim_function(void);
#define QUERN_OPENCL_SHIM "quern_opencl_shim"

#endif
