/* Fault injection: the wrapped functions, and a record of the blocks that are live. */
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the linker calls the functions themselves. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
int __real_vasprintf(char **text, const char *format, va_list arguments);
void __real_free(void *memory);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument);
void *__real_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
int __real_open(const char *path, int flags, ...);
ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __real_rename(const char *from, const char *to);
int __real_mkdir(const char *path, mode_t mode);
char *__real_mkdtemp(char *path);
FILE *__real_fopen(const char *path, const char *mode);
int __real_pipe2(int ends[2], int flags);
int __real_posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_reallocarray(void *memory, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_vasprintf(char **text, const char *format, va_list arguments);
int __wrap_asprintf(char **text, const char *format, ...);
void __wrap_free(void *memory);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_fsync(int file);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);
char *__wrap_mkdtemp(char *path);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_pipe2(int ends[2], int flags);
int __wrap_posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);

/* ---- which call fails ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int armed;
static fault_kind armed_kind;
static int armed_for_good;
static size_t armed_n;
static size_t calls;
static int fired;

void fault_arm(fault_kind kind, size_t n, int for_good)
{
    pthread_mutex_lock(&lock);
    armed = 1;
    armed_kind = kind;
    armed_n = n;
    armed_for_good = for_good;
    calls = 0;
    fired = 0;
    pthread_mutex_unlock(&lock);
}

size_t fault_disarm(void)
{
    pthread_mutex_lock(&lock);
    armed = 0;
    size_t counted = calls;
    pthread_mutex_unlock(&lock);
    return counted;
}

size_t fault_calls(void)
{
    pthread_mutex_lock(&lock);
    size_t counted = calls;
    pthread_mutex_unlock(&lock);
    return counted;
}

int fault_fired(void)
{
    pthread_mutex_lock(&lock);
    int result = fired;
    pthread_mutex_unlock(&lock);
    return result;
}

static int is_to_fail(fault_kind kind)
{
    pthread_mutex_lock(&lock);
    int fails = 0;
    if (armed && kind == armed_kind) {
        ++calls;
        fails = armed_n != 0 && (calls == armed_n || (armed_for_good && calls > armed_n));
        fired |= fails;
    }
    pthread_mutex_unlock(&lock);
    return fails;
}

static int is_out_of_memory(void)
{
    if (!is_to_fail(FAULT_MEMORY))
        return 0;
    errno = ENOMEM;
    return 1;
}

/* ---- the live blocks: an open hash table without deletion marks (linear probing, entries moved back) ---- */

enum { SLOTS = 1 << 17 };

typedef struct block {
    void *memory;
    const void *caller;
} block;

static block blocks[SLOTS];
static size_t live;
static size_t forgotten; /* blocks for which there was no slot: then the count proves nothing, and says so */

static size_t slot_of(const void *memory)
{
    return (size_t)(((uintptr_t)memory >> 4) * 0x9e3779b97f4a7c15u >> 47) & (SLOTS - 1);
}

static void *remember(void *memory, const void *caller)
{
    if (!memory)
        return NULL;
    pthread_mutex_lock(&lock);
    if (live >= SLOTS / 2) {
        ++forgotten;
    } else {
        size_t slot = slot_of(memory);
        while (blocks[slot].memory)
            slot = (slot + 1) & (SLOTS - 1);
        blocks[slot] = (block){memory, caller};
        ++live;
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

/* Blocks that libc allocated (getline, realpath) were never remembered, and are fine. */
static void forget(const void *memory)
{
    pthread_mutex_lock(&lock);
    size_t slot = slot_of(memory);
    while (blocks[slot].memory && blocks[slot].memory != memory)
        slot = (slot + 1) & (SLOTS - 1);
    if (blocks[slot].memory) {
        blocks[slot].memory = NULL;
        --live;
        /* Whoever lies behind may have been pushed there by the one that is gone. */
        for (size_t next = (slot + 1) & (SLOTS - 1); blocks[next].memory; next = (next + 1) & (SLOTS - 1)) {
            size_t home = slot_of(blocks[next].memory);
            if (((next - home) & (SLOTS - 1)) >= ((next - slot) & (SLOTS - 1))) {
                blocks[slot] = blocks[next];
                blocks[next].memory = NULL;
                slot = next;
            }
        }
    }
    pthread_mutex_unlock(&lock);
}

size_t fault_live_blocks(void)
{
    pthread_mutex_lock(&lock);
    size_t result = live + forgotten;
    pthread_mutex_unlock(&lock);
    return result;
}

void fault_print_live_blocks(void)
{
    int lines = 0;
    pthread_mutex_lock(&lock);
    for (size_t slot = 0; slot < SLOTS && lines < 10; ++slot) {
        Dl_info info;
        if (!blocks[slot].memory)
            continue;
        ++lines;
        if (dladdr(blocks[slot].caller, &info) && info.dli_fbase)
            fprintf(stderr, "    a block allocated by %s at offset %#lx of %s\n",
                    info.dli_sname ? info.dli_sname : "code",
                    (unsigned long)((const char *)blocks[slot].caller - (const char *)info.dli_fbase), info.dli_fname);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- memory ---- */

#define CALLER __builtin_return_address(0)

void *__wrap_malloc(size_t size)
{
    return is_out_of_memory() ? NULL : remember(__real_malloc(size), CALLER);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_out_of_memory() ? NULL : remember(__real_calloc(count, size), CALLER);
}

static void *resize(void *memory, size_t size, const void *caller)
{
    if (is_out_of_memory())
        return NULL;
    /* Forgotten first: another thread may be given the old address before this one gets on. */
    if (memory)
        forget(memory);
    void *moved = __real_realloc(memory, size);
    if (!moved && size != 0)
        remember(memory, caller);
    return remember(moved, caller);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return resize(memory, size, CALLER);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(memory, bytes, CALLER);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_out_of_memory() ? NULL : remember(__real_aligned_alloc(alignment, size), CALLER);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (is_to_fail(FAULT_MEMORY))
        return ENOMEM;
    int error = __real_posix_memalign(memory, alignment, size);
    if (error == 0)
        remember(*memory, CALLER);
    return error;
}

char *__wrap_strdup(const char *text)
{
    return is_out_of_memory() ? NULL : remember(__real_strdup(text), CALLER);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return is_out_of_memory() ? NULL : remember(__real_strndup(text, size), CALLER);
}

int __wrap_vasprintf(char **text, const char *format, va_list arguments)
{
    if (is_out_of_memory()) {
        *text = NULL; /* as undefined as POSIX allows: freeing it must not be what saves the caller */
        return -1;
    }
    int length = __real_vasprintf(text, format, arguments);
    if (length >= 0)
        remember(*text, CALLER);
    return length;
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = __wrap_vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

void __wrap_free(void *memory)
{
    if (memory)
        forget(memory);
    __real_free(memory);
}

/* ---- threads, mappings, files, processes ---- */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    return is_to_fail(FAULT_THREAD) ? EAGAIN : __real_pthread_create(thread, attributes, function, argument);
}

/* 1 when this call of the system is the one that fails, with an error that may come at any time. */
static int system_fails(int error)
{
    if (!is_to_fail(FAULT_SYSTEM))
        return 0;
    errno = error;
    return 1;
}

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    return system_fails(ENOMEM) ? MAP_FAILED : __real_mmap(address, length, protection, flags, file, offset);
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return system_fails(EMFILE) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_read(int file, void *bytes, size_t size)
{
    return system_fails(EIO) ? -1 : __real_read(file, bytes, size);
}

ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    return system_fails(ENOSPC) ? -1 : __real_write(file, bytes, size);
}

int __wrap_fsync(int file)
{
    return system_fails(EIO) ? -1 : __real_fsync(file);
}

int __wrap_rename(const char *from, const char *to)
{
    return system_fails(ENOSPC) ? -1 : __real_rename(from, to);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    return system_fails(EACCES) ? -1 : __real_mkdir(path, mode);
}

char *__wrap_mkdtemp(char *path)
{
    return system_fails(ENOSPC) ? NULL : __real_mkdtemp(path);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return system_fails(EMFILE) ? NULL : __real_fopen(path, mode);
}

int __wrap_pipe2(int ends[2], int flags)
{
    return system_fails(EMFILE) ? -1 : __real_pipe2(ends, flags);
}

int __wrap_posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    if (is_to_fail(FAULT_SYSTEM))
        return EAGAIN;
    return __real_posix_spawn(process, path, actions, attributes, arguments, environment);
}
