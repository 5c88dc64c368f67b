/* The parts of the subject "memory" among themselves. */
#ifndef QUERN_CONFORMANCE_KERNELS_MEMORY_H
#define QUERN_CONFORMANCE_KERNELS_MEMORY_H

#include "kernels_support.h"

/* kernels_memory_items.c */
quern_verdict quern_memory_private_1(quern_trial *trial);
quern_verdict quern_memory_private_2(quern_trial *trial);
quern_verdict quern_memory_private_3(quern_trial *trial);
quern_verdict quern_memory_private_large(quern_trial *trial);
quern_verdict quern_memory_own_arrays(quern_trial *trial);

#endif
