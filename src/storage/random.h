/* The counter-based random numbers behind quern_random. */
#ifndef QUERN_STORAGE_RANDOM_H
#define QUERN_STORAGE_RANDOM_H

#include <stdint.h>

/*
 * Philox4x32-10: out[4] is a function of counter[4] and key[2] alone. out may be counter.
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC11; the
 * multipliers and key increments as published there and in Random123.
 */
void quern_philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Element number of quern_random(…, seed): a double in [0, 1). */
double quern_random_double(uint64_t seed, uint64_t number);

#endif
