/* Copies and fills of pitched boxes: rows, rectangles and slices, as the driver takes them. */
#ifndef QUERN_BACKEND_CUDA_COPY_H
#define QUERN_BACKEND_CUDA_COPY_H

#include "cuda_queue.h"

#include "backend/device/box.h"

/* One side of a copy: an address, of the host's or the device's. Unified memory is the device's. */
struct quern_cuda_place {
    char *address;
    int is_host;
    CUcontext context; /* of both sides of a copy between two devices; else NULL */
};

/* Gives the stream what copies the box; the command runs. One of the sides is on the device. */
quern_status quern_cuda_box_copy(struct quern_cuda_command *command, struct quern_cuda_place target,
                                 struct quern_cuda_place source, const struct quern_device_box *box);

/* The same for a row of bytes. */
quern_status quern_cuda_row_copy(struct quern_cuda_command *command, struct quern_cuda_place target,
                                 struct quern_cuda_place source, size_t bytes);

/* Functions of the backend's table. */
quern_status quern_cuda_copy(void *queue, uint64_t number, const quern_backend_copy *copy);
quern_status quern_cuda_fill(void *queue, uint64_t number, const quern_backend_copy *fill);

#endif
