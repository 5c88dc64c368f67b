/*
 * Slabs: address space for many stacks, mapped at once, as a mapping each would cost a system call and one of
 * vm.max_map_count. Each slab is twice the one before, up to a limit, so that few tasks take little and many tasks take
 * few slabs.
 *
 * A stack's place in its slab: the gap, then its 256 KiB. What is written down about the stacks lies elsewhere, where
 * no overrun reaches it.
 */
#include "stack_slab.h"

#include "base/error.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef VALGRIND_STACK_REGISTER
#define VALGRIND_STACK_REGISTER(lowest, end) ((void)(lowest), (void)(end), 0U)
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

enum {
    FIRST_SLAB = 16,             /* stacks: 4 MiB of address space */
    LARGEST_SLAB = 4096,         /* 1 GiB */
    GAP_BYTES = QUERN_STACK_GAP, /* much more than a page, as a large frame would step over that */
    GUARD_SHARE = 2,             /* one in so many of the system's mappings may go to guards */
    USUAL_MAPPINGS = 65530       /* vm.max_map_count of a kernel that was told nothing */
};

typedef struct slab {
    struct slab *next;
    char *memory;
    size_t bytes;
    size_t count;
    _Atomic size_t ready; /* so many of the stacks have been given out */
    quern_stack stacks[];
} slab;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* over what follows, except that a handler may read slabs */
static slab *_Atomic slabs;                               /* newest first */
static size_t gap;                                        /* GAP_BYTES, in whole pages */
static size_t guards_left;

static size_t stride(void)
{
    return gap + QUERN_STACK_BYTES;
}

/* How many mappings the system allows the process. */
static size_t mappings_allowed(void)
{
    char text[32];
    ssize_t length = -1;
    int file = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        length = read(file, text, sizeof text - 1);
        close(file);
    }
    if (length <= 0)
        return USUAL_MAPPINGS;
    text[length] = 0;
    long allowed = strtol(text, NULL, 10);
    return allowed > 0 ? (size_t)allowed : USUAL_MAPPINGS;
}

static void look_at_the_system(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    gap = (GAP_BYTES + page - 1) / page * page;
    guards_left = mappings_allowed() / GUARD_SHARE / 2;
}

static slab *slab_map(size_t count)
{
    slab *made = calloc(1, sizeof *made + count * sizeof made->stacks[0]);
    if (!made)
        return NULL;
    made->count = count;
    made->bytes = count * stride();
    made->memory =
        mmap(NULL, made->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (made->memory == MAP_FAILED) {
        free(made);
        return NULL;
    }
    /* A huge page under a stack would make memory of eight stacks of which a page is touched. A kernel without huge
     * pages refuses, which is as good. */
    madvise(made->memory, made->bytes, MADV_NOHUGEPAGE);
    return made;
}

/* One more slab; a smaller one where the system does not give as much. */
static slab *slab_add(void)
{
    slab *newest = atomic_load_explicit(&slabs, memory_order_relaxed), *made = NULL;
    size_t count = newest ? 2 * newest->count : FIRST_SLAB;
    if (count > LARGEST_SLAB)
        count = LARGEST_SLAB;
    for (; count && !made; count /= 2)
        made = slab_map(count);
    if (made) {
        made->next = newest;
        atomic_store_explicit(&slabs, made, memory_order_release);
    }
    return made;
}

/* Ready is counted last, for the handler, which looks at stacks that are ready. */
static quern_stack *slab_next_stack(slab *from)
{
    size_t index = atomic_load_explicit(&from->ready, memory_order_relaxed);
    quern_stack *stack = &from->stacks[index];
    char *place = from->memory + index * stride();
    /* The stacks begin at different cache lines, so that the tasks that take turns do not all want the same few sets.
     */
    size_t colour = index % 16 * 64;
    *stack = (quern_stack){.lowest = place + gap, .size = QUERN_STACK_BYTES - colour};
    if (guards_left) {
        stack->is_guarded = !mprotect(place, gap, PROT_NONE);
        guards_left = stack->is_guarded ? guards_left - 1 : 0; /* others have used up the mappings */
    }
    stack->valgrind = VALGRIND_STACK_REGISTER(stack->lowest, stack->lowest + stack->size - 1);
    atomic_store_explicit(&from->ready, index + 1, memory_order_release);
    return stack;
}

quern_status quern_stack_new(quern_stack **stack)
{
    pthread_mutex_lock(&mutex);
    slab *newest = atomic_load_explicit(&slabs, memory_order_relaxed);
    if (!newest)
        look_at_the_system();
    if (!newest || atomic_load_explicit(&newest->ready, memory_order_relaxed) == newest->count)
        newest = slab_add();
    if (newest)
        *stack = slab_next_stack(newest);
    pthread_mutex_unlock(&mutex);
    if (!newest)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no address space for another task's stack of %d KiB",
                          QUERN_STACK_BYTES / 1024);
    return QUERN_SUCCESS;
}

void quern_stack_trim(quern_stack *stack, size_t kept)
{
    madvise(stack->lowest, QUERN_STACK_BYTES - kept, MADV_DONTNEED);
}

/* The slab in which address lies, and where; or NULL. */
static const slab *slab_around(const void *address, size_t *offset)
{
    for (slab *each = atomic_load_explicit(&slabs, memory_order_acquire); each; each = each->next) {
        *offset = (uintptr_t)address - (uintptr_t)each->memory;
        if (*offset < each->bytes)
            return each;
    }
    return NULL;
}

const quern_stack *quern_stack_overrun(const void *address)
{
    size_t offset = 0;
    const slab *around = slab_around(address, &offset);
    if (!around || offset % stride() >= gap ||
        offset / stride() >= atomic_load_explicit(&around->ready, memory_order_acquire))
        return NULL;
    return &around->stacks[offset / stride()];
}

int quern_stack_is_near(const void *address)
{
    size_t offset = 0;
    return slab_around(address, &offset) != NULL;
}

/* Whoever came down here by small frames, has left something in every gap on the way. */
const quern_stack *quern_stack_intruder(const quern_stack *stack)
{
    size_t offset = 0;
    const quern_stack *found = NULL;
    const slab *around = slab_around(stack->lowest, &offset);
    size_t ready = around ? atomic_load_explicit(&around->ready, memory_order_acquire) : 0;
    for (size_t i = offset / stride() + 1; i < ready && !quern_stack_is_kept_to(&around->stacks[i]); ++i)
        found = &around->stacks[i];
    return found;
}

void quern_slabs_free(void)
{
    pthread_mutex_lock(&mutex);
    slab *each = atomic_load_explicit(&slabs, memory_order_relaxed);
    atomic_store_explicit(&slabs, NULL, memory_order_release);
    while (each) {
        slab *next = each->next;
        for (size_t i = 0; i < atomic_load_explicit(&each->ready, memory_order_relaxed); ++i)
            VALGRIND_STACK_DEREGISTER(each->stacks[i].valgrind);
        munmap(each->memory, each->bytes);
        free(each);
        each = next;
    }
    pthread_mutex_unlock(&mutex);
}
