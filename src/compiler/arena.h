/* Memory that is taken in pieces and freed all at once. */
#ifndef QUERN_COMPILER_ARENA_H
#define QUERN_COMPILER_ARENA_H

#include <stddef.h>

/* Starts as {0}. */
typedef struct quern_arena {
    struct quern_arena_block *blocks;
    size_t used; /* of the first block */
} quern_arena;

/* Zeroed memory, aligned for any type; NULL when memory is exhausted. */
void *quern_arena_take(quern_arena *arena, size_t bytes);
void quern_arena_free(quern_arena *arena);

/* Room for one more element behind the count that array holds: gives the array, moved when its size is a power of two;
 * NULL when memory is exhausted. */
void *quern_arena_grow(quern_arena *arena, void *array, size_t count, size_t element_size);

#endif
