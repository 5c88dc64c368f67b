/*
 * What Quern is measured against on a device of OpenCL: the same work as a program does it that was written by hand in
 * plain OpenCL 1.2. One context, one in-order queue, a kernel of one item per element, the group size left to the
 * driver, clEnqueueNDRangeKernel and clFinish.
 *
 * The loader is looked for at run time, so that no package is needed to build this. Every function leaves a sentence
 * when it fails, as the library's own do. One thread at a time.
 */
#ifndef QUERN_BENCH_OPENCL_H
#define QUERN_BENCH_OPENCL_H

#include <quern/status.h>
#include <stddef.h>

typedef struct quern_handwritten quern_handwritten;
typedef struct _cl_mem quern_handwritten_array; /* memory of the device */

/* Opens the device of that name, which is number index when all platforms' devices are counted through: a context and a
 * queue, no kernels yet. NOT_PRESENT when there is no such device. */
quern_status quern_handwritten_open(size_t index, const char *name, quern_handwritten **program);

/* Compiles the text and looks up the kernels: before any work. */
quern_status quern_handwritten_build(quern_handwritten *program);

/* NULL is fine. */
void quern_handwritten_close(quern_handwritten *program);

quern_status quern_handwritten_array_create(quern_handwritten *program, size_t bytes, quern_handwritten_array **array);
void quern_handwritten_array_release(quern_handwritten *program, quern_handwritten_array *array); /* NULL is fine */

/* The first bytes of the array, to and from the host; both wait. */
quern_status quern_handwritten_array_write(quern_handwritten *program, quern_handwritten_array *to, const void *from,
                                           size_t bytes);
quern_status quern_handwritten_array_read(quern_handwritten *program, quern_handwritten_array *from, void *to,
                                          size_t bytes);

/* ---- the work, done when they return; the same as the functions of these names in baselines.h ---- */

quern_status quern_handwritten_copy(quern_handwritten *program, size_t n, quern_handwritten_array *a,
                                    quern_handwritten_array *c);
quern_status quern_handwritten_mul(quern_handwritten *program, size_t n, quern_handwritten_array *c,
                                   quern_handwritten_array *b, double s);
quern_status quern_handwritten_add(quern_handwritten *program, size_t n, quern_handwritten_array *a,
                                   quern_handwritten_array *b, quern_handwritten_array *c);
quern_status quern_handwritten_triad(quern_handwritten *program, size_t n, quern_handwritten_array *b,
                                     quern_handwritten_array *c, quern_handwritten_array *a, double s);
quern_status quern_handwritten_triad_float(quern_handwritten *program, size_t n, quern_handwritten_array *b,
                                           quern_handwritten_array *c, quern_handwritten_array *a, float s);

/* partial[k] = the dot product of block number k of QUERN_HANDWRITTEN_DOT_BLOCK elements; the last may be shorter. */
#define QUERN_HANDWRITTEN_DOT_BLOCK 4096
quern_status quern_handwritten_dot(quern_handwritten *program, size_t n, quern_handwritten_array *a,
                                   quern_handwritten_array *b, quern_handwritten_array *partial);

/* pitch in bytes, a multiple of the element */
quern_status quern_handwritten_stencil(quern_handwritten *program, size_t rows, size_t columns, size_t pitch,
                                       quern_handwritten_array *u, quern_handwritten_array *v, float c);

/* Queues an empty kernel of n items; finish waits for all that is queued. */
quern_status quern_handwritten_empty(quern_handwritten *program, size_t n);
quern_status quern_handwritten_finish(quern_handwritten *program);

#endif
