/* OpenCL's error numbers. */
#include "opencl_error.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *quern_opencl_error_text(cl_int error, char text[QUERN_OPENCL_ERROR_TEXT])
{
    const char *name = NULL;
    switch (error) {
#define NAME(constant, number)                                                                                         \
    case number:                                                                                                       \
        name = #constant;                                                                                              \
        break;
        QUERN_OPENCL_ERRORS(NAME)
#undef NAME
    default:
        break;
    }
    if (name)
        snprintf(text, QUERN_OPENCL_ERROR_TEXT, "%s (%d)", name, error);
    else
        snprintf(text, QUERN_OPENCL_ERROR_TEXT, "error %d", error);
    return text;
}

quern_status quern_opencl_error_status(cl_int error)
{
    switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
        return QUERN_OUT_OF_MEMORY;
    case CL_DEVICE_NOT_FOUND:
    case CL_PLATFORM_NOT_FOUND_KHR:
        return QUERN_NOT_PRESENT;
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_LINKER_NOT_AVAILABLE:
        return QUERN_NOT_SUPPORTED;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
        return QUERN_COMPILE_FAILED;
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_WORK_DIMENSION:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE:
        return QUERN_LIMIT_EXCEEDED;
    case CL_DEVICE_NOT_AVAILABLE:
    /* The objects were sound once, so it is the driver that gave them up. */
    case CL_INVALID_PLATFORM:
    case CL_INVALID_DEVICE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_EVENT:
        return QUERN_DEVICE_LOST;
    default:
        /* Numbers of a driver's own are faults after which the context is of no more use (an address that does not
         * exist, a reset). The others say that a call was wrong. */
        return error < -1000 ? QUERN_DEVICE_LOST : QUERN_INTERNAL;
    }
}

quern_status quern_opencl_fail(cl_int error, const char *what, ...)
{
    char begin[256], text[QUERN_OPENCL_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(begin, sizeof begin, what, arguments);
    va_end(arguments);
    return quern_fail(quern_opencl_error_status(error), "%s failed: the OpenCL driver says %s", begin,
                      quern_opencl_error_text(error, text));
}
