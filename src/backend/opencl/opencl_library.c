/* Opening the OpenCL loader and looking its functions up. */
#include "opencl_library.h"

#include "base/error.h"
#include "base/shared_object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quern_opencl_functions quern_cl;

static void *library;
static char library_name[256];

/* POSIX lets dlsym's pointer be called, ISO C does not let it be converted: so it is copied. */
static int look_up(const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* The first function of OpenCL 1.2 that the library lacks, or NULL. */
static const char *look_up_all(void)
{
#define LOOK_UP(name, result, arguments)                                                                               \
    if (!look_up("cl" #name, &quern_cl.name))                                                                          \
        return "cl" #name;
#define LOOK_UP_NEWER(name, result, arguments) (void)look_up("cl" #name, &quern_cl.name);
    QUERN_OPENCL_FUNCTIONS(LOOK_UP)
    QUERN_OPENCL_NEWER_FUNCTIONS(LOOK_UP_NEWER)
#undef LOOK_UP
#undef LOOK_UP_NEWER
    return NULL;
}

/* NULL, or why it cannot be opened. The loader stays in memory once it is there: it and its drivers keep threads and
 * memory of their own, which nothing ends. */
static const char *open_file(const char *name)
{
    const char *fault = quern_shared_object_name_fault(name);
    snprintf(library_name, sizeof library_name, "%s", name);
    if (fault)
        return fault;
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return library ? NULL : dlerror();
}

static quern_status open_loader(void)
{
    const char *named = getenv("QUERN_OPENCL_LIBRARY");
    const char *fault = open_file(named && *named ? named : "libOpenCL.so.1");
    char reason[256];
    if (!fault)
        return QUERN_SUCCESS;
    if (named && *named)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "the OpenCL loader '%s' that QUERN_OPENCL_LIBRARY names cannot be opened: %s", named, fault);
    snprintf(reason, sizeof reason, "%s", fault);
    if (!open_file("libOpenCL.so"))
        return QUERN_SUCCESS;
    return quern_fail(QUERN_NOT_PRESENT,
                      "there is no OpenCL loader: neither libOpenCL.so.1 nor libOpenCL.so can be opened: %s", reason);
}

quern_status quern_opencl_library_open(void)
{
    quern_status status = open_loader();
    if (status != QUERN_SUCCESS)
        return status;
    const char *missing = look_up_all();
    if (!missing)
        return QUERN_SUCCESS;
    quern_opencl_library_close();
    return quern_fail(QUERN_NOT_SUPPORTED, "the OpenCL loader %s lacks %s, wanted one of OpenCL 1.2 or newer",
                      library_name, missing);
}

void quern_opencl_library_close(void)
{
    if (library)
        dlclose(library);
    library = NULL;
    memset(&quern_cl, 0, sizeof quern_cl);
}

const char *quern_opencl_library_name(void)
{
    return library_name;
}
