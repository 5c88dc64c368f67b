/*
 * What Quern is measured against on a device of CUDA: the driver's own calls and nothing around them. Its copy from
 * device memory to device memory is as fast as the memory goes; its launch call is what a launch through Quern costs
 * more than.
 *
 * The driver is looked for at run time. Every function leaves a sentence when it fails, as the library's own do. The
 * calls from launch on are made between enter and leave. One thread at a time.
 */
#ifndef QUERN_BENCH_CUDA_H
#define QUERN_BENCH_CUDA_H

#include <quern/status.h>

#include <stddef.h>

typedef struct quern_bare quern_bare;

/* A launch, ready to be given to the driver. */
typedef struct quern_bare_launch {
    void *function;               /* CUfunction */
    unsigned groups[3], group[3]; /* x first */
    void **arguments;             /* the address of each */
} quern_bare_launch;

/* A stream on the device (a CUdevice), in its primary context. NOT_PRESENT without a driver. */
quern_status quern_bare_open(int device, quern_bare **bare);

/* NULL is fine. */
void quern_bare_close(quern_bare *bare);

/* Makes the context the calling thread's; leave undoes it. */
quern_status quern_bare_enter(quern_bare *bare);
void quern_bare_leave(quern_bare *bare);

/* Gives the launch to the driver; finish waits for all that the stream was given. */
quern_status quern_bare_launch_kernel(quern_bare *bare, const quern_bare_launch *launch);
quern_status quern_bare_finish(quern_bare *bare);

/* Copies that many bytes, a multiple of 8, from one place of device memory to another one, and waits. The places are
 * allocated when they are first needed, and kept. */
quern_status quern_bare_move(quern_bare *bare, size_t bytes);

/* Does it, and compares: QUERN_INTERNAL for bytes that did not arrive. */
quern_status quern_bare_check_move(quern_bare *bare, size_t bytes);

/* Gives the places back, if there are any. */
void quern_bare_forget_places(quern_bare *bare);

#endif
