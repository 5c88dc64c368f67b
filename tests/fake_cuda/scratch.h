/* The memory of a group while a kernel runs: its local parameters, and what it takes beside them. */
#ifndef FAKE_CUDA_SCRATCH_H
#define FAKE_CUDA_SCRATCH_H

#include "kernel.h"

struct fake_scratch {
    struct quern_cpu_scratch base; /* first: the kernel's code has the address */
    const quern_kernel *kernel;
    const struct quern_cpu_argument *arguments;
    struct fake_scratch_block *blocks;
    uint32_t next;  /* parameter that may be the local one that is taken next */
    int is_overrun; /* something was written beside a block: told as a violation, once */
};

void fake_scratch_begin(struct fake_scratch *scratch, const quern_kernel *kernel,
                        const struct quern_cpu_argument *arguments);
/* Frees all; 0 when something was written beside it. */
int fake_scratch_end(struct fake_scratch *scratch);

#endif
