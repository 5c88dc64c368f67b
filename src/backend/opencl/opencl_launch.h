/* Launches: the words and arguments of a kernel, and its grid. */
#ifndef QUERN_BACKEND_OPENCL_LAUNCH_H
#define QUERN_BACKEND_OPENCL_LAUNCH_H

#include "opencl_device.h"
#include "opencl_kernel.h"

/* How a launch lies on the device: OpenCL's sizes, and how many items of the range an item of the grid takes. x first.
 */
struct quern_opencl_grid {
    cl_uint rank;
    size_t global[3], local[3];
    size_t piece[3]; /* along each dimension; in the linear layout the first one counts */
};

void quern_opencl_grid_set(struct quern_opencl_grid *grid, const struct quern_opencl_device *device,
                           const struct quern_opencl_kernel_variant *variant, const quern_backend_launch *launch,
                           const quern_launch_layout *layout);

/* The words of the most parameters there can be (dialect/device_abi.h). */
enum { QUERN_OPENCL_WORDS = 3 + 4 * QUERN_MAX_RANK + QUERN_MAX_PARAMETERS * (1 + 2 * QUERN_MAX_RANK) };

struct quern_opencl_words {
    size_t count, bytes;
    union {
        int32_t narrow[QUERN_OPENCL_WORDS];
        int64_t wide[QUERN_OPENCL_WORDS];
    } w;
};

void quern_opencl_words_set(struct quern_opencl_words *words, const quern_backend_launch *launch,
                            const quern_launch_layout *layout, const struct quern_opencl_grid *grid);

/* A function of the backend's table. */
quern_status quern_opencl_launch(void *queue, uint64_t number, const quern_backend_launch *launch);

#endif
