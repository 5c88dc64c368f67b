/* OpenCL's error numbers: their names, and what they are to Quern. */
#ifndef QUERN_BACKEND_OPENCL_ERROR_H
#define QUERN_BACKEND_OPENCL_ERROR_H

#include "opencl_api.h"

#include <quern/status.h>

enum { QUERN_OPENCL_ERROR_TEXT = 64 };

/* Writes "CL_OUT_OF_HOST_MEMORY (-6)", or "error -9999" for a driver's own; gives text. */
const char *quern_opencl_error_text(cl_int error, char text[QUERN_OPENCL_ERROR_TEXT]);

/* The status that an error is; never SUCCESS. */
quern_status quern_opencl_error_status(cl_int error);

/* Leaves "WHAT failed: the OpenCL driver says CL_… (-n)" and returns the error's status; what as printf. */
quern_status quern_opencl_fail(cl_int error, const char *what, ...) __attribute__((format(printf, 2, 3)));

#endif
