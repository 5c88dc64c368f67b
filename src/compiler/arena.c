/* Memory that is taken in pieces and freed all at once. */
#include "arena.h"

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16384, ALIGNMENT = 16 };

typedef struct quern_arena_block {
    struct quern_arena_block *next;
    size_t capacity;
    _Alignas(ALIGNMENT) char bytes[];
} quern_arena_block;

void *quern_arena_take(quern_arena *arena, size_t bytes)
{
    if (bytes > PTRDIFF_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    quern_arena_block *block = arena->blocks;
    if (!block || bytes > block->capacity - arena->used) {
        size_t capacity = bytes > BLOCK_BYTES ? bytes : (size_t)BLOCK_BYTES;
        block = calloc(1, sizeof *block + capacity);
        if (!block)
            return NULL;
        block->capacity = capacity;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->used = 0;
    }
    void *memory = block->bytes + arena->used;
    arena->used += bytes;
    return memory;
}

void quern_arena_free(quern_arena *arena)
{
    while (arena->blocks) {
        quern_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->used = 0;
}

void *quern_arena_grow(quern_arena *arena, void *array, size_t count, size_t element_size)
{
    size_t bytes;
    if (count & (count - 1)) /* capacities are powers of two: there is room up to the next one */
        return array;
    if (quern_multiply_overflows(count ? count * 2 : 1, element_size, &bytes))
        return NULL;
    void *grown = quern_arena_take(arena, bytes);
    if (grown && count)
        memcpy(grown, array, count * element_size);
    return grown;
}
