/* CUDA's error numbers. */
#include "cuda_error.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *quern_cuda_error_text(CUresult error, char text[QUERN_CUDA_ERROR_TEXT])
{
    const char *name = NULL, *meaning = NULL;
    if (!quern_cu.GetErrorName || quern_cu.GetErrorName(error, &name) || !name)
        name = "error";
    if (!quern_cu.GetErrorString || quern_cu.GetErrorString(error, &meaning) || !meaning)
        meaning = "";
    snprintf(text, QUERN_CUDA_ERROR_TEXT, "%s (%d)%s%s", name, error, *meaning ? ", " : "", meaning);
    return text;
}

int quern_cuda_error_is_sticky(CUresult error)
{
    switch (error) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    /* The driver has ended, as it does in a process that was forked off after it began. */
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
    /* Nobody knows what it means, only that the driver says the same from then on. */
    case CUDA_ERROR_UNKNOWN:
        return 1;
    default:
        return 0;
    }
}

quern_status quern_cuda_error_status(CUresult error)
{
    switch (error) {
    case CUDA_ERROR_OUT_OF_MEMORY:
        return QUERN_OUT_OF_MEMORY;
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_NO_DEVICE:
        return QUERN_NOT_PRESENT;
    case CUDA_ERROR_NOT_FOUND:
        return QUERN_NOT_FOUND;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
        return QUERN_NOT_SUPPORTED;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_SOURCE:
        return QUERN_COMPILE_FAILED;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
        return QUERN_LIMIT_EXCEEDED;
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_OPERATING_SYSTEM:
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return QUERN_SYSTEM_ERROR;
    /* The objects were sound once, so it is the driver that gave them up. */
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_DEVICE:
        return QUERN_DEVICE_LOST;
    default:
        return quern_cuda_error_is_sticky(error) ? QUERN_DEVICE_LOST : QUERN_INTERNAL;
    }
}

quern_status quern_cuda_fail(CUresult error, const char *what, ...)
{
    char begin[256], text[QUERN_CUDA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(begin, sizeof begin, what, arguments);
    va_end(arguments);
    return quern_fail(quern_cuda_error_status(error), "%s failed: the CUDA driver says %s", begin,
                      quern_cuda_error_text(error, text));
}
