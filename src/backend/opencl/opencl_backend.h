/* The OpenCL backend: the devices of all OpenCL drivers of the machine. */
#ifndef QUERN_BACKEND_OPENCL_BACKEND_H
#define QUERN_BACKEND_OPENCL_BACKEND_H

#include <quern/backend.h>

/*
 * The whole backend. start() reads the environment:
 *   QUERN_OPENCL_LIBRARY   the loader's file; default: libOpenCL.so.1, then libOpenCL.so, as the system finds them
 */
extern const quern_backend quern_opencl_backend;

/* What start was given. */
extern const quern_backend_host *quern_opencl_host;

#endif
