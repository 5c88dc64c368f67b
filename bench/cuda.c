/* The bare CUDA driver: its library, a stream, launches, copies. */
#include "cuda.h"

#include "backend/cuda/cuda_api.h"
#include "base/error.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct quern_bare {
    struct {
#define MEMBER(name, symbol, arguments) CUresult(*name) arguments;
        QUERN_CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
    } cu;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUdeviceptr from, to; /* of copies; 0: none yet */
    size_t bytes;         /* of each */
};

static quern_status check(const quern_bare *bare, CUresult code, const char *call)
{
    const char *name = "an unknown error";
    if (code == CUDA_SUCCESS)
        return QUERN_SUCCESS;
    if (bare->cu.GetErrorName(code, &name) != CUDA_SUCCESS)
        name = "an unknown error";
    return quern_fail(QUERN_SYSTEM_ERROR, "the bare CUDA driver: %s: %s (%d)", call, name, code);
}

/* ---- the library, the context, the stream ---- */

/* The library that the backend uses as well. It stays loaded: drivers do not like to go. */
static quern_status load(quern_bare *bare)
{
    const char *name = getenv("QUERN_CUDA_LIBRARY");
    void *library = dlopen(name && name[0] ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return quern_fail(QUERN_NOT_PRESENT, "the bare CUDA driver: %s", dlerror());
#define LOOK_UP(name, symbol, arguments)                                                                               \
    *(void **)&bare->cu.name = dlsym(library, symbol);                                                                 \
    if (!bare->cu.name)                                                                                                \
        return quern_fail(QUERN_NOT_PRESENT, "the bare CUDA driver has no " symbol);
    QUERN_CUDA_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return QUERN_SUCCESS;
}

quern_status quern_bare_enter(quern_bare *bare)
{
    return check(bare, bare->cu.CtxPushCurrent(bare->context), "cuCtxPushCurrent");
}

void quern_bare_leave(quern_bare *bare)
{
    CUcontext context;
    (void)bare->cu.CtxPopCurrent(&context);
}

static quern_status make_stream(quern_bare *bare, CUdevice device)
{
    quern_status status = check(bare, bare->cu.Init(0), "cuInit");
    if (!status)
        status = check(bare, bare->cu.DevicePrimaryCtxRetain(&bare->context, device), "cuDevicePrimaryCtxRetain");
    if (status)
        return status;
    bare->device = device;
    status = quern_bare_enter(bare);
    if (status)
        return status;
    status = check(bare, bare->cu.StreamCreateWithPriority(&bare->stream, CU_STREAM_NON_BLOCKING, 0),
                   "cuStreamCreateWithPriority");
    quern_bare_leave(bare);
    return status;
}

quern_status quern_bare_open(int device, quern_bare **bare)
{
    quern_bare *made = calloc(1, sizeof *made);
    *bare = NULL;
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the bare CUDA driver");
    quern_status status = load(made);
    if (!status)
        status = make_stream(made, device);
    if (status)
        quern_bare_close(made);
    else
        *bare = made;
    return status;
}

void quern_bare_close(quern_bare *bare)
{
    if (!bare)
        return;
    quern_bare_forget_places(bare);
    if (bare->stream && !quern_bare_enter(bare)) {
        (void)bare->cu.StreamDestroy(bare->stream);
        quern_bare_leave(bare);
    }
    if (bare->context)
        (void)bare->cu.DevicePrimaryCtxRelease(bare->device);
    free(bare);
}

/* ---- launches ---- */

quern_status quern_bare_launch_kernel(quern_bare *bare, const quern_bare_launch *launch)
{
    return check(bare,
                 bare->cu.LaunchKernel(launch->function, launch->groups[0], launch->groups[1], launch->groups[2],
                                       launch->group[0], launch->group[1], launch->group[2], 0, bare->stream,
                                       launch->arguments, NULL),
                 "cuLaunchKernel");
}

quern_status quern_bare_finish(quern_bare *bare)
{
    return check(bare, bare->cu.StreamSynchronize(bare->stream), "cuStreamSynchronize");
}

/* ---- copies ---- */

/* What is copied, and how the copy is read back: pieces of so many 64-bit words. */
#define PIECE ((size_t)1 << 20)

/* The word of a place that is copied. */
static uint64_t word(size_t i)
{
    return (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

typedef quern_status each_piece(quern_bare *bare, uint64_t *piece, size_t first, size_t count);

/* Calls the function for the words of a place, piece by piece. */
static quern_status over_pieces(quern_bare *bare, size_t words, each_piece *each)
{
    quern_status status = QUERN_SUCCESS;
    uint64_t *piece = malloc(PIECE * sizeof *piece);
    if (!piece)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a piece of an array");
    for (size_t first = 0; !status && first < words; first += PIECE)
        status = each(bare, piece, first, words - first < PIECE ? words - first : PIECE);
    free(piece);
    return status;
}

static quern_status write_piece(quern_bare *bare, uint64_t *piece, size_t first, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        piece[i] = word(first + i);
    quern_status status = check(
        bare, bare->cu.MemcpyHtoDAsync(bare->from + first * sizeof *piece, piece, count * sizeof *piece, bare->stream),
        "cuMemcpyHtoDAsync");
    return status ? status : quern_bare_finish(bare);
}

static quern_status compare_piece(quern_bare *bare, uint64_t *piece, size_t first, size_t count)
{
    quern_status status = check(
        bare, bare->cu.MemcpyDtoHAsync(piece, bare->to + first * sizeof *piece, count * sizeof *piece, bare->stream),
        "cuMemcpyDtoHAsync");
    if (!status)
        status = quern_bare_finish(bare);
    for (size_t i = 0; !status && i < count; ++i)
        if (piece[i] != word(first + i))
            status = quern_fail(QUERN_INTERNAL, "bytes from %zu on were not copied", (first + i) * sizeof *piece);
    return status;
}

static quern_status need_places(quern_bare *bare, size_t bytes)
{
    if (bytes <= bare->bytes)
        return QUERN_SUCCESS;
    quern_bare_forget_places(bare);
    quern_status status = check(bare, bare->cu.MemAlloc(&bare->from, bytes), "cuMemAlloc");
    if (!status)
        status = check(bare, bare->cu.MemAlloc(&bare->to, bytes), "cuMemAlloc");
    if (!status)
        status = over_pieces(bare, bytes / sizeof(uint64_t), write_piece);
    if (status)
        quern_bare_forget_places(bare);
    else
        bare->bytes = bytes;
    return status;
}

quern_status quern_bare_move(quern_bare *bare, size_t bytes)
{
    quern_status status = need_places(bare, bytes);
    if (!status)
        status = check(bare, bare->cu.MemcpyDtoDAsync(bare->to, bare->from, bytes, bare->stream), "cuMemcpyDtoDAsync");
    return status ? status : quern_bare_finish(bare);
}

quern_status quern_bare_check_move(quern_bare *bare, size_t bytes)
{
    quern_status status = need_places(bare, bytes);
    if (!status)
        status = check(bare, bare->cu.MemsetD8Async(bare->to, 0, bytes, bare->stream), "cuMemsetD8Async");
    if (!status)
        status = quern_bare_move(bare, bytes);
    return status ? status : over_pieces(bare, bytes / sizeof(uint64_t), compare_piece);
}

void quern_bare_forget_places(quern_bare *bare)
{
    if (!bare->from && !bare->to)
        return;
    if (!quern_bare_enter(bare)) {
        if (bare->from)
            (void)bare->cu.MemFree(bare->from);
        if (bare->to)
            (void)bare->cu.MemFree(bare->to);
        quern_bare_leave(bare);
    }
    bare->from = bare->to = 0;
    bare->bytes = 0;
}
