/* What the environment says, and the functions that tests call beside CUDA's. */
#include "fake.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_settings fake_settings;

static long number_of(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 0) : otherwise;
}

/* ---- failures that a test wants ---- */

static struct {
    int is_read;       /* what the environment says */
    char function[64]; /* "" is any */
    size_t left;
    fc_result error;
    int has_failed;
    size_t break_left;
    fc_result break_error;
} wanted;

enum { NAMES = 256 };

static struct {
    const char *name; /* a literal of the caller */
    size_t calls;
} called[NAMES];
static size_t calls;
static atomic_size_t violations;

void fake_settings_read(void)
{
    fake_settings = (struct fake_settings){
        .devices = (int)number_of("QUERN_FAKE_CUDA_DEVICES", 1),
        .version = (int)number_of("QUERN_FAKE_CUDA_VERSION", 13000),
        .architecture = (int)number_of("QUERN_FAKE_CUDA_ARCH", 90),
        .no_peer = (int)number_of("QUERN_FAKE_CUDA_NO_PEER", 0),
        .no_pools = (int)number_of("QUERN_FAKE_CUDA_NO_POOLS", 0),
        .no_managed = (int)number_of("QUERN_FAKE_CUDA_NO_MANAGED", 0),
        .threads = (int)number_of("QUERN_FAKE_CUDA_THREADS", 1024),
        .workers = (int)number_of("QUERN_FAKE_CUDA_WORKERS", 4),
        .no_op = (int)number_of("QUERN_FAKE_CUDA_NO_OP", 0),
        .seed = (unsigned)number_of("QUERN_FAKE_CUDA_SEED", 1),
        .delay = (unsigned)number_of("QUERN_FAKE_CUDA_DELAY", 200),
        .memory = (size_t)number_of("QUERN_FAKE_CUDA_MEMORY", 2L << 30),
    };
    if (fake_settings.devices > FAKE_DEVICES)
        fake_settings.devices = FAKE_DEVICES;
}

/* The environment's wishes: once, before the first function is counted or a test says otherwise. The lock is held. */
static void read_wishes(void)
{
    if (wanted.is_read)
        return;
    wanted.is_read = 1;
    const char *function = getenv("QUERN_FAKE_CUDA_FAIL_FUNCTION");
    size_t fail = (size_t)number_of("QUERN_FAKE_CUDA_FAIL_AT", 0);
    size_t breaks = (size_t)number_of("QUERN_FAKE_CUDA_BREAK_AT", 0);
    if (fail) {
        snprintf(wanted.function, sizeof wanted.function, "%s", function ? function : "");
        wanted.left = fail;
        wanted.error = (fc_result)number_of("QUERN_FAKE_CUDA_FAIL_ERROR", FC_ERROR_UNKNOWN);
    }
    if (breaks) {
        wanted.break_left = breaks;
        wanted.break_error = (fc_result)number_of("QUERN_FAKE_CUDA_BREAK_ERROR", FC_ERROR_ILLEGAL_ADDRESS);
    }
}

/* ---- the ways in and out ---- */

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;
_Thread_local int fake_in_host_function;
static _Thread_local fc_result late_error;

static void count(const char *name)
{
    ++calls;
    for (size_t i = 0; i < NAMES; ++i) {
        if (!called[i].name)
            called[i].name = name;
        if (strcmp(called[i].name, name) == 0) {
            ++called[i].calls;
            return;
        }
    }
}

static fc_result failure_of(const char *name)
{
    if (!wanted.left || (*wanted.function && strcmp(wanted.function, name) != 0) || --wanted.left)
        return FC_SUCCESS;
    wanted.has_failed = 1;
    return wanted.error;
}

fc_result fake_enter(const char *name, unsigned needs)
{
    if (fake_in_host_function && (needs & FAKE_NEEDS_INIT)) {
        fake_violation("%s was called by a host function", name);
        return FC_ERROR_NOT_PERMITTED;
    }
    pthread_mutex_lock(&fake_lock);
    read_wishes();
    count(name);
    fc_result error = failure_of(name);
    late_error = FC_SUCCESS;
    if (error && (needs & FAKE_RELEASES)) {
        late_error = error;
        error = FC_SUCCESS;
    }
    if (!error && (needs & FAKE_NEEDS_INIT) && !fake_is_initialised)
        error = FC_ERROR_NOT_INITIALIZED;
    if (!error && (needs & FAKE_NEEDS_CONTEXT) == FAKE_NEEDS_CONTEXT) {
        struct fake_context *context = fake_context_current();
        error = context ? context->error : FC_ERROR_INVALID_CONTEXT;
    }
    if (!error)
        error = fake_capture_check(name);
    if (error)
        pthread_mutex_unlock(&fake_lock);
    return error;
}

fc_result fake_leave(fc_result result)
{
    fc_result late = late_error;
    late_error = FC_SUCCESS;
    pthread_mutex_unlock(&fake_lock);
    return result ? result : late;
}

void fake_violation(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "fake_cuda: %s\n", text);
    atomic_fetch_add(&violations, 1);
}

size_t fake_violations(void)
{
    return atomic_load(&violations);
}

int fake_is_to_break(fc_result *error)
{
    if (!wanted.break_left || --wanted.break_left)
        return 0;
    *error = wanted.break_error;
    return 1;
}

/* ---- what tests call ---- */

#define PROTOTYPE(name, result, parameters) FAKE_EXPORT name##_function name;
FAKE_CUDA_FUNCTIONS(PROTOTYPE)
#undef PROTOTYPE

void fake_cuda_fail_at(const char *function, size_t n, int error)
{
    pthread_mutex_lock(&fake_lock);
    read_wishes();
    snprintf(wanted.function, sizeof wanted.function, "%s", function ? function : "");
    wanted.left = n;
    wanted.error = error;
    wanted.has_failed = 0;
    pthread_mutex_unlock(&fake_lock);
}

int fake_cuda_has_failed(void)
{
    pthread_mutex_lock(&fake_lock);
    int has_failed = wanted.has_failed;
    pthread_mutex_unlock(&fake_lock);
    return has_failed;
}

void fake_cuda_break_at(size_t n, int error)
{
    pthread_mutex_lock(&fake_lock);
    read_wishes();
    wanted.break_left = n;
    wanted.break_error = error;
    pthread_mutex_unlock(&fake_lock);
}

size_t fake_cuda_calls(const char *function)
{
    size_t found = 0;
    pthread_mutex_lock(&fake_lock);
    for (size_t i = 0; i < NAMES && called[i].name; ++i)
        if (strcmp(called[i].name, function) == 0)
            found = called[i].calls;
    pthread_mutex_unlock(&fake_lock);
    return found;
}

static size_t left_behind, freed_in_use;

void fake_count_left(size_t objects)
{
    left_behind += objects;
}

void fake_count_freed_in_use(void)
{
    ++freed_in_use;
}

static void count_objects(fake_cuda_counts *counts)
{
    for (int i = 0; i < FAKE_DEVICES; ++i) {
        const struct fake_context *context = fake_device_table[i].context;
        if (!context)
            continue;
        ++counts->contexts;
        for (const struct fake_stream *stream = context->streams; stream; stream = stream->next)
            counts->streams += stream != context->legacy && !stream->is_destroyed;
        for (const struct fake_event *event = context->events; event; event = event->next)
            ++counts->events;
        for (const struct fake_module *module = context->modules; module; module = module->next)
            ++counts->modules;
        counts->graphs += fake_graphs_count(context);
    }
}

static void get_counts(fake_cuda_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    count_objects(counts);
    fake_memory_count(counts);
    counts->calls = calls;
    counts->commands = fake_commands_run();
    counts->violations = fake_violations();
    counts->freed_in_use = freed_in_use;
    counts->left_behind = left_behind;
}

void fake_cuda_get_counts(fake_cuda_counts *counts)
{
    pthread_mutex_lock(&fake_lock);
    get_counts(counts);
    pthread_mutex_unlock(&fake_lock);
}

static int is_anything_left(const fake_cuda_counts *counts)
{
    return counts->contexts || counts->device_allocations || counts->host_allocations || counts->managed_allocations;
}

int fake_cuda_reset(void)
{
    fake_cuda_counts counts;
    pthread_mutex_lock(&fake_lock);
    get_counts(&counts);
    int left = is_anything_left(&counts);
    if (!left) {
        fake_is_initialised = 0;
        memset(called, 0, sizeof called);
        memset(&wanted, 0, sizeof wanted);
        calls = left_behind = freed_in_use = 0;
        atomic_store(&violations, 0);
    }
    pthread_mutex_unlock(&fake_lock);
    return left;
}

/* At the process's end. */
__attribute__((destructor)) static void report(void)
{
    fake_cuda_counts counts;
    if (!number_of("QUERN_FAKE_CUDA_REPORT", 0))
        return;
    fake_cuda_get_counts(&counts);
    fprintf(stderr,
            "fake_cuda: report of the fake driver: %zu calls, %zu commands, %zu violations, %zu left behind; there are "
            "%zu contexts, %zu streams, %zu events, %zu modules, %zu device, %zu host and %zu managed allocations\n",
            counts.calls, counts.commands, counts.violations, counts.left_behind, counts.contexts, counts.streams,
            counts.events, counts.modules, counts.device_allocations, counts.host_allocations,
            counts.managed_allocations);
}
