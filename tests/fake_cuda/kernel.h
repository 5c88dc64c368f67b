/*
 * Kernels by the CPU build of their kernel file: what kernel.c knows of one, and how decode.c calls it.
 *
 * The fake holds a private copy of Quern for this, of which it uses the compiler alone: no backend of that copy is ever
 * started, so nothing recurses.
 */
#ifndef FAKE_CUDA_KERNEL_H
#define FAKE_CUDA_KERNEL_H

#include "fake.h"
#include "image.h"

#include <quern/dialect/cpu_abi.h>
#include <quern/dialect/device_abi.h>
#include <quern/program.h>

/* What is passed for a parameter. */
struct fake_parameter {
    size_t offset, bytes;
    int is_pointer;
};

enum { FAKE_PARAMETERS = 1 + QUERN_MAX_PARAMETERS };

struct fake_kernel {
    const quern_kernel *descriptor;
    quern_cpu_function *function;
    int index_bits, is_linear;
    size_t word_count;
    size_t parameter_count; /* of the entry, the words first */
    struct fake_parameter parameters[FAKE_PARAMETERS];
    size_t parameter_bytes;
    int threads; /* most of a block */
    size_t shared_bytes, private_bytes;
};

/* The kernel behind an entry "quern_k_NAME": SUCCESS, or the error with which a module that holds it does not load, and
 * a line for its log. Without the lock. */
fc_result fake_kernel_new(const struct fake_image *image, const char *entry, struct fake_kernel **kernel, char *log,
                          size_t log_size);

#endif
