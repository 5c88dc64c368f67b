/*
 * FNV-1a with 128 bits. Source: Fowler, Noll, Vo; "The FNV Non-Cryptographic Hash Algorithm", IETF draft-eastlake-fnv:
 * prime 2^88 + 0x13b, offset basis 0x6c62272e07bb014262b821756295c58d.
 */
#include "cache_hash.h"

#include <stdio.h>

/* hash × (2^88 + 0x13b) modulo 2^128, in halves. */
static quern_hash multiply(quern_hash hash)
{
    const uint64_t factor = 0x13b;
    uint64_t low_part = (hash.low & 0xffffffffu) * factor;
    uint64_t high_part = (hash.low >> 32) * factor + (low_part >> 32);
    quern_hash product = {hash.high * factor + (high_part >> 32) + (hash.low << 24), hash.low * factor};
    return product;
}

quern_hash quern_hash_bytes(const void *bytes, size_t size)
{
    quern_hash hash = {0x6c62272e07bb0142u, 0x62b821756295c58du};
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; ++i) {
        hash.low ^= at[i];
        hash = multiply(hash);
    }
    return hash;
}

void quern_hash_digits(quern_hash hash, char digits[33])
{
    snprintf(digits, 33, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}
