/* Finding the fake CUDA driver's functions, among them those by which tests tell it what to do. */
#ifndef QUERN_TEST_FAKE_CUDA_LOOK_UP_H
#define QUERN_TEST_FAKE_CUDA_LOOK_UP_H

#include "../fake_cuda/fake_cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <string.h>

/* *function, a pointer to a function, is then that of the name. */
static inline void look_up(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found)
        fail_msg("the fake driver lacks %s", name);
    memcpy(function, &found, sizeof found);
}

#endif
