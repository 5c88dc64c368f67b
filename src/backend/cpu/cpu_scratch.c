/*
 * A thread's scratch memory for kernels (quern/dialect/cpu_abi.h): one block that is used again and
 * again. What a group asks for beyond it is given in blocks of its own, and the next group finds the
 * one block large enough, so that a kernel allocates in its first groups only.
 */
#include "cpu_thread.h"

#include "base/error.h"

#include <stdlib.h>

enum { ALIGNMENT = 64, SMALLEST = 16384 };

/* Memory beyond base: this head, at the block's begin, is one alignment long. */
struct quern_cpu_block {
    struct quern_cpu_block *next;
};

static void free_blocks(struct quern_cpu_thread *thread)
{
    while (thread->blocks) {
        struct quern_cpu_block *block = thread->blocks;
        thread->blocks = block->next;
        free(block);
    }
    thread->scratch.overflowed = 0;
}

static void *take_block(struct quern_cpu_thread *thread, size_t bytes)
{
    size_t with_head;
    struct quern_cpu_block *block;
    if (quern_add_overflows(bytes, (size_t)ALIGNMENT, &with_head))
        return NULL;
    block = aligned_alloc(ALIGNMENT, with_head);
    if (!block)
        return NULL;
    block->next = thread->blocks;
    thread->blocks = block;
    thread->scratch.overflowed += bytes;
    return (char *)block + ALIGNMENT;
}

/* base becomes large enough for what was asked since the last reset; it stays as it is when memory is exhausted. */
static void enlarge(struct quern_cpu_thread *thread)
{
    struct quern_cpu_scratch *scratch = &thread->scratch;
    size_t wanted = scratch->used + scratch->overflowed;
    free_blocks(thread);
    if (wanted < SMALLEST)
        wanted = SMALLEST;
    if (wanted <= scratch->capacity)
        return;
    char *base = aligned_alloc(ALIGNMENT, wanted);
    if (!base)
        return;
    free(scratch->base);
    scratch->base = base;
    scratch->capacity = wanted;
}

static void *grow(struct quern_cpu_scratch *scratch, size_t bytes)
{
    struct quern_cpu_thread *thread = (struct quern_cpu_thread *)scratch;
    if (bytes)
        return take_block(thread, bytes);
    enlarge(thread);
    return NULL;
}

void quern_cpu_scratch_make(struct quern_cpu_thread *thread)
{
    thread->scratch.grow = grow;
}

void quern_cpu_scratch_free(struct quern_cpu_thread *thread)
{
    free_blocks(thread);
    free(thread->scratch.base);
    thread->scratch.base = NULL;
    thread->scratch.capacity = thread->scratch.used = 0;
}
