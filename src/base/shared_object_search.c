/*
 * Looking at the shared object that the dynamic linker would find for a name, before it is loaded.
 *
 * The directories are the linker's own list (dlinfo), with /etc/ld.so.cache before the default ones, as the linker has
 * it. The cache is only searched for paths that end in the name, so its format does not matter. Where there is no such
 * list (other C libraries than glibc) nothing is looked at.
 */
#include "shared_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__GLIBC__)

typedef struct search {
    const char *name;
    const char *fault; /* of the file that the linker would take */
    int is_file;       /* 0: a pipe, a folder, a device; the linker waits for a pipe's other end */
    char path[PATH_MAX];
} search;

static const char here; /* in the object that this code is in */

/* Of another processor's objects the linker goes on. */
static int is_of_this_machine(const ElfW(Ehdr) * head)
{
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fbase)
        return 1;
    const ElfW(Ehdr) *own = info.dli_fbase;
    return head->e_ident[EI_CLASS] == own->e_ident[EI_CLASS] && head->e_machine == own->e_machine;
}

/* Whether the linker would stop at the file. One that is no shared object is for dlopen to refuse. */
static int would_take(const char *path, int *is_file)
{
    ElfW(Ehdr) head;
    struct stat info;
    ssize_t size = -1;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return 0;
    *is_file = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    if (*is_file)
        size = pread(file, &head, sizeof head, 0);
    close(file);
    if (size < 0)
        return 1;
    return size == (ssize_t)sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && is_of_this_machine(&head);
}

/* 1 when the search is over. */
static int look_at(search *s)
{
    if (!would_take(s->path, &s->is_file))
        return 0;
    s->fault = quern_shared_object_fault(s->path);
    return 1;
}

/* ---- the cache of the linker ---- */

static char *read_cache(size_t *size)
{
    struct stat info;
    char *data = NULL;
    int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (fstat(file, &info) == 0 && info.st_size > 0 && (data = malloc((size_t)info.st_size)) != NULL) {
        ssize_t got = pread(file, data, (size_t)info.st_size, 0);
        *size = got > 0 ? (size_t)got : 0;
    }
    close(file);
    return data;
}

static int look_in_cache(search *s)
{
    char ending[256];
    size_t size = 0;
    int length = snprintf(ending, sizeof ending, "/%s", s->name) + 1, found = 0;
    char *data = length <= (int)sizeof ending ? read_cache(&size) : NULL;
    for (char *at = data, *end = data + size; data && !found; ++at) {
        at = memmem(at, (size_t)(end - at), ending, (size_t)length);
        if (!at)
            break;
        char *begin = at;
        while (begin > data && begin[-1])
            --begin;
        if (*begin != '/' || snprintf(s->path, sizeof s->path, "%s", begin) >= (int)sizeof s->path)
            continue;
        found = look_at(s);
    }
    free(data);
    return found;
}

/* ---- the linker's directories ---- */

/* Those for libraries that this code asks for; malloc'ed, or NULL. */
static Dl_serinfo *list_directories(void)
{
    Dl_info info;
    Dl_serinfo size, *list = NULL;
    void *self = NULL;
    if (!dladdr1(&here, &info, &self, RTLD_DL_LINKMAP) || !self || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0)
        return NULL;
    list = malloc(size.dls_size);
    if (list && dlinfo(self, RTLD_DI_SERINFOSIZE, list) == 0 && dlinfo(self, RTLD_DI_SERINFO, list) == 0)
        return list;
    free(list);
    return NULL;
}

static void look_everywhere(search *s)
{
    Dl_serinfo *list = list_directories();
    int over = 0, cache = 0;
    for (unsigned i = 0; list && !over && i < list->dls_cnt; ++i) {
        const Dl_serpath *directory = &list->dls_serpath[i];
        if (!cache && (directory->dls_flags & LA_SER_DEFAULT)) {
            cache = 1;
            over = look_in_cache(s);
        }
        if (!over && snprintf(s->path, sizeof s->path, "%s/%s", directory->dls_name, s->name) < (int)sizeof s->path)
            over = look_at(s);
    }
    free(list);
}

/* Only for names behind which there is a file: RTLD_NOLOAD maps nothing, but it opens what is not loaded. */
static int is_loaded(const char *name)
{
    void *loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded)
        dlclose(loaded);
    return loaded != NULL;
}

static const char *find_fault(const char *name)
{
    static _Thread_local char text[512];
    search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->name = name;
    look_everywhere(s);
    const char *fault = s->fault;
    if (fault && s->is_file && is_loaded(name))
        fault = NULL; /* dlopen gives the loaded one, whatever lies there */
    if (fault) {
        snprintf(text, sizeof text, "%.400s: %s", s->path, fault);
        fault = text;
    }
    free(s);
    return fault;
}

#else

static const char *find_fault(const char *name)
{
    (void)name;
    return NULL;
}

#endif

const char *quern_shared_object_name_fault(const char *name)
{
    if (strchr(name, '/'))
        return quern_shared_object_fault(name);
    return find_fault(name);
}
