/* Backends from shared objects: loading one, and what is checked before its table is used. */
#include "plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends.h"
#include "base/coroutine.h"
#include "base/error.h"
#include "base/shared_object.h"

/* ---- the table ---- */

typedef void any_function(void);

/* A function pointer's place in the table. */
static const struct {
    const char *name;
    size_t offset;
} required[] = {
#define REQUIRED(name)                                                                                                 \
    {                                                                                                                  \
#name, offsetof(quern_backend, name)                                                                           \
    }
    REQUIRED(start),          REQUIRED(stop), REQUIRED(device_count), REQUIRED(device_open),   REQUIRED(device_info),
    REQUIRED(allocate),       REQUIRED(free), REQUIRED(queue_create), REQUIRED(queue_destroy), REQUIRED(kernel_build),
    REQUIRED(kernel_release), REQUIRED(copy), REQUIRED(launch),       REQUIRED(signal),
#undef REQUIRED
};

/* The required part ends behind its last function. */
enum { REQUIRED_SIZE = offsetof(quern_backend, signal) + sizeof(any_function *) };

/* Names the required functions that are NULL, "launch, signal"; "" when none is. */
static void list_missing(const quern_backend *table, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < sizeof required / sizeof *required; ++i) {
        any_function *function;
        memcpy(&function, (const char *)table + required[i].offset, sizeof function);
        size_t used = strlen(text);
        if (!function)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", required[i].name);
    }
}

/* The name as it may stand in a message: "a\nb" on one line. Cut when it is long. */
static const char *show(const char *name, char *text, size_t size)
{
    size_t used = 0;
    for (; *name && used + sizeof "\\x00" <= size; ++name)
        if (*name >= ' ' && *name < 127 && *name != '"' && *name != '\\')
            text[used++] = *name;
        else
            used += (size_t)snprintf(text + used, size - used, "\\x%02x", (unsigned)(unsigned char)*name);
    text[used] = '\0';
    return text;
}

/* A letter, then letters, digits and underscores, all lower case: what device names begin with. */
static quern_status check_name(const char *name, const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    char shown[4 * QUERN_BACKEND_NAME_SIZE + 1];
    if (!name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "'%s' has a backend whose name is NULL, wanted a name as \"cpu\"",
                          path);
    char begin[QUERN_BACKEND_NAME_SIZE + 1] = "";
    size_t length = strnlen(name, QUERN_BACKEND_NAME_SIZE);
    memcpy(begin, name, length);
    (void)show(begin, shown, sizeof shown);
    if (length == QUERN_BACKEND_NAME_SIZE)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "'%s' has a backend whose name begins with \"%s\", wanted at most %d letters", path, shown,
                          QUERN_BACKEND_NAME_SIZE - 1);
    if (length == 0 || !strchr(letters, name[0]) || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "'%s' has a backend whose name is \"%s\", wanted lower-case letters, digits and '_', a "
                          "letter first",
                          path, shown);
    if (strcmp(name, "all") == 0)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "'%s' has a backend whose name is \"all\", wanted another one: all devices are called so",
                          path);
    return QUERN_SUCCESS;
}

quern_status quern_backend_table_check(const quern_backend *table, const char *path)
{
    char missing[256];
    /* The version comes first in every version, and says what the rest is. */
    if (table->version != QUERN_BACKEND_VERSION)
        return quern_fail(
            QUERN_NOT_SUPPORTED,
            "'%s' has a backend for version %u of the contract, wanted version %u, which this library has", path,
            table->version, QUERN_BACKEND_VERSION);
    if (table->size < REQUIRED_SIZE)
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "'%s' has a backend's table of %zu bytes, wanted at least %d, the required functions", path,
                          table->size, (int)REQUIRED_SIZE);
    quern_status status = check_name(table->name, path);
    if (status != QUERN_SUCCESS)
        return status;
    list_missing(table, missing, sizeof missing);
    if (missing[0])
        return quern_fail(QUERN_NOT_SUPPORTED, "backend \"%s\" of '%s' lacks what is required: %s", table->name, path,
                          missing);
    return QUERN_SUCCESS;
}

/* ---- the shared object ---- */

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* one at a time: an entry is called once */

static quern_status refuse_file(const char *path, const char *why)
{
    return quern_fail(QUERN_FILE_ERROR, "cannot load a backend from '%s': %s", path, why);
}

/* dlopen would wait for a pipe's other end, and says less about a file that is not there. */
static quern_status check_file(const char *path)
{
    const char *fault = quern_shared_object_fault(path);
    return fault ? refuse_file(path, fault) : QUERN_SUCCESS;
}

static quern_status open_module(const char *path, void **module)
{
    /* Without a slash dlopen would search the system's directories. */
    char *named = malloc(strlen(path) + sizeof "./");
    if (!named)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory to load a backend from '%s'", path);
    sprintf(named, "%s%s", strchr(path, '/') ? "" : "./", path);
    *module = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (!*module) {
        const char *why = dlerror();
        size_t length = strlen(named);
        if (why && strncmp(why, named, length) == 0 && strncmp(why + length, ": ", 2) == 0)
            why += length + 2; /* it names the file, and so does this */
        (void)refuse_file(path, why ? why : "no reason is given");
    }
    free(named);
    return *module ? QUERN_SUCCESS : QUERN_FILE_ERROR;
}

/* dlopen gives one handle for one file, however it is named. */
static quern_status check_new(void *module, const char *path)
{
    size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        if (quern_backends_at(i)->module == module)
            return quern_fail(QUERN_INVALID_ARGUMENT, "path is '%s', which is loaded already, as backend \"%s\"", path,
                              quern_backends_at(i)->table->name);
    return QUERN_SUCCESS;
}

static quern_status read_table(void *module, const char *path, const quern_backend **table)
{
    quern_backend_entry_function *entry;
    void *symbol = dlsym(module, QUERN_BACKEND_ENTRY);
    if (!symbol)
        return quern_fail(QUERN_NOT_SUPPORTED, "'%s' is no backend: it does not export " QUERN_BACKEND_ENTRY, path);
    memcpy(&entry, &symbol, sizeof entry);
    *table = entry();
    if (!*table)
        return quern_fail(QUERN_NOT_SUPPORTED, "'%s' gives NULL from " QUERN_BACKEND_ENTRY ", wanted a backend's table",
                          path);
    return quern_backend_table_check(*table, path);
}

static quern_status load(const char *path)
{
    void *module = NULL;
    const quern_backend *table = NULL;
    quern_status status = open_module(path, &module);
    if (status != QUERN_SUCCESS)
        return status;
    status = check_new(module, path);
    if (status == QUERN_SUCCESS)
        status = read_table(module, path, &table);
    if (status == QUERN_SUCCESS)
        status = quern_backends_add(table, module, path);
    if (status != QUERN_SUCCESS)
        dlclose(module);
    return status;
}

typedef struct call {
    const char *path;
    quern_status status;
} call;

/* On the thread's own stack: the dynamic linker runs whatever the shared object has to begin with. */
static void run_load(void *argument)
{
    call *own = argument;
    own->status = load(own->path);
}

quern_status quern_backend_load(const char *path)
{
    if (!path || !*path)
        return quern_fail(QUERN_INVALID_ARGUMENT, "path is %s, wanted the path of a shared object",
                          path ? "\"\"" : "NULL");
    quern_status status = check_file(path);
    if (status != QUERN_SUCCESS)
        return status;
    call own = {path, QUERN_SUCCESS};
    pthread_mutex_lock(&loading);
    quern_call_on_thread_stack(run_load, &own);
    pthread_mutex_unlock(&loading);
    return own.status;
}
