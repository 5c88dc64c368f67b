/*
 * Copies and fills of pitched boxes.
 *
 * OpenCL moves a row of bytes, or a rectangle of up to three dimensions whose pitches it likes. A box is taken apart
 * into as few of them as possible.
 */
#ifndef QUERN_BACKEND_OPENCL_COPY_H
#define QUERN_BACKEND_OPENCL_COPY_H

#include "opencl_queue.h"

#include "backend/device/box.h"

/* One side of a copy: a place in a buffer, or memory that the host can reach. */
struct quern_opencl_place {
    cl_mem buffer; /* NULL: host memory */
    size_t offset; /* bytes from the buffer's begin */
    char *address; /* of host memory */
    int is_unified;
};

/* Where the address lies; memory is what allocate gave for its buffer, or NULL. */
struct quern_opencl_place quern_opencl_place_of(const void *address, const void *memory, int is_host);

/* The place bytes further on. */
struct quern_opencl_place quern_opencl_place_moved(const struct quern_opencl_place *place, size_t bytes);

/* Enqueues what copies the box. One of its sides is on the device. */
quern_status quern_opencl_box_copy(struct quern_opencl_command *command, const struct quern_opencl_place *target,
                                   const struct quern_opencl_place *source, const struct quern_device_box *box);

/* The same for a row of bytes. owned (or NULL) is freed when it has been copied. */
quern_status quern_opencl_row_copy(struct quern_opencl_command *command, const struct quern_opencl_place *target,
                                   const struct quern_opencl_place *source, size_t bytes, void *owned);

/* 1 when the host moves what lies there: no OpenCL command can. */
int quern_opencl_place_is_plain(const struct quern_opencl_place *place);

/* Functions of the backend's table. */
quern_status quern_opencl_copy(void *queue, uint64_t number, const quern_backend_copy *copy);
quern_status quern_opencl_fill(void *queue, uint64_t number, const quern_backend_copy *fill);

#endif
