/* Boxes of bytes that are copied or filled: between copy.c and fill.c, which are called, and box.c, which checks and
 * does it. */
#ifndef FAKE_CUDA_BOX_H
#define FAKE_CUDA_BOX_H

#include "fake.h"

enum { FAKE_MAX_PITCH = 0x7fffffff };

/* The address of a side as of one memory type (FC_MEMORY_…), which is to hold the whole box. */
fc_result fake_side_set(struct fake_side *side, int type, uintptr_t address, const struct fake_box *box);

/* Queues the box, and waits for it when asked to, with the lock held. name is the function's. */
fc_result fake_box_submit(const struct fake_box *box, enum fake_what what, fc_stream handle, int waits);

#endif
