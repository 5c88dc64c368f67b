/* Philox4x32-10, and a double from it. */
#include "random.h"

enum { ROUNDS = 10 };

void quern_philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; ++round) {
        uint64_t product0 = (uint64_t)c0 * UINT32_C(0xD2511F53);
        uint64_t product1 = (uint64_t)c2 * UINT32_C(0xCD9E8D57);
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)product0;
        k0 += UINT32_C(0x9E3779B9); /* the golden ratio */
        k1 += UINT32_C(0xBB67AE85); /* sqrt(3) - 1 */
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

double quern_random_double(uint64_t seed, uint64_t number)
{
    const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), 0, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    quern_philox4x32_10(counter, key, words);
    uint64_t bits = (uint64_t)words[1] << 32 | words[0];
    return (double)(bits >> 11) * 0x1p-53;
}
