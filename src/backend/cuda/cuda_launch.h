/* Launches: the words and arguments of a kernel, its grid, and its group's memory. */
#ifndef QUERN_BACKEND_CUDA_LAUNCH_H
#define QUERN_BACKEND_CUDA_LAUNCH_H

#include "cuda_kernel.h"
#include "cuda_queue.h"

/* A function of the backend's table. */
quern_status quern_cuda_launch(void *queue, uint64_t number, const quern_backend_launch *launch);

#endif
