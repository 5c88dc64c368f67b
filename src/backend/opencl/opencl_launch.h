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

/* A function of the backend's table. */
quern_status quern_opencl_launch(void *queue, uint64_t number, const quern_backend_launch *launch);

#endif
