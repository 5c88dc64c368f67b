/*
 * What this backend uses of OpenCL: its types, constants and functions, declared here so that the library builds
 * without OpenCL's headers and runs without its loader. The names and numbers are OpenCL's own (versions 1.2 and 2.0).
 */
#ifndef QUERN_BACKEND_OPENCL_API_H
#define QUERN_BACKEND_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef intptr_t cl_property; /* of contexts */

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

/* ---- errors: X(name, number) ---- */

#define QUERN_OPENCL_ERRORS(X)                                                                                         \
    X(CL_SUCCESS, 0)                                                                                                   \
    X(CL_DEVICE_NOT_FOUND, -1)                                                                                         \
    X(CL_DEVICE_NOT_AVAILABLE, -2)                                                                                     \
    X(CL_COMPILER_NOT_AVAILABLE, -3)                                                                                   \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)                                                                            \
    X(CL_OUT_OF_RESOURCES, -5)                                                                                         \
    X(CL_OUT_OF_HOST_MEMORY, -6)                                                                                       \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, -7)                                                                             \
    X(CL_MEM_COPY_OVERLAP, -8)                                                                                         \
    X(CL_IMAGE_FORMAT_MISMATCH, -9)                                                                                    \
    X(CL_IMAGE_FORMAT_NOT_SUPPORTED, -10)                                                                              \
    X(CL_BUILD_PROGRAM_FAILURE, -11)                                                                                   \
    X(CL_MAP_FAILURE, -12)                                                                                             \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET, -13)                                                                            \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14)                                                               \
    X(CL_COMPILE_PROGRAM_FAILURE, -15)                                                                                 \
    X(CL_LINKER_NOT_AVAILABLE, -16)                                                                                    \
    X(CL_LINK_PROGRAM_FAILURE, -17)                                                                                    \
    X(CL_DEVICE_PARTITION_FAILED, -18)                                                                                 \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, -19)                                                                           \
    X(CL_INVALID_VALUE, -30)                                                                                           \
    X(CL_INVALID_DEVICE_TYPE, -31)                                                                                     \
    X(CL_INVALID_PLATFORM, -32)                                                                                        \
    X(CL_INVALID_DEVICE, -33)                                                                                          \
    X(CL_INVALID_CONTEXT, -34)                                                                                         \
    X(CL_INVALID_QUEUE_PROPERTIES, -35)                                                                                \
    X(CL_INVALID_COMMAND_QUEUE, -36)                                                                                   \
    X(CL_INVALID_HOST_PTR, -37)                                                                                        \
    X(CL_INVALID_MEM_OBJECT, -38)                                                                                      \
    X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, -39)                                                                         \
    X(CL_INVALID_IMAGE_SIZE, -40)                                                                                      \
    X(CL_INVALID_SAMPLER, -41)                                                                                         \
    X(CL_INVALID_BINARY, -42)                                                                                          \
    X(CL_INVALID_BUILD_OPTIONS, -43)                                                                                   \
    X(CL_INVALID_PROGRAM, -44)                                                                                         \
    X(CL_INVALID_PROGRAM_EXECUTABLE, -45)                                                                              \
    X(CL_INVALID_KERNEL_NAME, -46)                                                                                     \
    X(CL_INVALID_KERNEL_DEFINITION, -47)                                                                               \
    X(CL_INVALID_KERNEL, -48)                                                                                          \
    X(CL_INVALID_ARG_INDEX, -49)                                                                                       \
    X(CL_INVALID_ARG_VALUE, -50)                                                                                       \
    X(CL_INVALID_ARG_SIZE, -51)                                                                                        \
    X(CL_INVALID_KERNEL_ARGS, -52)                                                                                     \
    X(CL_INVALID_WORK_DIMENSION, -53)                                                                                  \
    X(CL_INVALID_WORK_GROUP_SIZE, -54)                                                                                 \
    X(CL_INVALID_WORK_ITEM_SIZE, -55)                                                                                  \
    X(CL_INVALID_GLOBAL_OFFSET, -56)                                                                                   \
    X(CL_INVALID_EVENT_WAIT_LIST, -57)                                                                                 \
    X(CL_INVALID_EVENT, -58)                                                                                           \
    X(CL_INVALID_OPERATION, -59)                                                                                       \
    X(CL_INVALID_GL_OBJECT, -60)                                                                                       \
    X(CL_INVALID_BUFFER_SIZE, -61)                                                                                     \
    X(CL_INVALID_MIP_LEVEL, -62)                                                                                       \
    X(CL_INVALID_GLOBAL_WORK_SIZE, -63)                                                                                \
    X(CL_INVALID_PROPERTY, -64)                                                                                        \
    X(CL_INVALID_IMAGE_DESCRIPTOR, -65)                                                                                \
    X(CL_INVALID_COMPILER_OPTIONS, -66)                                                                                \
    X(CL_INVALID_LINKER_OPTIONS, -67)                                                                                  \
    X(CL_INVALID_DEVICE_PARTITION_COUNT, -68)                                                                          \
    X(CL_PLATFORM_NOT_FOUND_KHR, -1001)

enum {
#define QUERN_OPENCL_ERROR(name, number) name = number,
    QUERN_OPENCL_ERRORS(QUERN_OPENCL_ERROR)
#undef QUERN_OPENCL_ERROR
};

/* ---- constants ---- */

enum {
    CL_FALSE = 0,
    CL_TRUE = 1,

    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,

    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
    CL_DEVICE_ADDRESS_BITS = 0x100D,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017,
    CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_VENDOR = 0x102C,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_INT = 0x1038,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE = 0x103B,
    CL_DEVICE_SVM_CAPABILITIES = 0x1053,

    CL_DEVICE_TYPE_CPU = 1 << 1,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,
    CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 1 << 1,

    CL_CONTEXT_PLATFORM = 0x1084,
    CL_QUEUE_CONTEXT = 0x1090,
    CL_QUEUE_DEVICE = 0x1091,
    CL_QUEUE_PROPERTIES = 0x1093,
    CL_QUEUE_PRIORITY_KHR = 0x1096,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1 << 0,
    CL_QUEUE_PROFILING_ENABLE = 1 << 1,
    CL_QUEUE_PRIORITY_HIGH_KHR = 1 << 0,
    CL_QUEUE_PRIORITY_MED_KHR = 1 << 1,
    CL_QUEUE_PRIORITY_LOW_KHR = 1 << 2,

    CL_MEM_OBJECT_BUFFER = 0x10F0,
    CL_MEM_TYPE = 0x1100,
    CL_MEM_SIZE = 0x1102,
    CL_MEM_CONTEXT = 0x1106,
    CL_MEM_READ_WRITE = 1 << 0,
    CL_MEM_ALLOC_HOST_PTR = 1 << 4,
    CL_MEM_SVM_FINE_GRAIN_BUFFER = 1 << 10,
    CL_MAP_READ = 1 << 0,
    CL_MAP_WRITE = 1 << 1,

    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,

    CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3,
    CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4,

    CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    CL_COMPLETE = 0,
    CL_PROFILING_COMMAND_END = 0x1283
};

/* Does not fit an enumeration. */
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu

/* ---- functions ---- */

typedef void quern_opencl_event_callback(cl_event event, cl_int status, void *data);

/* What comes last in every function that enqueues. */
#define QUERN_OPENCL_EVENTS cl_uint, const cl_event *, cl_event *

/* X(name without "cl", result, arguments): all of OpenCL 1.2, without which nothing goes. */
#define QUERN_OPENCL_FUNCTIONS(X)                                                                                      \
    X(GetPlatformIDs, cl_int, (cl_uint, cl_platform_id *, cl_uint *))                                                  \
    X(GetPlatformInfo, cl_int, (cl_platform_id, cl_uint, size_t, void *, size_t *))                                    \
    X(GetDeviceIDs, cl_int, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))                         \
    X(GetDeviceInfo, cl_int, (cl_device_id, cl_uint, size_t, void *, size_t *))                                        \
    X(CreateContext, cl_context,                                                                                       \
      (const cl_property *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, size_t, void *),       \
       void *, cl_int *))                                                                                              \
    X(ReleaseContext, cl_int, (cl_context))                                                                            \
    X(CreateCommandQueue, cl_command_queue, (cl_context, cl_device_id, cl_bitfield, cl_int *))                         \
    X(RetainCommandQueue, cl_int, (cl_command_queue))                                                                  \
    X(GetCommandQueueInfo, cl_int, (cl_command_queue, cl_uint, size_t, void *, size_t *))                              \
    X(ReleaseCommandQueue, cl_int, (cl_command_queue))                                                                 \
    X(Flush, cl_int, (cl_command_queue))                                                                               \
    X(Finish, cl_int, (cl_command_queue))                                                                              \
    X(CreateBuffer, cl_mem, (cl_context, cl_bitfield, size_t, void *, cl_int *))                                       \
    X(RetainMemObject, cl_int, (cl_mem))                                                                               \
    X(GetMemObjectInfo, cl_int, (cl_mem, cl_uint, size_t, void *, size_t *))                                           \
    X(ReleaseMemObject, cl_int, (cl_mem))                                                                              \
    X(CreateProgramWithSource, cl_program, (cl_context, cl_uint, const char **, const size_t *, cl_int *))             \
    X(CreateProgramWithBinary, cl_program,                                                                             \
      (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *))         \
    X(BuildProgram, cl_int,                                                                                            \
      (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *))                 \
    X(GetProgramInfo, cl_int, (cl_program, cl_uint, size_t, void *, size_t *))                                         \
    X(GetProgramBuildInfo, cl_int, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))                      \
    X(ReleaseProgram, cl_int, (cl_program))                                                                            \
    X(CreateKernel, cl_kernel, (cl_program, const char *, cl_int *))                                                   \
    X(GetKernelWorkGroupInfo, cl_int, (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))                    \
    X(SetKernelArg, cl_int, (cl_kernel, cl_uint, size_t, const void *))                                                \
    X(ReleaseKernel, cl_int, (cl_kernel))                                                                              \
    X(GetEventInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))                                             \
    X(GetEventProfilingInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))                                    \
    X(SetEventCallback, cl_int, (cl_event, cl_int, quern_opencl_event_callback *, void *))                             \
    X(WaitForEvents, cl_int, (cl_uint, const cl_event *))                                                              \
    X(RetainEvent, cl_int, (cl_event))                                                                                 \
    X(ReleaseEvent, cl_int, (cl_event))                                                                                \
    X(EnqueueReadBuffer, cl_int, (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, QUERN_OPENCL_EVENTS))     \
    X(EnqueueWriteBuffer, cl_int,                                                                                      \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, QUERN_OPENCL_EVENTS))                          \
    X(EnqueueCopyBuffer, cl_int, (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, QUERN_OPENCL_EVENTS))      \
    X(EnqueueReadBufferRect, cl_int,                                                                                   \
      (cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t,      \
       size_t, void *, QUERN_OPENCL_EVENTS))                                                                           \
    X(EnqueueWriteBufferRect, cl_int,                                                                                  \
      (cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t,      \
       size_t, const void *, QUERN_OPENCL_EVENTS))                                                                     \
    X(EnqueueCopyBufferRect, cl_int,                                                                                   \
      (cl_command_queue, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t,       \
       size_t, QUERN_OPENCL_EVENTS))                                                                                   \
    X(EnqueueFillBuffer, cl_int,                                                                                       \
      (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, QUERN_OPENCL_EVENTS))                           \
    X(EnqueueMapBuffer, void *,                                                                                        \
      (cl_command_queue, cl_mem, cl_bool, cl_bitfield, size_t, size_t, QUERN_OPENCL_EVENTS, cl_int *))                 \
    X(EnqueueUnmapMemObject, cl_int, (cl_command_queue, cl_mem, void *, QUERN_OPENCL_EVENTS))                          \
    X(EnqueueNDRangeKernel, cl_int,                                                                                    \
      (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, QUERN_OPENCL_EVENTS))     \
    X(EnqueueMarkerWithWaitList, cl_int, (cl_command_queue, QUERN_OPENCL_EVENTS))

/* The same of OpenCL 2.0, each NULL where the loader lacks it. */
#define QUERN_OPENCL_NEWER_FUNCTIONS(X)                                                                                \
    X(CreateCommandQueueWithProperties, cl_command_queue, (cl_context, cl_device_id, const cl_bitfield *, cl_int *))   \
    X(SVMAlloc, void *, (cl_context, cl_bitfield, size_t, cl_uint))                                                    \
    X(SVMFree, void, (cl_context, void *))                                                                             \
    X(SetKernelArgSVMPointer, cl_int, (cl_kernel, cl_uint, const void *))                                              \
    X(EnqueueSVMMemcpy, cl_int, (cl_command_queue, cl_bool, void *, const void *, size_t, QUERN_OPENCL_EVENTS))        \
    X(EnqueueSVMMemFill, cl_int, (cl_command_queue, void *, const void *, size_t, size_t, QUERN_OPENCL_EVENTS))

#endif
