/* A hash of 128 bits that names cache entries. It guards against accidents, not against malice: keys are compared
 * whole. */
#ifndef QUERN_COMPILER_CACHE_HASH_H
#define QUERN_COMPILER_CACHE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct quern_hash {
    uint64_t high, low;
} quern_hash;

quern_hash quern_hash_bytes(const void *bytes, size_t size);

/* 32 hexadecimal digits and a NUL. */
void quern_hash_digits(quern_hash hash, char digits[33]);

#endif
