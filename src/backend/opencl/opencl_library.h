/* The OpenCL loader, opened at run time, and its functions. */
#ifndef QUERN_BACKEND_OPENCL_LIBRARY_H
#define QUERN_BACKEND_OPENCL_LIBRARY_H

#include "opencl_api.h"

#include <quern/status.h>

struct quern_opencl_functions {
#define QUERN_OPENCL_FUNCTION(name, result, arguments) result(*name) arguments;
    QUERN_OPENCL_FUNCTIONS(QUERN_OPENCL_FUNCTION)
    QUERN_OPENCL_NEWER_FUNCTIONS(QUERN_OPENCL_FUNCTION)
#undef QUERN_OPENCL_FUNCTION
};

/* quern_cl.Finish(queue) is clFinish(queue). Set by quern_opencl_library_open. */
extern struct quern_opencl_functions quern_cl;

/* Opens the loader: the file that QUERN_OPENCL_LIBRARY names, else libOpenCL.so.1, else libOpenCL.so. NOT_PRESENT when
 * there is none, NOT_SUPPORTED when it lacks a function of OpenCL 1.2. */
quern_status quern_opencl_library_open(void);

/* Gives the loader up. */
void quern_opencl_library_close(void);

/* The file that was opened, for messages. */
const char *quern_opencl_library_name(void);

#endif
