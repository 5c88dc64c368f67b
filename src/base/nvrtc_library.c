/* Finding NVRTC and looking its functions up. */
#include "nvrtc_library.h"

#include "shared_object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

quern_nvrtc_functions quern_nvrtc;

/* The names that NVRTC's versions go by. Those before 11.2 do not say which architectures they know. */
static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

typedef struct search {
    void *library;
    char *reason; /* of the first library that was there and would not do; empty before */
    size_t reason_size;
} search;

/* ---- one library ---- */

/* POSIX lets dlsym's pointer be called, ISO C does not let it be converted: so it is copied. */
static int look_up(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* The first function that the library lacks, or NULL. */
static const char *look_up_all(void *library)
{
#define LOOK_UP(name, result, arguments)                                                                               \
    if (!look_up(library, "nvrtc" #name, &quern_nvrtc.name))                                                           \
        return "nvrtc" #name;
    QUERN_NVRTC_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return NULL;
}

static void note(search *s, const char *name, const char *fault)
{
    if (!s->reason[0])
        snprintf(s->reason, s->reason_size, "NVRTC's library '%s' cannot be used: %s", name, fault);
}

/* 1 when the library lacks nothing. One that is not found is noted only when must_open is set. */
static int try_library(search *s, const char *name, int must_open)
{
    const char *fault = quern_shared_object_name_fault(name);
    if (!fault)
        s->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!s->library) {
        must_open |= fault != NULL;
        if (!fault)
            fault = dlerror();
        if (must_open)
            note(s, name, fault ? fault : "dlopen does not say why");
        return 0;
    }
    const char *missing = look_up_all(s->library);
    if (!missing)
        return 1;
    char text[128];
    snprintf(text, sizeof text, "it lacks %s, wanted NVRTC 11.2 or newer", missing);
    note(s, name, text);
    dlclose(s->library);
    s->library = NULL;
    return 0;
}

/* ---- the places ---- */

/* Where a toolkit keeps its libraries. */
static int try_toolkit(search *s, const char *root)
{
    static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
    char path[4096];
    if (!root || !*root)
        return 0;
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; ++f)
        for (size_t n = 0; n < NAME_COUNT; ++n) {
            int length = snprintf(path, sizeof path, "%s/%s/%s", root, folders[f], names[n]);
            if (length < (int)sizeof path && access(path, F_OK) == 0 && try_library(s, path, 1))
                return 1;
        }
    return 0;
}

static int try_places(search *s)
{
    for (size_t n = 0; n < NAME_COUNT; ++n)
        if (try_library(s, names[n], 0))
            return 1;
    return try_toolkit(s, getenv("CUDA_HOME")) || try_toolkit(s, getenv("CUDA_PATH")) ||
           try_toolkit(s, "/usr/local/cuda") || try_toolkit(s, "/opt/cuda");
}

/* The file that a function of the library came from. */
static void find_path(void *library, char *path, size_t size)
{
    Dl_info info;
    const void *function = dlsym(library, "nvrtcVersion");
    if (function && dladdr(function, &info) && info.dli_fname)
        snprintf(path, size, "%s", info.dli_fname);
}

const char *quern_nvrtc_library_open(char *path, size_t path_size, char *reason, size_t reason_size, int *absent)
{
    const char *named = getenv("QUERN_NVRTC_LIBRARY");
    search s = {NULL, reason, reason_size};
    reason[0] = '\0';
    if (named && *named ? try_library(&s, named, 1) : try_places(&s)) {
        find_path(s.library, path, path_size); /* which stays loaded: NVRTC keeps memory that nothing gives back */
        reason[0] = '\0';
        return NULL;
    }
    if (named && *named)
        snprintf(reason + strlen(reason), reason_size - strlen(reason), " (QUERN_NVRTC_LIBRARY names it)");
    *absent = !reason[0];
    if (*absent)
        snprintf(
            reason, reason_size,
            "there is no NVRTC: the dynamic linker finds no libnvrtc.so, and there is none in CUDA_HOME, CUDA_PATH "
            "and /usr/local/cuda");
    return reason;
}

const char *quern_nvrtc_library_parts(const char *path, int major, int minor)
{
    char file[4096];
    const char *slash = strrchr(path, '/');
    const char *name = file + (slash ? slash + 1 - path : 0);
    const char *fault = quern_shared_object_name_fault("libcuda.so.1"); /* which it does without if there is none */
    int is_alternative = strstr(slash ? slash : path, "libnvrtc.alt.so") != NULL;
    int length = snprintf(file, sizeof file, "%.*slibnvrtc-builtins%s.so.%d.%d", (int)(slash ? slash + 1 - path : 0),
                          path, is_alternative ? ".alt" : "", major, minor);
    if (fault || length >= (int)sizeof file)
        return fault;
    if (!slash || access(file, F_OK) != 0)
        return quern_shared_object_name_fault(name);
    fault = quern_shared_object_fault(file);
    /* Not kept and not judged: NVRTC asks for it by this name, gets the loaded one, and says what is wrong if none is
     * there. */
    if (!fault)
        (void)dlopen(file, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    return fault ? "its libnvrtc-builtins cannot be loaded" : NULL;
}
