/* Opening CUDA's driver library and looking its functions up. */
#include "cuda_library.h"

#include "base/error.h"
#include "base/shared_object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quern_cuda_functions quern_cu;

static void *library;
static char library_name[256];

/* POSIX lets dlsym's pointer be called, ISO C does not let it be converted: so it is copied. */
static int look_up(const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* The first function that the library lacks, or NULL. */
static const char *look_up_all(void)
{
#define LOOK_UP(name, symbol, arguments)                                                                               \
    if (!look_up(symbol, &quern_cu.name))                                                                              \
        return symbol;
#define LOOK_UP_NEWER(name, symbol, arguments) (void)look_up(symbol, &quern_cu.name);
    QUERN_CUDA_FUNCTIONS(LOOK_UP)
    QUERN_CUDA_NEWER_FUNCTIONS(LOOK_UP_NEWER)
#undef LOOK_UP
#undef LOOK_UP_NEWER
    return NULL;
}

/* NULL, or why it cannot be opened. The driver stays in memory once it is there: it keeps threads and memory of its
 * own, which nothing ends. */
static const char *open_file(const char *name)
{
    const char *fault = quern_shared_object_name_fault(name);
    snprintf(library_name, sizeof library_name, "%s", name);
    if (fault)
        return fault;
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return library ? NULL : dlerror();
}

quern_status quern_cuda_library_open(void)
{
    const char *named = getenv("QUERN_CUDA_LIBRARY");
    const char *fault = open_file(named && *named ? named : "libcuda.so.1");
    if (fault && named && *named)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "the CUDA driver '%s' that QUERN_CUDA_LIBRARY names cannot be opened: %s", named, fault);
    if (fault)
        return quern_fail(QUERN_NOT_PRESENT, "there is no CUDA driver: libcuda.so.1 cannot be opened: %s", fault);
    const char *missing = look_up_all();
    if (!missing)
        return QUERN_SUCCESS;
    quern_status status = quern_fail(
        QUERN_NOT_SUPPORTED, "the CUDA driver %s lacks %s, wanted one of CUDA 11.0 or newer", library_name, missing);
    quern_cuda_library_close();
    return status;
}

void quern_cuda_library_close(void)
{
    if (library)
        dlclose(library);
    library = NULL;
    memset(&quern_cu, 0, sizeof quern_cu);
}

const char *quern_cuda_library_name(void)
{
    return library_name;
}
