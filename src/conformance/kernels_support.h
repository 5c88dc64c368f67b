/*
 * What the tests of the kernels' side share: arrays that are made and filled in one call, numbers that vary, shapes of
 * groups that a device has.
 */
#ifndef QUERN_CONFORMANCE_KERNELS_SUPPORT_H
#define QUERN_CONFORMANCE_KERNELS_SUPPORT_H

#include "guarded.h"

/* The number of entries of an array. */
#define QUERN_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The next of a fixed row of numbers (splitmix64); *state is any number at first. */
uint64_t quern_conformance_random(uint64_t *state);

/* A guarded array on the trial's device, packed or with pitches, uploaded: with values, row-major; NULL: all bytes of
 * the elements are 0. */
quern_verdict quern_conformance_array(quern_trial *trial, const char *name, quern_type type, size_t n,
                                      const void *values, quern_guarded *array);
quern_verdict quern_conformance_array_nd(quern_trial *trial, const char *name, quern_type type, quern_extents extents,
                                         const void *values, quern_guarded *array);

/* Zeroed memory until the test ends, or it fails: void *memory; QUERN_MEMORY(trial, memory, bytes). */
#define QUERN_MEMORY(trial, pointer, bytes)                                                                            \
    do {                                                                                                               \
        (pointer) = quern_trial_memory((trial), (bytes));                                                              \
        QUERN_WANT((trial), (pointer), "no memory for %zu bytes", (size_t)(bytes));                                    \
    } while (0)

/* 1 when the device has groups of that size; group holds rank entries, slowest first. */
int quern_conformance_group_fits(const quern_trial *trial, uint32_t rank, const size_t *group);

/* PASSED when the device says how large groups may be; else UNSUPPORTED. */
quern_verdict quern_conformance_need_largest_group(quern_trial *trial);

/* PASSED when it has them, else UNSUPPORTED with a sentence. */
quern_verdict quern_conformance_need_group(quern_trial *trial, uint32_t rank, const size_t *group);

/* Return from the test unless the device has what it needs. */
#define QUERN_NEED_GROUP(trial, ...)                                                                                   \
    do {                                                                                                               \
        const size_t quern_group[] = {__VA_ARGS__};                                                                    \
        QUERN_CHECK(quern_conformance_need_group((trial), (uint32_t)QUERN_LENGTH(quern_group), quern_group));          \
    } while (0)
#define QUERN_NEED_FP64(trial)                                                                                         \
    do {                                                                                                               \
        if (!(trial)->info.fp64)                                                                                       \
            return quern_trial_unsupported((trial), "fp64");                                                           \
    } while (0)
#define QUERN_NEED_ATOMICS64(trial)                                                                                    \
    do {                                                                                                               \
        if (!(trial)->info.atomics64)                                                                                  \
            return quern_trial_unsupported((trial), "64-bit atomics");                                                 \
    } while (0)

#endif
