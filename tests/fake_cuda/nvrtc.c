/* The fake NVRTC's functions. */
#include "nvrtc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROTOTYPE(name, result, parameters) __attribute__((visibility("default"))) name##_function name;
FN_FUNCTIONS(PROTOTYPE)
#undef PROTOTYPE

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_program *programs;

/* ---- settings ---- */

int fake_nvrtc_major = 13, fake_nvrtc_minor = 0;

static struct {
    char function[64]; /* "" is any */
    size_t left;
    int error;
} wanted;

enum { NAMES = 32 };
static struct {
    const char *name;
    size_t calls;
} called[NAMES];

static void read_settings(void)
{
    const char *version = getenv("QUERN_FAKE_NVRTC_VERSION"), *function = getenv("QUERN_FAKE_NVRTC_FAIL_FUNCTION");
    const char *at = getenv("QUERN_FAKE_NVRTC_FAIL_AT"), *error = getenv("QUERN_FAKE_NVRTC_FAIL_ERROR");
    if (version)
        (void)sscanf(version, "%d.%d", &fake_nvrtc_major, &fake_nvrtc_minor);
    if (!at)
        return;
    snprintf(wanted.function, sizeof wanted.function, "%s", function ? function : "");
    wanted.left = (size_t)strtol(at, NULL, 0);
    wanted.error = error ? (int)strtol(error, NULL, 0) : FN_ERROR_INTERNAL_ERROR;
}

size_t fake_nvrtc_architectures(int *list, size_t most)
{
    const char *text = getenv("QUERN_FAKE_NVRTC_ARCHS");
    size_t count = 0;
    for (const char *at = text ? text : "75,80,86,89,90,100,120"; *at && count < most; at += *at == ',') {
        char *end;
        int architecture = (int)strtol(at, &end, 10);
        if (end == at)
            break;
        list[count++] = architecture;
        at = end;
    }
    return count;
}

static void count_call(const char *name)
{
    for (size_t i = 0; i < NAMES; ++i) {
        if (!called[i].name)
            called[i].name = name;
        if (strcmp(called[i].name, name) == 0) {
            ++called[i].calls;
            return;
        }
    }
}

/* The begin of a function: what it is to give instead of being made; then the lock is held. */
static int enter(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_settings);
    pthread_mutex_lock(&lock);
    count_call(name);
    if (!wanted.left || (*wanted.function && strcmp(wanted.function, name) != 0) || --wanted.left)
        return FN_SUCCESS;
    return wanted.error;
}

static int leave(int result)
{
    pthread_mutex_unlock(&lock);
    return result;
}

void fake_nvrtc_fail_at(const char *function, size_t n, int error)
{
    pthread_mutex_lock(&lock);
    snprintf(wanted.function, sizeof wanted.function, "%s", function ? function : "");
    wanted.left = n;
    wanted.error = error;
    pthread_mutex_unlock(&lock);
}

size_t fake_nvrtc_calls(const char *function)
{
    size_t calls = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < NAMES && called[i].name; ++i)
        if (strcmp(called[i].name, function) == 0)
            calls = called[i].calls;
    pthread_mutex_unlock(&lock);
    return calls;
}

size_t fake_nvrtc_programs(void)
{
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (const struct fake_program *program = programs; program; program = program->next)
        ++count;
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- what it is ---- */

int nvrtcVersion(int *major, int *minor)
{
    int error = enter("nvrtcVersion");
    if (error || !major || !minor)
        return leave(error ? error : FN_ERROR_INVALID_INPUT);
    *major = fake_nvrtc_major;
    *minor = fake_nvrtc_minor;
    return leave(FN_SUCCESS);
}

int nvrtcGetNumSupportedArchs(int *count)
{
    int list[64], error = enter("nvrtcGetNumSupportedArchs");
    if (error || !count)
        return leave(error ? error : FN_ERROR_INVALID_INPUT);
    *count = (int)fake_nvrtc_architectures(list, 64);
    return leave(FN_SUCCESS);
}

int nvrtcGetSupportedArchs(int *architectures)
{
    int error = enter("nvrtcGetSupportedArchs");
    if (error || !architectures)
        return leave(error ? error : FN_ERROR_INVALID_INPUT);
    (void)fake_nvrtc_architectures(architectures, 64);
    return leave(FN_SUCCESS);
}

const char *nvrtcGetErrorString(int result)
{
    static const struct {
        int result;
        const char *name;
    } names[] = {
#define NAME(name, value) {value, "NVRTC_" #name},
        FN_RESULTS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (names[i].result == result)
            return names[i].name;
    return "NVRTC_ERROR unknown";
}

/* ---- programs ---- */

int nvrtcCreateProgram(fn_program *program, const char *text, const char *name, int count, const char *const *headers,
                       const char *const *header_names)
{
    int error = enter("nvrtcCreateProgram");
    (void)headers;
    (void)header_names;
    if (error || !program || !text || count < 0)
        return leave(error ? error : FN_ERROR_INVALID_INPUT);
    if (count > 0)
        return leave(FN_ERROR_PROGRAM_CREATION_FAILURE); /* the fake takes no headers */
    struct fake_program *made = calloc(1, sizeof *made);
    if (made)
        *made = (struct fake_program){.text = strdup(text), .name = strdup(name ? name : "default_program")};
    if (!made || !made->text || !made->name) {
        free(made ? made->text : NULL);
        free(made ? made->name : NULL);
        free(made);
        return leave(FN_ERROR_OUT_OF_MEMORY);
    }
    made->next = programs;
    programs = made;
    *program = made;
    return leave(FN_SUCCESS);
}

/* The place of a live program in the list, or NULL. */
static struct fake_program **find(const void *handle)
{
    for (struct fake_program **link = &programs; *link; link = &(*link)->next)
        if (*link == handle)
            return link;
    return NULL;
}

/* Made whatever a test wants, since what a test made has to go. */
int nvrtcDestroyProgram(fn_program *program)
{
    int error = enter("nvrtcDestroyProgram");
    struct fake_program **link = program ? find(*program) : NULL;
    if (!link)
        return leave(FN_ERROR_INVALID_PROGRAM);
    struct fake_program *gone = *link;
    *link = gone->next;
    free(gone->text);
    free(gone->name);
    free(gone->log.data);
    free(gone->ptx.data);
    free(gone->cubin.data);
    free(gone);
    *program = NULL;
    return leave(error);
}

int nvrtcCompileProgram(fn_program handle, int count, const char *const *options)
{
    int error = enter("nvrtcCompileProgram");
    struct fake_program **link = find(handle);
    if (!error && (!link || (*link)->is_compiled))
        error = FN_ERROR_INVALID_PROGRAM;
    if (!error && (count < 0 || (count > 0 && !options)))
        error = FN_ERROR_INVALID_INPUT;
    if (error)
        return leave(error);
    struct fake_program *program = *link;
    pthread_mutex_unlock(&lock); /* it takes its time; nobody else has the program meanwhile */
    error = fake_nvrtc_compile(program, count, options);
    pthread_mutex_lock(&lock);
    program->is_compiled = 1;
    return leave(error);
}

/* ---- what came out ---- */

static int get_size(const char *name, const void *handle, size_t offset, size_t *size)
{
    int error = enter(name);
    struct fake_program **link = find(handle);
    if (error || !link || !size)
        return leave(error ? error : link ? FN_ERROR_INVALID_INPUT : FN_ERROR_INVALID_PROGRAM);
    const struct fake_text *text = (const struct fake_text *)(const void *)((const char *)*link + offset);
    *size = text->data ? text->length + 1 : offset == offsetof(struct fake_program, log) ? 1 : 0;
    int is_log = offset == offsetof(struct fake_program, log);
    return leave(is_log || (*link)->ptx.data ? FN_SUCCESS : FN_ERROR_INVALID_PROGRAM);
}

static int get(const char *name, const void *handle, size_t offset, char *target)
{
    int error = enter(name);
    struct fake_program **link = find(handle);
    if (error || !link || !target)
        return leave(error ? error : link ? FN_ERROR_INVALID_INPUT : FN_ERROR_INVALID_PROGRAM);
    const struct fake_text *text = (const struct fake_text *)(const void *)((const char *)*link + offset);
    if (!text->data && offset != offsetof(struct fake_program, log))
        return leave(FN_ERROR_INVALID_PROGRAM);
    memcpy(target, text->data ? text->data : "", text->data ? text->length + 1 : 1);
    return leave(FN_SUCCESS);
}

#define GETTERS(name, member)                                                                                          \
    int nvrtcGet##name##Size(fn_program program, size_t *size)                                                         \
    {                                                                                                                  \
        return get_size("nvrtcGet" #name "Size", program, offsetof(struct fake_program, member), size);                \
    }                                                                                                                  \
    int nvrtcGet##name(fn_program program, char *target)                                                               \
    {                                                                                                                  \
        return get("nvrtcGet" #name, program, offsetof(struct fake_program, member), target);                          \
    }

GETTERS(PTX, ptx)
GETTERS(CUBIN, cubin)
GETTERS(ProgramLog, log)
