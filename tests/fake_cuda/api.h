/*
 * CUDA's driver interface as far as the fake has it: types, constants and functions, in words of our own.
 *
 * Nothing is shared with the header that the backend declares them in, so that an error there is seen; header_test
 * compares both with NVIDIA's where that is installed. All functions are called by the names that the real library
 * exports, the versions included.
 */
#ifndef FAKE_CUDA_API_H
#define FAKE_CUDA_API_H

#include <stddef.h>

typedef int fc_result;                 /* CUresult */
typedef int fc_device;                 /* CUdevice */
typedef unsigned long long fc_pointer; /* CUdeviceptr */
typedef void *fc_context, *fc_stream, *fc_event, *fc_module, *fc_function, *fc_pool, *fc_graph, *fc_graph_exec;

/* X(name, value, text) */
#define FC_ERRORS(X)                                                                                                   \
    X(SUCCESS, 0, "no error")                                                                                          \
    X(ERROR_INVALID_VALUE, 1, "invalid argument")                                                                      \
    X(ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                                         \
    X(ERROR_NOT_INITIALIZED, 3, "initialization error")                                                                \
    X(ERROR_DEINITIALIZED, 4, "driver shutting down")                                                                  \
    X(ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                                                      \
    X(ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                                             \
    X(ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                                                      \
    X(ERROR_INVALID_CONTEXT, 201, "invalid device context")                                                            \
    X(ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device")                        \
    X(ERROR_PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported between these two devices")                    \
    X(ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                                                          \
    X(ERROR_UNSUPPORTED_PTX_VERSION, 222, "the provided PTX was compiled with an unsupported toolchain.")              \
    X(ERROR_FILE_NOT_FOUND, 301, "file not found")                                                                     \
    X(ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                                            \
    X(ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")                              \
    X(ERROR_NOT_FOUND, 500, "named symbol not found")                                                                  \
    X(ERROR_NOT_READY, 600, "device not ready")                                                                        \
    X(ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                                          \
    X(ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")                                   \
    X(ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                                            \
    X(ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled")                                        \
    X(ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled")                                          \
    X(ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                                         \
    X(ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")                                                         \
    X(ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                                             \
    X(ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                                          \
    X(ERROR_NOT_PERMITTED, 800, "operation not permitted")                                                             \
    X(ERROR_NOT_SUPPORTED, 801, "operation not supported")                                                             \
    X(ERROR_SYSTEM_DRIVER_MISMATCH, 803, "system has unsupported display driver / cuda driver combination")            \
    X(ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing")                       \
    X(ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture")                \
    X(ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,                                                                          \
      "attempt to terminate a thread-local capture sequence from another thread")                                      \
    X(ERROR_UNKNOWN, 999, "unknown error")

enum {
#define FC_ERROR(name, value, text) FC_##name = value,
    FC_ERRORS(FC_ERROR)
#undef FC_ERROR
};

/* X(name, number): what cuDeviceGetAttribute is asked for */
#define FC_ATTRIBUTES(X)                                                                                               \
    X(MAX_THREADS_PER_BLOCK, 1)                                                                                        \
    X(MAX_BLOCK_DIM_X, 2)                                                                                              \
    X(MAX_BLOCK_DIM_Y, 3)                                                                                              \
    X(MAX_BLOCK_DIM_Z, 4)                                                                                              \
    X(MAX_GRID_DIM_X, 5)                                                                                               \
    X(MAX_GRID_DIM_Y, 6)                                                                                               \
    X(MAX_GRID_DIM_Z, 7)                                                                                               \
    X(MAX_SHARED_MEMORY_PER_BLOCK, 8)                                                                                  \
    X(TOTAL_CONSTANT_MEMORY, 9)                                                                                        \
    X(WARP_SIZE, 10)                                                                                                   \
    X(MAX_PITCH, 11)                                                                                                   \
    X(MAX_REGISTERS_PER_BLOCK, 12)                                                                                     \
    X(CLOCK_RATE, 13)                                                                                                  \
    X(TEXTURE_ALIGNMENT, 14)                                                                                           \
    X(MULTIPROCESSOR_COUNT, 16)                                                                                        \
    X(KERNEL_EXEC_TIMEOUT, 17)                                                                                         \
    X(INTEGRATED, 18)                                                                                                  \
    X(CAN_MAP_HOST_MEMORY, 19)                                                                                         \
    X(COMPUTE_MODE, 20)                                                                                                \
    X(CONCURRENT_KERNELS, 31)                                                                                          \
    X(ECC_ENABLED, 32)                                                                                                 \
    X(PCI_BUS_ID, 33)                                                                                                  \
    X(PCI_DEVICE_ID, 34)                                                                                               \
    X(TCC_DRIVER, 35)                                                                                                  \
    X(MEMORY_CLOCK_RATE, 36)                                                                                           \
    X(GLOBAL_MEMORY_BUS_WIDTH, 37)                                                                                     \
    X(L2_CACHE_SIZE, 38)                                                                                               \
    X(MAX_THREADS_PER_MULTIPROCESSOR, 39)                                                                              \
    X(ASYNC_ENGINE_COUNT, 40)                                                                                          \
    X(UNIFIED_ADDRESSING, 41)                                                                                          \
    X(PCI_DOMAIN_ID, 50)                                                                                               \
    X(TEXTURE_PITCH_ALIGNMENT, 51)                                                                                     \
    X(COMPUTE_CAPABILITY_MAJOR, 75)                                                                                    \
    X(COMPUTE_CAPABILITY_MINOR, 76)                                                                                    \
    X(STREAM_PRIORITIES_SUPPORTED, 78)                                                                                 \
    X(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                                                                        \
    X(MAX_REGISTERS_PER_MULTIPROCESSOR, 82)                                                                            \
    X(MANAGED_MEMORY, 83)                                                                                              \
    X(HOST_NATIVE_ATOMIC_SUPPORTED, 86)                                                                                \
    X(PAGEABLE_MEMORY_ACCESS, 88)                                                                                      \
    X(CONCURRENT_MANAGED_ACCESS, 89)                                                                                   \
    X(COOPERATIVE_LAUNCH, 95)                                                                                          \
    X(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                                                           \
    X(MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                                                                              \
    X(RESERVED_SHARED_MEMORY_PER_BLOCK, 111)                                                                           \
    X(MEMORY_POOLS_SUPPORTED, 115)

enum {
#define FC_ATTRIBUTE(name, number) FC_DEVICE_##name = number,
    FC_ATTRIBUTES(FC_ATTRIBUTE)
#undef FC_ATTRIBUTE
};

/* Numbers of cuFuncGetAttribute. */
enum {
    FC_FUNC_MAX_THREADS_PER_BLOCK = 0,
    FC_FUNC_SHARED_SIZE_BYTES = 1,
    FC_FUNC_CONST_SIZE_BYTES = 2,
    FC_FUNC_LOCAL_SIZE_BYTES = 3,
    FC_FUNC_NUM_REGS = 4,
    FC_FUNC_PTX_VERSION = 5,
    FC_FUNC_BINARY_VERSION = 6,
    FC_FUNC_CACHE_MODE_CA = 7,
    FC_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    FC_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
};

/* Options of cuModuleLoadDataEx that the fake looks at, and the number of the last one. */
enum {
    FC_JIT_MAX_REGISTERS = 0,
    FC_JIT_INFO_LOG_BUFFER = 3,
    FC_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    FC_JIT_ERROR_LOG_BUFFER = 5,
    FC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    FC_JIT_OPTIMIZATION_LEVEL = 7,
    FC_JIT_TARGET = 9,
    FC_JIT_LAST = 34
};

enum {
    FC_STREAM_DEFAULT = 0,
    FC_STREAM_NON_BLOCKING = 1,
    FC_CAPTURE_GLOBAL = 0,
    FC_CAPTURE_THREAD_LOCAL = 1,
    FC_CAPTURE_RELAXED = 2,
    FC_EVENT_BLOCKING_SYNC = 1,
    FC_EVENT_DISABLE_TIMING = 2,
    FC_EVENT_INTERPROCESS = 4,
    FC_HOST_PORTABLE = 1,
    FC_HOST_DEVICEMAP = 2,
    FC_HOST_WRITECOMBINED = 4,
    FC_ATTACH_GLOBAL = 1,
    FC_ATTACH_HOST = 2,
    FC_MEMORY_HOST = 1,
    FC_MEMORY_DEVICE = 2,
    FC_MEMORY_ARRAY = 3,
    FC_MEMORY_UNIFIED = 4,
    FC_POINTER_CONTEXT = 1,
    FC_POINTER_MEMORY_TYPE = 2,
    FC_POINTER_IS_MANAGED = 8,
    FC_POINTER_DEVICE_ORDINAL = 9,
    FC_CTX_SCHED_MASK = 7
};

/* The streams without a handle. */
#define FC_STREAM_LEGACY ((fc_stream)1)
#define FC_STREAM_PER_THREAD ((fc_stream)2)

/* In the array `extra` of cuLaunchKernel. */
#define FC_LAUNCH_END ((void *)0)
#define FC_LAUNCH_BUFFER_POINTER ((void *)1)
#define FC_LAUNCH_BUFFER_SIZE ((void *)2)

typedef struct fc_uuid {
    char bytes[16];
} fc_uuid;

typedef struct fc_copy_2d {
    size_t source_x, source_y;
    int source_type;
    const void *source_host;
    fc_pointer source_device;
    void *source_array;
    size_t source_pitch;
    size_t target_x, target_y;
    int target_type;
    void *target_host;
    fc_pointer target_device;
    void *target_array;
    size_t target_pitch;
    size_t width, height; /* bytes, rows */
} fc_copy_2d;

typedef struct fc_copy_3d {
    size_t source_x, source_y, source_z, source_lod;
    int source_type;
    const void *source_host;
    fc_pointer source_device;
    void *source_array;
    void *source_reserved; /* of the peer form: the context */
    size_t source_pitch, source_height;
    size_t target_x, target_y, target_z, target_lod;
    int target_type;
    void *target_host;
    fc_pointer target_device;
    void *target_array;
    void *target_reserved;
    size_t target_pitch, target_height;
    size_t width, height, depth;
} fc_copy_3d;

typedef void fc_host_function(void *data);
typedef size_t fc_block_to_shared(int block);

/* X(name, parameters) */
#define FC_FUNCTIONS(X)                                                                                                \
    FC_FUNCTIONS_OF_DEVICES(X) FC_FUNCTIONS_OF_MEMORY(X) FC_FUNCTIONS_OF_WORK(X) FC_FUNCTIONS_OF_CODE(X)

#define FC_FUNCTIONS_OF_DEVICES(X)                                                                                     \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDriverGetVersion, (int *version))                                                                              \
    X(cuGetErrorName, (fc_result error, const char **name))                                                            \
    X(cuGetErrorString, (fc_result error, const char **text))                                                          \
    X(cuGetProcAddress_v2, (const char *name, void **function, int version, unsigned long long flags, int *status))    \
    X(cuDeviceGetCount, (int *count))                                                                                  \
    X(cuDeviceGet, (fc_device * device, int ordinal))                                                                  \
    X(cuDeviceGetName, (char *name, int length, fc_device device))                                                     \
    X(cuDeviceGetUuid, (fc_uuid * uuid, fc_device device))                                                             \
    X(cuDeviceGetUuid_v2, (fc_uuid * uuid, fc_device device))                                                          \
    X(cuDeviceGetPCIBusId, (char *text, int length, fc_device device))                                                 \
    X(cuDeviceTotalMem_v2, (size_t * bytes, fc_device device))                                                         \
    X(cuDeviceGetAttribute, (int *value, int attribute, fc_device device))                                             \
    X(cuDeviceGetDefaultMemPool, (fc_pool * pool, fc_device device))                                                   \
    X(cuDeviceGetMemPool, (fc_pool * pool, fc_device device))                                                          \
    X(cuDevicePrimaryCtxRetain, (fc_context * context, fc_device device))                                              \
    X(cuDevicePrimaryCtxRelease_v2, (fc_device device))                                                                \
    X(cuDevicePrimaryCtxReset_v2, (fc_device device))                                                                  \
    X(cuDevicePrimaryCtxSetFlags_v2, (fc_device device, unsigned flags))                                               \
    X(cuDevicePrimaryCtxGetState, (fc_device device, unsigned *flags, int *active))                                    \
    X(cuCtxSetCurrent, (fc_context context))                                                                           \
    X(cuCtxGetCurrent, (fc_context * context))                                                                         \
    X(cuCtxPushCurrent_v2, (fc_context context))                                                                       \
    X(cuCtxPopCurrent_v2, (fc_context * context))                                                                      \
    X(cuCtxGetDevice, (fc_device * device))                                                                            \
    X(cuCtxGetStreamPriorityRange, (int *least, int *greatest))                                                        \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuDeviceCanAccessPeer, (int *can, fc_device device, fc_device peer))                                             \
    X(cuCtxEnablePeerAccess, (fc_context peer, unsigned flags))                                                        \
    X(cuCtxDisablePeerAccess, (fc_context peer))

#define FC_FUNCTIONS_OF_MEMORY(X)                                                                                      \
    X(cuMemGetInfo_v2, (size_t * free_bytes, size_t * total))                                                          \
    X(cuMemAlloc_v2, (fc_pointer * pointer, size_t bytes))                                                             \
    X(cuMemFree_v2, (fc_pointer pointer))                                                                              \
    X(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                                                  \
    X(cuMemAllocHost_v2, (void **pointer, size_t bytes))                                                               \
    X(cuMemFreeHost, (void *pointer))                                                                                  \
    X(cuMemHostGetDevicePointer_v2, (fc_pointer * device, void *host, unsigned flags))                                 \
    X(cuMemAllocManaged, (fc_pointer * pointer, size_t bytes, unsigned flags))                                         \
    X(cuMemAllocAsync, (fc_pointer * pointer, size_t bytes, fc_stream stream))                                         \
    X(cuMemFreeAsync, (fc_pointer pointer, fc_stream stream))                                                          \
    X(cuMemPoolSetAttribute, (fc_pool pool, int attribute, void *value))                                               \
    X(cuMemPoolGetAttribute, (fc_pool pool, int attribute, void *value))                                               \
    X(cuMemPoolTrimTo, (fc_pool pool, size_t bytes))                                                                   \
    X(cuMemGetAddressRange_v2, (fc_pointer * begin, size_t * bytes, fc_pointer pointer))                               \
    X(cuPointerGetAttribute, (void *value, int attribute, fc_pointer pointer))                                         \
    X(cuMemcpy, (fc_pointer target, fc_pointer source, size_t bytes))                                                  \
    X(cuMemcpyAsync, (fc_pointer target, fc_pointer source, size_t bytes, fc_stream stream))                           \
    X(cuMemcpyHtoD_v2, (fc_pointer target, const void *source, size_t bytes))                                          \
    X(cuMemcpyDtoH_v2, (void *target, fc_pointer source, size_t bytes))                                                \
    X(cuMemcpyDtoD_v2, (fc_pointer target, fc_pointer source, size_t bytes))                                           \
    X(cuMemcpyHtoDAsync_v2, (fc_pointer target, const void *source, size_t bytes, fc_stream stream))                   \
    X(cuMemcpyDtoHAsync_v2, (void *target, fc_pointer source, size_t bytes, fc_stream stream))                         \
    X(cuMemcpyDtoDAsync_v2, (fc_pointer target, fc_pointer source, size_t bytes, fc_stream stream))                    \
    X(cuMemcpyPeer,                                                                                                    \
      (fc_pointer target, fc_context target_context, fc_pointer source, fc_context source_context, size_t bytes))      \
    X(cuMemcpyPeerAsync, (fc_pointer target, fc_context target_context, fc_pointer source, fc_context source_context,  \
                          size_t bytes, fc_stream stream))                                                             \
    X(cuMemcpy2D_v2, (const fc_copy_2d *copy))                                                                         \
    X(cuMemcpy2DUnaligned_v2, (const fc_copy_2d *copy))                                                                \
    X(cuMemcpy2DAsync_v2, (const fc_copy_2d *copy, fc_stream stream))                                                  \
    X(cuMemcpy3D_v2, (const fc_copy_3d *copy))                                                                         \
    X(cuMemcpy3DAsync_v2, (const fc_copy_3d *copy, fc_stream stream))                                                  \
    X(cuMemcpy3DPeer, (const fc_copy_3d *copy))                                                                        \
    X(cuMemcpy3DPeerAsync, (const fc_copy_3d *copy, fc_stream stream))                                                 \
    X(cuMemsetD8_v2, (fc_pointer target, unsigned char value, size_t count))                                           \
    X(cuMemsetD16_v2, (fc_pointer target, unsigned short value, size_t count))                                         \
    X(cuMemsetD32_v2, (fc_pointer target, unsigned value, size_t count))                                               \
    X(cuMemsetD8Async, (fc_pointer target, unsigned char value, size_t count, fc_stream stream))                       \
    X(cuMemsetD16Async, (fc_pointer target, unsigned short value, size_t count, fc_stream stream))                     \
    X(cuMemsetD32Async, (fc_pointer target, unsigned value, size_t count, fc_stream stream))                           \
    X(cuMemsetD2D8Async,                                                                                               \
      (fc_pointer target, size_t pitch, unsigned char value, size_t width, size_t height, fc_stream stream))           \
    X(cuMemsetD2D16Async,                                                                                              \
      (fc_pointer target, size_t pitch, unsigned short value, size_t width, size_t height, fc_stream stream))          \
    X(cuMemsetD2D32Async,                                                                                              \
      (fc_pointer target, size_t pitch, unsigned value, size_t width, size_t height, fc_stream stream))

#define FC_FUNCTIONS_OF_WORK(X)                                                                                        \
    X(cuStreamCreate, (fc_stream * stream, unsigned flags))                                                            \
    X(cuStreamCreateWithPriority, (fc_stream * stream, unsigned flags, int priority))                                  \
    X(cuStreamGetPriority, (fc_stream stream, int *priority))                                                          \
    X(cuStreamGetFlags, (fc_stream stream, unsigned *flags))                                                           \
    X(cuStreamGetCtx, (fc_stream stream, fc_context * context))                                                        \
    X(cuStreamDestroy_v2, (fc_stream stream))                                                                          \
    X(cuStreamSynchronize, (fc_stream stream))                                                                         \
    X(cuStreamQuery, (fc_stream stream))                                                                               \
    X(cuStreamWaitEvent, (fc_stream stream, fc_event event, unsigned flags))                                           \
    X(cuLaunchHostFunc, (fc_stream stream, fc_host_function * function, void *data))                                   \
    X(cuStreamBeginCapture_v2, (fc_stream stream, int mode))                                                           \
    X(cuStreamEndCapture, (fc_stream stream, fc_graph * graph))                                                        \
    X(cuStreamIsCapturing, (fc_stream stream, int *status))                                                            \
    X(cuGraphInstantiateWithFlags, (fc_graph_exec * exec, fc_graph graph, unsigned long long flags))                   \
    X(cuGraphLaunch, (fc_graph_exec exec, fc_stream stream))                                                           \
    X(cuGraphExecDestroy, (fc_graph_exec exec))                                                                        \
    X(cuGraphDestroy, (fc_graph graph))                                                                                \
    X(cuEventCreate, (fc_event * event, unsigned flags))                                                               \
    X(cuEventRecord, (fc_event event, fc_stream stream))                                                               \
    X(cuEventQuery, (fc_event event))                                                                                  \
    X(cuEventSynchronize, (fc_event event))                                                                            \
    X(cuEventDestroy_v2, (fc_event event))                                                                             \
    X(cuEventElapsedTime, (float *milliseconds, fc_event begin, fc_event end))                                         \
    X(cuEventElapsedTime_v2, (float *milliseconds, fc_event begin, fc_event end))

#define FC_FUNCTIONS_OF_CODE(X)                                                                                        \
    X(cuModuleLoadData, (fc_module * module, const void *image))                                                       \
    X(cuModuleLoadDataEx, (fc_module * module, const void *image, unsigned count, int *options, void **values))        \
    X(cuModuleUnload, (fc_module module))                                                                              \
    X(cuModuleGetFunction, (fc_function * function, fc_module module, const char *name))                               \
    X(cuFuncGetAttribute, (int *value, int attribute, fc_function function))                                           \
    X(cuFuncSetAttribute, (fc_function function, int attribute, int value))                                            \
    X(cuFuncSetCacheConfig, (fc_function function, int configuration))                                                 \
    X(cuLaunchKernel,                                                                                                  \
      (fc_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,    \
       unsigned block_z, unsigned shared, fc_stream stream, void **parameters, void **extra))                          \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, fc_function function, int block, size_t shared))      \
    X(cuOccupancyMaxPotentialBlockSize,                                                                                \
      (int *grid, int *block, fc_function function, fc_block_to_shared *to_shared, size_t shared, int limit))          \
    X(cuOccupancyAvailableDynamicSMemPerBlock, (size_t * bytes, fc_function function, int blocks, int block))

/* The type of each, quern_fc_NAME. */
#define FC_TYPE(name, parameters) typedef fc_result quern_fc_##name parameters;
FC_FUNCTIONS(FC_TYPE)
#undef FC_TYPE

#endif
