/*
 * The stand-in for the OpenCL loader (tests/opencl_shim) in the hands of a test: loading it, its controls, and what it
 * counted. For tests of the backend and for those of the runtime.
 */
#ifndef QUERN_TESTS_OPENCL_SHIM_TEST_H
#define QUERN_TESTS_OPENCL_SHIM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../opencl_shim/opencl_shim.h"

#include <dlfcn.h>

/* Everything as it really is, from now on. */
static inline void opencl_shim_rest(struct quern_opencl_shim *shim)
{
    if (!shim) /* skip() does not return, but the compiler does not know */
        return;
    shim->fail_function = NULL;
    shim->fail_at = shim->vanish_at = 0;
    shim->fail_error = CL_OUT_OF_RESOURCES;
    shim->no_platform = shim->no_device = shim->unavailable = shim->no_compiler = shim->no_fp64 = shim->is_gpu = 0;
    shim->old_version = 0;
    shim->is_frozen = 0;
    shim->callback_delay = 0;
    shim->platforms = shim->devices = shim->sick = 0;
    shim->fail_question = shim->zero_question = 0;
    shim->parameter_bytes = shim->allocation_bytes = shim->group_items = 0;
    shim->extensions = NULL;
    shim->priority = 0;
    shim->broken_at = 0;
    shim->broken = NULL;
    shim->calls = shim->matching_calls = shim->commands = shim->texts = shim->binaries = 0;
}

/* Has a later start load the stand-in, with all its controls at rest; NULL when there is no loader behind it, with the
 * reason printed. It stays loaded, so that its counters last. */
static inline struct quern_opencl_shim *opencl_shim_load(void)
{
    const char *path = QUERN_BINARY_DIR "/tests/bin/opencl_shim.so";
    void *real = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!real) {
        print_message("skipped: there is no OpenCL loader: %s\n", dlerror());
        return NULL;
    }
    dlclose(real);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("the stand-in for the loader is not there: %s", dlerror());
    quern_opencl_shim_function *function;
    void *found = dlsym(library, QUERN_OPENCL_SHIM);
    memcpy(&function, &found, sizeof found);
    struct quern_opencl_shim *shim = function();
    setenv("QUERN_OPENCL_LIBRARY", path, 1);
    opencl_shim_rest(shim);
    return shim;
}

/* The call number at from now of that function (NULL: of any) fails. */
static inline void opencl_shim_fail(struct quern_opencl_shim *shim, const char *function, long at, cl_int error)
{
    shim->matching_calls = 0;
    shim->failed = NULL;
    shim->fail_function = function;
    shim->fail_error = error;
    shim->fail_at = at;
}

/* The command number at from now ends with the status. */
static inline void opencl_shim_break(struct quern_opencl_shim *shim, long at, cl_int status)
{
    shim->commands = 0;
    shim->broken = NULL;
    shim->broken_status = status;
    shim->broken_at = at;
}

/* From the call number at from now on every call fails. */
static inline void opencl_shim_vanish(struct quern_opencl_shim *shim, long at)
{
    shim->calls = 0;
    shim->vanish_at = at;
}

static inline void opencl_shim_nothing_left(struct quern_opencl_shim *shim)
{
    assert_int_equal(shim->contexts, 0);
    assert_int_equal(shim->queues, 0);
    assert_int_equal(shim->buffers, 0);
    assert_int_equal(shim->programs, 0);
    assert_int_equal(shim->kernels, 0);
    assert_int_equal(shim->events, 0);
    assert_int_equal(shim->unified, 0);
}

#endif
