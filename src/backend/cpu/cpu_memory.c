/*
 * Memory of a CPU device.
 *
 * It is not touched here: a page goes to the NUMA node of the thread that writes it first, which is the
 * one that a launch over the same range gives it to again.
 */
#include "cpu_memory.h"

#include "base/error.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* From this size on large pages pay, which need blocks of their own size. */
enum { LARGE_PAGE = 2 << 20, LINE = 64 };

quern_status quern_cpu_memory_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                       void **memory)
{
    (void)device;
    (void)kind;
    size_t least = bytes >= LARGE_PAGE ? LARGE_PAGE : LINE, whole;
    if (alignment < least)
        alignment = least;
    /* Whole lines, so that no two allocations share one. */
    if (quern_add_overflows(bytes, (size_t)(LINE - 1), &whole) ||
        posix_memalign(memory, alignment, whole / LINE * LINE))
        return quern_fail(QUERN_OUT_OF_MEMORY, "%zu bytes of memory are not to be had on the CPU", bytes);
    if (bytes >= LARGE_PAGE)
        (void)madvise(*memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return QUERN_SUCCESS;
}

void quern_cpu_memory_free(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    (void)device;
    (void)bytes;
    (void)kind;
    free(memory);
}

uint64_t quern_cpu_memory_total(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
}
