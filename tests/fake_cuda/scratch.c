/*
 * The memory of a group while a kernel runs. Every group gets fresh memory, full of noise, with guard bytes on both
 * sides, which are looked at when the group has ended.
 */
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

enum { FRONT = 64, BEHIND = 1024, NOISE = 0xC7, GUARD_BYTE = 0xBD };

struct fake_scratch_block {
    struct fake_scratch_block *next;
    const char *name; /* of the local parameter, or NULL */
    size_t bytes;     /* that may be written */
    size_t room;      /* with what they are rounded up to */
    char padding[64 - 4 * sizeof(size_t)];
    unsigned char front[FRONT];
    unsigned char data[];
};
_Static_assert(sizeof(struct fake_scratch_block) == 64 + FRONT, "data is aligned as the memory of a kernel is");

/* How many guard bytes behind the memory. */
static size_t behind(const struct fake_scratch_block *block)
{
    return block->room - block->bytes + BEHIND;
}

static int is_guard(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (bytes[i] != GUARD_BYTE)
            return 0;
    return 1;
}

static void check(struct fake_scratch *scratch, const struct fake_scratch_block *block)
{
    if (scratch->is_overrun || (is_guard(block->front, FRONT) && is_guard(block->data + block->bytes, behind(block))))
        return;
    scratch->is_overrun = 1;
    fake_violation("kernel '%s' wrote beside its %s%s of %zu bytes", scratch->kernel->name,
                   block->name ? "local parameter " : "memory of a group", block->name ? block->name : "",
                   block->bytes);
}

/* The group has ended. */
static void give_back(struct fake_scratch *scratch)
{
    while (scratch->blocks) {
        struct fake_scratch_block *block = scratch->blocks;
        check(scratch, block);
        scratch->blocks = block->next;
        free(block);
    }
    scratch->base.overflowed = 0;
    scratch->next = 0;
}

/* The local parameters are taken first, in their order, each rounded up. */
static void name_block(struct fake_scratch *scratch, struct fake_scratch_block *block)
{
    const quern_kernel *kernel = scratch->kernel;
    while (scratch->next < kernel->parameter_count && kernel->parameters[scratch->next].form != QUERN_PARAMETER_LOCAL)
        ++scratch->next;
    block->bytes = block->room;
    if (scratch->next == kernel->parameter_count)
        return;
    block->name = kernel->parameters[scratch->next].name;
    block->bytes = scratch->arguments[scratch->next].length * kernel->parameters[scratch->next].type.size;
    ++scratch->next;
}

/* As quern_cpu_scratch wants it. */
static void *grow(struct quern_cpu_scratch *base, size_t bytes)
{
    struct fake_scratch *scratch = (struct fake_scratch *)base;
    if (bytes == 0) {
        give_back(scratch);
        return NULL;
    }
    struct fake_scratch_block *block = aligned_alloc(64, sizeof *block + bytes + BEHIND);
    if (!block)
        return NULL;
    *block = (struct fake_scratch_block){.next = scratch->blocks, .room = bytes};
    name_block(scratch, block);
    memset(block->front, GUARD_BYTE, FRONT);
    memset(block->data, NOISE, block->bytes);
    memset(block->data + block->bytes, GUARD_BYTE, behind(block));
    scratch->blocks = block;
    base->overflowed = bytes;
    return block->data;
}

void fake_scratch_begin(struct fake_scratch *scratch, const quern_kernel *kernel,
                        const struct quern_cpu_argument *arguments)
{
    *scratch = (struct fake_scratch){.base = {.grow = grow}, .kernel = kernel, .arguments = arguments};
}

int fake_scratch_end(struct fake_scratch *scratch)
{
    give_back(scratch);
    return !scratch->is_overrun;
}
