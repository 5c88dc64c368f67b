/*
 * The declarations of CUDA that Quern and its fake driver make themselves, against NVIDIA's own headers: numbers, the
 * places of members, parameters. Only compiled, by header_test.sh; generated.h holds what it read from the backend's
 * header. C++, so that both sides can be seen at once: ours lie in namespaces.
 */
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace backend
{
#include "cuda_api.h"
}
namespace fake
{
#include "api.h"
#include "nvrtc_api.h"
} // namespace fake
namespace loader
{
#include "nvrtc_library.h"
}
#define BEFORE 1 /* what NVIDIA's macros would spoil */
#include "generated.h"
#undef BEFORE

#include <cuda.h>
#include <nvrtc.h>

#define SAME(a, b) static_assert(static_cast<long long>(a) == static_cast<long long>(b), #a " is not " #b)

/* ---- functions: as many parameters, each a pointer on both sides or a number of one size ---- */

template <typename A, typename B>
constexpr bool alike = sizeof(A) == sizeof(B) && std::is_pointer<A>::value
                                                     == std::is_pointer<B>::value &&std::is_floating_point<A>::value
                                                     == std::is_floating_point<B>::value;

template <typename R, typename... A, typename S, typename... B> constexpr bool match(R (*)(A...), S (*)(B...))
{
    if constexpr (sizeof...(A) == sizeof...(B))
        return alike<R, S> && (alike<A, B> && ...);
    else
        return false;
}

#define MATCH(ours, name) static_assert(match(static_cast<ours *>(nullptr), &name), "parameters of " #name)

#define FUNCTION(name, parameters) MATCH(fake::quern_fc_##name, name);
FC_FUNCTIONS(FUNCTION)
#undef FUNCTION

#define FUNCTION(name, result, parameters)                                                                             \
    static_assert(match(decltype(loader::quern_nvrtc_functions::name){}, &nvrtc##name), "parameters of nvrtc" #name);
QUERN_NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION

/* ---- numbers ---- */

#define ERROR(name, value, text) SAME(fake::FC_##name, CUDA_##name);
FC_ERRORS(ERROR)
#undef ERROR
#define ATTRIBUTE(name, value) SAME(fake::FC_DEVICE_##name, CU_DEVICE_ATTRIBUTE_##name);
FC_ATTRIBUTES(ATTRIBUTE)
#undef ATTRIBUTE
#define RESULT(name, value) SAME(fake::FN_##name, NVRTC_##name);
FN_RESULTS(RESULT)
#undef RESULT

SAME(fake::FC_FUNC_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(fake::FC_FUNC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(fake::FC_FUNC_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
SAME(fake::FC_FUNC_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(fake::FC_FUNC_NUM_REGS, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(fake::FC_FUNC_PTX_VERSION, CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME(fake::FC_FUNC_BINARY_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME(fake::FC_FUNC_CACHE_MODE_CA, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
SAME(fake::FC_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(fake::FC_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(fake::FC_JIT_MAX_REGISTERS, CU_JIT_MAX_REGISTERS);
SAME(fake::FC_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER);
SAME(fake::FC_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME(fake::FC_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER);
SAME(fake::FC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(fake::FC_JIT_OPTIMIZATION_LEVEL, CU_JIT_OPTIMIZATION_LEVEL);
SAME(fake::FC_JIT_TARGET, CU_JIT_TARGET);
static_assert(fake::FC_JIT_LAST < CU_JIT_NUM_OPTIONS, "options of the just-in-time compiler");
SAME(fake::FC_STREAM_DEFAULT, CU_STREAM_DEFAULT);
SAME(fake::FC_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(fake::FC_EVENT_BLOCKING_SYNC, CU_EVENT_BLOCKING_SYNC);
SAME(fake::FC_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(fake::FC_EVENT_INTERPROCESS, CU_EVENT_INTERPROCESS);
SAME(fake::FC_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);
SAME(fake::FC_HOST_DEVICEMAP, CU_MEMHOSTALLOC_DEVICEMAP);
SAME(fake::FC_HOST_WRITECOMBINED, CU_MEMHOSTALLOC_WRITECOMBINED);
SAME(fake::FC_ATTACH_GLOBAL, CU_MEM_ATTACH_GLOBAL);
SAME(fake::FC_ATTACH_HOST, CU_MEM_ATTACH_HOST);
SAME(fake::FC_MEMORY_HOST, CU_MEMORYTYPE_HOST);
SAME(fake::FC_MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE);
SAME(fake::FC_MEMORY_ARRAY, CU_MEMORYTYPE_ARRAY);
SAME(fake::FC_MEMORY_UNIFIED, CU_MEMORYTYPE_UNIFIED);
SAME(fake::FC_POINTER_CONTEXT, CU_POINTER_ATTRIBUTE_CONTEXT);
SAME(fake::FC_POINTER_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(fake::FC_POINTER_IS_MANAGED, CU_POINTER_ATTRIBUTE_IS_MANAGED);
SAME(fake::FC_POINTER_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME(fake::FC_CTX_SCHED_MASK, CU_CTX_SCHED_MASK);

/* ---- members ---- */

#define MEMBER(ours, our_member, theirs, member)                                                                       \
    SAME(offsetof(fake::ours, our_member), offsetof(theirs, member));                                                  \
    SAME(sizeof(fake::ours::our_member), sizeof(theirs::member))
#define SIDE(ours, theirs, side, their_side)                                                                           \
    MEMBER(ours, side##_x, theirs, their_side##XInBytes);                                                              \
    MEMBER(ours, side##_y, theirs, their_side##Y);                                                                     \
    MEMBER(ours, side##_type, theirs, their_side##MemoryType);                                                         \
    MEMBER(ours, side##_host, theirs, their_side##Host);                                                               \
    MEMBER(ours, side##_device, theirs, their_side##Device);                                                           \
    MEMBER(ours, side##_array, theirs, their_side##Array);                                                             \
    MEMBER(ours, side##_pitch, theirs, their_side##Pitch)
#define SIDE_3D(theirs, side, their_side)                                                                              \
    SIDE(fc_copy_3d, theirs, side, their_side);                                                                        \
    MEMBER(fc_copy_3d, side##_z, theirs, their_side##Z);                                                               \
    MEMBER(fc_copy_3d, side##_lod, theirs, their_side##LOD);                                                           \
    MEMBER(fc_copy_3d, side##_height, theirs, their_side##Height)

SAME(sizeof(fake::fc_copy_2d), sizeof(CUDA_MEMCPY2D));
SIDE(fc_copy_2d, CUDA_MEMCPY2D, source, src);
SIDE(fc_copy_2d, CUDA_MEMCPY2D, target, dst);
MEMBER(fc_copy_2d, width, CUDA_MEMCPY2D, WidthInBytes);
MEMBER(fc_copy_2d, height, CUDA_MEMCPY2D, Height);
SAME(sizeof(fake::fc_copy_3d), sizeof(CUDA_MEMCPY3D));
SAME(sizeof(fake::fc_copy_3d), sizeof(CUDA_MEMCPY3D_PEER));
SIDE_3D(CUDA_MEMCPY3D, source, src);
SIDE_3D(CUDA_MEMCPY3D, target, dst);
SIDE_3D(CUDA_MEMCPY3D_PEER, source, src);
SIDE_3D(CUDA_MEMCPY3D_PEER, target, dst);
MEMBER(fc_copy_3d, source_reserved, CUDA_MEMCPY3D, reserved0);
MEMBER(fc_copy_3d, target_reserved, CUDA_MEMCPY3D, reserved1);
MEMBER(fc_copy_3d, source_reserved, CUDA_MEMCPY3D_PEER, srcContext);
MEMBER(fc_copy_3d, target_reserved, CUDA_MEMCPY3D_PEER, dstContext);
MEMBER(fc_copy_3d, width, CUDA_MEMCPY3D, WidthInBytes);
MEMBER(fc_copy_3d, height, CUDA_MEMCPY3D, Height);
MEMBER(fc_copy_3d, depth, CUDA_MEMCPY3D, Depth);
SAME(sizeof(fake::fc_uuid), sizeof(CUuuid));

#define AFTER 1
#include "generated.h"
