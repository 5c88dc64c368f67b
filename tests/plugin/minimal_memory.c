/* The minimal backend's memory: two stretches of pages, of which the first is given out and the second is used. */
#include "minimal_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const quern_backend_host *host;

void minimal_memory_begin(const quern_backend_host *given)
{
    host = given;
}

typedef struct allocation {
    struct allocation *next;
    char *given;
    size_t bytes;
    size_t distance; /* from an address that is given out to the memory that it stands for */
    void *pages;     /* 2 * distance bytes */
} allocation;

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static allocation *allocations;

quern_status minimal_memory_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                     void **memory)
{
    (void)device;
    if (kind != QUERN_MEMORY_DEVICE)
        return host->fail(QUERN_NOT_SUPPORTED, "kind is %d, wanted device memory (%d)", (int)kind,
                          (int)QUERN_MEMORY_DEVICE);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t unit = alignment > page ? alignment : page; /* the distance keeps the alignment */
    const size_t distance = (bytes + alignment + unit - 1) / unit * unit;
    allocation *made = malloc(sizeof *made);
    char *pages = made ? mmap(NULL, 2 * distance, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (pages == MAP_FAILED || mprotect(pages + distance, distance, PROT_READ | PROT_WRITE) != 0) {
        if (pages != MAP_FAILED)
            munmap(pages, 2 * distance);
        free(made);
        return host->fail(QUERN_OUT_OF_MEMORY, "no memory for %zu bytes", bytes);
    }
    const size_t before = (alignment - (uintptr_t)pages % alignment) % alignment;
    *made = (allocation){NULL, pages + before, bytes, distance, pages};
    pthread_mutex_lock(&memory_lock);
    made->next = allocations;
    allocations = made;
    pthread_mutex_unlock(&memory_lock);
    *memory = made->given;
    return QUERN_SUCCESS;
}

void minimal_memory_free(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    (void)device, (void)bytes, (void)kind;
    pthread_mutex_lock(&memory_lock);
    allocation **link = &allocations;
    while ((*link)->given != memory)
        link = &(*link)->next;
    allocation *gone = *link;
    *link = gone->next;
    pthread_mutex_unlock(&memory_lock);
    munmap(gone->pages, 2 * gone->distance);
    free(gone);
}

quern_status minimal_memory_resolve(const void *memory, const void *address, void **real)
{
    const char *at = address;
    pthread_mutex_lock(&memory_lock);
    const allocation *found = allocations;
    while (found && found->given != memory)
        found = found->next;
    pthread_mutex_unlock(&memory_lock);
    if (!found || at < found->given || at > found->given + found->bytes)
        return host->fail(QUERN_INTERNAL, "address %p does not lie in the memory %p", address, memory);
    *real = (void *)(at + found->distance);
    return QUERN_SUCCESS;
}
