/*
 * What this backend uses of CUDA's driver interface: its types, constants and functions, declared here so that the
 * library builds without CUDA's headers and runs without its driver. The names and numbers are CUDA's own (11.0).
 */
#ifndef QUERN_BACKEND_CUDA_API_H
#define QUERN_BACKEND_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef void CUhostFn(void *data);

/* ---- errors ---- */

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
    CUDA_ERROR_CONTAINED = 226,
    CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_OPERATING_SYSTEM = 304,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
    CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_SYSTEM_NOT_READY = 802,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
    CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    CUDA_ERROR_EXTERNAL_DEVICE = 911,
    CUDA_ERROR_UNKNOWN = 999
};

/* ---- constants ---- */

enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,

    CU_COMPUTEMODE_PROHIBITED = 2,

    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,

    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_MEM_ATTACH_GLOBAL = 1,

    CU_STREAM_NON_BLOCKING = 1,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    CU_EVENT_DEFAULT = 0,

    CU_MEMORYTYPE_HOST = 1,
    CU_MEMORYTYPE_DEVICE = 2,

    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,

    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

/* ---- copies ---- */

/* CUDA_MEMCPY2D: rows. */
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    unsigned srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    unsigned dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

/* CUDA_MEMCPY3D, and CUDA_MEMCPY3D_PEER, which has the contexts where the other has nothing: slices of rows. A slice is
 * srcHeight rows long. */
typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    unsigned srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    CUcontext srcContext;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    unsigned dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    CUcontext dstContext;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

/* ---- functions ---- */

/* X(name, the driver's symbol, arguments); each gives a CUresult. All are in every driver since CUDA 11.0. */
#define QUERN_CUDA_FUNCTIONS(X)                                                                                        \
    X(Init, "cuInit", (unsigned))                                                                                      \
    X(DriverGetVersion, "cuDriverGetVersion", (int *))                                                                 \
    X(GetErrorName, "cuGetErrorName", (CUresult, const char **))                                                       \
    X(GetErrorString, "cuGetErrorString", (CUresult, const char **))                                                   \
    X(DeviceGetCount, "cuDeviceGetCount", (int *))                                                                     \
    X(DeviceGet, "cuDeviceGet", (CUdevice *, int))                                                                     \
    X(DeviceGetName, "cuDeviceGetName", (char *, int, CUdevice))                                                       \
    X(DeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))                                              \
    X(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                                     \
    X(DeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *, CUdevice, CUdevice))                                       \
    X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                     \
    X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                             \
    X(CtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext))                                                              \
    X(CtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext *))                                                              \
    X(CtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", (int *, int *))                                        \
    X(CtxEnablePeerAccess, "cuCtxEnablePeerAccess", (CUcontext, unsigned))                                             \
    X(MemAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                                              \
    X(MemFree, "cuMemFree_v2", (CUdeviceptr))                                                                          \
    X(MemHostAlloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                                     \
    X(MemFreeHost, "cuMemFreeHost", (void *))                                                                          \
    X(MemAllocManaged, "cuMemAllocManaged", (CUdeviceptr *, size_t, unsigned))                                         \
    X(MemGetAddressRange, "cuMemGetAddressRange_v2", (CUdeviceptr *, size_t *, CUdeviceptr))                           \
    X(PointerGetAttribute, "cuPointerGetAttribute", (void *, int, CUdeviceptr))                                        \
    X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))                          \
    X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))                                \
    X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                           \
    X(Memcpy2DAsync, "cuMemcpy2DAsync_v2", (const CUDA_MEMCPY2D *, CUstream))                                          \
    X(Memcpy3DAsync, "cuMemcpy3DAsync_v2", (const CUDA_MEMCPY3D *, CUstream))                                          \
    X(MemcpyPeerAsync, "cuMemcpyPeerAsync", (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))        \
    X(Memcpy3DPeerAsync, "cuMemcpy3DPeerAsync", (const CUDA_MEMCPY3D *, CUstream))                                     \
    X(MemsetD8Async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                                \
    X(MemsetD16Async, "cuMemsetD16Async", (CUdeviceptr, unsigned short, size_t, CUstream))                             \
    X(MemsetD32Async, "cuMemsetD32Async", (CUdeviceptr, unsigned, size_t, CUstream))                                   \
    X(MemsetD2D8Async, "cuMemsetD2D8Async", (CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream))            \
    X(MemsetD2D16Async, "cuMemsetD2D16Async", (CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream))         \
    X(MemsetD2D32Async, "cuMemsetD2D32Async", (CUdeviceptr, size_t, unsigned, size_t, size_t, CUstream))               \
    X(StreamCreateWithPriority, "cuStreamCreateWithPriority", (CUstream *, unsigned, int))                             \
    X(StreamDestroy, "cuStreamDestroy_v2", (CUstream))                                                                 \
    X(StreamSynchronize, "cuStreamSynchronize", (CUstream))                                                            \
    X(StreamQuery, "cuStreamQuery", (CUstream))                                                                        \
    X(StreamWaitEvent, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))                                             \
    X(StreamGetCtx, "cuStreamGetCtx", (CUstream, CUcontext *))                                                         \
    X(LaunchHostFunc, "cuLaunchHostFunc", (CUstream, CUhostFn *, void *))                                              \
    X(EventCreate, "cuEventCreate", (CUevent *, unsigned))                                                             \
    X(EventDestroy, "cuEventDestroy_v2", (CUevent))                                                                    \
    X(EventRecord, "cuEventRecord", (CUevent, CUstream))                                                               \
    X(EventSynchronize, "cuEventSynchronize", (CUevent))                                                               \
    X(EventElapsedTime, "cuEventElapsedTime", (float *, CUevent, CUevent))                                             \
    X(ModuleLoadDataEx, "cuModuleLoadDataEx", (CUmodule *, const void *, unsigned, int *, void **))                    \
    X(ModuleUnload, "cuModuleUnload", (CUmodule))                                                                      \
    X(ModuleGetFunction, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))                                \
    X(FuncGetAttribute, "cuFuncGetAttribute", (int *, int, CUfunction))                                                \
    X(FuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))                                                  \
    X(LaunchKernel, "cuLaunchKernel",                                                                                  \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **))

/* Of CUDA 11.2 and 11.4: NULL where the driver has none. */
#define QUERN_CUDA_NEWER_FUNCTIONS(X)                                                                                  \
    X(MemAllocAsync, "cuMemAllocAsync", (CUdeviceptr *, size_t, CUstream))                                             \
    X(StreamBeginCapture, "cuStreamBeginCapture_v2", (CUstream, int))                                                  \
    X(StreamEndCapture, "cuStreamEndCapture", (CUstream, CUgraph *))                                                   \
    X(GraphInstantiate, "cuGraphInstantiateWithFlags", (CUgraphExec *, CUgraph, unsigned long long))                   \
    X(GraphLaunch, "cuGraphLaunch", (CUgraphExec, CUstream))                                                           \
    X(GraphExecDestroy, "cuGraphExecDestroy", (CUgraphExec))                                                           \
    X(GraphDestroy, "cuGraphDestroy", (CUgraph))

#endif
