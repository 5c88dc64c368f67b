/* The CUDA backend: NVIDIA's GPUs, through the driver's own interface. */
#ifndef QUERN_BACKEND_CUDA_BACKEND_H
#define QUERN_BACKEND_CUDA_BACKEND_H

#include <quern/backend.h>

/*
 * The whole backend. start() reads the environment:
 *   QUERN_CUDA_LIBRARY   the driver library's file; default: libcuda.so.1, as the system finds it
 */
extern const quern_backend quern_cuda_backend;

/* What start was given. */
extern const quern_backend_host *quern_cuda_host;

#endif
