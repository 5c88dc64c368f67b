/*
 * The words of a launch (dialect/device_abi.h): what the backends whose kernels are compiled from text have in common.
 */
#ifndef QUERN_BACKEND_DEVICE_WORDS_H
#define QUERN_BACKEND_DEVICE_WORDS_H

#include <quern/backend.h>

/* The words of the most parameters there can be. */
enum { QUERN_DEVICE_WORDS = 3 + 4 * QUERN_MAX_RANK + QUERN_MAX_PARAMETERS * (1 + 2 * QUERN_MAX_RANK) };

struct quern_device_words {
    size_t count, bytes;
    union {
        int32_t narrow[QUERN_DEVICE_WORDS];
        int64_t wide[QUERN_DEVICE_WORDS];
    } w;
};

/*
 * Sets all words. pieces: how many items an item of the grid takes along each of its grid_rank dimensions, x first; in
 * the linear layout the first one counts. local_offsets: for every argument the begin of its local memory in the
 * group's dynamic memory, where the language passes it so; else NULL, and local parameters have no words.
 */
void quern_device_words_set(struct quern_device_words *words, const quern_backend_launch *launch,
                            const quern_launch_layout *layout, const size_t *pieces, uint32_t grid_rank,
                            const size_t *local_offsets);

#endif
